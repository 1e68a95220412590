"""The operator classes and operators of keys of a policy's tables: those that PostgreSQL takes where none is named.

OIDs are those of PostgreSQL 16 (pg_opclass.dat, pg_operator.dat; from 10000 on as its initdb gives them).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

CLASSES: Final = MappingProxyType(
    {
        16: (10003, "bool_ops", 424),
        17: (10006, "bytea_ops", 428),
        20: (3124, "int8_ops", 1976),
        21: (1979, "int2_ops", 1976),
        23: (1978, "int4_ops", 1976),
        25: (3126, "text_ops", 1994),
        700: (10012, "float4_ops", 1970),
        701: (3123, "float8_ops", 1970),
        1082: (3122, "date_ops", 434),
        1083: (10038, "time_ops", 1996),
        1114: (3128, "timestamp_ops", 434),
        1184: (3127, "timestamptz_ops", 434),
        1700: (3125, "numeric_ops", 1988),
        2950: (10065, "uuid_ops", 2968),
    }
)
"""OID, name and operator family of the class for values of a type, by the type's OID."""
_EQUAL: Final = MappingProxyType(
    {
        16: 91,
        17: 1955,
        20: 410,
        21: 94,
        23: 96,
        25: 98,
        700: 620,
        701: 670,
        1082: 1093,
        1083: 1108,
        1114: 2060,
    }
    | {1184: 1320, 1700: 1752, 2950: 2972}
)
"""The OID of the operator = of each of these types."""
_TEXT: Final = 25
_OF_TEXT: Final = frozenset({1042, 1043})


def operator_class(type_oid: int) -> int:
    """The OID of the class of a key's column; 0 where its type has none here."""
    found = CLASSES.get(_TEXT if type_oid in _OF_TEXT else type_oid)
    return found[0] if found is not None else 0


def equality(type_oid: int) -> int:
    """The OID of the operator by which a key's column is compared with another's; 0 where its type has none here."""
    return _EQUAL.get(_TEXT if type_oid in _OF_TEXT else type_oid, 0)
