"""From an admitted sqlglot tree to typed expressions over private rows, or to a refusal that names the construct."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import NULL, Expr, Literal
from dpsql.algebra.functions import apply, by_spelling, cast
from dpsql.algebra.functions.decided import decided
from dpsql.algebra.functions.table import Mistyped
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.sql.ast.comparisons import among_rows, check_decimal_cast, check_decimals, equal_rows
from dpsql.sql.ast.literals import decimal_constant, duration, number, parameter
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.present_moment import PRESENT
from dpsql.sql.bind import moment_arithmetic as intervals
from dpsql.sql.bind.mark_joins import Marks, constant_of, is_subquery
from dpsql.sql.bind.rounded_decimals import cast_checked, cast_to_decimal, rounded_decimal
from dpsql.sql.bind.scope import Scope
from dpsql.sql.bind.time_buckets import bucket_from
from dpsql.sql.bind.times_of_day import compared_times
from dpsql.sql.bind.unsupported import unsupported
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.split_parts import part_of
from dpsql.sql.normalize.zoned_moments import zones_of
from dpsql.sql.validate.function_names import SCALARS, arguments

MAX_NODES = 20_000
MAX_DEPTH = 150
_IN_STEPS = "Compute a part of it in a subquery first."
_BINARY: Mapping[type[Node], str] = {
    exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.IntDiv: "intdiv", exp.Mod: "mod", exp.EQ: "eq",
    exp.NEQ: "ne", exp.LT: "lt", exp.LTE: "le", exp.GT: "gt", exp.GTE: "ge", exp.NullSafeEQ: "is_not_distinct",
    exp.NullSafeNEQ: "is_distinct",
}  # fmt: skip
_UNARY: Mapping[type[Node], str] = {exp.Not: "not", exp.Neg: "neg"}
# Of the calls that sqlglot makes nodes of.
_CALLED: Mapping[type[Node], str] = {
    kind: function.name for name, kind in SCALARS.items() if (function := by_spelling(name)) is not None
}

# What private rows are cast to, by sqlglot's names.
CAST_TYPES: Mapping[object, SqlType] = {
    **dict.fromkeys(
        (
            exp.DataType.Type.TINYINT, exp.DataType.Type.SMALLINT, exp.DataType.Type.INT,
            exp.DataType.Type.BIGINT, exp.DataType.Type.INT128,
        ),
        SqlType.INTEGER,
    ),
    **dict.fromkeys((exp.DataType.Type.FLOAT, exp.DataType.Type.DOUBLE), SqlType.DOUBLE),
    **dict.fromkeys((exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR), SqlType.TEXT),
    exp.DataType.Type.BOOLEAN: SqlType.BOOLEAN,
    exp.DataType.Type.DATE: SqlType.DATE,
    **dict.fromkeys((exp.DataType.Type.TIMESTAMP, exp.DataType.Type.TIMESTAMPNTZ), SqlType.TIMESTAMP),
}  # fmt: skip


def _applied(op: str, args: tuple[Expr, ...]) -> Expr:
    """The operation, of lengths of time as one on their microseconds."""
    return intervals.of_times(op, args) or apply(op, args)


def _negated(match: Node, matched: Expr) -> Expr:
    """The match, or its contrary where NOT stands before LIKE: sqlglot keeps that at the node."""
    return apply("not", (matched,)) if match.args.get("negate") else matched


class Binder:
    """Binds expressions in one scope.

    `params` are the values of placeholders, `now` is the fixed present moment, `aliases` the names that the SELECT
    list gives: as in DuckDB they stand for their expression where no column has the name. `marks` takes in subqueries,
    which are refused without it. `stands_for` gives the expression of a node that is computed already: an aggregate.
    """

    def __init__(
        self,
        scope: Scope,
        params: Mapping[str, object],
        now: datetime,
        aliases: Mapping[str, Node] = MappingProxyType({}),
        marks: Marks | None = None,
        stands_for: Callable[[Node], Expr | None] | None = None,
    ) -> None:
        self.scope = scope
        self.marks = marks
        self._stands_for = stands_for
        self._params = params
        self._now = now
        self._aliases = aliases
        self._open: set[str] = set()
        self._bound: dict[tuple[int, frozenset[str]], tuple[Node, Expr]] = {}  # the node keeps its id

    def bind(self, node: Node) -> Expr:
        """The typed expression of a node, or QueryRefused with its place."""
        self._bound.clear()  # the tree may have changed since
        try:
            bound = self._bind(node)
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(node)) from None
        if bound.size > MAX_NODES:
            raise QueryRefused("the expression is too large", place=place_of(node), hint=_IN_STEPS)
        if bound.depth > MAX_DEPTH:
            raise QueryRefused("the expression is nested too deeply", place=place_of(node), hint=_IN_STEPS)
        return bound

    def predicate(self, node: Node) -> Expr:
        """A condition: as `bind`, and the result must be true, false or NULL."""
        bound = self.bind(node)
        if bound.type is SqlType.NULL:
            return Literal(None, SqlType.BOOLEAN)
        if bound.type is not SqlType.BOOLEAN:
            raise QueryRefused(
                "a condition must be true or false",
                place=place_of(node),
                hint="Compare the value with something.",
            )
        return bound

    def _bind(self, node: Node) -> Expr:
        given = self._stands_for(node) if self._stands_for is not None else None
        if given is not None:
            return given
        if self.marks is not None and is_subquery(node):
            return self.marks.expression(node, self.scope)
        build = _BUILDERS.get(type(node))
        try:
            return decided(build(self, node) if build is not None else self._operator(node))
        except (QueryRefused, Mistyped):
            constant = self._constant(node)
            if constant is None:
                raise
            return constant

    def _constant(self, node: Node) -> Expr | None:
        return constant_of(node, self.marks, self.scope) if self.marks is not None else None

    def _column(self, node: exp.Column) -> Expr:
        alias = node.name.lower()
        written = self._aliases.get(alias) if not node.table else None
        hidden = (
            written is not None and alias not in self._open
        )  # names of the query around come after aliases
        column = (replace(self.scope, outer=None) if hidden else self.scope).find(node)
        if column is not None:
            return column
        if written is None or alias in self._open:
            raise self.scope.unknown(node)
        self._open.add(alias)
        try:
            return self._sub(written)
        finally:
            self._open.discard(alias)

    def _sub(self, node: Node) -> Expr:
        """Binds an operand, so that a type error inside it is reported at its own place.

        Once for each node: several forms may be tried with it, and operands within it would be bound again by each.
        """
        key = (id(node), frozenset(self._open))
        try:
            if key not in self._bound:
                self._bound[key] = (node, self._bind(node))
            return self._bound[key][1]
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(node)) from None

    def _apply(self, op: str, *nodes: Node) -> Expr:
        args = tuple(map(self._sub, nodes))
        if op == "coalesce" and (unit := self.scope.unit_of(args)) is not None:
            return unit
        if (rounded := rounded_decimal(op, args)) is not None:
            return rounded
        check_decimals(op, args)
        try:
            return _applied(op, args)
        except Mistyped:  # it may take a constant where one is computed, as in LIKE LOWER('%X%')
            folded = tuple(map(self._folded, nodes, args))
            if folded == args:
                raise
            return apply(op, folded)

    def _folded(self, node: Node, bound: Expr) -> Expr:
        """What is bound to an operand, as a constant where it is computed from constants."""
        return bound if isinstance(bound, Literal) else self._constant(node.unnest()) or bound

    def _operator(self, node: Node) -> Expr:
        kind = type(node)
        if isinstance(node.this, exp.Tuple):
            same = equal_rows(node.this, node.expression, self._sub)
            return same if kind is exp.EQ else apply("not", (same,))
        folded = decimal_constant(node)
        if folded is not None:
            return folded
        if kind is exp.DPipe:
            return apply("concat_op", (self._text(node.this), self._text(node.expression)))
        if kind in _BINARY and isinstance(node, exp.Predicate):
            compared = compared_times((node.this, node.expression), self._sub)
            if compared is not None:
                return apply(_BINARY[kind], compared)
        moved = intervals.stepped(node, self._sub) or intervals.time_between(node, self._sub)
        if moved is not None:
            return moved
        if kind in _BINARY:
            return self._apply(_BINARY[kind], node.this, node.expression)
        if kind in _UNARY:
            return self._apply(_UNARY[kind], node.this)
        if kind in _CALLED:
            return self._apply(_CALLED[kind], *arguments(node))
        raise unsupported(node)

    def _text(self, node: Node) -> Expr:
        """An operand of || and CONCAT, which DuckDB makes a text of."""
        value = self._sub(node)
        if value.type in (SqlType.TEXT, SqlType.NULL, SqlType.INTERVAL):
            return value
        check_decimal_cast(value, SqlType.TEXT)
        return cast(value, SqlType.TEXT)

    def _connective(self, node: Node) -> Expr:
        op, kind = ("and", exp.And) if isinstance(node, exp.And) else ("or", exp.Or)
        operands = [n for n in node.flatten(unnest=False) if n is not None]
        assert all(not isinstance(n, kind) for n in operands)
        return apply(op, tuple(self._sub(n) for n in operands))

    def _is(self, node: Node) -> Expr:
        right = node.expression
        if isinstance(right, exp.Null):
            return _applied("is_null", (self._sub(node.this),))
        if isinstance(right, exp.Boolean):
            return apply("is_true" if right.this else "is_false", (self._sub(node.this),))
        raise unsupported(node)

    def _between(self, node: Node) -> Expr:
        nodes = (node.this, node.args["low"], node.args["high"])
        value, low, high = compared_times(nodes, self._sub) or tuple(map(self._sub, nodes))
        check_decimals("ge", (value, low, high))
        return apply("and", (_applied("ge", (value, low)), _applied("le", (value, high))))

    def _in(self, node: Node) -> Expr:
        if not node.expressions or node.args.get("query") is not None:
            raise QueryRefused(
                "IN needs a list of values",
                place=place_of(node),
                hint="Write one or more of them in parentheses, or join the public table.",
            )
        if isinstance(node.this, exp.Tuple):
            return among_rows(node, self._sub)
        times = compared_times((node.this, *node.expressions), self._sub)
        return self._apply("in", node.this, *node.expressions) if times is None else apply("in", times)

    def _like(self, node: Node) -> Expr:
        op = "like" if isinstance(node, exp.Like) else "ilike"
        return _negated(node, self._apply(op, node.this, node.expression))

    def _case(self, node: Node) -> Expr:
        operands: list[Expr] = []
        subject = self._sub(node.this) if node.args.get("this") is not None else None
        for branch in node.args["ifs"]:
            when = self._sub(branch.this)
            if subject is not None:
                check_decimals("eq", (subject, when))
                when = apply("eq", (subject, when))
            operands.append(when)
            operands.append(self._sub(branch.args["true"]))
        default = node.args.get("default")
        return _applied("case", (*operands, self._sub(default) if default is not None else NULL))

    def _if(self, node: Node) -> Expr:
        default = node.args.get("false")
        branches = (self._sub(node.this), self._sub(node.args["true"]))
        return _applied("case", (*branches, self._sub(default) if default is not None else NULL))

    def _cast(self, node: Node) -> Expr:
        to = CAST_TYPES.get(node.args["to"].this)
        if node.args["to"].this is exp.DataType.Type.DECIMAL:
            return cast_to_decimal(self._sub(node.this), node.args["to"].expressions)
        if to is None or node.args["to"].expressions:
            raise QueryRefused(
                f"a cast to {node.args['to'].sql(dialect='duckdb')} is not supported on private rows",
                place=place_of(node),
                hint="Use BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP; a TIME is only compared, and "
                "EXTRACT(hour FROM x) is a number.",
            )
        return cast_checked(self._sub(node.this), to)

    def _extract(self, node: Node) -> Expr:
        part, of = node.this.name.lower(), node.expression
        return self._part(part, of) or apply("extract", (Literal(part, SqlType.TEXT), self._sub(of)))

    def _part(self, part: str, of: Node) -> Expr | None:
        """A part of the time between two moments."""
        between = intervals.micros_of(self._sub(of))
        return intervals.part_of_elapsed(part, between) if between is not None else None

    def _date_trunc(self, node: Node) -> Expr:
        unit = node.args["unit"]
        if not isinstance(unit, exp.Var | exp.Literal | exp.WeekStart):
            raise unsupported(unit)
        return apply("date_trunc", (Literal(unit.name.lower(), SqlType.TEXT), self._sub(node.this)))

    def _date_diff(self, node: Node) -> Expr:
        unit = Literal(node.args["unit"].name.lower(), SqlType.TEXT)
        return apply("date_diff", (unit, self._sub(node.expression), self._sub(node.this)))

    def _date_add(self, node: Node) -> Expr:
        if not isinstance(node.expression, exp.Interval):
            raise unsupported(node)
        return self._apply("add" if isinstance(node, exp.DateAdd) else "sub", node.this, node.expression)

    def _log(self, node: Node) -> Expr:
        if node.args.get("expression") is None:
            return self._apply("log10", node.this)
        base = node.this
        if isinstance(base, exp.Literal) and base.this in ("2", "10"):
            return self._apply("log2" if base.this == "2" else "log10", node.expression)
        raise unsupported(node)

    def _trim(self, node: Node) -> Expr:
        position, characters = str(node.args.get("position") or "").upper(), node.args.get("expression")
        op = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(position, "trim")
        return self._apply(op, node.this, *([characters] if characters is not None else []))

    def _escape(self, node: Node) -> Expr:
        match = node.this
        op = "like_escape" if isinstance(match, exp.Like) else "ilike_escape"
        return _negated(match, self._apply(op, match.this, match.expression, node.expression))

    def _present(self, kind: SqlType) -> Expr:
        return Literal(self._now.date() if kind is SqlType.DATE else self._now, kind)

    def _named(self, node: Node) -> Expr:
        name = str(node.this).lower()
        if name in PRESENT and not node.expressions:
            return self._present(SqlType.DATE if name in ("today", "current_date") else SqlType.TIMESTAMP)
        if name == "time_bucket" and len(node.expressions) in (2, 3):
            return bucket_from(*(self._folded(n, self._sub(n)) for n in node.expressions))
        if name in ("date_part", "datepart") and len(node.expressions) == 2 and node.expressions[0].is_string:
            part = self._part(node.expressions[0].name.lower(), node.expressions[1])
            if part is not None:
                return part
        moved = zones_of(node)
        if moved is not None:
            zones = (Literal(zone, SqlType.TEXT) for zone in moved[1:])
            return apply("at_zone", (self._sub(moved[0]), *zones))
        if (taken := part_of(node)) is not None:
            return self._apply("split_element", *taken)
        function = by_spelling(name)
        if function is None:
            raise unsupported(node)
        return self._apply(function.name, *node.expressions)


# How each kind of node is bound; the others are operators.
_BUILDERS: Final = MappingProxyType[type[Node], Callable[..., Expr]](
    {
        exp.Paren: lambda b, n: b._sub(n.this),
        exp.Column: Binder._column,
        exp.Literal: lambda b, n: Literal(n.this, SqlType.TEXT) if n.is_string else number(n.this),
        exp.Boolean: lambda b, n: Literal(bool(n.this), SqlType.BOOLEAN),
        exp.Null: lambda b, n: NULL,
        exp.Placeholder: lambda b, n: parameter(n, b._params),
        exp.Interval: lambda b, n: Literal(duration(n), SqlType.INTERVAL),
        exp.And: Binder._connective,
        exp.Or: Binder._connective,
        exp.Is: Binder._is,
        exp.Between: Binder._between,
        exp.In: Binder._in,
        exp.Like: Binder._like,
        exp.Escape: Binder._escape,
        exp.ILike: Binder._like,
        exp.Case: Binder._case,
        exp.If: Binder._if,
        exp.Cast: Binder._cast,
        exp.TryCast: Binder._cast,
        exp.Extract: Binder._extract,
        exp.Date: lambda b, n: cast(b._sub(n.this), SqlType.DATE),
        exp.TimestampTrunc: Binder._date_trunc,
        exp.DateTrunc: Binder._date_trunc,
        exp.DateDiff: Binder._date_diff,
        exp.DateAdd: Binder._date_add,
        exp.DateSub: Binder._date_add,
        exp.Log: Binder._log,
        exp.Trim: Binder._trim,
        exp.Pad: lambda b, n: b._apply("lpad" if n.args.get("is_left") else "rpad", *arguments(n)),
        exp.Concat: lambda b, n: apply("concat", tuple(b._text(e) for e in n.expressions)),
        exp.ConcatWs: lambda b, n: apply("concat_ws", tuple(b._text(e) for e in n.expressions)),
        exp.CurrentDate: lambda b, n: b._present(SqlType.DATE),
        exp.CurrentTimestamp: lambda b, n: b._present(SqlType.TIMESTAMP),
        exp.Anonymous: Binder._named,
    }
)
