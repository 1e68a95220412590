"""The policy's tables as relations of a system catalog, each with a number that the policy alone decides.

Numbers follow the order of the policy: 16384 is its first table. Tables about the system have numbers below, as
PostgreSQL's own have.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from dpsql.algebra.system_tables import CATALOG, MAIN
from dpsql.sql.system_tables.context import SystemContext
from dpsql.sql.system_tables.pg_types import PgType, modifier, pg_type_of, pg_types
from dpsql.sql.system_tables.reports import ForeignKey, TableReport, table_reports

OWNER: Final = 10
"""The role that owns everything: the database itself."""
ANALYST: Final = 16
"""The role of the analyst."""
DATABASE: Final = 5
_FIRST_OF_POLICY: Final = 16384
_FIRST_OF_SYSTEM: Final = 13000
_FIRST_INDEX: Final = 24576
_FIRST_CONSTRAINT: Final = 32768
_FIRST_SCHEMA: Final = 12000
_PUBLIC_SCHEMA: Final = 2200
_MOST_COLUMNS: Final = 16
_KNOWN_SCHEMAS: Final = (("pg_catalog", 11), ("information_schema", 13), ("main", _PUBLIC_SCHEMA))


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column: its place from 1, its type here and in PostgreSQL, whether it may be NULL, what it is about."""

    number: int
    name: str
    type: str
    pg_type: PgType
    modifier: int
    nullable: bool
    comment: str | None


@dataclass(frozen=True, slots=True)
class Constraint:
    """A declared key: its number and name, its columns by place, and for a foreign key what it refers to."""

    oid: int
    name: str
    columns: tuple[int, ...]
    refers_to: int = 0
    referred: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Relation:
    """A table that a query may name, numbered; `index` is the number of its key's index, 0 without a key."""

    oid: int
    report: TableReport
    schema: int
    attributes: tuple[Attribute, ...]
    key: Constraint | None = None
    foreign: tuple[Constraint, ...] = ()

    @property
    def name(self) -> str:
        """Its name without its schema."""
        return self.report.name

    @property
    def kind(self) -> str:
        """PostgreSQL's letter: r for a table, v for what is made at each reading."""
        return "v" if self.report.system else "r"

    @property
    def index(self) -> int:
        """The number of the index that a declared key has in PostgreSQL, or 0."""
        return _FIRST_INDEX + self.oid - _FIRST_OF_POLICY if self.key is not None else 0

    def named(self, numbers: tuple[int, ...]) -> tuple[str, ...]:
        """The names of columns by their places."""
        return tuple(self.attributes[n - 1].name for n in numbers)


@dataclass(frozen=True, slots=True)
class Relations:
    """Everything that the system catalogs are made of: schemas by number, types, relations, and the analyst."""

    analyst: str
    schemas: dict[str, int]
    types: tuple[PgType, ...]
    all: tuple[Relation, ...] = field(repr=False)

    @property
    def tables(self) -> tuple[Relation, ...]:
        """The policy's tables."""
        return tuple(r for r in self.all if not r.report.system)

    @property
    def views(self) -> tuple[Relation, ...]:
        """The tables that tell of budget and history."""
        return tuple(r for r in self.all if r.report.system)

    def by_oid(self, oid: int) -> Relation:
        """The relation of a number that is known to exist."""
        return next(r for r in self.all if r.oid == oid)


def relations(s: SystemContext) -> Relations:
    """The relations of a session's policy."""
    reports = [t for t in table_reports(s) if t.schema != "information_schema"]
    schemas = _schemas(reports)
    types = pg_types()
    known = {t.name: t for t in types}
    oids = {(t.schema.lower(), t.name.lower()): oid for t, oid in _numbered(reports)}
    made = tuple(_relation(t, oid, schemas[t.schema], known) for t, oid in _numbered(reports))
    by_oid = {r.oid: r for r in made}
    return Relations(s.request.analyst, schemas, types, tuple(_linked(r, by_oid, oids) for r in made))


def _schemas(reports: list[TableReport]) -> dict[str, int]:
    """The schemas by number: known ones, then those of the policy."""
    found = dict(_KNOWN_SCHEMAS)
    for at, schema in enumerate(sorted({CATALOG, *(t.schema for t in reports)} - {MAIN})):
        found.setdefault(schema, _FIRST_SCHEMA + at)
    return found


def _numbered(reports: list[TableReport]) -> Iterator[tuple[TableReport, int]]:
    own, system = _FIRST_OF_POLICY, _FIRST_OF_SYSTEM
    for report in reports:
        if report.system:
            yield report, system
            system += 1
        else:
            yield report, own
            own += 1


def _relation(report: TableReport, oid: int, schema: int, known: dict[str, PgType]) -> Relation:
    attributes = tuple(
        Attribute(at, c.name, c.type, pg_type_of(c.type, known), modifier(c.type), c.nullable, c.comment)
        for at, c in enumerate(report.columns, 1)
    )
    first = _FIRST_CONSTRAINT + _MOST_COLUMNS * (oid - _FIRST_OF_POLICY)
    key = None
    if report.primary_key:
        key = Constraint(first, f"{report.name}_pkey", _places(attributes, report.primary_key))
    return Relation(oid, report, schema, attributes, key)


def _places(attributes: tuple[Attribute, ...], names: tuple[str, ...]) -> tuple[int, ...]:
    wanted = [n.lower() for n in names]
    return tuple(a.number for name in wanted for a in attributes if a.name.lower() == name)


def _linked(relation: Relation, by_oid: dict[int, Relation], oids: dict[tuple[str, str], int]) -> Relation:
    first = _FIRST_CONSTRAINT + _MOST_COLUMNS * (relation.oid - _FIRST_OF_POLICY) + 1
    foreign = tuple(
        _foreign(relation, k, first + at, by_oid[oids[k.schema.lower(), k.table.lower()]])
        for at, k in enumerate(relation.report.foreign_keys)
    )
    return Relation(
        relation.oid, relation.report, relation.schema, relation.attributes, relation.key, foreign
    )


def _foreign(relation: Relation, key: ForeignKey, oid: int, other: Relation) -> Constraint:
    name = f"{relation.name}_{'_'.join(key.columns)}_fkey"
    columns, referred = _places(relation.attributes, key.columns), _places(other.attributes, key.referred)
    return Constraint(oid, name, columns, other.oid, referred)
