"""What the engine found, before anything is drawn from it: every key is one that a complete domain lists.

Rows whose key is no group are left out by the SQL itself, so that no data makes this fail: only an engine that computes
with other values than were proven does. Such a key is never dropped in silence, which would hide what one row can do to
a whole group.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Protocol, assert_never

from dpsql.algebra.expressions import Expr, LiteralValue, columns_of
from dpsql.algebra.relations import Relation, Scan, sources
from dpsql.engines.base import Exact
from dpsql.engines.sqlgen.clipping.contributions import DrawnBefore
from dpsql.errors import InternalError
from dpsql.plan.choices.bins import starts
from dpsql.plan.types import (
    Histogram,
    Key,
    Local,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
)

NOTHING_DRAWN = DrawnBefore()


class Run(Protocol):
    """Runs the engine query of a part, with what it reads of the parts before it."""

    def __call__(self, part: Part, drawn: DrawnBefore = NOTHING_DRAWN) -> Exact:
        """What the engine finds."""


def checked_result(release: Release, part: Part, run: Run, drawn: DrawnBefore = NOTHING_DRAWN) -> Exact:
    """What the engine finds for a part, checked. Raises InternalError, see `check_complete`."""
    exact = run(part, drawn) if drawn != NOTHING_DRAWN else run(part)
    check_complete(release, part, exact)
    return exact


def check_complete(release: Release, part: Part, exact: Exact) -> None:
    """No key twice, and none outside of a complete list.

    Raises InternalError that names the column and no value, for the admin's log.
    """
    given = frozenset(exact.keys)
    if len(given) < len(exact.keys):
        raise InternalError("the engine gave a group twice; this is a bug in dpsql")
    if isinstance(part, Histogram):
        if not {key[0] for key in given} <= {*part.clipping.bins.powers}:
            raise InternalError(
                "the engine gave a bin that the histogram does not have; this is a bug in dpsql"
            )
        return
    if release.keys.domain is not None and not isinstance(part, Local):
        groups = {key[:-1] for key in given} if isinstance(part, Ranks | Modes) else given
        strange = groups.difference(release.keys.domain)
        if strange:
            raise _outside(release, _place(min(strange, key=repr), release.keys.domain))
    for at, expr, values in _counted(release, part):
        if not {key[at] for key in given} <= frozenset(values):
            raise _outside(release, expr)


def _counted(release: Release, part: Part) -> Iterator[tuple[int, Expr, Collection[LiteralValue]]]:
    """The places of keys with a list of their own: of what is counted beside groups, and of responses."""
    if isinstance(part, Ranks):
        yield -1, part.bins.grid.arg, starts(part.bins)[:-1].tolist()
    elif isinstance(part, Modes):
        yield -1, part.arg, part.values
    elif isinstance(part, Local):
        for i, column in enumerate(part.columns):
            yield i, release.keys.exprs[i], column.values
    elif not isinstance(part, Sums | ScaledSums | ScaledScores | Presence | Scores | Histogram):
        assert_never(part)


def _place(key: Key, domain: tuple[Key, ...]) -> int | None:
    """The first place at which no group has the key's value; None where only the combination is no group."""
    return next((i for i, v in enumerate(key) if all(v != group[i] for group in domain)), None)


def _outside(release: Release, at: int | Expr | None) -> InternalError:
    every = release.keys.exprs
    exprs = every if at is None else (every[at],) if isinstance(at, int) else (at,)
    names = sorted({_name(release.question.relation, c.scan, c.name) for e in exprs for c in columns_of(e)})
    return InternalError(
        f"the engine gave a value of {', '.join(names) or 'a key'} that its list of all values does not hold; "
        "this is a bug in dpsql"
    )


def _name(relation: Relation, index: int, column: str) -> str:
    table = next((s.table for s in sources(relation) if isinstance(s, Scan) and s.index == index), None)
    return f"{table}.{column}" if table is not None else column
