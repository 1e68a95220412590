"""Extreme values of every type, and tables of all their combinations under given facts."""

import itertools
import math
import sys
from datetime import date, datetime
from fractions import Fraction

import duckdb

from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.facts import NATURAL, Fact, Facts, fits_bigint, number_of
from dpsql.algebra.functions import emit, fact_rule
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

B, INT, D, S = SqlType.BOOLEAN, SqlType.INTEGER, SqlType.DOUBLE, SqlType.TEXT
DATE, TIME = SqlType.DATE, SqlType.TIMESTAMP
MAX = sys.float_info.max

VALUES: dict[SqlType, tuple[object, ...]] = {
    B: (True, False),
    INT: (
        0,
        1,
        -1,
        2,
        7,
        -5,
        90,
        2**31,
        2**32,
        -(2**32),
        2**53 + 1,
        2**63 - 1,
        -(2**63),
        -(2**63) + 1,
        3_652_059,
    ),
    D: (
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -2.5,
        1e-300,
        5e-324,
        -5e-324,
        1e308,
        MAX,
        -MAX,
        2.0**53,
        2.0**63,
        -(2.0**63),
        1.005,
        90.0,
        math.nextafter(90.0, 0),
        709.8,
        9.3e18,
        0.1,
    ),
    S: (
        "",
        "a",
        "Banana",
        "100%",
        " 12 ",
        "1e400",
        "nan",
        "-inf",
        "infinity",
        "2025-02-29",
        "0001-01-01 (BC)",
        "10000-01-01",
        "\x00",
        "a\x00b",
        "é",
        "é",
        "👨\u200d👩\u200d👧",
        "ß",
        "İ",
        "\u202e",
        "\ufeff",
        "yes",
        "9.5",
        "a" * 100000,
        "9999-12-31 23:59:59.999999",
        "2025-01-01 00:00:00+02",
        "epoch",
        "-1e-400",
        "9223372036854775808",
        "'",
    ),
    DATE: (
        date(1, 1, 1),
        date(9999, 12, 31),
        date(1970, 1, 1),
        date(1969, 12, 31),
        date(2024, 2, 29),
        date(2025, 1, 31),
        date(2025, 12, 31),
        date(2025, 1, 1),
    ),
    TIME: (
        datetime(1, 1, 1),
        datetime(9999, 12, 31, 23, 59, 59, 999999),
        datetime(1970, 1, 1),
        datetime(1969, 12, 31, 23, 59, 59, 999999),
        datetime(2024, 2, 29, 12),
        datetime(2025, 1, 31, 1),
        datetime(2025, 1, 30, 23, 30),
        datetime(2025, 12, 31, 23, 59, 59),
    ),
}


def _between(lo: object, hi: object) -> Interval:
    a, b = number_of(lo), number_of(hi)
    assert a is not None and b is not None
    return Interval(a, b)


RANGES: dict[SqlType, tuple[Interval | None, ...]] = {
    B: (None,),
    S: (None,),
    INT: (NATURAL[INT], _between(0, 90), _between(-5, 7), _between(1, 2**32), _between(-(2**63), -1)),
    D: (NATURAL[D], _between(0.0, 90.0), _between(-2.5, 1.0), _between(0.1, 1e308), _between(-MAX, -1.0)),
    DATE: (
        NATURAL[DATE],
        _between(date(2025, 1, 1), date(2025, 12, 31)),
        _between(date(1, 1, 1), date(1970, 1, 1)),
    ),
    TIME: (
        NATURAL[TIME],
        _between(datetime(2024, 2, 29, 12), datetime(2025, 12, 31, 23, 59, 59)),
        _between(datetime(1970, 1, 1), datetime(9999, 12, 31, 23, 59, 59, 999999)),
    ),
}


def column_facts(kind: SqlType) -> tuple[Fact, ...]:
    """Facts that a column of the type may have; NULL is possible in every second one, and in the widest."""
    return tuple(Fact(kind, i % 2 == 0, range_) for i, range_ in enumerate(RANGES[kind]))


def values_of(fact: Fact) -> list[object]:
    """The extreme values that obey a fact."""
    inside = [v for v in VALUES[fact.type] if fact.interval is None or _lies_in(v, fact.interval)]
    return [*inside, None] if fact.nullable else inside


def _lies_in(value: object, range_: Interval) -> bool:
    at = number_of(value)
    return at is not None and range_.lo <= at <= range_.hi


class Engine:
    """DuckDB with its optimiser on or off, and tables of extreme values made as they are asked for."""

    def __init__(self, optimised: bool) -> None:
        self.connection = duckdb.connect()
        self.connection.execute("SET threads = 1")
        if not optimised:
            self.connection.execute("PRAGMA disable_optimizer")
        self._tables: dict[tuple[tuple[str, Fact], ...], str] = {}

    def table(self, facts: dict[Column, Fact]) -> str:
        """A table of every combination of extreme values of the columns."""
        key = tuple((c.name, f) for c, f in facts.items())
        if key not in self._tables:
            self._tables[key] = f"t{len(self._tables)}"
            rows = list(itertools.product(*(values_of(f) for f in facts.values())))
            self.fill(self._tables[key], {c: f.type for c, f in facts.items()}, rows)
        return self._tables[key]

    def fill(self, table: str, columns: dict[Column, SqlType], rows: list[tuple[object, ...]]) -> None:
        """A table of the given rows."""
        names = ", ".join(f'"{c.name}" {kind.value}' for c, kind in columns.items()) or '"none" BIGINT'
        self.connection.execute(f"CREATE TABLE {table} ({names})")
        filler = rows if columns else [(None,)]
        marks = "(" + ", ".join("?" * len(filler[0])) + ")"
        sql = f"INSERT INTO {table} VALUES " + ", ".join([marks] * len(filler))
        self.connection.execute(sql, [v for row in filler for v in row])

    def values(self, sql: str, table: str) -> list[tuple[object, ...]]:
        """The engine type and the value of an expression on every row."""
        return self.connection.execute(f"SELECT typeof({sql}), {sql} FROM {table}").fetchall()


def spelled(column: Column) -> str:
    """A column as the tests' tables name it."""
    return f'"{column.name}"'


def rendered(expr: Expr, facts: dict[Column, Fact]) -> str:
    """The expression in SQL under facts of its columns."""
    return emit(expr, Facts(facts, fact_rule), spelled)


def breaches(fact: Fact, found: list[tuple[object, ...]]) -> list[object]:
    """The values that do not obey the fact of their expression, or have another engine type."""
    return [row for row in found if not _obeys(fact, str(row[0]), row[1])]


def _obeys(fact: Fact, engine_type: str, value: object) -> bool:
    if engine_type != _engine_type(fact):
        return False
    if value is None:
        return fact.nullable
    if isinstance(value, float) and not math.isfinite(value):
        return False
    return fact.interval is None or (fact.type not in NATURAL) or _lies_in(value, fact.interval)


def _engine_type(fact: Fact) -> str:
    if fact.type is INT and not fits_bigint(fact.interval or Interval(Fraction(0), Fraction(0))):
        return "HUGEINT"
    return fact.type.value
