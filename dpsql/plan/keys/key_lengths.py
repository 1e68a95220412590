"""How long a query makes the texts that it groups by: as many as there are groups have to fit into memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from dpsql.algebra.expressions import Expr
from dpsql.algebra.functions.text.strings import added
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Filter, Join, Mark, PerUnit, Relation, Released, Scan, Union, Windows
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused

MOST_ADDED = 1_000
"""The most bytes that constants of the query may add to a text that it groups by, or that it computes before."""


def check_lengths(question: Question) -> None:
    """Refuses keys that constants make long. Raises QueryRefused.

    With them an analyst would choose at how many groups the memory of the engine ends, which shows in a failure.
    """
    computed = (*question.keys, *_computed(question.relation))
    if any(added(e) > MOST_ADDED for e in computed if e.type is SqlType.TEXT):
        raise QueryRefused(
            f"the query adds more than {MOST_ADDED} bytes to a text that it groups by",
            place=question.place,
            hint="Group by the column, and join texts to it in a query around this one.",
        )


def _computed(relation: Relation) -> Iterator[Expr]:
    """The expressions behind columns that the relation makes of others."""
    match relation:
        case Filter(source=source) | Mark(source=source):
            yield from _computed(source)
        case Join(left=left, right=right):
            yield from _computed(left)
            yield from _computed(right)
        case PerUnit(source=source, keys=keys, measures=measures):
            yield from keys
            yield from (m.arg for m in measures if m.arg is not None)
            yield from _computed(source)
        case Windows(source=source):
            yield from relation.exprs
            yield from _computed(source)
        case Union(branches=branches):
            for branch in branches:
                yield from branch.outputs
                yield from _computed(branch.relation)
        case Scan() | Released():
            pass
        case _:
            assert_never(relation)
