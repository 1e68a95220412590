"""Which parts of the policy's partition a release can tell of: those whose units can have a row that it reads.

Every row of a relation belongs to one unit, and a unit is in one part. Where a condition that all rows pass lets
through some values of the partition's column alone, so it is for the units of the rows. A condition is taken for what
it says of each value, by running it on all of them; one that reads anything else is taken to let everything through.
Where nothing is known, the release tells of every part.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import assert_never

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr, Literal, LiteralValue, columns_of, parameters_of
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import emit, fact_rule
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.ownership import unmatched
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Union,
    Windows,
    marks,
    sources,
)
from dpsql.algebra.shape import table_of
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.types import Release
from dpsql.privacy import Confined, Neighbours
from dpsql.slotted import dataclass

Values = frozenset[LiteralValue]
"""Parts by their values; None is the part of NULL and of every value that is not listed."""


def confined_to(release: Release, context: PlanContext) -> Confined | None:
    """The parts outside of which no unit moves the release; None for every part.

    *Guarantees*: with all rows of a unit of another part, or without them, the engine's integers for each group of the
    release are the same. *Because* rows are read unit by unit, whatever caps choose among them, and that unit has none
    that passes; groups outside of a public domain are not released. A unit without any row that has the column is in
    the part of None: it has none of the rows on which a condition could have found a value.

    Where units are replaced, one of two parts is all that may be claimed: two would count a unit twice that moves from
    one to the other.
    """
    column = context.catalog.partition
    if column is None or not release.parts or isinstance(release.question, LocalQuestion):
        return None
    every = frozenset((*(column.values or ()), None))
    parts = Parts(context, every).of(release)
    touched = 1 if context.policy.privacy.neighbours is Neighbours.ADD_REMOVE else 2
    if not parts or parts == every or (touched == 2 and len(parts) > 1):
        return None
    return Confined(tuple(sorted(map(part_name, parts))), touched)


def part_name(value: LiteralValue) -> str:
    """The part of a value, as the ledger calls it: the value as JSON."""
    return json.dumps(value.isoformat() if isinstance(value, date) else value)


def part_text(part: str) -> str | None:
    """The value of a part for people; None for the part of what is NULL or not listed."""
    value = json.loads(part)
    return None if value is None else value if isinstance(value, str) else part


def every_part(catalog: Catalog) -> tuple[str, ...]:
    """The parts of the policy's partition, in the order of its list; none where there is no partition."""
    column = catalog.partition
    return () if column is None else tuple(map(part_name, (*(column.values or ()), None)))


@dataclass(frozen=True, slots=True)
class Parts:
    """Finds the parts of relations, among `every`."""

    context: PlanContext
    every: Values

    def of(self, release: Release) -> Values:
        """The parts whose units a release can tell of."""
        relation, domain = release.question.relation, release.keys.domain
        parts = self.of_rows(relation)
        if domain is None:
            return parts
        columns = attribute_columns(relation, self.context)
        for at, key in enumerate(release.keys.exprs):
            if isinstance(key, Column) and key in columns:
                parts &= self._parts_with(frozenset(group[at] for group in domain), columns[key])
        return parts

    def of_rows(self, relation: Relation) -> Values:
        """The parts of the units that can own rows of a relation."""
        match relation:
            case Filter():
                return self.of_rows(relation.source) & self._passing(relation.conjuncts, relation.source)
            case Join(kind=JoinKind.INNER):
                both = self.of_rows(relation.left) & self.of_rows(relation.right)
                return both & self._passing(relation.on, relation)
            case Join():  # a row of its left side is there whether it is matched or not
                return self.of_rows(relation.left)
            case Mark() | PerUnit() | Windows():
                return self.of_rows(relation.source)
            case Union():
                return frozenset().union(*(self.of_rows(b.relation) for b in relation.branches))
            case Scan() | Released():
                return self.every
            case _:
                assert_never(relation)

    def _passing(self, conjuncts: tuple[Expr, ...], relation: Relation) -> Values:
        """The parts of the units that can own rows of a relation that pass all of these."""
        parts, columns = self.every, attribute_columns(relation, self.context)
        by_mark = {m.column: m for m in marks(relation)}
        for conjunct in conjuncts:
            if isinstance(conjunct, Column) and conjunct in by_mark:
                parts &= self._marked(by_mark[conjunct])
                continue
            read = columns_of(conjunct)
            if len(read) == 1 and not parameters_of(conjunct) and read <= columns.keys():
                (column,) = read
                parts &= self._parts_with(self._values(conjunct, column), columns[column])
        return parts

    def _marked(self, mark: Mark) -> Values:
        """A row that is marked has a row of its own unit inside; public rows inside tell nothing."""
        return self.of_rows(mark.inner) & self._passing(mark.on, mark.inner)

    def _parts_with(self, values: Values, optional: bool) -> Values:
        """What a column's values say of a row's unit: nothing where they may be the NULL of a row without a match."""
        return self.every if (optional and None in values) or not values <= self.every else values

    def _values(self, predicate: Expr, column: Column) -> Values:
        """The values of a column for which a condition on it alone is true."""
        listed = sorted(self.every, key=repr)
        info = self.context.catalog.partition
        assert info is not None
        facts = Facts({column: info.fact.or_null()}, fact_rule)
        values = ", ".join(literal(Literal(v, column.type)) for v in listed)
        numbers = ", ".join(str(i) for i in range(len(listed)))
        condition = emit(predicate, facts, lambda _: "x")
        rows = self.context.evaluate(
            f"SELECT i FROM (SELECT unnest([{numbers}]) AS i, unnest([{values}]) AS x) WHERE {condition}"
        )
        return frozenset(listed[int(str(i))] for (i,) in rows)


def attribute_columns(relation: Relation, context: PlanContext) -> Mapping[Column, bool]:
    """The columns of a relation's rows that hold their unit's part; whether each is NULL in rows without a match."""
    outer = frozenset(unmatched(relation))
    held = {}
    for source in sources(relation):
        for column, optional in _of_source(source, context):
            held[column] = optional or source.index in outer
    return held


def _of_source(source: Source, context: PlanContext) -> Iterator[tuple[Column, bool]]:
    match source:
        case Scan():
            info = table_of(source, context.catalog)
            for c in info.columns:
                if c.partition and not info.public:
                    yield Column(source.index, c.name, c.type), False
        case PerUnit():
            inside = attribute_columns(source.source, context)
            yield from ((source.key(i), inside[k]) for i, k in _held(source.keys, inside))
        case Windows():
            inside = attribute_columns(source.source, context)
            yield from ((source.column(i), inside[e]) for i, e in _held(source.outputs, inside))
        case Union():
            of = [attribute_columns(b.relation, context) for b in source.branches]
            for i, outputs in enumerate(zip(*(b.outputs for b in source.branches), strict=True)):
                held = [
                    columns.get(e) if isinstance(e, Column) else None
                    for columns, e in zip(of, outputs, strict=True)
                ]
                if None not in held:
                    yield source.column(i), any(held)
        case Released():
            return
        case _:
            assert_never(source)


def _held(exprs: tuple[Expr, ...], inside: Mapping[Column, bool]) -> Iterator[tuple[int, Column]]:
    return ((i, e) for i, e in enumerate(exprs) if isinstance(e, Column) and e in inside)
