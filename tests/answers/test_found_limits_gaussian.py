"""Limits that are found for a query under Gaussian noise: sizes in L2, one rho for all of it, and what breaks that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from answers.engines import database, shared_engines
from answers.noiseless import Noiseless
from answers.test_found_limits import DATA, FILTERED, POLICY, parts
from dpsql.algebra.expressions import Column
from dpsql.engines.sqlgen.clipping.contributions import histogram_sql, scaled_sql, sized_sql
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.errors import InternalError
from dpsql.mechanisms.clipping.clipping_noise import Noise, gaussian, histogram_noise, laplace
from dpsql.mechanisms.clipping.scaling import root_above, scaled_by_root, squared_sizes
from dpsql.mechanisms.clipping.unit_bins import Bins, cell_limit, count_units_squared
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.types import Bounding, Clipping, Family, Histogram, Plan, ScaledSums, Sum, Term
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost, Event, Mechanism, Neighbours
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

LAWS = ", mechanisms: [discrete_gaussian, discrete_laplace], max_rows_per_unit: 500"
SEVERAL = (
    "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean, SUM(change) AS changed, COUNT(DISTINCT person) AS people "
    "FROM visits WHERE day <= 30 GROUP BY ward ORDER BY ward"
)
RELATIONS = ("add_remove", "substitute")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.duckdb").write_bytes(database(DATA))
    return tmp_path


def opened(
    folder: Path,
    accountant: str = "zcdp",
    neighbours: str = "add_remove",
    sampler: Sampler | None = None,
    laws: str = LAWS,
) -> Session:
    text = POLICY.format(privacy=f"{laws}, neighbours: {neighbours}")
    text = text.replace("accountant: pure", f"accountant: {accountant}")
    text = text.replace("epsilon: 1000}, default", "epsilon: 1000, delta: 1e-6}, default")
    (folder / "policy.yaml").write_text(text.replace("1000, per", "1000, delta: 1e-6, per"), encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    return build_session(
        policy,
        "alice",
        folder / "l.ledger",
        (None, None),
        sampler or ExactSampler(),
        clipping="private",
        resources=shared_engines,
    )


class Recorder(Noiseless):
    """Remembers sigma**2 of the noise that it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.variances: list[Fraction] = []

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: object, rho: object
    ) -> np.ndarray:
        self.variances.append(Fraction(squared_sensitivity) / (2 * Fraction(rho)))  # type: ignore[arg-type]
        return values


@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
@pytest.mark.parametrize("neighbours", RELATIONS)
def test_a_release_has_one_rho_for_its_limit_and_its_sums(
    folder: Path, accountant: str, neighbours: str
) -> None:
    sampler = Recorder()
    with closing(opened(folder, accountant, neighbours, sampler)) as session:
        answer = session.answer(FILTERED)
        (charge,) = prepare(FILTERED, None, session._state).charges
    first, second = Fraction(1, 50), Fraction(12, 25)
    apart = 1 if neighbours == "add_remove" else 2
    assert answer.rows == ((6000,),)
    # Everybody has three visits, which are 768 units of 2^-8: the next power of two is 1024.
    assert sampler.variances == [apart / (2 * first), apart * Fraction(1024) ** 2 / (2 * second)]
    assert charge is not None
    assert charge.events == (Event(Mechanism.DISCRETE_GAUSSIAN, 1, Cost(Fraction(1)), Fraction(1)),)


@pytest.mark.parametrize("neighbours", RELATIONS)
def test_several_families_divide_the_rho_and_signed_sums_move_twice_as_far(
    folder: Path, neighbours: str
) -> None:
    sampler = Recorder()
    with closing(opened(folder, neighbours=neighbours, sampler=sampler)) as session:
        found = parts(session, SEVERAL)
        rows = session.answer(SEVERAL).rows
        (charge,) = prepare(SEVERAL, None, session._state).charges
    assert charge is not None and len(charge.events) == 1 and charge.events[0].variance == 1
    assert sum(p.noise.budget for p in found if isinstance(p, Histogram | ScaledSums)) == Fraction(1, 2)
    sums = [p for p in found if isinstance(p, ScaledSums)]
    signed = [p for p in sums if not p.noise.nonnegative]  # sums of 2x - lo - hi
    assert len(sums) == 4 and [_column(p) for p in signed] == ["cost", "change"]
    for part in sums:
        times = 1 if neighbours == "add_remove" else 4 if part in signed else 2
        assert part.at(7).variance == Fraction(times * 49) / (2 * part.noise.budget)
    assert len(sampler.variances) == 2 * len(sums)
    assert [r[1:] for r in rows] == [
        (4000, pytest.approx(11), -16000, 2000),
        (2000, pytest.approx(11), -8000, 2000),
    ]


def _column(part: ScaledSums) -> str:
    return next(t.arg.name for t in part.family.terms if isinstance(t.arg, Column))


