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
from dpsql.engines.sources.column_types import as_text
from dpsql.engines.sources.csv import CsvMistake, OpenCsv, open_csv
from dpsql.engines.sources.files import Raw, open_sources
from dpsql.engines.sources.json_text import counted_unread
from dpsql.engines.sources.views import typed_tables
from dpsql.policy.model import Column, ColumnType, Policy, SourceKind, Table

_SECONDS = 600
_Columns = tuple[tuple[int, Column], ...]


def left_out(policy: Policy) -> tuple[str, ...]:
    """A sentence for each CSV file of which lines are left out, and for each column with values read as NULL.

    A file that cannot be read at all is left to the engines, which say so.
    """
    reported: list[str] = []
    with connect(Limits(_SECONDS)) as connection:
        for table in policy.tables:
            if table.source.kind is SourceKind.CSV:
                with suppress(CsvMistake, OSError, duckdb.Error):
                    reported += _of_lines(connection, table)
    return tuple(reported)


_KEEP = "; declare a column `nullable: true` to keep the lines that have no value in it"


def _of_lines(connection: duckdb.DuckDBPyConnection, table: Table) -> Iterator[str]:
    file = open_csv(connection, table.source, table.source_columns)
    columns = file.find(table.source_columns)
    strict = [c for _, c in columns if not c.nullable]
    loose = [c for _, c in columns if c.nullable]
    broken, *counts = _counted(connection, file, columns)
    without = [(c.name, n) for c, n in zip(strict, counts, strict=False) if n]
    reasons = [f"{broken} {_plural(broken, 'is', 'are')} not made of {len(file.names)} fields"] * bool(broken)
    reasons += [f"{n} {_plural(n, 'has', 'have')} no value in `{name}`" for name, n in without]
    total = broken + sum(n for _, n in without)
    if total:
        yield (
            f"tables.{table.name}: {total} {_plural(total, 'line is', 'lines are')} left out: "
            + ", ".join(reasons)
            + (_KEEP if without else "")
        )
    for column, n in zip(loose, counts[len(strict) :], strict=True):
        if n:
            values = _plural(n, f"value that is no {column.type} is", f"values that are no {column.type} are")
            yield f"tables.{table.name}.columns.{column.path}: {n} {values} read as NULL"


def _counted(connection: duckdb.DuckDBPyConnection, file: OpenCsv, columns: _Columns) -> list[int]:
    """Malformed lines; lines by the first column that needs a value and has none; values lost in the other columns."""
    strict = [f"c{i}" for i, (_, c) in enumerate(columns) if not c.nullable]
    loose = [i for i, (_, c) in enumerate(columns) if c.nullable]
    complete = ["sound", *(f"{c} IS NOT NULL" for c in strict)]
    missing = [f"{' AND '.join(complete[: i + 1])} AND {c} IS NULL" for i, c in enumerate(strict)]
    lost = [f"{' AND '.join(complete)} AND t{i} IS NOT NULL AND c{i} IS NULL" for i in loose]
    counts = [f"count(*) FILTER ({condition})" for condition in ("NOT sound", *missing, *lost)]
    sql = f"WITH v AS MATERIALIZED ({file.values(columns)}) SELECT {', '.join(counts)} FROM v"
    totals = [0] * len(counts)
    for block in file.blocks:
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
            texts = [c for c in table.columns if c.type is ColumnType.TEXT and not c.is_listed]
            if texts:
                counts = connection.execute(_counted_long(raw[table.name], texts)).fetchall()[0]
                reported += [_of_texts(table, c, n) for c, n in zip(texts, counts, strict=True) if n]
        return tuple(reported)


def _counted_long(raw: Raw, texts: list[Column]) -> str:
    columns = [(raw.column(c.name), c.longest) for c in texts]
    counts = (f"count_if(length({as_text(c)}) > {n})" if c is not None else "0" for c, n in columns)
    return f"SELECT {', '.join(counts)} FROM {raw.sql}"


def _of_texts(table: Table, column: Column, count: int) -> str:
    what = "such a key owns no row" if column.name == table.unit_key else "the rest is cut off"
    return (
        f"tables.{table.name}.columns.{column.path}: {count} {_plural(count, 'text is', 'texts are')} "
        f"longer than max_length, {column.longest} characters; {what}"
    )


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
            found = connection.execute(sql).fetchall()[0]
            reported += [_of_json(table, at, n) for at, n in zip(places, found, strict=False) if n]
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
