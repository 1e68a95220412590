"""Draws on one path of noise: who owes what for a finer one, and when a draw must be made again."""

from __future__ import annotations

import json
import re
from fractions import Fraction

import pytest
from ledger_builders import charge, cost, every_standing, on_path, request
from places import tamper

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.losses import curve_of, rho_of
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import StoredReleases
from dpsql.errors import BudgetExhausted
from dpsql.mechanisms.analysis.composition import renyi_of_zcdp
from dpsql.policy.model import AccountantName, Window
from dpsql.privacy import FREE, Charge, Cost, Event, Mechanism

ROUGH, MIDDLE, FINE = (on_path(f"k{e}", e) for e in ("0.1", "0.3", "0.5"))


def ask(ledger: Ledger, wanted: Charge, analyst: str = "alice", **terms: str) -> StoredReleases:
    """Charge, and draw unless it is stored; what is charged is what the analyst paid."""
    stored = ledger.charge(request(analyst, **terms), (wanted,))
    if stored.get(wanted.key) is None:
        stored = ledger.keep(stored, wanted.key, wanted.key.encode(), ledger.beside(wanted).count)
    return stored


def paid(ledger: Ledger, wanted: Charge, analyst: str = "alice", **terms: str) -> Fraction:
    return ask(ledger, wanted, analyst, **terms).charged.epsilon


def test_who_has_a_coarser_draw_pays_the_difference_and_so_does_the_dataset(ledger: Ledger) -> None:
    assert paid(ledger, ROUGH) == Fraction(1, 10)
    assert paid(ledger, FINE) == Fraction(4, 10)
    assert ledger.spent("alice") == ledger.spent_dataset() == cost("0.5")
    assert ask(ledger, ROUGH).charged == ask(ledger, FINE).charged == FREE


@pytest.mark.parametrize("others", [(), (ROUGH,), (MIDDLE,), (FINE,), (FINE, ROUGH), (FINE, MIDDLE, ROUGH)])
def test_what_an_analyst_pays_depends_on_nothing_that_others_did(
    ledger: Ledger, others: tuple[Charge, ...]
) -> None:
    for wanted in others:
        ask(ledger, wanted, "bob")
    assert [paid(ledger, c) for c in (ROUGH, MIDDLE, FINE)] == [
        Fraction(1, 10),
        Fraction(2, 10),
        Fraction(2, 10),
    ]
    assert ledger.spent_dataset() == cost("0.5")


def test_a_draw_that_is_coarser_than_what_is_stored_costs_the_dataset_nothing(ledger: Ledger) -> None:
    ask(ledger, FINE)
    assert paid(ledger, ROUGH, "bob") == Fraction(1, 10)
    assert ledger.spent_dataset() == cost("0.5")


def test_a_role_pays_what_rises_beyond_all_that_its_members_received(ledger: Ledger) -> None:
    for analyst, wanted in (("alice", MIDDLE), ("bob", ROUGH), ("bob", FINE)):
        ask(ledger, wanted, analyst, role="sales")
    assert ledger.spent("bob") == cost("0.5") and ledger.spent("alice") == cost("0.3")
    assert ledger.totals("role sales").get("epsilon") == 5 * 10**8


def test_other_paths_and_draws_of_their_own_are_paid_in_full(ledger: Ledger) -> None:
    ask(ledger, ROUGH)
    assert paid(ledger, on_path("other", "0.5", path="q")) == Fraction(1, 2)
    assert paid(ledger, charge("alone", "0.5")) == Fraction(1, 2)


def test_each_event_of_a_draw_is_paid_for_what_it_rises_by(ledger: Ledger) -> None:
    ask(ledger, on_path("a", "0.1", "0.4"))
    assert paid(ledger, on_path("b", "0.3", "0.2")) == Fraction(2, 10)
    assert paid(ledger, on_path("c", "0.3", "0.5")) == Fraction(1, 10)


def test_limits_are_of_what_is_left_to_pay(ledger: Ledger) -> None:
    ask(ledger, ROUGH, limit="0.5")
    assert paid(ledger, FINE, limit="0.5", per_query="0.4") == Fraction(4, 10)
    with pytest.raises(BudgetExhausted):
        ask(ledger, on_path("finest", "0.500000001"), limit="0.5")


def test_a_draw_that_was_lost_is_no_credit(ledger: Ledger) -> None:
    ledger.charge(request(), (ROUGH,))
    assert paid(ledger, FINE) == Fraction(1, 2)
    assert ledger.spent_dataset() == cost("0.6")


def test_a_draw_that_was_made_beside_others_than_are_stored_by_now_is_not_kept(
    ledger: Ledger, place: str
) -> None:
    """Two who refine one draw at once: the second one draws again, beside the first, and has paid enough for both."""
    ask(ledger, ROUGH)
    with Ledger.open(place) as other:
        mine, theirs = (book.charge(request(), (c,)) for book, c in ((ledger, FINE), (other, MIDDLE)))
        beside = ledger.beside(FINE).count
        assert other.keep(theirs, MIDDLE.key, b"middle", beside).get(MIDDLE.key) == b"middle"
        assert ledger.keep(mine, FINE.key, b"beside the rough one alone", beside).get(FINE.key) is None
        again = ledger.beside(FINE)
        assert (again.count, again.finer) == (2, (None,)) and again.coarser[0] is not None
        assert again.coarser[0].payload == b"middle"
        assert ledger.keep(mine, FINE.key, b"fine", again.count).get(FINE.key) == b"fine"
    assert ledger.spent_dataset() == cost("0.7") and ledger.verify() == ()


