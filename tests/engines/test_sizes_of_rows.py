"""Where sizes of units are sums over rows, sums of all rows less what large units add are those of scaled vectors."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from unittest.mock import patch

import duckdb
import numpy as np
import pytest

from dpsql.audit.exact import by_key
from dpsql.audit.made_up_inputs import with_released_inputs
from dpsql.audit.sensitivity import opened
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.clipping import clipped_parts
from dpsql.engines.sqlgen.clipping.contributions import (
    ONLY_ABOVE,
    THRESHOLD,
    DrawnBefore,
    histogram_sql,
    reduced_sql,
    sums_of_rows,
    total_sql,
    with_drawn,
)
from dpsql.engines.sqlgen.engine_query import engine_queries
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.scaling import scaled, sizes
from dpsql.mechanisms.clipping.unit_bins import Bins, cell_limit, count_units
from dpsql.plan.types import (
    Bounding,
    Clipping,
    Family,
    Histogram,
    Part,
    Presence,
    Release,
    ScaledSums,
    Sum,
    Term,
)
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode, Policy
from dpsql.privacy import Neighbours
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.opened import clinic
from engines.prepared_clinic import prepared_clinic

TERMS = (Term(Sum.ROWS), Term(Sum.VALUES))
SHIFT, GROUPS, UNITS = 8, 3, 48


def _parts(cells: tuple[tuple[int, ...], ...]) -> tuple[Histogram, ScaledSums]:
    clipping = Clipping(cell_limit(None, shift=SHIFT), Bins(SHIFT, 62), 1, GROUPS)
    noise = laplace(1, Neighbours.ADD_REMOVE)
    family = Family(TERMS, cells, 1, Fraction(1), "")
    return Histogram(Bounding(), TERMS, cells, clipping, noise), ScaledSums(
        Bounding(), family, clipping, noise
    )


@pytest.mark.parametrize("cells", [((0, 1),), ((1, 0), (0, 3))], ids=["one cell", "two cells"])
def test_the_sql_is_the_mechanism(cells: tuple[tuple[int, ...], ...]) -> None:
    """Cells beyond every limit included: they are clamped before they are scaled, and nowhere else."""
    histogram, sums = _parts(cells)
    draw = np.random.default_rng(11)
    with closing(duckdb.connect()) as connection:
        connection.execute(f"CREATE TABLE u ({UNIT} INTEGER, k0 INTEGER, g0 BIGINT, g1 BIGINT)")
        values = np.zeros((UNITS, GROUPS, 2), object)
        for n in range(UNITS):
            largest = (3, 1000, 2**40, 2**62)[n % 4]
            values[n] = draw.integers(0, largest + 1, size=(GROUPS, 2)).tolist()
            if n % 12 == 3:
                values[n, 1:] = 0  # one cell alone, at the largest threshold or above it
                values[n, 0] = 2 ** (62 - SHIFT) + n // 12
            connection.executemany(
                "INSERT INTO u VALUES (?, ?, ?, ?)", [(n or None, k, *of) for k, of in enumerate(values[n])]
            )
        exact = values @ np.array(cells, object).T
        vectors = np.minimum(exact, sums.clipping.limit).reshape(UNITS, -1) * 2**SHIFT
        by_unit = f"SELECT {UNIT}, sum(g0) AS g0, sum(g1) AS g1 FROM u GROUP BY {UNIT}"
        sized = f"SELECT {UNIT}, {total_sql(histogram, TERMS)} AS t FROM ({by_unit})"
        counted = dict(connection.execute(histogram_sql(histogram, sized)).fetchall())
        wanted = count_units(sizes(vectors), bins=histogram.clipping.bins).tolist()
        assert [counted.get(j, 0) for j in histogram.clipping.bins.powers] == wanted
        totals = "SELECT k0, sum(g0) AS g0, sum(g1) AS g1 FROM u GROUP BY k0"
        above = f"SELECT * FROM u AS r {ONLY_ABOVE}"
        for threshold in (1 << SHIFT, 3 << SHIFT, 1 << 40, 1 << 61, 1 << 62):
            sql = reduced_sql(sums, TERMS, 1, sized, totals, above)
            found = connection.execute(f"{sql} ORDER BY ALL", {"threshold": threshold}).fetchall()
            after = scaled(vectors, tau=threshold).astype(object).sum(axis=0).reshape(GROUPS, -1)
            assert [row[1:] for row in found] == [tuple(map(int, row)) for row in after]


QUESTIONS = (
    "SELECT ward, COUNT(*), SUM(cost), AVG(cost) FROM visits WHERE cost < 300 GROUP BY ward",
    "SELECT UPPER(ward), COUNT(cost) FILTER (WHERE doctor > 2), VAR_POP(cost) FROM visits WHERE cost > 4 GROUP BY 1",
    "SELECT day > DATE '2025-03-01' AS late, ward, COUNT(*) FROM visits WHERE doctor > 1 GROUP BY ALL",
    "SELECT w.wing, COUNT(*), AVG(v.cost) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY 1",
    "SELECT ward, COUNT(*), SUM(nights) FROM visits v JOIN stays s ON v.patient = s.patient GROUP BY ward",
    "SELECT ward, COUNT(*) FROM visits WHERE cost > (SELECT AVG(cost) FROM visits) GROUP BY ward",
    "SELECT doctor, COUNT(*), AVG(cost) FROM visits WHERE cost < 400 GROUP BY doctor",
    "SELECT doctor, ward, COUNT(*) FROM visits WHERE cost < 400 GROUP BY doctor, ward",
    "SELECT ward FROM visits WHERE cost < 300 GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1",
)
OF_VECTORS = (
    "SELECT ward, SUM(cost - 250) FROM visits WHERE cost < 400 GROUP BY ward",
    "SELECT ward, COUNT(DISTINCT patient) FROM visits WHERE cost < 400 GROUP BY ward",
)
KEPT = {"doctor": (1, 3, None, 5), "ward": ("north", "south", None, "north")}


def _asked(release: Release, state: State, *, by_vectors: bool) -> tuple[EngineQuery, ...]:
    """The queries of a release, by either way."""
    policy, catalog = state.context.policy, state.context.catalog
    name, way = ("sums_of_rows", lambda parts: False) if by_vectors else ("_reads_again", lambda task: True)
    with patch.object(clipped_parts, name, way):
        return engine_queries(release, policy, catalog)


@pytest.mark.parametrize(
    ("relation", "again"),
    [
        ("visits", True),
        ("visits v JOIN stays s USING (patient)", False),
        ("visits JOIN wards USING (ward)", False),
    ],
)
def test_rows_are_read_again_where_that_is_quick(tmp_path: Path, relation: str, again: bool) -> None:
    with opened(clinic(tmp_path, "inline"), ClippingMode.PRIVATE) as state:
        ready = prepare(f"SELECT ward, COUNT(*) FROM {relation} WHERE cost < 300 GROUP BY ward", None, state)
    assert ("above AS" in ready.queries[-1][-1].sql) is again


@pytest.mark.one_in(12)
@pytest.mark.parametrize("question", [*QUESTIONS, *OF_VECTORS])
@pytest.mark.parametrize("source", ["files", "capped", "listed", "prepared"])
def test_both_ways_find_the_same_integers(tmp_path: Path, question: str, source: str) -> None:
    """With NULL and unlisted keys, joins, caps of the table, private groups and released values, from every source."""
    with opened(_policy(tmp_path, source), ClippingMode.PRIVATE) as state:
        ready = with_released_inputs(prepare(question, None, state), state.engine, state.public)
        release, inputs = ready.plan.releases[-1], ready.queries[-1][-1].values
        assert sums_of_rows([p for p in release.parts if isinstance(p, Histogram)]) is (question in QUESTIONS)
        ways = [_asked(release, state, by_vectors=v) for v in (False, True)]
        read = tuple((name, value) for name, value in inputs if not name.startswith(("kept", THRESHOLD)))
        for part, *queries in zip(release.parts, *ways, strict=True):
            for drawn in _draws(release, part):
                asked = (with_drawn(replace(q, values=read), drawn) for q in queries)
                found, by_vectors = (by_key(state.engine.run(q)) for q in asked)
                assert found == by_vectors and any(map(any, found.values()))


def test_squares_are_added_up_of_vectors(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", more="accountant: zcdp\n")
    with opened(policy, ClippingMode.PRIVATE) as state:
        counted = prepare("SELECT ward, COUNT(*) FROM visits WHERE cost < 300 GROUP BY ward", None, state)
    (histogram,) = (p for p in counted.plan.releases[-1].parts if isinstance(p, Histogram))
    assert histogram.squared and not sums_of_rows([histogram])


def _policy(folder: Path, source: str) -> Policy:
    if source == "prepared":
        return prepared_clinic(folder)
    policy = clinic(folder, "inline")
    if source == "files":
        return policy
    text, changed = policy.path.read_text(encoding="utf-8"), folder / "changed.yaml"
    if source == "capped":
        text = text.replace("key: patient\n", "key: patient\n    max_rows_per_unit: 4\n", 1)
    else:  # rows of other doctors are in no group
        text = text.replace("doctor: {type: integer}", "doctor: {type: integer, values: [1, 2, 3]}")
    changed.write_text(text, encoding="utf-8")
    return load_policy(changed)


def _draws(release: Release, part: Part) -> tuple[DrawnBefore, ...]:
    """What may have been drawn before a part."""
    if isinstance(part, Presence):
        return ()
    names = [str(getattr(key, "name", "")) for key in release.keys.exprs]
    kept = () if release.keys.domain is not None else tuple(KEPT[name] for name in names)
    thresholds = (None,) if isinstance(part, Histogram) else (1 << 8, 1 << 13, 1 << 22, 1 << 40)
    return tuple(DrawnBefore(threshold, kept) for threshold in thresholds)
