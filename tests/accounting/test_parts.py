"""Charges that are confined to parts of a partition: of disjoint ones the largest counts."""

from __future__ import annotations

from fractions import Fraction

import pytest
from ledger_builders import charge, cost, event, every_standing, gaussian, request
from places import behind, drop_guards, restore_guards

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.partition_balance import Balance, cases
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.types import Request
from dpsql.errors import BudgetExhausted
from dpsql.policy.model import AccountantName, Window
from dpsql.privacy import Charge, Confined, Cost, Event, Mechanism

DE, FR, IT = ('"DE"',), ('"FR"',), ('"IT"',)
BOTH = ('"DE"', '"FR"')
Asked = tuple[str, tuple[str, ...]]


def pay(ledger: Ledger, of: Request, *asked: Asked, touched: int = 1) -> None:
    """One query for each, at that epsilon, confined to those parts; to none that are left empty."""
    for number, (epsilon, parts) in enumerate(asked):
        key = f"{ledger.spent_dataset()} {number} {of.division}"
        ledger.charge(of, (charge(key, epsilon, parts=parts, touched=touched),))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("asked", "spent"),
    [
        ((("1", DE), ("1", FR)), "1"),
        ((("1", DE), ("2", FR)), "2"),
        ((("1", DE), ("1", DE)), "2"),
        ((("1", DE), ("1", ())), "2"),
        ((("1", ()), ("1", FR), ("1", DE)), "2"),
        ((("1", BOTH), ("1", DE)), "2"),
        ((("1", BOTH), ("1", IT)), "1"),
        ((("1", BOTH), ("1", FR), ("1", IT), ("1/2", ())), "2.5"),
    ],
)
def test_charges_for_disjoint_parts_count_by_their_maximum_and_all_others_add_up(
    ledger: Ledger, asked: tuple[Asked, ...], spent: str
) -> None:
    pay(ledger, request(), *asked)
    (own, everybody) = every_standing(ledger, request())
    assert own.spent == everybody.spent == ledger.spent("alice") == ledger.spent_dataset() == cost(spent)
    assert ledger.verify() == ()


@pytest.mark.parametrize(
    ("asked", "spent"),
    [
        ((("1", DE),), "1"),
        ((("1", DE), ("1", FR)), "2"),
        ((("1", DE), ("1", FR), ("1", IT)), "2"),
        ((("1", DE), ("2", DE), ("1", FR), ("5", IT)), "8"),
        ((("1", DE), ("1", ())), "2"),
    ],
)
def test_where_a_unit_can_move_from_one_part_to_another_the_two_largest_count(
    ledger: Ledger, asked: tuple[Asked, ...], spent: str
) -> None:
    pay(ledger, request(), *asked, touched=2)
    assert ledger.spent("alice") == ledger.standing(request()).spent == cost(spent)
    assert ledger.verify() == ()


@pytest.mark.parametrize("touched", [1, 2])
def test_what_was_charged_under_another_policy_or_data_version_counts_for_every_part(
    ledger: Ledger, touched: int
) -> None:
    pay(ledger, request(), ("3", DE), ("1", FR), touched=touched)
    ledger.refresh(Sources("an engine"), "admin")
    later = request(data_version=2)
    first = Fraction(3 if touched == 1 else 4)
    assert {ledger.standing(later).spent_in(p).epsilon for p in (*DE, *FR, *IT)} == {first}
    pay(ledger, later, ("1", IT), touched=touched)
    assert ledger.spent("alice").epsilon == first + 1
    other = request(data_version=2, policy="the partition's values were renamed")
    pay(ledger, other, ("1", DE), ("1/2", FR), touched=touched)
    assert ledger.spent("alice").epsilon == first + 1 + Fraction(1 if touched == 1 else "1.5")
    assert ledger.verify() == ()


def test_going_back_to_an_earlier_policy_does_not_bring_back_its_parts(ledger: Ledger) -> None:
    old, new = request(), request(policy="new")
    pay(ledger, old, ("1", DE))
    pay(ledger, new, ("1", DE))
    pay(ledger, old, ("1", FR))
    assert ledger.spent("alice") == cost("3")
    assert ledger.standing(old).spent_in('"DE"') == cost("2")


