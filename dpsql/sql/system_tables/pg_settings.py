"""The settings that clients read; all are constants."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.algebra.system_tables import MAIN

SERVER_VERSION: Final = "16.0"
"""The version of PostgreSQL whose catalogs these are; version() says what the software is."""

MAX_CONNECTIONS: Final = 100
_SETTINGS: Final = f"""
allow_system_table_mods=off; application_name=; array_nulls=on; backslash_quote=safe_encoding; block_size=8192;
bytea_output=hex; check_function_bodies=on; client_connection_check_interval=0; client_encoding=UTF8;
client_min_messages=notice; constraint_exclusion=partition; cpu_index_tuple_cost=0.005; cpu_operator_cost=0.0025;
cpu_tuple_cost=0.01; cursor_tuple_fraction=0.1; data_checksums=off; DateStyle=ISO, MDY; debug_assertions=off;
default_statistics_target=100; default_table_access_method=heap; default_tablespace=; default_toast_compression=pglz;
default_transaction_deferrable=off; default_transaction_isolation=read committed;
default_transaction_read_only=off; effective_cache_size=4GB; effective_io_concurrency=1; enable_async_append=on;
enable_bitmapscan=on; enable_gathermerge=on; enable_hashagg=on; enable_hashjoin=on; enable_incremental_sort=on;
enable_indexonlyscan=on; enable_indexscan=on; enable_material=on; enable_memoize=on; enable_mergejoin=on;
enable_nestloop=on; enable_parallel_append=on; enable_parallel_hash=on; enable_partition_pruning=on;
enable_partitionwise_aggregate=off; enable_partitionwise_join=off; enable_presorted_aggregate=on; enable_seqscan=on;
enable_sort=on; enable_tidscan=on; escape_string_warning=on; extra_float_digits=1; from_collapse_limit=8; geqo=on;
geqo_effort=5; geqo_threshold=12; gin_fuzzy_search_limit=0; hash_mem_multiplier=2; hot_standby=on;
idle_in_transaction_session_timeout=0; idle_session_timeout=0; in_hot_standby=off; integer_datetimes=on;
IntervalStyle=postgres; is_superuser=off; jit=on; join_collapse_limit=8; lc_collate=C; lc_ctype=C; lc_messages=C;
lc_monetary=C; lc_numeric=C; lc_time=C; lock_timeout=0; maintenance_work_mem=64MB; max_connections={MAX_CONNECTIONS};
max_function_args=100; max_identifier_length=63; max_index_keys=32; max_parallel_maintenance_workers=2;
max_parallel_workers=8; max_parallel_workers_per_gather=2; max_prepared_transactions=0;
parallel_leader_participation=on; parallel_setup_cost=1000; parallel_tuple_cost=0.1;
password_encryption=scram-sha-256; plan_cache_mode=auto; quote_all_identifiers=off; random_page_cost=4; role=none;
row_security=off; search_path={MAIN}; seq_page_cost=1; server_encoding=UTF8; server_version={SERVER_VERSION};
server_version_num=160000; ssl=off; standard_conforming_strings=on; statement_timeout=0; synchronize_seqscans=off;
synchronous_commit=on; tcp_keepalives_count=0; tcp_keepalives_idle=0; tcp_keepalives_interval=0; tcp_user_timeout=0;
temp_buffers=8MB; temp_tablespaces=; TimeZone=UTC; transaction_deferrable=off; transaction_isolation=read committed;
transaction_read_only=off; transform_null_equals=off; wal_level=replica; work_mem=4MB; xmlbinary=base64;
xmloption=content
"""
SETTINGS: Final = MappingProxyType(
    {name.strip(): value for name, _, value in (item.partition("=") for item in _SETTINGS.strip().split(";"))}
)
"""The values of SHOW and current_setting, by PostgreSQL's names."""


def setting(name: str) -> str | None:
    """The value of a setting by its name in any case, or None."""
    wanted = name.lower()
    return next((value for own, value in SETTINGS.items() if own.lower() == wanted), None)


def setting_name(name: str) -> str:
    """The name of a setting as PostgreSQL writes it; of what is not known, as it is given."""
    return next((own for own in SETTINGS if own.lower() == name.lower()), name)
