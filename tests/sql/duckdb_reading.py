"""How DuckDB reads a statement, as a tree to compare: its own parser's JSON without places.

What is levelled out is listed here and nowhere else: each is one spelling of the same thing.
"""

from __future__ import annotations

import json
import re
from typing import Any

import duckdb
from sqlglot import exp

FUNCTIONS = {
    "string_agg": "listagg",
    "group_concat": "listagg",
    "list": "array_agg",
    "ceiling": "ceil", "char_length": "length", "character_length": "length", "countif": "count_if",
    "current_localtimestamp": "localtimestamp", "datediff": "date_diff", "datetrunc": "date_trunc",
    "ifnull": "coalesce", "instr": "strpos", "lcase": "lower", "len": "length", "pow": "power",
    "^": "power", "**": "power",
    "position": "strpos", "substr": "substring", "today": "current_date", "ucase": "upper", "var_samp": "variance",
    "argmax": "arg_max", "argmin": "arg_min", "max_by": "arg_max", "min_by": "arg_min", "nvl": "coalesce", "mod": "%",
    "array_extract": "list_extract", "list_element": "list_extract",
}  # fmt: skip
TYPES = {
    "bool": "boolean", "char": "varchar", "datetime": "timestamp", "float4": "float", "float8": "double",
    "hugeint": "int128", "int4": "integer", "int8": "bigint", "long": "bigint", "numeric": "decimal",
    "short": "smallint", "signed": "integer", "string": "varchar", "text": "varchar",
    "timestamp with time zone": "timestamptz", "int": "integer", "real": "float", "bpchar": "varchar",
}  # fmt: skip
PARTS = {"dow": "dayofweek", "doy": "dayofyear"}
NEGATED = {
    "operator_is_null": "operator_is_not_null",
    "operator_is_not_null": "operator_is_null",
    "compare_not_distinct_from": "compare_distinct_from",
    "compare_distinct_from": "compare_not_distinct_from",
}
UNLIKE = {
    "~~": "!~~",
    "~~*": "!~~*",
    "like_escape": "not_like_escape",
    "ilike_escape": "not_ilike_escape",
}
UNLIKE.update({unlike: like for like, unlike in UNLIKE.items()})


class DuckDBReading:
    """DuckDB's parser."""

    def __init__(self) -> None:
        self._con = duckdb.connect()

    def of(self, sql: str) -> Any:
        """The levelled tree of a statement; ValueError where DuckDB does not read it."""
        row = self._con.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        assert row is not None
        read = json.loads(row[0])
        if read["error"]:
            raise ValueError(read["error_message"])
        return level(read["statements"])


OPERATORS = (exp.Binary, exp.Between, exp.In, exp.Not, exp.Neg)


def spelled_out(tree: exp.Query) -> str:
    """The SQL of a tree with every operator below another one in parentheses.

    Without them a tree that binds operators otherwise than the text can be the same text again.
    """
    whole = tree.copy()
    for node in tuple(whole.find_all(exp.SetOperation)):
        if isinstance(node.parent, exp.SetOperation):
            _wrap(node, exp.Subquery())
    for node in tuple(whole.find_all(*OPERATORS)):
        if isinstance(node.parent, OPERATORS) and not isinstance(node.parent, exp.Escape | exp.Func):
            _wrap(node, exp.Paren())
    return whole.sql(dialect="duckdb")


def _wrap(node: Any, around: Any) -> None:
    node.replace(around)
    around.set("this", node)


def level(node: Any) -> Any:
    """The node without places and without the differences of spelling named above."""
    if isinstance(node, list):
        return [level(item) for item in node]
    if not isinstance(node, dict):
        return node.lower() if isinstance(node, str) else node
    if "literal" in node:
        return _constant(node)
    plain = {k: level(v) for k, v in node.items() if not k.startswith("query_location")}
    for step in (
        _negation,
        _unary,
        _if_and_coalesce,
        _subscript,
        _interval,
        _function,
        _percentile,
        _truth,
        _any_of_list,
        _type,
        _present,
        _order,
        _limit_all,
    ):
        plain = step(plain)
    return plain


