"""A calibration is paid by every account: those there are when it is drawn, later ones in their first window.

Whether a policy lists it by then changes nothing: it may be listed the moment after.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import pytest
from ledger_builders import charge, cost

from dpsql.accounting.calibration_charges import calibration_charge, opening_charges
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.policy_accounts import EVERYBODY, admin_request, named_accounts
from dpsql.accounting.types import DrawLost, Request, Step, StoredReleases
from dpsql.errors import BudgetExhausted
from dpsql.policy.load import load_policy
from dpsql.policy.model import CalibratedDraw, Policy
from dpsql.policy.names import fold_name
from dpsql.session import _request
from dpsql.stages.arguments.analyst_account import account_of

POLICY = """\
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 5}
tables:
  orders:
    source: orders.csv
    unit_key: customer
    columns:
      customer: {type: integer}
      region: {type: text, values: [n, s], partition: true}
budgets:
  dataset: {epsilon: 10, window: monthly}
  default: {epsilon: 2, per_query: 1, window: daily}
  analysts:
    alice: {epsilon: 3, per_query: 1, window: weekly}
  roles:
    sales: {epsilon: 4, per_query: 1, members: [bob]}
accountant: pure
"""
DRAW = CalibratedDraw("draw-1", Fraction(1, 2), 2)


class Clock:
    def __init__(self, moment: str) -> None:
        self.set(moment)

    def set(self, moment: str) -> None:
        self.at = datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def clock() -> Clock:
    return Clock("2026-02-03T12:00:00")


@pytest.fixture
def ledger(place: str, clock: Clock) -> Iterator[Ledger]:
    with Ledger.open(place, clock=clock) as opened:
        yield opened


def policy_of(folder: Path, text: str = POLICY) -> Policy:
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return load_policy(folder / "policy.yaml")


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return policy_of(tmp_path)


def listing(policy: Policy, *draws: CalibratedDraw) -> Policy:
    return replace(policy, calibrated=draws)


def by(policy: Policy, analyst: str) -> Request:
    return _request(policy, *account_of(policy, analyst), 1)


def drawn(ledger: Ledger, policy: Policy, draw: CalibratedDraw = DRAW) -> None:
    paid = ledger.pay_for_calibration(policy, admin_request(policy, 1), calibration_charge(draw))
    ledger.keep_calibration(paid, b"counts")


def ask(ledger: Ledger, request: Request, key: str, epsilon: str = "1") -> StoredReleases:
    stored = ledger.charge(request, (charge(key, epsilon),))
    return ledger.keep(stored, key, b"draw") if stored.missing((key,)) else stored


def spent(ledger: Ledger, policy: Policy, analyst: str) -> list[Fraction]:
    """What the analyst, the role if there is one, and the dataset have spent in their windows."""
    request = by(policy, analyst)
    return [ledger.standing(request, account).spent.epsilon for account in request.accounts]


HALF, ONE = Fraction(1, 2), Fraction(1)


def test_a_draw_is_charged_to_every_account_there_is(ledger: Ledger, policy: Policy) -> None:
    ask(ledger, by(policy, "carla"), "q", "1")  # nobody that the policy names
    drawn(ledger, policy)
    assert spent(ledger, policy, "alice") == [HALF, ONE + HALF]
    assert spent(ledger, policy, "bob") == [HALF, HALF, ONE + HALF]
    assert spent(ledger, policy, "carla") == [ONE + HALF, ONE + HALF]
    assert spent(ledger, policy, "dora") == [HALF, ONE + HALF]  # who has not asked yet
    assert spent(ledger, listing(policy, DRAW), "dora") == [HALF, ONE + HALF]
    assert ledger.verify() == ()


def test_listing_a_draw_that_was_paid_for_costs_nothing_more(ledger: Ledger, policy: Policy) -> None:
    drawn(ledger, policy)
    listed = listing(policy, DRAW)
    for analyst in ("alice", "bob"):
        before = spent(ledger, listed, analyst)
        assert before == spent(ledger, policy, analyst)
        ask(ledger, by(listed, analyst), f"q of {analyst}")
        assert spent(ledger, listed, analyst)[0] == ONE + HALF
    assert ledger.verify() == ()


def test_who_first_pays_before_a_draw_is_listed_has_no_more_than_the_limit(
    ledger: Ledger, policy: Policy
) -> None:
    before = by(policy, "dora")  # also where the session is older than the draw
    drawn(ledger, policy)
    ask(ledger, before, "q1")
    with pytest.raises(BudgetExhausted) as refusal:
        ask(ledger, before, "q2")
    assert refusal.value.left_epsilon == HALF
    for seen in (policy, listing(policy, DRAW)):
        assert spent(ledger, seen, "dora") == [ONE + HALF, ONE + HALF]
        ask(ledger, by(seen, "dora"), "q1")
    assert [p.cost.epsilon for p in ledger.payments("dora")] == [HALF, ONE]
    assert ledger.verify() == ()


def test_a_role_that_is_made_later_pays_for_a_draw_that_is_not_listed(
    ledger: Ledger, policy: Policy, tmp_path: Path
) -> None:
    drawn(ledger, policy)
    later = policy_of(tmp_path, POLICY.replace("sales: {", "buyers: {"))
    assert spent(ledger, later, "bob") == [HALF, HALF, HALF]
    ask(ledger, by(later, "bob"), "q")
    assert spent(ledger, later, "bob") == [ONE + HALF] * 3
    assert ledger.verify() == ()


def test_who_begins_to_pay_while_a_draw_is_made_pays_for_it_as_it_is_kept(
    ledger: Ledger, policy: Policy
) -> None:
    paid = ledger.pay_for_calibration(policy, admin_request(policy, 1), calibration_charge(DRAW))
    ask(ledger, by(policy, "dora"), "q")
    ledger.keep_calibration(paid, b"counts")
    assert [p.cost.epsilon for p in ledger.payments("dora")] == [ONE, HALF]
    assert spent(ledger, listing(policy, DRAW), "dora") == [ONE + HALF, ONE + HALF]
    assert ledger.verify() == ()


def test_a_draw_is_lost_where_one_who_began_meanwhile_has_no_room_for_it(
    ledger: Ledger, policy: Policy
) -> None:
    paid = ledger.pay_for_calibration(policy, admin_request(policy, 1), calibration_charge(DRAW))
    for key in ("q1", "q2"):
        ask(ledger, by(policy, "dora"), key)
    with pytest.raises(DrawLost, match="dora had no budget left for it"):
        ledger.keep_calibration(paid, b"counts")
    assert ledger.stored(calibration_charge(DRAW).key) is None
    assert spent(ledger, policy, "dora") == [2, 2 + HALF]
    assert spent(ledger, policy, "erin") == [0, 2 + HALF]  # who will never receive it
    assert ledger.verify() == ()


def test_of_two_draws_at_once_the_second_is_lost_where_new_analysts_have_room_for_one(
    ledger: Ledger, policy: Policy
) -> None:
    charges = [calibration_charge(CalibratedDraw(name, Fraction(3, 2), 2)) for name in "ab"]
    paid = [ledger.pay_for_calibration(policy, admin_request(policy, 1), each) for each in charges]
    ledger.keep_calibration(paid[0], b"counts")
    with pytest.raises(DrawLost, match=r"an analyst under budgets\.default had no budget left"):
        ledger.keep_calibration(paid[1], b"counts")
    assert spent(ledger, policy, "dora") == [Fraction(3, 2), 3]


def test_what_a_policy_says_of_its_cost_is_not_believed_where_the_ledger_has_the_draw(
    ledger: Ledger, policy: Policy
) -> None:
    drawn(ledger, policy)
    listed = listing(policy, CalibratedDraw(DRAW.name, Fraction(1, 10**9), 1))
    assert spent(ledger, listed, "dora") == [HALF, HALF]
    ask(ledger, by(listed, "dora"), "q")
    assert spent(ledger, listing(policy, DRAW), "dora") == [ONE + HALF, ONE + HALF]
    assert ledger.verify() == ()


def test_a_later_account_begins_with_its_cost_once(ledger: Ledger, policy: Policy) -> None:
    drawn(ledger, policy)
    listed = listing(policy, DRAW)
    for number in (1, 2):
        assert spent(ledger, listed, "dora")[0] == HALF + number - 1
        if number == 1:
            ask(ledger, by(listed, "dora"), "q1")
    assert ledger.totals("analyst dora").get("epsilon") == 1_500_000_000
    assert [p.cost.epsilon for p in ledger.payments("dora")] == [HALF, ONE]
    with pytest.raises(BudgetExhausted):
        ask(ledger, by(listed, "dora"), "q2")
    assert ledger.verify() == ()


def test_a_new_ledger_begins_with_what_the_policy_lists(ledger: Ledger, policy: Policy) -> None:
    listed = listing(policy, DRAW, CalibratedDraw("draw-2", Fraction(1, 4), 3))
    opening = HALF + Fraction(1, 4)
    assert spent(ledger, listed, "bob") == [opening, opening, opening]
    ask(ledger, by(listed, "bob"), "q")
    assert spent(ledger, listed, "bob") == [opening + 1] * 3
    assert spent(ledger, listed, "alice") == [opening, opening + 1]
    booked = [ledger.standing(admin_request(listed, 1), a).spent.epsilon for a in named_accounts(listed)]
    assert booked == [opening + 1, opening + 1, opening, opening + 1]  # dataset, sales, alice, bob
    assert ledger.verify() == ()


def test_an_opening_counts_against_the_limit_but_not_as_a_query(ledger: Ledger, policy: Policy) -> None:
    listed = listing(policy, CalibratedDraw("draw-1", Fraction(3, 2), 3))  # above per_query, below the limits
    request = by(listed, "dora")
    with pytest.raises(BudgetExhausted) as refusal:
        ask(ledger, request, "q", "1")
    assert refusal.value.left_epsilon == HALF
    assert ledger.repeats_left(request) is None
    ask(ledger, request, "r", "0.25")
    assert ledger.repeats_left(request) == 1  # more queries of 0.25, and none of 1.5


def test_it_is_charged_in_the_window_of_the_draw(ledger: Ledger, policy: Policy, clock: Clock) -> None:
    drawn(ledger, policy)
    listed = listing(policy, DRAW)
    assert spent(ledger, listed, "alice") == [HALF, HALF]
    clock.set("2026-02-09T00:00:00")  # the next week, the same month
    assert spent(ledger, listed, "alice") == [0, HALF]
    clock.set("2026-03-01T00:00:00")
    assert spent(ledger, listed, "alice") == [0, 0]
    assert spent(ledger, listed, "bob") == [HALF, HALF, 0]  # the role's window has no end, and is bob's


def test_later_accounts_pay_in_their_first_window(ledger: Ledger, policy: Policy, clock: Clock) -> None:
    drawn(ledger, policy)
    listed = listing(policy, DRAW)
    clock.set("2026-05-05T05:00:00")
    assert spent(ledger, listed, "dora") == [HALF, 0]  # the dataset paid in February
    ask(ledger, by(listed, "dora"), "q")
    assert spent(ledger, listed, "dora") == [ONE + HALF, ONE]
    clock.set("2026-05-06T00:00:00")
    assert spent(ledger, listed, "dora") == [0, ONE]
    assert ledger.verify() == ()


def test_a_draw_that_is_kept_while_a_newcomer_pays_is_in_the_same_window(
    ledger: Ledger, policy: Policy, clock: Clock, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at what is free and the charge."""
    with Ledger.open(place, clock=clock) as admin:
        steps = iter([lambda: drawn(admin, policy)])
        reached = ledger._steps.reached

        def drawing(step: Step) -> None:
            next(steps, lambda: None)()
            reached(step)

        monkeypatch.setattr(ledger, "_steps", SimpleNamespace(reached=drawing))
        ask(ledger, by(policy, "dora"), "q")
    assert [p.cost.epsilon for p in ledger.payments("dora")] == [HALF, ONE]
    clock.set("2026-02-04T00:00:00")
    assert spent(ledger, policy, "dora") == [0, ONE + HALF]
    assert ledger.verify() == ()


