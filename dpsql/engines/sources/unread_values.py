"""What is not read of sources, for the admin: lines of CSV files, values of another type or not listed, ends of texts.

This reads private rows before any charge: nothing of it may reach an analyst.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

import duckdb

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import column_sql, quoted
from dpsql.engines.duckdb_settings import Limits, connect
from dpsql.engines.sources.column_types import REPLACED, as_text
from dpsql.engines.sources.file_sets import Unresolved
from dpsql.engines.sources.files import Raw, open_sources
from dpsql.engines.sources.json_text import counted_unread
from dpsql.engines.sources.lines import TextMistake
from dpsql.engines.sources.parquet import folder_value_sql
from dpsql.engines.sources.text_files import TEXT, TextPart, open_parts
from dpsql.engines.sources.views import key_columns, typed_tables
from dpsql.policy.model import Column, ColumnType, Policy, Table
from dpsql.policy.table_sources import SourceKind
from dpsql.slotted import dataclass

_SECONDS = 600
_OWNS_NOTHING = "such a key owns no row"


def left_out(policy: Policy) -> tuple[str, ...]:
    """A sentence for each table of text files that lacks rows of them, and for each column with values read as NULL.

    A file that cannot be read at all is left to the engines, which say so.
    """
    reported: list[str] = []
    with connect(Limits(_SECONDS)) as connection:
        for table in policy.tables:
            if table.source.kind in TEXT:
                with suppress(TextMistake, Unresolved, OSError, duckdb.Error):
                    reported += _of_rows(connection, table)
    return tuple(reported)


def _of_rows(connection: duckdb.DuckDBPyConnection, table: Table) -> list[str]:
    """The sentences of one table, over all of its files."""
    totals: list[int] = []
    columns: list[Column] = []
    shape = ""
    for part in open_parts(connection, table.source, table.source_columns):
        counts, columns, shape = _counted(connection, part), _checked(part), part.file.shape
        totals = [a + b for a, b in zip(totals, counts, strict=True)] if totals else counts
    broken, *rest = totals
    strict = [c for c in columns if not c.nullable]
    without = [(c.name, n) for c, n in zip(strict, rest, strict=False) if n]
    lost = zip((c for c in columns if c.nullable), rest[len(strict) :], strict=True)
    return [*_of_left_out(table, shape, broken, without), *(_of_lost(table, c, n) for c, n in lost if n)]


def _of_left_out(table: Table, shape: str, broken: int, without: list[tuple[str, int]]) -> Iterator[str]:
    one, several = ("line", "lines") if table.source.kind is SourceKind.CSV else ("object", "objects")
    reasons = [f"{broken} {_plural(broken, 'is', 'are')} not {shape}"] * bool(broken)
    reasons += [f"{n} {_plural(n, 'has', 'have')} no value in `{name}`" for name, n in without]
    total = broken + sum(n for _, n in without)
    if total:
        keep = f"; declare a column `nullable: true` to keep the {several} that have no value in it"
        yield (
            f"tables.{table.name}: {total} {_plural(total, f'{one} is', f'{several} are')} left out: "
            + ", ".join(reasons)
            + (keep if without else "")
        )


def _of_lost(table: Table, column: Column, count: int) -> str:
    kind = column.type
    values = _plural(count, f"value that is no {kind} is", f"values that are no {kind} are")
    return f"tables.{table.name}.columns.{column.path}: {count} {values} read as NULL"


def _checked(part: TextPart) -> list[Column]:
    return [*(c for _, c in part.columns), *(v.column for v in part.folders)]


def _counted(connection: duckdb.DuckDBPyConnection, part: TextPart) -> list[int]:
    """Malformed rows; rows by the first column that needs a value and has none; values lost in the other columns."""
    values = [(f"t{i}", f"c{i}", c) for i, (_, c) in enumerate(part.columns)]
    values += [("true" if v.text else "NULL", f"({folder_value_sql(v)})", v.column) for v in part.folders]
    strict = [value for _, value, c in values if not c.nullable]
    complete = ["sound", *(f"{value} IS NOT NULL" for value in strict)]
    missing = [f"{' AND '.join(complete[: i + 1])} AND {value} IS NULL" for i, value in enumerate(strict)]
    lost = [
        f"{' AND '.join(complete)} AND {text} IS NOT NULL AND {value} IS NULL"
        for text, value, c in values
        if c.nullable
    ]
    counts = [f"count(*) FILTER ({condition})" for condition in ("NOT sound", *missing, *lost)]
    rows = part.file.values(part.columns)
    sql = f"WITH v AS MATERIALIZED ({rows}) SELECT {', '.join(counts)} FROM v"
    totals = [0] * len(counts)
    for block in part.file.blocks:
        more = connection.execute(sql, [block]).fetchall()[0]
        totals = [a + b for a, b in zip(totals, more, strict=True)]
    return totals


def cut_texts(policy: Policy) -> tuple[str, ...]:
    """A sentence for each private column of which texts are cut, or, as keys, own nothing. Raises PolicyError."""
    private = [t for t in policy.tables if not t.public]
    with connect(Limits(_SECONDS)) as connection:
        raw = open_sources(connection, policy, private)
        reported: list[str] = []
        for table in private:
            looked_for = [*_long(table), *_replaced(policy, table)]
            if looked_for:
                counts = connection.execute(_counted_texts(raw[table.name], looked_for)).fetchall()[0]
                reported += [_of_texts(table, t, n) for t, n in zip(looked_for, counts, strict=True) if n]
        return tuple(reported)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Texts of a column that meet a condition on {0}, what is said of them, and what becomes of them."""

    column: Column
    condition: str
    said: str
    becomes: str


