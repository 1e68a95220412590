"""The names that PostgreSQL gives to columns of an answer that have no alias.

Source: https://www.postgresql.org/docs/16/queries-select-lists.html#QUERIES-COLUMN-LABELS
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.traversal import is_star
from dpsql.sql.dialect import DType, Node

NAMELESS: Final = "?column?"
_NODES: Final = MappingProxyType[str, str](
    {
        "Count": "count",
        "GroupConcat": "string_agg",
        "ArrayAgg": "array_agg",
        "LogicalAnd": "bool_and",
        "LogicalOr": "bool_or",
        "Extract": "extract",
        "Trim": "btrim",
        "StrPosition": "position",
        "Substring": "substring",
        "Overlay": "overlay",
        "AtTimeZone": "timezone",
        "Coalesce": "coalesce",
        "Nullif": "nullif",
        "Exists": "exists",
        "Array": "array",
        "Tuple": "row",
        "CurrentDate": "current_date",
        "CurrentTimestamp": "current_timestamp",
        "Localtimestamp": "localtimestamp",
        "CurrentUser": "current_user",
        "SessionUser": "session_user",
        "CurrentRole": "current_role",
        "CurrentCatalog": "current_catalog",
        "CurrentSchema": "current_schema",
        "CurrentDatabase": "current_database",
        "Version": "version",
    }
)
"""What nodes are called whose names are not in the text, or not under the name that PostgreSQL has for them."""
_TRIMS: Final = MappingProxyType({"LEADING": "ltrim", "TRAILING": "rtrim"})
_TYPES: Final = MappingProxyType(
    {
        DType.BOOLEAN: "bool",
        DType.SMALLINT: "int2",
        DType.INT: "int4",
        DType.BIGINT: "int8",
        DType.FLOAT: "float4",
        DType.DOUBLE: "float8",
        DType.DECIMAL: "numeric",
        DType.CHAR: "bpchar",
        DType.BPCHAR: "bpchar",
    }
)
_DOMAINS: Final = MappingProxyType(
    {
        "sql_identifier": "name",
        "yes_or_no": "varchar",
        "character_data": "varchar",
        "cardinal_number": "int4",
        "time_stamp": "timestamptz",
    }
)


def folded(name: Node | str | None) -> str:
    """An identifier as PostgreSQL reads it: in lower case unless it is quoted."""
    if isinstance(name, exp.Identifier):
        return str(name.this) if name.args.get("quoted") else str(name.this).lower()
    return "" if name is None else str(name)


def function_name(node: Node | None, sql: str) -> str:
    """The name of a call in lower case, as the text has it; empty for what is no call."""
    if node is None:
        return ""
    if isinstance(node, exp.Anonymous):
        return str(node.this).lower()
    if isinstance(node, exp.Window | exp.Filter | exp.WithinGroup | exp.IgnoreNulls | exp.RespectNulls):
        return function_name(node.this, sql)
    own = _NODES.get(type(node).__name__, "")
    if isinstance(node, exp.Trim):
        return _TRIMS.get(str(node.args.get("position") or ""), own)
    written = sql[node.meta["start"] : node.meta["end"] + 1].lower() if "start" in node.meta else ""
    if written.replace("_", "").isalnum() and isinstance(node, exp.Func):
        return written
    return own or (node.sql_name().lower() if isinstance(node, exp.Func) else "")


def cast_type(to: Node) -> str:
    """PostgreSQL's name of the type of a cast: int4 for integer, _text for text[]."""
    if isinstance(to, exp.ObjectIdentifier | exp.PseudoType):
        return _listed(str(to.this).lower())
    if not isinstance(to, exp.DataType):
        return "text"
    if to.this is DType.ARRAY:
        return f"_{cast_type(to.expressions[0])}" if to.expressions else "_text"
    if to.this is DType.USERDEFINED:
        kind = to.args.get("kind")
        name = kind.name if isinstance(kind, Node) else str(kind)
        return _listed(_DOMAINS.get(name.lower(), name.lower()))
    return _TYPES.get(to.this, to.this.value.lower())


def _listed(name: str) -> str:
    return f"_{name.removesuffix('_list')}" if name.endswith("_list") else name


def column_name(node: Node, sql: str) -> str:
    """The name of an item of a SELECT list."""
    if isinstance(node, exp.Alias):
        return folded(node.args["alias"])
    return _own(node, sql) or _weak(node) or NAMELESS


def _weak(node: Node) -> str:
    """The name that a cast or CASE gives where nothing inside it has one."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Case):
        return "case"
    return cast_type(node.args["to"]).removeprefix("_") if isinstance(node, exp.Cast) else ""


def _own(node: Node, sql: str) -> str:
    """The name that a column or a call inside an expression lends it; empty where there is none."""
    match node:
        case exp.Column():
            return folded(node.this)
        case exp.Dot():
            return folded(node.expression)
        case exp.Paren() | exp.Bracket() | exp.Cast() | exp.Collate():
            return _own(node.this, sql)
        case exp.Case():
            default = node.args.get("default")
            return _own(default, sql) if isinstance(default, Node) else ""
        case exp.Subquery() | exp.Select() | exp.SetOperation():
            return _of_query(node, sql)
        case exp.Array() if node.expressions and isinstance(node.expressions[0], exp.Query):
            return "array"
        case exp.Interval():
            return "interval"
    if isinstance(node, exp.Binary | exp.Unary | exp.Predicate) and not isinstance(node, exp.Exists):
        return ""
    return function_name(node, sql)


def _of_query(node: Node, sql: str) -> str:
    while isinstance(node, exp.Subquery | exp.SetOperation):
        node = node.this
    return column_name(node.expressions[0], sql) if isinstance(node, exp.Select) and node.expressions else ""


def shown_names(query: Node, sql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names of the columns that a query lists before its first star, and of those behind its last.

    Empty for a column that stands there as it is: its table says how it is written.
    """
    while isinstance(query, exp.Subquery | exp.SetOperation):
        query = query.this
    items = query.expressions if isinstance(query, exp.Select) else []
    names = ["" if isinstance(item, exp.Column) else column_name(item, sql) for item in items]
    stars = [at for at, item in enumerate(items) if is_star(item) or item.find(exp.Columns) is not None]
    if not stars:
        return tuple(names), ()
    return tuple(names[: stars[0]]), tuple(names[stars[-1] + 1 :])
