"""Limits that are found privately for a query: cost, noise, what is stored, what is told, and when it is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from answers.engines import database, shared_engines
from answers.noiseless import Noiseless
from dpsql.engines.sqlgen.clipping.contributions import histogram_sql, scaled_sql, sized_sql
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.errors import InternalError, QueryRefused
from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.scaling import scaled, sizes
from dpsql.mechanisms.clipping.unit_bins import Bins, count_units
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.types import Bounding, Clipping, Family, Histogram, Part, ScaledSums, Sum, Sums, Term
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Neighbours
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """version: 1
privacy: {{unit: visits.person{privacy}}}
tables:
  visits:
    source: data.duckdb
    unit_key: person
    columns:
      person: {{type: integer}}
      ward: {{type: text, values: [north, south]}}
      cost: {{type: float, lower: 0, upper: 100, step: 0.01}}
      change: {{type: integer, lower: -5, upper: 5}}
      huge: {{type: integer, lower: 0, upper: 1000000000000000000}}
      day: {{type: integer, lower: 1, upper: 365}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: {{epsilon: 1}}}}}}
accountant: pure
"""
# 2,000 people with three visits each in the first 30 days, and many more afterwards.
DATA = """CREATE TABLE visits AS SELECT p AS person, CASE WHEN i % 2 = 0 THEN 'north' ELSE 'south' END AS ward,
    10.0 + i AS cost, (i % 11 - 5)::BIGINT AS change, i::BIGINT AS huge,
    CASE WHEN i < 3 THEN 1 + i ELSE 100 + i END AS day
    FROM range(2000) AS u(p), range(20) AS v(i)"""
FILTERED = "SELECT COUNT(*) AS n FROM visits WHERE day <= 30"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.duckdb").write_bytes(database(DATA))
    return tmp_path


def opened(
    folder: Path,
    clipping: object = "private",
    sampler: Sampler | None = None,
    privacy: str = ", max_rows_per_unit: 500",
) -> Session:
    (folder / "policy.yaml").write_text(POLICY.format(privacy=privacy), encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    return build_session(
        policy,
        "alice",
        folder / "l.ledger",
        (None, None),
        sampler or ExactSampler(),
        clipping=clipping,
        resources=shared_engines,
    )


def parts(session: Session, sql: str) -> tuple[Part, ...]:
    return tuple(p for r in prepare(sql, None, session._state).plan.releases for p in r.parts)


def kinds(session: Session, sql: str) -> set[type]:
    return {type(p) for p in parts(session, sql)}


class Recorder(Noiseless):
    """Remembers the noise that it was asked for, with the number of values."""

    def __init__(self) -> None:
        super().__init__()
        self.laws: list[tuple[int, Fraction, int]] = []

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        self.laws.append((sensitivity, Fraction(epsilon), values.size))  # type: ignore[arg-type]
        return values


@pytest.mark.parametrize(("neighbours", "factor"), [("add_remove", 1), ("substitute", 2)])
def test_a_fifth_finds_the_limit_and_the_noise_is_scaled_to_it(
    folder: Path, neighbours: str, factor: int
) -> None:
    sampler = Recorder()
    with closing(
        opened(folder, sampler=sampler, privacy=f", max_rows_per_unit: 500, neighbours: {neighbours}")
    ) as session:
        answer = session.answer(FILTERED)
        (bins,) = {p.clipping.bins for p in parts(session, FILTERED) if isinstance(p, Histogram)}
    # Everybody has three visits, which are 768 units of 2^-8: the next power of two is 1024.
    assert answer.rows == ((6000,),)
    assert sampler.laws == [(factor, Fraction(1, 5), len(bins)), (factor * 1024, Fraction(4, 5), 1)]
    assert answer.released.epsilon == 1


def test_the_error_is_that_of_the_limit_and_not_of_the_policy(folder: Path) -> None:
    with closing(opened(folder, "fixed")) as fixed, closing(opened(folder, sampler=Noiseless())) as found:
        ((wide,),) = fixed.answer(FILTERED).released.intervals
        ((narrow,),) = found.answer(FILTERED).released.intervals
    assert wide is not None and narrow is not None
    assert (wide.high - wide.low) / (narrow.high - narrow.low) > 80


def test_fewer_measures_are_read_with_their_limit(folder: Path) -> None:
    """The rows of a person in all groups together are the same, and so is the limit that is found for them."""
    by_ward = (
        "SELECT ward, COUNT(*) AS n, SUM(cost) AS c FROM visits WHERE day <= 30 GROUP BY ward ORDER BY ward"
    )
    with closing(opened(folder)) as session:
        both = session.answer(by_ward)
        sums = session.answer(by_ward.replace("COUNT(*) AS n, ", ""))
        counts = session.answer(by_ward.replace(", SUM(cost) AS c", ""))
        coarser = session.answer("SELECT COUNT(*) AS n FROM visits WHERE day <= 30")
        other = session.answer(by_ward.replace("<= 30", "<= 29"))
    assert sums.released.epsilon == counts.released.epsilon == 0
    assert [row[1] for row in counts.rows] == [row[1] for row in both.rows]
    assert [row[1] for row in sums.rows] == [row[2] for row in both.rows]
    assert [row[1] for row in counts.released.intervals] == [row[1] for row in both.released.intervals]
    assert [row[1] for row in sums.released.intervals] == [row[2] for row in both.released.intervals]
    (told, *_), (count, *_), (cost, *_) = (a.released.bias for a in (both, counts, sums))
    assert [note.partition(": ")[2] for note in (count, cost)] == [told.partition(": ")[2]] * 2
    assert coarser.released.epsilon == other.released.epsilon == 1


def test_each_of_several_sums_is_read_with_its_own_limit(folder: Path) -> None:
    wide = "SELECT ward, COUNT(*) AS n, COUNT(DISTINCT person) AS p FROM visits GROUP BY ward ORDER BY ward"
    with closing(opened(folder)) as session:
        assert sum(isinstance(p, Histogram) for p in parts(session, wide)) == 2
        both = session.answer(wide)
        alone = [
            session.answer(wide.replace(s, "")) for s in (", COUNT(DISTINCT person) AS p", "COUNT(*) AS n, ")
        ]
    assert [a.released.epsilon for a in alone] == [0, 0]
    for at, one in enumerate(alone, start=1):
        assert [row[1] for row in one.rows] == [row[at] for row in both.rows]
        assert [row[1] for row in one.released.intervals] == [row[at] for row in both.released.intervals]


def test_some_groups_of_a_found_limit_are_a_question_of_their_own(folder: Path) -> None:
    """A person has fewer rows in them, and another limit."""
    by_ward = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
    with closing(opened(folder)) as session:
        session.answer(by_ward)
        assert session.answer(by_ward.replace("GROUP", "WHERE ward = 'north' GROUP")).released.epsilon == 1


@pytest.mark.parametrize(("first", "second"), [("private", "fixed"), ("fixed", "private")])
def test_a_found_limit_and_a_fixed_one_answer_different_questions(
    folder: Path, first: str, second: str
) -> None:
    both = "SELECT COUNT(*) AS n, SUM(cost) AS c FROM visits WHERE day <= 30"
    with closing(opened(folder, first)) as one, closing(opened(folder, second)) as other:
        one.answer(both)
        assert other.answer(FILTERED).released.epsilon == 1


def test_a_question_is_stored_with_its_limit(folder: Path) -> None:
    with closing(opened(folder)) as session:
        first = session.answer(FILTERED)
    with closing(opened(folder)) as session:
        again = session.answer(FILTERED)
    assert again.rows == first.rows and again.released.epsilon == 0
    assert again.released.intervals == first.released.intervals
    assert again.released.notes == first.released.notes


def test_another_way_to_limit_is_another_draw(folder: Path) -> None:
    with closing(opened(folder, "fixed")) as session:
        assert session.answer(FILTERED).released.epsilon == 1
        asked = FILTERED.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (clipping = 'private')")
        assert session.answer(asked).released.epsilon == 1
        assert session.answer(FILTERED).released.epsilon == 0
    with closing(opened(folder)) as session:
        assert (
            session.answer(
                "SELECT SUM(n) FROM (SELECT COUNT(*) AS n FROM visits WHERE day <= 30)"
            ).released.epsilon
            == 0
        )


def test_nothing_is_charged_beyond_what_was_asked_and_all_of_it_before(folder: Path) -> None:
    class Failing(Noiseless):
        def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
            raise RuntimeError

    sql = "SELECT ward, COUNT(*), AVG(cost), SUM(change), COUNT(DISTINCT person) FROM visits GROUP BY ward"
    with closing(opened(folder, sampler=Failing())) as session:
        with pytest.raises(Exception, match="its charge stands"):
            session.answer(sql)
        assert session.budget().spent.epsilon == 1


AUTO = {
    FILTERED: True,
    "SELECT COUNT(*) FROM visits": False,
    "SELECT COUNT(*) FILTER (WHERE day < 3) FROM visits": True,
    "SELECT SUM(cost) FROM (SELECT person, SUM(cost) AS cost FROM visits GROUP BY person) AS v WHERE cost > 3": False,
    "SELECT COUNT(DISTINCT person) FROM visits WHERE day < 3": False,
    "SELECT COUNT(DISTINCT day) FROM visits WHERE day < 3": False,
    "SELECT ward FROM visits WHERE day < 3 GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1": True,
    "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1": False,
    "SELECT ward FROM visits WHERE day < 3 GROUP BY ward ORDER BY COUNT(DISTINCT person) DESC LIMIT 1": False,
    "SELECT MEDIAN(cost) FROM visits WHERE day < 3": False,
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("sql", "found"), AUTO.items())
def test_auto_decides_by_the_text_and_the_policy(folder: Path, sql: str, found: bool) -> None:
    with closing(opened(folder, "auto")) as session:
        assert (Histogram in kinds(session, sql)) is found
    with closing(opened(folder, "auto", privacy=", max_rows_per_unit: 7")) as session:
        assert Histogram not in kinds(session, sql)


def test_sums_without_any_limit_in_the_policy_are_answered(folder: Path) -> None:
    with (
        closing(opened(folder, None, privacy="")) as session,
        pytest.raises(QueryRefused, match="does not limit"),
    ):
        session.answer(FILTERED)
    with closing(opened(folder, None, Noiseless(), privacy=", clipping: auto")) as session:
        assert session.answer(FILTERED).rows == ((6000,),)
        (column,) = session.explain(FILTERED).columns
    assert column.half_width is None and "found for this query" in column.note


def test_a_wanted_accuracy_keeps_to_limits_that_are_known(folder: Path) -> None:
    with closing(opened(folder)) as session:
        asked = FILTERED.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (accuracy = 5000)")
        assert kinds(session, asked) == {Sums}


def test_what_is_told_beforehand_is_the_most_that_it_can_be(folder: Path) -> None:
    with closing(opened(folder, sampler=Noiseless())) as session:
        plan = session.explain(FILTERED)
        (column,) = plan.columns
        ((shown,),) = session.answer(FILTERED).released.intervals
    assert shown is not None and column.half_width is not None
    assert column.half_width > 20 * (shown.high - shown.low) and "mostly far less" in column.note
    assert [row[-1].startswith("at most ± ") for row in plan.release_rows()[1:]] == [False, True]


def test_values_too_wide_to_be_scaled_keep_to_fixed_limits(folder: Path) -> None:
    with closing(opened(folder)) as session:
        assert kinds(session, "SELECT SUM(huge) FROM visits WHERE day < 3") == {Sums}


BROKEN = {
    "the noise of the sums is for half of the threshold": lambda h, s: (
        h,
        replace(s, family=replace(s.family, epsilon=s.family.epsilon * 2)),
    ),
    "neighbours are others": lambda h, s: (
        h,
        replace(s, noise=laplace(s.noise.budget, Neighbours.SUBSTITUTE)),
    ),
    "the histogram is of other vectors": lambda h, s: (replace(h, cells=((2,),)), s),
    "a cell is a number of different values": lambda h, s: (
        replace(h, terms=(replace(h.terms[0], sum=Sum.DISTINCT),)),
        replace(s, family=replace(s.family, terms=(replace(s.family.terms[0], sum=Sum.DISTINCT),))),
    ),
    "a step can overflow": lambda h, s: (
        replace(h, clipping=replace(h.clipping, limit=2**60)),
        replace(s, clipping=replace(s.clipping, limit=2**60)),
    ),
    "the sums come without their histogram": lambda h, s: (s,),
    "the sums come before their histogram": lambda h, s: (s, h),
    "two sums stand behind one histogram": lambda h, s: (h, s, s),
    "the histogram is of no sums": lambda h, s: (h,),
    "rows of a unit are chosen": lambda h, s: (
        replace(h, bounding=Bounding(rows=500)),
        replace(s, bounding=Bounding(rows=500)),
    ),
    "units are counted in some groups": lambda h, s: (
        replace(h, bounding=Bounding(groups=2)),
        replace(s, bounding=Bounding(groups=2)),
    ),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("broken", BROKEN)
def test_a_plan_that_is_not_what_it_is_charged_as_is_caught(folder: Path, broken: str) -> None:
    with closing(opened(folder)) as session:
        plan = prepare(FILTERED, None, session._state).plan
        cost = prepare(FILTERED, None, session._state).charges[0].cost  # type: ignore[union-attr]
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        assert check_cost(plan, cost, context) == cost
        (release,) = plan.releases
        histogram, sums = release.parts
        wrong = replace(release, parts=BROKEN[broken](histogram, sums))
        with pytest.raises(InternalError):
            check_cost(replace(plan, releases=(wrong,)), cost, context)


def test_limits_that_are_found_where_every_row_is_a_unit_are_caught(folder: Path) -> None:
    with closing(opened(folder)) as session:
        prepared, context = prepare(FILTERED, None, session._state), session._state.context
        (charge,) = prepared.due
        rows = {n: replace(t, unit_key=None) for n, t in context.catalog.tables.items()}
        of_rows = replace(
            context, catalog=replace(context.catalog, tables=rows), clipping=ClippingMode.PRIVATE
        )
        with pytest.raises(InternalError):
            check_cost(prepared.plan, charge.cost, of_rows)


def vectors() -> Iterator[tuple[np.ndarray, int]]:
    """Vectors of 60 units over three groups and two cells, and the shift; small ones, at the limit, and beyond."""
    draw = np.random.default_rng(7)
    for largest, shift in ((3, 8), (10**6, 10), (2**52, 10), (2**58, 10)):
        yield draw.integers(-largest, largest + 1, size=(60, 3, 2)), shift


@pytest.mark.parametrize(
    ("of_units", "shift"), [*vectors()], ids=["small", "usual", "at the limit", "beyond"]
)
def test_the_sql_is_the_mechanism(of_units: np.ndarray, shift: int) -> None:
    """Bins and scaled sums as the reference has them, for every threshold."""
    terms = (Term(Sum.ROWS), Term(Sum.VALUES))
    cells = ((1, 0), (0, 1))
    clipping = Clipping(2 ** (62 - shift), Bins(shift, 62), 1, 3)
    noise = laplace(1, Neighbours.ADD_REMOVE)
    histogram = Histogram(Bounding(), terms, cells, clipping, noise)
    sums = ScaledSums(Bounding(), Family(terms, cells, 1, Fraction(1), ""), clipping, noise)
    with duckdb.connect() as connection:
        connection.execute(f"CREATE TABLE v ({UNIT} BIGINT, k0 BIGINT, g0 BIGINT, g1 BIGINT)")
        rows = [(u, k, int(a), int(b)) for u, of in enumerate(of_units) for k, (a, b) in enumerate(of)]
        connection.executemany("INSERT INTO v VALUES (?, ?, ?, ?)", rows)
        grouped = f"SELECT {UNIT}, k0, g0, g1 FROM v"
        sized = sized_sql(histogram, terms, 1, grouped)
        counted = dict(connection.execute(histogram_sql(histogram, sized)).fetchall())
        clamped = np.clip(of_units.reshape(60, 6), -clipping.limit, clipping.limit)
        exact = clamped.astype(object) * 2**shift
        wanted = count_units(sizes(exact), bins=clipping.bins)
        assert [counted.get(j, 0) for j in clipping.bins.powers] == wanted.tolist()
        for threshold in (1 << shift, 3 << shift, 1 << 40, 1 << 62):
            sql = scaled_sql(sums, terms, 1, grouped)
            found = connection.execute(f"{sql} ORDER BY k0", {"threshold": threshold}).fetchall()
            total = scaled(exact, tau=threshold).astype(object).sum(axis=0).reshape(3, 2)
            assert [row[1:] for row in found] == [tuple(map(int, row)) for row in total]
