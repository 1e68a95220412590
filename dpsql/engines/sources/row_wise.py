"""Whether reading a table of a DuckDB file computes each row from that row alone, always, and the same every time.

A view may look at other rows or at the clock, and so may a generated column: what one unit owns would then decide about
the rows of another. DuckDB's own bound plan is looked at, in which macros and views within views are written out.
"""

from __future__ import annotations

import json

import duckdb

from dpsql.algebra.scan import text_literal

_STEPS = frozenset({"LOGICAL_PROJECTION", "LOGICAL_FILTER", "LOGICAL_GET"})
_PLAIN = frozenset({"BOUND_REF", "BOUND_COLUMN_REF", "BOUND_CONSTANT", "BOUND_CASE", "BOUND_CONJUNCTION"})
_OPERATORS = frozenset(
    {
        "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_NOT", "OPERATOR_COALESCE", "COMPARE_IN",
        "COMPARE_NOT_IN",
    }
)  # fmt: skip
_COMPARISONS = frozenset({"=", "<>", "<", ">", "<=", ">="})
# Functions that have a value for every value of their arguments.
_TOTAL = _COMPARISONS | {
    "lower", "upper", "trim", "ltrim", "rtrim", "length", "strlen", "concat", "||", "contains", "starts_with",
    "prefix", "suffix", "~~", "!~~",
}  # fmt: skip
_ON_DOUBLES = frozenset({"+", "-", "*", "abs"})
_INTEGERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
_NUMBERS = frozenset(
    {*_INTEGERS, "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT", "DECIMAL", "DOUBLE"}
)
_SAME = frozenset({*_INTEGERS, "FLOAT", "BOOLEAN", "DATE", "TIMESTAMP"})


def not_row_wise(connection: duckdb.DuckDBPyConnection, select: str, database: str) -> str | None:
    """What in a SELECT is more than a projection and a filter of one base table of `database` by total functions of a
    row; None where nothing is. Raises duckdb.Error where the SELECT cannot be bound."""
    plan = f"SELECT json_serialize_plan({text_literal(select)}, optimize := false)"
    row = connection.execute(plan).fetchall()[0]
    plans = json.loads(row[0])
    if plans.get("error"):
        return str(plans.get("error_message", "it cannot be looked into")).partition("\n")[0]
    return _mistake(plans["plans"], database)


def _mistake(node: object, database: str) -> str | None:
    if isinstance(node, list):
        return next((m for n in node if (m := _mistake(n, database)) is not None), None)
    if not isinstance(node, dict):
        return None
    kind = str(node.get("type", ""))
    if kind.startswith("LOGICAL_") and (message := _of_step(kind, node, database)):
        return message
    if "expression_class" in node and (message := _of_expression(kind, node)):
        return message
    return _mistake(list(node.values()), database)


def _of_step(kind: str, node: dict[str, object], database: str) -> str | None:
    if kind not in _STEPS:
        return kind.removeprefix("LOGICAL_").replace("_", " ").lower()
    if kind != "LOGICAL_GET":
        return None
    info, data = node.get("extra_info"), node.get("function_data")
    whole = isinstance(info, dict) and info.get("sample_options") is None and node.get("at_clause") is None
    here = isinstance(data, dict) and data.get("catalog") == database
    return None if whole and here and _name(node) == "seq_scan" else "something else than a base table"


def _of_expression(kind: str, node: dict[str, object]) -> str | None:
    group = node["expression_class"]
    if group in _PLAIN or (group == "BOUND_OPERATOR" and kind in _OPERATORS):
        return None
    name = _name(node)
    if group != "BOUND_FUNCTION" or name is None:
        return kind.lower()
    if name == "__cast":
        return (
            None
            if _is_total_cast(node)
            else "a cast that can fail (TRY_CAST gives NULL for what does not fit)"
        )
    total = name in _TOTAL or (name in _ON_DOUBLES and _type_id(node.get("return_type")) == "DOUBLE")
    return None if total else name


def _is_total_cast(node: dict[str, object]) -> bool:
    data, children = node.get("function_data"), node.get("children")
    if isinstance(data, dict) and data.get("try_cast") is True:
        return True
    if isinstance(children, list) and children and children[0].get("expression_class") == "BOUND_CONSTANT":
        return True
    arguments = node.get("arguments")
    source = _type_id(arguments[0]) if isinstance(arguments, list) and arguments else ""
    wanted = _type_id(node.get("return_type"))
    if wanted == "VARCHAR" or (source == wanted and source in _SAME):
        return True
    if wanted == "DOUBLE":
        return source in _NUMBERS
    return source in _INTEGERS and wanted in _INTEGERS[_INTEGERS.index(source) :]


def _type_id(written: object) -> str:
    return str(written.get("id", "")) if isinstance(written, dict) else ""


def _name(node: dict[str, object]) -> str | None:
    qualified = node.get("qname")
    path = qualified.get("path") if isinstance(qualified, dict) else None
    return str(path[-1]) if isinstance(path, list) and path else None
