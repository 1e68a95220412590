"""The subqueries inside the expressions of one SELECT over private rows, as marks on its rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from itertools import islice

from sqlglot import exp

from dpsql.algebra.expressions import Expr, Literal
from dpsql.algebra.relations import Join, JoinKind, Mark, Relation, columns_from, read_around, reads
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.slotted import dataclass
from dpsql.sql.ast.traversal import every, shallow
from dpsql.sql.bind.scope import Scope
from dpsql.sql.dialect import Node
from dpsql.sql.validate.ungiven_values import ungiven_values

# A constant is written in a few nodes; of the functions that sqlglot knows by name alone these make one.
_MOST_NODES = 60
_COMPUTED = frozenset(
    {"date_part", "date_sub", "datesub", "epoch_ms", "make_date", "mod", "now", "today", "yearweek"}
)
_FOLDED = (SqlType.DATE, SqlType.TIMESTAMP, SqlType.TEXT, SqlType.BOOLEAN, SqlType.INTEGER)
# Makes the expression of a subquery that stands in a scope; a mark is added to the list where it needs one.
Subquery = Callable[[Node, Scope, list["Beside"]], Expr]


@dataclass(frozen=True, slots=True)
class Pending:
    """A mark that is yet to be put on the rows of its SELECT."""

    index: int
    inner: Relation
    on: tuple[Expr, ...]
    arg: Expr | None = None
    output: Expr | None = None

    @property
    def reads(self) -> frozenset[int]:
        """The indexes of what it reads beside its own rows."""
        more = (e for e in (self.arg, self.output) if e is not None)
        read = frozenset(i for e in (*self.on, *more) for i in reads(e)) | read_around(self.inner)
        return read - columns_from(self.inner)

    @property
    def adds(self) -> frozenset[int]:
        """The indexes of the columns that it puts beside the rows."""
        return frozenset({self.index})

    def on_rows(self, source: Relation) -> Mark:
        """The mark on the rows of a relation."""
        return Mark(source, self.index, self.inner, self.on, self.arg, self.output)


@dataclass(frozen=True, slots=True)
class Lookup:
    """Columns that are yet to stand beside the rows of a SELECT: of the one row for which `on` is true."""

    relation: Relation
    on: tuple[Expr, ...]

    @property
    def reads(self) -> frozenset[int]:
        """The indexes of what it reads beside its own rows."""
        read = frozenset(i for e in self.on for i in reads(e)) | read_around(self.relation)
        return read - columns_from(self.relation)

    @property
    def adds(self) -> frozenset[int]:
        """The indexes of the columns that it puts beside the rows."""
        return columns_from(self.relation)

    def on_rows(self, source: Relation) -> Join:
        """The rows of a relation, each with the row that it finds, or with NULLs."""
        return Join(source, self.relation, JoinKind.LEFT, self.on)


# What a subquery puts beside the rows of its SELECT.
Beside = Pending | Lookup


@dataclass(slots=True)
class Marks:
    """Marks in the order they were met; a subquery that stands twice in one scope is marked once."""

    subquery: Subquery
    pending: list[Beside] = field(default_factory=list)
    _bound: dict[str, Expr] = field(default_factory=dict)

    def expression(self, node: Node, scope: Scope) -> Expr:
        """The expression of EXISTS, IN over a subquery, or a scalar subquery."""
        text = node.sql(dialect="duckdb", comments=False)
        if text not in self._bound:
            self._bound[text] = self.subquery(node, scope, self.pending)
        return self._bound[text]

    def knows(self, node: Node) -> bool:
        """Whether every subquery of an expression has been met before, so that binding it again adds nothing."""
        inside = (n for n in shallow(node) if is_subquery(n))
        return all(n.sql(dialect="duckdb", comments=False) in self._bound for n in inside)

    def put_on(self, relation: Relation) -> Relation:
        """The relation with every mark on it that was met since the last time."""
        for pending in self.pending:
            relation = pending.on_rows(relation)
        self.pending.clear()
        return relation


def is_subquery(node: Node) -> bool:
    """Whether a node of an expression is a subquery, or tests one."""
    return isinstance(node, exp.Exists | exp.Subquery | exp.Select) or (
        isinstance(node, exp.In) and node.args.get("query") is not None
    )


def constant_of(node: Node, marks: Marks, scope: Scope) -> Literal | None:
    """The value of a small expression of constants alone, however it is computed: a public query has it.

    An infinite day, which it would give as the last one that Python has, is no value of private rows.
    """
    if not _is_constant(node):
        return None
    query = exp.Select(expressions=[node.copy()])
    ungiven = {kind for kind, _ in ungiven_values(every(query))}
    try:
        value = marks.expression(exp.Subquery(this=query), scope)
    except QueryRefused:
        return None
    if not isinstance(value, Literal) or value.type not in _FOLDED or value.type.value in ungiven:
        return None
    return value


def _is_constant(node: Node) -> bool:
    """Whether a small expression computes something from constants alone: no name, no aggregate, no subquery."""
    if not isinstance(node, exp.Func | exp.Binary | exp.Cast):
        return False
    inside = list(islice(node.walk(), _MOST_NODES + 1))
    return len(inside) <= _MOST_NODES and not any(map(_is_no_constant, inside))


def _is_no_constant(node: Node) -> bool:
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower() not in _COMPUTED
    return isinstance(node, exp.Column | exp.Star | exp.Query | exp.AggFunc | exp.CountIf | exp.Window)
