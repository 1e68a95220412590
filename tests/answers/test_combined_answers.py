"""With `combine`, new answers are fitted to what the analyst has received; answers that were given stay."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.errors import InterfaceError, QueryRefused
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.policy.load import load_policy
from dpsql.release.types import Answer
from dpsql.session import Session, build_session

TOTAL = "SELECT COUNT(*) AS n FROM orders"
BY_PAID = "SELECT paid, COUNT(*) AS n FROM orders GROUP BY paid ORDER BY paid"
BY_RATING = "SELECT rating, COUNT(*) AS n FROM orders GROUP BY rating ORDER BY rating"
BOTH = "SELECT rating, paid, COUNT(*) AS n FROM orders GROUP BY rating, paid ORDER BY rating, paid"
COMBINED = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (combine = true)"
DASHBOARD = (TOTAL, BY_RATING, BOTH, BY_PAID)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = make_shop(tmp_path)
    text = (folder / "table_cap.yaml").read_text(encoding="utf-8")
    (folder / "zcdp.yaml").write_text(f"{text}accountant: zcdp\n", encoding="utf-8")
    return folder


def opened(
    shop: Path,
    *,
    combine: object = True,
    analyst: str = "alice",
    policy: str = "table_cap",
    epsilon: str = "0.1",
    sampler: Sampler | None = None,
) -> Session:
    return build_session(
        load_policy(shop / f"{policy}.yaml"),
        analyst,
        shop / "shop.ledger",
        (epsilon, None),
        sampler or ExactSampler(),
        combine=combine,
        resources=shared_engines,
    )


@pytest.fixture
def alice(shop: Path) -> Iterator[Session]:
    with closing(opened(shop)) as session:
        yield session


class Above(Noiseless):
    """A sampler whose noise is far above what a fit could leave as it is."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        return values + 10**6


def asked(shop: Path, sql: str, **how: object) -> Answer:
    with closing(opened(shop, **how)) as session:  # type: ignore[arg-type]
        return session.answer(sql)


def width(answer: Answer) -> float:
    interval = answer.released.intervals[0][-1]
    assert interval is not None
    return (interval.high - interval.low) / 2


@pytest.mark.one_in(6)
@pytest.mark.parametrize("policy", ["table_cap", "zcdp", "dataset_cap"])
def test_without_noise_every_combined_answer_is_what_the_data_says(shop: Path, policy: str) -> None:
    """Also where a cap leaves out rows: the same ones, whatever the groups are."""
    drawn = {sql: asked(shop, sql, combine=False, policy=policy, sampler=Noiseless()) for sql in DASHBOARD}
    for order in itertools.permutations(DASHBOARD, 3):
        who = " ".join(str(DASHBOARD.index(sql)) for sql in order)
        with closing(opened(shop, policy=policy, sampler=Noiseless(), analyst=who)) as session:
            for sql in order:
                assert session.answer(sql).rows == drawn[sql].rows


@pytest.mark.parametrize("policy", ["table_cap", "zcdp"])
def test_an_answer_that_was_given_stays_what_it_was(shop: Path, policy: str) -> None:
    """With the option or without it, in another session, and whatever was received since."""
    first = [asked(shop, sql, policy=policy) for sql in DASHBOARD]
    assert [a.released.epsilon for a in first] == [Fraction("0.1")] * 4
    for combine, (sql, given) in itertools.product((True, False), zip(DASHBOARD, first, strict=True)):
        for epsilon in ("0.1", "0.05") if sql != BY_PAID else ("0.1",):
            again = asked(shop, sql, combine=combine, policy=policy, epsilon=epsilon)
            assert again.rows == given.rows and again.released.epsilon == 0
            assert again.released.intervals == given.released.intervals
    with Ledger.open(shop / "shop.ledger") as ledger:
        assert ledger.verify() == ()
        assert ledger.spent("alice") == ledger.spent_dataset()


