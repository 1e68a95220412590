"""COPY (query) TO STDOUT: the rows of an answer in text, csv and binary.

Formats: https://www.postgresql.org/docs/16/sql-copy.html, "File Formats".
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from dpsql.engines.base import OutputColumn, Row
from dpsql.interfaces.wire.failures import Failure
from dpsql.interfaces.wire.messages import COPY_DONE, copy_data, copy_out_response
from dpsql.interfaces.wire.portals import CopyFormat
from dpsql.interfaces.wire.values.binary_values import binary_packer
from dpsql.interfaces.wire.values.text_values import Writer, text_writer
from dpsql.interfaces.wire.values.wire_types import column_type
from dpsql.sql.parse.client_statements import CopyOption

_SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_END: Final = b"\xff\xff"
_ESCAPES: Final = {
    "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip
_TRUTHS: Final = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}
_OPTIONS: Final = ("format", "header", "delimiter", "null", "quote", "escape", "force_quote", "encoding")
_ALL: Final = "*"
_ROWS: Final = 256


def copy_format(options: Sequence[CopyOption]) -> CopyFormat:
    """The options of a COPY, checked. Raises Failure."""
    quoted = dict(options).get("force_quote", ())
    given = {name: values[0] for name, values in options}
    unknown = next((name for name in given if name not in _OPTIONS), None)
    if unknown is not None:
        raise Failure("42601", f'the option "{unknown[:60]}" of COPY is not supported')
    if len(given) != len(options):
        raise Failure("42601", "an option of COPY is given twice")
    form = given.get("format", "text").lower()
    if any(len(values) > 1 for name, values in options if name != "force_quote"):
        raise Failure("42601", "an option of COPY other than FORCE_QUOTE has one value")
    if form not in ("text", "csv", "binary"):
        raise Failure("22023", "the format of COPY is text, csv or binary")
    if form == "binary" and given.keys() - {"format", "encoding"}:
        raise Failure("42601", "COPY in binary takes no other options")
    return _text_format(form, given, quoted)


def _text_format(form: str, given: dict[str, str], quoted: tuple[str, ...]) -> CopyFormat:
    csv = form == "csv"
    only_csv = given.keys() & {"quote", "escape", "force_quote"}
    if only_csv and not csv:
        raise Failure("42601", f"the option {min(only_csv)} of COPY is for csv alone")
    if given.get("encoding", "utf8").lower() not in ("utf8", "utf-8", "unicode"):
        raise Failure("22023", "COPY writes UTF8")
    header = given.get("header", "false").lower()
    if header not in _TRUTHS:
        raise Failure("42601", "HEADER is true or false")
    quote = given.get("quote", '"')
    made = CopyFormat(
        form,
        _TRUTHS[header],
        given.get("delimiter", "," if csv else "\t"),
        given.get("null", "" if csv else "\\N"),
        quote,
        given.get("escape", quote),
        quoted,
    )
    _check(made)
    return made


def _check(made: CopyFormat) -> None:
    single = (made.delimiter, made.quote, made.escape)
    if any(len(c) != 1 or not c.isascii() or c in "\r\n\0" for c in single):
        raise Failure("0A000", "delimiter, quote and escape of COPY are one plain character each")
    if made.form == "text" and re.match(r"[a-z0-9\\.]", made.delimiter):
        raise Failure("22023", "this delimiter of COPY is also in its data")
    if re.search(r"[\r\n]", made.null) or made.delimiter in made.null:
        raise Failure("22023", "null of COPY holds neither line ends nor the delimiter")
    if made.form == "csv" and (made.quote == made.delimiter or made.quote in made.null):
        raise Failure("22023", "delimiter, quote and null of COPY are different")


def check_quoted(form: CopyFormat, columns: Sequence[OutputColumn]) -> None:
    """Raises Failure where FORCE_QUOTE names what is no column."""
    for name in form.quoted:
        if name != _ALL and all(column.name != name for column in columns):
            raise Failure("42703", f'there is no column "{name[:60]}" to be quoted')


def copied(
    form: CopyFormat, columns: Sequence[OutputColumn], rows: Sequence[Row], iso_intervals: bool = False
) -> Iterator[bytes]:
    """The messages of a COPY, one for each row, in pieces of whole messages. Raises Unsendable."""
    yield copy_out_response(int(form.form == "binary"), len(columns))
    writers = [text_writer(column_type(c), iso_intervals) for c in columns]
    lines = _binary(columns, rows) if form.form == "binary" else _written(form, columns, rows, writers)
    waiting: list[bytes] = []
    for line in lines:
        waiting.append(copy_data(line))
        if len(waiting) == _ROWS:
            yield b"".join(waiting)
            waiting.clear()
    yield b"".join([*waiting, COPY_DONE])


def _binary(columns: Sequence[OutputColumn], rows: Sequence[Row]) -> Iterator[bytes]:
    """The header stands before the first row in the same message, as in PostgreSQL; the end is one of its own."""
    packers = [binary_packer(column_type(c)) for c in columns]
    head, count = _SIGNATURE, len(columns).to_bytes(2)
    for row in rows:
        packed = [None if v is None else pack(v) for v, pack in zip(row, packers, strict=True)]
        cells = [b"\xff\xff\xff\xff" if p is None else len(p).to_bytes(4) + p for p in packed]
        yield head + count + b"".join(cells)
        head = b""
    yield head + _END


def _written(
    form: CopyFormat, columns: Sequence[OutputColumn], rows: Sequence[Row], writers: Sequence[Writer]
) -> Iterator[bytes]:
    csv, alone = form.form == "csv", len(columns) == 1
    if form.header:
        name = _csv_cell(form, alone, quoted=False) if csv else _text_cell(form)
        yield _line(form, [name(c.name) for c in columns])
    quoted = [_ALL in form.quoted or c.name in form.quoted for c in columns]
    cells = [_csv_cell(form, alone, q) if csv else _text_cell(form) for q in quoted]
    for row in rows:
        values = zip(row, writers, cells, strict=True)
        yield _line(form, [form.null if v is None else cell(w(v)) for v, w, cell in values])


def _line(form: CopyFormat, cells: Sequence[str]) -> bytes:
    return (form.delimiter.join(cells) + "\n").encode()


def _text_cell(form: CopyFormat) -> Callable[[str], str]:
    escapes = str.maketrans(
        _ESCAPES | ({} if form.delimiter == "\t" else {form.delimiter: f"\\{form.delimiter}"})
    )
    return lambda text: text.translate(escapes)


def _csv_cell(form: CopyFormat, alone: bool, quoted: bool) -> Callable[[str], str]:
    special = re.compile(f"[{re.escape(form.delimiter + form.quote)}\r\n]")

    def written(text: str) -> str:
        plain = text != form.null and not special.search(text) and not (alone and text == "\\.")
        if plain and not quoted:
            return text
        escaped = re.sub(f"[{re.escape(form.quote + form.escape)}]", lambda m: form.escape + m.group(), text)
        return f"{form.quote}{escaped}{form.quote}"

    return written
