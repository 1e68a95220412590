"""The settings that clients read; all are constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
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
_CATEGORIES: Final = (
    "Developer Options",
    "Reporting and Logging / What to Log",
    "Version and Platform Compatibility / Previous PostgreSQL Versions",
    "Preset Options",
    "Client Connection Defaults / Statement Behavior",
    "Connections and Authentication / TCP Settings",
    "Client Connection Defaults / Locale and Formatting",
    "Query Tuning / Other Planner Options",
    "Query Tuning / Planner Cost Constants",
    "Resource Usage / Asynchronous Behavior",
    "Query Tuning / Planner Method Configuration",
    "Query Tuning / Genetic Query Optimizer",
    "Client Connection Defaults / Other Defaults",
    "Resource Usage / Memory",
    "Replication / Standby Servers",
    "Connections and Authentication / Connection Settings",
    "Connections and Authentication / Authentication",
    "Connections and Authentication / SSL",
    "Write-Ahead Log / Settings",
    "Version and Platform Compatibility / Other Platforms and Clients",
)
# Name, context, type, unit, least and greatest value, values, number of the category, description and more of it.
_FACTS: Final = """
allow_system_table_mods|superuser|bool|||||0|Allows modifications of the structure of system tables.
application_name|user|string|||||1|Sets the application name to be reported in statistics and logs.
array_nulls|user|bool|||||2|Enable input of NULL elements in arrays.|When turned on, unquoted NULL in an array
  input value means a null value; otherwise it is taken literally.
backslash_quote|user|enum||||safe_encoding,on,off|2|Sets whether "\\'" is allowed in string literals.
block_size|internal|integer||8192|8192||3|Shows the size of a disk block.
bytea_output|user|enum||||escape,hex|4|Sets the output format for bytea.
check_function_bodies|user|bool|||||4|Check routine bodies during CREATE FUNCTION and CREATE PROCEDURE.
client_connection_check_interval|user|integer|ms|0|2147483647||5|Sets the time interval between checks for
  disconnection while running queries.
client_encoding|user|string|||||6|Sets the client's character set encoding.
client_min_messages|user|enum||||debug5,debug4,debug3,debug2,debug1,log,notice,warning,error|4|Sets the
  message levels that are sent to the client.|Each level includes all the levels that follow it. The later the
  level, the fewer messages are sent.
constraint_exclusion|user|enum||||partition,on,off|7|Enables the planner to use constraints to optimize
  queries.|Table scans will be skipped if their constraints guarantee that no rows match the query.
cpu_index_tuple_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of processing each
  index entry during an index scan.
cpu_operator_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of processing each
  operator or function call.
cpu_tuple_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of processing each tuple
  (row).
cursor_tuple_fraction|user|real||0|1||7|Sets the planner's estimate of the fraction of a cursor's rows that
  will be retrieved.
data_checksums|internal|bool|||||3|Shows whether data checksums are turned on for this cluster.
DateStyle|user|string|||||6|Sets the display format for date and time values.|Also controls interpretation of
  ambiguous date inputs.
debug_assertions|internal|bool|||||3|Shows whether the running server has assertion checks enabled.
default_statistics_target|user|integer||1|10000||7|Sets the default statistics target.|This applies to table
  columns that have not had a column-specific target set via ALTER TABLE SET STATISTICS.
default_table_access_method|user|string|||||4|Sets the default table access method for new tables.
default_tablespace|user|string|||||4|Sets the default tablespace to create tables and indexes in.|An empty
  string selects the database's default tablespace.
default_toast_compression|user|enum||||pglz|4|Sets the default compression method for compressible values.
default_transaction_deferrable|user|bool|||||4|Sets the default deferrable status of new transactions.
default_transaction_isolation|user|enum||||serializable,repeatable read,read committed,read uncommitted|4|Sets
  the transaction isolation level of each new transaction.