def test_a_refused_question_is_the_first_window_too(ledger: Ledger, policy: Policy, clock: Clock) -> None:
    listed = listing(policy, CalibratedDraw("draw-1", Fraction(5), 1))  # more than a day's budget
    with pytest.raises(BudgetExhausted):
        ask(ledger, by(listed, "dora"), "q")
    clock.set("2026-02-04T00:00:00")
    assert spent(ledger, listed, "dora") == [0, 5]
    ask(ledger, by(listed, "dora"), "q")


@pytest.mark.parametrize(
    ("limits", "who"),
    [
        ((), None),
        ((("epsilon: 10", "epsilon: 0.4"),), "dataset"),
        ((("epsilon: 3, per_query: 1", "epsilon: 0.4, per_query: 0.1"),), "alice"),
        ((("epsilon: 4, per_query: 1", "epsilon: 0.4, per_query: 0.1"),), "role sales"),
        ((("epsilon: 2, per_query: 1", "epsilon: 0.4, per_query: 0.1"),), "an analyst under budgets.default"),
    ],
)  # fmt: skip
def test_it_is_refused_where_any_account_lacks_room(
    ledger: Ledger, tmp_path: Path, limits: tuple[tuple[str, str], ...], who: str | None
) -> None:
    text = POLICY
    for old, new in limits:
        assert old in text
        text = text.replace(old, new)
    policy = policy_of(tmp_path, text)
    if who is None:
        drawn(ledger, policy)
        return
    with pytest.raises(BudgetExhausted) as refusal:
        drawn(ledger, policy)
    assert refusal.value.account == who
    assert (refusal.value.asked_epsilon, refusal.value.left_epsilon) == (HALF, Fraction(2, 5))
    assert ledger.totals("dataset").amounts == () and ledger.verify() == ()


