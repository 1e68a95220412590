"""Small random databases that satisfy a policy's declared facts and are full of values at which something ends.

A seed gives the same database for good: nothing private is drawn here, so that `random` will do.
"""

from __future__ import annotations

import random
from dataclasses import field, replace
from pathlib import Path

from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.made_up.made_up_tables import parents_first
from dpsql.algebra.types import sql_type
from dpsql.audit.databases.heavy_units import spent
from dpsql.audit.databases.values import Pool, key_pool, pool, source_types
from dpsql.audit.queries.schema_view import KINDS, View
from dpsql.engines.generated.json_texts import as_stored
from dpsql.engines.generated.source_files import write_source
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.policy.model import Column, Policy, Table, UnitPath
from dpsql.privacy import Neighbours
from dpsql.slotted import dataclass

# A row is text, column by column, which DuckDB casts to the source's type; None is NULL.
Row = tuple[str | None, ...]
_NULL = 0.15
_ELSEWHERE = 0.25
_ALIKE = 0.15
_POOR = 0.4


@dataclass(frozen=True, slots=True)
class Plan:
    """How the rows of a private table are drawn: its columns without the unit key, their source types and values.

    `alike` are the places of columns in which all rows have one value, or none.
    """

    table: Table
    columns: tuple[Column, ...]
    types: tuple[str, ...]
    pools: tuple[Pool, ...]
    alike: tuple[tuple[int, str | None], ...] = ()

    def row(self, draw: random.Random, edge: float) -> Row:
        """A row whose values are edge values with probability `edge` each."""
        values = [_value(c, p, draw, edge) for c, p in zip(self.columns, self.pools, strict=True)]
        for at, value in self.alike:
            values[at] = value
        return tuple(values)

    def unit(self, draw: random.Random, edge: float, links: Links, unit: str) -> tuple[Row, ...]:
        """The rows of one unit: one, few or many; all alike, or a few kinds repeated, or all different.

        Unique columns get values of their own, foreign keys those of the unit's rows in the table that they lead to,
        and values of columns with a total mostly add up to about that, where anything is at the edge at all.
        """
        rows = self._unit(draw, edge, links, unit)
        rows = self._spent(rows, draw) if edge else rows
        return tuple(links.tied(self, row, unit, draw) for row in rows)

    def _spent(self, rows: tuple[Row, ...], draw: random.Random) -> tuple[Row, ...]:
        """The rows with values that meet the totals of their columns, and copies of rows where these are too few."""
        alone = self.table.one_row_per_unit or self.table.row_is_unit
        for at, (column, raw) in enumerate(zip(self.columns, self.types, strict=True)):
            values = spent(column, raw, tuple(row[at] for row in rows), not alone, draw)
            rows = (*rows, *(draw.choice(rows) for _ in range(len(values) - len(rows))))
            rows = tuple((*r[:at], v, *r[at + 1 :]) for r, v in zip(rows, values, strict=True))
        return rows

    def _unit(self, draw: random.Random, edge: float, links: Links, unit: str) -> tuple[Row, ...]:
        if self.table.unit_path is not None and not links.targets(self.table.unit_path, unit):
            return ()
        if self.table.one_row_per_unit or self.table.row_is_unit:
            return (self.row(draw, edge),)
        count = draw.choice((1, 1, 2, 3, 5, 8, 14))
        kinds = [self.row(draw, edge) for _ in range(draw.choice((1, 2, count)))]
        if len(kinds) < count:
            return tuple(draw.choice(kinds) for _ in range(count))
        return tuple(kinds[:count])


def _value(column: Column, values: Pool, draw: random.Random, edge: float) -> str | None:
    if column.nullable and draw.random() < _NULL:
        return None
    return draw.choice(values.edges if draw.random() < edge else values.plain)


