"""Statements of PostgreSQL that are about a client's session, not about data: settings, transactions, cursors, COPY."""

from __future__ import annotations

from enum import Enum, auto

from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Begin:
    """Begins a transaction of this kind, as settings with their values; `tag` is how its end is told."""

    tag: str = "BEGIN"
    modes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Commit:
    """Ends a transaction; with `chain` the next one, of the same kind, begins at once."""

    chain: bool = False


@dataclass(frozen=True, slots=True)
class Rollback:
    """Gives a transaction up, or with a name what was said since that savepoint; `chain` as for Commit."""

    savepoint: str | None = None
    chain: bool = False


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
    """Says of what kind this transaction is, or with `session` those that begin later: settings with their values."""

    modes: tuple[tuple[str, str], ...]
    session: bool = False


@dataclass(frozen=True, slots=True)
class SetConstraints:
    """Says when constraints are checked, of which none ever fails."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Gives a setting, or all (None), the default."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Show:
    """Asks for the value of a setting, or of something that only looks like one."""

    name: str


@dataclass(frozen=True, slots=True)
class Mark:
    """A parameter, by the number behind its $."""

    number: int


@dataclass(frozen=True, slots=True)
class SetCall:
    """A call of set_config: a setting, the value that it gets, which may be that of another, and `local` as for SET."""

    name: str | Mark
    value: str | Mark | Show
    local: bool = False


@dataclass(frozen=True, slots=True)
class SettingCalls:
    """The settings of SELECT set_config('a', $1, false), current_setting('c'): each column's name and call."""

    items: tuple[tuple[str, SetCall | Show], ...]

    @property
    def shown(self) -> tuple[Show, ...]:
        """The settings that are asked for."""
        asked = (call.value if isinstance(call, SetCall) else call for _, call in self.items)
        return tuple(show for show in asked if isinstance(show, Show))

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Its parameters."""
        calls = (call for _, call in self.items if isinstance(call, SetCall))
        given = (text for call in calls for text in (call.name, call.value))
        return tuple(mark for mark in given if isinstance(mark, Mark))


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
class Listen:
    """Listens to what nobody says."""


@dataclass(frozen=True, slots=True)
class Unlisten:
    """Stops listening, to what nobody says."""


@dataclass(frozen=True, slots=True)
class Declare:
    """A cursor over a query, which begins at `start` of the text; `hold`: it outlives the transaction, `back`: it goes
    back as well as on, `binary`: FETCH in a text gives its values in binary.
    """

    name: str
    query: str
    start: int
    hold: bool = False
    back: bool = True
    binary: bool = False


class Way(Enum):
    """From where a cursor's rows are counted: onwards or back from where it stands, or to one row."""

    FORWARD = auto()
    BACKWARD = auto()
    ABSOLUTE = auto()
    RELATIVE = auto()


@dataclass(frozen=True, slots=True)
class Fetch:
    """Rows of a cursor, at most `count` (None: all), or the one that it leads to; with `move` they are passed over."""

    name: str
    count: int | None
    move: bool = False
    way: Way = Way.FORWARD


CopyOption = tuple[str, tuple[str, ...]]
"""An option of COPY by its lower-case name, and its values; only lists of columns have several."""


@dataclass(frozen=True, slots=True)
class CopyOut:
    """A query's rows as COPY gives them; the query begins at `start` of the text."""

    query: str
    start: int
    options: tuple[CopyOption, ...] = ()


ClientStatement = (
    Begin
    | Commit
    | Rollback
    | Savepoint
    | Release
    | SetValue
    | SettingCalls
    | SetTransaction
    | SetConstraints
    | Reset
    | Show
    | Prepare
    | Execute
    | Deallocate
    | Discard
    | CloseCursor
    | Listen
    | Unlisten
    | Declare
    | Fetch
    | CopyOut
)
