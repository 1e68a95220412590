"""The policy's tables as relations of a system catalog, with OIDs that depend on the policy alone.

OIDs follow the order of the policy from 16384 on; those of system tables are lower, as in PostgreSQL. PostgreSQL's own
catalogs have the OIDs that they have there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import CATALOG, MAIN
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.declarations import Declared, catalog_tables
from dpsql.sql.system_tables.pg_columns import CLASSES, INFORMATION_SCHEMA, MAIN_SCHEMA, PG_CATALOG
from dpsql.sql.system_tables.pg_types import PgType, modifier, pg_type_of, pg_types, row_type, types_by_name
from dpsql.sql.system_tables.reports import ForeignKey, TableReport, table_reports
from dpsql.sql.system_tables.system_context import Client, SystemContext

_FIRST_OF_POLICY: Final = 16384
_FIRST_OF_SYSTEM: Final = 13000
_FIRST_INDEX: Final = 24576
_FIRST_CONSTRAINT: Final = 32768
_FIRST_SCHEMA: Final = 12000
_FIRST_CATALOG: Final = 12100
_FIRST_ROW_TYPE: Final = 10000
_FIRST_OWN_ROW_TYPE: Final = 1 << 20
_MOST_COLUMNS: Final = 16
_KNOWN_SCHEMAS: Final = (
    ("pg_catalog", PG_CATALOG),
    ("information_schema", INFORMATION_SCHEMA),
    (MAIN, MAIN_SCHEMA),
)
_ROW_TYPES: Final = MappingProxyType({"pg_type": 71, "pg_attribute": 75, "pg_proc": 81, "pg_class": 83})
_STORED_VIEWS: Final = frozenset({"sql_features", "sql_implementation_info", "sql_parts", "sql_sizing"})
"""The tables of information_schema that are no views."""
_MAY_BE_NULL: Final = frozenset({"text", "anyarray", "pg_node_tree", "timestamptz"})


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its ordinal position, its type in DuckDB and in PostgreSQL, whether it may be NULL, its comment."""

    number: int
    name: str
    type: str
    pg_type: PgType
    modifier: int
    nullable: bool
    comment: str | None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A declared key: its OID and name, the positions of its columns, and what a foreign key refers to."""

    oid: int
    name: str
    columns: tuple[int, ...]
    refers_to: int = 0
    referred: tuple[int, ...] = ()

    @property
    def is_primary(self) -> bool:
        """Whether it is a table's own key."""
        return not self.refers_to

    @property
    def kind(self) -> str:
        """Its name in SQL."""
        return "PRIMARY KEY" if self.is_primary else "FOREIGN KEY"


@dataclass(frozen=True, slots=True)
class Relation:
    """A table that a query may name. `row_type` is the type of its rows."""

    oid: int
    report: TableReport
    schema: int
    attributes: tuple[Attribute, ...]
    row_type: PgType
    key: Constraint | None = None
    foreign: tuple[Constraint, ...] = ()

    @property
    def name(self) -> str:
        """Its name without its schema."""
        return self.report.name

    @property
    def kind(self) -> str:
        """PostgreSQL's relkind: r for a table, v for a system table, which is made at each reading."""
        stored = self.oid in CLASSES.values() or self.name in _STORED_VIEWS
        return "v" if self.report.system and not stored else "r"

    @property
    def index(self) -> int:
        """The OID of the index of the primary key, or 0."""
        return _FIRST_INDEX + self.oid - _FIRST_OF_POLICY if self.key is not None else 0

    @property
    def keys(self) -> tuple[Constraint, ...]:
        """Its own key, then those to other tables."""
        return self.foreign if self.key is None else (self.key, *self.foreign)

    def named(self, numbers: tuple[int, ...]) -> tuple[str, ...]:
        """The names of columns by their ordinal positions."""
        return tuple(self.attributes[n - 1].name for n in numbers)


@dataclass(frozen=True, slots=True)
class Relations:
    """What the catalogs are made of: OIDs of schemas, types, relations, the analyst, and the session that asks."""

    analyst: str
    client: Client
    schemas: dict[str, int]
    types: tuple[PgType, ...]
    all: tuple[Relation, ...] = field(repr=False)

    @property
    def database(self) -> str:
        """The database's name."""
        return self.client.database

    @property
    def tables(self) -> tuple[Relation, ...]:
        """The policy's tables."""
        return tuple(r for r in self.all if not r.report.system)

    @property
    def views(self) -> tuple[Relation, ...]:
        """The tables of the schema `dpsql`."""
        return tuple(r for r in self.all if r.report.system)

    @property
    def catalogs(self) -> tuple[Relation, ...]:
        """PostgreSQL's catalogs and information_schema."""
        return catalog_relations()

    @property
    def constraints(self) -> tuple[tuple[Relation, Constraint], ...]:
        """The declared keys, each with its table."""
        return tuple((one, key) for one in self.tables for key in one.keys)

    def by_oid(self, oid: int) -> Relation:
        """The relation of an OID that exists."""
        return next(r for r in self.all if r.oid == oid)


