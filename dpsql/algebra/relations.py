"""Relations of private rows, frozen: scans, filters, joins, marks, per-unit work, unions, released tables.

Projections leave no node: the binder replaces a derived table's columns by the expressions behind them, so that two
spellings of one relation are one value. Every node that gives columns of its own has an `index` that tells it apart.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import field
from typing import assert_never

from dpsql.algebra.encoding.written_expressions import in_order
from dpsql.algebra.expressions import TRUE, Call, Column, Expr, Literal, LiteralValue, ScalarParameter
from dpsql.algebra.of_unit import PerUnitMeasure, Window
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

MARK = "mark"


class JoinKind(enum.StrEnum):
    """How unmatched rows of the left side are kept."""

    INNER = "inner"
    LEFT = "left"


@dataclass(frozen=True, slots=True)
class Scan:
    """All rows of a table of the policy; `index` tells the scans of one relation apart."""

    table: str
    index: int


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows for which every conjunct is true; the conjuncts stand in a canonical order."""

    source: Relation
    conjuncts: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Join:
    """Pairs of rows for which every conjunct of `on` is true; private sides must belong to the same unit."""

    left: Relation
    right: Relation
    kind: JoinKind
    on: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """The rows of `source` with one BOOLEAN column more: whether `inner` has a row for which `on` is true.

    With `arg`, what SQL's `arg IN (SELECT output FROM inner WHERE on)` says, NULL included. `on` may read the
    columns of both sides. The column is `Column(index, MARK, BOOLEAN)`.
    """

    source: Relation
    index: int
    inner: Relation
    on: tuple[Expr, ...]
    arg: Expr | None = None
    output: Expr | None = None

    @property
    def column(self) -> Column:
        """The column that the mark adds."""
        return Column(self.index, MARK, SqlType.BOOLEAN)


@dataclass(frozen=True, slots=True)
class PerUnit:
    """One row for each unit and each combination of `keys` among its rows.

    Its columns are `key(i)` and `measure(i)`.
    """

    source: Relation
    index: int
    keys: tuple[Expr, ...]
    measures: tuple[PerUnitMeasure, ...]

    def key(self, at: int) -> Column:
        """The column of a key."""
        return Column(self.index, f"k{at}", self.keys[at].type)

    def measure(self, at: int) -> Column:
        """The column of a measure."""
        return Column(self.index, f"a{at}", self.measures[at].type)


@dataclass(frozen=True, slots=True)
class Windows:
    """The rows of `source`, each with values that depend on the other rows of its unit.

    Its columns are `column(i)`, as `outputs[i]` gives them, and `window(i)`. Rows of one unit that an order leaves
    equal are ordered by all of `outputs`: those that are equal there can be exchanged.
    """

    source: Relation
    index: int
    outputs: tuple[Expr, ...]
    windows: tuple[Window, ...]

    def column(self, at: int) -> Column:
        """A column of the source's rows."""
        return Column(self.index, f"c{at}", self.outputs[at].type)

    def window(self, at: int) -> Column:
        """The column of a window."""
        return Column(self.index, f"w{at}", self.windows[at].value.type)

    @property
    def numbers(self) -> tuple[Column, ...]:
        """The columns that number all rows of a unit, each row with another number."""
        found = enumerate(self.windows)
        return tuple(self.window(i) for i, w in found if w.numbers)

    @property
    def exprs(self) -> tuple[Expr, ...]:
        """Every expression that is computed of a row of the source."""
        return (*self.outputs, *(e for w in self.windows for e in w.exprs))


@dataclass(frozen=True, slots=True)
class Branch:
    """One side of a union: a relation and the expressions that stand for its columns."""

    relation: Relation
    outputs: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Union:
    """All rows of every branch; its columns are `column(i)`, of the same types in every branch."""

    index: int
    branches: tuple[Branch, ...]

    @property
    def columns(self) -> tuple[Column, ...]:
        """Every column, from left to right."""
        return tuple(self.column(i) for i in range(len(self.branches[0].outputs)))

    def column(self, at: int) -> Column:
        """The column at a place of the SELECT list."""
        return Column(self.index, f"c{at}", self.branches[0].outputs[at].type)


