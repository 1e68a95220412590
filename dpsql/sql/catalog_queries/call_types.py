"""The types of what the functions of catalog queries give, by PostgreSQL's names.

Source: https://www.postgresql.org/docs/16/functions.html
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_STATISTICS: Final = (
    "analyze_count autoanalyze_count autovacuum_count blocks_fetched blocks_hit dead_tuples ins_since_vacuum "
    "live_tuples mod_since_analyze numscans tuples_deleted tuples_fetched tuples_hot_updated tuples_inserted "
    "tuples_newpage_updated tuples_returned tuples_updated vacuum_count db_blocks_fetched db_blocks_hit "
    "db_conflict_all db_deadlocks db_temp_bytes db_temp_files db_tuples_deleted db_tuples_fetched "
    "db_tuples_inserted db_tuples_returned db_tuples_updated db_xact_commit db_xact_rollback"
)
_MOMENTS: Final = (
    "db_stat_reset_time last_analyze_time last_autoanalyze_time last_autovacuum_time last_vacuum_time "
    "lastscan"
)
NUMBERS_OF_STATISTICS: Final = " ".join(f"pg_stat_get_{name}" for name in _STATISTICS.split())
"""What PostgreSQL counts of a table or a database: here all of it is unknown."""
MOMENTS_OF_STATISTICS: Final = " ".join(f"pg_stat_get_{name}" for name in _MOMENTS.split())
"""When PostgreSQL did something of its own to a table: here it is unknown too."""
_NAMES: Final = {
    "_int4": "pg_blocking_pids pg_safe_snapshot_blocking_pids",
    "_name": "current_schemas",
    "_text": "parse_ident regexp_match regexp_split_to_array string_to_array",
    "bpchar": "bpchar",
    "bool": (
        "bool_and bool_or every has_any_column_privilege has_column_privilege has_database_privilege "
        "has_foreign_data_wrapper_privilege has_function_privilege has_language_privilege "
        "has_parameter_privilege has_schema_privilege has_sequence_privilege has_server_privilege "
        "has_table_privilege has_tablespace_privilege has_type_privilege pg_collation_is_visible "
        "pg_column_is_updatable pg_jit_available pg_conversion_is_visible pg_function_is_visible pg_has_role "
        "pg_index_column_has_property pg_index_has_property pg_indexam_has_property pg_is_in_recovery "
        "pg_is_other_temp_schema pg_is_wal_replay_paused pg_opclass_is_visible pg_operator_is_visible "
        "pg_opfamily_is_visible pg_relation_is_publishable pg_statistics_obj_is_visible "
        "pg_table_is_visible pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible "
        "pg_type_is_visible row_security_active starts_with pg_advisory_unlock pg_advisory_unlock_shared "
        "pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock "
        "pg_try_advisory_xact_lock_shared"
    ),
    "date": "current_date",
    "float8": "pg_notification_queue_usage cume_dist date_part percent_rank pow power",
    "inet": "inet_client_addr inet_server_addr",
    "int4": (
        "_pg_char_max_length _pg_datetime_precision _pg_numeric_precision _pg_numeric_precision_radix "
        "_pg_numeric_scale _pg_truetypmod array_length array_lower array_ndims array_position array_upper "
        "ascii cardinality grouping char_length generate_subscripts inet_client_port inet_server_port length "
        "mxid_age octet_length pg_trigger_depth pg_backend_pid pg_char_to_encoding pg_column_size "
        "pg_encoding_max_length "
        "pg_relation_is_updatable position strpos"
    ),
    "int8": (
        "count dense_rank ntile pg_database_size pg_indexes_size pg_relation_size pg_sequence_last_value "
        "pg_table_size txid_current_if_assigned "
        "pg_tablespace_size pg_total_relation_size rank row_number txid_current"
    ),
    "json": "array_to_json json_agg json_build_array json_build_object json_object_agg row_to_json to_json",
    "jsonb": "jsonb_agg jsonb_build_array jsonb_build_object jsonb_object_agg to_jsonb",
    "pg_lsn": (
        "pg_current_wal_flush_lsn pg_current_wal_insert_lsn pg_current_wal_lsn pg_last_wal_receive_lsn "
        "pg_last_wal_replay_lsn"
    ),
    "name": (
        "current_catalog current_database current_role current_schema current_user getdatabaseencoding "
        "getpgusername pg_client_encoding pg_encoding_to_char pg_get_userbyid session_user user"
    ),
    "numeric": "extract pg_wal_lsn_diff",
    "oid": "_pg_truetypid pg_my_temp_schema pg_relation_filenode",
    "regclass": "regclass pg_partition_root pg_partition_ancestors to_regclass",
    "regnamespace": "regnamespace to_regnamespace",
    "regproc": "regproc to_regproc",
    "regrole": "regrole to_regrole",
    "regtype": "regtype pg_typeof to_regtype",
    "text": (
        "abbrev array_to_string btrim chr host pg_column_compression pg_walfile_name col_description "
        "concat concat_ws current_setting encode format format_type "
        "oidvectortypes regexp_split_to_table string_to_table "
        "initcap left lower lpad ltrim md5 obj_description overlay pg_describe_object "
        "pg_export_snapshot pg_get_constraintdef pg_get_expr pg_get_function_arg_default pg_get_function_arguments "
        "pg_get_function_identity_arguments pg_get_function_result pg_get_function_sqlbody "
        "pg_get_functiondef pg_get_indexdef pg_get_partition_constraintdef pg_get_partkeydef "
        "pg_get_ruledef pg_get_serial_sequence pg_get_statisticsobjdef pg_get_statisticsobjdef_columns "
        "pg_get_triggerdef pg_get_viewdef pg_relation_filepath pg_size_pretty pg_tablespace_location "
        "quote_ident quote_literal quote_nullable regexp_replace repeat replace reverse right rpad rtrim "
        "set_config shobj_description split_part string_agg substr substring to_char translate trim upper "
        "version"
    ),
    "timestamp": "localtimestamp",
    "timestamptz": (
        "clock_timestamp current_timestamp now pg_conf_load_time pg_last_xact_replay_timestamp "
        "pg_postmaster_start_time pg_stat_get_snapshot_timestamp "
        "statement_timestamp transaction_timestamp"
    ),
    "void": (
        "pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock_all pg_advisory_xact_lock "
        "pg_advisory_xact_lock_shared pg_stat_clear_snapshot"
    ),
    "xid8": "pg_current_xact_id pg_current_xact_id_if_assigned",
    "pg_snapshot": "pg_current_snapshot",
    "txid_snapshot": "txid_current_snapshot",
}
TYPE_OF_CALL: Final = MappingProxyType(
    {name: kind for kind, names in _NAMES.items() for name in names.split()}
    | dict.fromkeys(NUMBERS_OF_STATISTICS.split(), "int8")
    | dict.fromkeys(MOMENTS_OF_STATISTICS.split(), "timestamptz")
)
"""The type that each function gives, whatever its arguments."""
SAME_AS_FIRST: Final = frozenset(
    {
        *(
            "abs",
            "bit_and",
            "bit_or",
            "array_append",
            "array_cat",
            "array_remove",
            "date_trunc",
            "first_value",
        ),
        *("lag", "last_value", "lead", "mode", "nth_value"),
    }
)
"""The functions that give the type of their first argument."""