default_transaction_read_only|user|bool|||||4|Sets the default read-only status of new transactions.
effective_cache_size|user|integer|8kB|1|2147483647||8|Sets the planner's assumption about the total size of
  the data caches.|That is, the total size of the caches (kernel cache and shared buffers) used for PostgreSQL
  data files. This is measured in disk pages, which are normally 8 kB each.
effective_io_concurrency|user|integer||0|1000||9|Number of simultaneous requests that can be handled
  efficiently by the disk subsystem.
enable_async_append|user|bool|||||10|Enables the planner's use of async append plans.
enable_bitmapscan|user|bool|||||10|Enables the planner's use of bitmap-scan plans.
enable_gathermerge|user|bool|||||10|Enables the planner's use of gather merge plans.
enable_hashagg|user|bool|||||10|Enables the planner's use of hashed aggregation plans.
enable_hashjoin|user|bool|||||10|Enables the planner's use of hash join plans.
enable_incremental_sort|user|bool|||||10|Enables the planner's use of incremental sort steps.
enable_indexonlyscan|user|bool|||||10|Enables the planner's use of index-only-scan plans.
enable_indexscan|user|bool|||||10|Enables the planner's use of index-scan plans.
enable_material|user|bool|||||10|Enables the planner's use of materialization.
enable_memoize|user|bool|||||10|Enables the planner's use of memoization.
enable_mergejoin|user|bool|||||10|Enables the planner's use of merge join plans.
enable_nestloop|user|bool|||||10|Enables the planner's use of nested-loop join plans.
enable_parallel_append|user|bool|||||10|Enables the planner's use of parallel append plans.
enable_parallel_hash|user|bool|||||10|Enables the planner's use of parallel hash plans.
enable_partition_pruning|user|bool|||||10|Enables plan-time and execution-time partition pruning.|Allows the
  query planner and executor to compare partition bounds to conditions in the query to determine which
  partitions must be scanned.
enable_partitionwise_aggregate|user|bool|||||10|Enables partitionwise aggregation and grouping.
enable_partitionwise_join|user|bool|||||10|Enables partitionwise join.
enable_presorted_aggregate|user|bool|||||10|Enables the planner's ability to produce plans that provide
  presorted input for ORDER BY / DISTINCT aggregate functions.|Allows the query planner to build plans that
  provide presorted input for aggregate functions with an ORDER BY / DISTINCT clause.  When disabled, implicit
  sorts are always performed during execution.
enable_seqscan|user|bool|||||10|Enables the planner's use of sequential-scan plans.
enable_sort|user|bool|||||10|Enables the planner's use of explicit sort steps.
enable_tidscan|user|bool|||||10|Enables the planner's use of TID scan plans.
escape_string_warning|user|bool|||||2|Warn about backslash escapes in ordinary string literals.
extra_float_digits|user|integer||-15|3||6|Sets the number of digits displayed for floating-point values.|This
  affects real, double precision, and geometric data types. A zero or negative parameter value is added to the
  standard number of digits (FLT_DIG or DBL_DIG as appropriate). Any value greater than zero selects precise
  output mode.
from_collapse_limit|user|integer||1|2147483647||7|Sets the FROM-list size beyond which subqueries are not
  collapsed.|The planner will merge subqueries into upper queries if the resulting FROM list would have no
  more than this many items.
geqo|user|bool|||||11|Enables genetic query optimization.|This algorithm attempts to do planning without
  exhaustive searching.
geqo_effort|user|integer||1|10||11|GEQO: effort is used to set the default for other GEQO parameters.
geqo_threshold|user|integer||2|2147483647||11|Sets the threshold of FROM items beyond which GEQO is used.
gin_fuzzy_search_limit|user|integer||0|2147483647||12|Sets the maximum allowed result for exact search by GIN.
hash_mem_multiplier|user|real||1|1000||13|Multiple of work_mem to use for hash tables.
hot_standby|postmaster|bool|||||14|Allows connections and queries during recovery.
idle_in_transaction_session_timeout|user|integer|ms|0|2147483647||4|Sets the maximum allowed idle time between
  queries, when in a transaction.|A value of 0 turns off the timeout.
