"""Under zcdp and rdp a finer answer is the mean of what was received and of a new draw, which costs the difference."""

from __future__ import annotations

from contextlib import closing
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from answers.engines import shared_engines
from answers.lost_draws import lose_draws
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.policy.load import load_policy
from dpsql.privacy import Charge
from dpsql.release.draw.earlier_releases import averaged
from dpsql.release.draw.noise import Noisy
from dpsql.release.types import Answer
from dpsql.session import Session, build_session
from dpsql.stages import reuse
from dpsql.stages.state import State

COUNTS = "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"
SUMS = "SELECT SUM(amount) AS s, COUNT(*) AS n FROM orders"
# sqrt(0.5^2 - 0.1^2), rounded up to millionths.
DIFFERENCE = Fraction(489898, 1_000_000)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def opened(
    shop: Path,
    epsilon: str,
    analyst: str = "alice",
    accountant: str = "zcdp",
    sampler: Sampler | None = None,
) -> Session:
    text = (shop / "shop.yaml").read_text(encoding="utf-8")
    (shop / f"{accountant}.yaml").write_text(f"{text}accountant: {accountant}\n", encoding="utf-8")
    return build_session(
        load_policy(shop / f"{accountant}.yaml"),
        analyst,
        shop / "shop.ledger",
        (epsilon, None),
        sampler or ExactSampler(),
        resources=shared_engines,
    )


def asked(shop: Path, sql: str, epsilon: str, **how: object) -> Answer:
    with closing(opened(shop, epsilon, **how)) as session:  # type: ignore[arg-type]
        return session.answer(sql)


def paid(shop: Path, sql: str, epsilon: str, **how: object) -> Fraction:
    return asked(shop, sql, epsilon, **how).released.epsilon


@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
@pytest.mark.parametrize("sql", [COUNTS, SUMS])
def test_a_finer_answer_costs_the_difference_of_the_squares(shop: Path, sql: str, accountant: str) -> None:
    costs = [paid(shop, sql, e, accountant=accountant) for e in ("0.1", "0.5", "0.1", "0.5", "0.3")]
    assert costs == [Fraction("0.1"), DIFFERENCE, 0, 0, 0]
    with Ledger.open(shop / "shop.ledger") as ledger:
        assert ledger.verify() == ()
        assert ledger.spent("alice") == ledger.spent_dataset()


def test_both_cost_what_one_draw_at_the_larger_epsilon_costs(shop: Path) -> None:
    asked(shop, COUNTS, "0.1")
    asked(shop, COUNTS, "0.5")
    asked(shop, COUNTS, "0.5", analyst="bob")
    with closing(opened(shop, "0.5")) as alice, closing(opened(shop, "0.5", "bob")) as bob:
        both, one = alice.budget().spent.epsilon, bob.budget().spent.epsilon
    assert one <= both < one * Fraction(10001, 10000)


def test_an_answer_that_was_given_stays_what_it_was(shop: Path) -> None:
    first, second, third = (asked(shop, COUNTS, e).rows for e in ("0.1", "0.3", "0.6"))
    assert len({first, second, third}) == 3
    assert [asked(shop, COUNTS, e).rows for e in ("0.6", "0.3", "0.1", "0.05", "0.2", "0.45")] == [
        *(third, second, first, first, second, third)
    ]


class Shifted(Noiseless):
    """A sampler whose n-th draw is the exact values and 10 to the n."""

    def __init__(self) -> None:
        super().__init__()
        self.draws = 0

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: object, rho: object
    ) -> np.ndarray:
        self.draws += 1
        return values + 10**self.draws


def test_the_mean_is_weighted_by_the_squares_of_the_epsilons(shop: Path) -> None:
    sampler = Shifted()
    exact = {region: n - 10 for region, n in asked(shop, COUNTS, "0.3", sampler=sampler).rows}  # type: ignore[operator]
    for region, n in asked(shop, COUNTS, "0.5", sampler=sampler).rows:
        assert n == exact[region] + round((10 * 0.09 + 100 * 0.16) / 0.25)
    for region, n in asked(shop, COUNTS, "1", sampler=sampler).rows:
        assert n == exact[region] + round(10 * 0.09 + 100 * 0.16 + 1000 * 0.75)
    assert sampler.draws == 3


@pytest.mark.parametrize("others", [("0.2",), ("0.5",), ("0.1", "0.5"), ("1", "0.3")])
def test_what_others_asked_changes_neither_price_nor_explanation(shop: Path, others: tuple[str, ...]) -> None:
    for epsilon in others:
        asked(shop, COUNTS, epsilon, analyst="bob")
    assert paid(shop, COUNTS, "0.1") == Fraction("0.1")
    with closing(opened(shop, "0.5")) as session:
        explained = session.explain(COUNTS)
    assert explained.epsilon == DIFFERENCE
    assert any("the mean of what you received at epsilon 0.1 and of a new draw" in n for n in explained.notes)
    assert paid(shop, COUNTS, "0.5") == DIFFERENCE
    with closing(opened(shop, "0.4")) as session:
        assert session.explain(COUNTS).epsilon == 0