def test_of_two_who_make_the_same_draw_at_once_the_first_stands(ledger: Ledger) -> None:
    first, second = (ledger.charge(request(), (FINE,)) for _ in range(2))
    assert ledger.keep(first, FINE.key, b"first").get(FINE.key) == b"first"
    assert ledger.keep(second, FINE.key, b"second").get(FINE.key) == b"first"


DAY = 86_400


@pytest.mark.parametrize("parts", [(), ("1",)])
def test_a_window_counts_a_finer_draw_as_all_it_may_tell_who_knew_the_coarser_one(
    place: str, parts: tuple[str, ...]
) -> None:
    """Of policies on one ledger some have windows and some charge differences; a policy may also change."""
    rough, fine, finest = (on_path(f"k{e}", e, parts=parts) for e in ("0.1", "0.5", "0.7"))
    with Ledger.open(place, clock=lambda: 10 * DAY) as ledger:
        ask(ledger, rough)
        daily = request(window=Window.DAILY, dataset_window=Window.DAILY, limit="0.9")
        assert [one.spent for one in every_standing(ledger, daily)] == [cost("0.1")] * 2
    with Ledger.open(place, clock=lambda: 11 * DAY) as ledger:
        ask(ledger, fine)
        assert [one.spent for one in every_standing(ledger, daily)] == [cost("0.6")] * 2
        assert [one.spent for one in every_standing(ledger, request())] == [cost("0.5")] * 2
        ask(ledger, finest)  # with the one before at most 0.8, of which 0.7 + 0.1 was to be known
        assert all(cost("0.8").epsilon <= one.spent.epsilon for one in every_standing(ledger, daily))
        with pytest.raises(BudgetExhausted):
            ledger.charge(daily, (charge("another", "0.2"),))
        assert ledger.verify() == () and ledger.spent_dataset() == cost("0.7")
    with Ledger.open(place, clock=lambda: 12 * DAY) as ledger:
        assert [one.spent for one in every_standing(ledger, daily)] == [FREE] * 2


def refined(known: str, finer: str) -> Event:
    difference = Fraction(finer) - Fraction(known)
    return Event(Mechanism.DISCRETE_LAPLACE, 1, Cost(difference), refines=Fraction(known))


def test_the_plain_sum_of_a_refinement_is_the_difference_and_its_rho_is_that_of_its_range() -> None:
    """Given the coarser draw, the loss lies in an interval of twice the finer epsilon: rho is a half of its square."""
    event = refined("0.1", "0.5")
    known = Accountants()
    assert known.named(AccountantName.APPROX).cost((event,)) == cost("0.4")
    assert rho_of(event) == Fraction(1, 8)
    curve = curve_of(event)
    assert all(curve(Fraction(n)) <= renyi_of_zcdp(Fraction(1, 8))(Fraction(n)) for n in (2, 4, 32))
    assert rho_of(event) > rho_of(refined("0.1", "0.4"))


@pytest.mark.parametrize(
    ("mechanism", "known", "epsilon"),
    [
        (Mechanism.CUBE, "0.1", "0.2"),
        (Mechanism.DISCRETE_LAPLACE, "0", "0.2"),
        (Mechanism.DISCRETE_LAPLACE, "0.1", "0"),
    ],
)
def test_only_discrete_laplace_noise_is_refined(mechanism: Mechanism, known: str, epsilon: str) -> None:
    with pytest.raises(ValueError, match="refined"):
        Event(mechanism, 1, cost(epsilon), refines=Fraction(known))


@pytest.fixture
def refined_place(place: str) -> str:
    with Ledger.open(place) as ledger:
        for wanted in (ROUGH, FINE):
            ask(ledger, wanted, role="sales")
    return place


def test_what_was_reduced_is_verified_and_exported(refined_place: str) -> None:
    with Ledger.open(refined_place, dataset="") as ledger:
        assert ledger.verify() == ()
        first, second = (json.loads(json.dumps(entry))["charges"][0] for entry in ledger.export())
    assert first["reduced"] == {} and second["events"][0]["epsilon"] == "1/2"
    assert set(second["reduced"]) == {"analyst alice", "role sales", "dataset"}
    for (event,) in second["reduced"].values():
        assert (event["epsilon"], event["refines"]) == ("2/5", "1/10")
        assert event["dp_event"]["class_name"] == "ZCDpEvent" and event["dp_event"]["rho"] == 0.125


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE charges SET own_credit = '[\"2/5\"]' WHERE entry = 2", "entry 2 charges another epsilon or delta"),
        ("UPDATE charges SET drawn_credit = '[\"2/5\"]' WHERE entry = 2", "reduced by more than dataset had paid"),
        ("UPDATE charges SET own_credit = '[\"1/10\"]' WHERE entry = 1", "reduced by more than analyst alice had"),
        ("UPDATE charges SET path = '' WHERE entry = 2", "reduced by more than analyst alice had paid"),
        ("DELETE FROM receipts WHERE account = 'role sales'", "entry 2 is reduced by more than role sales had paid"),
        ("UPDATE shelf SET path = '' WHERE entry = 1", "entry 2 is reduced by more than dataset had paid"),
        ("UPDATE shelf SET path = 'path z' WHERE entry = 2", "release k0.5 is not on the path that it was paid for"),
    ],
)  # fmt: skip
def test_a_charge_that_was_reduced_without_reason_is_told(
    refined_place: str, statement: str, told: str
) -> None:
    wrong = tamper(refined_place, statement)
    assert any(re.search(told, line) for line in wrong), wrong
