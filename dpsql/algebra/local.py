"""Local questions: a private response of every row, and the public list of values that each is drawn from."""

from __future__ import annotations

import enum
from fractions import Fraction

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Column, Expr, LiteralValue
from dpsql.algebra.facts import Fact, value_at
from dpsql.algebra.question import Question
from dpsql.algebra.relations import Relation
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass

MOST_VALUES = 1_000
"""The longest list of values that a response is drawn from, NULL not counted."""
MOST_COLUMNS = 8
"""The most responses of one row."""
MOST_BITS = 62
"""The most values of RAPPOR, so that the bits of a row stay one machine integer."""
Values = tuple[LiteralValue, ...]


class Response(enum.StrEnum):
    """How the value of one row is released."""

    RANDOMIZED_RESPONSE = "randomized_response"
    RAPPOR = "rappor"


@dataclass(frozen=True, slots=True)
class LocalQuestion(Question):
    """A row for each row of the relation, with a response to each of `keys`, of the kind at its place in `kinds`."""

    kinds: tuple[Response, ...] = ()


def values_of(expr: Expr, relation: Relation, catalog: Catalog) -> Values | None:
    """The values that an expression can have in the rows of a relation, in a fixed order and NULL, where it can occur,
    last; None where there is no public list of them."""
    shaped = shape(relation, catalog)
    fact = shaped.facts().of(expr)
    listed = _listed(expr, shaped, catalog)
    if listed is None:
        listed = _few(fact)
    if listed is None or len(listed) > MOST_VALUES:
        return None
    return (*listed, None) if fact.nullable else listed


def _listed(expr: Expr, shaped: Shape, catalog: Catalog) -> Values | None:
    """The list that the policy gives for a column; what is not on it is NULL once it is read."""
    scan = shaped.scan(expr) if isinstance(expr, Column) else None
    if scan is None or not isinstance(expr, Column):
        return None
    info = table_of(scan, catalog).column(expr.name)
    return info.values if info is not None else None


def _few(fact: Fact) -> Values | None:
    """Every value of a type and range that have few."""
    if fact.type is SqlType.BOOLEAN:
        return (False, True)
    if fact.type not in (SqlType.INTEGER, SqlType.DATE) or fact.interval is None:
        return None
    if fact.interval.width >= MOST_VALUES:
        return None
    numbers = range(int(fact.interval.lo), int(fact.interval.hi) + 1)
    return tuple(value_at(Fraction(n), fact.type) for n in numbers)