def test_an_answer_that_was_given_without_the_option_stays_its_draw_alone(shop: Path) -> None:
    asked(shop, TOTAL)
    drawn = asked(shop, BOTH, combine=False)
    assert asked(shop, BOTH).rows == drawn.rows
    assert asked(shop, BOTH, analyst="bob").rows == drawn.rows


def test_the_draw_is_shared_and_what_is_shown_of_it_is_the_analysts_own(shop: Path) -> None:
    """Nobody pays more or less, and the dataset pays once."""
    asked(shop, TOTAL, sampler=Above())
    fitted = asked(shop, BOTH)
    drawn = asked(shop, BOTH, analyst="bob")
    assert drawn.released.epsilon == fitted.released.epsilon == Fraction("0.1")
    assert drawn.rows != fitted.rows and width(fitted) < width(drawn)
    with Ledger.open(shop / "shop.ledger") as ledger:
        assert ledger.spent_dataset().epsilon == Fraction("0.2")


def test_what_others_received_changes_nothing(shop: Path) -> None:
    for sql in DASHBOARD:
        asked(shop, sql, analyst="bob")
    alone = asked(shop, BOTH)
    assert alone.rows == asked(shop, BOTH, analyst="carol", combine=False).rows
    assert not any("fitted" in note for note in alone.released.notes)


@pytest.mark.parametrize("policy", ["table_cap", "zcdp"])
def test_it_is_told_beforehand_how_sure_the_answer_will_be(shop: Path, policy: str) -> None:
    with closing(opened(shop, policy=policy)) as session:
        for sql in (TOTAL, BY_RATING, BOTH):
            plan = session.explain(sql)
            answer = session.answer(sql)
            assert plan.columns[-1].half_width == pytest.approx(width(answer))
            assert plan.releases[-1].expected_error == plan.columns[-1].half_width
        assert plan.epsilon == Fraction("0.1")
        assert "fitted by least squares" in " ".join(plan.notes) and "in all at epsilon 0.1" in " ".join(
            plan.notes
        )
        alone = asked(shop, BOTH, policy=policy, analyst="bob")
        assert width(answer) < 0.95 * width(alone)


def test_coarser_answers_are_sums_of_the_fitted_groups(alice: Session) -> None:
    alice.answer(TOTAL)
    groups = alice.answer(BOTH)
    coarser = alice.answer(f"{COMBINED} SUM(n) FROM ({BOTH}) AS b")
    assert coarser.rows[0][0] == sum(row[-1] for row in groups.rows)
    one = alice.answer("SELECT rating, COUNT(*) AS n FROM orders WHERE paid GROUP BY rating ORDER BY rating")
    assert one.released.epsilon == 0 and width(one) == pytest.approx(width(groups))
    assert [row[-1] for row in one.rows] == [row[-1] for row in groups.rows if row[1]]


def sums_by_paid(groups: Answer) -> list[tuple[object, ...]]:
    return [(paid, sum(n for _, p, n in groups.rows if p == paid)) for paid in (False, True)]  # type: ignore[misc]


@pytest.mark.parametrize("combine", [True, False])
def test_what_a_given_answer_implies_agrees_with_it(shop: Path, combine: bool) -> None:
    """A sum of fitted groups is that of the rows that were shown, with the noise that it has."""
    asked(shop, TOTAL, epsilon="1")
    groups = asked(shop, BOTH, epsilon="1")
    implied = asked(shop, BY_PAID, combine=combine)
    assert implied.released.epsilon == 0 and list(implied.rows) == sums_by_paid(groups)
    asked(shop, BOTH, epsilon="1", analyst="bob")
    of_draws = asked(shop, BY_PAID, analyst="bob")
    # The total has the variance of one draw and that of twelve: of six cells' 6, this leaves 6 - 3 * 12 / 13.
    assert width(implied) / width(of_draws) == pytest.approx((1 - 6 / 13) ** 0.5, rel=0.02)