def _limit_all(node: dict[str, Any]) -> dict[str, Any]:
    """LIMIT ALL is no LIMIT."""
    if "modifiers" in node:
        node["modifiers"] = [m for m in node["modifiers"] if m != _NO_LIMIT]
    is_all = node.get("type") == _NO_LIMIT["type"] and node["limit"] == {**_NULL, "alias": ""}
    return {**node, "limit": None} if is_all else node


_NULL = {"constant": "null_literal", "text": ""}
_NO_LIMIT = {"type": "limit_modifier", "limit": None, "offset": None, "limit_type": "row_count"}


def _constant(node: dict[str, Any]) -> Any:
    """Literals by kind and text, letters as they are; 1_000 is 1000 and .5 is 0.5."""
    kind, text = node["literal"]["kind"].lower(), node["literal"]["text"]
    if kind in ("integer", "numeric"):
        text = re.sub(r"^\.", "0.", text.replace("_", ""))
    return {"constant": kind, "text": text, "alias": node["alias"].lower()}


def _negation(node: dict[str, Any]) -> Any:
    """NOT (x IS NULL) is x IS NOT NULL, NOT (x LIKE y) is x NOT LIKE y; NOT (NOT x) stays."""
    if node.get("type") != "operator_not":
        return node
    inner = node["children"][0]
    if inner.get("function_name") in UNLIKE:
        return {**inner, "function_name": UNLIKE[inner["function_name"]], "alias": node["alias"]}
    if inner.get("type") not in NEGATED:
        return node
    return {**inner, "type": NEGATED[inner["type"]], "alias": node["alias"]}


def _unary(node: dict[str, Any]) -> Any:
    """+x is x, and the minus of a number belongs to it."""
    if len(node.get("arguments", ())) != 1 or node.get("function_name") not in ("+", "-"):
        return node
    inner = node["arguments"][0]["expression"]
    if node["function_name"] == "+":
        return {**inner, "alias": node["alias"]}
    if inner.get("constant") in ("integer", "numeric"):
        return {**inner, "text": "-" + inner["text"], "alias": node["alias"]}
    return node


def _if_and_coalesce(node: dict[str, Any]) -> Any:
    """IF is CASE, and NVL and IFNULL are COALESCE."""
    arguments = [a["expression"] for a in node.get("arguments", ())]
    name = node.get("function_name")
    if name == "if" and len(arguments) == 3:
        check = {"when_expr": arguments[0], "then_expr": arguments[1]}
        case = {"class": "case", "type": "case_expr", "alias": node["alias"]}
        return {**case, "case_checks": [check], "else_expr": arguments[2]}
    if name in ("nvl", "ifnull"):
        return {
            "class": "operator",
            "type": "operator_coalesce",
            "alias": node["alias"],
            "children": arguments,
        }
    return node


def _subscript(node: dict[str, Any]) -> Any:
    """x[n] is LIST_EXTRACT(x, n)."""
    if node.get("type") != "array_extract":
        return node
    arguments = [{"name": "", "expression": child} for child in node["children"]]
    return {"class": "function", "type": "function", "alias": node["alias"]} | {
        "function_name": "list_extract", "schema": "", "filter": None, "distinct": False, "arguments": arguments,
        "order_bys": {"type": "order_modifier", "orders": []}, "export_state": False, "catalog": "",
    }  # fmt: skip


def _interval(node: dict[str, Any]) -> Any:
    """INTERVAL 1 DAY, INTERVAL '1' DAY and INTERVAL '1 day' are one."""
    name = str(node.get("function_name"))
    if name.startswith("to_") and len(node["arguments"]) == 1:
        inner = node["arguments"][0]["expression"]
        while "child" in inner or inner.get("function_name") == "trunc":
            inner = inner["child"] if "child" in inner else inner["arguments"][0]["expression"]
        if "constant" in inner:
            return {"interval": inner["text"] + name.removeprefix("to_").rstrip("s"), "alias": node["alias"]}
    is_cast = node.get("type") == "operator_cast" and node["type_expr"].get("type_name") == "interval"
    single = is_cast and re.fullmatch(r"\s*(-?[\d.]+)\s*([a-z]+?)s?\s*", node["child"].get("text", ""), re.I)
    if single:
        return {"interval": (single[1] + single[2]).lower(), "alias": node["alias"]}
    return node


