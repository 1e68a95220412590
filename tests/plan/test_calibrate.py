"""A calibration from policy to proposal: what is charged before what is read, which noise, and what is proposed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dpsql import BudgetExhausted, InterfaceError, OperationalError, PolicyError, errors
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import DrawLost
from dpsql.engines import private_engine
from dpsql.engines.base import EngineQuery, Exact
from dpsql.engines.databases.copies import copy_databases
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.mechanisms import ExactSampler
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS, count_by_root
from dpsql.plan.calibration import Calibration
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.progress import untold
from dpsql.release.calibration.proposals import changes, curves, per_query
from dpsql.session import build_session, calibrate_policy

POLICY = """\
version: 1
privacy: {unit: orders.customer, neighbours: add_remove}
tables:
  orders:
    source: shop.duckdb
    unit_key: customer
    max_rows_per_unit: 3
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 50, step: 0.5}
      change: {type: integer, lower: -100, upper: 20}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 5, per_query: 1}
"""
# 400 persons have 2 rows of 100 and -7, 100 have 5 rows of 1 and 3.
ROWS = (
    "SELECT range // 2 AS customer, 100.0::DOUBLE AS amount, -7::BIGINT AS change FROM range(800) "
    "UNION ALL SELECT 1000 + range // 5, 1.0, 3 FROM range(500)"
)


class Recorded:
    """No noise, and what was asked of it."""

    def __init__(self) -> None:
        self.asked: list[tuple[int, Fraction, int]] = []

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: Fraction) -> np.ndarray:
        self.asked.append((sensitivity, epsilon, len(values)))
        return values

    def __getattr__(self, name: str) -> object:
        raise AssertionError(f"a calibration asked for {name}")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as db:
        db.execute(f"CREATE TABLE orders AS {ROWS}")
    return tmp_path


def policy_of(folder: Path, *replaced: tuple[str, str]) -> Policy:
    text = POLICY
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def drawn(policy: Policy, epsilon: str = "5", only: tuple[str, ...] = ()) -> Calibration:
    return calibrate_policy(policy, None, Fraction(epsilon), only, Recorded())  # type: ignore[arg-type]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The epsilon that a second ledger sees the dataset spent, each time that the private engine runs a query."""
    seen: list[str] = []
    run = private_engine.DuckEngine.run

    def noted(self: private_engine.DuckEngine, query: EngineQuery, seconds: float | None = None) -> Exact:
        (place,) = seen_in
        with Ledger.open(place) as other:
            seen.append(str(other.spent_dataset().epsilon))
        return run(self, query, seconds)

    seen_in: list[Path] = []
    monkeypatch.setattr(private_engine.DuckEngine, "run", noted)
    monkeypatch.setattr(
        "dpsql.session.default_ledger", lambda p: seen_in.append(p.with_suffix(".l")) or seen_in[-1]
    )
    yield seen


@pytest.mark.parametrize(("neighbours", "sensitivity"), [("add_remove", 1), ("substitute", 2)])
def test_each_histogram_has_its_share_and_all_bins_have_noise(
    folder: Path, neighbours: str, sensitivity: int
) -> None:
    sampler = Recorded()
    policy = policy_of(folder, ("neighbours: add_remove", f"neighbours: {neighbours}"))
    made = calibrate_policy(policy, None, Fraction(5), (), sampler)  # type: ignore[arg-type]
    assert sampler.asked == [(sensitivity, Fraction(1), ROOT_BINS)] * 5
    assert [f.of.name for f in made.found] == [
        "orders.max_rows_per_unit",
        *(f"orders.{column}.{size}" for column in ("amount", "change") for size in ("upper", "unit_total")),
    ]
    numbers = [(2, 5), (200, 2), (400, 10), (7, 3), (14, 15)]
    for found, (first, second) in zip(made.found, numbers, strict=True):
        assert found.counts == tuple(count_by_root(np.array([first] * 400 + [second] * 100)))


