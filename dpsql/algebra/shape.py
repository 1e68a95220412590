"""The shape of a relation: its columns' facts, who owns its rows, and how many of them one unit can own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import assert_never

from dpsql.algebra.alike_rows import most_groups
from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.algebra.expressions import Column, Expr
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import fact_rule, narrow
from dpsql.algebra.ownership import unit_column, unit_type
from dpsql.algebra.per_unit_facts import measure_fact, window_fact
from dpsql.algebra.relations import (
    Filter,
    Join,
    JoinKind,
    Mark,
    PerUnit,
    Relation,
    Released,
    Scan,
    Source,
    Union,
    Windows,
    equalities,
    has_outer,
    passed,
    reads,
    sources,
)
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval
from dpsql.slotted import dataclass

# More rows of one unit than this are no bound that helps.
MOST_NUMBERED = 100_000


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a relation before it is read.

    `base` are the columns' facts at the scan, on which totality is proved, because an engine may evaluate an
    expression before a filter. `columns` are the facts of the rows that pass, on which ranges and sensitivities
    rest. `owner` is the private source whose unit owns the rows, None for a public relation. Each row of the owner
    stands in at most `fan_out` rows; one unit owns at most `table_rows` rows of the owner. Either is None where
    nothing limits it. `scans` are the tables whose columns the rows have. `relation` is what has this shape.
    """

    base: Mapping[Column, Fact]
    columns: Mapping[Column, Fact]
    owner: Source | None
    table_rows: int | None
    fan_out: int | None
    scans: tuple[Scan, ...] = ()
    relation: Relation | None = None
    _facts: Facts = field(init=False, repr=False, compare=False)
    _base_facts: Facts = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_facts", Facts(self.columns, fact_rule))
        object.__setattr__(self, "_base_facts", Facts(self.base, fact_rule))

    def scan(self, column: Column) -> Scan | None:
        """The scan of a table that a column comes from as it is, or None."""
        return next((s for s in self.scans if s.index == column.scan), None)

    @property
    def rows_per_unit(self) -> int | None:
        """The most rows that one unit provably owns."""
        return None if self.table_rows is None or self.fan_out is None else self.table_rows * self.fan_out

    def facts(self) -> Facts:
        """Facts of expressions over the relation's rows."""
        return self._facts

    def base_facts(self) -> Facts:
        """Facts of expressions that hold even before any filter."""
        return self._base_facts


def shape(relation: Relation, catalog: Catalog, above: tuple[Expr, ...] = ()) -> Shape:
    """The shape of a relation; `above` are conjuncts that every row of it will have to pass later."""
    if above and not isinstance(relation, Scan):  # a table has one shape, whatever its rows have to pass
        return _shape(relation, catalog, above)
    remembered = catalog.shapes.find(relation)
    if isinstance(remembered, Shape):
        return remembered
    computed = _shape(relation, catalog, above)
    catalog.shapes.keep(relation, computed)
    return computed


def capped_shape(shaped: Shape, catalog: Catalog) -> Shape | None:
    """The shape if no unit had more rows than the dataset's cap in what is aggregated unit by unit.

    Nothing makes this true: a value's range by it is one to clip to, not one that its values keep.
    """
    if catalog.cap is None or shaped.relation is None:
        return None
    return shape(shaped.relation, replace(catalog, assumed=catalog.cap))


def _shape(relation: Relation, catalog: Catalog, above: tuple[Expr, ...]) -> Shape:
    match relation:
        case Scan():
            return _scan(relation, catalog)
        case Filter():
            source = shape(relation.source, catalog, above + relation.conjuncts)
            return _narrowed(source, relation.conjuncts, relation)
        case Mark():
            return _marked(relation, shape(relation.source, catalog, above))
        case PerUnit():
            return _per_unit(relation, catalog)
        case Windows():
            return _windows(relation, catalog)
        case Union():
            return _union(relation, catalog)
        case Released():
            return _released(relation)
        case Join():
            return _join(relation, catalog, above)
        case _:
            assert_never(relation)


def _scan(scan: Scan, catalog: Catalog) -> Shape:
    info = table_of(scan, catalog)
    facts = {Column(scan.index, c.name, c.type): c.fact for c in info.columns}
    if info.public:
        return Shape(facts, facts, None, 0, 1, (scan,), scan)
    return Shape(facts, facts, scan, info.rows_per_unit, 1, (scan,), scan)


def table_of(scan: Scan, catalog: Catalog) -> TableInfo:
    """The table that is scanned."""
    info = catalog.table(scan.table)
    assert info is not None, "a scan names a table of the policy"
    return info


def _marked(mark: Mark, source: Shape) -> Shape:
    fact = {mark.column: Fact(SqlType.BOOLEAN, mark.arg is not None)}
    base, columns = {**source.base, **fact}, {**source.columns, **fact}
    return replace(source, base=base, columns=columns, relation=mark)