def test_it_is_refused_for_the_sake_of_one_who_asked_under_default(ledger: Ledger, policy: Policy) -> None:
    for key in ("q1", "q2"):
        ask(ledger, by(policy, "carla"), key, "0.8")
    with pytest.raises(BudgetExhausted, match="carla"):
        drawn(ledger, policy)


def test_earlier_draws_in_the_policy_count_for_new_analysts(ledger: Ledger, policy: Policy) -> None:
    """Nobody has asked yet, and the next one would begin with all of them."""
    listed = listing(policy, *(CalibratedDraw(f"draw-{n}", HALF, 1) for n in range(4)))
    with pytest.raises(BudgetExhausted) as refusal:
        drawn(ledger, listed, CalibratedDraw("draw-9", Fraction(1, 100), 1))
    assert refusal.value.left_epsilon == 0


def test_it_is_charged_to_all_parts(ledger: Ledger, policy: Policy) -> None:
    drawn(ledger, policy)
    request = by(policy, "alice")
    ledger.charge(request, (charge("q", "1", parts=('"n"',)),))
    standing = ledger.standing(request)
    assert standing.spent_in('"n"') == cost("1.5") and standing.elsewhere == cost("0.5")


def test_a_draw_that_was_never_kept_stays_charged(ledger: Ledger, policy: Policy) -> None:
    ask(ledger, by(policy, "carla"), "q", "1")
    ledger.pay_for_calibration(policy, admin_request(policy, 1), calibration_charge(DRAW))
    assert spent(ledger, policy, "alice") == [HALF, ONE + HALF]
    assert spent(ledger, policy, "carla") == [ONE + HALF, ONE + HALF]
    assert ledger.verify() == ()


