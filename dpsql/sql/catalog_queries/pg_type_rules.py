"""PostgreSQL's rules for the type of several values side by side, and of arithmetic.

Source: https://www.postgresql.org/docs/16/typeconv-union-case.html
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

UNKNOWN: Final = "unknown"
"""The type of NULL and of a literal in quotes, until something else decides it; text in an answer."""
_NUMBERS: Final = ("int2", "int4", "int8", "numeric", "float4", "float8")
_MOMENTS: Final = ("date", "timestamp", "timestamptz")
_OIDS: Final = frozenset({"oid", "regclass", "regtype", "regproc", "regprocedure", "regnamespace", "regrole"})
_TEXTS: Final = frozenset(
    {
        *(("char", "text"), ("name", "text"), ("varchar", "text"), ("bpchar", "text"), ("text", "varchar")),
        *(("text", "bpchar"), ("varchar", "bpchar"), ("bpchar", "varchar")),
        *(("text", "name"), ("varchar", "name"), ("bpchar", "name")),
    }
)
_PREFERRED: Final = frozenset({"text", "oid", "float8", "timestamptz", "bool"})
_SUMS: Final = {"int2": "int8", "int4": "int8", "int8": "numeric", "float4": "float4", "float8": "float8"}
_SHOWN_AS_TEXT: Final = frozenset({"name", "char", "varchar"})


def _is_implicit(one: str, other: str) -> bool:
    """Whether PostgreSQL converts a value of one type to the other without being asked."""
    for ordered in (_NUMBERS, _MOMENTS):
        if one in ordered and other in ordered:
            return ordered.index(one) < ordered.index(other)
    if other in _OIDS:
        return one in ("int2", "int4", "int8") or (one in _OIDS and "oid" in (one, other))
    return (one, other) in _TEXTS


def common_type(types: Iterable[str | None]) -> str | None:
    """The type of CASE, COALESCE, VALUES and UNION over values of these types; None where one is not known."""
    common = UNKNOWN
    for kind in types:
        if kind is None:
            return None
        if kind in (UNKNOWN, common):
            continue
        if common == UNKNOWN or (
            common not in _PREFERRED and _is_implicit(common, kind) and not _is_implicit(kind, common)
        ):
            common = kind
    return common


def arithmetic_type(one: str | None, other: str | None) -> str | None:
    """The type of a sum, difference, product, quotient or remainder; None where it is not known."""
    if one == UNKNOWN or other == UNKNOWN:
        return other if one == UNKNOWN else one
    if one in _NUMBERS and other in _NUMBERS:
        wider = _NUMBERS[max(_NUMBERS.index(one), _NUMBERS.index(other))]
        return "float8" if wider == "float4" and one != other else wider
    return None


def sum_type(kind: str | None) -> str:
    """The type of SUM."""
    return _SUMS.get(kind or "", "numeric")


def average_type(kind: str | None) -> str:
    """The type of AVG."""
    return "float8" if kind in ("float4", "float8") else "numeric"


def extreme_type(kind: str | None) -> str | None:
    """The type of MIN and MAX: those of names are texts."""
    return "text" if kind in _SHOWN_AS_TEXT else kind


def element_type(kind: str | None) -> str | None:
    """The type of the elements of an array or vector; None for any other type."""
    vectors = {"int2vector": "int2", "oidvector": "oid"}
    if kind is None or kind in vectors:
        return vectors.get(kind or "")
    return kind[1:] if kind.startswith("_") else None


def array_type(kind: str | None) -> str | None:
    """The type of arrays of a type; an array of arrays is of the same type."""
    if kind is None or kind.startswith("_"):
        return kind
    return "_text" if kind == UNKNOWN else f"_{kind}"
