"""The values that generated rows hold: ordinary ones, and those at which bounds, grids and types end."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from dpsql.algebra.catalog import literal_value
from dpsql.algebra.expressions import LiteralValue
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.policy.model import Column, ColumnType, Scalar
from dpsql.policy.table_sources import SourceKind
from dpsql.slotted import dataclass

_MANY = 24
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MOST = 2**63 - 1
_INTEGERS = {
    "TINYINT": (-(2**7), 2**7 - 1),
    "INTEGER": (-(2**31), 2**31 - 1),
    "BIGINT": (-_MOST - 1, _MOST),
    "UBIGINT": (0, 2**64 - 1),
    "HUGEINT": (-(2**127), 2**127 - 1),
    "UHUGEINT": (0, 2**128 - 1),
}
# What a type of a source can be, and the column's own type cannot.
_BEYOND = {
    **{raw: tuple(map(str, _INTEGERS[raw])) for raw in ("UBIGINT", "HUGEINT", "UHUGEINT")},
    "DATE": ("5881580-07-10", "5877642-06-25 (BC)", "infinity"),
}
_EDGES: dict[ColumnType, tuple[str, ...]] = {
    ColumnType.INTEGER: ("0", "-1", "1", str(_MOST), str(-_MOST - 1), str(2**53), str(2**53 + 1)),
    ColumnType.FLOAT: (
        "nan", "inf", "-inf", "-0.0", "0.0", "1e300", "-1e308", "5e-324", "1e-9", "9007199254740993"),
    ColumnType.TEXT: ("", " ", "12", "x'y\"z", "a\u200bb", "e\u0301", "\u00e9", "a\x00b", "y" * 4000, "NULL",
                      "\\", "%"),
    ColumnType.BOOLEAN: ("true", "false"),
    ColumnType.DATE: ("infinity", "-infinity", "0001-01-01", "9999-12-31", "1970-01-01", "5877642-06-25 (BC)",
                      "5881580-07-10", "2024-02-29"),
    ColumnType.TIMESTAMP: ("infinity", "-infinity", "2262-01-01", "1970-01-01", "0001-01-01",
                           "9999-12-31 23:59:59.999999",
                           "290309-12-22 (BC)", "294247-01-10 04:00:54.775806"),
}  # fmt: skip
# Of keys beyond the range of their type a few: a row of theirs has no owner.
_KEYS: dict[ColumnType, tuple[str, ...]] = {
    ColumnType.TEXT: _EDGES[ColumnType.TEXT],
    ColumnType.FLOAT: ("nan", "inf", "1e300"),
    ColumnType.DATE: ("infinity", "9999-12-31", "5881580-07-10"),
    ColumnType.TIMESTAMP: ("infinity", "9999-12-31 23:59:59.999999", "294247-01-10 04:00:54.775806"),
}
_PLAIN: dict[ColumnType, tuple[str, ...]] = {
    ColumnType.INTEGER: ("1", "2", "3", "4", "0", "-7"),
    ColumnType.FLOAT: ("-1.5", "0", "2.25", "1000000", "0.125"),
    ColumnType.TEXT: ("oslo", "Oslo", "", "bern", "riga", "b_rn", "50%", "e\u0301"),
    ColumnType.BOOLEAN: ("true", "false"),
    ColumnType.DATE: ("2025-01-01", "2025-01-31", "2025-02-28", "2025-03-01", "2025-06-30"),
    ColumnType.TIMESTAMP: ("2025-01-01", "2025-01-01 06:30:00", "2025-01-01 23:59:59", "2025-01-03 12:00:00"),
}


@dataclass(frozen=True, slots=True)
class Pool:
    """Texts of values of a column: `plain` ones inside its bounds and on its grid, and `edges`."""

    plain: tuple[str, ...]
    edges: tuple[str, ...]

    def fitting(self, raw: str) -> Pool:
        """The values that a source's type can hold."""
        plain = tuple(v for v in self.plain if fits(v, raw))
        edges = tuple(v for v in self.edges if fits(v, raw)) or plain
        return Pool(plain, (*edges, *_BEYOND.get(raw, ())))


def pool(column: Column, public: Iterable[LiteralValue] = ()) -> Pool:
    """The values for a column; without a list and bounds, also those of public columns that it may be joined to.

    Of a column that references keys, `public` are some of these.
    """
    if column.is_listed:
        keys = tuple(v for v in public if isinstance(v, int | str | date))
        values = column.values if column.values is not None else keys
        listed = tuple(map(text_of, values))
        return Pool(listed, (*listed, *_beside(column, values), *_EDGES[column.type]))
    if column.lower is not None and column.upper is not None:
        inside = _between(column, column.lower, column.upper)
        ends = _beside(column, (column.lower, column.upper))
        return Pool(inside, (*(inside[0], inside[-1]) * 2, *ends, *_EDGES[column.type]))
    present = tuple(v for v in public if v is not None)
    plain = (*_PLAIN[column.type], *map(text_of, present))
    spelled = tuple(text for v in present if isinstance(v, str) for text in _near(column, v)[:2])
    return Pool(plain, (*plain[:2], *spelled, *_EDGES[column.type]))


def key_pool(column: Column) -> tuple[str, ...]:
    """Values of a unit key, each a unit of its own."""
    if column.type is ColumnType.INTEGER:
        return (str(-_MOST - 1), str(_MOST), "0", "-1", *map(str, range(1, 20)))
    return tuple(dict.fromkeys((*_PLAIN[column.type], *_KEYS.get(column.type, ()))))


def text_of(value: Scalar | LiteralValue) -> str:
    """A value as text that DuckDB casts to its type."""
    plain = literal_value(value) if isinstance(value, Fraction) else value
    if isinstance(plain, bool):
        return "true" if plain else "false"
    return repr(plain) if isinstance(plain, float) else str(plain)


