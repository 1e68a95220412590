"""Windows over private rows: each must stay inside one unit, so that the rows it gives are private rows still."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from dpsql.algebra.expressions import TRUE, Call, Column, Expr, Literal, columns_of
from dpsql.algebra.functions import apply
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.of_unit import (
    EVERY_ROW,
    FRAMED,
    QUANTILES,
    SPREADS,
    End,
    Frame,
    FrameUnit,
    PerUnitAggregate,
    PerUnitMeasure,
    Place,
    Ranked,
    Side,
    Sorted,
    Window,
)
from dpsql.algebra.ownership import unit_column, unit_type
from dpsql.algebra.relations import MARK, Filter, Relation, Windows, conjuncts
from dpsql.algebra.shape import shape
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.aggregation.window_frames import MOST_AWAY, Frames
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.descriptions import name_of
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import shallow
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.per_unit_aggregates import UnitMeasures
from dpsql.sql.bind.scope import Output
from dpsql.sql.bind.selects import OwnedRows, aliases, outputs_of
from dpsql.sql.dialect import Node
from dpsql.sql.subqueries.cuts import Cuts
from dpsql.sql.validate.function_names import WINDOWS

_PLACES: Mapping[type[Node], Ranked] = {
    exp.RowNumber: Ranked.ROW_NUMBER,
    exp.Rank: Ranked.RANK,
    exp.DenseRank: Ranked.DENSE_RANK,
    exp.Lag: Ranked.LAG,
    exp.Lead: Ranked.LEAD,
    exp.FirstValue: Ranked.FIRST_VALUE,
    exp.LastValue: Ranked.LAST_VALUE,
    exp.NthValue: Ranked.NTH_VALUE,
    exp.Ntile: Ranked.NTILE,
    exp.PercentRank: Ranked.PERCENT_RANK,
    exp.CumeDist: Ranked.CUME_DIST,
}
_NUMBERS = (Ranked.ROW_NUMBER, Ranked.RANK, Ranked.DENSE_RANK)
_SHARES = (Ranked.PERCENT_RANK, Ranked.CUME_DIST)
_AWAY = (Ranked.LAG, Ranked.LEAD)


def has_windows(node: exp.Select) -> bool:
    """Whether a SELECT computes windows."""
    if node.args.get("qualify") is not None:
        return True
    return any(isinstance(n, exp.Window) for item in node.expressions for n in shallow(item))


class WindowScope:
    """Turns one SELECT with windows over private rows into a relation and its outputs."""

    def __init__(
        self,
        node: exp.Select,
        rows: OwnedRows,
        index: int,
        cutter: Cuts,
    ) -> None:
        self._node = node
        self._rows = rows
        self._index = index
        self._catalog = catalog = cutter.catalog
        self._own = cutter.owner
        self._relation = rows.joined.relation
        self._outside = Binder(
            rows.joined.scope, cutter.params, cutter.now, aliases(node), rows.marks, self._stands_for
        )
        self._bound = UnitMeasures(rows.binder, lambda: shape(self._marked(), catalog).facts())
        self._frames = Frames(rows.binder.bind, lambda e: shape(self._marked(), catalog).base_facts().of(e))
        self._windows: list[Window] = []
        self._defined: dict[str, exp.Window] = {
            w.this.name.lower(): w for w in node.args.get("windows") or []
        }

    def build(self) -> tuple[Relation, tuple[Output, ...]]:
        """The private relation and its columns. Raises QueryRefused."""
        outputs = outputs_of(self._node, self._rows.joined, self._outside)
        clause = self._node.args.get("qualify")
        kept = conjuncts(self._outside.predicate(clause.this)) if clause is not None else ()
        self._own(self._marked())
        if not self._windows:
            raise QueryRefused(
                "QUALIFY needs a window", place=place_of(self._node), hint="Filter rows with WHERE."
            )
        read = frozenset(c for e in (*kept, *(o.expr for o in outputs)) for c in columns_of(e))
        node = Windows(self._relation, self._index, self._passed(read), tuple(self._windows))
        moved = self._moves(node)
        relation = Filter(node, tuple(_replaced(c, moved) for c in kept)) if kept else node
        return relation, tuple(Output(o.name, _replaced(o.expr, moved)) for o in outputs)

    def _marked(self) -> Relation:
        """The rows with every mark that has been met."""
        self._relation = self._rows.marks.put_on(self._relation)
        return self._relation

    def _passed(self, read: frozenset[Column]) -> tuple[Expr, ...]:
        """Every column of the rows in a fixed order, and the marks that are read."""
        columns = shape(self._relation, self._catalog).base
        return tuple(
            sorted((c for c in columns if c.name != MARK or c in read), key=lambda c: (c.scan, c.name))
        )

    def _moves(self, node: Windows) -> Mapping[Expr, Expr]:
        """What the columns of the rows are called behind the windows; the key of the unit is its owner's there."""
        unit = unit_column(self._index, unit_type(node, self._catalog))
        owner = self._rows.owner
        return {e: unit if owner.is_unit(e) else node.column(i) for i, e in enumerate(node.outputs)}

    def _stands_for(self, node: Node) -> Expr | None:
        if not isinstance(node, exp.Window):
            return None
        window = self._window(node)
        column = self._added(window)
        default = _call(node).args.get("default")
        return column if default is None else self._with_default(column, window, default)

    def _with_default(self, column: Column, window: Window, default: Node) -> Expr:
        """LAG and LEAD with a default: it stands where no row is so far away."""
        moved, other = window.value, self._rows.binder.bind(default)
        assert isinstance(moved, Place) and moved.arg is not None
        may_be_null = shape(self._marked(), self._catalog).facts().of(moved.arg).nullable
        try:
            if may_be_null and not moved.skips:
                near = apply("le", (self._rows_so_far(window), Literal(moved.offset, SqlType.INTEGER)))
                value = apply("case", (near, other, column))
            else:
                value = apply("coalesce", (column, other))
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(default)) from None
        if value.type is not column.type:
            raise QueryRefused(
                f"the default of {moved.ranked.value.upper()} must have the type of its value",
                place=place_of(default),
                hint="CAST the default or the value.",
            )
        return value

    def _rows_so_far(self, window: Window) -> Column:
        """The number of rows up to the row for LAG, from it on for LEAD, in the window's own order."""
        back = isinstance(window.value, Place) and window.value.ranked is Ranked.LAG
        start, end = (Side.FIRST, Side.HERE) if back else (Side.HERE, Side.LAST)
        count = PerUnitMeasure(PerUnitAggregate.COUNT_ROWS, None, TRUE, SqlType.INTEGER)
        frame = Frame(FrameUnit.ROWS, End(start), End(end))
        return self._added(Window(count, window.partition, window.order, frame))

    def _added(self, window: Window) -> Column:
        if window not in self._windows:
            self._windows.append(window)
        return Column(self._index, f"w{self._windows.index(window)}", window.value.type)

    def _window(self, node: exp.Window) -> Window:
        definition = self._definition(node)
        partition = tuple(self._rows.binder.bind(p) for p in definition.args.get("partition_by") or [])
        owner = self._rows.owner
        # The engine divides by the unit whatever is written, so that a key of rows of one unit divides the same rows.
        if not any(owner.leads_to_unit(p) for p in partition):
            raise QueryRefused(
                "a window over private rows must stay inside one unit",
                place=place_of(node),
                hint="PARTITION BY the key of the unit, or aggregate first: windows work on released results.",
            )
        value = self._value(node.this)
        order = definition.args.get("order")
        terms = tuple(self._term(t) for t in order.expressions) if order is not None else ()
        rest = tuple(dict.fromkeys(p for p in partition if not owner.is_unit(p)))
        frame = self._frames.frame(definition, terms)
        framed = isinstance(value, PerUnitMeasure) or value.ranked in FRAMED
        return Window(value, rest, terms, frame if framed else EVERY_ROW)

    def _definition(self, node: exp.Window) -> exp.Window:
        alias = node.args.get("alias")
        if alias is None:
            return node
        window = self._defined.get(alias.name.lower())
        if window is None or any(node.args.get(k) for k in ("partition_by", "order", "spec")):
            raise QueryRefused(
                f'the window "{alias.name}" is not defined here, or is changed where it is used',
                place=place_of(node),
                hint="Write the whole window in OVER (...).",
            )
        return window

    def _value(self, written: Node) -> Place | PerUnitMeasure:
        skips = isinstance(written, exp.IgnoreNulls)
        call = written.this if skips else written
        ranked = _PLACES.get(type(call))
        if ranked is None:
            return self._measure(call)
        if ranked in _NUMBERS:
            return Place(ranked, None, 0, SqlType.INTEGER)
        if ranked in _SHARES:
            return Place(ranked, None, 0, SqlType.DOUBLE)
        if ranked is Ranked.NTILE:
            return Place(ranked, None, self._offset(call, call.this, 1), SqlType.INTEGER)
        arg = self._rows.binder.bind(call.this)
        if arg.type in (SqlType.NULL, SqlType.INTERVAL):
            raise QueryRefused(
                f"{name_of(call).upper()} needs a value that is more than NULL, and no interval",
                place=place_of(call),
                hint="Name a column.",
            )
        offset = 0
        if ranked in _AWAY:
            offset = self._offset(call, call.args.get("offset"), 0)
        elif ranked is Ranked.NTH_VALUE:
            offset = self._offset(call, call.args.get("offset"), 1)
        return Place(ranked, arg, offset, arg.type, skips)

    def _measure(self, call: Node) -> PerUnitMeasure:
        inner = call.this if isinstance(call, exp.Filter) else call
        if is_aggregate(inner) and type(inner) not in WINDOWS.values():
            measure = self._bound.measure(call)
            if measure.aggregate not in SPREADS | QUANTILES:
                return measure
        raise QueryRefused(
            f"{name_of(inner).upper()} is not supported in a window over private rows",
            place=place_of(call),
            hint="COUNT, SUM, AVG, MIN, MAX, BOOL_OR, BOOL_AND and all window functions of SQL are.",
        )

    def _offset(self, call: Node, written: Node | None, least: int) -> int:
        if written is None:
            return 1
        bound = self._rows.binder.bind(written)
        away = bound.value if isinstance(bound, Literal) and bound.type is SqlType.INTEGER else None
        if not isinstance(away, int) or not least <= away <= MOST_AWAY:
            raise QueryRefused(
                f"the number in {name_of(call).upper()} is a whole one from {least} to {MOST_AWAY}",
                place=place_of(written),
            )
        return away

    def _term(self, term: Node) -> Sorted:
        bound = self._rows.binder.bind(term.this)
        return Sorted(bound, bool(term.args.get("desc")), bool(term.args.get("nulls_first")))


def _call(node: exp.Window) -> Node:
    """The call before OVER."""
    call: Node = node.this
    if isinstance(call, exp.IgnoreNulls):
        call = call.this
    return call


def _replaced(expr: Expr, moved: Mapping[Expr, Expr]) -> Expr:
    """An expression with the columns of the rows called what they are called behind the windows."""
    behind = moved.get(expr)
    if behind is not None:
        return behind
    if not isinstance(expr, Call):
        return expr
    return Call(expr.op, tuple(_replaced(a, moved) for a in expr.args), expr.type)
