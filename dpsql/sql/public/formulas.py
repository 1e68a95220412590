"""An expression over the columns of a released table as a formula of its measures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.algebra.formula import Applied, Formula, Number
from dpsql.sql.dialect import DType, Node

_BINARY: Final[Mapping[type[Node], str]] = MappingProxyType(
    {
        exp.Add: "add",
        exp.Sub: "sub",
        exp.Mul: "mul",
        exp.Div: "div",
        exp.EQ: "eq",
        exp.NEQ: "ne",
        exp.LT: "lt",
        exp.LTE: "le",
        exp.GT: "gt",
        exp.GTE: "ge",
        exp.Nullif: "nullif",
    }
)
_UNARY: Final[Mapping[type[Node], str]] = MappingProxyType(
    {
        exp.Paren: "same",
        exp.Neg: "neg",
        exp.Abs: "abs",
        exp.Floor: "floor",
        exp.Ceil: "ceil",
        exp.Sqrt: "sqrt",
    }
)
_MANY: Final[Mapping[type[Node], str]] = MappingProxyType(
    {exp.Coalesce: "coalesce", exp.Greatest: "greatest", exp.Least: "least"}
)
_WHOLE: Final = frozenset({DType.INT, DType.BIGINT, DType.SMALLINT, DType.TINYINT, DType.INT128})
_REAL: Final = frozenset({DType.DOUBLE, DType.FLOAT})
_LONGEST = 40
MOST_PARTS: Final = 2_000
"""So many parts may a formula have: `n + n AS n` in each query around another doubles them."""
Resolve = Callable[[exp.Column], Formula | None]


def formula(node: Node, column: Resolve) -> Formula | None:
    """The formula of an expression; `column` says what stands behind a column. None for what is none."""
    if isinstance(node, exp.Column):
        return column(node)
    if isinstance(node, exp.Null):
        return Number(None)
    if isinstance(node, exp.Literal):
        return _number(node)
    if isinstance(node, exp.Case):
        return _case(node, column)
    if isinstance(node, exp.Cast):
        return _cast(node, column)
    if isinstance(node, exp.Round):
        return _round(node, column)
    return _operation(node, column)


def _operation(node: Node, column: Resolve) -> Formula | None:
    kind = type(node)
    if kind in _BINARY:
        return _applied(_BINARY[kind], [node.this, node.expression], column)
    if kind in _UNARY and set(_given(node)) == {"this"}:
        return _applied(_UNARY[kind], [node.this], column)
    if kind in _MANY and set(_given(node)) <= {"this", "expressions", "ignore_nulls"}:
        return _applied(_MANY[kind], [node.this, *node.expressions], column)
    return None


def _given(node: Node) -> Mapping[str, object]:
    """The arguments of a node that say something."""
    return {k: v for k, v in node.args.items() if v not in (None, [], False)}


def _applied(op: str, nodes: list[Node], column: Resolve) -> Formula | None:
    args = tuple(a for n in nodes if (a := formula(n, column)) is not None)
    if len(args) < len(nodes):
        return None
    made = Applied(op, args)
    return made if made.size <= MOST_PARTS else None


def _number(node: exp.Literal) -> Formula | None:
    if node.is_string or len(node.this) > _LONGEST or "e" in node.this.lower():
        return None
    return Number(Fraction(node.this))


def _round(node: exp.Round, column: Resolve) -> Formula | None:
    given = _given(node)
    if not set(given) <= {"this", "decimals"}:
        return None
    return _applied("round", [node.this, *([node.args["decimals"]] if "decimals" in given else [])], column)


def _cast(node: exp.Cast, column: Resolve) -> Formula | None:
    kind = node.to.this if isinstance(node.to, exp.DataType) else None
    if kind in _REAL:
        return formula(node.this, column)
    return _applied("whole", [node.this], column) if kind in _WHOLE else None


def _case(node: exp.Case, column: Resolve) -> Formula | None:
    if node.this is not None:
        return None
    nodes = [n for branch in node.args["ifs"] for n in (branch.this, branch.args["true"])]
    return _applied("case", [*nodes, node.args.get("default") or exp.null()], column)