def _function(node: dict[str, Any]) -> Any:
    """Functions of two names; the case of units and parts, and two names of two parts."""
    name = node.get("function_name")
    if name is None:
        return node
    name = FUNCTIONS.get(name, name)
    plain = {
        k: v for k, v in node.items() if k not in ("qualified_name", "is_operator", "is_legacy_function_call")
    }
    if name in ("date_trunc", "date_diff", "date_part") and node["arguments"]:
        first, *rest = node["arguments"]
        text = first["expression"].get("text", "").lower()
        unit = {**first["expression"], "text": PARTS.get(text, text)}
        plain["arguments"] = [{**first, "expression": unit}, *rest]
    return {**plain, "function_name": name}


def _percentile(node: dict[str, Any]) -> Any:
    """PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) is QUANTILE_CONT(x, q), with -q for DESC, and with 1 for -0."""
    orders = (node.get("order_bys") or {}).get("orders") or []
    if node.get("function_name") not in ("quantile_cont", "quantile_disc") or len(orders) != 1:
        return node
    if len(node["arguments"]) != 1:
        return node
    (by,), (level_of,) = orders, node["arguments"]
    at = dict(level_of["expression"])
    if by["type"] == "descending":
        zero = float(at["text"]) == 0
        at |= {"text": "1", "constant": "integer"} if zero else {"text": "-" + at["text"]}
    arguments = [{"name": "", "expression": by["expression"]}, {**level_of, "expression": at}]
    return {**node, "arguments": arguments, "order_bys": {**node["order_bys"], "orders": []}}


def _truth(node: dict[str, Any]) -> Any:
    """BOOL_OR takes nothing but conditions, so that a CAST to BOOLEAN in it changes nothing."""
    if node.get("function_name") not in ("bool_and", "bool_or") or len(node["arguments"]) != 1:
        return node
    inner = node["arguments"][0]["expression"]
    if inner.get("type") != "operator_cast" or inner["type_expr"].get("type_name") != "boolean":
        return node
    return {**node, "arguments": [{**node["arguments"][0], "expression": inner["child"]}]}


def _any_of_list(node: dict[str, Any]) -> Any:
    """x = ANY([a, b]) is x IN (a, b); DuckDB reads a query over the list."""
    if node.get("subquery_type") != "any":
        return node
    (item, *_) = node["subquery"]["node"]["select_list"]
    if item.get("function_name") != "unnest":
        return node
    made = item["arguments"][0]["expression"]
    found = made["children"] if "children" in made else [a["expression"] for a in made["arguments"]]
    plain = {"class": "operator", "type": "compare_in", "alias": node["alias"]}
    return {**plain, "children": [node["child"], *found]}


def _type(node: dict[str, Any]) -> Any:
    """Types of two names; the size of a text means nothing; DECIMAL is DECIMAL(18, 3)."""
    if node.get("class") != "type":
        return node
    name = TYPES.get(node["type_name"], node["type_name"])
    children = [] if name == "varchar" else node["children"]
    if name == "decimal" and len(children) != 2:
        children = [
            *children,
            *[{"constant": "integer", "text": t, "alias": ""} for t in ("18", "3")][len(children) :],
        ]
        children = children if node["children"] == [] else [children[0], {**children[1], "text": "0"}]
    return {"class": "type", "type_name": name, "children": children}


def _present(node: dict[str, Any]) -> Any:
    """current_date, current_date() and today() are one."""
    words = ("current_date", "current_timestamp", "current_time", "localtimestamp")
    is_word = node.get("class") == "column_ref" and node["column_names"][-1] in words
    word = node["column_names"][-1] if is_word else node.get("function_name")
    return {"present": word, "alias": node["alias"]} if word in words else node


def _order(node: dict[str, Any]) -> Any:
    """NULLS LAST is DuckDB's default, and ASC is."""
    if "null_order" not in node:
        return node
    nulls = node["null_order"].replace("order_default", "nulls last")
    return {**node, "null_order": nulls, "type": node["type"].replace("order_default", "ascending")}
