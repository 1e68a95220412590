"""The settings of PostgreSQL's that change no answer here, and the values that each of them may be given.

A value that would change one, such as another time zone, is not among them: no setting is taken as if it had an effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

Allowed = Callable[[str], bool]

_SCHEMAS: Final = frozenset({"main", "public", "pg_catalog", "$user", ""})
"""What a search path may name: where the policy has no tables in public, that is main as well; $user is empty."""


def _anything(value: str) -> bool:
    return True


def _one_of(*words: str) -> Allowed:
    return lambda value: value.lower() in words


def _like(pattern: str) -> Allowed:
    whole = re.compile(pattern, re.IGNORECASE)
    return lambda value: whole.fullmatch(value) is not None


def encoding_name(value: str) -> str:
    """An encoding's name as PostgreSQL compares it, by letters and digits alone: asyncpg says 'utf-8' in quotes."""
    return re.sub(r"[^a-z0-9]", "", value.lower())


def _schemas(value: str) -> list[str]:
    return [name.strip().strip('"').lower() for name in value.split(",")]


def puts_public_first(path: str) -> bool:
    """Whether a search path looks into public before main, or there alone."""
    looked = [name for name in _schemas(path) if name in ("main", "public")]
    return looked[:1] == ["public"]


_TRUTH: Final = _one_of("on", "off", "true", "false", "yes", "no", "1", "0", "t", "f")
_TRUE: Final = _one_of("on", "true", "yes", "1", "t")
_FALSE: Final = _one_of("off", "false", "no", "0", "f")
_TIME: Final = _like(r"-?\d{1,10}\s*(us|ms|s|min|h|d)?")
_UNITS: Final = (("d", 86_400_000), ("h", 3_600_000), ("min", 60_000), ("s", 1_000), ("ms", 1))
_NUMBER: Final = _like(r"-?\d{1,10}")
_SIZE: Final = _like(r"\d{1,10}\s*(b|kb|mb|gb|tb)?")
_WEIGHT: Final = _like(r"-?\d{0,10}(\.\d{1,10})?(e[+-]?\d{1,3})?")
_LEVEL: Final = _one_of("read uncommitted", "read committed", "repeatable read", "serializable")
_PLANNED: Final = (
    "enable_async_append", "enable_bitmapscan", "enable_gathermerge", "enable_hashagg", "enable_hashjoin",
    "enable_incremental_sort", "enable_indexonlyscan", "enable_indexscan", "enable_material", "enable_memoize",
    "enable_mergejoin", "enable_nestloop", "enable_parallel_append", "enable_parallel_hash", "enable_partition_pruning",
    "enable_partitionwise_aggregate", "enable_partitionwise_join", "enable_presorted_aggregate", "enable_seqscan",
    "enable_sort", "enable_tidscan", "parallel_leader_participation",
)  # fmt: skip
_WEIGHTS: Final = (
    "cpu_index_tuple_cost", "cpu_operator_cost", "cpu_tuple_cost", "cursor_tuple_fraction", "default_statistics_target",
    "effective_io_concurrency", "from_collapse_limit", "geqo_effort", "geqo_threshold", "gin_fuzzy_search_limit",
    "hash_mem_multiplier", "join_collapse_limit", "max_parallel_maintenance_workers", "max_parallel_workers",
    "max_parallel_workers_per_gather", "parallel_setup_cost", "parallel_tuple_cost", "random_page_cost",
    "seq_page_cost",
)  # fmt: skip
_MEMORY: Final = ("effective_cache_size", "maintenance_work_mem", "temp_buffers", "work_mem")
KNOWN_SETTINGS: Final = MappingProxyType[str, Allowed](
    {
        "application_name": _anything,
        "array_nulls": _TRUE,
        "backslash_quote": _one_of("safe_encoding", "on", "off", "true", "false"),
        "bytea_output": _one_of("hex"),
        "check_function_bodies": _TRUTH,
        "client_connection_check_interval": _TIME,
        "client_encoding": lambda value: encoding_name(value) in ("utf8", "unicode", "sqlascii"),
        "client_min_messages": _like(r"debug[1-5]?|log|notice|warning|error|info"),
        "constraint_exclusion": _one_of("on", "off", "partition", "true", "false"),
        "datestyle": _like(r"iso(, *(mdy|dmy|ymd|us|european|noneuropean))?|mdy|dmy|ymd"),
        "default_table_access_method": _one_of("heap"),
        "default_tablespace": _one_of(""),
        "default_toast_compression": _one_of("pglz", "lz4"),
        "default_transaction_isolation": _LEVEL,
        "transaction_isolation": _LEVEL,
        "default_transaction_read_only": _TRUTH,
        "transaction_read_only": _TRUTH,
        "default_transaction_deferrable": _TRUTH,
        "transaction_deferrable": _TRUTH,
        "escape_string_warning": _TRUTH,
        "extra_float_digits": _one_of("1", "2", "3"),
        "geqo": _TRUTH,
        "idle_in_transaction_session_timeout": _TIME,
        "idle_session_timeout": _TIME,
        "intervalstyle": _one_of("postgres"),
        "jit": _TRUTH,
        **dict.fromkeys(_PLANNED, _TRUTH),
        **dict.fromkeys(_WEIGHTS, _WEIGHT),
        **dict.fromkeys(_MEMORY, _SIZE),
        "lc_messages": _anything,
        "lc_monetary": _one_of("c", "posix"),
        "lc_numeric": _one_of("c", "posix"),
        "lc_time": _one_of("c", "posix"),
        "lock_timeout": _TIME,
        "plan_cache_mode": _one_of("auto", "force_generic_plan", "force_custom_plan"),
        "quote_all_identifiers": _FALSE,
        "role": _one_of("none"),
        "row_security": _TRUTH,
        "search_path": lambda value: _SCHEMAS.issuperset(_schemas(value)),
        "standard_conforming_strings": _TRUE,
        "statement_timeout": _TIME,
        "synchronize_seqscans": _TRUTH,
        "synchronous_commit": _like(r"on|off|local|remote_write|remote_apply|true|false"),
        **dict.fromkeys(("tcp_keepalives_idle", "tcp_keepalives_interval", "tcp_keepalives_count"), _NUMBER),
        "tcp_user_timeout": _TIME,
        "timezone": _like(r"utc|gmt|etc/utc|z|uct|zulu|etc/gmt|universal|[+-]?0{1,2}(:00)?"),
        "transaction_timeout": _TIME,
        "transform_null_equals": _FALSE,
        "xmlbinary": _one_of("base64", "hex"),
        "xmloption": _one_of("content", "document"),
    }
)  # fmt: skip
"""What each setting may be given, by its name in lower case."""


