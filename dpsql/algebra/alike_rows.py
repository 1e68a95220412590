"""What is the same in all rows of one unit, and how many values an expression can have: how many groups a unit touches.

A table with one row for each unit, as declared and verified, gives all rows of a unit the same values where it is
joined for certain. So does a public table along a unique key that such values fix, and a column that is declared to be
the policy's partition. An outer join breaks this where anything else than the unit's key decides what matches: then
one row of the unit has the value and another one NULL. Unions and marks are not looked into.
"""

from __future__ import annotations

from math import ceil, floor

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr, columns_of
from dpsql.algebra.facts import Facts
from dpsql.algebra.ownership import private_sources, ties, unmatched
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Union,
    Windows,
    equalities,
    passed,
    sources,
)
from dpsql.algebra.types import SqlType

_COUNTABLE = frozenset({SqlType.INTEGER, SqlType.DATE})


def is_alike(exprs: tuple[Expr, ...], relation: Relation, catalog: Catalog) -> bool:
    """Whether each of the expressions has one value, or NULL, in all rows of a unit."""
    if not any(columns_of(e) for e in exprs):
        return True
    same = _Alike(relation, catalog)
    return all(same.holds(e) for e in exprs)


class _Alike:
    """The sources of a relation whose columns are the same in all rows of a unit."""

    def __init__(self, relation: Relation, catalog: Catalog) -> None:
        self.catalog = catalog
        self.scans = {s.index: s for s in sources(relation) if isinstance(s, Scan)}
        self.outer = frozenset(unmatched(relation))
        self.whole = set(_whole(relation, catalog))
        pairs = tuple(equalities(passed(relation, joins=True)))
        while found := [s.index for s in self._public() if self._is_fixed(s, pairs)]:
            self.whole |= set(found)

    def holds(self, expr: Expr) -> bool:
        """Whether an expression reads nothing but such columns."""
        return all(c.scan in self.whole or self._is_partition(c) for c in columns_of(expr))

    def _is_partition(self, column: Column) -> bool:
        """Whether the policy declares a column to have one value in all rows of a unit; a padded row has another."""
        scan = self.scans.get(column.scan)
        info = self.catalog.table(scan.table) if scan is not None else None
        if info is None or info.public or column.scan in self.outer:
            return False
        declared = info.column(column.name)
        return declared is not None and declared.partition

    def _public(self) -> list[Scan]:
        """The public tables that every row has a row of, and of which nothing is known yet."""
        return [
            s
            for s in self.scans.values()
            if s.index not in self.whole and s.index not in self.outer and _is_public(s, self.catalog)
        ]

    def _is_fixed(self, scan: Scan, pairs: tuple[tuple[Expr, Expr], ...]) -> bool:
        """Whether equalities with what is the same leave one row of a public table."""
        sides = [*pairs, *((b, a) for a, b in pairs)]
        fixed = {a.name for a, b in sides if isinstance(a, Column) and a.scan == scan.index and self.holds(b)}
        return bool(fixed) and self.catalog.public.fan_out(scan.table, tuple(sorted(fixed))) <= 1


def _is_public(scan: Scan, catalog: Catalog) -> bool:
    info = catalog.table(scan.table)
    return info is not None and info.public


def _whole(relation: Relation, catalog: Catalog) -> frozenset[int]:
    """The private sources with one row of a unit that stands beside all of its rows, or beside none."""
    match relation:
        case Scan():
            return frozenset({relation.index} if _has_one_row(relation, catalog) else ())
        case PerUnit():
            return frozenset(() if relation.keys else {relation.index})
        case Filter() | Mark():
            return _whole(relation.source, catalog)
        case Join():
            left = _whole(relation.left, catalog)
            if relation.kind is JoinKind.INNER:
                return left | _whole(relation.right, catalog)
            return left | _whole(relation.right, catalog) if _by_unit_alone(relation, catalog) else left
        case Windows() | Union() | Released():
            return frozenset()


def _has_one_row(scan: Scan, catalog: Catalog) -> bool:
    """Whether no unit has two rows in a table: what is declared and verified, not what a cap leaves."""
    info = catalog.table(scan.table)
    return info is not None and not info.public and catalog.policy(scan.table).one_row_per_unit


def _by_unit_alone(join: Join, catalog: Catalog) -> bool:
    """Whether an outer join matches a table by the unit's key and by nothing else: all rows of a unit, or none."""
    right = join.right
    if not isinstance(right, Scan) or len(join.on) != 1 or join.kind is not JoinKind.LEFT:
        return False
    info = catalog.table(right.table)
    if info is None or info.unit_key is None:
        return False
    key, owner = info.unit_key.lower(), private_sources(join.left, catalog)[0]
    left, outer = ties(join.left, catalog), frozenset(unmatched(join.left))
    for a, b in equalities(join.on):
        for own, other in ((a, b), (b, a)):
            if isinstance(own, Column) and own.scan == right.index and own.name.lower() == key:
                return isinstance(other, Column) and other.scan not in outer and left.own(owner, other)
    return False


def most_groups(keys: tuple[Expr, ...], relation: Relation, facts: Facts, catalog: Catalog) -> int | None:
    """The most combinations of keys that the rows of one unit can have, a value or NULL each; None for no limit."""
    tables = {s.index: s for s in sources(relation) if isinstance(s, Scan)}
    same, most = _Alike(relation, catalog), 1
    for key in dict.fromkeys(keys):
        if not same.holds(key):
            values = most_values(key, tables, facts, catalog)
            if values is None:
                return None
            most *= values + 1
    return most


def most_values(expr: Expr, tables: dict[int, Scan], facts: Facts, catalog: Catalog) -> int | None:
    """The most values that an expression can have, NULL not among them; None where nothing limits them.

    What is not on a column's list is NULL after the scan, and what is beyond its bounds is clamped there.
    """
    if isinstance(expr, Column):
        listed = _listed(expr, tables, catalog)
        found = [] if listed is None else [listed]
    else:
        parts = [most_values(c, tables, facts, catalog) for c in columns_of(expr)]
        numbers = [p + 1 for p in parts if p is not None]
        found = [_product(numbers)] if len(numbers) == len(parts) else []
    if expr.type is SqlType.BOOLEAN:
        found.append(2)
    if expr.type in _COUNTABLE and (interval := facts.of(expr).interval) is not None:
        found.append(floor(interval.hi) - ceil(interval.lo) + 1)
    return max(0, min(found)) if found else None


def _listed(column: Column, tables: dict[int, Scan], catalog: Catalog) -> int | None:
    """How many values the policy lists for a column, or how many rows a public table has."""
    scan = tables.get(column.scan)
    info = catalog.table(scan.table) if scan is not None else None
    if scan is None or info is None:
        return None
    if info.public:
        return catalog.public.fan_out(scan.table, ())
    declared = info.column(column.name)
    return len(set(declared.values)) if declared is not None and declared.values is not None else None


def _product(numbers: list[int]) -> int:
    most = 1
    for n in numbers:
        most *= n
    return most