def relations(s: SystemContext) -> Relations:
    """The relations of a session's policy."""
    reports = [t for t in table_reports(s) if t.schema != "information_schema"]
    schemas, types = _schemas(reports), pg_types()
    own, system = count(_FIRST_OF_POLICY), count(_FIRST_OF_SYSTEM)
    numbered = [(t, next(system if t.system else own)) for t in reports]
    by_name = {(t.schema.lower(), t.name.lower()): (t, oid) for t, oid in numbered}
    made = tuple(_relation(t, oid, schemas[t.schema], by_name) for t, oid in numbered)
    return Relations(s.request.analyst, s.client, schemas, types, made)


def _schemas(reports: list[TableReport]) -> dict[str, int]:
    """The OIDs of schemas: PostgreSQL's own, then those of the policy."""
    oids = dict(_KNOWN_SCHEMAS)
    for at, schema in enumerate(sorted({CATALOG, *(t.schema for t in reports)} - {MAIN})):
        oids.setdefault(schema, _FIRST_SCHEMA + at)
    return oids


def _relation(
    report: TableReport,
    oid: int,
    schema: int,
    by_name: Mapping[tuple[str, str], tuple[TableReport, int]],
) -> Relation:
    attributes = tuple(
        Attribute(at, c.name, c.type, pg_type_of(c.type), modifier(c.type), c.nullable, c.comment)
        for at, c in enumerate(report.columns, 1)
    )
    first = _FIRST_CONSTRAINT + _MOST_COLUMNS * (oid - _FIRST_OF_POLICY)
    key = None
    if report.primary_key:
        key = Constraint(first, f"{report.name}_pkey", _places(report, report.primary_key))
    foreign = tuple(
        _foreign(report, k, first + at, *by_name[k.schema.lower(), k.table.lower()])
        for at, k in enumerate(report.foreign_keys, 1)
    )
    rows = _FIRST_OWN_ROW_TYPE + 2 * (oid - _FIRST_OF_SYSTEM)
    return Relation(oid, report, schema, attributes, row_type(rows, oid, report.name, schema), key, foreign)


@cache
def catalog_relations() -> tuple[Relation, ...]:
    """PostgreSQL's own catalogs and views, and information_schema, as relations."""
    schemas = dict(_KNOWN_SCHEMAS)
    made = []
    for at, (name, declared) in enumerate(sorted(catalog_tables().items())):
        schema, _, table = name.partition(".")
        oid = CLASSES.get(table, _FIRST_CATALOG + at) if schema == "pg_catalog" else _FIRST_CATALOG + at
        rows = row_type(_ROW_TYPES.get(table, _FIRST_ROW_TYPE + 2 * at), oid, table, schemas[schema])
        report = TableReport(schema, table, (), public=True, system=True)
        made.append(Relation(oid, report, schemas[schema], _catalog_columns(declared, oid), rows))
    return tuple(made)


def _catalog_columns(declared: Declared, oid: int) -> tuple[Attribute, ...]:
    """The columns of a catalog, of which a table's own hold no NULL but where they are texts or lists."""
    types, is_table = types_by_name(), oid in CLASSES.values()
    return tuple(
        Attribute(
            at,
            name,
            held,
            types.get(kind, types["_text"]),
            -1,
            not is_table or kind in _MAY_BE_NULL or kind[0] == "_",
            None,
        )
        for at, ((name, held), kind) in enumerate(zip(declared.columns, declared.types, strict=True), 1)
    )


def _foreign(
    report: TableReport, key: ForeignKey, oid: int, other: TableReport, refers_to: int
) -> Constraint:
    name = f"{report.name}_{'_'.join(key.columns)}_fkey"
    return Constraint(oid, name, _places(report, key.columns), refers_to, _places(other, key.referred))


def _places(report: TableReport, names: tuple[str, ...]) -> tuple[int, ...]:
    wanted = [n.lower() for n in names]
    return tuple(at for name in wanted for at, c in enumerate(report.columns, 1) if c.name.lower() == name)