def _beside(column: Column, values: Iterable[Scalar]) -> tuple[str, ...]:
    """Each value, and the nearest ones on either side; for text, spellings that are nearly it."""
    return tuple(text for value in values for text in (text_of(value), *_near(column, value)))


def _near(column: Column, value: Scalar) -> tuple[str, ...]:
    if isinstance(value, bool):
        return ()
    if isinstance(value, str):
        return (value.swapcase(), value + " ", value + "x" * 300)
    if isinstance(value, datetime):
        return tuple(str(v) for v in _moved(value, timedelta(microseconds=1)))
    if isinstance(value, date):
        return tuple(str(v) for v in _moved(value, timedelta(days=1)))
    if column.type is ColumnType.INTEGER:
        return tuple(str(n) for n in (int(value) - 1, int(value) + 1) if abs(n) <= _MOST)
    at = float(value)
    steps = (
        (at - float(column.step), at + float(column.step)) if column.step is not None else (at - 1, at + 1)
    )
    return tuple(repr(v) for v in (math.nextafter(at, -math.inf), math.nextafter(at, math.inf), *steps))


def _moved(value: date, by: timedelta) -> Iterable[date]:
    for sign in (-1, 1):
        try:
            yield value + sign * by
        except OverflowError:
            continue


def _between(column: Column, lower: Scalar, upper: Scalar) -> tuple[str, ...]:
    """Values spread over the range, both ends among them."""
    if isinstance(lower, date) and isinstance(upper, date):
        at = [lower + (upper - lower) * i / _MANY for i in range(_MANY)]
        rounded = [v.replace(microsecond=0) if isinstance(v, datetime) and i else v for i, v in enumerate(at)]
        return tuple(dict.fromkeys(map(str, (*rounded, upper))))
    assert isinstance(lower, int | Fraction) and isinstance(upper, int | Fraction)
    step = Fraction(1) if column.type is ColumnType.INTEGER else _grid(Fraction(upper - lower), column.step)
    first, last = math.ceil(lower / step), math.floor(upper / step)
    count = min(last - first, _MANY)
    ticks = [first + (last - first) * i // max(count, 1) for i in range(count + 1)] if first <= last else []
    inner = [tick * step for tick in ticks]
    exact = [
        v
        for v in (lower, *inner, upper)
        if column.type is not ColumnType.INTEGER or Fraction(v).denominator == 1
    ]
    return tuple(dict.fromkeys(text_of(int(v) if Fraction(v).denominator == 1 and column.type is ColumnType.INTEGER
                                       else Fraction(v)) for v in exact))  # fmt: skip


def _grid(width: Fraction, step: Fraction | None) -> Fraction:
    """The policy's step, or a power of two: doubles on it add up without rounding."""
    if step is not None:
        return step
    _, exponent = math.frexp(float(width / _MANY))
    return Fraction(2) ** min(exponent - 1, -2)


def fits(value: str, raw: str) -> bool:
    """Whether a source's type can hold a value."""
    base, _, arguments = raw.partition("(")
    if base == "ENUM":
        return _text(value) in arguments[:-1].split(", ")
    if base == "UUID":
        return _UUID.fullmatch(value) is not None
    if base in _INTEGERS:
        lo, hi = _INTEGERS[base]
        return lo <= int(value) <= hi
    if base == "DECIMAL":
        digits, places = (int(n) for n in arguments.rstrip(")").split(","))
        return _finite(value) and abs(Decimal(value)) < 10 ** (digits - places)
    if base == "FLOAT":
        return not _finite(value) or abs(Decimal(value)) < Decimal("3e38")
    if base == "DATE":
        return value.endswith(" 00:00:00") or ":" not in value
    if base == "TIMESTAMP_NS":
        return "1970" <= value < "2262-04" and "(" not in value and value[:4].isdigit() and value[4] == "-"
    return True


def _finite(value: str) -> bool:
    try:
        return Decimal(value).is_finite()
    except InvalidOperation:
        return False


_OTHER_TYPES: dict[ColumnType, tuple[str, ...]] = {
    ColumnType.TEXT: (
        "UUID",
        "VARCHAR COLLATE NOCASE",
        "VARCHAR COLLATE NOCASE.NOACCENT",
        "VARCHAR COLLATE de",
    ),
    ColumnType.INTEGER: ("HUGEINT", "UBIGINT", "UHUGEINT", "INTEGER", "TINYINT"),
    ColumnType.FLOAT: ("FLOAT", "DECIMAL(18,3)", "DECIMAL(38,10)"),
    ColumnType.TIMESTAMP: ("TIMESTAMP_NS", "DATE"),
}
# Parquet has no such integers, of which DuckDB writes doubles, and no collation.
_NOT_IN_FILES = frozenset(
    {"HUGEINT", "UHUGEINT", *(t for t in _OTHER_TYPES[ColumnType.TEXT] if "COLLATE" in t)}
)


def source_types(column: Column, values: Pool, kind: SourceKind) -> tuple[str, ...]:
    """The types that a source of that kind may give the column, the usual one first."""
    others = [
        t for t in _OTHER_TYPES.get(column.type, ()) if kind is SourceKind.DUCKDB or t not in _NOT_IN_FILES
    ]
    if column.type is ColumnType.TEXT:
        others.append(enum(values.plain))
    usable = tuple(raw for raw in others if len(values.fitting(raw).plain) > 1)
    return (ENGINE_TYPE[column.type], *usable)


def enum(values: Iterable[str]) -> str:
    """The type of these values alone, but for those with a comma or a control character."""
    plain = (v for v in dict.fromkeys(values) if v.isprintable() and "," not in v)
    return f"ENUM({', '.join(map(_text, plain))})"


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