def test_who_has_received_the_same_shares_the_draw(shop: Path) -> None:
    alice = [asked(shop, COUNTS, e).rows for e in ("0.1", "0.5")]
    bob = [asked(shop, COUNTS, e, analyst="bob") for e in ("0.1", "0.5")]
    assert [b.rows for b in bob] == alice
    assert [b.released.epsilon for b in bob] == [Fraction("0.1"), DIFFERENCE]
    with Ledger.open(shop / "shop.ledger") as ledger:
        assert ledger.spent_dataset() == ledger.spent("alice") == ledger.spent("bob")


def test_two_that_were_drawn_beside_one_at_once_both_stay(shop: Path) -> None:
    asked(shop, COUNTS, "0.1")
    one, other = opened(shop, "0.5"), opened(shop, "0.6")
    with closing(one), closing(other):
        stored = Ledger.charge

        def other_first(ledger: Ledger, *of: object) -> object:
            Ledger.charge = stored  # type: ignore[method-assign]
            answers.append(other.answer(COUNTS).rows)
            return stored(ledger, *of)  # type: ignore[arg-type]

        answers: list[object] = []
        Ledger.charge = other_first  # type: ignore[method-assign, assignment]
        try:
            answers.append(one.answer(COUNTS).rows)
        finally:
            Ledger.charge = stored  # type: ignore[method-assign]
    assert [asked(shop, COUNTS, "0.6").rows, asked(shop, COUNTS, "0.55").rows] == [answers[0]] * 2
    assert paid(shop, COUNTS, "0.5") == 0


def test_the_interval_is_that_of_one_draw_at_the_larger_epsilon(shop: Path) -> None:
    asked(shop, COUNTS, "0.1")
    mean = asked(shop, COUNTS, "0.5")
    one = asked(shop, COUNTS, "0.5", analyst="bob")
    widths = [
        [cells[1].high - cells[1].low for cells in answer.released.intervals]  # type: ignore[union-attr]
        for answer in (mean, one, asked(shop, COUNTS, "0.3"))
    ]
    assert widths[0] == widths[1] == widths[2]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT product, COUNT(*) FROM orders GROUP BY product",
        "SELECT MEDIAN(quantity) FROM orders",
        "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_what_has_other_noise_is_drawn_anew(shop: Path, sql: str) -> None:
    assert [paid(shop, sql, e) for e in ("0.1", "0.5")] == [Fraction("0.1"), Fraction("0.5")]


def test_where_epsilons_add_up_there_is_no_mean(shop: Path) -> None:
    text = (shop / "shop.yaml").read_text(encoding="utf-8")
    gaussian = text.replace(
        "max_rows_per_unit: 100", "max_rows_per_unit: 100, mechanisms: [discrete_gaussian]"
    )
    (shop / "shop.yaml").write_text(gaussian, encoding="utf-8")
    assert [paid(shop, COUNTS, e, accountant="approx") for e in ("0.1", "0.5")] == [
        *(Fraction("0.1"), Fraction("0.5"))
    ]


def test_other_questions_about_the_same_rows_are_not_planned_again(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for sql in (SUMS, "SELECT paid, COUNT(*) FROM orders GROUP BY paid", COUNTS):
        asked(shop, sql, "0.1")
    planned: list[str] = []
    again = reuse.planned_as

    def noted(charge: Charge, s: State) -> object:
        planned.append(charge.canonical)
        return again(charge, s)

    monkeypatch.setattr(reuse, "planned_as", noted)
    assert paid(shop, COUNTS, "0.5") == DIFFERENCE
    assert len(planned) == 1 and "region" in planned[0]


def test_the_mean_of_draws_varies_as_little_as_one_draw() -> None:
    cells = np.full((40_000, 1), 7, dtype=np.int64)
    rhos = [Fraction(1, 200), Fraction(3, 200)]
    draws = [
        Noisy(
            ((),), np.asarray(ExactSampler().discrete_gaussian(cells[:, 0], squared_sensitivity=1, rho=rho))
        )
        for rho in rhos
    ]
    mean = averaged(draws, (1, 3)).cells.astype(float)
    assert abs(mean.mean() - 7) < 0.2
    # One draw at 4/200 has 25, give or take 0.18; with equal weights it would be 33.
    assert 0.94 < mean.var() / 25 < 1.06


def test_a_mean_is_rounded_as_often_down_as_up() -> None:
    first, second = (
        np.array([[7 + n] for n in noise]) for noise in ([-2, 0, 2] * 3, [-1] * 3 + [0] * 3 + [1] * 3)
    )
    mean = averaged([Noisy(((),) * 9, first), Noisy(((),) * 9, second)], (1, 3)).cells
    assert sum(mean[:, 0]) == 7 * 9 and all(type(n) is int for n in mean[:, 0])


def test_a_mean_whose_draws_the_ledger_has_lost_is_drawn_and_paid(shop: Path) -> None:
    asked(shop, COUNTS, "0.1")
    asked(shop, COUNTS, "0.5")
    with closing(opened(shop, "0.495")) as session:  # between the last draw and the mean
        assert session.answer(COUNTS).released.epsilon == session.answer(COUNTS).released.epsilon == 0
        lose_draws(shop / "shop.ledger")
        assert session.answer(COUNTS).released.epsilon == Fraction(495, 1000)
