"""How many units have how large a number, as SQL, against the same in Python: also on what cannot be cast or added."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dpsql.algebra.catalog import Catalog
from dpsql.engines.open_engines import open_engines
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.engines.sqlgen.clipping.unit_histograms import unit_histogram_query
from dpsql.errors import InterfaceError
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS, count_by_root
from dpsql.plan.calibration import Size, UnitHistogram, unit_histograms
from dpsql.policy.load import load_policy

POLICY = """\
version: 1
privacy: {{unit: {unit}, neighbours: {neighbours}}}
tables:
  people:
    source: shop.duckdb
    unit_key: person
    one_row_per_unit: true
    columns:
      person: {{type: integer}}
      age: {{type: integer, lower: 0, upper: 120}}
  visits:
    source: shop.duckdb
    unit_key: person
    columns:
      person: {{type: integer, nullable: true}}
      t: {{type: float, lower: -5, upper: 5, step: 0.5, nullable: true}}
      n: {{type: integer, lower: 0, upper: 10, nullable: true}}
      coarse: {{type: integer, lower: 0, upper: 1000, step: 10, nullable: true}}
      free: {{type: float, lower: 0, upper: 1000, nullable: true}}
      secret: {{type: float, lower: 0, upper: 1, hidden: true, nullable: true}}
      kind: {{type: integer, values: [1, 2], nullable: true}}
      plain: {{type: float, nullable: true}}
budgets:
  dataset: {{epsilon: 10}}
  default: {{epsilon: 5}}