def test_some_groups_of_a_fitted_answer_are_not_added_up(shop: Path) -> None:
    """The law of their sum is not known."""
    some = BY_PAID.replace("GROUP BY", "WHERE rating IN (1, 2) GROUP BY")
    for who, combine, cost in (("alice", True, Fraction("0.1")), ("bob", False, 0)):
        for sql in (TOTAL, BOTH):
            asked(shop, sql, epsilon="1", analyst=who, combine=combine)
        assert asked(shop, some, analyst=who, combine=combine).released.epsilon == cost


def test_a_query_may_ask_for_it_alone(shop: Path) -> None:
    with closing(opened(shop, combine=False)) as session:
        session.answer(TOTAL)
        assert "fitted" in " ".join(session.explain(BOTH.replace("SELECT", COMBINED)).notes)
        assert "fitted" not in " ".join(session.explain(BOTH).notes)
        given = session.answer(BOTH.replace("SELECT", COMBINED))
        assert session.answer(BOTH).rows == given.rows
        with pytest.raises(QueryRefused, match="combine must be true or false"):
            session.answer(BOTH.replace("SELECT", COMBINED.replace("true", "1")))


@pytest.mark.parametrize("given", [True, "true", "ON"])
def test_the_option_may_be_a_text(shop: Path, given: object) -> None:
    asked(shop, TOTAL)
    assert "fitted" in " ".join(asked(shop, BOTH, combine=given).released.notes)


@pytest.mark.parametrize("given", [1, "yes", None])
def test_any_other_value_is_refused(shop: Path, given: object) -> None:
    with pytest.raises(InterfaceError, match="combine must be True or False"):
        opened(shop, combine=given)


def test_fresh_draws_are_fitted_to_nothing(shop: Path) -> None:
    asked(shop, TOTAL)
    fresh = asked(shop, BOTH.replace("SELECT", f"{COMBINED[:-1]}, fresh = true)"))
    assert not any("fitted" in note for note in fresh.released.notes)


def test_the_history_shows_the_question_and_no_key(alice: Session) -> None:
    alice.answer(TOTAL)
    alice.answer(BOTH)
    rows = alice.answer("SELECT question, canonical FROM dpsql.history ORDER BY number").rows
    assert len(rows) == 2 and not any("fitted" in str(cell) for row in rows for cell in row)


def test_a_finer_answer_under_zcdp_is_the_mean_of_draws_and_not_of_fits(shop: Path) -> None:
    asked(shop, TOTAL, policy="zcdp")
    coarse = asked(shop, BOTH, policy="zcdp")
    finer = asked(shop, BOTH, policy="zcdp", epsilon="0.5")
    assert finer.released.epsilon < Fraction("0.5") and finer.rows != coarse.rows
    assert [asked(shop, BOTH, policy="zcdp", epsilon=e).rows for e in ("0.1", "0.5")] == [
        coarse.rows,
        finer.rows,
    ]


def test_averages_are_made_of_fitted_sums(shop: Path) -> None:
    by = "SELECT {} AVG(quantity) AS q, COUNT(quantity) AS n FROM orders {}"
    asked(shop, by.format("", ""))
    fitted = asked(shop, by.format("paid,", "GROUP BY paid"))
    assert "fitted" in " ".join(fitted.released.notes)
    drawn = asked(shop, by.format("paid,", "GROUP BY paid"), analyst="bob")
    assert width(fitted) < 0.95 * width(drawn)


def test_columns_of_several_releases_are_not_told_from_noise_that_they_share(shop: Path) -> None:
    """Without the option the noises are independent, and the error of their difference is told."""
    more = f"SELECT b.paid, b.n - t.n AS more FROM ({BY_PAID}) AS b CROSS JOIN ({TOTAL}) AS t"
    for who, combine, told in (("alice", True, False), ("bob", False, True)):
        with closing(opened(shop, analyst=who, combine=combine)) as session:
            session.answer(TOTAL)
            assert (session.explain(more).columns[1].half_width is not None) == told
            answer = session.answer(more)
            assert [row[1] is not None for row in answer.released.intervals] == [told] * 2