def _per_unit(node: PerUnit, catalog: Catalog) -> Shape:
    """One row for each unit and group: of no keys one, else no more than the source has rows, or than its keys have
    combinations."""
    source = shape(node.source, catalog)
    assert source.owner is not None
    facts, rows = source.facts(), source.rows_per_unit
    most = rows if rows is not None else catalog.assumed
    found = {unit_column(node.index, unit_type(node, catalog)): _owner_fact(unit_type(node, catalog))}
    found |= {node.measure(i): measure_fact(m, facts, most) for i, m in enumerate(node.measures)}
    before = source.base_facts()  # an engine may compute what is said of a key before the filters inside
    base = found | {node.key(i): before.of(k) for i, k in enumerate(node.keys)}
    columns = found | {node.key(i): facts.of(k) for i, k in enumerate(node.keys)}
    groups = most_groups(node.keys, node.source, facts, catalog)
    most_rows = min((n for n in (rows, groups) if n is not None), default=None)
    return Shape(base, columns, node, most_rows, 1, relation=node)


def _windows(node: Windows, catalog: Catalog) -> Shape:
    """As many rows as the source has; of a row that is left out nothing is computed any more."""
    source = shape(node.source, catalog)
    assert source.owner is not None
    facts, before, rows = source.facts(), source.base_facts(), source.rows_per_unit
    kind = unit_type(node, catalog)
    base = {unit_column(node.index, kind): _owner_fact(kind)}
    base |= {node.column(i): before.of(e) for i, e in enumerate(node.outputs)}
    most = rows if rows is not None else catalog.assumed
    base |= {node.window(i): window_fact(w, facts, most) for i, w in enumerate(node.windows)}
    columns = base | {node.column(i): facts.of(e) for i, e in enumerate(node.outputs)}
    return Shape(base, columns, node, rows, 1, relation=node)


def _owner_fact(kind: SqlType) -> Fact:
    """Rows without an owner are left out, so that an owner is never NULL."""
    return Fact(kind, False, NATURAL.get(kind))


def _union(node: Union, catalog: Catalog) -> Shape:
    """One unit owns at most what it owns in all branches together; a column's fact covers every branch."""
    shapes = [shape(b.relation, catalog) for b in node.branches]
    columns = {unit_column(node.index, unit_type(node, catalog)): _owner_fact(unit_type(node, catalog))}
    base = dict(columns)
    for i in range(len(node.branches[0].outputs)):
        pairs = list(zip(shapes, node.branches, strict=True))
        columns[node.column(i)] = _covering([s.facts().of(b.outputs[i]) for s, b in pairs])
        base[node.column(i)] = _covering([s.base_facts().of(b.outputs[i]) for s, b in pairs])
    rows = [s.rows_per_unit for s in shapes]
    counts = [r for r in rows if r is not None]
    most = sum(counts) if len(counts) == len(rows) else None
    return Shape(base, columns, node, most, 1, relation=node)


def _released(node: Released) -> Shape:
    """Public rows; a released value can be NULL."""
    facts = {node.column(i): Fact(c.type, True, c.interval) for i, c in enumerate(node.columns)}
    return Shape(facts, facts, None, 0, 1, relation=node)


def _covering(facts: list[Fact]) -> Fact:
    intervals = [f.interval for f in facts if f.interval is not None]
    interval = Interval(min(i.lo for i in intervals), max(i.hi for i in intervals)) if intervals else None
    return Fact(facts[0].type, any(f.nullable for f in facts), interval)


def _narrowed(source: Shape, predicates: tuple[Expr, ...], relation: Relation) -> Shape:
    """The shape of a relation whose rows are those of a source that pass predicates."""
    columns = source.columns
    for p in predicates:
        columns = narrow(columns, p)
    found = replace(source, columns=columns, relation=relation)
    return found if not isinstance(source.owner, Windows) else _numbered(found, source.owner)


def _numbered(source: Shape, owner: Windows) -> Shape:
    """Where a unit's rows are numbered, no two have one number: only so many are left as there are numbers."""
    left = [i.width + 1 for c in owner.numbers if (i := source.columns[c].interval) is not None]
    known = [int(n) for n in left if n <= MOST_NUMBERED] + (
        [] if source.table_rows is None else [source.table_rows]
    )
    return replace(source, table_rows=min(known, default=None))


def _join(join: Join, catalog: Catalog, above: tuple[Expr, ...]) -> Shape:
    inner = join.kind is JoinKind.INNER
    conditions = join.on + above if inner else join.on
    left = shape(
        join.left, catalog, conditions if inner else above
    )  # an outer join passes on each row of its left side
    right = shape(join.right, catalog, conditions)
    right_columns, right_base = dict(right.columns), dict(right.base)
    if not inner:
        right_columns = {c: f.or_null() for c, f in right_columns.items()}
        right_base = {c: f.or_null() for c, f in right_base.items()}
    owner, table_rows, fan_out = _multiplicity(join, left, right, conditions, catalog)
    base, columns = {**left.base, **right_base}, {**left.columns, **right_columns}
    joined = Shape(base, columns, owner, table_rows, fan_out, (*left.scans, *right.scans), join)
    return _narrowed(joined, join.on, join) if inner else joined


