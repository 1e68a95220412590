"""The rows of PostgreSQL's catalogs of relations, columns, types and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from dpsql.algebra.scan import quoted
from dpsql.algebra.system_tables import CATALOG, MAIN
from dpsql.sql.lex.pg_keywords import is_plain_name
from dpsql.sql.system_tables.catalog_relations import Attribute, Constraint, Relation, Relations
from dpsql.sql.system_tables.pg_columns import (
    BTREE,
    HEAP,
    INFORMATION_SCHEMA,
    PG_CATALOG,
    PG_CLASS,
    PG_NAMESPACE,
    PG_TOAST,
)
from dpsql.sql.system_tables.pg_operator_classes import equality, operator_class
from dpsql.sql.system_tables.pg_types import array_of, domains, types_by_name

Row = Mapping[str, object]
"""The values of a row by column, without those that are declared for every row; all others are NULL."""
RowsOf = Mapping[str, Callable[[Relations], Iterator[Row]]]


def _namespaces(r: Relations) -> Iterator[Row]:
    for name, oid in r.schemas.items():
        everyone = name in ("pg_catalog", "information_schema")
        yield {"oid": oid, "nspname": name, "nspacl": _grants("UC", "U", "" if everyone else r.analyst)}
    yield {"oid": PG_TOAST, "nspname": "pg_toast"}


def _grants(own: str, granted: str, grantee: str) -> list[str]:
    """An access list as PostgreSQL writes it: what the owner may, and what a role may, or all where it is empty."""
    owner = quoted_if_needed(CATALOG)
    return [f"{owner}={own}/{owner}", f"{grantee and quoted_if_needed(grantee)}={granted}/{owner}"]


def _classes(r: Relations) -> Iterator[Row]:
    referred = {key.refers_to for _, key in r.constraints}
    for one in (*r.all, *r.catalogs):
        own = one.schema not in (PG_CATALOG, INFORMATION_SCHEMA)
        yield {
            "oid": one.oid,
            "relname": one.name,
            "relnamespace": one.schema,
            "reltype": one.row_type.oid,
            "relam": HEAP if one.kind == "r" else 0,
            "relfilenode": one.oid if one.kind == "r" else 0,
            "relhasindex": one.index > 0,
            "relkind": one.kind,
            "relnatts": len(one.attributes),
            "relhasrules": one.kind == "v",
            "relhastriggers": bool(one.foreign) or one.oid in referred,
            "relreplident": "d" if own and one.kind == "r" else "n",
            "relacl": _grants("arwdDxt", "r", r.analyst if own else ""),
        }
        if one.key is not None:
            yield _index_class(one, one.key)


def _index_class(one: Relation, key: Constraint) -> Row:
    """The index of a primary key as a relation."""
    return {
        "oid": one.index,
        "relname": key.name,
        "relnamespace": one.schema,
        "reltype": 0,
        "relam": BTREE,
        "relfilenode": one.index,
        "relhasindex": False,
        "relkind": "i",
        "relpages": 1,
        "reltuples": 0.0,
        "relnatts": len(key.columns),
        "relhasrules": False,
        "relhastriggers": False,
        "relreplident": "n",
    }


_HIDDEN_COLUMNS: Final = (
    ("ctid", "tid"),
    ("xmin", "xid"),
    ("cmin", "cid"),
    ("xmax", "xid"),
    ("cmax", "cid"),
    ("tableoid", "oid"),
)
"""The columns that every table has in PostgreSQL, from -1 downwards."""


def _attributes(r: Relations) -> Iterator[Row]:
    """By the columns' places, the order in which PostgreSQL reads them by their index and gathers them to lists."""
    for one in (*r.all, *r.catalogs):
        if one.kind == "r":
            for at, (name, kind) in reversed([*enumerate(_HIDDEN_COLUMNS, 1)]):
                hidden = Attribute(-at, name, "", types_by_name()[kind], -1, False, None)
                yield {**_attribute(one.oid, -at, hidden), "attstattarget": 0}
        for column in one.attributes:
            yield _attribute(one.oid, column.number, column)
        if one.key is not None:
            for at, number in enumerate(one.key.columns, 1):
                yield _attribute(one.index, at, one.attributes[number - 1])


