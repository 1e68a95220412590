"""One part of a release as one engine query: scan, bound, group, and exact sums of integers."""

from __future__ import annotations

from collections.abc import Iterator

from dpsql.algebra.canonical import digest
from dpsql.algebra.expr import Call, Column, Expr
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.relation import Filter, Join, Relation, Scan
from dpsql.algebra.shape import shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.catalog import Catalog
from dpsql.engines.base import EngineQuery
from dpsql.functions import fact_rule
from dpsql.plan.types import Bounding, Part, Release, Scores, Sum, Sums, Term
from dpsql.policy.model import Policy
from dpsql.rewrite.aggregate import Side, aggregated
from dpsql.rewrite.bounding import ORDER, Table, content_order, excess, heavy, light, listed, on_grid
from dpsql.rewrite.relation import TOTAL, UNIT, FromWhere, Rows, from_where, plain, public_rows, reference
from dpsql.scan import column_sql, quoted

_BITS = 62
_NUMBER = '"#n"'


def engine_query(release: Release, part: Part, policy: Policy, catalog: Catalog) -> EngineQuery:
    """The SQL of one part: the keys, then every term as two BIGINT columns (v >> 62, v & (2**62 - 1))."""
    return _Writer(release, part.bounding, policy, catalog, terms_of(part)).query()


def terms_of(part: Part) -> tuple[Term, ...]:
    """The distinct exact integers that a part needs, in the order of the query's columns."""
    if isinstance(part, Sums):
        return tuple(dict.fromkeys(t for f in part.families for t in f.terms))
    if isinstance(part, Scores):
        return (part.term,)
    return (Term(Sum.UNITS),)


