"""Every accountant keeps one contract; what sets one apart is tested below it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_builders import cost, event, gaussian

from dpsql.accounting.accountants.accountant import Accountant, Accountants
from dpsql.accounting.accountants.basic import UNPROVEN
from dpsql.accounting.accountants.filters import GAUSSIANS, RESERVED
from dpsql.accounting.accountants.rdp import ORDERS
from dpsql.accounting.ledger.booked_totals import (
    DELTA_UNITS,
    EPSILON_UNITS,
    LOSS_UNITS,
    Totals,
    booked,
    cost_of,
)
from dpsql.accounting.types import UnsupportedEvent
from dpsql.errors import InternalError, LedgerUnavailable
from dpsql.mechanisms.analysis.composition import renyi_to_epsilon
from dpsql.policy.model import AccountantName
from dpsql.privacy import FREE, Cost, Event, Mechanism

DELTA = Fraction(1, 10**6)
epsilons = st.fractions(min_value=0, max_value=10, max_denominator=1000)
pure_events = st.lists(
    st.builds(
        Event,
        st.sampled_from(
            (
                Mechanism.DISCRETE_LAPLACE,
                Mechanism.PERMUTE_AND_FLIP,
                Mechanism.EXPONENTIAL,
                Mechanism.CUBE,
                Mechanism.RAPPOR,
            ),
        ),
        st.integers(1, 10**9),
        st.builds(Cost, epsilons),
    ),
    max_size=5,
).map(tuple)
# One inherited test runs for several accountants on purpose.
inherited = settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=10)


class AccountantContract:
    """What every accountant guarantees."""

    name: AccountantName

    def subject(self) -> Accountant:
        return Accountants().named(self.name)

    def spent(self, *events: Event) -> Cost:
        return self.subject().spent(self.subject().totals(events), DELTA)

    def spent_by(self, count: int, event: Event) -> Cost:
        """What so many queries of one event each have spent."""
        once = dict(self.subject().totals((event,)).amounts)
        return self.subject().spent(Totals.of({name: count * amount for name, amount in once.items()}), DELTA)

    def admits(self, spent: tuple[Event, ...], asked: tuple[Event, ...], limit: Cost) -> bool:
        subject = self.subject()
        return subject.admits(subject.totals(spent), subject.totals(asked), limit)

    def test_is_found_by_its_name(self) -> None:
        assert self.subject().name is self.name

    def test_no_events_cost_nothing(self) -> None:
        assert self.subject().cost(()) == self.spent() == FREE
        assert not self.subject().totals(())

    @inherited
    @given(events=pure_events, data=st.data())
    def test_the_order_of_events_does_not_matter(
        self, events: tuple[Event, ...], data: st.DataObject
    ) -> None:
        shuffled = tuple(data.draw(st.permutations(events)))
        assert self.subject().cost(shuffled) == self.subject().cost(events)
        assert self.subject().totals(shuffled) == self.subject().totals(events)

    @inherited
    @given(first=pure_events, second=pure_events)
    def test_totals_of_parts_never_undercount_the_whole_and_more_never_costs_less(
        self, first: tuple[Event, ...], second: tuple[Event, ...]
    ) -> None:
        subject = self.subject()
        parts, whole = subject.totals(first) + subject.totals(second), subject.totals(first + second)
        assert all(
            parts.get(name) >= amount >= subject.totals(first).get(name) for name, amount in whole.amounts
        )
        assert (
            self.spent(*first).epsilon
            <= subject.spent(whole, DELTA).epsilon
            <= subject.spent(parts, DELTA).epsilon
        )

    @inherited
    @given(events=pure_events)
    def test_pure_charges_are_never_dearer_than_plain_addition(self, events: tuple[Event, ...]) -> None:
        plain = sum((e.cost.epsilon for e in events), Fraction(0))
        assert self.spent(*events).epsilon <= plain + Fraction(1, EPSILON_UNITS)
        assert self.admits((), events, Cost(plain + Fraction(1, EPSILON_UNITS)))

    @inherited
    @given(events=pure_events, more=pure_events, limit=st.builds(Cost, epsilons, st.just(DELTA)))
    def test_admits_exactly_what_is_then_within_the_limit(
        self, events: tuple[Event, ...], more: tuple[Event, ...], limit: Cost
    ) -> None:
        within = self.spent(*events, *more).epsilon <= limit.epsilon
        assert self.admits((), events + more, limit) == (within or not self.subject().totals(events + more))

    @inherited
    @given(events=pure_events)
    def test_a_query_is_asked_at_the_sum_of_its_epsilons(self, events: tuple[Event, ...]) -> None:
        assert self.subject().cost(events) == Cost(sum((e.cost.epsilon for e in events), Fraction(0)))

    def test_an_unknown_mechanism_is_refused(self) -> None:
        alien = replace(event("1"), mechanism=cast(Mechanism, "telepathy"))
        for of in (self.subject().cost, self.subject().totals):
            with pytest.raises(UnsupportedEvent, match="telepathy"):
                of((event("1"), alien))

    def test_something_that_is_no_event_is_refused(self) -> None:
        with pytest.raises(UnsupportedEvent, match="str"):
            self.subject().cost((cast(Event, "event"),))

    def test_the_last_unit_is_admitted_and_one_more_is_not(self) -> None:
        unit = event("0.000000001")
        assert self.admits((event("0.999999999"),), (unit,), cost("1"))
        assert not self.admits((event("1"),), (unit,), cost("1"))

    def test_delta_spent_above_the_limit_admits_nothing_more(self) -> None:
        private_keys = event("1", "1e-6", Mechanism.TRUNCATED_GEOMETRIC)
        assert not self.admits((private_keys,), (event("1"),), cost("10", "1e-7"))

    def test_what_costs_nothing_is_admitted_even_where_the_limit_was_lowered(self) -> None:
        assert self.admits((event("5"),), (), cost("1"))


class TestPure(AccountantContract):
    name = AccountantName.PURE

    def test_an_event_with_a_delta_is_refused_with_what_would_work(self) -> None:
        with pytest.raises(UnsupportedEvent, match=r"delta above 0.*approx"):
            self.subject().cost((event("1"), event("1", "1e-9", Mechanism.TRUNCATED_GEOMETRIC)))

    def test_gaussian_noise_is_refused(self) -> None:
        with pytest.raises(UnsupportedEvent, match="Gaussian"):
            self.subject().cost((gaussian("1"),))

    @given(events=pure_events)
    def test_epsilons_add_up(self, events: tuple[Event, ...]) -> None:
        plain = sum((e.cost.epsilon for e in events), Fraction(0))
        assert self.spent(*events) == cost_of(*booked(Cost(plain)))


class TestApprox(AccountantContract):
    name = AccountantName.APPROX

    @given(parts=st.lists(st.tuples(epsilons, st.fractions(0, Fraction(1, 10))), max_size=6))
    def test_epsilons_and_deltas_add_up(self, parts: list[tuple[Fraction, Fraction]]) -> None:
        events = tuple(Event(Mechanism.TRUNCATED_GEOMETRIC, 3, Cost(e, d)) for e, d in parts)
        expected = Cost(sum((e for e, _ in parts), Fraction(0)), sum((d for _, d in parts), Fraction(0)))
        assert self.subject().cost(events) == expected
        assert self.spent(*events) == cost_of(*booked(expected))

    def test_deltas_that_reach_1_are_refused(self) -> None:
        with pytest.raises(UnsupportedEvent, match="1 or more"):
            self.subject().cost((event("1", "0.5"), event("1", "0.5")))

    def test_delta_has_a_limit_of_its_own(self) -> None:
        spent, limit = (event("0", "4e-7"),), cost("1", "1e-6")
        assert self.admits(spent, (event("0", "6e-7"),), limit)
        assert not self.admits(spent, (event("0", "6.1e-7"),), limit)

    def test_gaussian_noise_costs_what_its_guarantee_says_and_needs_a_delta(self) -> None:
        assert self.spent(gaussian("0.5", delta="1e-8")) == cost("0.5", "1e-8")
        with pytest.raises(UnsupportedEvent, match="without a delta"):
            self.subject().cost((gaussian("0.5"),))

    def test_gaussian_noise_that_was_charged_under_zcdp_is_not_taken_for_pure(self) -> None:
        totals = Accountants().totals((gaussian("0.5"),))
        with pytest.raises(LedgerUnavailable, match="zcdp or rdp"):
            self.subject().spent(totals, DELTA)
        with pytest.raises(LedgerUnavailable, match="zcdp or rdp"):
            self.subject().admits(totals, Accountants().totals((event("0.1"),)), cost("10", "1e-6"))


class FilterContract(AccountantContract):
    """What the filters that convert at a delta have in common."""

    def test_a_quarter_of_delta_is_for_private_keys_and_the_rest_is_spent_on_converting(self) -> None:
        keys = event("0.1", "2.5e-7", Mechanism.TRUNCATED_GEOMETRIC)
        assert self.spent(event("0.1")) == cost("0.1", "7.5e-7")
        assert self.spent(keys) == cost("0.1", "1e-6")
        assert self.admits((event("0.1"),), (keys,), cost("1", "1e-6"))
        assert not self.admits((keys,), (event("0", "1e-18"),), cost("1", "1e-6"))

    def test_what_is_spent_on_gaussian_noise_fits_its_own_amount_and_nothing_less(self) -> None:
        events = (gaussian("0.5"),) * 3
        spent = self.spent(*events).epsilon
        assert self.admits((), events, Cost(spent, DELTA))
        assert not self.admits((), events, Cost(spent - Fraction(1, EPSILON_UNITS), DELTA))

    def test_gaussian_noise_is_counted_by_its_variance_whatever_it_was_asked_at(self) -> None:
        cheap, dear = gaussian("0.001", variance="4"), gaussian("100", variance="4")
        assert cheap.cost != dear.cost
        one, other = self.subject().totals((cheap,)), self.subject().totals((dear,))
        assert [a for a in one.amounts if a[0] != "epsilon"] == [
            a for a in other.amounts if a[0] != "epsilon"
        ]
        assert self.spent(cheap) == self.spent(dear)

    def test_a_gaussian_keeps_the_plain_sum_from_counting(self) -> None:
        assert self.spent(event("0.01")).epsilon == Fraction("0.01")
        assert self.spent(event("0.01"), gaussian("0.001")).epsilon > Fraction("0.02")

    def test_without_a_delta_gaussian_noise_fails_closed_and_pure_noise_adds_up_plainly(self) -> None:
        subject = self.subject()
        assert subject.spent(subject.totals((event("1"),)), Fraction(0)) == cost("1")
        assert not self.admits((), (gaussian("0.1"),), cost("1000"))
        with pytest.raises(LedgerUnavailable, match="delta above 0"):
            subject.spent(subject.totals((gaussian("0.1"),)), Fraction(0))

    def test_permute_and_flip_has_no_bounded_range_and_the_exponential_mechanism_has(self) -> None:
        flip = self.spent_by(2000, event("0.1", mechanism=Mechanism.PERMUTE_AND_FLIP))
        exponential = self.spent_by(2000, event("0.1", mechanism=Mechanism.EXPONENTIAL))
        assert flip == self.spent_by(2000, event("0.1", mechanism=Mechanism.RANDOMIZED_RESPONSE))
        assert exponential.epsilon < flip.epsilon / 2

    def test_the_exponential_mechanism_costs_a_quarter_of_the_rho_of_a_pure_release(self) -> None:
        once = self.subject().totals((event("0.00001"),))
        quarter = self.subject().totals((event("0.00002", mechanism=Mechanism.EXPONENTIAL),))
        for name, amount in once.amounts:
            if name.startswith(("rho", "renyi")):
                assert quarter.get(name) == pytest.approx(amount, rel=1e-2)


class TestZcdp(FilterContract):
    name = AccountantName.ZCDP

    def test_a_thousand_counts_at_a_hundredth_stay_below_1_and_a_half(self) -> None:
        assert Fraction("1.4") < self.spent_by(1000, event("0.01")).epsilon <= Fraction("1.5")

    def test_the_rho_of_a_gaussian_asked_at_epsilon_is_half_its_square(self) -> None:
        assert self.subject().totals((gaussian("0.2"),)).get("rho") == LOSS_UNITS * 2 // 100


class TestRdp(FilterContract):
    name = AccountantName.RDP

    def test_a_thousand_counts_at_a_hundredth_stay_below_1_and_three_quarters(self) -> None:
        assert Fraction("1.4") < self.spent_by(1000, event("0.01")).epsilon <= Fraction("1.75")

    def test_every_order_is_booked_and_the_delta_is_divided_among_them(self) -> None:
        totals = self.subject().totals((gaussian("1"),))
        booked_orders = {name for name, _ in totals.amounts if name.startswith("renyi_")}
        assert len(booked_orders) == len(ORDERS) == 16
        assert totals.get("renyi_8") == 4 * LOSS_UNITS

    def test_each_order_converts_at_its_own_part_of_delta(self) -> None:
        subject, events = self.subject(), (gaussian("0.5"),) * 10
        part = DELTA * 3 / 4 / len(ORDERS)
        least = min(renyi_to_epsilon(order, order * Fraction("1.25"), part) for order in ORDERS)
        assert abs(subject.spent(subject.totals(events), DELTA).epsilon - least) < Fraction(1, 10**9)


def test_every_name_in_the_policy_has_an_accountant_under_contract() -> None:
    found = [*AccountantContract.__subclasses__(), *FilterContract.__subclasses__()]
    assert {kind.name for kind in found if kind is not FilterContract} == set(AccountantName)
    assert {one.name for one in Accountants()} == set(AccountantName)


def test_a_name_without_an_accountant_is_a_bug() -> None:
    with pytest.raises(InternalError, match="renyi"):
        Accountants().named(cast(AccountantName, "renyi"))


def test_what_is_booked_serves_every_accountant() -> None:
    events = (event("0.3"), event("0.1", "1e-9", Mechanism.TRUNCATED_GEOMETRIC), gaussian("0.2"))
    for one in Accountants():
        own = one.totals(events)
        assert {name: Accountants().totals(events).get(name) for name, _ in own.amounts} == dict(own.amounts)
    assert Accountants().totals(events).get(UNPROVEN) == Accountants().totals(events).get(GAUSSIANS) == 1
    assert Accountants().totals(events).get(RESERVED) == 10**9


@given(st.fractions(0, 10**6), st.fractions(0, Fraction(1, 2)))
def test_rounding_up_covers_the_cost_by_less_than_one_unit(epsilon: Fraction, delta: Fraction) -> None:
    found = cost_of(*booked(Cost(epsilon, delta)))
    assert 0 <= found.epsilon - epsilon < Fraction(1, EPSILON_UNITS)
    assert 0 <= found.delta - delta < Fraction(1, DELTA_UNITS)


@pytest.mark.parametrize("huge", [cost("1e10"), Cost(Fraction(0), 1 - Fraction(1, 10**19))])
def test_a_cost_that_no_integer_holds_is_refused(huge: Cost) -> None:
    with pytest.raises(UnsupportedEvent, match="too large to be booked"):
        booked(huge)


amounts = st.dictionaries(st.sampled_from(("a", "b", "c", "d")), st.integers(0, 10**30))


@given(amounts, amounts)
def test_totals_add_up_name_by_name_and_survive_being_written(
    one: dict[str, int], other: dict[str, int]
) -> None:
    both = Totals.of(one) + Totals.of(other)
    assert all(both.get(name) == one.get(name, 0) + other.get(name, 0) for name in "abcd")
    assert both - Totals.of(one) == Totals.of(other)
    assert Totals.read(both.written()) == both


@pytest.mark.parametrize("text", ["[1]", '{"a": -1}', '{"a": 1.5}', '{"a": true}', "1", "{"])
def test_totals_that_are_no_whole_numbers_are_not_read(text: str) -> None:
    with pytest.raises(ValueError):
        Totals.read(text)


def test_totals_that_shrink_are_a_bug() -> None:
    with pytest.raises(ValueError, match="above 0"):
        Totals.of({"a": 1}) - Totals.of({"a": 2})


@given(events=pure_events, more=pure_events)
@settings(max_examples=10)
def test_under_rdp_no_pure_query_takes_more_than_its_epsilon(
    events: tuple[Event, ...], more: tuple[Event, ...]
) -> None:
    rules = Accountants().named(AccountantName.RDP)
    before = rules.totals(events)
    taken = rules.spent(before + rules.totals(more), DELTA).epsilon - rules.spent(before, DELTA).epsilon
    assert taken <= rules.cost(more).epsilon + Fraction(2, EPSILON_UNITS)
