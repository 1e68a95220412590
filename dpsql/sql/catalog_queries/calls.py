"""The functions of PostgreSQL's catalogs, each as a template in DuckDB's SQL, or as a function that builds one.

In a template `_1`, `_2` are arguments and `@name(...)` is a lookup in the policy's names; what is private is NULL.
Functions build what depends on a constant argument, as format('%I.%I', a, b).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.system_tables import MAIN
from dpsql.errors import QueryRefused, Refusal
from dpsql.sql.ast.pg_column_names import cast_type
from dpsql.sql.ast.positions import place_of, refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.catalog_queries.call_types import MOMENTS_OF_STATISTICS, NUMBERS_OF_STATISTICS
from dpsql.sql.catalog_queries.lookups import GENERATED, KINDS, Lookups, duckdb_call
from dpsql.sql.dialect import Node
from dpsql.sql.lex.pg_keywords import NOT_NAMES
from dpsql.sql.parse.known_settings import is_known_value, is_setting
from dpsql.sql.system_tables.declarations import transaction_columns
from dpsql.sql.system_tables.pg_settings import setting

_TEXT: Final = "CAST(NULL AS VARCHAR)"
_NUMBER: Final = "CAST(NULL AS BIGINT)"
_MOMENT: Final = "CAST(NULL AS TIMESTAMP)"
_QUOTED: Final = (
    "CASE WHEN regexp_full_match(CAST(_1 AS VARCHAR), '[a-z_][a-z0-9_]*') "
    f"AND strpos(' {' '.join(sorted(NOT_NAMES))} ', ' ' || CAST(_1 AS VARCHAR) || ' ') = 0 THEN CAST(_1 AS VARCHAR) "
    "ELSE '\"' || replace(CAST(_1 AS VARCHAR), '\"', '\"\"') || '\"' END"
)

_LITERAL: Final = "'''' || replace(CAST(_1 AS VARCHAR), '''', '''''') || ''''"
_RELATION_COMMENT: Final = "@comments(CAST(_1 AS BIGINT) * 10000)"
_COLUMN_COMMENT: Final = "@comments(CAST(_1 AS BIGINT) * 10000 + CAST(_2 AS BIGINT))"
_FORMATTED: Final = (
    "CASE WHEN _1 IS NULL THEN NULL WHEN _1 = 1700 AND _2 >= 4 "
    "THEN 'numeric(' || ((_2 - 4) // 65536) || ',' || ((_2 - 4) % 65536) || ')' "
    "WHEN _1 IN (1042, 1043) AND _2 >= 4 THEN @regtype(_1) || '(' || (_2 - 4) || ')' "
    "WHEN _1 IN (1083, 1114, 1184, 1266) AND _2 >= 0 "
    "THEN regexp_replace(@regtype(_1), '^(\\w+)', '\\1(' || _2 || ')') "
    "WHEN _1 = 0 THEN '-' ELSE coalesce(@regtype(_1), '???') END"
)
_INDEXED: Final = (
    "CASE WHEN _2 <> 0 THEN @index_column(CAST(_1 AS BIGINT) * 10000 + _2) "
    "WHEN _3 THEN @short_index(_1) ELSE @index(_1) END"
)
_SEARCHED: Final = f"CASE WHEN _1 THEN ['pg_catalog', '{MAIN}'] ELSE ['{MAIN}'] END"
_CHAR_LENGTH: Final = (
    "CASE WHEN _2 = -1 THEN NULL WHEN _1 IN (1042, 1043) THEN _2 - 4 WHEN _1 IN (1560, 1562) THEN _2 END"
)
_PRECISION: Final = (
    "CASE _1 WHEN 21 THEN 16 WHEN 23 THEN 32 WHEN 20 THEN 64 WHEN 700 THEN 24 WHEN 701 THEN 53 "
    "WHEN 1700 THEN CASE WHEN _2 <> -1 THEN (_2 - 4) // 65536 END END"
)
_RADIX: Final = "CASE WHEN _1 IN (20, 21, 23, 700, 701) THEN 2 WHEN _1 = 1700 THEN 10 END"
_SCALE: Final = "CASE WHEN _1 IN (20, 21, 23) THEN 0 WHEN _1 = 1700 AND _2 <> -1 THEN (_2 - 4) % 65536 END"
_MOMENT_PRECISION: Final = (
    "CASE WHEN _1 = 1082 THEN 0 WHEN _1 IN (1083, 1114, 1184, 1186, 1266) "
    "THEN CASE WHEN _2 < 0 THEN 6 ELSE _2 END END"
)
_PARTS: Final = (
    """list_transform(regexp_extract_all(_1, '"(?:[^"]|"")*"|[^."\\s]+'), lambda dpsql_v: CASE WHEN dpsql_v[1] = '"' """
    """THEN replace(dpsql_v[2:-2], '""', '"') ELSE lower(dpsql_v) END)"""
)
"""The names of `a."B".c`, without what parse_ident would refuse."""
_TYPES_OF_VECTOR: Final = (
    "array_to_string(list_transform(_1, lambda dpsql_v: coalesce(@regtype(dpsql_v), '???')), ', ')"
)
_INDEX_COLUMN: Final = (
    "lower(_3) IN ('asc', 'nulls_last', 'orderable', 'returnable', 'search_array', 'search_nulls')"
)
_INDEX: Final = "lower(_2) IN ('clusterable', 'index_scan', 'bitmap_scan', 'backward_scan')"
_METHOD: Final = (
    "CASE WHEN _1 = 403 THEN lower(_2) IN ('can_order', 'can_unique', 'can_multi_col', 'can_exclude') "
    "OR lower(_2) = 'can_include' END"
)
# Nothing is granted to anybody by a list: every analyst may ask the same.
_GRANT: Final = "STRUCT(grantor BIGINT, grantee BIGINT, privilege_type VARCHAR, is_grantable BOOLEAN)"
_NO_GRANTS: Final = f"unnest(CAST([] AS {_GRANT}[]))"
_EXPANDED: Final = "unnest(list_transform(_1, lambda dpsql_v, dpsql_n: {'x': dpsql_v, 'n': dpsql_n}))"


def _privilege(last: int, granted: str) -> str:
    """Whether one of the privileges in the last argument, as 'SELECT, INSERT', is one that every analyst has."""
    each = f"string_split(lower(CAST(_{last} AS VARCHAR)), ',')"
    return f"len(list_filter({each}, lambda dpsql_v: trim(dpsql_v) IN ({granted}))) > 0"


def _each(names: str, template: str, *arities: int) -> dict[str, dict[int, str]]:
    return {name: dict.fromkeys(arities, template) for name in names.split()}


def _granted(names: str, most: int, granted: str) -> dict[str, dict[int, str]]:
    """Privilege functions, with and without a user name as the first argument."""
    return {
        name: {most - 1: _privilege(most - 1, granted), most: _privilege(most, granted)}
        for name in names.split()
    }


_READING: Final = "'select'"
TEMPLATES: Final = MappingProxyType[str, dict[int, str]](
    {
        **_each("version", "@version", 0),
        **_each("current_schema", f"'{MAIN}'", 0),
        **_each("current_database current_catalog", "@database", 0),
        **_each("current_user session_user user current_role getpgusername", "@analyst", 0),
        "current_schemas": {1: _SEARCHED},
        "format_type": {2: _FORMATTED, 1: "coalesce(@regtype(_1), '???')"},
        **_each("pg_get_constraintdef", "@constraint(_1)", 1, 2),
        "pg_get_indexdef": {1: "@index(_1)", 3: _INDEXED},
        "pg_get_userbyid": {1: "coalesce(@regrole(_1), 'unknown (OID=' || _1 || ')')"},
        "obj_description": {1: _RELATION_COMMENT, 2: _RELATION_COMMENT},
        "col_description": {2: _COLUMN_COMMENT},
        **_each("shobj_description pg_get_expr pg_get_viewdef pg_get_triggerdef", _TEXT, 1, 2, 3),
        **_each("pg_get_ruledef pg_get_partkeydef pg_get_statisticsobjdef", _TEXT, 1, 2),
        **_each("pg_get_statisticsobjdef_columns pg_get_serial_sequence pg_get_functiondef", _TEXT, 1, 2),
        **_each("pg_get_function_arguments pg_get_function_identity_arguments", "''", 1),
        **_each("pg_get_function_result pg_get_function_sqlbody", _TEXT, 1),
        "pg_get_partition_constraintdef": {1: _TEXT},
        "pg_get_function_arg_default": {2: _TEXT},
        "pg_encoding_max_length": {1: "CASE WHEN _1 = 6 THEN 4 END"},
        "pg_index_column_has_property": {3: _INDEX_COLUMN},
        "pg_index_has_property": {2: _INDEX},
        "pg_indexam_has_property": {2: _METHOD},
        **_each("pg_current_wal_lsn pg_last_wal_receive_lsn pg_last_wal_replay_lsn", _TEXT, 0),
        **_each("pg_current_wal_flush_lsn pg_current_wal_insert_lsn", _TEXT, 0),
        **_each("pg_current_snapshot txid_current_snapshot", _TEXT, 0),
        "pg_export_snapshot": {0: "''"},  # DuckDB takes it for none
        **_each("txid_current_if_assigned pg_current_xact_id_if_assigned", _NUMBER, 0),
        **_each("pg_walfile_name pg_column_compression", _TEXT, 1),
        **_each("pg_wal_lsn_diff", "CAST(NULL AS DOUBLE)", 2),
        **_each("pg_blocking_pids pg_safe_snapshot_blocking_pids", "CAST([] AS INTEGER[])", 1),
        **_each("pg_partition_root", _NUMBER, 1),
        **_each("pg_stat_clear_snapshot", "''", 0),
        **_each("pg_trigger_depth", "0", 0),
        **_each("pg_jit_available", "FALSE", 0),
        **_each("pg_notification_queue_usage", "CAST(0 AS DOUBLE)", 0),
        **_each("host abbrev", "CAST(_1 AS VARCHAR)", 1),
        **_each("json_object_agg jsonb_object_agg", "json_group_object(_1, _2)", 2),
        "array_to_json": {1: "to_json(_1)"},
        "regexp_split_to_array": {2: "string_split_regex(_1, _2)"},
        "regexp_split_to_table": {2: "unnest(string_split_regex(_1, _2))"},
        "string_to_table": {2: "unnest(string_split(_1, _2))"},
        "date_part": {2: "CAST(datepart(_1, _2) AS DOUBLE)"},
        "bpchar": {1: "CAST(_1 AS VARCHAR)"},
        "oidvectortypes": {1: _TYPES_OF_VECTOR},
        "every": {1: "bool_and(_1)"},
        "ascii": {1: "ascii(_1)"},
        "json_build_array": {
            n: f"json_array({', '.join(f'_{i}' for i in range(1, n + 1))})" for n in range(9)
        },
        "jsonb_build_array": {
            n: f"json_array({', '.join(f'_{i}' for i in range(1, n + 1))})" for n in range(9)
        },
        "pg_partition_ancestors": {1: "unnest(CAST([] AS BIGINT[]))"},  # no table is a partition
        **_each("json_agg jsonb_agg", "to_json(list(_1))", 1),
        "bit_and": {1: "bit_and(_1)"},
        "bit_or": {1: "bit_or(_1)"},
        **_each("to_json to_jsonb row_to_json", "to_json(_1)", 1),
        **_each("pg_relation_filepath pg_describe_object pg_identify_object", _TEXT, 1, 3),
        **_each("pg_tablespace_location", "''", 1),
        "pg_table_is_visible": {1: "@visible(CAST(_1 AS BIGINT))"},
        "pg_type_is_visible": {1: "NOT @unseen_type(CAST(_1 AS BIGINT))"},
        **_each("pg_function_is_visible pg_opclass_is_visible", "_1 IS NOT NULL", 1),
        **_each("pg_operator_is_visible pg_collation_is_visible pg_opfamily_is_visible", "_1 IS NOT NULL", 1),
        **_each("pg_conversion_is_visible pg_statistics_obj_is_visible", "_1 IS NOT NULL", 1),
        **_each("pg_ts_config_is_visible pg_ts_dict_is_visible pg_ts_parser_is_visible", "_1 IS NOT NULL", 1),
        **_each("pg_ts_template_is_visible", "_1 IS NOT NULL", 1),
        "_pg_char_max_length": {2: _CHAR_LENGTH},
        "_pg_numeric_precision": {2: _PRECISION},
        "_pg_numeric_precision_radix": {2: _RADIX},
        "_pg_numeric_scale": {2: _SCALE},
        "_pg_datetime_precision": {2: _MOMENT_PRECISION},
        "parse_ident": {1: _PARTS, 2: _PARTS},
        **_granted("has_table_privilege has_any_column_privilege", 3, _READING),
        **_granted("has_column_privilege", 4, _READING),
        **_granted("has_schema_privilege", 3, "'usage'"),
        **_granted("has_database_privilege", 3, "'connect'"),
        **_granted("has_function_privilege", 3, "'execute'"),
        **_granted("has_type_privilege has_language_privilege", 3, "'usage'"),
        **_granted("has_sequence_privilege has_tablespace_privilege has_server_privilege", 3, "''"),
        **_granted("has_foreign_data_wrapper_privilege has_parameter_privilege", 3, "''"),
        **_each("pg_has_role", "TRUE", 2, 3),
        **_each("row_security_active pg_is_in_recovery pg_is_wal_replay_paused", "FALSE", 0, 1),
        **_each("pg_relation_is_publishable pg_is_other_temp_schema", "FALSE", 1),
        **_each("pg_relation_is_updatable", "0", 2),
        **_each("pg_column_is_updatable", "FALSE", 3),
        **_each("pg_relation_size pg_total_relation_size pg_table_size pg_indexes_size", _NUMBER, 1, 2),
        **_each("pg_database_size pg_tablespace_size pg_column_size pg_relation_filenode", _NUMBER, 1),
        **_each(NUMBERS_OF_STATISTICS, _NUMBER, 1),
        **_each(MOMENTS_OF_STATISTICS, _MOMENT, 1),
        **_each("pg_stat_get_snapshot_timestamp", _MOMENT, 0),
        **_each("pg_sequence_last_value", _NUMBER, 1),
        **_each("age mxid_age", "1", 1),
        **_each("txid_current pg_current_xact_id", "1", 0),
        "pg_size_pretty": {1: _TEXT},
        **_each("pg_postmaster_start_time pg_conf_load_time pg_last_xact_replay_timestamp", _MOMENT, 0),
        "pg_backend_pid": {0: "@process"},
        "pg_my_temp_schema": {0: "0"},
        **_each("pg_advisory_unlock_all", "''", 0),
        **_each("pg_advisory_lock pg_advisory_lock_shared", "''", 1, 2),
        **_each("pg_advisory_xact_lock pg_advisory_xact_lock_shared", "''", 1, 2),
        **_each("pg_try_advisory_lock pg_try_advisory_lock_shared pg_advisory_unlock", "TRUE", 1, 2),
        **_each("pg_try_advisory_xact_lock pg_try_advisory_xact_lock_shared", "TRUE", 1, 2),
        **_each("pg_advisory_unlock_shared", "TRUE", 1, 2),
        **_each("inet_server_addr inet_client_addr", _TEXT, 0),
        **_each("inet_server_port inet_client_port", "CAST(NULL AS INTEGER)", 0),
        "pg_encoding_to_char": {1: "CASE WHEN _1 = 6 THEN 'UTF8' ELSE '' END"},
        "pg_char_to_encoding": {1: "CASE WHEN upper(_1) IN ('UTF8', 'UNICODE') THEN 6 ELSE -1 END"},
        **_each("getdatabaseencoding pg_client_encoding", "'UTF8'", 0),
        **_each("current_setting", "@setting(_1)", 1, 2),
        "chr": {1: "chr(_1)"},
        "mod": {2: "_1 % _2"},
        **_each("pow power", "power(_1, _2)", 2),
        "md5": {1: "md5(_1)"},
        **_each("clock_timestamp statement_timestamp transaction_timestamp", "now()", 0),
        "quote_ident": {1: _QUOTED},
        "quote_literal": {1: _LITERAL},
        "quote_nullable": {1: f"coalesce({_LITERAL}, 'NULL')"},
        **{f"{to}{kind}": {1: f"@oid_{kind}(_1)"} for kind in KINDS for to in ("", "to_")},
        "_pg_expandarray": {1: _EXPANDED},
        "aclexplode": {1: _NO_GRANTS},
        "acldefault": {2: _TEXT},
        "array_upper": {2: "CASE WHEN len(_1) > 0 AND _2 = 1 THEN len(_1) END"},
        "array_length": {2: "CASE WHEN len(_1) > 0 AND _2 = 1 THEN len(_1) END"},
        "array_lower": {2: "CASE WHEN len(_1) > 0 AND _2 = 1 THEN 1 END"},
        "array_ndims": {1: "CASE WHEN len(_1) > 0 THEN 1 END"},
        "cardinality": {1: "len(_1)"},
        "array_to_string": {2: "array_to_string(_1, _2)"},
        "array_position": {2: "list_position(_1, _2)"},
        "array_remove": {2: "list_filter(_1, lambda dpsql_v: dpsql_v IS DISTINCT FROM _2)"},
        "array_append": {2: "list_append(_1, _2)"},
        "array_cat": {2: "list_concat(_1, _2)"},
        "generate_subscripts": {2: "generate_subscripts(_1, _2)"},
        "unnest": {1: "unnest(_1)"},
        "generate_series": {2: "unnest(generate_series(_1, _2))", 3: "unnest(generate_series(_1, _2, _3))"},
        "string_to_array": {2: "string_split(_1, _2)"},
        "btrim": {1: "trim(_1)", 2: "trim(_1, _2)"},
        "char_length": {1: "length(_1)"},
        "octet_length": {1: "strlen(_1)"},
        "regexp_replace": {3: "regexp_replace(_1, _2, _3)", 4: "regexp_replace(_1, _2, _3, _4)"},
        "starts_with": {2: "starts_with(_1, _2)"},
        "translate": {3: "translate(_1, _2, _3)"},
        "initcap": {1: "upper(left(_1, 1)) || lower(substr(_1, 2))"},
    }
)
"""The template of each function by its number of arguments; any other call is refused."""
_LONGEST_PATTERN: Final = 1_000
_FIELD: Final = re.compile(r"%(?:(\d+)\$)?([sIL%])")


def _formatted(call: exp.Anonymous, lookups: Lookups) -> Node:
    """format() as a concatenation: %s is the value as text, %I as an identifier, %L as a literal."""
    text, *values = call.expressions
    if not isinstance(text, exp.Literal) or not text.is_string or "%" in _FIELD.sub("", text.name):
        raise refuse_node(call, "format takes a constant text with %s, %I and %L here")
    parts: list[Node] = []
    at = taken = 0
    for field in _FIELD.finditer(text.name):
        parts.append(exp.Literal.string(text.name[at : field.start()]))
        at = field.end()
        if field.group(2) == "%":
            parts.append(exp.Literal.string("%"))
            continue
        taken = int(field.group(1)) if field.group(1) else taken + 1
        if not 0 < taken <= len(values):
            raise refuse_node(call, "format has more fields than values")
        parts.append(_field(field.group(2), values[taken - 1], lookups))
    return duckdb_call("concat", *parts, exp.Literal.string(text.name[at:]))


def _field(kind: str, value: Node, lookups: Lookups) -> Node:
    name = {"I": "quote_ident", "L": "quote_nullable"}.get(kind)
    return lookups.limit.take(value.copy()) if name is None else lookups.filled(TEMPLATES[name][1], [value])


def _matched(call: exp.Anonymous, lookups: Lookups) -> Node:
    """regexp_match() as the array of what the groups of a constant pattern match, or of the whole match."""
    if len(call.expressions) != 2:
        raise refuse_node(call, "regexp_match takes a text and a constant pattern here")
    text, pattern = call.expressions
    count = groups_of(pattern)
    parts = [f"regexp_extract(_1, _2, {at})" for at in (range(1, count + 1) if count else [0])]
    template = f"CASE WHEN regexp_matches(_1, _2) THEN [{', '.join(parts)}] END"
    return lookups.filled(template, [text, pattern])


def groups_of(pattern: Node) -> int:
    """How many groups a constant pattern has. Raises QueryRefused for any other."""
    try:
        if isinstance(pattern, exp.Literal) and pattern.is_string and len(pattern.name) <= _LONGEST_PATTERN:
            return re.compile(pattern.name).groups
    except (re.error, OverflowError, RecursionError):
        pass
    raise refuse_node(pattern, "a pattern is a constant regular expression here")


def _set(call: exp.Anonymous, lookups: Lookups) -> Node:
    """set_config() of a setting that changes no answer; its value is the new value."""
    texts = [e.name for e in call.expressions[:2] if isinstance(e, exp.Literal) and e.is_string]
    if len(call.expressions) != 3 or len(texts) != 2 or not is_known_value(*texts):
        raise refuse_node(call, "this setting cannot be changed")
    return exp.Literal.string(texts[1])


def _current(call: exp.Anonymous, lookups: Lookups) -> Node:
    """current_setting(), of which one that is not known is an error unless NULL is asked for."""
    name = call.expressions[0] if len(call.expressions) == 1 else None
    if isinstance(name, exp.Literal) and setting(name.name) is None and not is_setting(name.name):
        reason = f'there is no setting "{name.name[:60]}"'
        raise QueryRefused(reason, place=place_of(call), kind=Refusal.NO_SETTING)
    return _of_template(call, lookups)


def _encoded(call: exp.Anonymous, lookups: Lookups) -> Node:
    """encode() of a column, for the only one of bytes is that of triggers, which there are none of."""
    if len(call.expressions) != 2 or not isinstance(call.expressions[0], exp.Column):
        raise refuse_node(call, "encode takes a column and a format here")
    return lookups.filled(_TEXT, [])


def _object(call: exp.Anonymous, lookups: Lookups) -> Node:
    return duckdb_call("json_object", *call.expressions)


def _untyped(call: exp.Anonymous, lookups: Lookups) -> Node:
    raise refuse_node(call, "pg_typeof takes a value of the SELECT list whose type is known here")


def _of_template(call: exp.Anonymous, lookups: Lookups) -> Node:
    name, arguments = str(call.this).lower(), list(call.expressions)
    template = TEMPLATES.get(name, {}).get(len(arguments))
    if template is None:
        raise unknown_call(call)
    return lookups.filled(template, arguments)


def check_ages(tree: Node) -> None:
    """Refuses the age of anything but a transaction: that of a moment is for a query of another kind."""
    for call in all_of(tree, exp.Anonymous):
        if str(call.this).lower() == "age" and len(call.expressions) == 1:
            names = {column.name.lower() for column in all_of(call, exp.Column)}
            is_cast = any(cast_type(cast.args["to"]) == "xid" for cast in all_of(call, exp.Cast))
            if not (names or is_cast) or not names <= transaction_columns():
                raise unknown_call(call)


def unknown_call(call: exp.Anonymous) -> QueryRefused:
    """Why a call of this name, with so many arguments, is not read."""
    name = str(call.this).lower()
    shown = f"{name} with {len(call.expressions)} arguments" if name in TEMPLATES else f"the function {name}"
    reason = f"{shown} is not supported in a statement about the system"
    return QueryRefused(reason, place=place_of(call), kind=Refusal.NO_FUNCTION)


REWRITES: Final = MappingProxyType[str, Callable[[exp.Anonymous, Lookups], Node]](
    {
        "encode": _encoded,
        "format": _formatted,
        "current_setting": _current,
        "pg_typeof": _untyped,
        "regexp_match": _matched,
        "set_config": _set,
        "json_build_object": _object,
        "jsonb_build_object": _object,
    }
)
"""The functions whose constant arguments decide their expression, and what builds it."""
KNOWN: Final = frozenset({*TEMPLATES, *REWRITES})
_NODES: Final = (
    ("CurrentUser", "current_user"),
    ("SessionUser", "session_user"),
    ("CurrentRole", "current_user"),
    ("CurrentSchema", "current_schema"),
    ("CurrentCatalog", "current_database"),
    ("CurrentDatabase", "current_database"),
    ("Version", "version"),
)
CONSTANTS: Final = MappingProxyType(
    {kind: name for node, name in _NODES if (kind := getattr(exp, node, None)) is not None}
)
"""sqlglot's nodes for constants of a connection, as far as this version has them, and the function of each."""


def rewrite_calls(tree: Node, lookups: Lookups) -> None:
    """Replace every call by DuckDB's SQL. Raises QueryRefused for unknown functions."""
    for node in all_of(tree, *CONSTANTS):
        node.replace(exp.Anonymous(this=CONSTANTS[type(node)]))
    for call in reversed(all_of(tree, exp.Anonymous)):
        if not call.meta.get(GENERATED):
            name = str(call.this).lower()
            call.replace(REWRITES.get(name, _of_template)(call, lookups))
