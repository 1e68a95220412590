"""Short ways to write requests and charges, shared by the tests of this folder and their worker processes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Request, Standing, Step
from dpsql.policy.model import AccountantName, Window
from dpsql.privacy import Charge, Confined, Cost, Event, Mechanism

AMPLE = "1000000"


def cost(epsilon: str, delta: str = "0") -> Cost:
    return Cost(Fraction(epsilon), Fraction(delta))


def event(epsilon: str, delta: str = "0", mechanism: Mechanism = Mechanism.DISCRETE_LAPLACE) -> Event:
    return Event(mechanism, 1, cost(epsilon, delta))


def gaussian(epsilon: str, delta: str = "0", variance: str | None = None) -> Event:
    """Gaussian noise of sensitivity 1 as zcdp and rdp plan it, or of another variance."""
    sigma_squared = Fraction(variance) if variance else 1 / Fraction(epsilon) ** 2
    return Event(Mechanism.DISCRETE_GAUSSIAN, 1, cost(epsilon, delta), sigma_squared)


def charge(
    key: str, epsilon: str = "1", delta: str = "0", parts: tuple[str, ...] = (), touched: int = 1
) -> Charge:
    confined = Confined(parts, touched) if parts else None
    beginning = "canonical form of "
    return Charge(key, f"{beginning}{key}", (event(epsilon, delta),), len(beginning), confined)


def on_path(
    key: str, *epsilons: str, path: str = "p", parts: tuple[str, ...] = (), touched: int = 1
) -> Charge:
    """A draw on a path of noise, with an event for each epsilon."""
    confined = Confined(parts, touched) if parts else None
    beginning = "canonical form of "
    events = tuple(map(event, epsilons))
    return Charge(key, f"{beginning}{key}", events, len(beginning), confined, f"path {path}")


def of_series(key: str) -> Charge:
    """The charge named `series.n.question`, each at epsilon 1 more: of odd n one release at epsilons 1, 2, 3, ..."""
    series, n, question = key.rsplit(".", 2)
    if int(n) % 2:
        return on_path(key, str(int(question) + 1), path=f"{series}.{n}")
    return charge(key)


def request(
    analyst: str = "alice",
    *,
    limit: str = AMPLE,
    per_query: str = AMPLE,
    dataset: str = AMPLE,
    delta: str = "0.5",
    data_version: int = 1,
    accountant: AccountantName = AccountantName.APPROX,
    window: Window = Window.NEVER,
    dataset_window: Window = Window.NEVER,
    role: str | None = None,
    role_limit: str = AMPLE,
    role_window: Window = Window.NEVER,
    policy: str = "digest of the policy",
) -> Request:
    return Request(
        analyst,
        cost(limit, delta),
        cost(per_query, delta),
        cost(dataset, delta),
        policy,
        data_version,
        accountant,
        window,
        dataset_window,
        role,
        cost(role_limit, delta),
        role_window,
    )


def every_standing(ledger: Ledger, of: Request) -> tuple[Standing, ...]:
    """How all accounts stand that pay for a request: the analyst's, the role's, the dataset's."""
    return tuple(ledger.standing(of, account) for account in of.accounts)


class At:
    """Does something once, at a step."""

    def __init__(self, step: Step, work: Callable[[], object]) -> None:
        self.step = step
        self.work: Callable[[], object] | None = work

    def reached(self, step: Step) -> None:
        if step is self.step and self.work is not None:
            work, self.work = self.work, None
            work()
