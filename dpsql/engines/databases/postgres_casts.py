"""How columns of PostgreSQL are read as types of a policy: by casts that have a value for every value of the column.

Arrow has no infinite dates, PostgreSQL has moments that 64 bits of microseconds do not reach, and a numeric may be
beyond every double. Whatever is beyond the years that a policy knows is moved to a day that is beyond them as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from dpsql.algebra.scan import quoted
from dpsql.policy.model import ColumnType

_INTEGERS = frozenset({"int2", "int4", "int8"})
_DOUBLES = frozenset({"float4", "float8"})
_TEXTS = frozenset({"text", "varchar", "bpchar", "name", "uuid"})
_MOMENTS = frozenset({"date", "timestamp", "timestamptz"})
_JSON = frozenset({"json", "jsonb"})
_ACCEPTED = {
    ColumnType.INTEGER: _INTEGERS,
    ColumnType.FLOAT: _INTEGERS | _DOUBLES | {"numeric"},
    ColumnType.TEXT: _TEXTS,
    ColumnType.BOOLEAN: frozenset({"bool"}),
    ColumnType.DATE: frozenset({"date"}),
    ColumnType.TIMESTAMP: _MOMENTS,
}
_LAST, _FIRST = "290000-01-01", "4000-01-01 BC"
_MOST, _LEAST = "1.7976931348623157e308", "2.2250738585072014e-308"


@dataclass(frozen=True, slots=True)
class CatalogColumn:
    """A column as the catalog has it: `kind` is its type's name there, of a domain that of its base type.

    `is_enum` says that the type is an enumeration, `is_own` that PostgreSQL itself defines it; `written` is the type
    as people write it.
    """

    name: str
    written: str
    kind: str
    is_enum: bool
    is_own: bool


def cast_sql(column: CatalogColumn, wanted: ColumnType, *, is_json: bool = False) -> str | None:
    """The column in a type of the policy's, total; None where it cannot be read as that.

    A text that is JSON to the policy, `is_json`, may be JSON to PostgreSQL as well.
    """
    value = quoted(column.name)
    if is_json and column.is_own and column.kind in _JSON:
        return f"{value}::text"
    if column.is_enum:
        return f"{value}::text" if wanted is ColumnType.TEXT else None
    if not column.is_own or column.kind not in _ACCEPTED[wanted]:
        return None
    match wanted:
        case ColumnType.INTEGER:
            return f"{value}::int8"
        case ColumnType.FLOAT:
            return _double(value) if column.kind == "numeric" else f"{value}::float8"
        case ColumnType.TEXT:
            return f"{value}::text"
        case ColumnType.BOOLEAN:
            return f"{value}::bool"
        case ColumnType.DATE:
            return _within(f"{value}::date", "date")
        case ColumnType.TIMESTAMP:
            zoned = column.kind == "timestamptz"
            moment = f"({value}::timestamptz AT TIME ZONE 'UTC')" if zoned else f"{value}::{column.kind}"
            return f"{_within(moment, 'date' if column.kind == 'date' else 'timestamp')}::timestamp"


def merges(column: CatalogColumn, wanted: ColumnType) -> bool:
    """Whether two values of the column could become one value of the type, and two people one."""
    return wanted is ColumnType.FLOAT and column.kind not in _DOUBLES


def _within(value: str, kind: str) -> str:
    """A moment within what Arrow can hold; infinite ones are beyond every day of a policy afterwards, as before."""
    last, first = f"{kind} '{_LAST}'", f"{kind} '{_FIRST}'"
    return f"(CASE WHEN {value} > {last} THEN {last} WHEN {value} < {first} THEN {first} ELSE {value} END)"


def _double(value: str) -> str:
    """A numeric as a double: NaN is above every number, what is too large is infinite, what is too small is zero."""
    number = f"{value}::numeric"
    return (
        f"(CASE WHEN {number} = 'NaN' THEN float8 'NaN' WHEN {number} > {_MOST} THEN float8 'Infinity' "
        f"WHEN {number} < -{_MOST} THEN float8 '-Infinity' WHEN abs({number}) < {_LEAST} THEN float8 '0' "
        f"ELSE {number}::float8 END)"
    )