def test_a_charge_for_every_part_leaves_the_parts_of_the_division_apart(ledger: Ledger) -> None:
    pay(ledger, request(), ("1", DE))
    pay(ledger, request(policy="without a partition"), ("1", ()))
    pay(ledger, request(), ("1", FR))
    assert ledger.spent("alice") == cost("2")


def test_a_part_is_refused_where_it_has_nothing_left_and_another_one_is_answered(ledger: Ledger) -> None:
    of = request(limit="2")
    pay(ledger, of, ("2", DE))
    with pytest.raises(BudgetExhausted) as refused:
        pay(ledger, of, ("1", DE))
    assert refused.value.left_epsilon == 0 and refused.value.asked_epsilon == 1
    for parts in ((), BOTH):
        with pytest.raises(BudgetExhausted):
            pay(ledger, of, ("0.000000001", parts))
    pay(ledger, of, ("2", FR))
    assert ledger.spent("alice") == cost("2")


def test_a_first_query_about_two_parts_that_a_unit_can_move_between_costs_both(ledger: Ledger) -> None:
    both = (charge("a", "1", parts=DE, touched=2), charge("b", "1", parts=FR, touched=2))
    for limit in ("limit", "dataset", "role_limit"):
        with pytest.raises(BudgetExhausted):
            ledger.charge(request(role="sales", **{limit: "1.999999999"}), both)
    assert ledger.charge(request(limit="2"), both).charged == ledger.spent("alice") == cost("2")
    with pytest.raises(BudgetExhausted):  # which counts for whatever is asked of all parts later
        ledger.charge(request(limit="2.999999999"), (charge("c", "1"),))


@pytest.mark.parametrize("limit", ["limit", "dataset", "role_limit"])
def test_every_account_is_kept_part_by_part(ledger: Ledger, limit: str) -> None:
    of = request(role="sales", **{limit: "1"})
    pay(ledger, of, ("1", DE), ("1", FR))
    with pytest.raises(BudgetExhausted):
        pay(ledger, of, ("1", FR))
    assert {one.spent for one in every_standing(ledger, of)} == {cost("1")}


def test_a_cap_that_was_lowered_below_what_one_part_spent_stops_that_part(ledger: Ledger) -> None:
    pay(ledger, request(), ("3", DE), ("1", FR))
    lowered = request(limit="2")
    pay(ledger, lowered, ("1", FR))
    for parts in (DE, (), FR):
        with pytest.raises(BudgetExhausted):
            pay(ledger, lowered, ("1", parts))


def test_deltas_count_by_their_maximum_as_well(ledger: Ledger) -> None:
    of = request(delta="0.5")
    for part in (DE, FR, IT):
        ledger.charge(of, (charge(f"of {part}", "1", "0.4", part),))
    assert ledger.spent("alice") == cost("1", "0.4")
    with pytest.raises(BudgetExhausted):
        ledger.charge(of, (charge("more", "1", "0.2", DE),))


def test_the_releases_of_one_query_are_each_charged_to_their_own_parts(ledger: Ledger) -> None:
    of = request(limit="3")
    stored = ledger.charge(of, (charge("a", "1", parts=DE), charge("b", "1", parts=FR), charge("c", "1")))
    assert stored.charged == cost("3")
    assert ledger.spent("alice") == cost("2")
    assert ledger.repeats_left(of) == 0
    assert ledger.repeats_left(request(limit="4")) == 1
    assert ledger.verify() == ()


def test_another_analyst_pays_a_stored_release_in_the_same_parts_and_the_dataset_does_not(
    ledger: Ledger,
) -> None:
    stored = ledger.charge(request(), (charge("k", parts=DE),))
    ledger.keep(stored, "k", b"drawn")
    assert ledger.charge(request("bob"), (charge("k", parts=DE),)).charged == cost("1")
    pay(ledger, request("bob"), ("1", FR))
    assert ledger.spent("bob") == ledger.spent_dataset() == cost("1")
    assert ledger.received_alike(request(), "canonical form of ")[0][0] == charge("k", parts=DE)