def test_a_draw_that_was_never_kept_is_not_paid_for_twice_where_it_is_listed(
    ledger: Ledger, policy: Policy
) -> None:
    ledger.pay_for_calibration(policy, admin_request(policy, 1), calibration_charge(DRAW))
    listed = listing(policy, DRAW)
    for number, analyst in enumerate(("alice", "bob", "alice")):
        assert spent(ledger, listed, analyst)[-1] == HALF + number
        ask(ledger, by(listed, analyst), f"q{number}")
    assert spent(ledger, listed, "alice") == [2 + HALF, 3 + HALF]
    assert spent(ledger, listed, "bob") == [ONE + HALF, ONE + HALF, 3 + HALF]
    assert ledger.verify() == ()


def test_the_charge_is_durable_when_it_returns(place: str, policy: Policy, clock: Clock) -> None:
    class Died(Exception):
        pass

    class Observer:
        def reached(self, step: Step) -> None:
            if step is Step.AFTER_COMMIT:
                raise Died

    with Ledger.open(place, clock=clock, steps=Observer()) as opened, pytest.raises(Died):
        drawn(opened, policy)
    with Ledger.open(place, clock=clock) as opened:
        assert spent(opened, policy, "alice") == [HALF, HALF]


def test_what_a_draw_costs_follows_from_its_entry_alone() -> None:
    made = calibration_charge(CalibratedDraw("d", Fraction(1, 5), 3))
    assert made.cost == cost("0.2") and made.confined is None and made.path == ""
    assert [(e.cost.epsilon, e.sensitivity) for e in made.events] == [(Fraction(1, 15), 1)] * 3


def test_no_analyst_can_be_called_as_the_one_who_asks_for_all() -> None:
    assert fold_name(EVERYBODY) != EVERYBODY


def test_openings_are_read_from_the_policy(tmp_path: Path) -> None:
    text = POLICY + "calibrated:\n  draw-1: {epsilon: 0.5, histograms: 2, day: 2026-01-31}\n"
    assert opening_charges(policy_of(tmp_path, text)) == (calibration_charge(DRAW),)