class _Writer:
    def __init__(
        self, release: Release, bounding: Bounding, policy: Policy, catalog: Catalog, terms: tuple[Term, ...]
    ) -> None:
        self.relation = release.question.relation
        self.keys = release.keys.exprs
        self.bounding = bounding
        self.catalog = catalog
        found = shape(self.relation, catalog)
        assert found.owner is not None
        self.owner: Scan = found.owner
        self.fan_out = found.fan_out
        self.in_reach = sorted(found.base, key=lambda c: (c.scan, c.name))
        self.info = table_of(self.owner, catalog)
        self.table = Table(self.info, digest(policy.digest, self.info.name)[:16])
        self.total = Column(self.owner.index, TOTAL, SqlType.INTEGER)
        total_fact = Fact(SqlType.INTEGER, True, NATURAL[SqlType.INTEGER])
        self.base = Facts({**found.base, self.total: total_fact}, fact_rule)
        single = self.info.unit_key is None or found.rows_per_unit == 1
        self.terms = tuple(Term(Sum.ROWS, t.where) if single and t.sum is Sum.UNITS else t for t in terms)
        self.additive = all(t.sum not in (Sum.DISTINCT, Sum.UNITS) for t in self.terms)
        self.names = self._names()
        self.unchecked = self._unchecked()

    def query(self) -> EngineQuery:
        kept, dropped = self._sides()
        sides = [self._aggregate(kept)]
        lists = kept.source.lists
        if dropped is not None:
            keys = [f"k{i}" for i in range(len(self.keys))]
            negated = ", ".join([*keys, *(f"-g{i}" for i in range(len(self.terms)))])
            sides.append(f"SELECT {negated} FROM ({self._aggregate(dropped)})")
            lists += dropped.source.lists
        merged = len(sides) > 1 or bool(self.unchecked)
        outer = [self._checked(i) for i in range(len(self.keys))]
        outer += [
            half for i in range(len(self.terms)) for half in _halves(f"sum(g{i})" if merged else f"g{i}", i)
        ]
        group = (
            f" GROUP BY {', '.join(str(i + 1) for i in range(len(self.keys)))}"
            if merged and self.keys
            else ""
        )
        sql = f"SELECT {', '.join(outer)} FROM ({' UNION ALL '.join(sides)}){group}"
        return EngineQuery(sql, len(self.keys), len(self.terms), tuple(dict.fromkeys(lists)))

    def _aggregate(self, side: Side) -> str:
        return aggregated(self.keys, self.terms, self.base, side, self.bounding.total, self.total)

    def _sides(self) -> tuple[Side, Side | None]:
        """The rows to add up, and the rows among them that bounding drops, to be taken off again."""
        cap, limit = self.bounding.rows, self._listed_above()
        if cap is not None and limit == 0 and not self.bounding.table_cap:
            return self._numbered(self._plain(self.table.every), f"{_NUMBER} <= {cap}"), None
        if self.additive:
            return self._side(self._plain(self.names, self.unchecked)), self._dropped(cap, limit)
        if cap is not None:
            return self._light_and_heavy(cap, limit), None
        if limit is None:
            return self._side(self._plain(self.names)), None
        units = heavy(self.table, limit)
        few = light(plain(self.info, self.names, owned=True), units)
        columns = ", ".join([UNIT, *(quoted(n) for n in sorted(self.names))])
        kept = listed(units, f"{ORDER} <= {limit}")
        both = f"SELECT {columns} FROM ({few.sql}) UNION ALL SELECT {columns} FROM ({kept.sql})"
        return self._side(Rows(both, (units,))), None

    def _listed_above(self) -> int | None:
        """Units with more rows than this are listed; None where no row has to be dropped."""
        if self.bounding.rows is not None:
            return self.bounding.rows // self.fan_out
        return self.info.rows_per_unit if self.bounding.table_cap else None

    def _dropped(self, cap: int | None, limit: int | None) -> Side | None:
        if self.bounding.total is not None:
            return self._side(listed(excess(self.table, self.bounding.total)))
        if limit is None:
            return None
        units = heavy(self.table, limit)
        if cap is None or isinstance(self.relation, Scan):
            beyond = [str(c) for c in (cap, self._table_cap()) if c is not None]
            return self._side(listed(units, " OR ".join(f"{ORDER} > {c}" for c in beyond)))
        return self._numbered(listed(units), f"NOT ({self._is_kept(cap)})")

    def _table_cap(self) -> int | None:
        return self.info.rows_per_unit if self.bounding.table_cap else None

    def _is_kept(self, cap: int) -> str:
        """The condition on a numbered row of a listed unit: rows beyond the table's cap come last in its order."""
        own = self._table_cap()
        return f"{_NUMBER} <= {cap}" + (f" AND {ORDER} <= {own}" if own is not None else "")

    def _light_and_heavy(self, cap: int, limit: int | None) -> Side:
        assert limit is not None
        units = heavy(self.table, limit)
        few = self._from(light(plain(self.info, self.names, owned=True), units))
        many = self._numbered(listed(units), self._is_kept(cap))
        both = f"FROM (SELECT {self._flat_columns()} {few.sql} UNION ALL SELECT {self._flat_names()} {many.source.sql})"
        return Side(FromWhere(both, (*few.lists, *many.source.lists)), _flat, UNIT)

    def _numbered(self, rows: Rows, condition: str) -> Side:
        """The joined and filtered rows of each unit numbered in content order, and those that pass a condition."""
        source = self._from(rows)
        prefix = f"s{self.owner.index}."
        if rows.lists:
            others = [reference(c) for c in self.in_reach if c.scan != self.owner.index]
            order, extra = ", ".join([prefix + ORDER, *others]), f", {prefix}{ORDER} AS {ORDER}"
        else:
            order, extra = content_order([reference(c) for c in self.in_reach], self.table.salt), ""
        number = f"row_number() OVER (PARTITION BY {prefix}{UNIT} ORDER BY {order}) AS {_NUMBER}"
        numbered = f"SELECT {self._flat_columns()}{extra}, {number} {source.sql}"
        return Side(FromWhere(f"FROM ({numbered}) WHERE {condition}", source.lists), _flat, UNIT)

    def _flat_columns(self) -> str:
        chosen = [f"{reference(c)} AS {_flat(c)}" for c in self.in_reach if self._is_read(c)]
        return ", ".join([f"s{self.owner.index}.{UNIT} AS {UNIT}", *chosen])

    def _flat_names(self) -> str:
        return ", ".join([UNIT, *(_flat(c) for c in self.in_reach if self._is_read(c))])

    def _is_read(self, column: Column) -> bool:
        return column.scan != self.owner.index or column.name in self.names

    def _plain(self, names: frozenset[str], unchecked: frozenset[str] = frozenset()) -> Rows:
        if self.bounding.total is not None:
            return Rows(on_grid(self.table, names, self.bounding.total))
        return Rows(plain(self.info, names, owned=True, unchecked=unchecked))

    def _side(self, owned: Rows) -> Side:
        return Side(self._from(owned), reference, f"s{self.owner.index}.{UNIT}")

    def _from(self, owned: Rows) -> FromWhere:
        return from_where(
            self.relation, self.base, lambda s: owned if s == self.owner else public_rows(s, self.catalog)
        )

    def _names(self) -> frozenset[str]:
        """The owner's columns that the query reads."""
        return _owned_names((*self.keys, *self._row_expressions()), self.owner)

    def _row_expressions(self) -> tuple[Expr, ...]:
        terms = [e for t in self.terms for e in (t.where, t.arg) if e is not None]
        return (*_predicates(self.relation), *terms)

    def _unchecked(self) -> frozenset[str]:
        """Text columns that are only grouped by: their values are checked once a group, not once a row."""
        if not self.additive or self.bounding.total is not None:
            return frozenset()
        read = _owned_names(self._row_expressions(), self.owner)
        bare = {k.name for k in self.keys if isinstance(k, Column) and k.scan == self.owner.index}
        inside = _owned_names(tuple(k for k in self.keys if not isinstance(k, Column)), self.owner)
        texts = {c.name for c in self.info.columns if c.values is not None and c.type is SqlType.TEXT}
        return frozenset((bare & texts) - read - inside)

    def _checked(self, index: int) -> str:
        """A key of the outer query; the value of an unchecked one is looked up in its column's list here."""
        key = self.keys[index]
        if not isinstance(key, Column) or key.scan != self.owner.index or key.name not in self.unchecked:
            return f"k{index}"
        info = self.info.column(key.name)
        assert info is not None
        return f"{column_sql(info, f'k{index}')} AS k{index}"


def _flat(column: Column) -> str:
    return quoted(f"{column.scan}.{column.name}")


def _halves(value: str, index: int) -> Iterator[str]:
    """A sum as two BIGINT columns: HUGEINT does not survive the way into numpy."""
    value = f"CAST({value} AS HUGEINT)"
    yield f"CAST({value} >> {_BITS} AS BIGINT) AS h{index}"
    yield f"CAST({value} & {2**_BITS - 1}::HUGEINT AS BIGINT) AS l{index}"


def _owned_names(exprs: tuple[Expr, ...], owner: Scan) -> frozenset[str]:
    found: set[str] = set()
    stack: list[Expr] = list(exprs)
    while stack:
        node = stack.pop()
        if isinstance(node, Column) and node.scan == owner.index:
            found.add(node.name)
        elif isinstance(node, Call):
            stack.extend(node.args)
    return frozenset(found)


def _predicates(relation: Relation) -> Iterator[Expr]:
    if isinstance(relation, Filter):
        yield from relation.conjuncts
        yield from _predicates(relation.source)
    elif isinstance(relation, Join):
        yield from relation.on
        yield from _predicates(relation.left)
        yield from _predicates(relation.right)
