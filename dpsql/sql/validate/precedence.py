"""That operators without parentheses bind in the tree as tightly as they do in DuckDB.

A tree that binds them otherwise may well be the same text when it is rendered, so that no comparison of texts
finds it. Some versions of sqlglot read `a = 1 IS NULL` as `a = (1 IS NULL)`, and the INTERSECT of
`x UNION y INTERSECT z` as the outer one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.spellings import OPERATORS
from dpsql.sql.validate.function_names import BITS

_LOOSE_TO_TIGHT: Final[tuple[tuple[type[Node], ...], ...]] = (
    (exp.Union, exp.Except),
    (exp.Intersect,),
    (exp.Or,),
    (exp.And,),
    (exp.Not,),
    (exp.Is, exp.NullSafeEQ, exp.NullSafeNEQ),
    (exp.EQ, exp.NEQ),
    (exp.LT, exp.LTE, exp.GT, exp.GTE),
    (exp.Between, exp.In, exp.Like, exp.ILike, exp.Escape, *OPERATORS),
    (exp.DPipe,),
    BITS,
    (exp.Add, exp.Sub),
    (exp.Mul, exp.Div, exp.IntDiv, exp.Mod),
    (exp.Pow,),
    (exp.Neg,),
    (exp.Cast,),
)
_LEVELS: Final = MappingProxyType({kind: at for at, kinds in enumerate(_LOOSE_TO_TIGHT) for kind in kinds})
# A comparison with ANY or ALL takes no other comparison on its left: x > y = ANY (...) is x > (y = ANY (...)).
_QUANTIFIED: Final = _LEVELS[exp.DPipe]
_PREFIXES: Final = (exp.Not, exp.Neg)
# Nothing that stands behind these can belong to them: they end in NULL, a parenthesis or a literal.
_CLOSED: Final = (exp.Is, exp.In, exp.Escape, exp.Cast)


def check_precedence(nodes: Iterable[Node]) -> None:
    """Refuse a tree of these nodes that gives an operand to another operator than DuckDB does.

    DuckDB binds, from loose to tight: UNION and EXCEPT; INTERSECT; OR; AND; NOT; IS; = and <>; < and >;
    BETWEEN, IN, LIKE, ~ and SIMILAR TO; comparisons with ANY and ALL, and ||; &, |, << and >>; + and -; *, / and %; ^;
    the sign; ::. Equals bind from left to right. Raises QueryRefused at the operator.
    """
    for node in nodes:
        if (_is_operator(node) and not _binds(node)) or (_is_infix_not(node) and _is_infix_not(node.this)):
            raise refuse_node(
                node,
                "operators stand here in an order that can be read in two ways",
                "Put parentheses around what belongs together.",
            )


def _is_operator(node: Node) -> bool:
    """Whether a node is an operator as such: CAST(...) is a call, and NOT IN belongs to its IN."""
    return type(node) in _LEVELS and "written" not in node.meta and not _is_infix_not(node)


def _is_infix_not(node: Node) -> bool:
    return type(node) is exp.Not and "prefix" not in node.meta


def _binds(node: Node) -> bool:
    """Whether what is open towards an operator binds tighter than it, or as tight and stands on its left."""
    level = _LEVELS[type(node)]
    if isinstance(node.args.get("expression"), exp.Any | exp.All):
        level = _QUANTIFIED
    middle = node.args.get("low")
    tighter = (*_edge(_right(node), _left), *_edge(middle, _left), *_edge(middle, _right))
    return all(n >= level for n in _edge(_left(node), _right)) and all(n > level for n in tighter)


def _edge(node: Node | None, side: Callable[[Node], Node | None]) -> Iterator[int]:
    """How tight the operators are that are open to one side, from the outermost to the innermost."""
    while node is not None:
        if _is_infix_not(node):
            node = node.this
            continue
        operand = side(node) if _is_operator(node) else None
        if operand is not None:
            yield _LEVELS[type(node)]
        node = operand


def _left(node: Node) -> Node | None:
    operand: Node = node.args["this"]
    return None if isinstance(node, _PREFIXES) else operand


def _right(node: Node) -> Node | None:
    if isinstance(node, _CLOSED):
        return None
    key = "high" if isinstance(node, exp.Between) else "this" if isinstance(node, _PREFIXES) else "expression"
    operand: Node = node.args[key]
    return operand
