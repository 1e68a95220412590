"""Whole made-up tables: rows of units, with keys that lead to one another, as the policy says that they do.

A value is made from what the policy says of its column: its list, its bounds, its type, and nothing of the data. It is
a function of names and a row's number, so that a policy has the same made-up rows for good.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import islice
from typing import assert_never

from dpsql.algebra.catalog import Catalog, ColumnInfo
from dpsql.algebra.expressions import LiteralValue
from dpsql.errors import InternalError
from dpsql.policy.model import Column, ColumnType, Policy, Table
from dpsql.slotted import dataclass

Row = tuple[LiteralValue, ...]


@dataclass(frozen=True, slots=True)
class _Home:
    """Where a row stands: its unit, by number, and the key of the row that it leads to, where its table has a path."""

    unit: int
    leads_to: LiteralValue = None


def parents_first(policy: Policy) -> tuple[Table, ...]:
    """The private tables, each after the one that its path leads to."""
    ordered: list[Table] = []
    waiting = [t for t in policy.tables if not t.public]
    while waiting:
        placed = {t.name for t in ordered}
        ready = [t for t in waiting if t.unit_path is None or t.unit_path.table in placed]
        ordered += ready
        waiting = [t for t in waiting if t not in ready]
    return tuple(ordered)


def made_up_tables(policy: Policy, catalog: Catalog, count: int) -> Mapping[str, tuple[Row, ...]]:
    """At most `count` rows for each private table, by its name; all its columns in the order of the policy.

    They are a function of the policy and of the public tables whose keys its columns reference. Declared facts hold,
    lists, bounds and lengths are kept, keys lead to rows that exist, and no unit has more rows than its table's cap.
    A table has fewer rows where its keys or its caps do not allow more.
    """
    made = _MadeUp(policy, catalog, count)
    for table in parents_first(policy):
        made.fill(table)
    return made.rows


class _MadeUp:
    def __init__(self, policy: Policy, catalog: Catalog, count: int) -> None:
        self.rows: dict[str, tuple[Row, ...]] = {}
        self._catalog = catalog
        self._count = count
        self._homes: dict[str, tuple[_Home, ...]] = {}
        self._units = _units(policy, catalog)

    def fill(self, table: Table) -> None:
        """Makes the rows of a table; the one that its path leads to has its own by now."""
        info = self._catalog.tables[table.name.lower()]
        domains = {c.name: self._domain(table, c) for c in table.columns}
        unique = info.unique - {table.unit_key}
        homes = tuple(self._placed(table, info.rows_per_unit, table.unit_key in info.unique))
        ends = [size for name in unique if (size := domains[name].size) is not None]
        homes = homes[: min(ends, default=len(homes))]
        self._homes[table.name] = homes
        makers = tuple(_maker(table, c, domains[c.name], c.name in unique) for c in table.columns)
        self.rows[table.name] = tuple(
            tuple(make(row, home) for make in makers) for row, home in enumerate(homes)
        )

    def _domain(self, table: Table, column: Column) -> Domain:
        if column.name == table.unit_key:
            return self._units
        listed = _listed(self._catalog, table, column)
        # The lists of a partition are alike in every table, and may stand there in another order.
        return domain_of(column, tuple(sorted(listed, key=str)) if column.partition and listed else listed)

    def _placed(self, table: Table, cap: int | None, each_once: bool) -> Iterator[_Home]:
        """Where the rows of a table stand: a few units have many of them, and some none."""
        if table.row_is_unit:
            return map(_Home, range(self._count))
        places = self._places(table)
        if each_once or cap == 1:
            return islice({place.unit: place for place in places}.values(), self._count)
        return _drawn(list(places), table.name, self._count, cap)

    def _places(self, table: Table) -> tuple[_Home, ...]:
        path = table.unit_path
        if path is None:
            size = self._units.size
            return tuple(map(_Home, range(self._count if size is None else min(self._count, size))))
        parent = self._catalog.policy(path.table)
        at = next(i for i, c in enumerate(parent.columns) if c.name == path.key)
        owners, rows = self._homes[parent.name], self.rows[parent.name]
        return tuple(_Home(home.unit, row[at]) for home, row in zip(owners, rows, strict=True))


def _drawn(places: list[_Home], table: str, count: int, most: int | None) -> Iterator[_Home]:
    """Up to `count` places, one after the other; those of a unit that has as many as it may are given up."""
    taken: Counter[int] = Counter()
    row = 0
    while places and row < count:
        at = _skewed(len(places), table, row, len(places))
        if most is not None and taken[places[at].unit] >= most:
            places[at] = places[-1]
            places.pop()
            continue
        taken[places[at].unit] += 1
        row += 1
        yield places[at]


def _skewed(size: int, *place: object) -> int:
    """A number below `size`, of which small ones come more often."""
    return chosen(size, *place, "first") * chosen(size, *place, "second") // size


def _maker(
    table: Table, column: Column, domain: Domain, is_unique: bool
) -> Callable[[int, _Home], LiteralValue]:
    """What gives the value of a column in the row of a number at a place."""
    if column.name == table.unit_key:
        return lambda row, home: domain.at(home.unit)
    if table.unit_path is not None and column.name == table.unit_path.column:
        return lambda row, home: home.leads_to
    if is_unique:
        return lambda row, home: domain.at(row)
    if column.partition and domain.size is not None:
        parts = domain.size
        return lambda row, home: domain.at(home.unit % parts)
    return lambda row, home: cell(column, domain, table.name, row)


def _units(policy: Policy, catalog: Catalog) -> Domain:
    """The keys of units, alike in every table that has them."""
    name, _, key = policy.privacy.unit.rpartition(".")
    table = policy.table(name)
    column = table.column(key) if table is not None else None
    if table is None or column is None:  # every row is a unit, which has no key
        return Domain(None, lambda i: i)
    return domain_of(column, _listed(catalog, table, column))


def _listed(catalog: Catalog, table: Table, column: Column) -> tuple[LiteralValue, ...] | None:
    info: ColumnInfo | None = catalog.tables[table.name.lower()].column(column.name)
    if info is None:
        raise InternalError(f"{table.name} has no column {column.name}")
    return info.values


# Of a column without an end so many values are used where nothing asks for different ones.
_USUAL = 1_000
# One in so many values of a nullable column is NULL.
_NULL = 20
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_LONGEST = 6
_FIRST = datetime(2025, 1, 1)


@dataclass(frozen=True, slots=True)
class Domain:
    """The values that a column may be given, by number; `size` is how many there are, None without an end."""

    size: int | None
    at: Callable[[int], LiteralValue]


def chosen(most: int, *place: object) -> int:
    """A whole number from 0 to below `most`, the same for good at one place, and spread evenly over places."""
    text = "\x1f".join(map(str, place)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) % most


def cell(column: Column, domain: Domain, table: str, row: int) -> LiteralValue:
    """The value of a column in a row; NULL now and then where the policy allows it."""
    if column.nullable and chosen(_NULL, table, column.name, row, "null") == 0:
        return None
    size = _USUAL if domain.size is None else domain.size
    return domain.at(chosen(size, table, column.name, row))


def domain_of(column: Column, listed: tuple[LiteralValue, ...] | None) -> Domain:
    """The values of a column: those listed, or those between its bounds, or some of its type."""
    if listed:
        return Domain(len(listed), listed.__getitem__)
    match column.type:
        case ColumnType.INTEGER | ColumnType.FLOAT:
            return _numbers(column)
        case ColumnType.DATE | ColumnType.TIMESTAMP:
            return _moments(column)
        case ColumnType.TEXT:
            return _texts(column)
        case ColumnType.BOOLEAN:
            return Domain(2, bool)
    assert_never(column.type)


def _numbers(column: Column) -> Domain:
    whole = column.type is ColumnType.INTEGER
    if not isinstance(column.lower, int | Fraction) or not isinstance(column.upper, int | Fraction):
        return Domain(None, lambda i: i + 1 if whole else float(i + 1))
    lower, upper = Fraction(column.lower), Fraction(column.upper)
    step = Fraction(1) if whole else column.step or _step(upper - lower)
    first = math.ceil(lower / step)
    size = math.floor(upper / step) - first + 1
    return Domain(size, lambda i: first + i if whole else float((first + i) * step))


def _step(width: Fraction) -> Fraction:
    """A power of ten that a range has about a thousand of."""
    return Fraction(10) ** math.floor(math.log10(width / 1_000))


def _moments(column: Column) -> Domain:
    is_date = column.type is ColumnType.DATE
    step = timedelta(days=1) if is_date else timedelta(minutes=1)
    first: date = _FIRST.date() if is_date else _FIRST
    size = None
    if isinstance(column.lower, date) and isinstance(column.upper, date):
        first, size = column.lower, (column.upper - column.lower) // step + 1
    return Domain(size, lambda i: first + i * step)


def _texts(column: Column) -> Domain:
    """The name of the column, or of the field in JSON, with a number; short codes of letters where that is too long."""
    name = column.name if column.field is None else column.field.steps[-1]
    if column.longest >= len(name) + 12:
        return Domain(None, lambda i: f"{name}_{i + 1}")
    length = min(column.longest, _LONGEST)
    return Domain(len(_LETTERS) ** length, lambda i: _code(i, length))


def _code(number: int, length: int) -> str:
    return "".join(
        _LETTERS[number // len(_LETTERS) ** place % len(_LETTERS)] for place in reversed(range(length))
    )
