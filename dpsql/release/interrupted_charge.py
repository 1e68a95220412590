"""What a query was charged that somebody interrupted, as the analyst's own account in the ledger has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from dpsql.errors import Error, Interrupted
from dpsql.privacy import FREE, Cost

NOTHING = "nothing was charged"
_UNKNOWN = "what was charged stays charged: your budget says what is left"


@contextmanager
def charge_told(
    spent: Callable[[], Cost], charged: Callable[[Cost], None] = lambda cost: None
) -> Iterator[None]:
    """A block that asks one query; where it is interrupted, Interrupted says what was charged, and `charged` is told.

    `spent` asks what the account has spent; what other sessions of the same analyst spend meanwhile counts as well.
    """
    before = _asked(spent)
    try:
        yield
    except KeyboardInterrupt:
        cost = _difference(before, _asked(spent))
        charged(cost if cost is not None else FREE)
        raise Interrupted(_sentence(cost)) from None


def _asked(spent: Callable[[], Cost]) -> Cost | None:
    """What was spent; None where the ledger cannot be asked."""
    with suppress(Error):
        return spent()
    return None


def _difference(before: Cost | None, now: Cost | None) -> Cost | None:
    """What was spent between the two; None where that is not known, as where the budget began anew."""
    if before is None or now is None or now.epsilon < before.epsilon or now.delta < before.delta:
        return None
    return Cost(now.epsilon - before.epsilon, now.delta - before.delta)


def _sentence(cost: Cost | None) -> str:
    if cost is None:
        return _UNKNOWN
    if cost == FREE:
        return NOTHING
    return (
        f"charged epsilon {float(cost.epsilon):g}, delta {float(cost.delta):g}, which stays charged: where the draw "
        "was kept, the same query gives its answer for nothing"
    )
