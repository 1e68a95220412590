"""Messages of the PostgreSQL protocol as bytes: those of a server made, those of a client taken apart.

Layouts are those of PostgreSQL's documentation, "Message Formats"
(https://www.postgresql.org/docs/16/protocol-message-formats.html).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from struct import Struct

from dpsql.slotted import dataclass

_INT16 = Struct("!h")
_INT32 = Struct("!i")
_FIELD = Struct("!ihihih")

MOST_FIELDS = 32_767
"""The most columns, parameters or formats that a message can count."""


class ProtocolViolation(Exception):
    """A client's message that is not of the protocol: a SQLSTATE and a sentence for the client."""

    def __init__(self, sentence: str, sqlstate: str = "08P01") -> None:
        self.sqlstate = sqlstate
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class Field:
    """A column as RowDescription tells it."""

    name: str
    oid: int
    length: int
    modifier: int = -1
    table: int = 0
    place: int = 0


def message(kind: bytes, body: bytes = b"") -> bytes:
    """A message: its kind, its length with these four bytes, its body."""
    return kind + _INT32.pack(len(body) + 4) + body


def text(value: str) -> bytes:
    """A text that ends in a zero byte; it cannot hold one itself."""
    return value.replace("\0", "").encode("utf-8", "replace") + b"\0"


def authentication(code: int, data: bytes = b"") -> bytes:
    """One of the authentication messages: 0 ok, 3 cleartext, 10 SASL, 11 SASL continue, 12 SASL final."""
    return message(b"R", _INT32.pack(code) + data)


def authentication_sasl(mechanisms: Sequence[str]) -> bytes:
    """The names of the SASL mechanisms that a client may choose from."""
    return authentication(10, b"".join(map(text, mechanisms)) + b"\0")


def negotiate_protocol(version: tuple[int, int], unknown: Sequence[str]) -> bytes:
    """The newest version that is spoken, and the start-up options that are not known.

    The documentation speaks of the minor version; PostgreSQL sends, and its clients read, the whole one.
    """
    major, minor = version
    known = _INT32.pack(major << 16 | minor) + _INT32.pack(len(unknown))
    return message(b"v", known + b"".join(map(text, unknown)))


def parameter_status(name: str, value: str) -> bytes:
    """A setting that clients want to know."""
    return message(b"S", text(name) + text(value))


def backend_key_data(process_id: int, key: bytes) -> bytes:
    """What a client sends to cancel."""
    return message(b"K", _INT32.pack(process_id) + key)


def ready_for_query(state: bytes) -> bytes:
    """The end of an answer; I outside a transaction, T inside, E in one that has failed."""
    return message(b"Z", state)


def report(
    kind: bytes,
    severity: str,
    sqlstate: str,
    sentence: str,
    hint: str | None = None,
    position: int | None = None,
) -> bytes:
    """An ErrorResponse (E) or NoticeResponse (N); `position` counts characters of the query from 1."""
    fields: dict[bytes, str | None] = {
        b"S": severity,
        b"V": severity,
        b"C": sqlstate,
        b"M": sentence,
        b"H": hint,
        b"P": str(position) if position is not None else None,
    }
    return message(kind, b"".join(key + text(value) for key, value in fields.items() if value) + b"\0")


def error_response(
    sqlstate: str, sentence: str, hint: str | None = None, position: int | None = None, *, fatal: bool = False
) -> bytes:
    """An error; a fatal one ends the session."""
    return report(b"E", "FATAL" if fatal else "ERROR", sqlstate, sentence, hint, position)


def row_description(fields: Iterable[Field], formats: Sequence[int]) -> bytes:
    """The columns of the rows that follow; formats are 0 for text and 1 for binary."""
    made = [
        text(field.name)
        + _FIELD.pack(
            *(_signed(field.table), field.place, _signed(field.oid), field.length, field.modifier, form)
        )
        for field, form in zip(fields, formats, strict=True)
    ]
    return message(b"T", _INT16.pack(len(made)) + b"".join(made))


def parameter_description(oids: Sequence[int]) -> bytes:
    """The types of a statement's parameters."""
    return message(b"t", _count(len(oids)) + b"".join(_INT32.pack(_signed(oid)) for oid in oids))


def command_complete(tag: str) -> bytes:
    """The end of a statement, with its command and how many rows it gave."""
    return message(b"C", text(tag))


def copy_out_response(form: int, columns: int) -> bytes:
    """The start of COPY TO STDOUT: 0 for text and csv, 1 for binary."""
    return message(b"H", bytes((form,)) + _INT16.pack(columns) + _INT16.pack(form) * columns)


def copy_data(data: bytes) -> bytes:
    """A piece of a COPY."""
    return message(b"d", data)


PARSE_COMPLETE = message(b"1")
BIND_COMPLETE = message(b"2")
CLOSE_COMPLETE = message(b"3")
NO_DATA = message(b"n")
PORTAL_SUSPENDED = message(b"s")
EMPTY_QUERY_RESPONSE = message(b"I")
COPY_DONE = message(b"c")