def _attribute(relation: int, number: int, column: Attribute) -> Row:
    kind = column.pg_type
    return {
        "attrelid": relation,
        "attname": column.name,
        "atttypid": kind.oid,
        "attlen": kind.length,
        "attnum": number,
        "atttypmod": column.modifier,
        "attndims": int(kind.element > 0),
        "attbyval": kind.by_value,
        "attalign": kind.align,
        "attstorage": kind.storage,
        "attnotnull": not column.nullable,
        "attcollation": kind.collation,
    }


def _types(r: Relations) -> Iterator[Row]:
    rows = [one.row_type for one in (*r.all, *r.catalogs)]
    for kind in (*r.types, *domains(), *(t for row in rows for t in (row, array_of(row)))):
        yield {
            "oid": kind.oid,
            "typname": kind.name,
            "typnamespace": kind.schema or PG_CATALOG,
            "typlen": kind.length,
            "typbyval": kind.by_value,
            "typtype": kind.kind,
            "typcategory": kind.category,
            "typispreferred": kind.preferred,
            "typdelim": kind.delimiter,
            "typrelid": kind.relation,
            "typsubscript": kind.subscript,
            "typanalyze": kind.analyze,
            "typelem": kind.element,
            "typarray": kind.array,
            **{f"typ{role}": kind.function(name) for role, name in _TYPE_FUNCTIONS.items()},
            "typalign": kind.align,
            "typstorage": kind.storage,
            "typcollation": kind.collation,
            "typbasetype": kind.base,
            "typtypmod": kind.modifier,
            "typdefault": kind.default,
        }


_TYPE_FUNCTIONS: Final = MappingProxyType(
    {
        "input": "in",
        "output": "out",
        "receive": "recv",
        "send": "send",
        "modin": "typmodin",
        "modout": "typmodout",
    }
)


_RANGES: Final = (
    (3904, 23, 4451, 1978, 3914, 3922),
    (3906, 1700, 4532, 3125, 0, 3924),
    (3908, 1114, 4533, 3128, 0, 3929),
    (3910, 1184, 4534, 3127, 0, 3930),
    (3912, 1082, 4535, 3122, 3915, 3925),
    (3926, 20, 4536, 3124, 3928, 3923),
)


def _ranges(r: Relations) -> Iterator[Row]:
    """PostgreSQL's range types: https://www.postgresql.org/docs/16/catalog-pg-range.html."""
    names = ("rngtypid", "rngsubtype", "rngmultitypid", "rngsubopc", "rngcanonical", "rngsubdiff")
    for numbers in _RANGES:
        yield dict(zip(names, numbers, strict=True))


def comments(r: Relations) -> dict[tuple[int, int], str]:
    """The comments on relations (at 0) and, by ordinal position, on their columns."""
    texts = {(one.oid, 0): one.report.comment for one in r.all}
    texts |= {(one.oid, c.number): c.comment for one in r.all for c in one.attributes}
    return {key: text for key, text in texts.items() if text}


def _descriptions(r: Relations) -> Iterator[Row]:
    for (oid, number), text in comments(r).items():
        yield {"objoid": oid, "classoid": PG_CLASS, "objsubid": number, "description": text}
    for oid, text in ((PG_CATALOG, "system catalog schema"), (PG_TOAST, "reserved schema for TOAST tables")):
        yield {"objoid": oid, "classoid": PG_NAMESPACE, "objsubid": 0, "description": text}


def _indexes(r: Relations) -> Iterator[Row]:
    for one in r.tables:
        if one.key is not None:
            width, types = len(one.key.columns), [one.attributes[n - 1].pg_type for n in one.key.columns]
            yield {
                "indexrelid": one.index,
                "indrelid": one.oid,
                "indnatts": width,
                "indnkeyatts": width,
                "indkey": list(one.key.columns),
                "indclass": [operator_class(t.oid) for t in types],
                "indcollation": [t.collation for t in types],
                "indoption": [0] * width,
            }