idle_session_timeout|user|integer|ms|0|2147483647||4|Sets the maximum allowed idle time between queries, when
  not in a transaction.|A value of 0 turns off the timeout.
in_hot_standby|internal|bool|||||3|Shows whether hot standby is currently active.
integer_datetimes|internal|bool|||||3|Shows whether datetimes are integer based.
IntervalStyle|user|enum||||postgres,postgres_verbose,sql_standard,iso_8601|6|Sets the display format for
  interval values.
jit|user|bool|||||7|Allow JIT compilation.
join_collapse_limit|user|integer||1|2147483647||7|Sets the FROM-list size beyond which JOIN constructs are not
  flattened.|The planner will flatten explicit JOIN constructs into lists of FROM items whenever a list of no
  more than this many items would result.
lc_messages|superuser|string|||||6|Sets the language in which messages are displayed.
lc_monetary|user|string|||||6|Sets the locale for formatting monetary amounts.
lc_numeric|user|string|||||6|Sets the locale for formatting numbers.
lc_time|user|string|||||6|Sets the locale for formatting date and time values.
lock_timeout|user|integer|ms|0|2147483647||4|Sets the maximum allowed duration of any wait for a lock.|A value
  of 0 turns off the timeout.
maintenance_work_mem|user|integer|kB|1024|2147483647||13|Sets the maximum memory to be used for maintenance
  operations.|This includes operations such as VACUUM and CREATE INDEX.
max_connections|postmaster|integer||1|262143||15|Sets the maximum number of concurrent connections.
max_function_args|internal|integer||100|100||3|Shows the maximum number of function arguments.
max_identifier_length|internal|integer||63|63||3|Shows the maximum identifier length.
max_index_keys|internal|integer||32|32||3|Shows the maximum number of index keys.
max_parallel_maintenance_workers|user|integer||0|1024||9|Sets the maximum number of parallel processes per
  maintenance operation.
max_parallel_workers|user|integer||0|1024||9|Sets the maximum number of parallel workers that can be active at
  one time.
max_parallel_workers_per_gather|user|integer||0|1024||9|Sets the maximum number of parallel processes per
  executor node.
max_prepared_transactions|postmaster|integer||0|262143||13|Sets the maximum number of simultaneously prepared
  transactions.
parallel_leader_participation|user|bool|||||9|Controls whether Gather and Gather Merge also run
  subplans.|Should gather nodes also run subplans or just gather tuples?
parallel_setup_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of starting up worker
  processes for parallel query.
parallel_tuple_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of passing each tuple
  (row) from worker to leader backend.
password_encryption|user|enum||||md5,scram-sha-256|16|Chooses the algorithm for encrypting passwords.
plan_cache_mode|user|enum||||auto,force_generic_plan,force_custom_plan|7|Controls the planner's selection of
  custom or generic plan.|Prepared statements can have custom and generic plans, and the planner will attempt
  to choose which is better.  This can be set to override the default behavior.
quote_all_identifiers|user|bool|||||2|When generating SQL fragments, quote all identifiers.
random_page_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of a nonsequentially
  fetched disk page.
row_security|user|bool|||||4|Enable row security.|When enabled, row security will be applied to all users.
search_path|user|string|||||4|Sets the schema search order for names that are not schema-qualified.
seq_page_cost|user|real||0|1.79769e+308||8|Sets the planner's estimate of the cost of a sequentially fetched
  disk page.
server_encoding|internal|string|||||3|Shows the server (database) character set encoding.
server_version|internal|string|||||3|Shows the server version.
server_version_num|internal|integer||160014|160014||3|Shows the server version as an integer.
ssl|sighup|bool|||||17|Enables SSL connections.
standard_conforming_strings|user|bool|||||2|Causes '...' strings to treat backslashes literally.
statement_timeout|user|integer|ms|0|2147483647||4|Sets the maximum allowed duration of any statement.|A value
  of 0 turns off the timeout.
