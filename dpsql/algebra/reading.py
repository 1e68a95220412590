"""A question out of its canonical text: the inverse of `canonical`, for the classes of the algebra and no others.

The text is parsed, never run: whatever is not one of the known classes, a tuple, a constant or an enumeration's member
is no question. What is read is a proposal: who uses it compares the digest of what follows from it with the one that
the text was stored under.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpsql.algebra import expr, of_unit, relation
from dpsql.algebra.expr import Expr
from dpsql.algebra.of_unit import FrameUnit, PerUnitAggregate, Ranked, Side, Without
from dpsql.algebra.question import Aggregate, Measure, Question, Top
from dpsql.algebra.relation import JoinKind, Relation
from dpsql.algebra.types import SqlType
from dpsql.privacy import Interval

_LONGEST: Final = 200_000
# A member of an enumeration where no quoted text stands: quoted pieces match first, as they are.
_MEMBER: Final = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|<(\w+\.\w+): '[^']*'>")
_CLASSES: Final[Mapping[str, Callable[..., object]]] = MappingProxyType(
    {
        c.__name__: c
        for c in (
            *(expr.Column, expr.Literal, expr.Hole, expr.Call, expr.Duration),
            *(relation.Scan, relation.Filter, relation.Join, relation.Mark, relation.PerUnit),
            *(relation.Windows, relation.Branch, relation.Union),
            *(
                of_unit.PerUnitMeasure,
                of_unit.Window,
                of_unit.Place,
                of_unit.Sorted,
                of_unit.Frame,
                of_unit.End,
            ),
            *(relation.Released, relation.ReleasedColumn),
            *(Question, Measure, Top, Interval, Fraction),
        )
    }
    | {"datetime.date": date, "datetime.datetime": datetime}
)
_ENUMS: Final[Mapping[str, type[Enum]]] = MappingProxyType(
    {
        e.__name__: e
        for e in (Aggregate, FrameUnit, JoinKind, PerUnitAggregate, Ranked, Side, SqlType, Without)
    }
)


class Unreadable(Exception):
    """The text is not the canonical text of a question."""


def question_of(text: str) -> Question | None:
    """The question that a canonical text of (question, parts) begins with; None where it is not one that is known."""
    if len(text) > _LONGEST:
        return None
    try:
        tree = ast.parse(_MEMBER.sub(lambda m: m.group(1) or m.group(0), text), mode="eval").body
        found = _value(tree.elts[0]) if isinstance(tree, ast.Tuple) and tree.elts else None
    except (Unreadable, SyntaxError, ValueError, TypeError, KeyError, MemoryError, RecursionError):
        return None
    return found if isinstance(found, Question) else None


def beginning(of: Relation, keys: tuple[Expr, ...] | None = None) -> str:
    """What the canonical text of every question about a relation begins with, and about a relation and its keys."""
    start = f"(Question(relation={of!r}, keys="
    return start if keys is None else f"{start}{keys!r}, measures="


def _value(node: ast.expr) -> object:
    match node:
        case ast.Constant():
            return node.value
        case ast.Tuple():
            return tuple(map(_value, node.elts))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case ast.Attribute(value=ast.Name(id=name), attr=member):
            return _ENUMS[name][member]
        case ast.Call(func=function, args=args, keywords=named):
            known = _CLASSES[ast.unparse(function)]
            return known(*map(_value, args), **{k.arg: _value(k.value) for k in named if k.arg is not None})
    raise Unreadable
