"""What a client is told beside an answer: what it was charged, what is left, what may have biased it."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction

from dpsql.dbapi import Connection
from dpsql.errors import Error
from dpsql.interfaces.wire.messages import report
from dpsql.interfaces.wire.portals import Notice
from dpsql.privacy import Cost
from dpsql.release.types import Released

STANDS = "what was charged in the transaction stands: a rollback gives nothing back"


def notice(sentence: str) -> Notice:
    """A NOTICE."""
    return Notice("notice", report(b"N", "NOTICE", "00000", sentence))


def warning(sqlstate: str, sentence: str) -> Notice:
    """A WARNING."""
    return Notice("warning", report(b"N", "WARNING", sqlstate, sentence))


def charge_notices(released: Released, connection: Connection) -> tuple[Notice, ...]:
    """What an answer was charged and what its limits may have biased; nothing for one that was free and is real."""
    if released.made_up:
        return tuple(map(notice, released.notes))
    if released.cost.epsilon == 0 and released.cost.delta == 0:
        return ()
    left = None
    with suppress(
        Error
    ):  # the answer is paid for: it is given without this where the ledger is gone meanwhile
        left = connection.budget().remaining
    return (notice(_charged(released.cost, left)), *map(notice, released.bias))


def _charged(cost: Cost, left: Cost | None) -> str:
    parts = [_amount("epsilon", cost.epsilon, None if left is None else left.epsilon)]
    if cost.delta:
        parts.append(_amount("delta", cost.delta, None if left is None else left.delta))
    return "charged " + "; ".join(parts)


def _amount(name: str, charged: Fraction, left: Fraction | None) -> str:
    return f"{name} {float(charged):g}" + (f", {float(left):g} left" if left is not None else "")