@dataclass(frozen=True, slots=True)
class ReleasedColumn:
    """A column of a released table: a value that is read is clamped to `interval`, or is NULL."""

    name: str
    type: SqlType
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Released:
    """The rows of a public query over what the earlier releases `reads` gave: public values beside private rows.

    No two rows that are read have the same values of the columns at the places `unique`; of no columns, there is one
    row at most. None says that nothing is known of how often values occur. At most `rows` are read, where it is known:
    the query reads public tables alone. `held` are the values of those rows, column by column, as they were when the
    query was planned: one that leaves a choice among equals, such as LIMIT 1, may give others whenever it runs.
    """

    index: int
    sql: str
    reads: tuple[int, ...]
    columns: tuple[ReleasedColumn, ...]
    unique: tuple[int, ...] | None
    rows: int | None = None
    held: tuple[tuple[LiteralValue, ...], ...] | None = field(default=None, repr=False, compare=False)

    def column(self, at: int) -> Column:
        """The column at a place of the SELECT list."""
        return Column(self.index, f"c{at}", self.columns[at].type)

    @property
    def key(self) -> frozenset[str] | None:
        """The names of the columns that tell its rows apart."""
        return None if self.unique is None else frozenset(f"c{at}" for at in self.unique)


Relation = Scan | Filter | Join | Mark | PerUnit | Windows | Union | Released
# Relations whose rows are read as they stand, under a name of their own.
Source = Scan | PerUnit | Windows | Union | Released


def sources(relation: Relation) -> Iterator[Source]:
    """The sources whose columns the rows of the relation have, from left to right."""
    if isinstance(relation, Source):
        yield relation
    elif isinstance(relation, Filter | Mark):
        yield from sources(relation.source)
    else:
        yield from sources(relation.left)
        yield from sources(relation.right)


def marks(relation: Relation) -> Iterator[Mark]:
    """The marks whose columns the rows of the relation have, inner ones first."""
    if isinstance(relation, Filter):
        yield from marks(relation.source)
    elif isinstance(relation, Mark):
        yield from marks(relation.source)
        yield relation
    elif isinstance(relation, Join):
        yield from marks(relation.left)
        yield from marks(relation.right)
    elif not isinstance(relation, Source):
        assert_never(relation)


def columns_from(relation: Relation) -> frozenset[int]:
    """The indexes of the sources and marks whose columns the rows of the relation have."""
    return frozenset({s.index for s in sources(relation)} | {m.index for m in marks(relation)})


def read_around(relation: Relation) -> frozenset[int]:
    """The indexes of what the relation's conditions read, at any depth, and neither it nor its marks' rows have."""
    match relation:
        case Filter():
            return read_around(relation.source) | _left_over(relation.conjuncts, relation.source)
        case Join():
            both = read_around(relation.left) | read_around(relation.right)
            return (both | frozenset(i for c in relation.on for i in reads(c))) - columns_from(relation)
        case Mark():
            more = (e for e in (relation.arg, relation.output) if e is not None)
            inner = read_around(relation.inner) | _left_over((*relation.on, *more), relation.inner)
            return read_around(relation.source) | (inner - columns_from(relation.source))
        case PerUnit():
            values = (e for m in relation.measures for e in (m.arg, m.where) if e is not None)
            return read_around(relation.source) | _left_over((*relation.keys, *values), relation.source)
        case Windows():
            return read_around(relation.source) | _left_over(relation.exprs, relation.source)
        case Union():
            by_branch = (
                read_around(b.relation) | _left_over(b.outputs, b.relation) for b in relation.branches
            )
            return frozenset().union(*by_branch)
        case Scan() | Released():
            return frozenset()
        case _:
            assert_never(relation)


def _left_over(exprs: tuple[Expr, ...], relation: Relation) -> frozenset[int]:
    return frozenset(i for e in exprs for i in reads(e)) - columns_from(relation)


