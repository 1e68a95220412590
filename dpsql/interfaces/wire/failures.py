"""What a client is told where a statement is not answered: SQLSTATE, sentence, hint and place, and nothing else.

The codes are PostgreSQL's (https://www.postgresql.org/docs/16/errcodes-appendix.html). None makes a pool or a driver
ask again by itself: that might be charged. Whatever goes wrong after a charge has one code, a passed deadline too: how
long the engine took and why it failed may depend on private rows, and two codes would tell one from the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from dpsql.errors import (
    BudgetExhausted,
    Error,
    InternalError,
    LedgerUnavailable,
    OperationalError,
    ProgrammingError,
    QueryFailed,
    QueryRefused,
    Refusal,
)
from dpsql.interfaces.wire.messages import ProtocolViolation, error_response
from dpsql.sql.lex.statement_texts import StatementText

UNSUPPORTED: Final = "0A000"
FAILED: Final = "58000"
CANCELLED: Final = "57014"
TOO_MANY: Final = "53300"
_OF_REFUSAL: Final = MappingProxyType(
    {
        Refusal.UNSUPPORTED: UNSUPPORTED,
        Refusal.SYNTAX: "42601",
        Refusal.NO_TABLE: "42P01",
        Refusal.NO_COLUMN: "42703",
        Refusal.NO_FUNCTION: "42883",
        Refusal.NO_SETTING: "42704",
        Refusal.PRIVATE_ROWS: "42501",
    }
)


class Unsendable(Exception):
    """A column or value that PostgreSQL has no type for here; the text is for the client."""


class TooManyCalls(OperationalError):
    """An analyst has as many calls running and waiting as it may have; a cancelled one counts until it ends.

    The one that is refused has not begun: nothing was charged for it.
    """


class Failure(Exception):
    """A statement that is not answered: its SQLSTATE, a sentence, and what works instead."""

    def __init__(
        self, sqlstate: str, sentence: str, hint: str | None = None, position: int | None = None
    ) -> None:
        self.sqlstate = sqlstate
        self.sentence = sentence
        self.hint = hint
        self.position = position
        super().__init__(sentence)

    @property
    def message(self) -> bytes:
        """The ErrorResponse."""
        return error_response(self.sqlstate, self.sentence, self.hint, self.position)


def cancelled() -> Failure:
    """What a cancelled statement ends with, whether it had been charged or not."""
    return Failure(CANCELLED, "cancelled; what was charged stands")


@contextmanager
def placed(statement: StatementText | None) -> Iterator[None]:
    """A block about a statement: what it refuses is a Failure with the place in that text."""
    try:
        yield
    except QueryRefused as error:
        failure = failure_of(error, statement)
    else:
        return
    raise failure


def failure_of(error: Exception, statement: StatementText | None) -> Failure:
    """What a client is told of an error; whatever is no error of dpsql's is its fixed sentence."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, ProtocolViolation):
        return Failure(error.sqlstate, str(error))
    if isinstance(error, Unsendable):
        return Failure(UNSUPPORTED, str(error))
    if isinstance(error, QueryRefused):
        place = error.place
        position = statement.position(place.line, place.column) if statement and place else None
        return Failure(_OF_REFUSAL[error.kind], error.reason, error.hint, position)
    if not isinstance(error, Error) or isinstance(error, InternalError):
        return Failure("XX000", InternalError.SENTENCE)
    return Failure(_sqlstate(error), str(error))


def _sqlstate(error: Error) -> str:
    match error:
        case BudgetExhausted():
            return "53400"
        case LedgerUnavailable():
            return "57P03"
        case TooManyCalls():
            return TOO_MANY
        case QueryFailed():
            return FAILED
        case ProgrammingError():
            return "42601"
        case _:  # the data is being changed, or the connection cannot be opened
            return FAILED