def test_of_a_window_each_part_counts_from_its_beginning(place: str) -> None:
    now = [1_700_000_000.0]
    of = request(limit="2", window=Window.DAILY)
    with Ledger.open(place, clock=lambda: now[0]) as ledger:
        pay(ledger, of, ("2", DE), ("1", FR))
        now[0] += 86_400
        pay(ledger, of, ("1", FR), ("1", DE))
        assert ledger.standing(of).spent == cost("1")
        ledger.refresh(Sources("an engine"), "admin")
        later = request(limit="2", window=Window.DAILY, data_version=2)
        pay(ledger, later, ("1", IT))
        assert ledger.standing(later).spent == cost("2")  # a unit may have moved from FR to IT today
        with pytest.raises(BudgetExhausted):
            pay(ledger, later, ("1", IT))
        pay(ledger, later, ("1", DE))
        ledger.refresh(Sources("an engine"), "admin")
        now[0] += 86_400
        last = request(limit="2", window=Window.DAILY, data_version=3)
        assert ledger.standing(last).spent == cost("0")
        pay(ledger, last, ("2", FR))
        assert ledger.spent("alice") == cost("6")  # 3 of FR, then 1, then 2
        assert ledger.verify() == ()


def test_datasets_in_one_ledger_do_not_share_parts(place: str) -> None:
    with Ledger.open(place, dataset="one") as one, Ledger.open(place, dataset="two") as two:
        pay(one, request(), ("1", DE))
        pay(two, request(), ("2", DE), ("1", FR))
        assert (one.spent("alice"), two.spent("alice")) == (cost("1"), cost("2"))
        assert one.verify() == ()


EVENTS = (
    (event("0.3"),) * 4,
    (gaussian("0.2"),) * 5,
    (event("0.5", mechanism=Mechanism.EXPONENTIAL), event("0.1", "1e-9", Mechanism.TRUNCATED_GEOMETRIC)),
)


@pytest.mark.parametrize("name", [AccountantName.ZCDP, AccountantName.RDP, AccountantName.APPROX])
def test_each_part_is_a_filter_of_its_own_under_every_accountant(
    ledger: Ledger, name: AccountantName
) -> None:
    """What is left of a budget for a part is what an account would have left that paid for that part alone."""
    of = request(accountant=name, delta="1e-6")
    everybody, *confined = EVENTS if name.is_filter else (EVENTS[0], (), EVENTS[2])
    ledger.charge(of, (Charge("all", "all", everybody),))
    for part, events in zip((DE, FR), confined, strict=True):
        ledger.charge(
            of, tuple(Charge(f"{part}", f"{part}", events, confined=Confined(part)) for _ in events[:1])
        )
    rules = Accountants().named(name)
    standing = ledger.standing(of)
    for part, events in (*zip((DE, FR), confined, strict=True), (IT, ())):
        alone = [rules.totals(paid) for paid in (everybody, events)]
        expected = rules.spent(alone[0] + alone[1], Fraction("1e-6"))
        assert standing.spent_in(*part) == expected
    assert ledger.verify() == ()


def test_the_export_names_the_parts_of_each_charge(ledger: Ledger) -> None:
    ledger.charge(request(), (charge("a", parts=BOTH), charge("b")))
    (entry,) = ledger.export()
    assert [c["parts"] for c in entry["charges"]] == [list(BOTH), None]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "statement",
    [
        """UPDATE charges SET parts = '{"parts": ["\\"FR\\""], "touched": 1}' WHERE entry = 1""",
        "UPDATE charges SET parts = NULL WHERE entry = 1",
        """UPDATE charges SET parts = '{"parts": ["\\"FR\\""], "touched": 1}' WHERE entry = 2""",
    ],
)
def test_a_charge_that_is_moved_to_another_part_is_noticed(place: str, statement: str) -> None:
    with Ledger.open(place) as ledger:
        pay(ledger, request(), ("1", DE), ("1", ()))
    with behind(place) as db:
        drop_guards(db)
        db.execute(statement)
        restore_guards(db)
    with Ledger.open(place) as ledger:
        wrong = ledger.verify()
    assert any("is not what the log says" in w for w in wrong) and any("not the sum" in w for w in wrong)


