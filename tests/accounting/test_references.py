"""Totals against Google's dp_accounting, which computes them in another way, and against its tightest account."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from dp_accounting.dp_event import (
    DiscreteLaplaceDpEvent,
    DpEvent,
    GaussianDpEvent,
    SelfComposedDpEvent,
    ZCDpEvent,
)
from dp_accounting.pld import PLDAccountant
from dp_accounting.rdp import RdpAccountant
from ledger_builders import event, gaussian

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.losses import curve_of
from dpsql.accounting.accountants.rdp import ORDERS
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.policy.model import AccountantName
from dpsql.privacy import Event, Mechanism

DELTA = Fraction(1, 10**6)
CONVERTED = float(DELTA) * 3 / 4
FILTERS = (AccountantName.ZCDP, AccountantName.RDP)


def epsilon_of(name: AccountantName, once: Event, count: int) -> float:
    rules = Accountants().named(name)
    totals = {k: count * amount for k, amount in rules.totals((once,)).amounts}
    return float(rules.spent(Totals.of(totals), DELTA).epsilon)


def theirs_by_rdp(what: DpEvent, count: int, delta: float) -> float:
    accountant = RdpAccountant(orders=[float(order) for order in ORDERS])
    return float(accountant.compose(SelfComposedDpEvent(what, count)).get_epsilon(delta))


def theirs_at_best(what: DpEvent, count: int, delta: float) -> float:
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    return float(accountant.compose(SelfComposedDpEvent(what, count)).get_epsilon(delta))


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 50), ("0.5", 10), ("1", 100)])
def test_gaussian_totals_are_those_of_dp_accounting_at_an_orders_part_of_delta(
    epsilon: str, count: int
) -> None:
    theirs = theirs_by_rdp(GaussianDpEvent(1 / float(epsilon)), count, CONVERTED / len(ORDERS))
    assert epsilon_of(AccountantName.RDP, gaussian(epsilon), count) == pytest.approx(theirs, rel=1e-6)


@pytest.mark.parametrize(("epsilon", "count"), [("0.1", 3000), ("1", 60)])
def test_totals_of_the_exponential_mechanism_are_those_of_a_zcdp_event(epsilon: str, count: int) -> None:
    theirs = theirs_by_rdp(ZCDpEvent(float(epsilon) ** 2 / 8), count, CONVERTED / len(ORDERS))
    ours = epsilon_of(AccountantName.RDP, event(epsilon, mechanism=Mechanism.EXPONENTIAL), count)
    assert ours == pytest.approx(theirs, rel=1e-3)
    assert ours <= theirs * (1 + 1e-9)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "count"), [("0.05", 1, 400), ("0.5", 4, 30), ("2", 20, 5)]
)
def test_laplace_totals_lie_between_the_tightest_account_and_twice_of_it(
    name: AccountantName, epsilon: str, sensitivity: int, count: int
) -> None:
    once = Event(Mechanism.DISCRETE_LAPLACE, sensitivity, event(epsilon).cost)
    what = DiscreteLaplaceDpEvent(float(epsilon) / sensitivity, sensitivity)
    best = theirs_at_best(what, count, float(DELTA))
    assert best <= epsilon_of(name, once, count) + 1e-6 <= 2 * best


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize(("epsilon", "count"), [("0.2", 100), ("1", 10)])
def test_gaussian_totals_lie_between_the_tightest_account_and_a_half_more(
    name: AccountantName, epsilon: str, count: int
) -> None:
    best = theirs_at_best(GaussianDpEvent(1 / float(epsilon)), count, float(DELTA))
    assert best <= epsilon_of(name, gaussian(epsilon), count) <= 1.5 * best


@pytest.mark.parametrize("mechanism", [m for m in Mechanism if m is not Mechanism.DISCRETE_GAUSSIAN])
@pytest.mark.parametrize("epsilon", ["0.01", "1", "8"])
def test_no_curve_is_above_that_of_randomized_response(mechanism: Mechanism, epsilon: str) -> None:
    loss = float(epsilon)
    found = curve_of(Event(mechanism, 3, event(epsilon).cost))
    for order in ORDERS:
        alpha = float(order)
        top = math.log1p(math.exp(-(2 * alpha - 1) * loss)) + alpha * loss
        pure = (top - loss - math.log1p(math.exp(-loss))) / (alpha - 1)
        assert 0 < float(found(order)) <= pure * (1 + 1e-9)
