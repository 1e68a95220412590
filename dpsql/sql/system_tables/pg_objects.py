"""The rows of PostgreSQL's catalogs that are not about relations: roles, functions, settings, collations, key words.

Source of the key words: https://www.postgresql.org/docs/16/sql-keywords-appendix.html
"""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.system_tables.catalog_relations import Relations
from dpsql.sql.system_tables.pg_catalog import Row, RowsOf
from dpsql.sql.system_tables.pg_columns import (
    ANALYST,
    ANY_ELEMENT,
    BTREE,
    C_COLLATION,
    DEFAULT_COLLATION,
    HEAP,
    OWNER,
)
from dpsql.sql.system_tables.pg_operator_classes import CLASSES
from dpsql.sql.system_tables.pg_settings import SETTINGS
from dpsql.sql.system_tables.pg_types import OTHER_FUNCTIONS, pg_types

_FIRST_FUNCTION: Final = 20000


def proc_oids() -> dict[str, int]:
    """The OIDs of functions by name, with those by which clients recognise types, such as array_recv."""
    names = sorted({s.lower() for f in FUNCTIONS.values() for s in f.spellings})
    of_types = {name: oid for t in pg_types() for name, oid in t.functions.values()}
    of_types |= OTHER_FUNCTIONS
    return of_types | {name: _FIRST_FUNCTION + at for at, name in enumerate(names)}


def _procs(r: Relations) -> Iterator[Row]:
    for name, oid in proc_oids().items():
        yield {"oid": oid, "proname": name, "proargtypes": [ANY_ELEMENT], "prosrc": name}


def _settings(r: Relations) -> Iterator[Row]:
    for name, value in SETTINGS.items():
        values = dict.fromkeys(("setting", "boot_val", "reset_val"), value)
        yield values | {"name": name, "category": "Preset Options"}


def _collations(r: Relations) -> Iterator[Row]:
    yield {"oid": DEFAULT_COLLATION, "collname": "default", "collprovider": "d"}
    yield {"oid": C_COLLATION, "collname": "C", "collprovider": "c", "collcollate": "C", "collctype": "C"}


def _roles(r: Relations) -> Iterator[Row]:
    yield {"oid": OWNER, "rolname": CATALOG, "rolcanlogin": False}
    yield {"oid": ANALYST, "rolname": r.analyst, "rolcanlogin": True}


def _users(r: Relations) -> Iterator[Row]:
    yield {"usename": r.analyst}


def _methods(r: Relations) -> Iterator[Row]:
    yield {"oid": HEAP, "amname": "heap", "amtype": "t"}
    yield {"oid": BTREE, "amname": "btree", "amtype": "i"}


def _operator_classes(r: Relations) -> Iterator[Row]:
    for type_oid, (oid, name, family) in CLASSES.items():
        yield {"oid": oid, "opcname": name, "opcfamily": family, "opcintype": type_oid}


def _keywords(r: Relations) -> Iterator[Row]:
    return keyword_rows()


def _sessions(r: Relations) -> Iterator[Row]:
    """The session that asks: what others do is not told."""
    yield {"pid": r.client.process_id, "usename": r.analyst, "backend_type": "client backend"}


def _encrypted(r: Relations) -> Iterator[Row]:
    yield {"pid": r.client.process_id, "ssl": r.client.encrypted}


def _authenticated(r: Relations) -> Iterator[Row]:
    yield {"pid": r.client.process_id}


_OF_SESSIONS: Final[RowsOf] = MappingProxyType(
    {
        "pg_catalog.pg_stat_activity": _sessions,
        "pg_catalog.pg_stat_gssapi": _authenticated,
        "pg_catalog.pg_stat_ssl": _encrypted,
    }
)
OF_SESSIONS: Final = frozenset(_OF_SESSIONS)
"""The catalogs with other rows for each session, even of one analyst."""


def one_row(r: Relations) -> Iterator[Row]:
    """The only row of a table whose values are all declared."""
    yield {}


OBJECT_ROWS: Final[RowsOf] = MappingProxyType(
    {
        "pg_catalog.pg_database": one_row,
        "pg_catalog.pg_proc": _procs,
        "pg_catalog.pg_language": one_row,
        "pg_catalog.pg_settings": _settings,
        "pg_catalog.pg_collation": _collations,
        "pg_catalog.pg_roles": _roles,
        "pg_catalog.pg_authid": _roles,
        "pg_catalog.pg_user": _users,
        "pg_catalog.pg_am": _methods,
        "pg_catalog.pg_opclass": _operator_classes,
        "pg_catalog.pg_get_keywords": _keywords,
        **_OF_SESSIONS,
        "pg_catalog.pg_tablespace": one_row,
        "pg_catalog.pg_timezone_names": one_row,
        "pg_catalog.pg_timezone_abbrevs": one_row,
    }
)
"""The functions that make the rows of these catalogs."""


