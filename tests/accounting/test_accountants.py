"""Every accountant keeps one contract; what sets one apart is tested below it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ledger_builders import cost, event

from dpsql.accounting.accountant import Accountant, accountant
from dpsql.accounting.types import UnsupportedEvent
from dpsql.accounting.units import DELTA_UNITS, EPSILON_UNITS, rounded_up
from dpsql.errors import InternalError
from dpsql.policy.model import AccountantName
from dpsql.privacy import FREE, Cost, Event, Mechanism

epsilons = st.fractions(min_value=0, max_value=10, max_denominator=1000)
pure_events = st.lists(
    st.builds(
        Event,
        st.sampled_from(
            (Mechanism.DISCRETE_LAPLACE, Mechanism.PERMUTE_AND_FLIP, Mechanism.EXPONENTIAL),
        ),
        st.integers(1, 10**9),
        st.builds(Cost, epsilons),
    ),
    max_size=6,
).map(tuple)
costs = st.builds(Cost, epsilons)
# One inherited test runs for several accountants on purpose.
inherited = settings(suppress_health_check=[HealthCheck.differing_executors])


class AccountantContract:
    """What every accountant guarantees."""

    name: AccountantName

    def subject(self) -> Accountant:
        return accountant(self.name)

    def test_is_found_by_its_name(self) -> None:
        assert self.subject().name is self.name

    def test_no_events_cost_nothing(self) -> None:
        assert self.subject().cost(()) == FREE

    @inherited
    @given(events=pure_events, data=st.data())
    def test_the_order_of_events_does_not_matter(
        self, events: tuple[Event, ...], data: st.DataObject
    ) -> None:
        shuffled = tuple(data.draw(st.permutations(events)))
        assert self.subject().cost(shuffled) == self.subject().cost(events)

    @inherited
    @given(first=pure_events, second=pure_events)
    def test_costs_of_parts_never_undercount_the_whole_and_more_never_costs_less(
        self, first: tuple[Event, ...], second: tuple[Event, ...]
    ) -> None:
        subject = self.subject()
        whole, parts = subject.cost(first + second), subject.cost(first) + subject.cost(second)
        assert subject.cost(first).epsilon <= whole.epsilon <= parts.epsilon
        assert whole.delta <= parts.delta

    @inherited
    @given(events=pure_events)
    def test_never_dearer_than_plain_addition(self, events: tuple[Event, ...]) -> None:
        assert self.subject().cost(events).epsilon <= sum(e.cost.epsilon for e in events)

    def test_an_unknown_mechanism_is_refused(self) -> None:
        alien = replace(event("1"), mechanism=cast(Mechanism, "telepathy"))
        with pytest.raises(UnsupportedEvent, match="telepathy"):
            self.subject().cost((event("1"), alien))

    def test_something_that_is_no_event_is_refused(self) -> None:
        with pytest.raises(UnsupportedEvent, match="str"):
            self.subject().cost((cast(Event, "event"),))

    @inherited
    @given(spent=costs, asked=costs, limit=costs)
    def test_admits_exactly_what_stays_within_the_limit(self, spent: Cost, asked: Cost, limit: Cost) -> None:
        fits = spent.epsilon + asked.epsilon <= limit.epsilon
        assert self.subject().admits(spent, asked, limit) == (fits or asked == FREE)

    def test_the_last_unit_is_admitted_and_one_more_is_not(self) -> None:
        subject, unit = self.subject(), Cost(Fraction(1, EPSILON_UNITS))
        assert subject.admits(cost("0.999999999"), unit, cost("1"))
        assert not subject.admits(cost("1"), unit, cost("1"))

    def test_delta_spent_above_the_limit_admits_nothing_more(self) -> None:
        assert not self.subject().admits(cost("1", "1e-6"), cost("1"), cost("10", "1e-7"))

    def test_what_costs_nothing_is_admitted_even_where_the_limit_was_lowered(self) -> None:
        assert self.subject().admits(cost("5"), FREE, cost("1"))


class TestPure(AccountantContract):
    name = AccountantName.PURE

    def test_an_event_with_a_delta_is_refused_with_what_would_work(self) -> None:
        with pytest.raises(UnsupportedEvent, match=r"delta above 0.*approx"):
            self.subject().cost((event("1"), event("1", "1e-9", Mechanism.TRUNCATED_GEOMETRIC)))

    @given(events=pure_events)
    def test_epsilons_add_up(self, events: tuple[Event, ...]) -> None:
        assert self.subject().cost(events) == Cost(sum((e.cost.epsilon for e in events), Fraction(0)))


class TestApprox(AccountantContract):
    name = AccountantName.APPROX

    @given(parts=st.lists(st.tuples(epsilons, st.fractions(0, Fraction(1, 10))), max_size=6))
    def test_epsilons_and_deltas_add_up(self, parts: list[tuple[Fraction, Fraction]]) -> None:
        events = tuple(Event(Mechanism.TRUNCATED_GEOMETRIC, 3, Cost(e, d)) for e, d in parts)
        expected = Cost(sum((e for e, _ in parts), Fraction(0)), sum((d for _, d in parts), Fraction(0)))
        assert self.subject().cost(events) == expected

    def test_deltas_that_reach_1_are_refused(self) -> None:
        with pytest.raises(UnsupportedEvent, match="1 or more"):
            self.subject().cost((event("1", "0.5"), event("1", "0.5")))

    def test_delta_has_a_limit_of_its_own(self) -> None:
        subject = self.subject()
        assert subject.admits(cost("0", "4e-7"), cost("0", "6e-7"), cost("1", "1e-6"))
        assert not subject.admits(cost("0", "4e-7"), cost("0", "6.1e-7"), cost("1", "1e-6"))


def test_every_name_in_the_policy_has_an_accountant_under_contract() -> None:
    assert {kind.name for kind in AccountantContract.__subclasses__()} == set(AccountantName)


def test_a_name_without_an_accountant_is_a_bug() -> None:
    with pytest.raises(InternalError, match="renyi"):
        accountant(cast(AccountantName, "renyi"))


@given(st.fractions(0, 10**6), st.fractions(0, Fraction(1, 2)))
def test_rounding_up_covers_the_cost_by_less_than_one_unit(epsilon: Fraction, delta: Fraction) -> None:
    booked = rounded_up(Cost(epsilon, delta)).cost
    assert 0 <= booked.epsilon - epsilon < Fraction(1, EPSILON_UNITS)
    assert 0 <= booked.delta - delta < Fraction(1, DELTA_UNITS)


@pytest.mark.parametrize("huge", [cost("1e10"), Cost(Fraction(0), 1 - Fraction(1, 10**19))])
def test_a_cost_that_no_integer_holds_is_refused(huge: Cost) -> None:
    with pytest.raises(UnsupportedEvent, match="too large to be booked"):
        rounded_up(huge)
