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

    def known(self, node: Node) -> Expr | None:
        """What stands for an aggregate: nothing of any meaning before the question has its number."""
        found = self.measure_of(node)
        if found is None:
            return None
        if self._question is None:
            if found not in self.measures:
                self.measures.append(found)
            return Literal(None, released_type(found))
        interval = measure_range(found, shape(self.relation, self._catalog).facts())
        at = self.measures.index(found)
        return ScalarParameter(self._question, at, released_type(found), interval.lo, interval.hi)

    def measure_of(self, node: Node) -> Measure | None:
        """The measure that a node of the item is, if any. Refuses columns that are not aggregated."""
        if is_aggregate(node.this if isinstance(node, exp.Filter) else node):
            found = measure(node, self.binder, self._owner)
            if not _can_be_input(found):
                raise QueryRefused(
                    "only a released number, date or moment can be compared with private rows",
                    place=place_of(node),
                    hint="Ask for the value in a query of its own, and write it as a constant.",
                )
            return found
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


def measure_range(found: Measure, facts: Facts) -> Interval:
    """The range that a released input is clamped to: what the exact value lies in, as far as that is known."""
    if found.aggregate in JOINT_DEGREES or found.aggregate is Aggregate.DEVIATIONS:
        return Interval(-_LARGEST, _LARGEST)
    if found.aggregate not in MOMENTS | ORDERED:
        return Interval(Fraction(0), _LARGEST)
    assert found.arg is not None
    if found.aggregate is Aggregate.SUM:
        return Interval(-_LARGEST, _LARGEST)
    interval = facts.of(found.arg).interval
    assert interval is not None
    if found.aggregate is Aggregate.AVG or found.aggregate in ORDERED:
        return interval
    width = interval.width
    return Interval(Fraction(0), width if found.aggregate in _DEVIATIONS else width * width)


def is_count(found: Measure) -> bool:
    """Whether a measure is 0 over no rows, where others are NULL."""
    return found.aggregate not in MOMENTS | ORDERED | JOINT_DEGREES.keys()


def released_type(found: Measure) -> SqlType:
    """The type of a measure's released values."""
    return _TYPES.get(found.sql_type, SqlType.INTEGER)


def _can_be_input(found: Measure) -> bool:
    """Whether a measure's values are numbers, or dates or moments that its argument's range is known for."""
    if found.aggregate not in ORDERED or found.arg is None or found.arg.type in NUMERIC:
        return True
    return found.arg.type in TEMPORAL and released_type(found) is found.arg.type