_WORDS: Final = MappingProxyType(
    {
        ("C", False): ("char character precision"),
        ("C", True): (
            "between bigint bit boolean coalesce dec decimal exists extract float greatest grouping inout "
            "int integer interval json_array json_arrayagg json_object json_objectagg least national nchar "
            "none normalize nullif numeric out overlay position real row setof smallint substring time "
            "timestamp treat trim values varchar xmlattributes xmlconcat xmlelement xmlexists xmlforest "
            "xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable"
        ),
        ("R", False): (
            "array as create except fetch for from grant group having intersect into limit offset on order "
            "returning to union where window with"
        ),
        ("R", True): (
            "all analyse analyze and any asc asymmetric both case cast check collate column constraint "
            "current_catalog current_date current_role current_time current_timestamp current_user default "
            "deferrable desc distinct do else end false foreign in initially lateral leading localtime "
            "localtimestamp not null only or placing primary references select session_user some symmetric "
            "system_user table then trailing true unique user using variadic when"
        ),
        ("T", False): ("isnull notnull overlaps"),
        ("T", True): (
            "authorization binary collation concurrently cross current_schema freeze full ilike inner is "
            "join left like natural outer right similar tablesample verbose"
        ),
        ("U", False): ("day filter hour minute month over second varying within without year"),
        ("U", True): (
            "abort absent absolute access action add admin after aggregate also alter always asensitive "
            "assertion assignment at atomic attach attribute backward before begin breadth by cache call "
            "called cascade cascaded catalog chain characteristics checkpoint class close cluster columns "
            "comment comments commit committed compression configuration conflict connection constraints "
            "content continue conversion copy cost csv cube current cursor cycle data database deallocate "
            "declare defaults deferred definer delete delimiter delimiters depends depth detach dictionary "
            "disable discard document domain double drop each enable encoding encrypted enum escape event "
            "exclude excluding exclusive execute explain expression extension external family finalize first "
            "following force format forward function functions generated global granted groups handler "
            "header hold identity if immediate immutable implicit import include including increment indent "
            "index indexes inherit inherits inline input insensitive insert instead invoker isolation json "
            "key keys label language large last leakproof level listen load local location lock locked "
            "logged mapping match matched materialized maxvalue merge method minvalue mode move name names "
            "new next nfc nfd nfkc nfkd no normalized nothing notify nowait nulls object of off oids old "
            "operator option options ordinality others overriding owned owner parallel parameter parser "
            "partial partition passing password plans policy preceding prepare prepared preserve prior "
            "privileges procedural procedure procedures program publication quote range read reassign "
            "recheck recursive ref referencing refresh reindex relative release rename repeatable replace "
            "replica reset restart restrict return returns revoke role rollback rollup routine routines rows "
            "rule savepoint scalar schema schemas scroll search security sequence sequences serializable "
            "server session set sets share show simple skip snapshot sql stable standalone start statement "
            "statistics stdin stdout storage stored strict strip subscription support sysid system tables "
            "tablespace temp template temporary text ties transaction transform trigger truncate trusted "
            "type types uescape unbounded uncommitted unencrypted unknown unlisten unlogged until update "
            "vacuum valid validate validator value version view views volatile whitespace work wrapper write "
            "xml yes zone"
        ),
    }
)
"""The words by category, and whether they may name a column without AS."""
_CATEGORIES: Final = MappingProxyType(
    {
        "C": "unreserved (cannot be function or type name)",
        "R": "reserved",
        "T": "reserved (can be function or type name)",
        "U": "unreserved",
    }
)
_LABELS: Final = MappingProxyType({True: "can be bare label", False: "requires AS"})


def keyword_rows() -> Iterator[dict[str, object]]:
    """The rows of pg_get_keywords(), by word."""
    for word, category, bare in sorted((w, *kind) for kind, words in _WORDS.items() for w in words.split()):
        said = {"catdesc": _CATEGORIES[category], "baredesc": _LABELS[bare]}
        yield {"word": word, "catcode": category, "barelabel": bare, **said}
