"""Where the units that own most are asked alone, they tell what all units tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from dpsql.audit.exact import Found, Violated
from dpsql.engines.base import Engine, EngineQuery, Exact, Key
from dpsql.engines.sqlgen.clipping.contributions import THRESHOLD
from dpsql.plan.types import Histogram, Release
from dpsql.release.draw.thresholds import added_by_bins
from dpsql.release.prepared_query import PreparedQuery
from dpsql.slotted import dataclass

_OTHER = "the largest units tell something else than all units do"


def check_largest(ready: PreparedQuery, found: Found, engine: Engine) -> int:
    """How many queries were asked of them, too.

    Raises Violated where bins of a histogram, or sums for a threshold that they suffice for, are others.
    """
    every = zip(ready.plan.releases, ready.queries, found, strict=True)
    return sum(_checked(release, queries, exact, engine) for release, queries, exact in every)


def _checked(release: Release, queries: Sequence[EngineQuery], found: Sequence[Exact], engine: Engine) -> int:
    asked_of = 0
    of_bins = _Bins(None, None)
    for part, query, exact in zip(release.parts, queries, found, strict=True):
        if query.of_largest is None:
            continue
        asked_of += 1
        asked = engine.run(replace(query.of_largest, values=query.values, of_many=False))
        if isinstance(part, Histogram):
            of_bins = _Bins(part, asked)
            counted = {key: numbers[:1] for key, numbers in _some(asked).items() if numbers[0]}
            if counted != {key: v for key, v in _some(exact).items() if int(str(key[0])) >= of_bins.first}:
                raise Violated(_OTHER)
            continue
        threshold = int(str(dict(query.values)[THRESHOLD]))
        if not of_bins.suffice(threshold):
            continue
        if _some(asked) != _some(exact) or of_bins.differ(threshold, query, exact, engine):
            raise Violated(_OTHER)
    return asked_of


@dataclass(frozen=True, slots=True)
class _Bins:
    """A histogram of the largest units, and what was found for it."""

    part: Histogram | None
    found: Exact | None

    @property
    def first(self) -> float:
        """The least bin that it has."""
        keys = self.found.keys if self.found is not None else ()
        return min((int(str(key[0])) for key in keys), default=inf)

    def suffice(self, threshold: int) -> bool:
        """Whether all units that may be above the threshold are in its bins."""
        return self.first < inf and threshold >= 1 << max(int(self.first) - 1, 0)

    def differ(self, threshold: int, query: EngineQuery, exact: Exact, engine: Engine) -> bool:
        """Whether the sums of its bins make another sum than units do."""
        asked = query.of_largest.unscaled if query.of_largest is not None else None
        if asked is None or self.part is None or self.found is None:
            return False
        if (added := added_by_bins(self.part, self.found, threshold)) is None:
            return False
        read = tuple((name, value) for name, value in query.values if name != THRESHOLD)
        ((every,),) = engine.run(replace(asked, values=read, of_many=False)).values
        ((of_units,),) = exact.values
        return (int(every) << self.part.clipping.shift) + added != int(of_units)


def _some(exact: Exact) -> dict[Key, tuple[int, ...]]:
    """The integers of each group that has any."""
    rows = zip(exact.keys, exact.values, strict=True)
    return {key: numbers for key, row in rows if any(numbers := tuple(int(v) for v in row))}
