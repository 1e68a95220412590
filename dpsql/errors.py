"""The one error tree: PEP 249's classes, and below them what dpsql itself has to say.

    Warning
    Error
     ├── InterfaceError            the connection or cursor was used wrongly (closed, wrong argument)
     │    └── WrongType            an argument of a type that means nothing there; a TypeError as well
     └── DatabaseError
          ├── DataError
          ├── OperationalError
          │    ├── BudgetExhausted      the question would cost more than is left; nothing was charged
          │    ├── LedgerUnavailable    the ledger cannot be read or written; nothing was answered
          │    └── QueryFailed          one fixed sentence for whatever went wrong after the charge
          ├── IntegrityError
          ├── InternalError             a bug in dpsql; it fails closed
          ├── ProgrammingError
          │    └── QueryRefused         where in the text, why, and what would work instead
          ├── NotSupportedError
          └── PolicyError               for the admin: every mistake in the policy at once

An analyst's message is computed from the query and the policy alone, never from data or an engine.

What goes wrong inside leaves as one of these and as nothing else. An exception keeps alive what was alive where it was
raised: its cause, its context and, through its traceback, the locals of every frame on the way. Error reporters collect
all of that. So an exception that leaves is cut off from where it came from (`guarded`), and what is no error of ours is
replaced by one with a fixed sentence; the details are for the admin's log (`failing_as`).
"""

from __future__ import annotations

import enum
import functools
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from fractions import Fraction
from types import FunctionType
from typing import NoReturn, ParamSpec, TypeVar

from dpsql.slotted import dataclass

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

# What a host raises to end its own program; everything else that is raised inside is a failure of ours.
_HOSTS = (KeyboardInterrupt, SystemExit)
_MAKERS = frozenset({"__new__", "__init__", "__init_subclass__", "__class_getitem__", "__del__"})


class Warning(UserWarning):
    """An important warning (PEP 249): `connect` gives one for each table that may protect another unit than meant."""


class Error(Exception):
    """The base of every error that dpsql raises; it can be copied and pickled."""

    def __reduce__(self) -> tuple[Callable[..., Error], tuple[object, ...]]:
        return _restored, (type(self), self.args, dict(vars(self)))


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, or what a host sends in its place, in work that may charge; its text says what was charged."""


def _restored(kind: type[Error], args: tuple[object, ...], attributes: dict[str, object]) -> Error:
    """An error with its sentence as it was; the constructors of some take other arguments than that."""
    error = kind.__new__(kind, *args)
    vars(error).update(attributes)
    return error


class InterfaceError(Error):
    """The interface was used wrongly: a closed cursor, a wrong number of parameters."""


class DatabaseError(Error):
    """The base of every error about a query, the policy, the ledger or an engine."""


class DataError(DatabaseError):
    """A value cannot be processed (PEP 249)."""


class OperationalError(DatabaseError):
    """Something outside the query's text stands in the way."""


class IntegrityError(DatabaseError):
    """A relational integrity is affected (PEP 249); dpsql raises none."""


class InternalError(DatabaseError):
    """A bug in dpsql: an invariant did not hold, and the query failed closed."""

    SENTENCE = "dpsql failed inside and gives no answer; the admin's log says why"


class ProgrammingError(DatabaseError):
    """The statement is wrong (PEP 249)."""


class NotSupportedError(DatabaseError):
    """The method does not exist here (PEP 249)."""


