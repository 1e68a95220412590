"""The rows of PostgreSQL's catalogs: relations, columns, types, keys. What is not said of a column is NULL."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from dpsql.algebra.scan import quoted
from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.system_tables.pg_types import PgType
from dpsql.sql.system_tables.relations import OWNER, Attribute, Constraint, Relation, Relations

Named = Mapping[str, object]

CLASSES: Final = MappingProxyType(
    {
        "pg_type": 1247,
        "pg_attribute": 1249,
        "pg_proc": 1255,
        "pg_class": 1259,
        "pg_authid": 1260,
        "pg_roles": 12001,
        "pg_database": 1262,
        "pg_tablespace": 1213,
        "pg_namespace": 2615,
        "pg_constraint": 2606,
        "pg_index": 2610,
        "pg_attrdef": 2604,
        "pg_description": 2609,
        "pg_trigger": 2620,
        "pg_rewrite": 2618,
        "pg_extension": 3079,
        "pg_language": 2612,
        "pg_am": 2601,
        "pg_cast": 2605,
        "pg_collation": 3456,
        "pg_operator": 2617,
        "pg_opclass": 2616,
        "pg_opfamily": 2753,
        "pg_conversion": 2607,
        "pg_ts_config": 3602,
        "pg_ts_dict": 3600,
        "pg_ts_parser": 3601,
        "pg_ts_template": 3764,
        "pg_foreign_data_wrapper": 2328,
        "pg_foreign_server": 1417,
        "pg_event_trigger": 3466,
        "pg_policy": 3256,
        "pg_publication": 6104,
        "pg_subscription": 6100,
        "pg_statistic_ext": 3381,
        "pg_largeobject": 2613,
    }
)
"""The numbers of PostgreSQL's own catalogs, which stand in `classoid`."""
ARRAY_IN, ARRAY_RECV = 750, 2400
DEFAULT_COLLATION: Final = 100
HEAP: Final = 2
BTREE: Final = 403
_NO_MODIFIER: Final = -1


def _namespaces(r: Relations) -> Iterator[Named]:
    for name, oid in r.schemas.items():
        yield {"oid": oid, "nspname": name, "nspowner": OWNER}


def _classes(r: Relations) -> Iterator[Named]:
    for one in r.all:
        yield _class(one.oid, one.name, one) | {
            "relam": HEAP if one.kind == "r" else 0,
            "relhasindex": one.index > 0,
            "relkind": one.kind,
            "relnatts": len(one.attributes),
        }
        if one.key is not None:
            yield _class(one.index, one.key.name, one) | {
                "relam": BTREE,
                "relhasindex": False,
                "relkind": "i",
                "relnatts": len(one.key.columns),
            }


def _class(oid: int, name: str, one: Relation) -> dict[str, object]:
    never = "relisshared relhasrules relhastriggers relhassubclass relrowsecurity relforcerowsecurity relispartition"
    none = "reltype reloftype reltablespace reltoastrelid relrewrite relchecks relfrozenxid relminmxid"
    said = {
        "oid": oid,
        "relname": name,
        "relnamespace": one.schema,
        "relowner": OWNER,
        "relfilenode": 0,
        "relpersistence": "p",
        "relispopulated": True,
        "relreplident": "d",
    }
    return dict.fromkeys(never.split(), False) | dict.fromkeys(none.split(), 0) | said


def _attributes(r: Relations) -> Iterator[Named]:
    for one in r.all:
        for column in one.attributes:
            yield _attribute(one.oid, column.number, column)
        if one.key is not None:
            for at, number in enumerate(one.key.columns, 1):
                yield _attribute(one.index, at, one.attributes[number - 1])


def _attribute(relation: int, number: int, column: Attribute) -> Named:
    kind = column.pg_type
    return {
        "attrelid": relation,
        "attname": column.name,
        "atttypid": kind.oid,
        "attlen": kind.length,
        "attnum": number,
        "attcacheoff": -1,
        "atttypmod": column.modifier,
        "attndims": int(kind.element > 0),
        "attbyval": _by_value(kind),
        "attalign": "i",
        "attstorage": "p" if kind.length > 0 else "x",
        "attcompression": "",
        "attnotnull": not column.nullable,
        "atthasdef": False,
        "atthasmissing": False,
        "attidentity": "",
        "attgenerated": "",
        "attisdropped": False,
        "attislocal": True,
        "attinhcount": 0,
        "attstattarget": -1,
        "attcollation": _collation(kind),
    }


def _by_value(kind: PgType) -> bool:
    return kind.length in (1, 2, 4, 8)


def _collation(kind: PgType) -> int:
    return DEFAULT_COLLATION if kind.category == "S" else 0


def _types(r: Relations) -> Iterator[Named]:
    catalog = r.schemas["pg_catalog"]
    none = "typrelid typsubscript typoutput typsend typmodin typmodout typanalyze typbasetype typndims"
    for kind in r.types:
        yield dict.fromkeys(none.split(), 0) | {
            "oid": kind.oid,
            "typname": kind.name,
            "typnamespace": catalog,
            "typowner": OWNER,
            "typlen": kind.length,
            "typbyval": _by_value(kind),
            "typtype": kind.kind,
            "typcategory": kind.category,
            "typispreferred": False,
            "typisdefined": True,
            "typdelim": ",",
            "typelem": kind.element,
            "typarray": kind.array,
            "typinput": ARRAY_IN if kind.element else 0,
            "typreceive": ARRAY_RECV if kind.element else 0,
            "typalign": "i",
            "typstorage": "p" if kind.length > 0 else "x",
            "typnotnull": False,
            "typtypmod": _NO_MODIFIER,
            "typcollation": _collation(kind),
        }


