"""One aggregating SELECT inside an expression over private rows: its value is released first, as an input."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr, Literal, ScalarParameter
from dpsql.algebra.facts import Facts
from dpsql.algebra.question import JOINT_DEGREES, MOMENTS, ORDERED, Aggregate, Measure, Question
from dpsql.algebra.relations import Relation, columns_from, read_around, reads
from dpsql.algebra.shape import shape
from dpsql.algebra.types import NUMERIC, TEMPORAL, SqlType
from dpsql.errors import QueryRefused
from dpsql.privacy import Interval
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.positions import place_of
from dpsql.sql.bind.aggregate_measures import measure
from dpsql.sql.bind.binder import Binder
from dpsql.sql.bind.mark_joins import Marks
from dpsql.sql.bind.row_owner import Owner
from dpsql.sql.dialect import Node

_LARGEST = Fraction(2**62)
_TYPES = {t.value: t for t in (SqlType.DOUBLE, *TEMPORAL)}
# Sums, of which a policy says no range.
_ANYWHERE = frozenset({Aggregate.SUM, Aggregate.SUM_DISTINCT, Aggregate.DEVIATIONS})
_DEVIATIONS = frozenset({Aggregate.STDDEV_POP, Aggregate.STDDEV_SAMP})


class ReleasedValue:
    """The measures of such a SELECT, and the expression of its one item over their released values."""

    def __init__(
        self, relation: Relation, binder: Binder, marks: Marks, owner: Owner, catalog: Catalog
    ) -> None:
        self.relation = relation
        self.binder = binder
        self._marks = marks
        self._owner = owner
        self._catalog = catalog
        self.measures: list[Measure] = []
        self._question: int | None = None

    def stands_for(self, node: Node) -> Expr | None:
        """What stands for an aggregate: nothing of any meaning before the question has its number."""
        measure = self.measure_of(node)
        if measure is None:
            return None
        if self._question is None:
            if measure not in self.measures:
                self.measures.append(measure)
            return Literal(None, released_type(measure))
        interval = measure_range(measure, shape(self.relation, self._catalog).facts())
        at = self.measures.index(measure)
        return ScalarParameter(self._question, at, released_type(measure), interval.lo, interval.hi)

    def measure_of(self, node: Node) -> Measure | None:
        """The measure that a node of the item is, if any. Refuses columns that are not aggregated."""
        if is_aggregate(node.this if isinstance(node, exp.Filter) else node):
            bound = measure(node, self.binder, self._owner)
            if not _can_be_input(bound):
                raise QueryRefused(
                    "only a released number, date or moment can be compared with private rows",
                    place=place_of(node),
                    hint="Ask for the value in a query of its own, and write it as a constant.",
                )
            return bound
        if isinstance(node, exp.Column):
            raise QueryRefused(
                f'the column "{node.name}" is neither grouped nor aggregated',
                place=place_of(node),
                hint="Aggregate it.",
            )
        return None

    def question(self, item: Node, outside: Binder, place: Node) -> Question:
        """What is to be released for the item."""
        outside.bind(item)
        self.relation = self._marks.put_on(self.relation)
        return renumbered(Question(self.relation, (), tuple(self.measures), place=place_of(place)))

    @property
    def reads_outside(self) -> bool:
        """Whether the rows, or the measures over them, read a source that is not their own."""
        exprs = [e for m in self.measures for e in (m.arg, m.where) if e is not None]
        return bool(
            read_around(self.relation) or {i for e in exprs for i in reads(e)} - columns_from(self.relation)
        )

    def value(self, item: Node, outside: Binder, question: int) -> Expr:
        """The item over the released values of the question of that number."""
        self._question = question
        return outside.bind(item)


def measure_range(measure: Measure, facts: Facts) -> Interval:
    """The range that a released input is clamped to: what the exact value lies in, as far as that is known."""
    if measure.aggregate in JOINT_DEGREES or measure.aggregate in _ANYWHERE:
        return Interval(-_LARGEST, _LARGEST)
    if measure.aggregate not in MOMENTS | ORDERED:
        return Interval(Fraction(0), _LARGEST)
    assert measure.arg is not None
    interval = facts.of(measure.arg).interval
    assert interval is not None
    if measure.aggregate is Aggregate.AVG or measure.aggregate in ORDERED:
        return interval
    width = interval.width
    return Interval(Fraction(0), width if measure.aggregate in _DEVIATIONS else width * width)


def is_count(measure: Measure) -> bool:
    """Whether a measure is 0 over no rows, where others are NULL."""
    return measure.aggregate not in MOMENTS | ORDERED | JOINT_DEGREES.keys() | _ANYWHERE


def released_type(measure: Measure) -> SqlType:
    """The type of a measure's released values."""
    return _TYPES.get(measure.sql_type, SqlType.INTEGER)


def _can_be_input(measure: Measure) -> bool:
    """Whether a measure's values are numbers, or dates or moments that its argument's range is known for."""
    if measure.arg is not None and measure.arg.type is SqlType.INTERVAL:
        return False
    if measure.aggregate not in ORDERED or measure.arg is None or measure.arg.type in NUMERIC:
        return True
    return measure.arg.type in TEMPORAL and released_type(measure) is measure.arg.type
