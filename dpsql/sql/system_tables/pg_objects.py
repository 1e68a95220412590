"""The rows of PostgreSQL's catalogs that are not about relations: roles, functions, settings, collations, key words."""

from __future__ import annotations

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.lex.pg_keywords import keyword_rows
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
from dpsql.sql.system_tables.pg_settings import setting_rows
from dpsql.sql.system_tables.pg_types import OTHER_FUNCTIONS, domains, pg_types

_FIRST_FUNCTION: Final = 20000


def proc_oids() -> dict[str, int]:
    """The OIDs of functions by name, with those by which clients recognise types, such as array_recv."""
    names = sorted({s.lower() for f in FUNCTIONS.values() for s in f.spellings})
    of_types = {name: oid for t in (*pg_types(), *domains()) for name, oid in t.functions.values()}
    of_types |= OTHER_FUNCTIONS
    return of_types | {name: _FIRST_FUNCTION + at for at, name in enumerate(names)}


def _procs(r: Relations) -> Iterator[Row]:
    for name, oid in proc_oids().items():
        yield {"oid": oid, "proname": name, "proargtypes": [ANY_ELEMENT], "prosrc": name}


def _settings(r: Relations) -> Iterator[Row]:
    yield from setting_rows()


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