class WrongType(InterfaceError, ProgrammingError, TypeError):
    """An argument has a type that means nothing where it stands; Python's own functions raise TypeError there."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text: line and column, both counted from 1."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}"


MADE_UP_ROWS = 'A connection with rows="mock" shows made-up rows.'
"""What the refusal of a query for rows of people offers; a command says how it is asked there."""


class Refusal(enum.StrEnum):
    """What a refusal is about, as far as other systems tell it apart."""

    UNSUPPORTED = "unsupported"
    SYNTAX = "syntax"
    NO_TABLE = "no table"
    NO_COLUMN = "no column"
    NO_FUNCTION = "no function"
    NO_SETTING = "no setting"
    PRIVATE_ROWS = "private rows"


class QueryRefused(ProgrammingError):
    """The query is not answered: where in the text, why, and what would work instead.

    Nothing was charged and no data was touched. The message depends on the text and the policy only.
    """

    def __init__(
        self,
        reason: str,
        *,
        place: Place | None = None,
        hint: str | None = None,
        kind: Refusal = Refusal.UNSUPPORTED,
    ) -> None:
        self.reason = reason
        self.place = place
        self.hint = hint
        self.kind = kind
        where = f"{place}: " if place is not None else ""
        instead = f". {hint}" if hint else ""
        super().__init__(f"{where}{reason}{instead}")

    def offering(self, more: str) -> QueryRefused:
        """The same refusal with one more hint."""
        hint = f"{self.hint} {more}" if self.hint else more
        return QueryRefused(self.reason, place=self.place, hint=hint, kind=self.kind)

    @property
    def line(self) -> int | None:
        """The line of the refused construct, from 1, where it is known."""
        return self.place.line if self.place is not None else None

    @property
    def column(self) -> int | None:
        """The column of the refused construct, from 1, where it is known."""
        return self.place.column if self.place is not None else None


class BudgetExhausted(OperationalError):
    """The question costs more than is left of a budget; it was not charged.

    `account` says whose budget (an analyst's name, "role sales", or "dataset"); `asked_*` and `left_*` are exact, and
    None where others pay from that budget as well: what it has left tells what they asked. `fitting_epsilon` is an
    epsilon for the query that the analyst's own budget covers, where one was found.
    """

    def __init__(
        self,
        account: str,
        *,
        asked_epsilon: Fraction | None = None,
        left_epsilon: Fraction | None = None,
        asked_delta: Fraction | None = None,
        left_delta: Fraction | None = None,
        fitting_epsilon: Fraction | None = None,
    ) -> None:
        self.account = account
        self.fitting_epsilon = fitting_epsilon
        self.asked_epsilon = asked_epsilon
        self.left_epsilon = left_epsilon
        self.asked_delta = asked_delta
        self.left_delta = left_delta
        given = (asked_epsilon, asked_delta, left_epsilon, left_delta)
        amounts = [float(number) for number in given if number is not None]
        budget = "the data's budget" if account == "dataset" else f"the budget of {account}"
        if len(amounts) == len(given):
            asked, left = "asked epsilon {:g}, delta {:g}", "left epsilon {:g}, delta {:g}"
            fits = f" At epsilon {float(fitting_epsilon):g} it would." if fitting_epsilon is not None else ""
            super().__init__(
                f"{budget} does not cover this query: {f'{asked}; {left}'.format(*amounts)}. "
                f"Nothing was charged.{fits}"
            )
        else:
            super().__init__(f"{budget} does not allow this query. Nothing was charged.")

    def with_fitting(self, epsilon: Fraction | None) -> BudgetExhausted:
        """The same refusal with an epsilon at which the analyst's own budget covers the query."""
        return BudgetExhausted(
            self.account,
            asked_epsilon=self.asked_epsilon,
            left_epsilon=self.left_epsilon,
            asked_delta=self.asked_delta,
            left_delta=self.left_delta,
            fitting_epsilon=epsilon,
        )


class LedgerUnavailable(OperationalError):
    """The ledger cannot be opened, read or written; the query was not run."""


class QueryFailed(OperationalError):
    """The query could not be completed, after its charge where one was due; one fixed sentence for each case."""

    SENTENCE = "the query could not be completed; its charge stands"
    UNCHARGED = "the query could not be completed; it was free"

    def __init__(self, *, charged: bool = True) -> None:
        super().__init__(self.SENTENCE if charged else self.UNCHARGED)


class TooManyRows(QueryFailed):
    """A table has more rows than are released one by one; how many it has is public wherever that is asked."""

    def __init__(self, most: int) -> None:
        OperationalError.__init__(
            self,
            f"a table of more than {most} rows is not released row by row; the charge stands. Aggregate it.",
        )


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a policy: file, place, the path of the key, and what would be right."""

    file: str
    place: Place | None
    path: str
    message: str

    def __str__(self) -> str:
        where = f"{self.file}:{self.place.line}:{self.place.column}" if self.place else self.file
        return f"{where}: {self.path}: {self.message}" if self.path else f"{where}: {self.message}"


class PolicyError(DatabaseError):
    """The policy or a source it names is wrong; every mistake found is in `problems`."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        self.problems = problems
        super().__init__("\n".join(str(p) for p in problems))


def sentence(error: BaseException) -> str:
    """What dpsql itself said, out of an error that a tool has wrapped, however often; else the error's own text."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if isinstance(at, Error):
            return str(at)
        seen.add(id(at))
        wrapped = getattr(at, "orig", None)  # as SQLAlchemy keeps it
        at = wrapped if isinstance(wrapped, BaseException) else at.__cause__ or at.__context__
    return str(error)


def guarded(work: Callable[P, R]) -> Callable[P, R]:
    """The function as its callers may have it.

    Raises only dpsql.Error, KeyboardInterrupt and SystemExit, each without cause, context or a frame of ours but this
    one, which holds nothing; and Python's own TypeError for arguments that do not fit the signature. What else is
    raised inside becomes InternalError; RecursionError is left, as bare as the others, where the caller's stack has no
    room for that.
    """

    # Between a failure and its raise nothing else may be called: the caller's stack may be at its end.
    @functools.wraps(work)
    def guard(*args: P.args, **kwargs: P.kwargs) -> R:
        failure: BaseException | None = None
        try:
            return work(*args, **kwargs)
        except (Error, *_HOSTS) as error:
            failure = error
        except TypeError as error:
            if error.__traceback__ is not None and error.__traceback__.tb_next is None:
                failure = error  # raised here and not in `work`: the arguments do not fit its signature
        except BaseException:
            pass
        if failure is None:
            try:
                failure = InternalError(InternalError.SENTENCE)
            except RecursionError as error:
                failure = error
        del args, kwargs
        failure.__cause__ = failure.__context__ = failure.__traceback__ = None
        failure.__suppress_context__ = False
        try:
            raise failure
        finally:
            del failure

    return guard


def sealed(public: C) -> C:
    """The class with every method and property that callers can reach guarded."""
    for name, member in tuple(vars(public).items()):
        if (name.startswith("_") and not name.endswith("__")) or name in _MAKERS:
            continue
        if isinstance(member, FunctionType):
            setattr(public, name, guarded(member))
        elif isinstance(member, property):
            setattr(public, name, _guarded_property(member))
    return public


def _guarded_property(given: property) -> property:
    read, write = (guarded(way) if way is not None else None for way in (given.fget, given.fset))
    return property(read, write, None, given.__doc__)


@contextmanager
def failing_as(
    failure: Callable[[], Error], log: Callable[[str], None], passing: tuple[type[Error], ...] = ()
) -> Iterator[None]:
    """A block in which whatever goes wrong becomes `failure`; what it was goes to the admin's log.

    Errors of the classes in `passing` are let through as they are.
    """
    try:
        yield
    except _HOSTS:
        raise
    except passing:
        raise
    except BaseException as error:
        _logged(error, log)
    else:
        return
    raise failure()


def _logged(error: BaseException, log: Callable[[str], None]) -> None:
    """Whatever the log does, it does not change what the caller sees."""
    with suppress(Exception):
        log("".join(traceback.format_exception(error)).rstrip())


@sealed
class Uncopyable:
    """Neither copied nor pickled: a copy would share a ledger and engines, and a pickle would show them."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise NotSupportedError(
            f"a dpsql {type(self).__name__.lower()} cannot be copied or pickled; open another"
        )
