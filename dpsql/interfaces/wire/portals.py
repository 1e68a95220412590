"""Prepared statements and portals of one session; SQL's cursors are portals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field, replace

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.cursor_steps import stepped
from dpsql.interfaces.wire.failures import Failure
from dpsql.release.types import Description
from dpsql.slotted import dataclass
from dpsql.sql.lex.statement_texts import StatementText
from dpsql.sql.parse.client_statements import ClientStatement, Fetch
from dpsql.stages.arguments.call_arguments import Parameters

MOST_STATEMENTS = 1_000
MOST_PORTALS = 100
MOST_PARAMETERS = 1_000
MOST_CHARACTERS = 4_000_000
"""So long are all prepared statements and bound values of a session together."""
COLUMN_LENGTH = 20
"""As many characters counts a column of a prepared statement, since its description is kept; `*` is many of them."""
LONGEST_NAME = 1_000
"""So many bytes have the names of statements, cursors and savepoints, and the values of settings."""
MOST_ROWS = 1_000_000
"""Where open cursors hold so many rows, no other statement is run until some of them are closed."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A message beside an answer, of a level of client_min_messages."""

    level: str
    message: bytes


@dataclass(frozen=True, slots=True)
class Result:
    """What a statement gives: columns and rows (None: it has none), its tag, and messages to be sent before that.

    With `counted` the number of rows stands behind the tag. `copied` is what COPY sends in the place of rows. Rows of a
    `binary` cursor are in binary where their client says nothing of formats.
    """

    tag: str
    columns: tuple[OutputColumn, ...] | None = None
    rows: Sequence[Row] = ()
    before: tuple[Notice, ...] = ()
    counted: bool = False
    copied: CopyFormat | None = None
    binary: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether it is given once and whole: COPY, and what a statement without rows does. Rows come in portions."""
        return self.tag != "" and (self.columns is None or self.copied is not None)


@dataclass(frozen=True, slots=True)
class CopyFormat:
    """How COPY writes: text, csv or binary, and how values, nulls and the header are written in the first two.

    `quoted` are the columns whose values are in quotes always; `*` is all of them.
    """

    form: str = "text"
    header: bool = False
    delimiter: str = "\t"
    null: str = "\\N"
    quote: str = '"'
    escape: str = '"'
    quoted: tuple[str, ...] = ()


@dataclass(slots=True)
class Prepared:
    """A statement that a client has sent: its text, what it says about the session (None: it is a query), and the
    types that the client declared for its parameters (0: none).

    `described` is filled once it is known, `told` once the client was told its columns. An empty text has no `text`.
    """

    text: StatementText | None
    client: ClientStatement | None
    oids: tuple[int, ...] = ()
    described: Description | None = None
    told: tuple[OutputColumn, ...] | None = None

    @property
    def length(self) -> int:
        """How many characters it has, with what is kept of its columns and declared types."""
        columns = len(self.described.columns) if self.described is not None else 0
        return (
            (len(self.text.sql) if self.text is not None else 0)
            + 4 * len(self.oids)
            + COLUMN_LENGTH * columns
        )


@dataclass(slots=True)
class Portal:
    """A statement with its values, and on which of its rows it stands; `told` are the columns that the client knows.

    A cursor outlives the transaction with `hold`, and goes on alone without `back`. Its values came in `size` bytes.
    Portals of a session are numbered in the order in which they were opened.
    """

    prepared: Prepared
    values: Parameters | None = None
    formats: tuple[int, ...] = ()
    told: tuple[OutputColumn, ...] | None = None
    hold: bool = False
    back: bool = True
    binary: bool = False
    size: int = 0
    result: Result | None = None
    at: int = 0
    number: int = 0

    def taken(self, result: Result, fetch: Fetch) -> tuple[Sequence[Row], tuple[Notice, ...]]:
        """The rows that a FETCH or MOVE leads over, and what is sent before the first of them.

        Raises Failure where a cursor would go back that does not.
        """
        numbers, to = stepped(self.at, len(result.rows), fetch.way, fetch.count)
        again = len(numbers) > 0 and numbers[0] <= self.at and not fetch.move
        if not self.back and (to < self.at or again):
            raise Failure("55000", "a cursor with NO SCROLL only goes on", "Declare it with SCROLL.")
        low, high = sorted((numbers[0], numbers[-1])) if numbers else (1, 0)
        rows = result.rows[low - 1 : high]
        self.at, self.result = to, replace(result, before=())
        return rows if numbers.step > 0 else list(rows)[::-1], result.before

    def formats_of(self, count: int) -> tuple[int, ...]:
        """The format of each of so many columns. Raises Failure where the client gave another number of formats."""
        if len(self.formats) in (0, 1):
            return (self.formats or (0,)) * count
        if len(self.formats) != count:
            raise Failure(
                "08P01", f"the portal has {count} columns, but {len(self.formats)} formats were given"
            )
        return self.formats


@dataclass(slots=True)
class Portals:
    """The statements and portals of a session by name; "" is the one without a name."""

    statements: dict[str, Prepared] = field(default_factory=dict)
    portals: dict[str, Portal] = field(default_factory=dict)
    opened: int = 0

    def prepare(self, name: str, prepared: Prepared) -> None:
        """Keeps a statement; one without a name takes the place of the last. Raises Failure."""
        if name and name in self.statements:
            raise Failure("42P05", f'there is a prepared statement "{name[:60]}" already')
        if len(self.statements) >= MOST_STATEMENTS:
            raise Failure("54000", f"a session has at most {MOST_STATEMENTS} prepared statements")
        check_name(name)
        _check_length({**self.statements, name: prepared}, self.portals)
        self.statements[name] = prepared

    def statement(self, name: str) -> Prepared:
        """A statement by its name. Raises Failure."""
        if name not in self.statements:
            raise Failure("26000", f'there is no prepared statement "{name[:60]}"')
        return self.statements[name]

    def open(self, name: str, portal: Portal) -> None:
        """Keeps a portal; one without a name takes the place of the last. Raises Failure."""
        if name and name in self.portals:
            raise Failure("42P03", f'there is a cursor "{name[:60]}" already')
        if len(self.portals) >= MOST_PORTALS:
            raise Failure("54000", f"a session has at most {MOST_PORTALS} open cursors")
        check_name(name)
        _check_length(self.statements, {**self.portals, name: portal})
        self.portals[name] = portal
        self.opened = portal.number = self.opened + 1

    def portal(self, name: str) -> Portal:
        """A portal by its name. Raises Failure."""
        if name not in self.portals:
            raise Failure("34000", f'there is no cursor "{name[:60]}"')
        return self.portals[name]

    def check_room(self) -> None:
        """Raises Failure where open cursors hold as many rows as a session may keep."""
        held = sum(len(p.result.rows) for p in self.portals.values() if p.result is not None)
        if held >= MOST_ROWS:
            raise Failure("54000", f"open cursors hold {MOST_ROWS} rows or more", "Close some of them.")

    def forget_unnamed(self) -> None:
        """Forgets what has no name, as a simple query does."""
        self.statements.pop("", None)
        self.portals.pop("", None)

    def roll_back(self, opened: int) -> None:
        """Forgets the portals that were opened after so many."""
        self.portals = {name: portal for name, portal in self.portals.items() if portal.number <= opened}

    def end_transaction(self) -> None:
        """Forgets the portals that do not outlive a transaction."""
        self.portals = {name: portal for name, portal in self.portals.items() if portal.hold}


def check_name(name: str) -> None:
    """Raises Failure for a name that is too long to be kept."""
    if len(name.encode()) > LONGEST_NAME:
        raise Failure("54000", f"a name has at most {LONGEST_NAME} bytes")


def _check_length(statements: Mapping[str, Prepared], portals: Mapping[str, Portal]) -> None:
    """Raises Failure for more than a session may keep; a portal keeps its statement, also one that was closed."""
    kept = (*statements.values(), *(portal.prepared for portal in portals.values()))
    lengths = {id(prepared): prepared.length for prepared in kept}
    if sum(lengths.values()) + sum(portal.size for portal in portals.values()) > MOST_CHARACTERS:
        raise Failure(
            "54000",
            f"prepared statements and bound values have at most {MOST_CHARACTERS} characters together",
            "Close some of them.",
        )