@pytest.mark.parametrize("source", ["shop.duckdb", "sqlite:///shop.db"])
def test_values_are_counted_as_the_sources_have_them_where_tables_are_prepared(
    folder: Path, source: str
) -> None:
    """Prepared ones are within the bounds, which are what is looked for; of a database the copy is read."""
    counts = [found.counts for found in drawn(policy_of(folder)).found]
    with closing(sqlite3.connect(folder / "shop.db")) as db, duckdb.connect() as rows:
        db.execute("CREATE TABLE orders (customer integer, amount real, change integer)")
        db.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows.execute(ROWS).fetchall())
        db.commit()
    policy = policy_of(
        folder,
        ("source: shop.duckdb", f"source: {source}"),
        ("budgets:", "engine: {prepared: copies}\nbudgets:"),
    )
    copy_databases(policy, untold)
    assert policy.engine.prepared is not None
    prepare_tables(policy, policy.engine.prepared)
    made = calibrate_policy(policy, folder / "other.ledger", Fraction(5), (), Recorded())  # type: ignore[arg-type]
    assert [found.counts for found in made.found] == counts


def test_bins_without_units_have_noise_as_well(folder: Path) -> None:
    made = calibrate_policy(policy_of(folder), None, Fraction(1, 2), (), ExactSampler())
    counts = np.array([found.counts for found in made.found])
    assert (counts == 0).mean() < 0.2 and (counts < 0).mean() > 0.3


def test_the_charge_is_durable_before_a_row_is_read(folder: Path, runs: list[str]) -> None:
    drawn(policy_of(folder), "2")
    assert runs == ["2"] * 5


def test_a_refusal_comes_before_any_row_is_read(folder: Path, runs: list[str]) -> None:
    with pytest.raises(BudgetExhausted):
        drawn(policy_of(folder), "5.5")
    assert runs == []


def test_what_fails_after_the_charge_stays_charged(
    folder: Path, runs: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: object, query: object, seconds: object = None) -> Exact:
        raise private_engine.EngineFailed("a row says 4711")

    monkeypatch.setattr(private_engine.DuckEngine, "run", broken)
    with pytest.raises(errors.QueryFailed) as failure:
        drawn(policy_of(folder), "2")
    assert "4711" not in str(failure.value) and failure.value.__cause__ is None
    with Ledger.open(folder / "policy.l") as book:
        assert book.spent_dataset().epsilon == 2


def test_a_draw_that_is_lost_for_one_who_began_to_ask_meanwhile_says_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_of(folder, ("epsilon: 5, per_query: 1", "epsilon: 1, per_query: 1"))
    run, asked = private_engine.DuckEngine.run, []

    def asking(self: private_engine.DuckEngine, query: EngineQuery, seconds: float | None = None) -> Exact:
        if not asked:
            asked.append(True)
            with closing(build_session(policy, "dora", None, (None, None), ExactSampler())) as session:
                session.answer("SELECT COUNT(*) FROM orders")
        return run(self, query, seconds)

    monkeypatch.setattr(private_engine.DuckEngine, "run", asking)
    with pytest.raises(DrawLost, match="dora had no budget left for it"):
        drawn(policy, "0.5")
    with Ledger.open(folder / "policy.ledger") as book:
        assert (book.spent("dora").epsilon, book.spent_dataset().epsilon) == (1, Fraction(3, 2))


def test_sources_that_changed_are_not_read(folder: Path) -> None:
    policy = policy_of(folder)
    drawn(policy, "0.1")
    with duckdb.connect(str(folder / "shop.duckdb")) as db:
        db.execute("INSERT INTO orders VALUES (7, 1, 1)")
    with pytest.raises(OperationalError, match="dpsql refresh"):
        drawn(policy, "0.1")


def test_facts_are_verified_first(folder: Path) -> None:
    policy = policy_of(folder, ("max_rows_per_unit: 3", "one_row_per_unit: true"))
    with pytest.raises(PolicyError, match="does not satisfy"):
        drawn(policy)


def test_nothing_to_find_is_told_and_not_charged(folder: Path) -> None:
    with pytest.raises(InterfaceError, match=r"no limit orders\.region"):
        drawn(policy_of(folder), only=("orders.region",))
    with Ledger.open(folder / "policy.ledger") as book:
        assert book.spent_dataset().epsilon == 0


def test_every_draw_is_another_and_is_stored(folder: Path) -> None:
    policy = policy_of(folder)
    one, other = drawn(policy, "0.5"), drawn(policy, "0.5")
    assert one.draw.name != other.draw.name
    with Ledger.open(folder / "policy.ledger") as book:
        assert book.spent_dataset().epsilon == 1
        assert [line.what for line in book.log()].count("draw") == 2
        assert book.verify() == ()


