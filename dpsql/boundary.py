"""The boundary between dpsql and its caller: what goes wrong inside leaves as one of our errors and as nothing else.

An exception keeps alive what was alive where it was raised: its cause, its context and, through its traceback, the
locals of every frame on the way. Error reporters collect all of that. So an exception that leaves is cut off from
where it came from, and what is no error of ours is replaced by one with a fixed sentence; the details are for the
admin's log.
"""

from __future__ import annotations

import functools
import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FunctionType
from typing import NoReturn, ParamSpec, TypeVar

from dpsql.errors import Error, InternalError, NotSupportedError

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

# What a host raises to end its own program; everything else that is raised inside is a failure of ours.
_HOSTS = (KeyboardInterrupt, SystemExit)
_MAKERS = frozenset({"__new__", "__init__", "__init_subclass__", "__class_getitem__", "__del__"})


def guarded(work: Callable[P, R]) -> Callable[P, R]:
    """The function as its callers may have it.

    Raises only dpsql.Error, KeyboardInterrupt and SystemExit, each without cause, context or a frame of ours but this
    one, which holds nothing. What else is raised inside becomes InternalError; RecursionError is left, as bare as the
    others, where the caller's stack has no room for that.
    """

    # Between a failure and its raise nothing else may be called: the caller's stack may be at its end.
    @functools.wraps(work)
    def guard(*args: P.args, **kwargs: P.kwargs) -> R:
        failure: BaseException
        try:
            return work(*args, **kwargs)
        except (Error, *_HOSTS) as error:
            failure = error
        except BaseException:
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


def log_for_admin(text: str) -> None:
    """Writes to the admin's log, which shows nothing unless the host attaches a handler."""
    log = logging.getLogger("dpsql.admin")
    log.propagate = False
    if not log.handlers:
        log.addHandler(logging.NullHandler())
    log.error("%s", text)


@sealed
class Uncopyable:
    """Neither copied nor pickled: a copy would share a ledger and engines, and a pickle would show them."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise NotSupportedError(
            f"a dpsql {type(self).__name__.lower()} cannot be copied or pickled; open another"
        )
