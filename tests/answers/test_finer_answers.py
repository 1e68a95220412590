"""The same question at a larger epsilon: drawn on the path of the coarser answers, and paid by the difference."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from answers.engines import shared_engines
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.engines.base import EngineQuery, Exact
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan import noise_paths
from dpsql.plan.forms import canonical
from dpsql.plan.noise_paths import path_text
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

COUNTS = "SELECT region, COUNT(*) AS n FROM orders GROUP BY region"
# Two families, whose shares of the epsilon depend on it.
SEVERAL = "SELECT paid, COUNT(*), COUNT(DISTINCT customer) FROM orders GROUP BY paid"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


def opened(
    shop: Path,
    analyst: str = "alice",
    epsilon: object = None,
    policy: str = "shop",
    sampler: Sampler | None = None,
    fresh: bool = False,
) -> Session:
    loaded = load_policy(shop / f"{policy}.yaml")
    return build_session(
        loaded,
        analyst,
        shop / "shop.ledger",
        (epsilon, None),
        sampler or ExactSampler(),
        fresh=fresh,
        resources=shared_engines,
    )


def paid(shop: Path, sql: str, epsilon: str, analyst: str = "alice", **how: object) -> Fraction:
    session = opened(shop, analyst, epsilon, **how)  # type: ignore[arg-type]
    try:
        return session.answer(sql).released.epsilon
    finally:
        session.close()


def spent(shop: Path) -> tuple[Fraction, Fraction]:
    """What alice and the dataset have spent; the ledger verifies."""
    with Ledger.open(shop / "shop.ledger") as ledger:
        assert ledger.verify() == ()
        return ledger.spent("alice").epsilon, ledger.spent_dataset().epsilon


@pytest.mark.parametrize("sql", [COUNTS, SEVERAL, "SELECT SUM(amount) FROM orders WHERE paid"])
def test_a_finer_answer_costs_the_difference(shop: Path, sql: str) -> None:
    found = [paid(shop, sql, epsilon) for epsilon in ("0.1", "0.4", "1", "0.4", "1")]
    assert found == [Fraction(1, 10), Fraction(3, 10), Fraction(6, 10), 0, 0]
    assert spent(shop) == (1, 1)


@pytest.mark.parametrize("others", [(), ("0.25",), ("1",), ("0.5", "1"), ("1", "0.1")])
def test_what_others_asked_changes_neither_price_nor_explanation(shop: Path, others: tuple[str, ...]) -> None:
    for epsilon in others:
        paid(shop, COUNTS, epsilon, "bob")
    assert paid(shop, COUNTS, "0.25") == Fraction(1, 4)
    explained = opened(shop, epsilon="0.75").explain(COUNTS)
    assert explained.epsilon == Fraction(1, 2)
    assert (
        "COUNT(*) by region refines the answer that you received at epsilon 0.25: it costs 0.5 instead of 0.75"
        in explained.notes
    )
    assert paid(shop, COUNTS, "0.75") == Fraction(1, 2)
    assert spent(shop)[0] == Fraction(3, 4)


def test_what_is_coarser_or_between_is_drawn_without_the_data_and_costs_the_dataset_nothing(
    shop: Path,
) -> None:
    class NoData:
        def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
            raise AssertionError("the data was asked")

    paid(shop, SEVERAL, "1", "bob")
    for epsilon, asked in (("0.25", "coarsen"), ("0.5", "between")):
        sampler = Noiseless()
        session = opened(shop, epsilon=epsilon, sampler=sampler)
        session._state.engine, held = NoData(), session._state.engine  # type: ignore[assignment]
        assert session.answer(SEVERAL).released.epsilon == Fraction(1, 4)
        session._state.engine = held
        session.close()
        assert set(sampler.asked) == {asked}
    assert spent(shop) == (Fraction(1, 2), 1)


class Beside(Noiseless):
    """Notes each law on a path, and gives what it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.laws: list[tuple[str, dict[str, object], np.ndarray]] = []

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        self.laws.append(("fresh", {"sensitivity": sensitivity, "epsilon": epsilon}, values))
        return values + 7

    def refine(self, values: np.ndarray, coarse: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(("refine", law, coarse - values))
        return values + 3

    def coarsen(self, fine: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(("coarsen", law, fine))
        return fine + 10

    def between(self, coarse: np.ndarray, fine: np.ndarray, **law: object) -> np.ndarray:
        self.laws.append(("between", law, coarse - fine))
        return fine


def test_a_draw_is_made_beside_its_nearest_neighbours_at_their_epsilons(shop: Path) -> None:
    half, most = Fraction(1, 2), Fraction(1)
    laws = []
    for epsilon, analyst in (("0.5", "alice"), ("1", "alice"), ("0.25", "bob"), ("0.75", "bob")):
        sampler = Beside()
        paid(shop, COUNTS, epsilon, analyst, sampler=sampler)
        laws += sampler.laws
    assert [name for name, *_ in laws] == ["fresh", "refine", "coarsen", "between"]
    size = laws[0][1]["sensitivity"]
    assert laws[1][1] == {"sensitivity": size, "epsilon": half, "finer": most}
    assert set(laws[1][2].tolist()) == {7}  # the stored noise
    assert laws[2][1] == {"sensitivity": size, "epsilon": Fraction(1, 4), "finer": half}
    assert laws[3][1] == {"sensitivity": size, "epsilon": half, "middle": Fraction(3, 4), "finer": most}
    assert set(laws[3][2].tolist()) == {4}


def test_two_who_refine_one_draw_at_once_never_both_do(shop: Path) -> None:
    """While one draws, another stores a draw on the path: the first one draws again, beside that."""
    session = opened(shop, "bob", "0.75", sampler=Noiseless())

    class Raced(Beside):
        def refine(self, values: np.ndarray, coarse: np.ndarray, **law: object) -> np.ndarray:
            if not self.laws:
                session.answer(COUNTS)
            return super().refine(values, coarse, **law)

    paid(shop, COUNTS, "0.5", sampler=Noiseless())
    raced = Raced()
    assert paid(shop, COUNTS, "1", sampler=raced) == Fraction(1, 2)
    assert [law["epsilon"] for _, law, _ in raced.laws] == [Fraction(1, 2), Fraction(3, 4)]
    assert spent(shop) == (1, Fraction(5, 4))


def changed(shop: Path, name: str, change: Callable[[str], str]) -> str:
    text = (shop / "shop.yaml").read_text(encoding="utf-8")
    (shop / f"{name}.yaml").write_text(change(text), encoding="utf-8")
    return name


def with_window(text: str) -> str:
    return text.replace(
        "budgets:\n", "budgets:\n  roles: {nobody: {epsilon: 1, members: [carol], window: daily}}\n"
    )


@pytest.mark.parametrize("accountant", ["zcdp", "rdp"])
def test_an_accountant_of_rho_knows_no_difference(shop: Path, accountant: str) -> None:
    laplace = "max_rows_per_unit: 100, mechanisms: [discrete_laplace]"
    policy = changed(
        shop,
        "rho",
        lambda text: text.replace("max_rows_per_unit: 100", laplace) + f"\naccountant: {accountant}\n",
    )
    assert [paid(shop, COUNTS, e, policy=policy) for e in ("0.25", "1")] == [Fraction(1, 4), 1]


def test_a_budget_with_a_window_knows_no_difference(shop: Path) -> None:
    policy = changed(shop, "window", with_window)
    assert [paid(shop, COUNTS, e, policy=policy) for e in ("0.25", "1")] == [Fraction(1, 4), 1]


@pytest.mark.parametrize(("before", "after"), [("shop", "window"), ("window", "shop")])
def test_what_was_received_stays_free_where_windows_change(shop: Path, before: str, after: str) -> None:
    changed(shop, "window", with_window)
    first = opened(shop, epsilon="0.5", policy=before).answer(COUNTS)
    again = opened(shop, epsilon="0.5", policy=after).answer(COUNTS)
    assert again.rows == first.rows and again.released.epsilon == 0
    smaller = opened(shop, epsilon="0.25", policy=after).answer(COUNTS)
    assert smaller.rows == first.rows and smaller.released.epsilon == 0
    # A draw of its own is on no path: what is finer is paid in full.
    assert paid(shop, COUNTS, "1", policy=after) == 1


def test_what_others_drew_under_windows_is_on_no_path(shop: Path) -> None:
    policy = changed(shop, "window", with_window)
    paid(shop, COUNTS, "0.5", "bob", policy=policy)
    assert [paid(shop, COUNTS, e) for e in ("0.5", "1")] == [Fraction(1, 2), Fraction(1, 2)]
    assert spent(shop) == (1, Fraction(3, 2))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT product, COUNT(*) FROM orders GROUP BY product",
        "SELECT MEDIAN(quantity) FROM orders",
        "SELECT COUNT(*), AVG(amount), SUM(quantity) FROM orders",
        "SELECT region, COUNT(*), MAX(amount) FROM orders GROUP BY region",
        "SELECT region FROM orders GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
    ],
)
def test_what_is_no_sum_with_discrete_laplace_noise_is_a_new_draw(shop: Path, sql: str) -> None:
    assert [paid(shop, sql, e) for e in ("0.25", "1")] == [Fraction(1, 4), 1]


