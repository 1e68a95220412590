"""How many rows joins make of one: beyond reason, the answer would be noise, and the work without end.

Work without end is more than a waste. Where rows of one unit meet each other, that unit alone decides whether the
engine finishes, so that the failure of a query would say that it is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Filter, Join, Mark, PerUnit, Relation, Released, Scan, Union, Windows
from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused

MOST_MATCHES = 100_000
"""The most rows that one row may be joined with."""
TAKEN = 300
"""The rows of a unit in a table that nothing limits: three such tables may meet, and no four."""


def check_matches(question: Question, catalog: Catalog) -> None:
    """Refuses joins, at any depth, that can match one row with more than MOST_MATCHES. Raises QueryRefused."""
    for relation in (r for r in _roots(question.relation) if _joins(r)):
        matches = shape(relation, catalog).fan_out
        if matches is not None and matches > MOST_MATCHES:
            raise QueryRefused(
                f"the joins can match one private row with {matches} rows, more than {MOST_MATCHES}",
                place=question.place,
                hint="Join on a key of the other table.",
            )
        multiplied = shape(relation, _taken(catalog)).fan_out if matches is None else matches
        if multiplied is not None and multiplied > MOST_MATCHES:
            raise QueryRefused(
                "the joins can match one private row with any number of rows of its unit, several times over",
                place=question.place,
                hint="Join on a key of the other table, or aggregate each table by the unit first; max_rows_per_unit "
                "of a table in the policy limits its rows before they are joined.",
            )


def _taken(catalog: Catalog) -> Catalog:
    """The catalog if no unit had more than TAKEN rows of a table."""
    tables = {
        name: info if info.public or info.rows_per_unit is not None else replace(info, rows_per_unit=TAKEN)
        for name, info in catalog.tables.items()
    }
    return replace(catalog, tables=tables)


def _roots(relation: Relation) -> Iterator[Relation]:
    """The relation, and those inside whose rows are read under another name or only asked for."""
    yield relation
    stack = [relation]
    while stack:
        inside = stack.pop()
        match inside:
            case Filter(source=source):
                stack.append(source)
            case Join(left=left, right=right):
                stack += [left, right]
            case Mark(source=source, inner=inner):
                stack.append(source)
                yield from _roots(inner)
            case PerUnit(source=source) | Windows(source=source):
                yield from _roots(source)
            case Union(branches=branches):
                for branch in branches:
                    yield from _roots(branch.relation)
            case Scan() | Released():
                pass
            case _:
                assert_never(inside)


def _joins(relation: Relation) -> bool:
    """Whether rows of the relation are joined, before any of its sources."""
    match relation:
        case Join():
            return True
        case Filter(source=source) | Mark(source=source):
            return _joins(source)
        case Scan() | PerUnit() | Windows() | Union() | Released():
            return False
        case _:
            assert_never(relation)