def units(n: int) -> Totals:
    return Totals.of({"epsilon": n})


def test_a_balance_is_read_as_it_was_written_and_equal_parts_stand_together() -> None:
    parts = (('"DE"', units(1)), ('"FR"', units(2)), ("null", units(1)))
    balance = Balance(units(3), parts, 1, "policy:1", 7, 7)
    assert Balance.read(balance.written(7), 7, lambda entry: Balance()) == balance
    assert balance.written(7).count("totals") == 2
    assert Balance.read(Balance(units(3)).written(8), 8, lambda entry: Balance()) == Balance(units(3))


@pytest.mark.one_in(4)
@pytest.mark.parametrize("touched", [1, 2])
def test_a_line_holds_the_parts_that_changed_and_every_so_often_all_of_them(
    ledger: Ledger, touched: int
) -> None:
    """What an account lost in many parts is read as it was charged, and counted again by verify."""
    parts = [(f'"{n:03}"',) for n in range(40)]
    for time, step in ((0, 1), (1, 7)):
        for n, part in enumerate(parts[::step]):
            charged = charge(f"{time} {n}", f"0.{n + 1:02}", parts=part, touched=touched)
            ledger.charge(request(), (charged,))
        pay(ledger, request(), ("0.001", ()))
    standing = ledger.standing(request())
    own = [Fraction(n + 1, 100) + (Fraction(n // 7 + 1, 100) if n % 7 == 0 else 0) for n in range(40)]
    beside = [max(own[:n] + own[n + 1 :]) if touched == 2 else Fraction(0) for n in range(40)]
    expected = [Fraction(2, 1000) + a + b for a, b in zip(own, beside, strict=True)]
    assert [standing.spent_in(*part).epsilon for part in parts] == expected
    assert ledger.verify() == ()


PARTS = (("a", units(10)), ("b", units(20)), ("c", units(20)))


@pytest.mark.parametrize(
    ("asked", "touched", "expected"),
    [
        (Balance(units(5)), 1, {(11, 5), (21, 5), (1, 5)}),
        (Balance(parts=(("b", units(5)), ("d", units(6)))), 1, {(21, 5), (1, 6)}),
        (Balance(units(2), (("b", units(5)),)), 1, {(11, 2), (21, 2), (21, 7), (1, 2)}),
        (Balance(units(5), touched=2), 2, {(41, 5)}),
        (Balance(parts=(("a", units(5)),), touched=2), 2, {(31, 5)}),
        (Balance(parts=(("d", units(5)),), touched=2), 2, {(21, 5)}),
        (
            Balance(units(2), (("b", units(5)),), 2),
            2,  # a with b, with c and with an untouched part, b with c and with that, c with that
            {(31, 7), (31, 2), (11, 2), (41, 7), (21, 7), (21, 2)},
        ),
    ],
)
def test_the_cases_of_a_unit_are_the_parts_or_the_pairs_of_parts_that_lose_something(
    asked: Balance, touched: int, expected: set[tuple[int, int]]
) -> None:
    spent = Balance(units(1), PARTS, touched, "d", 1)
    assert {(s.get("epsilon"), a.get("epsilon")) for s, a in cases(spent, asked)} == expected


def test_parts_are_listed_in_order_and_a_release_that_two_parts_of_one_unit_see_is_not_confined() -> None:
    for wrong in ((), ("b", "a"), ("a", "a")):
        with pytest.raises(ValueError):
            Confined(wrong)
    with pytest.raises(ValueError):
        Confined(("a", "b"), 2)


def test_an_events_cost_of_nothing_begins_no_division(ledger: Ledger) -> None:
    ledger.charge(
        request(),
        (
            Charge(
                "k", "k", (Event(Mechanism.DISCRETE_LAPLACE, 1, Cost(Fraction(0))),), confined=Confined(DE)
            ),
        ),
    )
    assert ledger.standing(request()).spent == cost("0")
    assert ledger.verify() == ()
