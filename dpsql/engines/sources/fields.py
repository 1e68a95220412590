"""How a line becomes fields, and a field a value, as SQL that is total and looks at nothing but this line.

A regular expression of RE2 takes time in proportion to the line; no expression here raises, whatever the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dpsql.algebra.scan import text_literal
from dpsql.algebra.types import sql_type
from dpsql.engines.sources.lines import LONGEST
from dpsql.policy.date_formats import format_pattern, literal_pattern
from dpsql.policy.model import ColumnType
from dpsql.policy.table_sources import CsvFormat

_LINES = "SELECT unnest(string_split($1, chr(10))) AS line"
_SOUND = f"strlen(line) <= {LONGEST} AND NOT contains(line, chr(0)) AND NOT contains(line, chr(13))"
_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?(?:Z|[+-]00(?::?00)?)?"
_PATTERNS = {
    ColumnType.INTEGER: r"[+-]?[0-9]+(?:\.0*)?",
    ColumnType.FLOAT: r"(?i)[+-]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?|inf(?:inity)?|nan)",
    ColumnType.BOOLEAN: "(?i)true|false|t|f|1|0",
    ColumnType.DATE: _DAY,
    ColumnType.TIMESTAMP: f"{_DAY}(?:[ T]{_CLOCK})?",
}


def fields_sql(form: CsvFormat, count: int | None) -> str:
    """One row for each line of the text $1 that is not blank, with its fields as they are written, in a list `f`.

    NULL where a line is malformed: it holds NUL or a carriage return, is longer than LONGEST, a quote is not closed or
    stands within an unquoted field, or there are not `count` fields.
    """
    split = f"SELECT CASE WHEN {_SOUND} THEN {_split(form)} END AS f FROM ({_LINES}) WHERE line <> ''"
    return split if count is None else f"SELECT CASE WHEN len(f) = {count} THEN f END AS f FROM ({split})"


def _split(form: CsvFormat) -> str:
    plain = f"string_split(line, {text_literal(form.delimiter)})"
    if not form.quote:
        return plain
    quote, escape, end = map(literal_pattern, (form.quote, form.escape, form.delimiter))
    inside = f"[^{quote}{escape}]|{escape}."
    quoted = f"{quote}(?:{inside})*{quote}"
    if form.quote == form.escape:
        quoted = f"(?:{quote}[^{quote}]*{quote})+"
    field = f"(?:{quoted}|[^{quote}{end}]*)"
    whole, each = text_literal(f"{field}(?:{end}{field})*"), text_literal(f"({field}){end}")
    extracted = f"regexp_extract_all(line || {text_literal(form.delimiter)}, {each}, 1)"
    careful = f"CASE WHEN regexp_full_match(line, {whole}) THEN {extracted} END"
    return f"CASE WHEN contains(line, {text_literal(form.quote)}) THEN {careful} ELSE {plain} END"


def unquoted_sql(form: CsvFormat, raw: str) -> str:
    """The text of a field: without its quotes, each escape undone; an escape before anything else is itself."""
    if not form.quote:
        return raw
    inner = f"substr({raw}, 2, length({raw}) - 2)"
    if form.quote == form.escape:
        undone = f"replace({inner}, {text_literal(form.quote * 2)}, {text_literal(form.quote)})"
    else:
        quote, escape = map(literal_pattern, (form.quote, form.escape))
        undone = rf"regexp_replace({inner}, {text_literal(f'{escape}([{quote}{escape}])')}, '\1', 'g')"
    return f"CASE WHEN starts_with({raw}, {text_literal(form.quote)}) THEN {undone} ELSE {raw} END"


def values_sql(form: CsvFormat, count: int, wanted: Sequence[tuple[int, ColumnType]]) -> str:
    """Of every line that is not blank: `sound`, and for each wanted field (from 0) its text `t<i>` and value `c<i>`."""
    texts = "".join(f", {_text(form, f'f[{at + 1}]')} AS t{i}" for i, (at, _) in enumerate(wanted))
    values = "".join(f", {value_sql(form, f't{i}', kind)} AS c{i}" for i, (_, kind) in enumerate(wanted))
    read = f"SELECT f IS NOT NULL AS sound{texts} FROM ({fields_sql(form, count)})"
    return f"SELECT *{values} FROM ({read})"


def _text(form: CsvFormat, raw: str) -> str:
    return f"CASE WHEN {raw} <> {text_literal(form.null)} THEN {unquoted_sql(form, raw)} END"


def value_sql(form: CsvFormat, text: str, kind: ColumnType) -> str:
    """A text as a value of a type, NULL where it is none; blanks around it do not count, unless the type is text."""
    if kind is ColumnType.TEXT:
        return text
    trimmed, written = f"trim({text})", _written(form, kind)
    pattern = format_pattern(written) if written is not None else _PATTERNS[kind]
    value = trimmed if written is None else f"try_strptime({trimmed}, {text_literal(written)})"
    converted = f"TRY_CAST({value} AS {sql_type(kind).value})"
    return f"CASE WHEN regexp_full_match({trimmed}, {text_literal(pattern)}) THEN {converted} END"


def _written(form: CsvFormat, kind: ColumnType) -> str | None:
    written = {ColumnType.DATE: form.date, ColumnType.TIMESTAMP: form.timestamp}
    return written.get(kind)


def first_kind(fitting: Iterable[ColumnType]) -> ColumnType:
    """Of the types that all values of a column have, the narrowest."""
    order = (ColumnType.INTEGER, ColumnType.FLOAT, ColumnType.DATE, ColumnType.TIMESTAMP, ColumnType.BOOLEAN)
    kinds = set(fitting)
    return next((kind for kind in order if kind in kinds), ColumnType.TEXT)