def every_scan(relation: Relation) -> Iterator[Scan]:
    """Every table that is read anywhere in the relation."""
    return (leaf for leaf in _leaves(relation) if isinstance(leaf, Scan))


def every_released(relation: Relation) -> Iterator[Released]:
    """Every released table that is read anywhere in the relation."""
    return (leaf for leaf in _leaves(relation) if isinstance(leaf, Released))


def _leaves(relation: Relation) -> Iterator[Scan | Released]:
    match relation:
        case Scan() | Released():
            yield relation
        case Filter():
            yield from _leaves(relation.source)
        case Join():
            yield from _leaves(relation.left)
            yield from _leaves(relation.right)
        case Mark():
            yield from _leaves(relation.source)
            yield from _leaves(relation.inner)
        case PerUnit() | Windows():
            yield from _leaves(relation.source)
        case Union():
            for branch in relation.branches:
                yield from _leaves(branch.relation)
        case _:
            assert_never(relation)


# An OR of more branches is taken as it is.
_MOST_BRANCHES = 32


def conjuncts(predicate: Expr) -> tuple[Expr, ...]:
    """The predicate as a conjunction, in a canonical order, without repetition and without TRUE.

    What stands in every branch of an OR stands beside it as well: where the OR is true, so is that.
    """
    parts: list[Expr] = []
    stack = [predicate]
    while stack:
        node = stack.pop()
        if isinstance(node, Call) and node.op == "and":
            stack.extend(node.args)
        elif node != TRUE:
            parts.append(node)
            stack.extend(_in_every_branch(node))
    return in_order(parts)


def _in_every_branch(predicate: Expr) -> list[Expr]:
    """The conjuncts that all branches of an OR have in common."""
    if not isinstance(predicate, Call) or predicate.op != "or" or len(predicate.args) > _MOST_BRANCHES:
        return []
    first, *others = (conjuncts(branch) for branch in predicate.args)
    known = [{_unordered(c) for c in other} for other in others]
    return [c for c in first if all(_unordered(c) in other for other in known)]


def _unordered(predicate: Expr) -> object:
    """What tells predicates apart: not the order of the sides of an equality."""
    if isinstance(predicate, Call) and predicate.op == "eq":
        return frozenset(predicate.args)
    return predicate


def together(*groups: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Several conjunctions as one, in a canonical order and without repetition."""
    return in_order([c for group in groups for c in group])


def passed(relation: Relation, *, joins: bool) -> tuple[Expr, ...]:
    """The conjuncts that every row of the relation passes: of its filters and inner joins, not below outer joins.

    Without `joins` only those of filters: rows that a join does not match may belong to the result as well.
    """
    if isinstance(relation, Source):
        return ()
    if isinstance(relation, Filter):
        return relation.conjuncts + passed(relation.source, joins=joins)
    if isinstance(relation, Mark):
        return passed(relation.source, joins=joins)
    left = passed(relation.left, joins=joins)
    if relation.kind is JoinKind.LEFT:
        return left
    return (relation.on if joins else ()) + left + passed(relation.right, joins=joins)


def has_outer(relation: Relation) -> bool:
    """Whether some of the relation's own rows may lack a part, which an outer join has not matched."""
    if isinstance(relation, Filter | Mark):
        return has_outer(relation.source)
    if isinstance(relation, Source):
        return False
    return relation.kind is not JoinKind.INNER or has_outer(relation.left) or has_outer(relation.right)


def equalities(predicates: tuple[Expr, ...]) -> Iterator[tuple[Expr, Expr]]:
    """Both sides of each conjunct that is an equality."""
    for p in predicates:
        if isinstance(p, Call) and p.op == "eq":
            yield p.args[0], p.args[1]


def reads(expr: Expr) -> frozenset[int]:
    """The indexes of the sources whose columns the expression reads."""
    numbers: set[int] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Column):
            numbers.add(node.scan)
        elif isinstance(node, Call):
            stack.extend(node.args)
        elif not isinstance(node, Literal | ScalarParameter):
            assert_never(node)
    return frozenset(numbers)
