"""What is asked of the units that own most of a table, and how large others can be: whatever a query's condition is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dpsql.algebra.shape import shape
from dpsql.engines.base import EngineQuery, UnitList
from dpsql.engines.sqlgen.bounding import largest_of, units_table
from dpsql.engines.sqlgen.clipping.contributions import (
    bounding_terms,
    histogram_of_largest_sql,
    histogram_sql,
    most_sql,
    power_of,
)
from dpsql.engines.sqlgen.grouped_terms import grouped_terms
from dpsql.engines.sqlgen.relation import base_facts
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Histogram, Sum, Term
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Largest:
    """Sums over all rows, and for each bound of sizes, a combination of `added`, a query for what is above others.

    It selects the least p for which no other unit has a size above 2^(p - 1); `lists` are what these queries read.
    """

    totals: EngineQuery
    added: tuple[Term, ...]
    first: Mapping[str, str]
    lists: tuple[UnitList, ...]

    def histogram(self, part: Histogram, sized: str, summed: bool) -> str:
        """The histogram of the bins that no other unit is in."""
        return histogram_of_largest_sql(part, sized, self.first[most_sql(part, self.added)], summed)


def histogram_of(part: Histogram, sized: str, largest: Largest | None, *, summed: bool = False) -> str:
    """The histogram of all units, or of the bins that no others than the largest are in, which may come with sums."""
    return histogram_sql(part, sized) if largest is None else largest.histogram(part, sized, summed)


def others_of(
    task: Task, units: UnitList, counted: str, histograms: Sequence[Histogram]
) -> tuple[tuple[Term, ...], dict[str, str], tuple[UnitList, ...]]:
    """The terms of bounds, and for each bound what is above that of units whose rows are not kept, with the lists.

    `counted` is a query for the number of rows of the table.
    """
    added = bounding_terms(histograms)
    sizes = tuple(dict.fromkeys(most_sql(h, added) for h in histograms))
    if added == (Term(Sum.ROWS),):  # of one of them, that has most rows
        others, counted = f"SELECT n AS g0 FROM {units_table(units.name)} WHERE NOT kept", ""
    else:
        others = _others(task, units, added)
    lists = {size: _first_above(size, counted, others) for size in sizes}
    first = {size: f"SELECT p FROM {units_table(kept.name)}" for size, kept in lists.items()}
    return added, first, tuple(lists.values())


def _first_above(size: str, counted: str, others: str) -> UnitList:
    """A list of one p: the least for which none of the others has a size above 2^(p - 1)."""
    return largest_of(
        size, counted, others, f"SELECT CASE WHEN o > 0 THEN {power_of('o')} + 1 ELSE 0 END AS p"
    )


def _others(task: Task, units: UnitList, terms: tuple[Term, ...]) -> str:
    """SELECT the unit, g0, ...: the terms of each unit whose rows are not kept, over all rows of its table."""
    every = replace(task, relation=task.owner, keys=(), terms=terms, present=())
    every = replace(every, found=shape(task.owner, task.catalog), base=base_facts(task.owner, task.catalog))
    kept = f"SELECT u FROM {units_table(units.name)} WHERE kept"
    return f"SELECT r.* FROM ({grouped_terms(every).sql}) AS r ANTI JOIN ({kept}) AS h ON r.{UNIT} = h.u"