def is_setting(name: str) -> bool:
    """Whether a session may set this, or it is one of dpsql's own."""
    return name.lower() in KNOWN_SETTINGS or name.lower().startswith("dpsql.")


def is_known_value(name: str, value: str) -> bool:
    """Whether a setting may be given this value because that changes no answer."""
    allowed = KNOWN_SETTINGS.get(name.lower())
    return allowed is not None and allowed(value.strip())


def as_written(name: str, value: str) -> str:
    """A value that a setting may be given, as PostgreSQL shows it."""
    allowed, word = KNOWN_SETTINGS.get(name), value.strip().lower()
    if name == "datestyle":
        return "ISO, MDY"
    if name == "timezone":
        return "UTC"
    if name == "client_encoding":
        return "SQL_ASCII" if encoding_name(value) == "sqlascii" else "UTF8"
    if allowed in (_TRUTH, _TRUE, _FALSE):
        return "on" if _TRUE(word) else "off"
    if allowed is _LEVEL:
        return word
    return _longest_unit(word) if allowed is _TIME else value


def _longest_unit(time: str) -> str:
    """A time, in milliseconds unless it says otherwise, in the longest unit of which it is a whole number."""
    number = int(re.sub(r"[a-z\s]", "", time))
    unit = re.sub(r"[-\d\s]", "", time) or "ms"
    if number <= 0 or unit == "us":
        return time if number else "0"
    whole = number * dict(_UNITS)[unit]
    longest, size = next((u, s) for u, s in _UNITS if whole % s == 0)
    return f"{whole // size}{longest}"
