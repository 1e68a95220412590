"""How the parts of a release are asked that are about units' vectors: of all units, and of the largest alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.algebra.expressions import parameters_of
from dpsql.algebra.relations import Scan, marks, sources
from dpsql.algebra.shape import table_of
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.bounding import largest
from dpsql.engines.sqlgen.clipping.contributions import Part, grows_with_rows, sums_of_rows
from dpsql.engines.sqlgen.clipping.largest_units import Largest, others_of
from dpsql.engines.sqlgen.clipping.sizes_of_rows import Reduced, reduced
from dpsql.engines.sqlgen.clipping.vectors import Vectors, vectors
from dpsql.engines.sqlgen.grouped_terms import grouped_terms
from dpsql.engines.sqlgen.read import bounded_table
from dpsql.engines.sqlgen.task import Task
from dpsql.plan.types import Histogram
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class ClippedParts:
    """The queries of such parts; `of_largest` where the units that own most may be enough."""

    of_all: Vectors | Reduced
    of_largest: Vectors | Reduced | None = None

    def asked(self, part: Part) -> EngineQuery:
        """The query of a part."""
        query = self.of_all.asked(part)
        return query if self.of_largest is None else replace(query, of_largest=self.of_largest.asked(part))


def clipped_parts(task: Task, histograms: Sequence[Histogram], private: bool) -> ClippedParts:
    """How the parts of a release with those histograms are asked; `private`: groups are selected before."""
    if not _reads_again(task) or not grows_with_rows(histograms):
        return ClippedParts(vectors(task, histograms, private))
    totals = grouped_terms(replace(task, by_unit=False, inner=True))
    of_largest = _of_largest(task, totals, histograms, private) if _has_largest(task) else None
    if task.keys and sums_of_rows(histograms):
        return ClippedParts(reduced(task, totals, histograms, private), of_largest)
    return ClippedParts(vectors(task, histograms, private), of_largest)


def _of_largest(
    task: Task, totals: EngineQuery, histograms: Sequence[Histogram], private: bool
) -> Vectors | Reduced:
    table = bounded_table(task.owner, task.policy, task.catalog)
    units = largest(table)
    counted = replace(totals, of_many=True, counted=table.counted, in_parts="")
    found = Largest(counted, *others_of(task, units, table.counted, histograms))
    of_units = replace(task, of_largest=units)
    if sums_of_rows(histograms):
        return reduced(of_units, counted, histograms, private, found)
    return vectors(of_units, histograms, private, found)


def _has_largest(task: Task) -> bool:
    """Whether a unit has all of its rows, unless conditions of the query leave them out; these change no value.

    A condition on a column that is added up makes its range smaller, and with it the integers that stand for values.
    """
    bounding, facts = task.bounding, task.found.facts()
    fixed = bounding.rows is not None or bounding.groups is not None or bounding.table_cap or bounding.totals
    if fixed or not _one_table(task) or any(parameters_of(e) for t in task.terms for e in t.reads):
        return False
    added = [g.arg for t in task.terms for g in (t.grid, t.other) if g is not None]
    return all(facts.of(arg).interval == task.base.of(arg).interval for arg in added)


def _reads_again(task: Task) -> bool:
    """Whether reading the rows once more takes little: they are those of one table that says whose they are."""
    if not _one_table(task):
        return False
    table = table_of(task.owner, task.catalog)
    return table.path is None or table.prepared is not None


def _one_table(task: Task) -> bool:
    (first, *others), owner = sources(task.relation), task.found.owner
    return not others and first is owner and isinstance(owner, Scan) and not any(marks(task.relation))
