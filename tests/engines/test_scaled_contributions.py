"""Scaled sums without groups, by sizes that are kept, and of a unit that is NULL, as the mechanism has them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import closing
from fractions import Fraction

import duckdb
import numpy as np
import pytest

from dpsql.engines.sqlgen.clipping.contributions import (
    _by_root,
    histogram_sql,
    scaled_sql,
    size_sql,
    sized_sql,
)
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.clipping.clipping_noise import Noise, gaussian, laplace
from dpsql.mechanisms.clipping.scaling import scaled, scaled_by_root, sizes, squared_sizes
from dpsql.mechanisms.clipping.unit_bins import Bins, cell_limit, count_units, count_units_squared
from dpsql.plan.types import Bounding, Clipping, Family, Histogram, ScaledSums, Sum, Term
from dpsql.privacy import Neighbours

LAWS = {laplace: (count_units, sizes, scaled), gaussian: (count_units_squared, squared_sizes, scaled_by_root)}
TERMS = (Term(Sum.ROWS), Term(Sum.VALUES))
SHIFT = 8


def parts_of(law: Callable[..., Noise], cells: tuple[tuple[int, ...], ...]) -> tuple[Histogram, ScaledSums]:
    squared = 3 * len(cells) if law is gaussian else None
    clipping = Clipping(cell_limit(None, shift=SHIFT, squared_cells=squared), Bins(SHIFT, 62), 1, 3)
    noise = law(1, Neighbours.ADD_REMOVE)
    family = Family(TERMS, cells, 1, Fraction(1), "")
    return Histogram(Bounding(), TERMS, cells, clipping, noise), ScaledSums(
        Bounding(), family, clipping, noise
    )


@pytest.fixture(scope="module")
def units() -> Iterator[duckdb.DuckDBPyConnection]:
    """Rows u of 40 units in three groups, unit 0 being NULL; small ones, large ones, and beyond every limit."""
    draw = np.random.default_rng(5)
    with closing(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE u (n INTEGER, {UNIT} INTEGER, k0 INTEGER, g0 BIGINT, g1 BIGINT)")
        for n in range(40):
            largest = (3, 1000, 2**40, 2**62)[n % 4]
            drawn = draw.integers(-largest, largest + 1, size=(3, 2)).tolist()
            rows = [(n, n or None, k, *of) for k, of in enumerate(drawn)]
            connection.executemany("INSERT INTO u VALUES (?, ?, ?, ?, ?)", rows)
        yield connection


def vectors(units: duckdb.DuckDBPyConnection, part: ScaledSums, groups: int) -> np.ndarray:
    """The cells of each unit, clamped and multiplied."""
    rows = np.array(
        units.execute(f"SELECT g0, g1 FROM u WHERE k0 < {groups} ORDER BY n, k0").fetchall(), object
    )
    cells = np.clip(rows @ np.array(part.family.cells, object).T, -part.clipping.limit, part.clipping.limit)
    return cells.reshape(40, -1) * 2**SHIFT


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize(
    "cells", [((0, 1),), ((1, -1),), ((1, 0), (0, 1))], ids=["one", "two terms", "two cells"]
)
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("kept", [False, True], ids=["", "kept"])
def test_the_sql_is_the_mechanism(
    units: duckdb.DuckDBPyConnection,
    law: Callable[..., Noise],
    cells: tuple[tuple[int, ...], ...],
    groups: int,
    kept: bool,
) -> None:
    count, measured, reference = LAWS[law]
    histogram, sums = parts_of(law, cells)
    keys = int(groups > 1)
    names = ", ".join([UNIT, *["k0"] * keys, "g0", "g1"])
    grouped = f"SELECT {names} FROM u WHERE k0 < {groups}"
    sized = sized_sql(histogram, TERMS, keys, grouped)
    if kept:
        size = size_sql(histogram, TERMS)
        units.execute(
            f"CREATE OR REPLACE TABLE s AS SELECT {UNIT}, sum({size}) AS t0 FROM ({grouped}) GROUP BY 1"
        )
        sized = f"SELECT {UNIT}, t0 AS t FROM s"
    exact = vectors(units, sums, groups)
    counted = dict(units.execute(histogram_sql(histogram, sized)).fetchall())
    assert [counted.get(j, 0) for j in histogram.clipping.bins.powers] == count(
        measured(exact), bins=histogram.clipping.bins
    ).tolist()
    for threshold in (1 << SHIFT, 3 << SHIFT, 1 << 40, 1 << 62):
        sql = scaled_sql(sums, TERMS, keys, grouped, sized if kept else "")
        found = units.execute(sql + " ORDER BY ALL", {"threshold": threshold}).fetchall()
        wanted = reference(exact, tau=threshold).astype(object).sum(axis=0).reshape(groups, -1)
        assert [row[keys:] for row in found] == [tuple(map(int, row)) for row in wanted]


def test_what_units_are_divided_by_is_there_for_every_size(units: duckdb.DuckDBPyConnection) -> None:
    """An engine may compute it of units that are not above the threshold, too."""
    _, sums = parts_of(gaussian, ((0, 1),))
    sizes = [0, 1, 2, 3, 5, 2**40 + 1, 2 ** (126 - 2 * SHIFT)]
    rows = " UNION ALL ".join(f"SELECT {n} AS {UNIT}, {t}::HUGEINT AS t" for n, t in enumerate(sizes))
    root, condition = _by_root(sums, rows).split(" WHERE ")
    assert condition.startswith("q > ")
    for (_, d), t in zip(units.execute(f"{root} ORDER BY 1").fetchall(), sizes, strict=True):
        least = max(math.isqrt(max(t * 4**SHIFT - 1, 0)) + 1, 1)
        assert least <= d <= least + 1
