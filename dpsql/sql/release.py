"""One aggregating SELECT over private rows: the question it asks, and what is left of it on the released table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.expr import Call, Column, Expr
from dpsql.algebra.question import Measure, Question, Top
from dpsql.algebra.relation import reads
from dpsql.errors import QueryRefused
from dpsql.functions.table import Mistyped
from dpsql.sql.aggregates import is_aggregate, measure
from dpsql.sql.decimals import check_decimals
from dpsql.sql.dialect import Node
from dpsql.sql.literals import whole
from dpsql.sql.names import default_name
from dpsql.sql.place import place_of
from dpsql.sql.selects import OwnedRows
from dpsql.sql.top import top_groups
from dpsql.sql.walk import in_window, shallow

SCHEMA = "released"
# Operations that are NULL as soon as one argument is.
_STRICT = frozenset(
    {"add", "sub", "mul", "div", "intdiv", "mod", "neg", "abs", "cast", "round", "floor", "ceil"}
)


# Whether the best groups of a question are better selected than released with all others and sorted.
Selects = Callable[[Question], bool]


class ReleaseScope:
    """Takes the private parts out of a SELECT; `public` cuts a query found inside one of its expressions."""

    def __init__(
        self,
        node: exp.Select,
        rows: OwnedRows,
        public: Callable[[Node], None],
        selects: Selects,
    ) -> None:
        self._node = node
        self._joined = rows.joined
        self._binder = rows.binder
        self._marks = rows.marks
        self.relation = rows.joined.relation
        self._owner = rows.owner
        self._public = public
        self._selects = selects
        self._measures: list[Measure] = []
        self._known: dict[Measure, int] = {}
        self._table = ""
        self._check_stars()
        self._aliases = {i.alias.lower(): i.this.copy() for i in node.expressions if isinstance(i, exp.Alias)}
        self._measured = _measured(self._aliases)
        self._keys = self._group_keys()
        self._top: Top | None = None

    @property
    def keys(self) -> tuple[Expr, ...]:
        """What the SELECT groups by."""
        return self._keys

    def question(self) -> Question:
        """What is asked of the private rows; reads the whole SELECT without changing it."""
        self._check_keys()
        self._check_qualify()
        top = self._top_groups()
        if top is not None:
            self._top = top
            asked = self._asked()
            if self._selects(asked):
                return asked
            self._top = None
        return replace(self._asked(), sorted=top is not None)

    def _asked(self) -> Question:
        for part in self._parts():
            self._collect(part)
        self.relation = self._marks.put_on(self.relation)
        asked = Question(
            self.relation,
            self._keys,
            tuple(self._measures),
            self._top,
            bool(self._joined.outer_public),
            place_of(self._node),
        )
        if self._joined.outer_public:
            self._check_outer(asked)
        return renumbered(asked)

    def _top_groups(self) -> Top | None:
        if not self._keys:
            return None
        return top_groups(self._node, self._aliases, lambda call: measure(call, self._binder, self._owner))

    def rewrite(self, name: str) -> None:
        """Changes the SELECT in place to read the released table of that name."""
        self._table = name
        node = self._node
        outputs = [self._output(item) for item in node.expressions]
        clauses = ["having", "qualify", "order"]
        if self._top is not None and self._top.score not in self._known:
            self._order_as_chosen()
            clauses.remove("order")
        for clause in clauses:
            if node.args.get(clause) is not None:
                self._rewrite_children(node.args[clause], order=clause == "order")
        for window in node.args.get("windows") or []:
            self._rewrite_children(window)
        node.set("expressions", outputs)
        self._read_released(name)

    def _order_as_chosen(self) -> None:
        """The groups of a selection in the order of choice, which is their place in the released table."""
        place = exp.column("i", table=self._table, quoted=True)
        self._node.set("order", exp.Order(expressions=[exp.Ordered(this=place)]))
        self._node.set("limit", None)

    def _read_released(self, name: str) -> None:
        node, having = self._node, self._node.args.get("having")
        for clause in ("joins", "group", "having", "where"):
            node.set(clause, None)
        if having is not None:
            node.set("where", exp.Where(this=having.this))
        table = exp.Table(
            this=exp.to_identifier(name, quoted=True),
            db=exp.to_identifier(SCHEMA, quoted=True),
            alias=exp.TableAlias(this=exp.to_identifier(name, quoted=True)),
        )
        node.set("from_", exp.From(this=table))

    def _check_stars(self) -> None:
        for item in self._node.expressions:
            if isinstance(item, exp.Star) or (
                isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            ):
                raise QueryRefused(
                    "a star cannot stand in an aggregating SELECT over private rows",
                    place=place_of(item),
                    hint="Name the columns to group by.",
                )

    def _parts(self) -> list[Node]:
        if self._top is not None:
            return list(self._node.expressions)
        clauses = [self._node.args.get(c) for c in ("having", "qualify", "order")]
        return [
            *self._node.expressions,
            *(self._node.args.get("windows") or []),
            *(c for c in clauses if c is not None),
        ]

    def _group_keys(self) -> tuple[Expr, ...]:
        group = self._node.args.get("group")
        if group is None:
            distinct = self._node.args.get("distinct") is not None
            return self._distinct_keys() if distinct and not self._aggregates(self._node.expressions) else ()
        if group.args.get("all"):
            written = [i.unalias() for i in self._node.expressions if not self._aggregates([i])]
        else:
            written = [self._key_node(e) for e in group.expressions]
        return _unique(self._binder.bind(w) for w in written)

    def _distinct_keys(self) -> tuple[Expr, ...]:
        return _unique(self._binder.bind(i.unalias()) for i in self._node.expressions)

    def _key_node(self, node: Node) -> Node:
        if not (isinstance(node, exp.Literal) and not node.is_string):
            return node
        at = whole(node.this) or 0
        if not 1 <= at <= len(self._node.expressions):
            raise QueryRefused(
                f"GROUP BY {node.this[:40]} is not a position of the SELECT list",
                place=place_of(node),
                hint=f"Its positions are 1 to {len(self._node.expressions)}.",
            )
        item: Node = self._node.expressions[at - 1].unalias()
        if self._aggregates([item]):
            raise QueryRefused(
                "GROUP BY cannot name an aggregate",
                place=place_of(node),
                hint="Group by a column or an expression of columns.",
            )
        return item

    def _aggregates(self, items: list[Node]) -> bool:
        return any(is_aggregate(n) for item in items for n in shallow(item))

    def _check_keys(self) -> None:
        try:
            check_decimals("eq", self._keys)
        except Mistyped as problem:
            raise QueryRefused(str(problem), place=place_of(self._node)) from None

    def _check_qualify(self) -> None:
        qualify = self._node.args.get("qualify")
        if qualify is not None and not self._keys:
            raise QueryRefused(
                "QUALIFY needs groups: without GROUP BY there is always exactly one row",
                place=place_of(qualify),
                hint="Add GROUP BY, or leave QUALIFY out.",
            )

    def _is_key(self, node: Node) -> bool:
        return self._key_index(node) is not None

    def _key_index(self, node: Node) -> int | None:
        if not self._keys or isinstance(node, exp.Literal | exp.Null | exp.Boolean | exp.Star):
            return None
        if not self._marks.knows(node):
            return None
        if any(is_aggregate(n) or self._names_measure(n) for n in shallow(node)):
            return None  # found without binding, which would put every name in its place again
        try:
            bound = self._binder.bind(node)
        except QueryRefused:
            return None
        return self._keys.index(bound) if bound in self._keys else None

    def _names_measure(self, node: Node) -> bool:
        """Whether a column stands for a name of the SELECT list with an aggregate behind it."""
        name = node.name.lower() if isinstance(node, exp.Column) and not node.table else ""
        return name in self._measured and all(s.find(name) is None for s in self._joined.scope.sources)

    def _collect(self, node: Node) -> None:
        self._visit(node, order=False, replace=False)

    def _rewrite_children(self, node: Node, order: bool = False) -> None:
        for name, value in list(node.args.items()):
            if isinstance(value, list):
                node.set(name, [self._visit(v, order) if isinstance(v, Node) else v for v in value])
            elif isinstance(value, Node):
                node.set(name, self._visit(value, order))

    def _output(self, item: Node) -> Node:
        rewritten = self._visit(item.unalias())
        return exp.alias_(rewritten, exp.to_identifier(item.alias or default_name(item), quoted=True))

    def _visit(self, node: Node, order: bool = False, replace: bool = True) -> Node:
        """The node with its private parts replaced by released columns, or, without `replace`, only looked at."""
        if isinstance(node, exp.Query):
            if replace:
                self._public(node)
            return node
        if isinstance(node, exp.Ordered):
            return self._ordered(node, order, replace)
        at = self._key_index(node)
        if at is not None:
            return exp.column(f"k{at}", table=self._table, quoted=True)
        self._check_null_test(node)
        if self._is_measure(node):
            return exp.column(f"a{self._measure_index(node)}", table=self._table, quoted=True)
        if isinstance(node, exp.Column):
            return self._alias(node, order, replace)
        return self._inside(node, order, replace)

    def _check_null_test(self, node: Node) -> None:
        """A released sum over nothing is 0 with noise, so that asking whether it is NULL would be answered wrongly."""
        if not isinstance(node, exp.Is) or not isinstance(node.expression, exp.Null):
            return
        target = node.this.unnest()
        call = target.this if isinstance(target, exp.Filter) else target
        if isinstance(call, exp.Sum) and self._is_measure(target):
            raise QueryRefused(
                "a private SUM is never NULL: over no rows it is 0 with noise",
                place=place_of(node),
                hint="Compare a COUNT with a threshold instead.",
            )

    def _ordered(self, node: exp.Ordered, order: bool, replace: bool) -> Node:
        """ORDER BY prefers the names of the SELECT list to columns, as DuckDB does."""
        if (
            order
            and isinstance(node.this, exp.Column)
            and not node.this.table
            and node.this.name.lower() in self._aliases
        ):
            return node
        return self._inside(node, order, replace)

    def _is_measure(self, node: Node) -> bool:
        target = node.this if isinstance(node, exp.Filter) else node
        return is_aggregate(target) and not in_window(node)

    def _measure_index(self, node: Node) -> int:
        found = measure(node, self._binder, self._owner)
        at = self._known.setdefault(found, len(self._measures))
        if at == len(self._measures):
            self._measures.append(found)
        return at

    def _alias(self, node: exp.Column, order: bool, replace: bool) -> Node:
        """A column that is no key: a name of the SELECT list stands for its expression, anything else is refused."""
        written = self._aliases.get(node.name.lower()) if not node.table else None
        if written is not None and self._joined.scope.find(node) is None:
            del self._aliases[node.name.lower()]  # a name cannot stand for itself
            try:
                return exp.paren(self._visit(written.copy(), order, replace), copy=False)
            finally:
                self._aliases[node.name.lower()] = written
        if self._joined.scope.find(node) is None:
            raise self._joined.scope.unknown(node)
        raise QueryRefused(
            f'the column "{node.name}" is neither grouped nor aggregated',
            place=place_of(node),
            hint="Add it to GROUP BY, or aggregate it.",
        )

    def _inside(self, node: Node, order: bool, replace: bool) -> Node:
        if replace:
            self._rewrite_children(node, order)
        else:
            for value in node.args.values():
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, Node):
                        self._visit(child, order, replace)
        return node

    def _check_outer(self, asked: Question) -> None:
        """Rows of the public side without a match must contribute nothing: their private columns are all NULL."""
        private = self._joined.outer_public
        if not asked.keys or any(private & reads(k) for k in asked.keys):
            raise self._outer_refusal("group by columns of the public table")
        scores = () if asked.top is None else (asked.top.score,)
        for m in (*asked.measures, *scores):
            if m.arg is None or not _null_with(m.arg, private):
                raise self._outer_refusal("count or sum a column of the private table")

    def _outer_refusal(self, remedy: str) -> QueryRefused:
        return QueryRefused(
            "an outer join that keeps rows of the public table has rows without an owner",
            place=place_of(self._node),
            hint=f"Use JOIN, or {remedy}.",
        )


def _measured(aliases: Mapping[str, Node]) -> frozenset[str]:
    """The names of a SELECT list behind which an aggregate stands, maybe behind other names."""
    uses = {n: {c.name.lower() for c in shallow(e) if isinstance(c, exp.Column)} for n, e in aliases.items()}
    found = {n for n, e in aliases.items() if any(is_aggregate(x) for x in shallow(e))}
    waiting = list(found)
    while waiting:
        used = waiting.pop()
        more = {n for n, names in uses.items() if used in names and n not in found}
        found |= more
        waiting += more
    return frozenset(found)


def _null_with(expr: Expr, private: frozenset[int]) -> bool:
    """Whether the expression is NULL for certain once every column of these sources is."""
    if isinstance(expr, Column):
        return expr.scan in private
    return isinstance(expr, Call) and expr.op in _STRICT and any(_null_with(a, private) for a in expr.args)


def _unique(keys: Iterable[Expr]) -> tuple[Expr, ...]:
    return tuple(dict.fromkeys(keys))
