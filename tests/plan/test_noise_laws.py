"""The cube mechanism and the Gaussian compete with Laplace by variance, and what they claim is recomputed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from chances import is_share_between

from dpsql.errors import InternalError, QueryRefused
from dpsql.mechanisms.analysis import cube_sum
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.mechanisms.noise.cube import interval_radius, variance, variances
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.types import Family, Plan, Release, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.release.draw.noise import noised
from dpsql.release.uncertainty.intervals import half_width
from dpsql.session import Session
from plan.opened import Table, plan, release

COLUMNS = {
    "k": "text, values: [a, b]",
    "x": "integer, lower: 0, upper: 10",
    "y": "integer, lower: -5, upper: 5",
    "z": "integer, lower: 3, upper: 9, nullable: true",
    "free": "text",
}
ASKED = Cost(Fraction(1), Fraction(1, 10**6))
COUNTS = ", ".join(f"COUNT_IF(x * ({i}) > y)" for i in range(-45, 50))
NEIGHBOURS = ("add_remove", "substitute")


@pytest.fixture(scope="module", params=NEIGHBOURS)
def session(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Session:
    privacy = f"max_rows_per_unit: 20, neighbours: {request.param}"
    return Table(COLUMNS, privacy=privacy).open(tmp_path_factory.mktemp("laws"))


@pytest.mark.parametrize("sums", [2, 3, 5])
def test_sums_of_several_columns_have_the_variance_of_the_cube_and_not_of_a_split(
    sums: int, tmp_path: Path
) -> None:
    columns = {f"c{i}": "integer, lower: 0, upper: 10" for i in range(sums)}
    session = Table(columns, privacy="max_rows_per_unit: 20").open(tmp_path)
    query = ", ".join(f"SUM(c{i})" for i in range(sums))
    found = release(session, f"SELECT COUNT(*), {query} FROM t")
    (family,) = found.families
    e = found.estimators[1]
    scale = [variance(j, sensitivity=20, epsilon=1, widths=family.widths) for j in range(sums + 1)]
    wanted = (sums + 2) * (sums + 3) / 6 * (20 * 10) ** 2
    assert sum(float(c) ** 2 * scale[i] for i, c in e.s1) == pytest.approx(wanted, rel=0.1)
    assert wanted < 2 * sums**2 * (20 * 10) ** 2


def test_null_values_have_a_count_of_their_own_in_the_cube(session: Session) -> None:
    found = release(session, "SELECT AVG(x), AVG(z) FROM t")
    (family,) = found.families
    assert family.widths == (1, 10, 1, 6)


@pytest.mark.parametrize(
    "query",
    ["SELECT COUNT(*), SUM(x), SUM(y) FROM t", "SELECT k, AVG(x), AVG(z) FROM t GROUP BY k"],
)
@pytest.mark.parametrize(
    "weaken",
    [
        lambda f: replace(f, sensitivity=f.sensitivity - 1),
        lambda f: replace(f, widths=(*f.widths[:-1], f.widths[-1] - 1)),
        lambda f: replace(f, widths=f.widths[:-1]),
    ],
)
def test_a_cube_that_is_too_small_is_caught(
    session: Session, query: str, weaken: Callable[[Family], Family]
) -> None:
    made = plan(session, query)
    check_cost(made, ASKED, session._state.context)
    with pytest.raises(InternalError):
        check_cost(_changed(made, weaken), ASKED, session._state.context)


def _changed(made: Plan, weaken: Callable[[Family], Family]) -> Plan:
    (one,) = made.releases
    parts = tuple(
        replace(p, families=tuple(weaken(f) for f in p.families)) if isinstance(p, Sums) else p
        for p in one.parts
    )
    return Plan((replace(one, parts=parts),), made.public_query)


def gaussian(session: Session, keys: str = "") -> Release:
    group = f" GROUP BY {keys}" if keys else ""
    return release(session, f"SELECT {keys + ', ' if keys else ''}{COUNTS} FROM t{group}")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("keys", ["", "k"])
def test_many_counts_get_gaussian_noise_at_exactly_the_epsilon_and_delta_of_the_query(
    session: Session, keys: str
) -> None:
    (event,) = gaussian(session, keys).events
    assert event.mechanism is Mechanism.DISCRETE_GAUSSIAN
    assert event.cost == ASKED
    assert event.variance is not None
    rho = Fraction(event.sensitivity) / (2 * event.variance)
    assert ASKED.delta * Fraction(999, 1000) < zcdp_delta(rho, 1) <= ASKED.delta


def test_private_keys_and_gaussian_noise_share_the_delta(session: Session) -> None:
    *presence, noise = gaussian(session, "free").events
    assert sum(e.cost.delta for e in (*presence, noise)) == ASKED.delta
    assert sum(e.cost.epsilon for e in (*presence, noise)) == 1
    assert noise.mechanism is Mechanism.DISCRETE_GAUSSIAN


def test_a_query_spends_no_delta_where_laplace_or_the_cube_is_better(session: Session) -> None:
    assert sum(e.cost.delta for e in release(session, "SELECT COUNT(*), SUM(x), AVG(y) FROM t").events) == 0


@pytest.mark.parametrize(
    "weaken",
    [
        lambda f: replace(f, sensitivity=f.sensitivity - 1),
        lambda f: replace(f, variance=f.variance * Fraction(99, 100)),
        lambda f: replace(f, delta=f.delta * 2),
        lambda f: replace(f, epsilon=f.epsilon * 2),
    ],
)
def test_gaussian_noise_that_is_too_small_is_caught(
    session: Session, weaken: Callable[[Family], Family]
) -> None:
    made = plan(session, f"SELECT {COUNTS} FROM t")
    with pytest.raises(InternalError):
        check_cost(_changed(made, weaken), ASKED, session._state.context)


def test_two_gaussian_releases_of_one_query_share_its_delta(session: Session) -> None:
    query = f"SELECT * FROM (SELECT {COUNTS} FROM t), (SELECT {COUNTS} FROM t WHERE k = 'a'), (SELECT COUNT(*) FROM t)"
    events = [e for r in plan(session, query).releases for e in r.events]
    assert sum(e.cost.delta for e in events) == ASKED.delta
    assert sum(e.cost.epsilon for e in events) == 1
    assert [bool(e.cost.delta) for e in events] == [True, True, False]


def test_explain_says_what_the_epsilon_of_a_gaussian_means_and_why_a_cube_is_used(session: Session) -> None:
    text = str(session.explain(f"SELECT {COUNTS} FROM t"))
    assert "epsilon holds for all 95 sums together, save with probability delta" in text
    assert "delta 1e-06" in text
    assert "one noise for all of them" in str(session.explain("SELECT AVG(x), AVG(y) FROM t"))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
@pytest.mark.parametrize(("epsilon", "dominant"), [("0.5", True), ("5", False)])
def test_where_rho_adds_up_a_gaussian_competes_if_it_never_lets_fewer_queries_through(
    epsilon: str, dominant: bool, accountant: str, tmp_path: Path
) -> None:
    table = Table(COLUMNS, privacy="max_rows_per_unit: 20", accountant=accountant, epsilon=epsilon)
    session = table.open(tmp_path)
    assert {e.mechanism for e in gaussian(session).events} == {
        Mechanism.DISCRETE_GAUSSIAN if dominant else Mechanism.CUBE
    }
    text = str(session.explain("SELECT COUNT(*), SUM(x) FROM t"))
    assert ("Gaussian noise competes" if dominant else "have pure noise") in text
    assert ("epsilon stands for rho = epsilon^2 / 2 of all" in text) is dominant
    answered = " ".join(session.answer("SELECT COUNT(*), SUM(x) FROM t").released.notes)
    assert "SUM(x)" in answered and "rho = epsilon^2 / 2 a query" not in answered


@pytest.mark.parametrize("only", ["discrete_gaussian", "discrete_laplace"])
@pytest.mark.parametrize("epsilon", ["0.5", "5"])
def test_naming_the_mechanisms_overrules_the_choice_of_the_budget(
    only: str, epsilon: str, tmp_path: Path
) -> None:
    privacy = f"max_rows_per_unit: 20, mechanisms: [{only}]"
    session = Table(COLUMNS, privacy=privacy, accountant="zcdp", epsilon=epsilon).open(tmp_path)
    assert {e.mechanism.value for e in release(session, "SELECT COUNT(*), SUM(x) FROM t").events} == {only}
    assert "privacy.mechanisms says which noise competes" in str(session.explain("SELECT COUNT(*) FROM t"))


def test_at_equal_rho_laplace_noise_is_used_where_a_large_epsilon_makes_it_cheap(tmp_path: Path) -> None:
    privacy = "max_rows_per_unit: 1, mechanisms: [discrete_laplace, discrete_gaussian]"
    columns = {"x": "integer, lower: 0, upper: 1000"}
    for epsilon, mechanism in (("2", Mechanism.DISCRETE_GAUSSIAN), ("6", Mechanism.DISCRETE_LAPLACE)):
        session = Table(columns, privacy=privacy, accountant="zcdp", epsilon=epsilon).open(tmp_path / epsilon)
        (event,) = release(session, "SELECT SUM(x) FROM t").events
        assert event.mechanism is mechanism


RESTRICTED = {
    "discrete_laplace": {"SELECT AVG(x), AVG(y) FROM t": "discrete_laplace"},
    "cube": {"SELECT COUNT(*), AVG(y) FROM t": "cube", "SELECT VARIANCE(x) FROM t": None},
    "discrete_gaussian": {
        "SELECT COUNT(*) FROM t": "discrete_gaussian",
        "SELECT free, COUNT(*) FROM t GROUP BY free": None,
        "SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1": "discrete_gaussian",
        "SELECT k, MODE(k) FROM t GROUP BY k": None,
    },
    "permute_and_flip": {"SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1": "permute_and_flip"},
    "exponential": {"SELECT k FROM t GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1": "exponential"},
}


@pytest.mark.parametrize("only", RESTRICTED)
def test_the_policy_restricts_the_mechanisms_and_what_needs_others_is_refused(
    only: str, tmp_path: Path
) -> None:
    session = Table(COLUMNS, privacy=f"max_rows_per_unit: 20, mechanisms: [{only}]").open(tmp_path)
    for query, mechanism in RESTRICTED[only].items():
        if mechanism is None:
            with pytest.raises(QueryRefused, match="the policy"):
                session.explain(query)
        else:
            assert {e.mechanism.value for e in release(session, query).events} == {mechanism}


@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
@pytest.mark.parametrize("only", ["permute_and_flip", "exponential"])
def test_the_best_groups_are_chosen_by_whichever_law_the_policy_names(
    only: str, accountant: str, tmp_path: Path
) -> None:
    privacy = f"max_rows_per_unit: 20, mechanisms: [{only}]"
    session = Table(COLUMNS, [[1, "b", 1, 0, 3, "q"]], privacy=privacy, accountant=accountant).open(tmp_path)
    query = "SELECT k FROM t GROUP BY k ORDER BY COUNT(DISTINCT u) DESC LIMIT 1"
    assert [e.mechanism.value for e in release(session, query).events] == [only]
    assert session.answer(query).rows == (("b",),)


@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
def test_where_rho_adds_up_a_gaussian_beats_the_cube_from_a_few_sums_on_without_a_delta(
    accountant: str, tmp_path: Path
) -> None:
    privacy = "max_rows_per_unit: 20, mechanisms: [discrete_laplace, cube, discrete_gaussian]"
    session = Table(COLUMNS, privacy=privacy, accountant=accountant).open(tmp_path)
    one = release(session, "SELECT COUNT(*) FROM t")
    assert [(e.mechanism, e.sensitivity, e.variance) for e in one.events] == [
        (Mechanism.DISCRETE_GAUSSIAN, 20**2, 20**2)
    ]
    several = release(session, "SELECT COUNT(*), SUM(x), SUM(y), VARIANCE(x) FROM t")
    (event,) = several.events
    assert (event.mechanism, event.cost, event.variance) == (
        Mechanism.DISCRETE_GAUSSIAN,
        Cost(Fraction(1)),
        1,
    )
    assert "rho = epsilon^2 / 2" in str(session.explain("SELECT COUNT(*), SUM(x) FROM t"))
    assert session.answer("SELECT COUNT(*), SUM(x) FROM t").rows == ((0, 0),)


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1, 2), Fraction(10)])
@pytest.mark.parametrize("delta", [Fraction(1, 10**5), Fraction(1, 10**12)])
def test_the_scale_of_a_gaussian_is_the_least_that_its_conversion_allows(
    epsilon: Fraction, delta: Fraction
) -> None:
    scale = Laws(frozenset(Mechanism), delta).scale_squared(epsilon)
    assert zcdp_delta(1 / (2 * scale), epsilon) <= delta
    assert zcdp_delta(1 / (2 * scale * Fraction(999, 1000)), epsilon) > delta


def test_where_rho_adds_up_an_epsilon_stands_for_half_its_square_and_needs_no_delta() -> None:
    laws = Laws(frozenset(Mechanism), Fraction(0), concentrated=True)
    assert laws.gaussian
    assert laws.scale_squared(Fraction(1, 3)) == 9


@pytest.mark.parametrize("delta", ["1e-18", "7.6e-14", "1e-6", "0.5"])
@pytest.mark.parametrize("epsilon", ["1e-9", "1.3e-9", "118e-9", "0.001", "1", "1000"])
def test_any_epsilon_and_delta_that_a_ledger_counts_have_a_gaussian(epsilon: str, delta: str) -> None:
    """Of the least of both, the order by which they convert is far above that of others."""
    laws = Laws(frozenset(Mechanism), Fraction(delta))
    found = laws.scale_squared(Fraction(epsilon))
    assert zcdp_delta(1 / (2 * found), Fraction(epsilon)) <= Fraction(delta)
    assert zcdp_delta(1 / (2 * found * Fraction(999, 1000)), Fraction(epsilon)) > Fraction(delta)
    assert laws.rough_scale_squared(Fraction(epsilon)) == pytest.approx(float(found), rel=1e-3)


def test_the_least_epsilon_and_delta_are_answered_by_a_gaussian(tmp_path: Path) -> None:
    policy = Table(COLUMNS, privacy="max_rows_per_unit: 4, mechanisms: [discrete_gaussian]").store(tmp_path)
    least = "per_query: {epsilon: 1e-9, delta: 1e-18}"
    policy.write_text(
        policy.read_text("utf-8").replace("per_query: {epsilon: 1, delta: 1e-6}", least), "utf-8"
    )
    assert Table(COLUMNS).open_stored(policy).answer("SELECT COUNT(*), SUM(x) FROM t").rows == ((0, 0),)


def test_variances_of_all_coordinates_are_those_of_each() -> None:
    shape = {"sensitivity": 7, "epsilon": Fraction(1, 3), "widths": (1, 4, 9)}
    each = [variance(j, **shape) for j in range(3)]  # type: ignore[arg-type]
    assert variances(**shape) == pytest.approx(each)  # type: ignore[arg-type]


@pytest.mark.parametrize(("m", "epsilon"), [(1, 1), (20, 1), (1000, Fraction(1, 10))])
def test_the_interval_of_a_cell_or_two_holds_95_of_100_draws(m: int, epsilon: Fraction) -> None:
    widths, draws = (1, 10, 10), 50_000
    noise = ExactSampler().cube(
        np.zeros((draws, 3), dtype=np.int64), sensitivity=m, epsilon=epsilon, widths=widths
    ).astype(np.float64)  # fmt: skip
    for coefficients in ((1.0, 0.0, 0.0), (5.0, 0.5, 0.0), (-5.0, 0.0, 0.5)):
        width = cube_sum.half_width(0.05, coefficients, sensitivity=m, epsilon=epsilon, widths=widths)
        inside = int((np.abs(noise @ np.array(coefficients)) <= width + 0.5).sum())
        # Whole numbers cover a little more where the scale is small.
        assert is_share_between(0.949, 0.9515 if m > 1 else 0.955, inside, draws)
    assert cube_sum.half_width(0.05, (1.0, 0.0, 0.0), sensitivity=m, epsilon=epsilon, widths=widths) <= (
        interval_radius(0.05, sensitivity=m, epsilon=epsilon, widths=widths)
    )


@pytest.mark.one_in(6)
@pytest.mark.parametrize("query", ["AVG(x), SUM(y), COUNT(z)", COUNTS])
def test_counts_and_sums_have_a_half_width_that_holds_95_of_100_draws(session: Session, query: str) -> None:
    found = release(session, f"SELECT {query} FROM t")
    draws = 4000
    blocks = [
        noised(f, np.zeros((draws, len(f.cells)), dtype=np.int64), ExactSampler()) for f in found.families
    ]
    noise = np.hstack(blocks).astype(np.float64)
    e = found.estimators[-1]
    width = half_width(e, found)
    assert width is not None
    drawn = sum(float(c) * noise[:, i] for i, c in e.n)
    assert is_share_between(0.945, 0.955, int((np.abs(drawn) <= width).sum()), draws)