def comments(r: Relations) -> dict[tuple[int, int], str]:
    """What is said about relations and, by place from 1, their columns."""
    found = {(one.oid, 0): one.report.comment for one in r.all}
    found |= {(one.oid, c.number): c.comment for one in r.all for c in one.attributes}
    return {key: text for key, text in found.items() if text}


def _descriptions(r: Relations) -> Iterator[Named]:
    for (oid, number), text in comments(r).items():
        yield {"objoid": oid, "classoid": CLASSES["pg_class"], "objsubid": number, "description": text}


def _indexes(r: Relations) -> Iterator[Named]:
    for one in r.tables:
        if one.key is None:
            continue
        width = len(one.key.columns)
        yes = "indisunique indisprimary indimmediate indisvalid indisready indislive"
        no = "indnullsnotdistinct indisexclusion indisclustered indcheckxmin indisreplident"
        yield (
            dict.fromkeys(yes.split(), True)
            | dict.fromkeys(no.split(), False)
            | {
                "indexrelid": one.index,
                "indrelid": one.oid,
                "indnatts": width,
                "indnkeyatts": width,
                "indkey": list(one.key.columns),
                "indcollation": [0] * width,
                "indclass": [0] * width,
                "indoption": [0] * width,
            }
        )


def _constraints(r: Relations) -> Iterator[Named]:
    for one in r.tables:
        if one.key is not None:
            yield _constraint(one, one.key) | {"contype": "p", "conindid": one.index}
        for key in one.foreign:
            yield _constraint(one, key) | {
                "contype": "f",
                "conindid": r.by_oid(key.refers_to).index,
                "confrelid": key.refers_to,
                "confupdtype": "a",
                "confdeltype": "a",
                "confmatchtype": "s",
                "confkey": list(key.referred),
            }


def _constraint(one: Relation, key: Constraint) -> dict[str, object]:
    return {
        "oid": key.oid,
        "conname": key.name,
        "connamespace": one.schema,
        "condeferrable": False,
        "condeferred": False,
        "convalidated": True,
        "conrelid": one.oid,
        "contypid": 0,
        "conparentid": 0,
        "confrelid": 0,
        "confupdtype": " ",
        "confdeltype": " ",
        "confmatchtype": " ",
        "conislocal": True,
        "coninhcount": 0,
        "connoinherit": True,
        "conkey": list(key.columns),
    }


def constraint_texts(r: Relations) -> dict[int, str]:
    """The keys as PostgreSQL writes them."""
    found = {}
    for one in r.tables:
        if one.key is not None:
            found[one.key.oid] = f"PRIMARY KEY ({_listed(one, one.key.columns)})"
        for key in one.foreign:
            other = r.by_oid(key.refers_to)
            target = f"{quoted_if_needed(other.name)}({_listed(other, key.referred)})"
            found[key.oid] = f"FOREIGN KEY ({_listed(one, key.columns)}) REFERENCES {target}"
    return found


def index_texts(r: Relations) -> dict[int, str]:
    """The indexes of keys as PostgreSQL writes them."""
    return {
        one.index: f"CREATE UNIQUE INDEX {quoted_if_needed(one.key.name)} ON {one.report.schema}."
        f"{quoted_if_needed(one.name)} USING btree ({_listed(one, one.key.columns)})"
        for one in r.tables
        if one.key is not None
    }


def _listed(one: Relation, numbers: tuple[int, ...]) -> str:
    return ", ".join(map(quoted_if_needed, one.named(numbers)))


def quoted_if_needed(name: str) -> str:
    """A name as it has to be written: in quotes where it is no word in lower case."""
    return name if name.isidentifier() and name.isascii() and name == name.lower() else quoted(name)


def _tables(r: Relations) -> Iterator[Named]:
    for one in r.tables:
        yield {
            "schemaname": one.report.schema,
            "tablename": one.name,
            "tableowner": CATALOG,
            "hasindexes": one.index > 0,
            "hasrules": False,
            "hastriggers": False,
            "rowsecurity": False,
        }


def _views(r: Relations) -> Iterator[Named]:
    for one in r.views:
        yield {"schemaname": one.report.schema, "viewname": one.name, "viewowner": CATALOG, "definition": ""}


def _index_names(r: Relations) -> Iterator[Named]:
    texts = index_texts(r)
    for one in r.tables:
        if one.key is not None:
            yield {
                "schemaname": one.report.schema,
                "tablename": one.name,
                "indexname": one.key.name,
                "indexdef": texts[one.index],
            }


def _statistics(r: Relations) -> Iterator[Named]:
    """Nothing but names: how many rows a table has, or when it was read, is not for tools to see."""
    for one in r.tables:
        yield {"relid": one.oid, "schemaname": one.report.schema, "relname": one.name}


RELATION_ROWS: Final = MappingProxyType[str, Callable[[Relations], Iterator[Named]]](
    {
        "pg_namespace": _namespaces,
        "pg_class": _classes,
        "pg_attribute": _attributes,
        "pg_type": _types,
        "pg_description": _descriptions,
        "pg_index": _indexes,
        "pg_constraint": _constraints,
        "pg_tables": _tables,
        "pg_views": _views,
        "pg_indexes": _index_names,
        "pg_stat_user_tables": _statistics,
        "pg_stat_all_tables": _statistics,
    }
)
"""What makes the rows of the catalogs of relations."""