def test_a_fresh_draw_is_on_no_path(shop: Path) -> None:
    assert paid(shop, COUNTS, "0.25") == Fraction(1, 4)
    assert paid(shop, COUNTS, "0.5", fresh=True) == Fraction(1, 2)
    assert paid(shop, COUNTS, "1") == Fraction(3, 4)


def test_a_path_is_the_same_at_every_epsilon_and_another_for_every_other_question(shop: Path) -> None:
    def text(sql: str, epsilon: str) -> str:
        session = opened(shop, epsilon=epsilon)
        (release,) = prepare(sql, None, session._state).plan.releases
        found = path_text(release, canonical(release.question), canonical(release.keys.domain))
        session.close()
        return found

    for sql in (COUNTS, SEVERAL):
        assert text(sql, "0.1") == text(sql, "0.777777777") == text(sql, "1")
    assert len({text(COUNTS + where, "1") for where in ("", " HAVING COUNT(*) > 3")}) == 1
    others = (
        COUNTS,
        SEVERAL,
        COUNTS.replace("orders", "orders WHERE paid"),
        COUNTS.replace("region", "paid"),
    )
    assert len({text(sql, "1") for sql in others}) == 4


def test_what_another_version_drew_is_no_coarser_draw(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have counted otherwise; what it stored is still received."""
    assert paid(shop, COUNTS, "0.25") == Fraction(1, 4)
    monkeypatch.setattr(noise_paths, "VERSION", "0.1.1")
    assert paid(shop, COUNTS, "0.25") == 0
    assert paid(shop, COUNTS, "0.5") == Fraction(1, 2)
    assert paid(shop, COUNTS, "1") == Fraction(1, 2)


def test_a_finer_draw_is_charged_to_the_parts_that_the_coarser_one_was_charged_to(shop: Path) -> None:
    """A partition's parts add up by the difference as well."""
    session = opened(shop, epsilon="0.2")
    charge = prepare(COUNTS, None, session._state).charges[0]
    finer = prepare(
        f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1) {COUNTS[7:]}", None, session._state
    )
    session.close()
    assert charge is not None and finer.charges[0] is not None
    assert (charge.path, charge.confined) == (finer.charges[0].path, finer.charges[0].confined)
    assert charge.path and charge.key != finer.charges[0].key
