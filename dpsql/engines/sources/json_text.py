"""The fields of JSON text as columns: each is a value for every text there is, and depends on that text alone.

DuckDB raises where a path is looked up in text that is no JSON. Here it is looked up in what TRY_CAST made of the
text, which is JSON or NULL; no expression relies on another one being evaluated first. NaN and Infinity, which DuckDB
reads as numbers, are none in JSON. Of an object that has a name twice, the first counts.
"""

from __future__ import annotations

from dpsql.algebra.scan import quoted, text_literal
from dpsql.engines.sources.column_types import ENGINE_TYPE, NO_VALUES, SourceColumn, as_text
from dpsql.engines.sources.fields import value_sql
from dpsql.engines.sources.files import Raw
from dpsql.policy.json_paths import quoted_path
from dpsql.policy.model import Column, ColumnType, Table
from dpsql.policy.table_sources import CsvFormat

LONGEST = 1_048_576
"""The bytes of the longest text that is read as JSON: what one row costs in time and memory."""

_HOLDS_TEXT = frozenset({"varchar", NO_VALUES})
_WHOLE = r"-?[0-9]+(?:\.0+)?"
_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"


def mistake_of_text(source: SourceColumn | None, column: str) -> str | None:
    """Why a source's column cannot be read as JSON, or None; DuckDB's own JSON is text as well."""
    if source is None:
        return f"the source has no column {column}"
    if source.kind in _HOLDS_TEXT:
        return None
    return (
        f"the source has {source.written}, which is no JSON text; write it as text with to_json in the source"
    )


def with_fields(table: Table, raw: Raw) -> Raw:
    """The source with a column for each declared field whose text it has."""
    found = [(c, s) for c in table.columns if c.field is not None and (s := raw.column(c.field.column))]
    fields = [(c, s) for c, s in found if mistake_of_text(s, s.name) is None]
    if not fields:
        return raw
    made = ", ".join(f"{_value(c, _json(s))} AS {quoted(c.name)}" for c, s in fields)
    columns = tuple(_typed(c) for c, _ in fields)
    return Raw(f"(SELECT *, {made} FROM {raw.sql})", (*raw.columns, *columns))


def counted_unread(table: Table, raw: Raw) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What an admin may want to know: where in the policy something is not read, and SQL that counts it.

    Of a JSON column texts that are no JSON, of a field values that are neither of its type nor null.
    """
    places, counts = [], []
    for name in dict.fromkeys(c.field.column for c in table.columns if c.field is not None):
        source = raw.column(name)
        if source is None or mistake_of_text(source, name) is not None:
            continue
        json = _json(source)
        places.append(name)
        counts.append(f"count_if({quoted(source.name)} IS NOT NULL AND {json} IS NULL)")
        for column in table.columns:
            if column.field is not None and column.field.column == name:
                kind = f"json_type({json}, {text_literal(quoted_path(column.field.steps))})"
                places.append(column.path)
                counts.append(f"count_if({kind} <> 'NULL' AND ({_value(column, json)}) IS NULL)")
    return tuple(places), tuple(counts)


def _typed(column: Column) -> SourceColumn:
    written = ENGINE_TYPE[column.type]
    return SourceColumn(column.name, written.lower(), written)


def _json(source: SourceColumn) -> str:
    text = as_text(source)
    return f"TRY_CAST(CASE WHEN strlen({text}) <= {LONGEST} THEN {text} END AS JSON)"


def _value(column: Column, json: str) -> str:
    """The value of a column's field in JSON, NULL where there is none of its type."""
    assert column.field is not None
    path = text_literal(quoted_path(column.field.steps))
    written = f"CAST(json_extract({json}, {path}) AS VARCHAR)"
    plain = f"CASE WHEN starts_with({written}, '\"') THEN json_extract_string({json}, {path}) END"
    match column.type:
        case ColumnType.INTEGER:
            return _matched(written, _WHOLE, column.type)
        case ColumnType.FLOAT:
            return _matched(written, _NUMBER, column.type)
        case ColumnType.BOOLEAN:
            return f"CASE {written} WHEN 'true' THEN true WHEN 'false' THEN false END"
        case ColumnType.TEXT:
            return plain
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            return value_sql(CsvFormat(), plain, column.type)


def _matched(written: str, pattern: str, kind: ColumnType) -> str:
    full = f"regexp_full_match({written}, {text_literal(pattern)})"
    return f"CASE WHEN {full} THEN TRY_CAST({written} AS {ENGINE_TYPE[kind]}) END"