@dataclass(slots=True)
class Links:
    """The values of unique columns: which of them each unit's rows have, and fresh ones.

    `homes` are the units' parts of the partition: a listed value, or None for all others.
    """

    unique: frozenset[tuple[str, str]]
    owned: dict[tuple[str, str, str], list[str]] = field(default_factory=dict)
    last: int = 1_000
    homes: dict[str, str | None] = field(default_factory=dict)

    @classmethod
    def of(cls, policy: Policy) -> Links:
        """No links yet, under a policy whose paths say which columns are unique."""
        paths = [t.unit_path for t in policy.tables if t.unit_path is not None]
        return cls(frozenset((p.table, p.key) for p in paths))

    def targets(self, path: UnitPath, unit: str) -> list[str]:
        """The keys to which rows of the unit can lead."""
        return self.owned.get((path.table, path.key, unit), [])

    def fresh(self) -> str:
        """A value that no row has; at both ends of the integers now and then."""
        self.last += 1
        return str(self.last if self.last % 5 else (-(2**63) + self.last))

    def tied(self, plan: Plan, row: Row, unit: str | None, draw: random.Random) -> Row:
        """The row with its unique values and its foreign key."""
        table, values = plan.table, list(row)
        for i, column in enumerate(plan.columns):
            if (table.name, column.name) in self.unique:
                values[i] = self.fresh()
                if unit is not None:
                    self.owned.setdefault((table.name, column.name, unit), []).append(str(values[i]))
            if table.unit_path is not None and column.name == table.unit_path.column:
                known = self.targets(table.unit_path, unit) if unit is not None else []
                values[i] = draw.choice(known) if known else draw.choice((None, self.fresh()))
            if column.partition and unit is not None:
                values[i] = self._at_home(column, plan.pools[i], unit, draw)
        return tuple(values)

    def _at_home(self, column: Column, values: Pool, unit: str, draw: random.Random) -> str | None:
        """A value of the partition's column that belongs to the unit's part."""
        others = [*(v for v in values.edges if v not in values.plain), *([None] if column.nullable else [])]
        if unit not in self.homes:
            elsewhere = bool(others) and draw.random() < _ELSEWHERE
            self.homes[unit] = None if elsewhere else draw.choice(values.plain)
        home = self.homes[unit]
        return home if home is not None else draw.choice(others)

    def without(self, unit: str) -> None:
        """Forgets what a unit's rows have."""
        self.homes.pop(unit, None)
        self.owned = {key: values for key, values in self.owned.items() if key[2] != unit}


@dataclass(frozen=True, slots=True)
class Filled:
    """A private table with rows: (unit, row) pairs, the unit being the text of its key or None without an owner."""

    plan: Plan
    rows: tuple[tuple[str | None, Row], ...]


@dataclass(frozen=True, slots=True)
class Database:
    """The private tables of a policy, filled."""

    policy: Policy
    tables: tuple[Filled, ...]
    links: Links

    @property
    def units(self) -> tuple[str, ...]:
        """Every unit that owns a row."""
        return tuple(sorted({u for filled in self.tables for u, _ in filled.rows if u is not None}))

    @property
    def size(self) -> int:
        """The number of rows."""
        return sum(len(filled.rows) for filled in self.tables)

    @property
    def substitute(self) -> bool:
        """Whether neighbours have another unit's rows in the place of one unit's."""
        return self.policy.privacy.neighbours is Neighbours.SUBSTITUTE


@dataclass(frozen=True, slots=True)
class Style:
    """How databases are made.

    `types` gives columns of a table called that name their source's types; None draws some unusual ones. `plain`
    leaves out edge values, so that no bound bites.
    """

    types: tuple[tuple[str, str], ...] | None = None
    plain: bool = False


def random_database(policy: Policy, view: View, style: Style, draw: random.Random) -> Database:
    """Units with few rows and some with many, with ties and duplicate rows; a few rows without an owner."""
    edge = 0.0 if style.plain else draw.choice((0.2, 0.5, 0.9))
    links = Links.of(policy)
    plans = [_plan(t, view, style, links.unique, draw) for t in parents_first(policy)]
    units = _units(plans, style, draw)
    return Database(policy, tuple(_filled(plan, units, style, draw, edge, links) for plan in plans), links)


def _plan(
    table: Table, view: View, style: Style, unique: frozenset[tuple[str, str]], draw: random.Random
) -> Plan:
    path = table.unit_path
    keys = frozenset(n for t, n in unique if t == table.name) | ({path.column} if path is not None else set())
    columns = tuple(c for c in table.columns if c.name != table.unit_key)
    pools = [pool(c, _joinable(c, view)) for c in columns]
    types = [_type(table, c, p, style, keys, draw) for c, p in zip(columns, pools, strict=True)]
    fitting = tuple(p.fitting(t) for p, t in zip(pools, types, strict=True))
    return Plan(table, columns, tuple(types), fitting, _alike(columns, fitting, style, draw))


def _alike(
    columns: tuple[Column, ...], pools: tuple[Pool, ...], style: Style, draw: random.Random
) -> tuple[tuple[int, str | None], ...]:
    """Columns of one value, or none, in some databases: an engine that knows it may rewrite what is said of them.

    All else that a seed draws stays as it is.
    """
    apart = random.Random()
    apart.setstate(draw.getstate())
    if style.plain or apart.random() > _ALIKE:
        return ()
    values = [None if c.nullable else apart.choice(p.edges) for c, p in zip(columns, pools, strict=True)]
    return tuple((i, value) for i, value in enumerate(values) if apart.random() < _POOR)


