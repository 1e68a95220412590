"""How far noise carries what is made of several released rows: the public query replayed on other possible results.

A column that is a weighted sum of released counts and sums is as sure as that sum of noises: the weights come from
running the public query with one released number at a time as 1, and all others as 0. For any other column new noise is
subtracted from the released cells, as for a formula of one row (`intervals.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import cast

import numpy as np

from dpsql.algebra.formula import Floats
from dpsql.engines.base import FinishFailed, ReleasedTable, Row
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.types import Blended, Key, Linear, Release
from dpsql.release.draw.noise import Noisy
from dpsql.release.estimate.measures import released_columns, released_rows
from dpsql.release.estimate.rollup import added_up, level_rows, rolled_up
from dpsql.release.types import Interval95
from dpsql.release.uncertainty.intervals import functional_of, half_width, middle, noise_of, width_of
from dpsql.slotted import dataclass
from dpsql.sql.public.noise_dependence import Depends
from dpsql.sql.public.replay_query import DRAW, DRAWS, ReplayQuery
from dpsql.sql.public.rollup_levels import Level

_DRAWS = 400
_FEWEST_DRAWS = 100
_MOST_ROWS, _MOST_VALUES = 400_000, 4_000_000
_Ends = tuple[Interval95 | None, ...]
# A released number: the places of its release, its group, and its measure.
_One = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Replay:
    """What a public query is replayed on: the releases that it reads, their levels, public tables; `run` runs it."""

    query: ReplayQuery
    run: Callable[[str, Iterable[ReleasedTable]], Sequence[Row]]
    releases: tuple[Release, ...]
    levels: tuple[Level, ...] = ()
    public: tuple[ReleasedTable, ...] = ()

    def values(self, tables: Sequence[ReleasedTable], draws: int) -> dict[Row, Floats]:
        """The rows of the answer under each draw (draws x columns), by what tells them apart; NaN for no number.

        Rows that nothing tells apart are left out. Empty where it cannot be run.
        """
        numbers = ReleasedTable(DRAWS, ((DRAW, "BIGINT"),), [(n,) for n in range(draws)])
        try:
            rows = self.run(self.query.sql, (numbers, *tables, *self.public))
        except FinishFailed:
            return {}
        by_key: dict[Row, Floats] = {}
        seen: set[tuple[object, Row]] = set()
        alike: set[Row] = set()
        for draw, *row in rows:
            key = self.key_of(row)
            if (draw, key) in seen:
                alike.add(key)
            seen.add((draw, key))
            values = by_key.setdefault(key, np.full((draws, len(row)), np.nan))
            values[cast(int, draw)] = [_number(v) for v in row]
        return {key: values for key, values in by_key.items() if key not in alike}

    def key_of(self, row: Sequence[object]) -> Row:
        """What tells a row from others: the values of its columns without noise."""
        return tuple(_plain(row[i]) for i in self.query.keys)


def _plain(value: object) -> object:
    """The value, with tuples for lists: these tell no rows apart."""
    return tuple(map(_plain, value)) if isinstance(value, list) else value


def _number(value: object) -> float:
    number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    return float(cast(float, value)) if number else np.nan


def replayed_intervals(
    replay: Replay, released: Sequence[Noisy], rows: Sequence[Row], sampler: Sampler
) -> tuple[_Ends, ...]:
    """The intervals of the columns that noise enters, for each row of an answer; None where there is none."""
    kinds = replay.query.columns
    noisy = {i for i, d in enumerate(kinds) if d in (Depends.LINEAR, Depends.NOISY)}
    if not noisy:
        return ((None,) * len(kinds),) * len(rows)
    sure = widths(replay, [n.keys for n in released])
    exact_widths = {key: {i: w for i, w in row.items() if w is not None} for key, row in sure.items()}
    complete = all(noisy <= exact_widths.get(replay.key_of(row), {}).keys() for row in rows)
    drawn = {} if complete else _drawn(replay, released, sampler)

    def cell(row: Row, i: int) -> Interval95 | None:
        value, key = _number(row[i]), replay.key_of(row)
        if i not in noisy or np.isnan(value):
            return None
        width = exact_widths.get(key, {}).get(i)
        if width is not None:
            return Interval95(value - width, value + width)
        return middle(drawn[key][:, i], least=_FEWEST_DRAWS // 2) if key in drawn else None

    once = _once([replay.key_of(row) for row in rows])
    return tuple(
        tuple(cell(row, i) if replay.key_of(row) in once else None for i in range(len(kinds))) for row in rows
    )


def _once(keys: Sequence[Row]) -> set[Row]:
    seen, twice = set[Row](), set[Row]()
    for key in keys:
        (twice if key in seen else seen).add(key)
    return seen - twice


def _drawn(replay: Replay, released: Sequence[Noisy], sampler: Sampler) -> dict[Row, Floats]:
    """The rows that the answer could have had."""
    groups = max(1, sum(len(n.keys) for n in released))
    draws = min(_DRAWS, _most_rows(replay) // groups)
    if draws < _FEWEST_DRAWS or not _are_apart(replay.releases):
        return {}
    possible = [_possible(r, n, draws, sampler) for r, n in zip(replay.releases, released, strict=True)]
    tables = [
        _table(f"r{at}", release, _rows(release, noisy, draws))
        for at, (release, noisy) in enumerate(zip(replay.releases, possible, strict=True))
    ]
    tables += [
        _level(level, replay.releases[level.release], possible[level.release], draws)
        for level in replay.levels
    ]
    return replay.values(tables, draws)


def _possible(release: Release, noisy: Noisy, draws: int, sampler: Sampler) -> Noisy:
    """Cells that could have been true, draw by draw: each group has noise of its own."""
    rows = draws * len(noisy.keys)
    noise = noise_of(release, rows, sampler).reshape(draws, *noisy.cells.shape)
    return Noisy(noisy.keys * draws, (noisy.cells[None, :, :] - noise).reshape(rows, noisy.cells.shape[1]))


def _rows(release: Release, noisy: Noisy, draws: int) -> list[Row]:
    groups = len(noisy.keys) // draws
    rows = released_rows(release, noisy)
    return [(n // groups, n % groups, *row[1:]) for n, row in enumerate(rows)]


def _level(level: Level, release: Release, noisy: Noisy, draws: int) -> ReleasedTable:
    """The table of a level under each draw."""
    coarser, groups = rolled_up(release, level.kept), len(noisy.keys) // draws
    rows: list[Row] = []
    for draw in range(draws):
        mine = slice(draw * groups, (draw + 1) * groups)
        of_draw = Noisy(noisy.keys[mine], noisy.cells[mine])
        total = added_up(of_draw, level.kept)
        shown = level_rows(coarser, level.kept, total, released_rows(release, of_draw))
        rows += [(draw, *row) for row in shown]
    return _table(level.name, coarser, rows)


def _table(name: str, release: Release, rows: list[Row]) -> ReleasedTable:
    return ReleasedTable(name, ((DRAW, "BIGINT"), *released_columns(release)), rows)


def widths(replay: Replay, groups: Sequence[tuple[Key, ...]]) -> Mapping[Row, Mapping[int, float | None]]:
    """The half widths of the columns that are weighted sums, for each row that the columns without noise tell apart.

    `groups` are those of each release. None for a value that is no number; empty where there are too many numbers, or
    where noise is shared among groups.
    """
    linear = [i for i, d in enumerate(replay.query.columns) if d is Depends.LINEAR]
    if not linear or not _are_apart(replay.releases):
        return {}
    ones = [
        (r, g, m)
        for r, release in enumerate(replay.releases)
        for m, e in enumerate(release.estimators)
        if half_width(e, release) is not None
        for g in range(len(groups[r]))
    ]
    draws = 1 + len(ones)
    if draws * max(1, sum(map(len, groups))) > _most_rows(replay):
        return {}
    tables = [_probe(r, release, groups[r], ones) for r, release in enumerate(replay.releases)]
    values = replay.values(tables, draws)
    return {key: {i: _width(replay, drawn[:, i], ones) for i in linear} for key, drawn in values.items()}


def _most_rows(replay: Replay) -> int:
    """How many rows are tried at most: what they take depends on how many columns they have, too."""
    columns = max(1, *(len(released_columns(r)) for r in replay.releases))
    return min(_MOST_ROWS, _MOST_VALUES // columns)


def _are_apart(releases: Sequence[Release]) -> bool:
    """Whether each group of each release has noise of its own, and none that is another release's."""
    return not any(isinstance(f, Blended) for r in releases for f in r.families)