# A source of the owner's rows, how many one unit has, and in how many rows each of them stands.
_Owned = tuple[Source | None, int | None, int | None]


def _multiplicity(join: Join, left: Shape, right: Shape, known: tuple[Expr, ...], catalog: Catalog) -> _Owned:
    """The owner of the joined rows: of two private sides the one whose rows are multiplied least."""
    if left.owner is None and right.owner is None:
        return None, 0, 1
    if right.owner is None:
        return _times(left, _matches(join.right, join.left, known, catalog))
    if left.owner is None:
        return _times(right, _matches(join.left, join.right, known, catalog))
    by_left = _times(left, private_matches(join.right, right, _indexes(join.left), known, catalog))
    if join.kind is not JoinKind.INNER:
        return by_left
    by_right = _times(right, private_matches(join.left, left, _indexes(join.right), known, catalog))
    return min((by_left, by_right), key=lambda owned: (owned[2] is None, owned[2] or 0))


def _times(side: Shape, matched: int | None) -> _Owned:
    fan_out = None if matched is None or side.fan_out is None else side.fan_out * matched
    return side.owner, side.table_rows, fan_out


def _indexes(relation: Relation) -> frozenset[int]:
    return frozenset(s.index for s in sources(relation))


def _matches(public: Relation, private: Relation, known: tuple[Expr, ...], catalog: Catalog) -> int | None:
    return matches(public, known, _indexes(private), catalog)


def private_matches(
    relation: Relation, side: Shape, outside: frozenset[int], known: tuple[Expr, ...], catalog: Catalog
) -> int | None:
    """The most rows of a private side, of one unit, that one row of the sources `outside` can be joined with.

    A table is matched at most once along a unique key, which what is matched before it may hold; and there are no more
    rows than the unit has.
    """
    counts = [side.rows_per_unit]
    if not has_outer(relation):
        counts.append(_one_by_one(relation, outside, known + passed(relation, joins=True), catalog))
    return min((n for n in counts if n is not None), default=None)


def _one_by_one(
    relation: Relation, outside: frozenset[int], known: tuple[Expr, ...], catalog: Catalog
) -> int | None:
    """The product of the matches of each source, the next one always that which is matched least."""
    left, fixed, product = list(sources(relation)), outside, 1
    while left:
        counts = [_source_matches(s, fixed, known, catalog) for s in left]
        at = min(range(len(left)), key=lambda i: (counts[i] is None, counts[i] or 0))
        least = counts[at]
        if least is None:
            return None
        product *= max(1, least)
        fixed |= {left.pop(at).index}
    return product


def _source_matches(
    source: Source, outside: frozenset[int], known: tuple[Expr, ...], catalog: Catalog
) -> int | None:
    """The most rows of one source, of one unit or public, that one row of the sources `outside` can be joined with."""
    shaped = shape(source, catalog)
    if shaped.owner is None:
        return matches(source, known, outside, catalog)
    fixed = {name for a, b in equalities(known) for name in _fixed(source, outside, a, b)}
    if isinstance(source, Scan) and table_of(source, catalog).unique & fixed:
        return 1
    if isinstance(source, PerUnit) and {f"k{i}" for i in range(len(source.keys))} <= fixed:
        return 1
    return shaped.rows_per_unit


def _fixed(relation: Relation, outside: frozenset[int], a: Expr, b: Expr) -> tuple[str, ...]:
    """The column of a source that an equality ties to values of other sources."""
    if not isinstance(relation, Scan | PerUnit | Released):
        return ()
    for this, other in ((a, b), (b, a)):
        if isinstance(this, Column) and this.scan == relation.index and reads(other) <= outside:
            return (this.name,)
    return ()


def matches(
    public: Relation, predicates: tuple[Expr, ...], outside: frozenset[int], catalog: Catalog
) -> int | None:
    """The most rows of a public relation that one row of the sources `outside` can be joined with (at least 1).

    Sources are taken one after another, and the key of one may be fixed only by what was fixed before it: two public
    tables that fix each other's keys fix nothing. None where the rows of a released table cannot be counted.
    """
    product, fixed = 1, set(outside)
    for source in sources(public):
        keys = {n for a, b in equalities(predicates) for n in _fixed(source, frozenset(fixed), a, b)}
        if isinstance(source, Released):
            if source.key is None or not source.key <= keys:
                if source.rows is None:
                    return None
                product *= max(1, source.rows)
        else:
            assert isinstance(source, Scan)
            product *= max(1, catalog.public.fan_out(source.table, tuple(sorted(keys))))
        fixed.add(source.index)
    return product