def test_an_analyst_of_the_policy_has_paid(folder: Path) -> None:
    made = drawn(policy_of(folder), "2")
    listed = f"calibrated: {{{made.draw.name}: {{epsilon: 2, histograms: 5}}}}\nbudgets:"
    policy = policy_of(folder, ("budgets:", listed))
    session = build_session(policy, "dora", None, (None, None), ExactSampler())
    assert session.budget().spent.epsilon == 2
    session.answer("SELECT count(*) FROM orders")
    assert session.budget().spent.epsilon == 3
    assert session.answer("SELECT question FROM dpsql.history").rows[0] == ("limits found for the policy",)
    session.close()


def test_the_curve_and_the_proposals(folder: Path) -> None:
    policy = policy_of(folder)
    made = drawn(policy)
    of = {curve.of.name: curve for curve in curves(made, policy, 1)}
    assert per_query(policy) == 1
    rows = of["orders.max_rows_per_unit"]
    assert [(int(p.limit), p.above, float(p.bias[0])) for p in rows.points] == [
        (1, 500, 800), (2, 100, 300), (4, 100, 100), (5, 0, 0)
    ]  # fmt: skip
    assert [round(float(p.noise), 3) for p in rows.points] == [0.693, 1.386, 2.773, 3.466]
    assert [tuple(map(float, p.bias)) for p in rows.points][:1] == [(800.0, 80.0, 8.0)]
    assert (rows.current, rows.best, rows.proposed) == (3, (5, 5, 5), 5)
    told = {f"{c.table}.{c.column}.{c.key}": c.written for c in changes(tuple(of.values()), policy)}
    assert told == {
        "orders.None.max_rows_per_unit": "5",
        "orders.amount.upper": "128",  # 200 steps of 0.5 lie in the bin up to 256 steps
        "orders.amount.unit_total": "256",
        "orders.change.lower": "-8",
        "orders.change.upper": "8",
        "orders.change.unit_total": "16",
    }


def test_noise_hides_few_persons_and_nothing_is_proposed(folder: Path) -> None:
    policy = policy_of(folder)
    made = drawn(policy, "0.05")
    assert all(not curve.points and curve.proposed is None for curve in curves(made, policy, 10))
    assert changes(curves(made, policy, 10), policy) == ()


def test_a_looser_limit_is_proposed_where_it_clearly_helps_alone(folder: Path) -> None:
    """In 500 groups alike, 400 persons above the bound of 50 cost each group less than the noise of a larger one."""
    policy = policy_of(folder)
    made = drawn(policy)
    few, many = (
        next(c for c in curves(made, policy, groups) if c.of.name == "orders.amount.upper")
        for groups in (10, 500)
    )
    assert few.is_looser and few.helps and {c.key for c in changes((few,), policy)} == {"upper"}
    assert many.is_looser and not many.helps and changes((many,), policy) == ()
    assert few.errors is not None and many.errors is not None
    noise = float(few.points[0].noise / few.points[0].limit)
    # Between two limits of the curve the loss is told on a line: at 50 it is 400 times that of a value of about 109.
    assert float(many.errors[0]) == pytest.approx(50 * noise + 400 * 59.5 / 500, rel=0.01)
    assert Fraction(9, 10) * many.errors[0] < many.errors[1] < many.errors[0]


def test_errors_are_told_at_a_limit_of_the_curve(folder: Path) -> None:
    policy = policy_of(folder, ("max_rows_per_unit: 3", "max_rows_per_unit: 1"))
    made = drawn(policy)
    rows = curves(made, policy, 1)[0]
    assert rows.errors is not None and rows.helps
    assert [float(e) for e in rows.errors] == pytest.approx([800 + 0.693, 5 * 0.693], rel=1e-3)


def test_no_end_of_a_range_is_moved_outwards_by_a_tighter_limit(folder: Path) -> None:
    policy = policy_of(folder)
    made = drawn(policy)
    found = next(c for c in curves(made, policy, 10) if c.of.name == "orders.change.upper")
    for proposed, ends in ((50, {"lower": "-50"}), (200, {"upper": "200"}), (100, {})):
        moved = replace(found, proposed=Fraction(proposed), errors=None)
        assert {c.key: c.written for c in changes((moved,), policy)} == ends
