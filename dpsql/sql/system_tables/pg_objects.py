"""The rows of PostgreSQL's catalogs that are not about relations: the database, roles, functions, settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import Final

from dpsql.algebra.functions import FUNCTIONS
from dpsql.algebra.system_tables import CATALOG
from dpsql.sql.system_tables.pg_catalog import ARRAY_IN, ARRAY_RECV, BTREE, DEFAULT_COLLATION, HEAP, Named
from dpsql.sql.system_tables.relations import ANALYST, DATABASE, OWNER, Relations
from dpsql.sql.system_tables.settings import SETTINGS

_FIRST_FUNCTION: Final = 20000
_ANY_ELEMENT: Final = 2283
_TABLESPACE: Final = 1663
_INTERNAL: Final = 12
_UTF8: Final = 6
_C: Final = 950


def proc_oids() -> dict[str, int]:
    """The functions by name, with the two by which clients know a list's type."""
    names = sorted({s.lower() for f in FUNCTIONS.values() for s in f.spellings})
    known = {"array_in": ARRAY_IN, "array_recv": ARRAY_RECV}
    return known | {name: _FIRST_FUNCTION + at for at, name in enumerate(names)}


def _databases(r: Relations) -> Iterator[Named]:
    yield {
        "oid": DATABASE,
        "datname": CATALOG,
        "datdba": OWNER,
        "encoding": _UTF8,
        "datlocprovider": "c",
        "datistemplate": False,
        "datallowconn": True,
        "datconnlimit": -1,
        "datfrozenxid": 0,
        "datminmxid": 0,
        "dattablespace": _TABLESPACE,
        "datcollate": "C",
        "datctype": "C",
    }


def _procs(r: Relations) -> Iterator[Named]:
    catalog = r.schemas["pg_catalog"]
    none = "provariadic prosupport pronargdefaults prorows"
    for name, oid in proc_oids().items():
        yield dict.fromkeys(none.split(), 0) | {
            "oid": oid,
            "proname": name,
            "pronamespace": catalog,
            "proowner": OWNER,
            "prolang": _INTERNAL,
            "procost": 1.0,
            "prokind": "f",
            "prosecdef": False,
            "proleakproof": False,
            "proisstrict": True,
            "proretset": False,
            "provolatile": "i",
            "proparallel": "s",
            "pronargs": 1,
            "prorettype": _ANY_ELEMENT,
            "proargtypes": [_ANY_ELEMENT],
            "prosrc": name,
        }


def _settings(r: Relations) -> Iterator[Named]:
    for name, value in SETTINGS.items():
        yield {
            "name": name,
            "setting": value,
            "category": "Preset Options",
            "short_desc": "",
            "context": "internal",
            "vartype": "string",
            "source": "default",
            "boot_val": value,
            "reset_val": value,
            "pending_restart": False,
        }


def _collations(r: Relations) -> Iterator[Named]:
    for oid, name in ((DEFAULT_COLLATION, "default"), (_C, "C")):
        yield {
            "oid": oid,
            "collname": name,
            "collnamespace": r.schemas["pg_catalog"],
            "collowner": OWNER,
            "collprovider": "d" if name == "default" else "c",
            "collisdeterministic": True,
            "collencoding": -1,
            "collcollate": "C",
            "collctype": "C",
        }


def _roles(r: Relations) -> Iterator[Named]:
    no = "rolsuper rolcreaterole rolcreatedb rolreplication rolbypassrls"
    for oid, name in ((OWNER, CATALOG), (ANALYST, r.analyst)):
        login = oid == ANALYST
        yield dict.fromkeys(no.split(), False) | {
            "oid": oid,
            "rolname": name,
            "rolinherit": True,
            "rolcanlogin": login,
            "rolconnlimit": -1,
        }


def _users(r: Relations) -> Iterator[Named]:
    no = "usecreatedb usesuper userepl usebypassrls"
    yield dict.fromkeys(no.split(), False) | {"usename": r.analyst, "usesysid": ANALYST}


def _methods(r: Relations) -> Iterator[Named]:
    yield {"oid": HEAP, "amname": "heap", "amhandler": 0, "amtype": "t"}
    yield {"oid": BTREE, "amname": "btree", "amhandler": 0, "amtype": "i"}


def _languages(r: Relations) -> Iterator[Named]:
    yield {
        "oid": _INTERNAL,
        "lanname": "internal",
        "lanowner": OWNER,
        "lanispl": False,
        "lanpltrusted": False,
    }


def _tablespaces(r: Relations) -> Iterator[Named]:
    yield {"oid": _TABLESPACE, "spcname": "pg_default", "spcowner": OWNER}


def _zones(r: Relations) -> Iterator[Named]:
    yield {"name": "UTC", "abbrev": "UTC", "utc_offset": "00:00:00", "is_dst": False}


OBJECT_ROWS: Final = MappingProxyType[str, Callable[[Relations], Iterator[Named]]](
    {
        "pg_database": _databases,
        "pg_proc": _procs,
        "pg_language": _languages,
        "pg_settings": _settings,
        "pg_collation": _collations,
        "pg_roles": _roles,
        "pg_authid": _roles,
        "pg_user": _users,
        "pg_am": _methods,
        "pg_tablespace": _tablespaces,
        "pg_timezone_names": _zones,
        "pg_timezone_abbrevs": _zones,
    }
)
"""What makes the rows of each of these catalogs."""