def _constraints(r: Relations) -> Iterator[Row]:
    for one, key in r.constraints:
        row = {"oid": key.oid, "conname": key.name, "connamespace": one.schema, "conrelid": one.oid}
        row["conkey"] = list(key.columns)
        if key.is_primary:
            unused = dict.fromkeys(("confupdtype", "confdeltype", "confmatchtype"), " ")
            yield row | unused | {"contype": "p", "conindid": one.index}
        else:
            other = r.by_oid(key.refers_to)
            actions = {"confupdtype": "a", "confdeltype": "a", "confmatchtype": "s"}
            equal = [equality(one.attributes[n - 1].pg_type.oid) for n in key.columns]
            operators = dict.fromkeys(("conpfeqop", "conppeqop", "conffeqop"), equal)
            target = {"conindid": other.index, "confrelid": other.oid, "confkey": list(key.referred)}
            yield row | actions | operators | target | {"contype": "f"}


def constraint_texts(r: Relations) -> dict[int, str]:
    """The keys as PostgreSQL writes them."""
    texts = {}
    for one, key in r.constraints:
        listed = f"KEY ({_listed(one, key.columns)})"
        if key.is_primary:
            texts[key.oid] = f"PRIMARY {listed}"
        else:
            other = r.by_oid(key.refers_to)
            target = f"{quoted_if_needed(other.name)}({_listed(other, key.referred)})"
            texts[key.oid] = f"FOREIGN {listed} REFERENCES {target}"
    return texts


def index_texts(r: Relations, *, short: bool = False) -> dict[int, str]:
    """The indexes of keys as PostgreSQL writes them; `short` leaves a schema out that is searched anyway."""
    return {
        one.index: f"CREATE UNIQUE INDEX {quoted_if_needed(one.key.name)} ON {_place(one, short)} "
        f"USING btree ({_listed(one, one.key.columns)})"
        for one in r.tables
        if one.key is not None
    }


def _place(one: Relation, short: bool) -> str:
    name = quoted_if_needed(one.name)
    is_left_out = short and one.report.schema == MAIN
    return name if is_left_out else f"{quoted_if_needed(one.report.schema)}.{name}"


def _listed(one: Relation, numbers: tuple[int, ...]) -> str:
    return ", ".join(map(quoted_if_needed, one.named(numbers)))


def quoted_if_needed(name: str) -> str:
    """The name as PostgreSQL writes it."""
    return name if is_plain_name(name) else quoted(name)


def _tables(r: Relations) -> Iterator[Row]:
    for one in r.tables:
        yield {"schemaname": one.report.schema, "tablename": one.name, "hasindexes": one.index > 0}


def _views(r: Relations) -> Iterator[Row]:
    for one in r.views:
        yield {"schemaname": one.report.schema, "viewname": one.name}


def _index_names(r: Relations) -> Iterator[Row]:
    texts = index_texts(r)
    for one in r.tables:
        if one.key is not None:
            place = {"schemaname": one.report.schema, "tablename": one.name}
            yield place | {"indexname": one.key.name, "indexdef": texts[one.index]}


def _statistics(r: Relations) -> Iterator[Row]:
    """Names alone: how many rows a table has, or when it was read, is private."""
    for one in r.tables:
        yield {"relid": one.oid, "schemaname": one.report.schema, "relname": one.name}


RELATION_ROWS: Final[RowsOf] = MappingProxyType(
    {
        "pg_catalog.pg_namespace": _namespaces,
        "pg_catalog.pg_class": _classes,
        "pg_catalog.pg_attribute": _attributes,
        "pg_catalog.pg_type": _types,
        "pg_catalog.pg_range": _ranges,
        "pg_catalog.pg_description": _descriptions,
        "pg_catalog.pg_index": _indexes,
        "pg_catalog.pg_constraint": _constraints,
        "pg_catalog.pg_tables": _tables,
        "pg_catalog.pg_views": _views,
        "pg_catalog.pg_indexes": _index_names,
        "pg_catalog.pg_stat_user_tables": _statistics,
        "pg_catalog.pg_statio_user_tables": _statistics,
    }
)
"""The functions that make the rows of the catalogs of relations."""
