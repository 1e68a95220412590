"""The rows of PostgreSQL's catalogs of relations, columns, types and keys."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from dpsql.algebra.scan import quoted
from dpsql.sql.system_tables.catalog_relations import Attribute, Relation, Relations
from dpsql.sql.system_tables.pg_columns import ARRAY_IN, ARRAY_RECV, BTREE, DEFAULT_COLLATION, HEAP
from dpsql.sql.system_tables.pg_types import PgType

Row = Mapping[str, object]
"""The values of a row by column, without those that are declared for every row; all others are NULL."""
RowsOf = Mapping[str, Callable[[Relations], Iterator[Row]]]

_CLASSES: Final = (
    "pg_type:1247 pg_attribute:1249 pg_proc:1255 pg_class:1259 pg_authid:1260 pg_roles:12001 pg_database:1262 "
    "pg_tablespace:1213 pg_namespace:2615 pg_constraint:2606 pg_index:2610 pg_attrdef:2604 pg_description:2609 "
    "pg_trigger:2620 pg_rewrite:2618 pg_extension:3079 pg_language:2612 pg_am:2601 pg_cast:2605 pg_collation:3456 "
    "pg_operator:2617 pg_opclass:2616 pg_opfamily:2753 pg_conversion:2607 pg_ts_config:3602 pg_ts_dict:3600 "
    "pg_ts_parser:3601 pg_ts_template:3764 pg_foreign_data_wrapper:2328 pg_foreign_server:1417 "
    "pg_event_trigger:3466 pg_policy:3256 pg_publication:6104 pg_subscription:6100 pg_statistic_ext:3381 "
    "pg_largeobject:2613"
)
CLASSES: Final = MappingProxyType(
    {name: int(oid) for name, _, oid in (word.partition(":") for word in _CLASSES.split())}
)
"""The OIDs of PostgreSQL's own catalogs, as in `classoid`."""


def _namespaces(r: Relations) -> Iterator[Row]:
    for name, oid in r.schemas.items():
        yield {"oid": oid, "nspname": name}


def _classes(r: Relations) -> Iterator[Row]:
    for one in r.all:
        yield {
            "oid": one.oid,
            "relname": one.name,
            "relnamespace": one.schema,
            "relam": HEAP if one.kind == "r" else 0,
            "relhasindex": one.index > 0,
            "relkind": one.kind,
            "relnatts": len(one.attributes),
        }
        if one.key is not None:
            index = {"oid": one.index, "relname": one.key.name, "relnamespace": one.schema}
            yield index | {"relam": BTREE, "relkind": "i", "relnatts": len(one.key.columns)}


def _attributes(r: Relations) -> Iterator[Row]:
    for one in r.all:
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
        "attbyval": _by_value(kind),
        "attstorage": _storage(kind),
        "attnotnull": not column.nullable,
        "attcollation": _collation(kind),
    }


def _by_value(kind: PgType) -> bool:
    return kind.length in (1, 2, 4, 8)


def _storage(kind: PgType) -> str:
    return "p" if kind.length > 0 else "x"


def _collation(kind: PgType) -> int:
    return DEFAULT_COLLATION if kind.category == "S" else 0


def _types(r: Relations) -> Iterator[Row]:
    for kind in r.types:
        yield {
            "oid": kind.oid,
            "typname": kind.name,
            "typlen": kind.length,
            "typbyval": _by_value(kind),
            "typtype": kind.kind,
            "typcategory": kind.category,
            "typelem": kind.element,
            "typarray": kind.array,
            "typinput": ARRAY_IN if kind.element else 0,
            "typreceive": ARRAY_RECV if kind.element else 0,
            "typstorage": _storage(kind),
            "typcollation": _collation(kind),
        }


def comments(r: Relations) -> dict[tuple[int, int], str]:
    """The comments on relations (at 0) and, by ordinal position, on their columns."""
    texts = {(one.oid, 0): one.report.comment for one in r.all}
    texts |= {(one.oid, c.number): c.comment for one in r.all for c in one.attributes}
    return {key: text for key, text in texts.items() if text}


def _descriptions(r: Relations) -> Iterator[Row]:
    for (oid, number), text in comments(r).items():
        yield {"objoid": oid, "objsubid": number, "description": text}


def _indexes(r: Relations) -> Iterator[Row]:
    for one in r.tables:
        if one.key is not None:
            width = len(one.key.columns)
            yield {
                "indexrelid": one.index,
                "indrelid": one.oid,
                "indnatts": width,
                "indnkeyatts": width,
                "indkey": list(one.key.columns),
                **dict.fromkeys(("indcollation", "indclass", "indoption"), [0] * width),
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
            target = {"conindid": other.index, "confrelid": other.oid, "confkey": list(key.referred)}
            yield row | actions | target | {"contype": "f"}


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
    """The name, in quotes unless it is a word in lower case."""
    return name if name.isidentifier() and name.isascii() and name == name.lower() else quoted(name)


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
        "pg_catalog.pg_description": _descriptions,
        "pg_catalog.pg_index": _indexes,
        "pg_catalog.pg_constraint": _constraints,
        "pg_catalog.pg_tables": _tables,
        "pg_catalog.pg_views": _views,
        "pg_catalog.pg_indexes": _index_names,
        "pg_catalog.pg_stat_user_tables": _statistics,
    }
)
"""The functions that make the rows of the catalogs of relations."""