def _long(table: Table) -> Iterator[_Texts]:
    for column in table.columns:
        if column.type is ColumnType.TEXT and not column.is_listed:
            cut = _OWNS_NOTHING if column.name == table.unit_key else "the rest is cut off"
            said = f"longer than max_length, {column.longest} characters"
            yield _Texts(column, f"length({{0}}) > {column.longest}", said, cut)


def _replaced(policy: Policy, table: Table) -> Iterator[_Texts]:
    if table.source.kind not in (SourceKind.PARQUET, SourceKind.FRAME):
        return
    for column in table.columns:
        if column.type is ColumnType.TEXT and column.name in key_columns(policy, table):
            said = f"with {REPLACED}, which stands for a byte that is no UTF-8, too"
            yield _Texts(column, f"contains({{0}}, '{REPLACED}')", said, _OWNS_NOTHING)


def _counted_texts(raw: Raw, looked_for: list[_Texts]) -> str:
    columns = [(raw.column(t.column.name), t.condition) for t in looked_for]
    counts = (f"count_if({told.format(as_text(c))})" if c is not None else "0" for c, told in columns)
    return f"SELECT {', '.join(counts)} FROM {raw.sql}"


def _of_texts(table: Table, texts: _Texts, count: int) -> str:
    are = _plural(count, "text is", "texts are")
    return f"tables.{table.name}.columns.{texts.column.path}: {count} {are} {texts.said}; {texts.becomes}"


def unread_json(policy: Policy) -> tuple[str, ...]:
    """A sentence for each JSON column with texts that are none, and each field with values of another type.

    Raises PolicyError.
    """
    private = [t for t in policy.tables if not t.public and any(c.field for c in t.columns)]
    with connect(Limits(_SECONDS)) as connection:
        raw = open_sources(connection, policy, private)
        reported: list[str] = []
        for table in private:
            places, counts = counted_unread(table, raw[table.name])
            sql = f"SELECT {', '.join(counts) or '1'} FROM {raw[table.name].sql}"
            unread = connection.execute(sql).fetchall()[0]
            reported += [_of_json(table, at, n) for at, n in zip(places, unread, strict=False) if n]
        return tuple(reported)


def _of_json(table: Table, place: str, count: int) -> str:
    whole = ".fields." not in place
    what = "no JSON, so that no field of them is read" if whole else "not of its type and read as NULL"
    values = _plural(count, "text is", "texts are") if whole else _plural(count, "value is", "values are")
    return f"tables.{table.name}.columns.{place}: {count} {values} {what}"


def unlisted(policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[str, ...]:
    """A sentence for each private column with values that are not on its list. Raises PolicyError."""
    reported: list[str] = []
    with connect(Limits(_SECONDS)) as connection:
        for typed in typed_tables(connection, policy, [t for t in policy.tables if not t.public]):
            info = tables[typed.table.name.lower()]
            columns = [c for c in typed.table.columns if c.is_listed]
            if columns:
                counts = ", ".join(_counted_unlisted(info, c) for c in columns)
                found = connection.execute(f"SELECT {counts} FROM ({typed.select}) AS t").fetchall()[0]
                reported += [_of_list(typed.table, c, n) for c, n in zip(columns, found, strict=True) if n]
    return tuple(reported)


def _counted_unlisted(info: TableInfo, column: Column) -> str:
    known, raw = info.column(column.name), f"t.{quoted(column.name)}"
    assert known is not None
    return f"count_if({raw} IS NOT NULL AND ({column_sql(known, raw)}) IS NULL)"


def _of_list(table: Table, column: Column, count: int) -> str:
    where = f"among the keys {column.references}" if column.references is not None else "on its list"
    are = _plural(count, "value is", "values are")
    return f"tables.{table.name}.columns.{column.path}: {count} {are} not {where} and read as NULL"


def _plural(count: int, one: str, several: str) -> str:
    return one if count == 1 else several
