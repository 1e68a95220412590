"""The settings that clients read; all are constants."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import MAIN

SERVER_VERSION: Final = "16.0"
"""The version of PostgreSQL whose catalogs these are; version() says what the software is."""

_SETTINGS: Final = f"""
allow_system_table_mods=off; application_name=; array_nulls=on; backslash_quote=safe_encoding; block_size=8192;
bytea_output=hex; client_encoding=UTF8; client_min_messages=notice; DateStyle=ISO, MDY; default_tablespace=;
default_transaction_deferrable=off; default_transaction_isolation=read committed;
default_transaction_read_only=on; extra_float_digits=1; in_hot_standby=off; integer_datetimes=on;
IntervalStyle=postgres; is_superuser=off; jit=on; lc_collate=C; lc_ctype=C; lc_messages=C; lc_monetary=C; lc_numeric=C;
lc_time=C; lock_timeout=0; max_identifier_length=63; max_index_keys=32; row_security=off; search_path={MAIN};
server_encoding=UTF8; server_version={SERVER_VERSION}; server_version_num=160000; ssl=off;
standard_conforming_strings=on; statement_timeout=0; synchronize_seqscans=off; temp_tablespaces=; TimeZone=UTC;
transaction_deferrable=off; transaction_isolation=read committed; transaction_read_only=on; wal_level=replica;
xmlbinary=base64; xmloption=content
"""
SETTINGS: Final = MappingProxyType(
    {name.strip(): value for name, _, value in (item.partition("=") for item in _SETTINGS.strip().split(";"))}
)
"""The values of SHOW and current_setting, by PostgreSQL's names."""


def setting(name: str) -> str | None:
    """The value of a setting by its name in any case, or None."""
    wanted = name.lower()
    return next((value for own, value in SETTINGS.items() if own.lower() == wanted), None)