def test_laplace_noise_is_taken_where_it_costs_less_or_nothing_else_is_allowed(folder: Path) -> None:
    with closing(opened(folder, laws=", max_rows_per_unit: 500, mechanisms: [discrete_laplace]")) as session:
        (charge,) = prepare(FILTERED, None, session._state).charges
    assert charge is not None and [e.mechanism for e in charge.events] == [Mechanism.DISCRETE_LAPLACE] * 2
    with closing(opened(folder, laws=", max_rows_per_unit: 500, mechanisms: [discrete_gaussian]")) as session:
        (charge,) = prepare(FILTERED, None, session._state).charges
    assert charge is not None and [e.mechanism for e in charge.events] == [Mechanism.DISCRETE_GAUSSIAN]


def test_a_stored_answer_has_its_limit_and_its_interval(folder: Path) -> None:
    with closing(opened(folder)) as session:
        first, (column,) = session.answer(FILTERED), session.explain(FILTERED).columns
    with closing(opened(folder)) as session:
        again = session.answer(FILTERED)
    assert again.rows == first.rows and again.released.epsilon == 0
    assert again.released.intervals == first.released.intervals and again.released.bias == first.released.bias
    assert "mostly far less" in column.note


BROKEN = {
    "the sums have half the variance": lambda h, s: (
        h,
        replace(s, noise=gaussian(s.noise.budget * 2, s.noise.neighbours)),
    ),
    "the histogram is not paid for": lambda h, s: (
        replace(h, asked=Cost(Fraction(2))),
        s,
    ),
    "the histogram has a larger rho": lambda h, s: (
        replace(h, noise=histogram_noise(2 * h.noise.budget, s.noise)),
        s,
    ),
    "the histogram has Laplace noise": lambda h, s: (
        replace(h, noise=laplace(Fraction(1, 5), Neighbours.ADD_REMOVE), asked=None),
        s,
    ),
    "neighbours are others": lambda h, s: (
        h,
        replace(s, noise=gaussian(s.noise.budget, Neighbours.SUBSTITUTE)),
    ),
    "the family has a rho of its own": lambda h, s: (
        h,
        replace(s, family=replace(s.family, epsilon=Fraction(2))),
    ),
    "the family is Laplace's": lambda h, s: (
        h,
        replace(s, family=replace(s.family, mechanism=Mechanism.DISCRETE_LAPLACE, variance=None)),
    ),
    "squares can overflow": lambda h, s: _clamped(h, s, 2**54),
    "the sums come without their histogram": lambda h, s: (s,),
    "the sums come before their histogram": lambda h, s: (s, h),
    "two sums stand behind one histogram": lambda h, s: (h, s, s),
    "the histogram is of no sums": lambda h, s: (h,),
}


def _clamped(h: Histogram, s: ScaledSums, limit: int) -> tuple[Histogram, ScaledSums]:
    """62 bits for a cell of which there are hundreds."""
    wide = replace(h.clipping, limit=limit)
    cells = h.cells * 300
    return (
        replace(h, clipping=wide, cells=cells),
        replace(s, clipping=wide, family=replace(s.family, cells=cells)),
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_plan_that_is_not_what_it_is_charged_as_is_caught(folder: Path, broken: str) -> None:
    with closing(opened(folder)) as session:
        ready = prepare(FILTERED, None, session._state)
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        assert check_cost(ready.plan, Cost(Fraction(1)), context) == Cost(Fraction(1))
        (release,) = ready.plan.releases
        wrong = replace(release, parts=BROKEN[broken](*release.parts))
        with pytest.raises(InternalError):
            check_cost(replace(ready.plan, releases=(wrong,)), Cost(Fraction(1)), context)


def test_signed_cells_that_pass_for_counts_are_caught(folder: Path) -> None:
    """Of a replaced unit two vectors may stand in opposite directions."""
    with closing(opened(folder, neighbours="substitute")) as session:
        plan = prepare("SELECT SUM(change) FROM visits WHERE day <= 30", None, session._state).plan
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        check_cost(plan, Cost(Fraction(1)), context)
        with pytest.raises(InternalError):
            check_cost(_as_counts(plan), Cost(Fraction(1)), context)


def _as_counts(plan: Plan) -> Plan:
    (release,) = plan.releases
    histogram, sums = release.parts
    assert isinstance(sums, ScaledSums) and not sums.noise.nonnegative
    counted = replace(sums, noise=replace(sums.noise, nonnegative=True))
    wrong = (histogram, replace(counted, family=counted.at(1)))
    return replace(plan, releases=(replace(release, parts=wrong),))


def vectors() -> Iterator[tuple[np.ndarray, int]]:
    """Vectors of 60 units over three groups and two cells, and the shift; small ones, at the limit, and beyond."""
    draw = np.random.default_rng(11)
    for largest, shift in ((3, 8), (10**6, 10), (2**49, 10), (2**58, 10)):
        yield draw.integers(-largest, largest + 1, size=(60, 3, 2)), shift
    yield np.full((2, 3, 2), 2**62), 8


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("of_units", "shift"), [*vectors()], ids=["small", "usual", "at the limit", "beyond", "the largest"]
)
def test_the_sql_is_the_mechanism(of_units: np.ndarray, shift: int) -> None:
    """Bins and sums scaled by a root, as the reference has them, for every threshold; and each unit alone."""
    terms, cells, units = (Term(Sum.ROWS), Term(Sum.VALUES)), ((1, 0), (0, 1)), len(of_units)
    clipping = Clipping(cell_limit(None, shift=shift, squared_cells=6), Bins(shift, 62), 1, 3)
    noise = gaussian(1, Neighbours.ADD_REMOVE)
    histogram = Histogram(Bounding(), terms, cells, clipping, noise)
    sums = ScaledSums(Bounding(), Family(terms, cells, 1, Fraction(1), ""), clipping, noise)
    clamped = np.clip(of_units.reshape(units, 6), -clipping.limit, clipping.limit)
    exact = clamped.astype(object) * 2**shift
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE v ({UNIT} BIGINT, k0 BIGINT, g0 BIGINT, g1 BIGINT)")
        rows = [(u, k, int(a), int(b)) for u, of in enumerate(of_units) for k, (a, b) in enumerate(of)]
        connection.executemany("INSERT INTO v VALUES (?, ?, ?, ?)", rows)
        grouped = f"SELECT {UNIT}, k0, g0, g1 FROM v"
        sized = sized_sql(histogram, terms, 1, grouped)
        counted = dict(connection.execute(histogram_sql(histogram, sized)).fetchall())
        wanted = count_units_squared(squared_sizes(exact), bins=clipping.bins)
        assert [counted.get(j, 0) for j in clipping.bins.powers] == wanted.tolist()
        for threshold in (1 << shift, 3 << shift, 1 << 40, 1 << 61, 1 << 62):
            sql = f"{scaled_sql(sums, terms, 1, grouped)} ORDER BY k0"
            found = connection.execute(sql, {"threshold": threshold}).fetchall()
            total = scaled_by_root(exact, tau=threshold).astype(object).sum(axis=0).reshape(3, 2)
            assert [row[1:] for row in found] == [tuple(map(int, row)) for row in total]
        alone = f"{scaled_sql(sums, terms, 1, f'{grouped} WHERE {UNIT} = $unit')} ORDER BY k0"
        for unit in range(min(units, 20)):
            found = connection.execute(alone, {"threshold": 5 << shift, "unit": unit}).fetchall()
            assert sum(int(c) ** 2 for row in found for c in row[1:]) <= (5 << shift) ** 2


