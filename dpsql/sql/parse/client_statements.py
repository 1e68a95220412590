"""Statements of PostgreSQL that are about a client's session, not about data: settings, transactions, cursors, COPY."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Begin:
    """Begins a transaction; `tag` is how its end is told."""

    tag: str = "BEGIN"


@dataclass(frozen=True, slots=True)
class Commit:
    """Ends a transaction."""


@dataclass(frozen=True, slots=True)
class Rollback:
    """Gives a transaction up, or with a name what was said since that savepoint."""

    savepoint: str | None = None


@dataclass(frozen=True, slots=True)
class Savepoint:
    """Marks a place in a transaction."""

    name: str


@dataclass(frozen=True, slots=True)
class Release:
    """Forgets a savepoint."""

    name: str


@dataclass(frozen=True, slots=True)
class SetValue:
    """Gives a setting a value; None is its default. `local`: until the transaction ends."""

    name: str
    value: str | None
    local: bool = False


@dataclass(frozen=True, slots=True)
class SetTransaction:
    """Says of what kind transactions are, which changes nothing."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Gives a setting, or all (None), the default."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Show:
    """Asks for the value of a setting, or of something that only looks like one."""

    name: str


@dataclass(frozen=True, slots=True)
class SettingCalls:
    """The settings of SELECT set_config('a', 'b', false), current_setting('c'): each column's name and call."""

    items: tuple[tuple[str, SetValue | Show], ...]


@dataclass(frozen=True, slots=True)
class Prepare:
    """A query to keep under a name, which begins at `start` of the text, and the declared types of its parameters."""

    name: str
    types: tuple[str, ...]
    query: str
    start: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant as it is written, without quotes (None: NULL), and the type that it is cast to, if any."""

    text: str | None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Execute:
    """Runs a prepared statement with these values for its parameters."""

    name: str
    values: tuple[Constant, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate:
    """Forgets a prepared statement, or all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Discard:
    """Forgets what a session holds: ALL, PLANS, SEQUENCES or TEMP."""

    what: str


@dataclass(frozen=True, slots=True)
class CloseCursor:
    """Forgets a cursor, or all (None)."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Unlisten:
    """Stops listening, to what nobody says."""


@dataclass(frozen=True, slots=True)
class Declare:
    """A cursor over a query, which begins at `start` of the text; `hold`: it outlives the transaction."""

    name: str
    query: str
    start: int
    hold: bool = False


@dataclass(frozen=True, slots=True)
class Fetch:
    """The next rows of a cursor, at most `count` (None: all); with `move` they are passed over."""

    name: str
    count: int | None
    move: bool = False


@dataclass(frozen=True, slots=True)
class CopyOut:
    """A query's rows as COPY gives them; the query begins at `start` of the text. Options by lower-case name."""

    query: str
    start: int
    options: tuple[tuple[str, str], ...] = ()


ClientStatement = (
    Begin
    | Commit
    | Rollback
    | Savepoint
    | Release
    | SetValue
    | SettingCalls
    | SetTransaction
    | Reset
    | Show
    | Prepare
    | Execute
    | Deallocate
    | Discard
    | CloseCursor
    | Unlisten
    | Declare
    | Fetch
    | CopyOut
)
