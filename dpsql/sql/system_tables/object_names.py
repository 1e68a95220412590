"""Objects of the catalogs by name and by OID, for regclass, regtype and catalog functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import field

from dpsql.algebra.system_tables import CATALOG, MAIN, main_schemas
from dpsql.slotted import dataclass
from dpsql.sql.system_tables.catalog_relations import Relations
from dpsql.sql.system_tables.pg_catalog import (
    comments,
    constraint_texts,
    index_texts,
    quoted_if_needed,
)
from dpsql.sql.system_tables.pg_columns import ANALYST, OWNER, PG_CATALOG, PG_TOAST
from dpsql.sql.system_tables.pg_objects import proc_oids
from dpsql.sql.system_tables.pg_types import domains
from dpsql.sql.system_tables.system_context import Client

_SEARCHED = (MAIN, "pg_catalog")
COLUMN_STEP = 10_000
"""A column is looked up by its relation's OID times this, plus its ordinal position."""


@dataclass(frozen=True, slots=True)
class Names:
    """The names and OIDs of each kind of object, and texts about them by OID.

    Names to look up are in lower case and without quotes. `comments` are by the OID of a relation and the ordinal
    position of a column, 0 for the relation itself. `visible` are the relations that are found without their schema,
    `unseen_types` the types that are not.
    """

    analyst: str
    client: Client
    named: Mapping[str, Mapping[int, str]] = field(repr=False)
    numbers: Mapping[str, Mapping[str, int]] = field(repr=False)
    texts: Mapping[str, Mapping[int, str]] = field(repr=False)
    comments: Mapping[tuple[int, int], str] = field(repr=False)
    visible: tuple[int, ...] = ()
    unseen_types: tuple[int, ...] = ()


def names_of(r: Relations) -> Names:
    """The names in the catalogs of a policy."""
    procs = proc_oids()
    schemas = {oid: name for name, oid in r.schemas.items()} | {PG_TOAST: "pg_toast"}
    roles = {OWNER: CATALOG, ANALYST: r.analyst}
    types = {t.oid: t.sql for t in (*r.types, *domains())} | {
        one.row_type.oid: quoted_if_needed(one.name) for one in r.all
    }
    return Names(
        r.analyst,
        r.client,
        {
            "regclass": _class_names(r),
            "regtype": types,
            "regproc": {oid: name for name, oid in procs.items()},
            "regnamespace": schemas,
            "regrole": roles,
        },
        {
            "regclass": _class_numbers(r),
            "regtype": _type_numbers(r),
            "regproc": procs,
            "regnamespace": {name.lower(): oid for oid, name in schemas.items()},
            "regrole": {name.lower(): oid for oid, name in roles.items()},
        },
        {
            "constraint": constraint_texts(r),
            "index": index_texts(r),
            "short_index": index_texts(r, short=True),
            "index_column": _index_columns(r),
        },
        comments(r),
        tuple(oid for one in r.all if one.report.schema == MAIN for oid in (one.oid, one.index) if oid)
        + tuple(one.oid for one in r.catalogs if one.schema == PG_CATALOG),
        tuple(_unseen_types(r)),
    )


def numbers_of(names: Names, kind: str) -> Mapping[str, int]:
    """The OIDs of the objects of a kind by the names that are shown for them, of which each is one object's."""
    shown = names.named[kind]
    count = Counter(shown.values())
    return {"-": 0} | {name: oid for oid, name in shown.items() if count[name] == 1}


def _unseen_types(r: Relations) -> Iterator[int]:
    """The types in schemas that are not searched, and those of arrays of them."""
    yield from (one.oid for one in domains())
    for one in (*r.all, *r.catalogs):
        if one.report.schema not in _SEARCHED:
            yield from (one.row_type.oid, one.row_type.array)


def _type_numbers(r: Relations) -> dict[str, int]:
    named = {n.lower(): t.oid for t in r.types for n in (t.name, t.sql)}
    named |= {t.sql: t.oid for t in domains()}
    rows = {n: one.row_type.oid for one in r.all for n in (one.name, f"{one.report.schema}.{one.name}")}
    return named | {name.lower(): oid for name, oid in rows.items()} | _OTHER_TYPES


_OTHER_TYPES = {"int": 23, "decimal": 1700, "float": 701, "string": 25, "timestamp": 1114, "time": 1083}


def _index_columns(r: Relations) -> dict[int, str]:
    """The columns of indexes, by COLUMN_STEP."""
    return {
        one.index * COLUMN_STEP + at: name
        for one in r.tables
        if one.key is not None
        for at, name in enumerate(one.named(one.key.columns), 1)
    }


def _class_names(r: Relations) -> dict[int, str]:
    """Relations as they have to be written: with their schema where it is not in the search path."""
    names = {}
    for one in (*r.all, *r.catalogs):
        name = quoted_if_needed(one.name)
        schema = "" if one.report.schema in _SEARCHED else f"{quoted_if_needed(one.report.schema)}."
        names[one.oid] = f"{schema}{name}"
        if one.key is not None:
            names[one.index] = f"{schema}{quoted_if_needed(one.key.name)}"
    return names


def _class_numbers(r: Relations) -> dict[str, int]:
    """Relations by every spelling of their names; the policy's tables hide PostgreSQL's."""
    oids: dict[str, int] = {}
    plain = main_schemas(f"{one.report.schema}.{one.name}" for one in r.all)
    for one in (*r.catalogs, *r.all):
        names = [(one.oid, one.name)] + ([(one.index, one.key.name)] if one.key is not None else [])
        schema = one.report.schema
        for oid, name in names:
            schemas = plain if schema == MAIN else (schema,)
            oids |= {f"{s}.{name}".lower(): oid for s in schemas}
            if one in r.all:
                oids |= {f"{r.database}.{s}.{name}".lower(): oid for s in schemas}
            if one.report.schema in _SEARCHED:
                oids[name.lower()] = oid
    return oids
