"""What the releases of a query are called in notes: by what is measured and by which keys, as the analyst wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from dpsql.algebra.relations import Scan, sources
from dpsql.plan.types import Release
from dpsql.release.estimate.rollup import level_name
from dpsql.release.explain.mechanisms import name_of

_MOST_NAMED = 6
_LONGEST_NAME = 60


def release_names(releases: Sequence[Release]) -> tuple[str, ...]:
    """A name for each release; where two would have the same, the place of their SELECT or their number tells them."""
    plain = [_name(r) for r in releases]
    seen = Counter(plain)
    return tuple(
        f"{name} ({_where(r, i)})" if seen[name] > 1 else name
        for i, (r, name) in enumerate(zip(releases, plain, strict=True), 1)
    )


def _name(release: Release) -> str:
    if release.local is not None:
        tables = [s.table for s in sources(release.question.relation) if isinstance(s, Scan)]
        return f"each row of {listed(tables)}"
    return f"{listed(name_of(e) for e in release.estimators) or 'groups'} {level_name(release)}"


def _where(release: Release, number: int) -> str:
    place = release.question.place
    return f"number {number}" if place is None else f"number {number}, of the SELECT at {place}"


def listed(names: Iterable[str]) -> str:
    """Each name once, long ones cut, and not too many of them."""
    different = list(dict.fromkeys(" ".join(name.split()) for name in names))
    shown = [
        n if len(n) <= _LONGEST_NAME else f"{n[: _LONGEST_NAME - 3]}..." for n in different[:_MOST_NAMED]
    ]
    more = len(different) - len(shown)
    return ", ".join([*shown, f"{more} more"] if more else shown)
