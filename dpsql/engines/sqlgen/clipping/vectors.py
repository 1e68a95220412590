"""The terms of each unit and group, which are never shown, and how the parts of a release read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from dpsql.engines.base import EngineQuery, UnitList
from dpsql.engines.sqlgen.bounding import contributions, sizes_table, units_table
from dpsql.engines.sqlgen.clipping.contributions import (
    Part,
    less_vectors_sql,
    of_kept_groups,
    scaled_sql,
    size_sql,
    sized_sql,
)
from dpsql.engines.sqlgen.clipping.largest_units import Largest, histogram_of
from dpsql.engines.sqlgen.grouped_terms import Texts, grouped_terms, halves, texts_of, with_texts
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Histogram
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Vectors:
    """The terms of each unit and group: the query for them, and how other queries read them.

    `sized` selects the sizes of units for what a row adds to them, where they are kept. `private`: of all groups only
    those count that were selected before. `largest`: they are those of the units that own most.
    """

    task: Task
    query: EngineQuery
    rows: Texts
    sized: Mapping[str, str]
    private: bool
    largest: Largest | None

    def asked(self, part: Part) -> EngineQuery:
        """The query of a part."""
        query = with_texts(self.query, self.rows, lambda rows: self._written(part, rows))
        if isinstance(part, Histogram):
            return replace(shown(query, 1, 1, few=True), from_first=self.largest is not None)
        return shown(query, len(self.task.keys), len(part.cells), self.task.few_groups)

    def _written(self, part: Part, rows: str) -> str:
        terms, keys = self.task.terms, len(self.task.keys)
        rows, kept = self._kept(rows), self.sized.get(size_sql(part, terms), "")
        if isinstance(part, Histogram):
            return histogram_of(part, kept or sized_sql(part, terms, keys, rows), self.largest)
        if self.largest is not None:
            return less_vectors_sql(part, terms, keys, rows, self._kept(self.largest.totals.sql))
        return scaled_sql(part, terms, keys, rows, kept)

    def _kept(self, rows: str) -> str:
        return of_kept_groups(self.task.key_types, rows) if self.private else rows


def vectors(
    task: Task, histograms: Sequence[Histogram], private: bool, largest: Largest | None = None
) -> Vectors:
    """The vectors of all units, or of the largest, with the sizes that the histograms count where these can be kept."""
    grouped = grouped_terms(task)
    if largest is not None:
        lists = tuple(dict.fromkeys((*largest.totals.lists, *grouped.lists, *largest.lists)))
        query = replace(largest.totals, lists=lists)
        return Vectors(task, query, texts_of(grouped), {}, private, largest)
    if grouped.parameters or grouped.tables:  # what they hold is another for each draw
        return Vectors(task, grouped, texts_of(grouped), {}, private, largest)
    kept_sizes = () if private or not task.keys else histograms
    sizes = tuple(dict.fromkeys(size_sql(h, task.terms) for h in kept_sizes))
    kept = contributions(*texts_of(grouped), sizes=sizes)
    sized = {size: f"SELECT {UNIT}, t{i} AS t FROM {sizes_table(kept.name)}" for i, size in enumerate(sizes)}
    query = replace(grouped, lists=(*grouped.lists, kept))
    return Vectors(task, query, read_from(kept), sized, private, largest)


def read_from(kept: UnitList) -> Texts:
    """What reads a list that holds what a query found."""
    return f"SELECT * FROM {units_table(kept.name)}", "", ""


def shown(query: EngineQuery, keys: int, columns: int, few: bool) -> EngineQuery:
    """The query with its integers, so many columns, cut into halves unless its rows are `few`."""
    if few:
        return replace(query, keys=keys, terms=columns)
    every = [*(f"k{i}" for i in range(keys)), *(h for i in range(columns) for h in halves(f"g{i}", i))]
    halved = with_texts(query, texts_of(query), lambda rows: f"SELECT {', '.join(every)} FROM ({rows})")
    return replace(halved, keys=keys, terms=columns)