def test_a_root_in_sql_is_never_below_the_norm() -> None:
    """Around squares, where a double's root is off, and at the largest sums of squares."""
    near = [(x, d) for x in (2**31, 2**53 + 1, 2**60 - 3, 3 * 2**59) for d in (-2, -1, 0, 1, 2)]
    terms, cells = (Term(Sum.ROWS), Term(Sum.VALUES)), ((1, 0), (0, 1))
    clipping = Clipping(2**62, Bins(0, 62), 1, 1)
    noise = gaussian(1, Neighbours.ADD_REMOVE)
    sums = ScaledSums(Bounding(), Family(terms, cells, 1, Fraction(1), ""), clipping, noise)
    with duckdb.connect() as connection:
        for x, d in near:
            grouped = f"SELECT 1 AS {UNIT}, {x}::HUGEINT AS g0, {x + d}::HUGEINT AS g1"
            tau = 2**30 - 1
            ((a, b),) = connection.execute(scaled_sql(sums, terms, 0, grouped), {"threshold": tau}).fetchall()
            root = root_above(x**2 + (x + d) ** 2)
            assert (a, b) == (x * tau // root, (x + d) * tau // root)
            assert a**2 + b**2 <= tau**2


def test_there_is_room_for_the_squares_of_all_groups(folder: Path) -> None:
    with closing(opened(folder)) as session:
        sql = "SELECT ward, VAR_SAMP(cost) FROM visits WHERE day <= 30 GROUP BY ward"
        (sums,) = (p for p in parts(session, sql) if isinstance(p, ScaledSums))
    cells = len(sums.family.cells) * sums.clipping.groups
    assert cells == 6 and sums.clipping.limit << sums.clipping.shift == 2**61


@pytest.mark.parametrize("law", [gaussian, laplace])
@pytest.mark.parametrize("settings", ["PRAGMA disable_optimizer", "SET threads = 1"])
def test_units_of_size_0_are_divided_by_nothing(law: Callable[..., Noise], settings: str) -> None:
    """An engine may compute the scaled value of units that keep theirs."""
    terms, cells, noise = (Term(Sum.ROWS),), ((1,),), law(1, Neighbours.ADD_REMOVE)
    clipping = Clipping(2**40, Bins(8, 62), 1, 1)
    sums = ScaledSums(Bounding(), Family(terms, cells, 1, Fraction(1), ""), clipping, noise)
    rows = f"SELECT u AS {UNIT}, u % 2 AS k0, CASE WHEN u < 3 THEN 0 ELSE u END AS g0 FROM range(6) AS t(u)"
    with duckdb.connect() as connection:
        connection.execute(settings)
        sql = f"{scaled_sql(sums, terms, 1, rows)} ORDER BY k0"
        found = connection.execute(sql, {"threshold": 2 << 8}).fetchall()
    assert found == [(0, 2 << 8), (1, 4 << 8)]