@dataclass(frozen=True, slots=True)
class Parse:
    """A statement to be prepared under a name ("" is the unnamed one), with declared types of its parameters."""

    name: str
    sql: str
    oids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bind:
    """A portal to be made of a statement; formats hold none, one for all, or one for each."""

    portal: str
    statement: str
    formats: tuple[int, ...]
    values: tuple[bytes | None, ...]
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """What Describe or Close is about: S for a statement or P for a portal, and its name."""

    kind: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Execute:
    """A portal to be run, for at most this many rows (0: all)."""

    portal: str
    most: int


@dataclass(frozen=True, slots=True)
class SaslInitial:
    """The SASL mechanism that a client chose, and its first message."""

    mechanism: str
    data: bytes


def query_text(body: bytes) -> str:
    """The text of a Query message. Raises ProtocolViolation, as all that follow."""
    reader = Reader(body)
    sql = reader.text()
    reader.end()
    return sql


password = query_text
"""The text of a PasswordMessage."""


def sasl_initial(body: bytes) -> SaslInitial:
    """A SASLInitialResponse taken apart."""
    reader = Reader(body)
    mechanism, data = reader.text(), reader.value()
    reader.end()
    return SaslInitial(mechanism, data or b"")


def parse_message(body: bytes) -> Parse:
    """A Parse message taken apart."""
    reader = Reader(body)
    name, sql = reader.text(), reader.text()
    oids = tuple(reader.oid() for _ in range(reader.count()))
    reader.end()
    return Parse(name, sql, oids)


def bind_message(body: bytes) -> Bind:
    """A Bind message taken apart."""
    reader = Reader(body)
    portal, statement = reader.text(), reader.text()
    formats = tuple(reader.form() for _ in range(reader.count()))
    values = tuple(reader.value() for _ in range(reader.count()))
    results = tuple(reader.form() for _ in range(reader.count()))
    reader.end()
    return Bind(portal, statement, formats, values, results)


def named_message(body: bytes) -> Named:
    """A Describe or Close message taken apart."""
    reader = Reader(body)
    kind, name = reader.take(1), reader.text()
    reader.end()
    if kind not in (b"S", b"P"):
        raise ProtocolViolation("Describe and Close are for a statement (S) or a portal (P)")
    return Named(kind, name)


def execute_message(body: bytes) -> Execute:
    """An Execute message taken apart; a negative number of rows is all of them, as in PostgreSQL."""
    reader = Reader(body)
    portal, most = reader.text(), reader.int32()
    reader.end()
    return Execute(portal, max(most, 0))


def empty_message(body: bytes) -> None:
    """Checks a message that has no body."""
    Reader(body).end()


class Reader:
    """Reads a client's bytes in order; whatever is not there is a ProtocolViolation."""

    __slots__ = ("_at", "_bytes")

    def __init__(self, data: bytes) -> None:
        self._bytes, self._at = data, 0

    def take(self, count: int) -> bytes:
        """The next bytes."""
        end = self._at + count
        if count < 0 or end > len(self._bytes):
            raise ProtocolViolation("the message is shorter than it says")
        taken, self._at = self._bytes[self._at : end], end
        return taken

    def text(self) -> str:
        """A text up to its zero byte."""
        end = self._bytes.find(b"\0", self._at)
        if end < 0:
            raise ProtocolViolation("a text in the message has no end")
        taken, self._at = self._bytes[self._at : end], end + 1
        return decoded(taken)

    def int32(self) -> int:
        """A signed number of four bytes."""
        number: int = _INT32.unpack(self.take(4))[0]
        return number

    def oid(self) -> int:
        """An unsigned number of four bytes."""
        return int.from_bytes(self.take(4))

    def count(self) -> int:
        """How many things follow: two bytes, unsigned, as PostgreSQL reads them for parameters."""
        return int.from_bytes(self.take(2))

    def form(self) -> int:
        """A format: 0 for text, 1 for binary."""
        form = int.from_bytes(self.take(2))
        if form not in (0, 1):
            raise ProtocolViolation(f"a format is 0 (text) or 1 (binary), not {form}")
        return form

    def value(self) -> bytes | None:
        """Bytes behind their length; None for the length -1."""
        length = self.int32()
        return None if length == -1 else self.take(length)

    @property
    def rest(self) -> bytes:
        """What has not been read."""
        return self._bytes[self._at :]

    def end(self) -> None:
        """Checks that everything was read."""
        if self._at != len(self._bytes):
            raise ProtocolViolation("the message is longer than it says")


def decoded(data: bytes) -> str:
    """A client's text. Raises ProtocolViolation where it is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ProtocolViolation("a text in the message is not UTF-8", "22021") from None


def parameters(reader: Reader) -> Mapping[str, str]:
    """Names and values up to an empty name, and nothing behind it; of a name that comes twice the last value."""
    found: dict[str, str] = {}
    while name := reader.text():
        found[name] = reader.text()
    reader.end()
    return found


def _signed(oid: int) -> int:
    return oid - (1 << 32) if oid >= 1 << 31 else oid


def _count(number: int) -> bytes:
    return number.to_bytes(2)
