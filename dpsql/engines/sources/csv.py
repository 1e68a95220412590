"""CSV files, read line by line: what one line holds changes how no other is read.

Nothing is guessed: the policy says how a line is split and what type a column has. A line that is malformed, or that
has no value in a column that is not nullable, is left out; a value that does not have its column's type is NULL.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

import duckdb

from dpsql.engines.sources.fields import fields_sql, unquoted_sql, values_sql
from dpsql.engines.sources.lines import TextMistake, text_blocks
from dpsql.policy.model import Column
from dpsql.policy.table_sources import CsvFormat, Source
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class OpenCsv:
    """A file whose header is read: the names of its fields in order, and the rest of its text."""

    form: CsvFormat
    names: tuple[str, ...]
    blocks: Iterator[object]

    @property
    def shape(self) -> str:
        """What a sound row is made of, in words."""
        return f"made of {len(self.names)} fields"

    def find(self, columns: Sequence[Column]) -> tuple[tuple[int, Column], ...]:
        """The columns that the file has, each with its place."""
        places = {name.lower(): i for i, name in enumerate(self.names)}
        return tuple((places[c.name.lower()], c) for c in columns if c.name.lower() in places)

    def values(self, columns: Sequence[tuple[int, Column]]) -> str:
        """`values_sql` of some of its columns."""
        return values_sql(self.form, len(self.names), [(at, c.type) for at, c in columns])


def open_csv(connection: duckdb.DuckDBPyConnection, source: Source, columns: Sequence[Column]) -> OpenCsv:
    """The file with its header read. Raises TextMistake and OSError."""
    form, blocks = source.format, text_blocks(source.path)
    if not form.header:
        return OpenCsv(form, tuple(c.name for c in columns), blocks)
    head, _, rest = next(blocks, "").partition("\n")
    return OpenCsv(form, _header(connection, form, head), chain([rest], blocks))


def _header(connection: duckdb.DuckDBPyConnection, form: CsvFormat, line: str) -> tuple[str, ...]:
    names = f"list_transform(f, lambda raw: trim({unquoted_sql(form, 'raw')}))"
    read = connection.execute(f"SELECT {names} FROM ({fields_sql(form, None)})", [line]).fetchall()
    if not read or read[0][0] is None:
        raise TextMistake("its first line does not name the columns; set `format` as the file is written")
    written = tuple(map(str, read[0][0]))
    folded = [name.lower() for name in written if name]
    twice = next((name for name in folded if folded.count(name) > 1), None)
    if twice is not None:
        raise TextMistake(f"its first line names the column {twice} twice")
    return written