def _joinable(column: Column, view: View) -> tuple[LiteralValue, ...]:
    """Values of public columns that a query may join the column to, or of the one that it references."""
    if (reference := column.references) is not None:
        keys = (c for t in view.publics if t.name == reference.table for c in t.columns)
        return tuple(v for c in keys if c.name.lower() == reference.column.lower() for v in c.values)
    kind = KINDS[sql_type(column.type)]
    same = [c for t in view.publics for c in t.columns if c.kind == kind]
    named = [c for c in same if c.name.lower() == column.name.lower()]
    return tuple(v for c in named or same for v in c.values[:6])


def _type(
    table: Table, column: Column, values: Pool, style: Style, keys: frozenset[str], draw: random.Random
) -> str:
    if style.types is not None:
        return dict(style.types).get(column.name, ENGINE_TYPE[column.type])
    if column.name in keys or column.partition or column.field is not None:
        return ENGINE_TYPE[column.type]
    types = source_types(column, values, table.source.kind)
    return draw.choice(types) if draw.random() < 0.1 else types[0]


def _units(plans: list[Plan], style: Style, draw: random.Random) -> tuple[str, ...]:
    keys = [c for p in plans for c in p.table.columns if c.name == p.table.unit_key]
    if not keys:
        return tuple(str(i) for i in range(draw.randint(2, 9 if not style.plain else 22)))
    shared = set.intersection(*(set(key_pool(c)) for c in keys))
    usable = [v for v in key_pool(keys[0]) if v in shared]
    if style.plain:
        return tuple(usable[: draw.randint(3, 22)])
    return tuple(draw.sample(usable, min(draw.randint(2, 9), len(usable))))


def _filled(
    plan: Plan, units: tuple[str, ...], style: Style, draw: random.Random, edge: float, links: Links
) -> Filled:
    table = plan.table
    rows: list[tuple[str | None, Row]] = []
    for unit in units:
        if len(units) > 2 and not style.plain and draw.random() < 0.1:
            continue  # in some other table, or a unit that never was
        rows += [(unit, row) for row in plan.unit(draw, edge, links, unit)]
    if table.row_is_unit:
        repeated = [row for _, row in rows for _ in range(1 if style.plain else draw.choice((1, 1, 3)))]
        rows = [(str(i), row) for i, row in enumerate(repeated)]
    elif not style.plain and draw.random() < 0.3:
        rows += [(None, links.tied(plan, plan.row(draw, edge), None, draw)) for _ in range(3)]
    draw.shuffle(rows)
    return Filled(plan, tuple(rows))


def stored(database: Database, folder: Path, draw: random.Random | None = None) -> Policy:
    """Writes the private tables to a folder; the policy with its sources there, and its ledger.

    With `draw`, the rows and columns of each source stand in another order.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = {}
    for i, filled in enumerate(database.tables):
        table = filled.plan.table
        columns, rows = as_stored(table, *_source(filled))
        order = list(range(len(columns)))
        if draw is not None:
            draw.shuffle(rows)
            draw.shuffle(order)
        source = write_source(
            table.source, folder / f"table{i}", [columns[n] for n in order], [[r[n] for n in order] for r in rows]
        )  # fmt: skip
        written[table.name] = replace(table, source=source)
    tables = tuple(written.get(t.name, t) for t in database.policy.tables)
    return replace(database.policy, path=folder / "policy.yaml", tables=tables)


def _source(filled: Filled) -> tuple[list[tuple[str, str]], list[list[str | None]]]:
    """The columns and rows of a table as its source has them."""
    plan, table = filled.plan, filled.plan.table
    columns = [(c.name, t) for c, t in zip(plan.columns, plan.types, strict=True)]
    key = table.column(table.unit_key) if table.unit_key is not None else None
    if key is None:
        return columns, [list(row) for _, row in filled.rows]
    return [(key.name, ENGINE_TYPE[key.type]), *columns], [[u, *row] for u, row in filled.rows]


def neighbour(database: Database, draw: random.Random) -> Database:
    """The database without one unit, mostly the one with the most rows, or with other rows in that unit's place."""
    units = database.units
    if not units:
        return database
    sizes = {u: sum(v == u for f in database.tables for v, _ in f.rows) for u in units}
    unit = max(units, key=lambda u: sizes[u]) if draw.random() < 0.6 else draw.choice(units)
    edge = draw.choice((0.0, 0.5, 1.0))
    links = replace(database.links, owned=dict(database.links.owned), homes=dict(database.links.homes))
    links.without(unit)
    database = replace(database, links=links)
    return replace(database, tables=tuple(_without(f, unit, database, draw, edge) for f in database.tables))


def _without(filled: Filled, unit: str, database: Database, draw: random.Random, edge: float) -> Filled:
    rows = tuple((u, row) for u, row in filled.rows if u != unit)
    if database.substitute and (len(database.tables) == 1 or draw.random() < 0.8):
        rows += tuple((unit, row) for row in filled.plan.unit(draw, edge, database.links, unit))
    return replace(filled, rows=rows)
