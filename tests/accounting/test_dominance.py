"""Gaussian noise is a default only where no budget lets fewer queries through than plain addition would."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.dominance import dominates_addition
from dpsql.accounting.ledger.booked_totals import Totals
from dpsql.policy.model import AccountantName, Budget, Dataset, Policy, Privacy, Role
from dpsql.privacy import Cost, Event, Mechanism

DELTA = Fraction(1, 10**6)
CONCENTRATED = (AccountantName.ZCDP, AccountantName.RDP)


def budget(epsilon: Fraction | int, each: Fraction) -> Budget:
    return Budget(Cost(Fraction(epsilon), DELTA), Cost(each))


def policy(accountant: AccountantName, default: Budget, dataset: int = 1000) -> Policy:
    limit = Dataset(Cost(Fraction(dataset), DELTA))
    return Policy(Path("policy.yaml"), "", Privacy("t.u"), (), limit, default, (), accountant)


def admitted(accountant: AccountantName, limit: Cost, epsilon: Fraction, most: int) -> int:
    """How many Gaussians asked at that epsilon an account admits, one after another, up to `most`."""
    rules = Accountants().named(accountant)
    one = rules.totals((Event(Mechanism.DISCRETE_GAUSSIAN, 1, Cost(epsilon), 1 / epsilon**2),))
    spent, count = Totals(), 0
    while count < most and rules.admits(spent, one, limit):
        spent, count = spent + one, count + 1
    return count


@pytest.mark.one_in(6)
@pytest.mark.parametrize("accountant", CONCENTRATED)
@pytest.mark.parametrize("each", [Fraction(1, 2), Fraction(1, 10), Fraction(1, 50)])
@pytest.mark.parametrize("epsilon", [1, 3, 8])
def test_it_holds_exactly_where_as_many_gaussian_queries_fit_as_plain_addition_admits(
    accountant: AccountantName, each: Fraction, epsilon: int
) -> None:
    wanted = int(epsilon / each)
    found = dominates_addition(policy(accountant, budget(epsilon, each)))
    assert found == (admitted(accountant, Cost(Fraction(epsilon), DELTA), each, wanted) == wanted)
    smaller = each / 3
    if found:
        assert admitted(accountant, Cost(Fraction(epsilon), DELTA), smaller, 3 * wanted) == 3 * wanted


def test_the_regimes_are_both_met() -> None:
    assert dominates_addition(policy(AccountantName.ZCDP, budget(3, Fraction(1, 50))))
    assert not dominates_addition(policy(AccountantName.ZCDP, budget(1, Fraction(1, 10))))


@pytest.mark.parametrize("accountant", [AccountantName.PURE, AccountantName.APPROX])
def test_where_epsilons_add_up_it_does_not_hold(accountant: AccountantName) -> None:
    assert not dominates_addition(policy(accountant, budget(3, Fraction(1, 50))))


@pytest.mark.parametrize("accountant", CONCENTRATED)
def test_one_budget_of_few_queries_is_enough_for_it_not_to_hold(accountant: AccountantName) -> None:
    many, few = budget(3, Fraction(1, 50)), budget(3, Fraction(1))
    made = policy(accountant, many)
    assert dominates_addition(made)
    assert not dominates_addition(replace(made, analysts=(("bob", few),)))
    assert not dominates_addition(replace(made, roles=(Role("r", few, ("bob",)),)))
    assert not dominates_addition(replace(made, dataset=Dataset(Cost(Fraction(3)))))
    large = budget(300, Fraction(1, 2))
    shared = replace(made, analysts=(("bob", large),), roles=(Role("r", many, ("bob",)),))
    assert dominates_addition(replace(made, analysts=(("bob", large),)))
    assert not dominates_addition(shared)
