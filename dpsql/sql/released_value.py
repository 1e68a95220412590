"""One aggregating SELECT inside an expression over private rows: its value is released first and fed back in."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.expr import Expr, Hole, Literal
from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, ORDERED, Aggregate, Measure, Question
from dpsql.algebra.relation import Relation
from dpsql.algebra.shape import shape
from dpsql.algebra.types import NUMERIC, SqlType
from dpsql.catalog import Catalog
from dpsql.errors import QueryRefused
from dpsql.privacy import Interval
from dpsql.sql.aggregates import is_aggregate, measure
from dpsql.sql.bind import Binder
from dpsql.sql.dialect import Node
from dpsql.sql.marks import Marks
from dpsql.sql.owner import Owner
from dpsql.sql.place import place_of

_LARGEST = Fraction(2**62)
_DEVIATIONS = frozenset({Aggregate.STDDEV_POP, Aggregate.STDDEV_SAMP})


class ReleasedValue:
    """The measures of such a SELECT, and the expression of its one item over their released values."""

    def __init__(
        self, relation: Relation, binder: Binder, marks: Marks, owner: Owner, catalog: Catalog
    ) -> None:
        self.relation = relation
        self._binder = binder
        self._marks = marks
        self._owner = owner
        self._catalog = catalog
        self.measures: list[Measure] = []
        self._question: int | None = None

    def known(self, node: Node) -> Expr | None:
        """What stands for an aggregate: nothing of any meaning before the question has its number."""
        if not is_aggregate(node.this if isinstance(node, exp.Filter) else node):
            if isinstance(node, exp.Column):
                raise QueryRefused(
                    f'the column "{node.name}" is neither grouped nor aggregated',
                    place=place_of(node),
                    hint="Aggregate it.",
                )
            return None
        found = measure(node, self._binder, self._owner)
        if found.aggregate in ORDERED and found.arg is not None and found.arg.type not in NUMERIC:
            raise QueryRefused(
                "only a released number can be compared with private rows",
                place=place_of(node),
                hint="Ask for the value in a query of its own, and write it as a constant.",
            )
        if self._question is None:
            if found not in self.measures:
                self.measures.append(found)
            return Literal(None, _type(found))
        interval = self._interval(found)
        at = self.measures.index(found)
        return Hole(self._question, at, _type(found), interval.lo, interval.hi)

    def question(self, item: Node, outside: Binder, place: Node) -> Question:
        """What is to be released for the item."""
        outside.bind(item)
        self.relation = self._marks.put_on(self.relation)
        return renumbered(Question(self.relation, (), tuple(self.measures), place=place_of(place)))

    def value(self, item: Node, outside: Binder, question: int) -> Expr:
        """The item over the released values of the question of that number."""
        self._question = question
        return outside.bind(item)

    def _interval(self, found: Measure) -> Interval:
        """The range that a fed value is clamped to: what the exact value lies in, as far as that is known."""
        if found.aggregate in JOINT_DEGREES or found.aggregate is Aggregate.DEVIATIONS:
            return Interval(-_LARGEST, _LARGEST)
        if found.aggregate not in MOMENTS | ORDERED:
            return Interval(Fraction(0), _LARGEST)
        assert found.arg is not None
        if found.aggregate is Aggregate.SUM:
            return Interval(-_LARGEST, _LARGEST)
        interval = shape(self.relation, self._catalog).facts().of(found.arg).interval
        assert interval is not None
        if found.aggregate is Aggregate.AVG or found.aggregate in ORDERED:
            return interval
        width = interval.width
        return Interval(Fraction(0), width if found.aggregate in _DEVIATIONS else width * width)


def _type(found: Measure) -> SqlType:
    return SqlType.DOUBLE if found.sql_type == "DOUBLE" else SqlType.INTEGER
