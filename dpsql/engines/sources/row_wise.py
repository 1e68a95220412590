"""Whether reading a table of a DuckDB file computes each row from that row alone, always, and the same every time.

A view may look at other rows or at the clock, and so may a generated column: what one unit owns would then decide about
the rows of another. DuckDB's own bound plan is looked at, in which macros and views within views are written out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Any

import duckdb

from dpsql.algebra.scan import text_literal
from dpsql.slotted import dataclass

_STEPS = frozenset({"LOGICAL_PROJECTION", "LOGICAL_FILTER", "LOGICAL_GET"})
_PLAIN = frozenset({"BOUND_REF", "BOUND_COLUMN_REF", "BOUND_CONSTANT", "BOUND_CASE", "BOUND_CONJUNCTION"})
_REFERENCES = frozenset({"BOUND_REF", "BOUND_COLUMN_REF"})
_OPERATORS = frozenset(
    {
        "OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL", "OPERATOR_NOT", "OPERATOR_COALESCE", "COMPARE_IN",
        "COMPARE_NOT_IN",
    }
)  # fmt: skip
_COMPARISONS = frozenset({"=", "<>", "!=", "<", ">", "<=", ">="})
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
# Types that are their names. DuckDB fails to compare what TRY_CAST makes of infinite moments of other precisions.
_NAMED = _NUMBERS - {"DECIMAL"} | {
    "VARCHAR",
    "BOOLEAN",
    "DATE",
    "TIME",
    "TIMESTAMP",
    "TIMESTAMP WITH TIME ZONE",
    "UUID",
}
_TRIED = _NAMED | {"DECIMAL", "BLOB", "ENUM"}
# Types of which every value has a text: no moment of seconds or milliseconds that is too far for microseconds has one,
# nor what holds such moments.
_TOLD = _TRIED | {"UHUGEINT", "BIGNUM", "BIT", "TIME_NS", "TIME WITH TIME ZONE", "TIMESTAMP_NS", "INTERVAL"}
_EXACT = Context(prec=60)
Node = dict[str, Any]
_CAN_FAIL = "a cast that can fail (TRY_CAST gives NULL for what does not fit)"


def not_row_wise(connection: duckdb.DuckDBPyConnection, select: str, database: str) -> str | None:
    """What in a SELECT is more than a projection and a filter of one base table of `database` by total functions of a
    row; None where nothing is. Raises duckdb.Error where the SELECT cannot be bound."""
    plan = f"SELECT json_serialize_plan({text_literal(select)}, optimize := false)"
    row = connection.execute(plan).fetchall()[0]
    plans = json.loads(row[0])
    if plans.get("error"):
        return str(plans.get("error_message", "it cannot be looked into")).partition("\n")[0]
    return _Plan(connection, database, list(_nodes(plans["plans"]))).mistake()


def _nodes(tree: object) -> Iterator[Node]:
    """Everything in a plan, the outermost first."""
    if isinstance(tree, list):
        for item in tree:
            yield from _nodes(item)
    elif isinstance(tree, dict):
        yield tree
        yield from _nodes(list(tree.values()))


@dataclass(frozen=True, slots=True)
class _Plan:
    """The steps and expressions of a plan over tables of a database."""

    connection: duckdb.DuckDBPyConnection
    database: str
    nodes: list[Node]

    def mistake(self) -> str | None:
        """What in it is more than it may be."""
        return next((m for n in self.nodes if (m := self._of_node(n)) is not None), None)

    def _of_node(self, node: Node) -> str | None:
        kind = str(node.get("type", ""))
        if kind.startswith("LOGICAL_") and (message := self._of_step(kind, node)):
            return message
        return self._of_expression(kind, node) if "expression_class" in node else None

    def _of_step(self, kind: str, node: Node) -> str | None:
        if kind not in _STEPS:
            return kind.removeprefix("LOGICAL_").replace("_", " ").lower()
        if kind != "LOGICAL_GET":
            return None
        info, data = node.get("extra_info"), node.get("function_data")
        whole = (
            isinstance(info, dict) and info.get("sample_options") is None and node.get("at_clause") is None
        )
        here = isinstance(data, dict) and data.get("catalog") == self.database
        if not (whole and here and _name(node) == "seq_scan"):
            return "something else than a base table"
        return "rowid, which other rows decide about" if self._reads_more_than_columns(node) else None

    def _reads_more_than_columns(self, get: Node) -> bool:
        """Whether a scan reads what is no column of its table. Where no column is read, DuckDB counts by rowid."""
        read, names = get.get("column_indexes"), get.get("names")
        if not isinstance(read, list) or not isinstance(names, list):
            return True
        columns = all(isinstance(c, dict) and 0 <= c.get("index", -1) < len(names) for c in read)
        return not columns and any(n.get("expression_class") in _REFERENCES for n in self.nodes)

    def _of_expression(self, kind: str, node: Node) -> str | None:
        group = node["expression_class"]
        if group in _PLAIN or (group == "BOUND_OPERATOR" and kind in _OPERATORS):
            return None
        name = _name(node)
        if group != "BOUND_FUNCTION" or name is None:
            return kind.lower()
        if name == "__cast":
            return None if _is_total_cast(node) or self._casts_a_constant(node) else _CAN_FAIL
        total = name in _TOTAL or (name in _ON_DOUBLES and _type_id(node.get("return_type")) == "DOUBLE")
        return None if total else name

    def _casts_a_constant(self, cast: Node) -> bool:
        """Whether this is a cast of a constant that does not fail: it may stand where few rows come by."""
        children = cast.get("children")
        constant = children[0] if isinstance(children, list) and len(children) == 1 else {}
        value, wanted = constant.get("value"), _type_sql(cast.get("return_type"))
        if constant.get("expression_class") != "BOUND_CONSTANT" or not isinstance(value, dict):
            return False
        if value.get("is_null") is True:
            return True
        source, written = _type_sql(value.get("type")), _literal(value)
        if source is None or wanted is None or written is None:
            return False
        tried = f"SELECT TRY_CAST(CAST({written} AS {source}) AS {wanted}) IS NOT NULL"
        return self.connection.execute(tried).fetchall() == [(True,)]


def _is_total_cast(node: Node) -> bool:
    data, arguments = node.get("function_data"), node.get("arguments")
    source = _type_id(arguments[0]) if isinstance(arguments, list) and arguments else ""
    wanted = _type_id(node.get("return_type"))
    if isinstance(data, dict) and data.get("try_cast") is True:
        return source in _TRIED and wanted in _TRIED
    if wanted == "VARCHAR":  # and not JSON, which is a text to DuckDB by another name
        return source in _TOLD and _type_sql(node.get("return_type")) == "VARCHAR"
    if source == wanted and source in _SAME:
        return True
    if wanted == "DOUBLE":
        return source in _NUMBERS
    return source in _INTEGERS and wanted in _INTEGERS[_INTEGERS.index(source) :]


def _type_id(written: object) -> str:
    return str(written.get("id", "")) if isinstance(written, dict) else ""


def _type_sql(written: object) -> str | None:
    """A type as DuckDB reads it; None for those with more to them than a name, or width and scale."""
    kind = _type_id(written)
    info = written.get("type_info") if isinstance(written, dict) else None
    if kind == "DECIMAL" and isinstance(info, dict):
        return f"DECIMAL({int(info['width'])}, {int(info['scale'])})"
    return kind if kind in _NAMED and info is None else None


def _literal(value: Node) -> str | None:
    """A constant of a plan as SQL; None for kinds that it is not known of."""
    held, kind = value.get("value"), value.get("type")
    match held:
        case str():
            return text_literal(held) if _type_id(kind) == "VARCHAR" else None
        case bool():
            return str(held).upper()
        case int():
            info = kind.get("type_info") if isinstance(kind, dict) else None
            scale = int(info.get("scale", 0)) if isinstance(info, dict) else 0
            return f"{Decimal(held).scaleb(-scale, _EXACT):f}" if _type_id(kind) in _NUMBERS else None
    return None


def _name(node: Node) -> str | None:
    qualified = node.get("qname")
    path = qualified.get("path") if isinstance(qualified, dict) else None
    return str(path[-1]) if isinstance(path, list) and path else None