synchronize_seqscans|user|bool|||||2|Enable synchronized sequential scans.
synchronous_commit|user|enum||||local,remote_write,remote_apply,on,off|18|Sets the current transaction's
  synchronization level.
tcp_keepalives_count|user|integer||0|2147483647||5|Maximum number of TCP keepalive retransmits.|Number of
  consecutive keepalive retransmits that can be lost before a connection is considered dead. A value of 0 uses
  the system default.
tcp_keepalives_idle|user|integer|s|0|2147483647||5|Time between issuing TCP keepalives.|A value of 0 uses the
  system default.
tcp_keepalives_interval|user|integer|s|0|2147483647||5|Time between TCP keepalive retransmits.|A value of 0
  uses the system default.
tcp_user_timeout|user|integer|ms|0|2147483647||5|TCP user timeout.|A value of 0 uses the system default.
temp_buffers|user|integer|8kB|100|1073741823||13|Sets the maximum number of temporary buffers used by each
  session.
temp_tablespaces|user|string|||||4|Sets the tablespace(s) to use for temporary tables and sort files.
TimeZone|user|string|||||6|Sets the time zone for displaying and interpreting time stamps.
transaction_deferrable|user|bool|||||4|Whether to defer a read-only serializable transaction until it can be
  executed with no possible serialization failures.
transaction_isolation|user|enum||||serializable,repeatable read,read committed,read uncommitted|4|Sets the
  current transaction's isolation level.
transaction_read_only|user|bool|||||4|Sets the current transaction's read-only status.
transform_null_equals|user|bool|||||19|Treats "expr=NULL" as "expr IS NULL".|When turned on, expressions of
  the form expr = NULL (or NULL = expr) are treated as expr IS NULL, that is, they return true if expr
  evaluates to the null value, and false otherwise. The correct behavior of expr = NULL is to always return
  null (unknown).
wal_level|postmaster|enum||||minimal,replica,logical|18|Sets the level of information written to the WAL.
work_mem|user|integer|kB|64|2147483647||13|Sets the maximum memory to be used for query workspaces.|This much
  memory can be used by each internal sort operation and hash table before switching to temporary disk files.
xmlbinary|user|enum||||base64,hex|4|Sets how binary values are to be encoded in XML.
xmloption|user|enum||||content,document|4|Sets whether XML data in implicit parsing and serialization
  operations is to be considered as documents or content fragments.
"""
_PRESET: Final = "Preset Options"
_SIZES: Final = MappingProxyType({"kB": 1, "MB": 1024, "GB": 1024 * 1024})
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


@cache
def setting_rows() -> tuple[Mapping[str, object], ...]:
    """The settings as rows of pg_settings, by column."""
    lines = _FACTS.strip().replace("\n  ", " ").splitlines()
    facts = {fields[0]: fields for fields in (line.split("|") for line in lines)}
    return tuple(_row(name, value, facts.get(name, [name])) for name, value in SETTINGS.items())


def _row(name: str, value: str, facts: Sequence[str]) -> Mapping[str, object]:
    if len(facts) == 1:
        return {"name": name, **_values(value), "category": _PRESET, "short_desc": ""}
    _, context, kind, unit, least, most, words, category, said, *more = facts
    return {
        "name": name,
        **_values(_in_units(value, unit)),
        "unit": unit or None,
        "category": _CATEGORIES[int(category)],
        "short_desc": said,
        "extra_desc": more[0] if more else None,
        "context": context,
        "vartype": kind,
        "min_val": least or None,
        "max_val": most or None,
        "enumvals": words.split(",") if words else None,
    }


def _values(value: str) -> Mapping[str, object]:
    return dict.fromkeys(("setting", "boot_val", "reset_val"), value)


def _in_units(value: str, unit: str) -> str:
    """A size as a number of its units, such as of blocks of 8 kB."""
    if not unit.endswith("kB") or value[-2:] not in _SIZES:
        return value
    return str(int(value[:-2]) * _SIZES[value[-2:]] // int(unit[:-2] or 1))