def _probe(at: int, release: Release, groups: tuple[Key, ...], ones: list[_One]) -> ReleasedTable:
    """A release that is 0 in draw 0, and in each other draw 1 at one place."""
    zero = [None if half_width(e, release) is None else 0 for e in release.estimators]
    rows: list[Row] = []
    for draw, one in enumerate([None, *ones]):
        for g, key in enumerate(groups):
            values = list(zero)
            if one is not None and one[:2] == (at, g):
                values[one[2]] = 1
            rows.append((draw, g, *key, *values))
    return _table(f"r{at}", release, rows)


def _width(replay: Replay, values: Floats, ones: list[_One]) -> float | None:
    """The half width of a value that is so much under each draw of a probe."""
    weights = values[1:] - values[0]
    if np.isnan(weights).any():
        return None
    counted = [(ones[i], Fraction(float(weights[i]))) for i in np.flatnonzero(weights)]
    if len(counted) == 1:
        (((r, _, m), weight),) = counted
        alone = half_width(replay.releases[r].estimators[m], replay.releases[r])
        return abs(float(weight)) * alone if alone is not None else None
    of_group: dict[tuple[int, int], list[tuple[Fraction, Linear]]] = {}
    for (r, g, m), weight in counted:
        of_group.setdefault((r, g), []).append((weight, functional_of(replay.releases[r].estimators[m])))
    return width_of([(replay.releases[r], parts) for (r, _), parts in of_group.items()])
