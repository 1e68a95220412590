"""Types under the names that other databases have for them, and with sizes that DuckDB reads over."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.column_names import keep_names
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import OTHERS_TYPES, DType, Node


def own_type(node: Node) -> exp.DataType | None:
    """The type that DuckDB has for one of another database; None for any other type."""
    written, sizes = node.meta.get("type"), node.args.get("expressions") or []
    if written == "NUMBER":
        is_sized = bool(sizes) and "start" in sizes[0].this.meta
        return exp.DataType.build(node.sql("duckdb") if is_sized else "DECIMAL(38, 0)", dialect="duckdb")
    own = _OWN_TYPES.get(str(written))
    return exp.DataType(this=own) if own is not None and not _has_effect(sizes, own) else None


def plain_type(node: Node) -> exp.DataType | None:
    """The same type without the sizes that DuckDB reads over; None where they have an effect, and without any."""
    sizes = node.args.get("expressions") or []
    plain = _PLAIN_TYPES.get(node.this)
    return exp.DataType(this=plain) if plain is not None and not _has_effect(sizes, plain) else None


def _has_effect(sizes: list[Node], of: DType) -> bool:
    """Whether the size of a type says more than that its moments have microseconds, or how long a text may be."""
    return bool(sizes) and of is not DType.TEXT and [s.name for s in sizes] not in (["6"], ["9"])


_PLAIN_TYPES: Final = MappingProxyType(
    {
        **dict.fromkeys((DType.VARCHAR, DType.NVARCHAR, DType.CHAR, DType.NCHAR), DType.TEXT),
        DType.TIMESTAMPNTZ: DType.TIMESTAMPNTZ,
    }
)
_OWN_TYPES: Final = MappingProxyType(
    {
        **OTHERS_TYPES,
        **dict.fromkeys(("VARCHAR2", "NVARCHAR2", "CLOB"), DType.TEXT),
        "TIMESTAMP_NTZ": DType.TIMESTAMPNTZ,
        "TIMESTAMP_LTZ": DType.TIMESTAMPTZ,
        "MEDIUMINT": DType.INT,
    }
)


def without_foreign_types(tree: Node) -> bool:
    """Changes the types of other databases into those that they are. Says whether there was one.

    >>> after(without_foreign_types, "SELECT CAST(a AS NUMBER) AS b, CAST(c AS CLOB) AS d, e::TIMESTAMP_NTZ(9) AS f")
    SELECT CAST(a AS DECIMAL(38, 0)) AS b, CAST(c AS TEXT) AS d, CAST(e AS TIMESTAMP) AS f
    """
    found = [(node, own) for node in all_of(tree, exp.DataType) if (own := own_type(node)) is not None]
    keep_names(node for node, _ in found)
    for node, own in found:
        node.replace(own)
    return bool(found)


def without_sizes(tree: Node) -> None:
    """Changes texts and moments with a size that DuckDB reads over into those without one.

    >>> after(without_sizes, "SELECT CAST(a AS CHARACTER VARYING(9)), CAST(b AS NVARCHAR), c::TIMESTAMP(6)")
    SELECT CAST(a AS TEXT), CAST(b AS TEXT), CAST(c AS TIMESTAMP)
    """
    for node in all_of(tree, exp.DataType):
        if (plain := plain_type(node)) is not None:
            node.replace(plain)