"""
Row = tuple[int | None, float | None, int | None]


class World:
    """The policy over a database that can be filled anew."""

    def __init__(
        self, folder: Path, rows: Sequence[Row] = (), people: Sequence[tuple[int, int]] = ()
    ) -> None:
        folder.mkdir()
        with duckdb.connect(str(folder / "shop.duckdb")) as db:
            db.execute("CREATE TABLE people (person BIGINT, age BIGINT)")
            db.execute(
                "CREATE TABLE visits (person BIGINT, t DOUBLE, n BIGINT, coarse BIGINT, free DOUBLE, secret DOUBLE, "
                "kind BIGINT, plain DOUBLE)"
            )
            for person in people:
                db.execute("INSERT INTO people VALUES (?, ?)", person)
            for person, t, n in rows:
                values = (person, t, n, n, t, t, n, t)
                db.execute("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        (folder / "policy.yaml").write_text(POLICY.format(unit="people.person", neighbours="add_remove"))
        self.policy = load_policy(folder / "policy.yaml")

    def counts(self, *names: str) -> dict[str, np.ndarray]:
        engines = open_engines(self.policy)
        try:
            tables = open_catalog(self.policy, engines.public)
            found = {}
            for histogram in unit_histograms(self.policy, tables, names):
                exact = engines.private.run(unit_histogram_query(histogram, tables))
                counts = np.zeros(ROOT_BINS, np.int64)
                for (k,), (count,) in zip(exact.keys, exact.values, strict=True):
                    counts[k] = count
                found[histogram.name] = counts
            return found
        finally:
            engines.close()


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[Path]:
    return (tmp_path / str(i) for i in range(10_000))


def steps(value: float | None, step: Fraction) -> int:
    """|value| in steps as the engine is to count it: NULL and NaN are nothing, and 2^62 steps are the most."""
    if value is None or math.isnan(value):
        return 0
    if math.isinf(value) or abs(value) >= 2**62 * step:
        return 2**62
    return min(math.floor(abs(value) / float(step) + 0.5), 2**62)


EDGES: tuple[Row, ...] = (
    (1, 0.5, 1), (1, -2.0, 3), (1, None, None), (2, math.nan, 0), (3, math.inf, 2**63 - 1), (3, -math.inf, -(2**63)),
    (4, 1e300, 2**62), (4, 1e300, 2**62), (5, -0.0, -7), (None, 3.0, 9), (6, 5e-324, 10), (7, 4.0, -(2**62)),
    (7, 1e18, 5), (8, 2.0**61, 2**31), (9, 1.75, 15), (9, -1.25, 25),
)  # fmt: skip


def test_edges_are_counted_as_in_python(folders: Iterator[Path]) -> None:
    found = World(next(folders), EDGES, [(1, 40), (2, 0), (3, 200)]).counts()
    by_unit: dict[int, list[Row]] = defaultdict(list)
    for row in EDGES:
        if row[0] is not None:
            by_unit[row[0]].append(row)

    def told(numbers: list[int]) -> list[int]:
        return list(count_by_root(np.array(numbers, dtype=object)))

    sized = {"t": (1, Fraction(1, 2)), "n": (2, Fraction(1)), "coarse": (2, Fraction(10))}
    assert list(found["visits.max_rows_per_unit"]) == told([len(rows) for rows in by_unit.values()])
    for name, (at, step) in sized.items():
        values = [[steps(row[at], step) for row in rows] for rows in by_unit.values()]
        if name == "coarse":  # an integer is moved into 2^62 before it is divided
            values = [[min(abs(row[2] or 0), 2**62) for row in rows] for rows in by_unit.values()]
            values = [[math.floor(v / 10.0 + 0.5) for v in of] for of in values]
        assert list(found[f"visits.{name}.upper"]) == told([max(of) for of in values]), name
        assert list(found[f"visits.{name}.unit_total"]) == told([sum(of) for of in values]), name
    assert list(found["people.age.upper"]) == told([40, 0, 200])


def test_what_is_looked_for(folders: Iterator[Path]) -> None:
    """No totals and no rows where a unit has one row, nothing of keys, lists, hidden columns and what has no bounds."""
    world = World(next(folders))
    numbers = [f"visits.{c}.{s}" for c in ("t", "n", "coarse", "free") for s in ("upper", "unit_total")]
    assert list(world.counts()) == ["people.age.upper", "visits.max_rows_per_unit", *numbers]
    assert list(world.counts("VISITS.t")) == ["visits.t.upper", "visits.t.unit_total"]
    assert list(world.counts("visits.max_rows_per_unit", "people")) == [
        "people.age.upper", "visits.max_rows_per_unit"
    ]  # fmt: skip
    with pytest.raises(InterfaceError, match=r"no limit visits\.tt; did you mean `visits\.t"):
        world.counts("visits.tt")


def neighbouring(values: Sequence[Row]) -> Iterator[tuple[list[Row], list[Row], int]]:
    """Worlds of two units with up to two rows, and those with one of them gone (1) or replaced (2)."""
    of_unit = [rows for n in (0, 1, 2) for rows in combinations_with_replacement(values, n)]
    other = [(2, *values[-1][1:])]
    for mine, instead in product(of_unit, of_unit):
        first, second = ([(1, *row[1:]) for row in rows] for rows in (mine, instead))
        yield [*first, *other], [*second, *other], 1 if not mine or not instead else 2


def test_neighbours_move_the_counts_by_what_is_claimed(folders: Iterator[Path]) -> None:
    """A unit is in one bin of each histogram: coming or going moves it by 1 in all, being replaced by 2."""
    values: list[Row] = [(1, 0.5, 10), (1, math.nan, None), (1, -6.0, 2**63 - 1)]
    known: dict[tuple[Row, ...], dict[str, np.ndarray]] = {}

    def counted(rows: list[Row]) -> dict[str, np.ndarray]:
        key = tuple(sorted(map(repr, rows)))
        if key not in known:
            known[key] = World(next(folders), rows).counts("visits")  # type: ignore[index]
        return known[key]  # type: ignore[index]

    reached = defaultdict(int)
    for one, other, most in neighbouring(values):
        before, after = counted(one), counted(other)
        for name, counts in before.items():
            moved = int(np.abs(counts - after[name]).sum())
            assert moved <= most, (name, one, other)
            reached[name, most] = max(reached[name, most], moved)
    assert len(reached) == 18 and all(moved == most for (_, most), moved in reached.items())


def test_rows_that_are_units_themselves(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as db:
        db.execute(
            "CREATE TABLE answers AS SELECT unnest(['1', '1', '-4', NULL, 'nan', '1000'])::DOUBLE AS x"
        )
    (tmp_path / "policy.yaml").write_text(
        "version: 1\nprivacy: {unit: answers.*}\ntables:\n  answers:\n    source: shop.duckdb\n    columns:\n"
        "      x: {type: float, lower: 0, upper: 9, step: 1, nullable: true}\n"
        "budgets: {dataset: {epsilon: 1}, default: {epsilon: 1}}\n"
    )
    policy = load_policy(tmp_path / "policy.yaml")
    engines = open_engines(policy)
    tables: Catalog = open_catalog(policy, engines.public)
    (histogram,) = unit_histograms(policy, tables)
    assert histogram == UnitHistogram("answers", Size.LARGEST, "x", Fraction(1), by_unit=False)
    exact = engines.private.run(unit_histogram_query(histogram, tables))
    engines.close()
    assert sorted((k, int(n)) for (k,), (n,) in zip(exact.keys, exact.values, strict=True)) == [
        (0, 2), (4, 1), (20, 1)
    ]  # fmt: skip
