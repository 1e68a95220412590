"""Row by row: shares of epsilon, exact laws, random order, and nothing of the data but through the coins."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from answers.noiseless import Noiseless
from attacks.neighbours import Blind
from chances import ALARM
from scipy import stats

from dpsql.algebra.functions import apply
from dpsql.algebra.relations import Filter
from dpsql.audit.exact import Violated, found, moved
from dpsql.engines.base import Exact
from dpsql.errors import InternalError, QueryRefused, TooManyRows
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.types import Bounding, Local, LocalColumn, Release
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.release.draw import local_responses as local_rows
from dpsql.release.draw.local_responses import local_rows as rows_of
from dpsql.release.draw.local_responses import rates, respond, standard_error, weights
from dpsql.release.draw.noise import decoded
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table, plan, release

COLUMNS = {"b": "boolean", "c": "text, values: [x, y, z]", "n": "integer, lower: 0, upper: 9", "m": "boolean"}
ROWS = tuple((i, i % 2 == 0, "xyz"[i % 3], i % 10, i % 4 == 0) for i in range(60))
BOTH = "SELECT RANDOMIZED_RESPONSE(b) AS b, RAPPOR(c) AS c, RANDOMIZED_RESPONSE(n) AS n FROM t"


def survey(rows: object = ROWS, **changes: str) -> Table:
    table = Table(COLUMNS, rows, "neighbours: substitute", "one_row_per_unit: true")  # type: ignore[arg-type]
    return replace(table, **changes)  # type: ignore[arg-type]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return survey().open(tmp_path)


def part_of(found: Release) -> Local:
    assert found.local is not None
    return found.local


def test_the_epsilons_of_a_row_are_equal_in_whole_units_and_add_up_to_the_query(session: Session) -> None:
    epsilons = [c.epsilon for c in part_of(release(session, BOTH)).columns]
    assert sum(epsilons) == 1 and max(epsilons) - min(epsilons) <= Fraction(3, 10**9)
    assert all((e * 10**9).denominator == 1 for e in epsilons)


def test_two_selects_of_responses_share_the_query(session: Session) -> None:
    both = plan(
        session, "SELECT b, (SELECT RR_MEAN(m) FROM t) FROM (SELECT RANDOMIZED_RESPONSE(b) AS b FROM t)"
    )
    assert [e.cost.epsilon for r in both.releases for e in r.events] == [Fraction(1, 2)] * 2


def test_each_response_has_the_mechanism_of_its_list(session: Session) -> None:
    columns = part_of(release(session, BOTH)).columns
    assert [c.mechanism for c in columns] == [
        Mechanism.RANDOMIZED_RESPONSE,
        Mechanism.RAPPOR,
        Mechanism.K_RANDOMIZED_RESPONSE,
    ]
    assert [c.values for c in columns] == [(False, True), ("x", "y", "z", None), tuple(range(10))]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"privacy": "neighbours: add_remove"}, "how many rows there are"),
        ({"table": ""}, "several rows"),
        ({"table": "max_rows_per_unit: 1"}, "several rows"),
    ],
)
def test_what_the_policy_does_not_promise_is_refused(
    changes: dict[str, str], reason: str, tmp_path: Path
) -> None:
    opened = survey(**changes).open(tmp_path)
    with pytest.raises(QueryRefused, match=reason):
        plan(opened, BOTH)


def test_an_epsilon_of_fewer_units_than_responses_is_refused(tmp_path: Path) -> None:
    opened = survey(epsilon="2e-9").open(tmp_path)
    assert plan(opened, "SELECT RANDOMIZED_RESPONSE(b), RANDOMIZED_RESPONSE(c) FROM t").releases
    with pytest.raises(QueryRefused, match="too small to be shared"):
        plan(opened, BOTH)


def test_a_value_to_count_may_be_a_parameter(session: Session) -> None:
    written = session.answer("SELECT RR_COUNT(c, 'y') FROM t")
    assert session.answer("SELECT RR_COUNT(c, ?) FROM t", ["y"]).rows == written.rows


def test_a_query_inside_an_expression_is_a_release_of_its_own(session: Session) -> None:
    both = "SELECT RANDOMIZED_RESPONSE(b) AS b, (SELECT COUNT(*) FROM t) AS n FROM t"
    assert len(plan(session, both).releases) == 2
    assert {n for _, n in session.answer(both).rows} == {len(ROWS)}
    with pytest.raises(QueryRefused):
        plan(session, "SELECT RANDOMIZED_RESPONSE(b), (SELECT COUNT(*) FROM t AS i WHERE i.n = t.n) FROM t")


def test_rows_that_are_units_of_their_own_are_released(tmp_path: Path) -> None:
    opened = replace(survey(), table="", every_row=True).open(tmp_path)
    assert len(opened.answer(BOTH).rows) == len(ROWS)


def test_without_noise_the_rows_are_the_rows_of_the_table(session: Session) -> None:
    released = session.answer(
        "SELECT RANDOMIZED_RESPONSE(b), RANDOMIZED_RESPONSE(c), RANDOMIZED_RESPONSE(n) FROM t"
    )
    assert Counter(released.rows) == Counter((b, c, n) for _, b, c, n, _ in ROWS)


def test_the_same_columns_are_paid_once_and_drawn_once(tmp_path: Path) -> None:
    opened = survey().open(tmp_path, ExactSampler())
    first = opened.answer("SELECT RANDOMIZED_RESPONSE(b) AS x FROM t")
    again = opened.answer("SELECT RANDOMIZED_RESPONSE(q) FROM (SELECT b AS q FROM t) AS s")
    mean = opened.answer("SELECT RR_MEAN(b) FROM t")
    assert first.rows == again.rows and (first.released.epsilon, again.released.epsilon) == (1, 0)
    p = 1 / (1 + math.e)
    shown = sum(bool(x) for (x,) in first.rows) / len(ROWS)
    assert mean.released.epsilon == 0
    assert mean.rows[0][0] == pytest.approx((shown - p) / (1 - 2 * p))


def test_stored_rows_are_read_back_as_they_were(session: Session) -> None:
    made = release(session, BOTH)
    exact = Exact(((True, "x", 3), (False, None, 9)), np.array([[2], [5]]))
    noisy = respond(part_of(made), exact, ExactSampler())
    stored = decoded(noisy.encoded(made.keys.domain), made.keys.domain)
    assert stored.keys == noisy.keys == ((),) * 7
    assert np.array_equal(stored.cells, noisy.cells)


def one(mechanism: Mechanism, values: tuple[object, ...], epsilon: Fraction = Fraction(1)) -> Local:
    return Local(Bounding(), (LocalColumn(mechanism, values, epsilon),))  # type: ignore[arg-type]


CASES = (
    (one(Mechanism.RANDOMIZED_RESPONSE, (False, True)), True),
    (one(Mechanism.K_RANDOMIZED_RESPONSE, ("a", "b", "c", None), Fraction(1, 2)), "b"),
    (one(Mechanism.K_RANDOMIZED_RESPONSE, ("a", "b", "c", None)), None),
    (one(Mechanism.RAPPOR, ("a", "b", "c"), Fraction(2)), "c"),
)


@pytest.mark.parametrize(("part", "value"), CASES)
def test_a_response_shows_the_value_and_each_other_one_with_its_probability(
    part: Local, value: object
) -> None:
    n, (column,) = 40_000, part.columns
    exact = Exact(((value,),), np.array([[n]]))  # type: ignore[arg-type]
    released = rows_of(part, respond(part, exact, ExactSampler()))
    lie, kept = rates(column)
    for place, listed in enumerate(column.values):
        if column.mechanism is Mechanism.RAPPOR:
            shown = sum(str(row[1])[place] == "1" for row in released)
        else:
            shown = sum(row[1] == listed for row in released)
        chance = lie + kept if listed == value else lie
        assert stats.binomtest(shown, n, chance).pvalue > ALARM
    odds = (lie + kept) / lie if column.mechanism is not Mechanism.RAPPOR else ((lie + kept) / lie) ** 2
    assert math.log(odds) == pytest.approx(float(column.epsilon))


@pytest.mark.parametrize(("part", "value"), CASES)
def test_the_weights_of_a_count_are_unbiased_and_their_standard_error_is_the_stated_one(
    part: Local, value: object
) -> None:
    (column,) = part.columns
    lie, kept = rates(column)
    hit, miss = weights(column)
    true = lie + kept
    assert true * hit + (1 - true) * miss == pytest.approx(1)
    assert lie * hit + (1 - lie) * miss == pytest.approx(0, abs=1e-12)
    spread = max(math.sqrt(p * (1 - p)) * (hit - miss) for p in (true, lie))
    assert standard_error(column) == pytest.approx(spread)


def test_the_rows_come_in_the_order_that_the_coins_drew() -> None:
    class Turned(Noiseless):
        def random_order(self, size: int) -> np.ndarray:
            return np.arange(size)[::-1]

    part = one(Mechanism.K_RANDOMIZED_RESPONSE, ("a", "b", "c"))
    exact = Exact((("a",), ("c",), ("b",)), np.array([[1], [2], [1]]))
    assert respond(part, exact, Noiseless()).cells[:, 0].tolist() == [0, 2, 2, 1]
    assert respond(part, exact, Turned()).cells[:, 0].tolist() == [1, 2, 2, 0]


def test_every_row_gets_a_response_even_one_whose_value_is_null() -> None:
    part = one(Mechanism.K_RANDOMIZED_RESPONSE, ("a", "b", None))
    exact = Exact((("a",), (None,)), np.array([[1], [2]]))
    assert respond(part, exact, Noiseless()).cells[:, 0].tolist() == [0, 2, 2]


def test_a_table_of_too_many_rows_is_an_error_of_its_own(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_rows, "MOST_ROWS", 59)
    with pytest.raises(TooManyRows, match="more than 59 rows is not released row by row; the charge stands"):
        session.answer(BOTH)
    assert session.budget().spent.epsilon == 1


def test_an_empty_table_has_no_rows_and_counts_nothing(tmp_path: Path) -> None:
    opened = survey(rows=()).open(tmp_path, ExactSampler())
    assert opened.answer(BOTH).rows == ()
    assert opened.answer("SELECT RR_MEAN(b), RR_COUNT(b, TRUE) FROM t").rows == ((None, 0.0),)


def test_estimates_of_many_rows_lie_near_the_truth(tmp_path: Path) -> None:
    rows = tuple((i, i % 4 == 0, "xyz"[i % 3], i % 10, True) for i in range(3_000))
    opened = survey(rows=rows, epsilon="4").open(tmp_path, ExactSampler())
    ((mean,),) = opened.answer("SELECT RR_MEAN(b) FROM t").rows
    ((count,),) = opened.answer("SELECT RR_COUNT(c, 'y') FROM t").rows
    ((bits,),) = opened.answer("SELECT RAPPOR_COUNT(c, 'y') FROM t").rows
    columns = [
        part_of(release(opened, f"SELECT {f}(c) FROM t")).columns[0]
        for f in ("RANDOMIZED_RESPONSE", "RAPPOR")
    ]
    limits = [6 * standard_error(c) * math.sqrt(len(rows)) for c in columns]
    assert abs(mean - 0.25) < 0.1  # type: ignore[operator]
    assert abs(count - 1_000) < limits[0] and abs(bits - 1_000) < limits[1]  # type: ignore[operator]


def other_row(rows: tuple[tuple[object, ...], ...]) -> tuple[tuple[object, ...], ...]:
    return ((0, False, "not listed", 7, False), *rows[1:])


def test_neighbours_differ_in_one_row_and_in_nothing_that_is_seen(tmp_path: Path) -> None:
    seen, counted, ready = [], [], None
    for name, rows in (("one", ROWS), ("other", other_row(ROWS))):
        with closing(survey(rows=rows).open(tmp_path / name, Blind())) as opened:
            answer = opened.answer(BOTH)
            seen.append((answer.columns, answer.rows, answer.released.epsilon, answer.released.intervals))
            ready = prepare(BOTH, None, opened._state)
            counted.append(found(ready, opened._state.engine))
    assert seen[0] == seen[1] and len(seen[0][1]) == len(ROWS)
    assert ready is not None
    (change,) = moved(ready, *counted)
    assert (change.by, change.claimed) == (2, 2)


def test_the_audit_sees_a_row_that_is_missing(tmp_path: Path) -> None:
    counted, ready = [], None
    for name, rows in (("one", ROWS), ("less", ROWS[1:])):
        with closing(survey(rows=rows).open(tmp_path / name)) as opened:
            ready = prepare(BOTH, None, opened._state)
            counted.append(found(ready, opened._state.engine))
    assert ready is not None
    with pytest.raises(Violated, match="different numbers of rows"):
        list(moved(ready, *counted))


def cheaper(part: Local) -> Local:
    return replace(part, columns=(replace(part.columns[0], epsilon=Fraction(1, 2)), *part.columns[1:]))


def another_list(part: Local) -> Local:
    return replace(part, columns=(replace(part.columns[0], values=(True, False)), *part.columns[1:]))


def another_mechanism(part: Local) -> Local:
    changed = replace(part.columns[2], mechanism=Mechanism.RANDOMIZED_RESPONSE)
    return replace(part, columns=(*part.columns[:2], changed))


def fewer(part: Local) -> Local:
    return replace(part, columns=(replace(part.columns[0], epsilon=Fraction(1)),))


@pytest.mark.parametrize("change", [cheaper, another_list, another_mechanism, fewer])
def test_a_plan_that_was_tampered_with_is_found(change: Callable[[Local], Local], session: Session) -> None:
    made = plan(session, BOTH)
    (only,) = made.releases
    bad = replace(made, releases=(replace(only, parts=(change(part_of(only)),)),))
    context = session._state.context
    assert check_cost(made, Cost(Fraction(1)), context).epsilon == 1
    with pytest.raises(InternalError, match="nothing was charged"):
        check_cost(bad, Cost(Fraction(1)), context)


def twice(release: Release) -> Release:
    (part,) = release.parts
    assert isinstance(part, Local)
    half = replace(part, columns=tuple(replace(c, epsilon=c.epsilon / 2) for c in part.columns))
    return replace(release, parts=(half, half))


def of_some_rows(release: Release) -> Release:
    relation = Filter(release.question.relation, (apply("is_null", (release.keys.exprs[0],)),))
    return replace(release, question=replace(release.question, relation=relation))


@pytest.mark.parametrize("change", [twice, of_some_rows])
def test_rows_that_are_released_twice_or_not_all_are_found(
    change: Callable[[Release], Release], session: Session
) -> None:
    made = plan(session, BOTH)
    with pytest.raises(InternalError, match="nothing was charged"):
        check_cost(
            replace(made, releases=tuple(map(change, made.releases))),
            Cost(Fraction(1)),
            session._state.context,
        )


def test_the_check_of_the_cost_asks_for_substitute_again(session: Session, tmp_path: Path) -> None:
    made = plan(session, BOTH)
    for name, changes in (
        ("a", {"privacy": "neighbours: add_remove"}),
        ("b", {"table": "max_rows_per_unit: 5"}),
    ):
        context = survey(**changes).open(tmp_path / name)._state.context
        with pytest.raises(InternalError, match="nothing was charged"):
            check_cost(made, Cost(Fraction(1)), context)


def test_explain_tells_mechanism_flip_probability_and_error(session: Session) -> None:
    explained = session.explain(BOTH)
    assert [r.mechanism for r in explained.releases] == [
        "randomized_response",
        "rappor",
        "k_randomized_response",
    ]
    assert session.budget().spent.epsilon == 0
    first = explained.releases[0]
    p = 1 / (1 + math.exp(float(first.epsilon)))
    assert f"p = {p:.4g}" in first.note and "sqrt(n)" in first.note
    assert first.scale == pytest.approx(math.sqrt(p * (1 - p)) / (1 - 2 * p))
    assert "in random order" in explained.notes[0]
