"""The types of the arguments of PostgreSQL's functions about the system, for placeholders that stand there.

Source: https://www.postgresql.org/docs/16/functions-info.html and functions-admin.html
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from dpsql.sql.dialect import Node

_NAMES: Final = {
    "OID INTEGER BOOLEAN": "pg_get_indexdef",
    "ANYARRAY INTEGER": "array_length array_lower array_upper list_extract",  # the last is x[i]
    "OID INTEGER": "col_description format_type pg_get_function_arg_default",
    "OID NAME": "obj_description shobj_description",
    "OID BOOLEAN": "pg_get_constraintdef pg_get_ruledef pg_get_triggerdef",
    "OID": (
        "pg_collation_is_visible pg_conversion_is_visible pg_function_is_visible pg_get_function_arguments "
        "pg_get_function_identity_arguments pg_get_function_result pg_get_functiondef pg_get_partition_constraintdef "
        "pg_get_partkeydef pg_get_statisticsobjdef pg_get_userbyid pg_opclass_is_visible pg_operator_is_visible "
        "pg_opfamily_is_visible pg_relation_is_publishable pg_table_is_visible pg_tablespace_location "
        "pg_ts_config_is_visible pg_type_is_visible pg_is_other_temp_schema"
    ),
    "INTEGER": "pg_blocking_pids pg_encoding_max_length pg_encoding_to_char",
    "BOOLEAN": "current_schemas",
}
_LOCKS: Final = (
    "pg_advisory_lock pg_advisory_lock_shared pg_advisory_unlock pg_advisory_unlock_shared pg_advisory_xact_lock "
    "pg_advisory_xact_lock_shared pg_try_advisory_lock pg_try_advisory_lock_shared pg_try_advisory_xact_lock "
    "pg_try_advisory_xact_lock_shared"
)
_OF_CALL: Final = MappingProxyType(
    {name: tuple(types.split()) for types, names in _NAMES.items() for name in names.split()}
)
_OF_LOCK: Final = MappingProxyType({1: ("BIGINT",), 2: ("INTEGER", "INTEGER")})
_LOCK_NAMES: Final = frozenset(_LOCKS.split())


def argument_type(call: Node, argument: Node) -> str | None:
    """The type of an argument of a call; None where the function has no one type there."""
    name, places = str(call.this).lower(), call.expressions
    types = _OF_LOCK.get(len(places), ()) if name in _LOCK_NAMES else _OF_CALL.get(name, ())
    at = next((i for i, each in enumerate(places) if each is argument), len(types))
    return types[at] if at < len(types) else None
