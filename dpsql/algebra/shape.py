"""The shape of a relation: its columns' facts, who owns its rows, and how many of them one unit can own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dpsql.algebra.expr import Column, Expr
from dpsql.algebra.facts import Fact, Facts
from dpsql.algebra.relation import Filter, Join, JoinKind, Relation, Scan, equalities, reads, scans
from dpsql.catalog import Catalog, TableInfo
from dpsql.functions import fact_rule, narrow


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a relation before it is read.

    `base` are the columns' facts at the scan, on which totality is proved, because an engine may evaluate an
    expression before a filter. `columns` are the facts of the rows that pass, on which ranges and sensitivities
    rest. `owner` is the scan of the private table, None for a public relation. One unit owns at most
    `table_rows * fan_out` rows; `table_rows` is None where nothing limits the rows of the table itself.
    """

    base: Mapping[Column, Fact]
    columns: Mapping[Column, Fact]
    owner: Scan | None
    table_rows: int | None
    fan_out: int

    @property
    def rows_per_unit(self) -> int | None:
        """The most rows that one unit provably owns."""
        return None if self.table_rows is None else self.table_rows * self.fan_out

    def facts(self) -> Facts:
        """Facts of expressions over the relation's rows."""
        return Facts(self.columns, fact_rule)

    def base_facts(self) -> Facts:
        """Facts of expressions that hold even before any filter."""
        return Facts(self.base, fact_rule)


def shape(relation: Relation, catalog: Catalog, above: tuple[Expr, ...] = ()) -> Shape:
    """The shape of a relation; `above` are conjuncts that every row of it will have to pass later."""
    if isinstance(relation, Scan):
        return _scan(relation, catalog)
    if isinstance(relation, Filter):
        source = shape(relation.source, catalog, above + relation.conjuncts)
        return _narrowed(source, relation.conjuncts)
    return _join(relation, catalog, above)


def _scan(scan: Scan, catalog: Catalog) -> Shape:
    info = table_of(scan, catalog)
    facts = {Column(scan.index, c.name, c.type): c.fact for c in info.columns}
    if info.public:
        return Shape(facts, facts, None, 0, 1)
    return Shape(facts, facts, scan, info.rows_per_unit, 1)


def table_of(scan: Scan, catalog: Catalog) -> TableInfo:
    """The table that is scanned."""
    info = catalog.table(scan.table)
    assert info is not None, "a scan names a table of the policy"
    return info


def _narrowed(source: Shape, predicates: tuple[Expr, ...]) -> Shape:
    columns = source.columns
    for p in predicates:
        columns = narrow(columns, p)
    return Shape(source.base, columns, source.owner, source.table_rows, source.fan_out)


def _join(join: Join, catalog: Catalog, above: tuple[Expr, ...]) -> Shape:
    known = join.on + above if join.kind is JoinKind.INNER else join.on
    left = shape(join.left, catalog, known if join.kind is JoinKind.INNER else ())
    right = shape(join.right, catalog, known)
    right_columns, right_base = dict(right.columns), dict(right.base)
    if join.kind is JoinKind.LEFT:
        right_columns = {c: f.or_null() for c, f in right_columns.items()}
        right_base = {c: f.or_null() for c, f in right_base.items()}
    owner = left.owner or right.owner
    private, inside, other = (
        (left, join.left, join.right) if right.owner is None else (right, join.right, join.left)
    )
    outside = frozenset(s.index for s in scans(inside))
    fan_out = private.fan_out * matches(other, known, outside, catalog)
    joined = Shape(
        {**left.base, **right_base}, {**left.columns, **right_columns}, owner, private.table_rows, fan_out
    )
    return _narrowed(joined, join.on) if join.kind is JoinKind.INNER else joined


def matches(public: Relation, predicates: tuple[Expr, ...], outside: frozenset[int], catalog: Catalog) -> int:
    """The most rows of a public relation that one row of the scans `outside` can be joined with (at least 1).

    Scans are taken one after another, and a scan's key may be fixed only by what was fixed before it: two public
    tables that fix each other's keys fix nothing.
    """
    product, fixed = 1, set(outside)
    for scan in scans(public):
        keys = {name for a, b in equalities(predicates) for name in _key(scan, fixed, a, b)}
        product *= max(1, catalog.public.fan_out(scan.table, tuple(sorted(keys))))
        fixed.add(scan.index)
    return product


def _key(scan: Scan, fixed: set[int], a: Expr, b: Expr) -> tuple[str, ...]:
    """The scan's column that an equality ties to values that are fixed already."""
    for this, other in ((a, b), (b, a)):
        if isinstance(this, Column) and this.scan == scan.index and reads(other) <= fixed:
            return (this.name,)
    return ()
