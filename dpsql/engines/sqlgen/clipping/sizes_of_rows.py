"""Terms of all rows, those of units above a threshold, and sizes of units, where these are sums over their rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.bounding import contributions
from dpsql.engines.sqlgen.clipping.contributions import (
    OF_BINS,
    ONLY_ABOVE,
    Part,
    among_kept_groups,
    of_kept_groups,
    reduced_sql,
    summed_terms,
    total_sql,
)
from dpsql.engines.sqlgen.clipping.largest_units import Largest, histogram_of
from dpsql.engines.sqlgen.clipping.vectors import read_from, shown
from dpsql.engines.sqlgen.grouped_terms import Texts, grouped_terms, texts_of, with_texts
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Histogram, Term
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Reduced:
    """The queries for them, of all units or of the `largest`.

    `sized` are the ways to select units, and what `sizes` read: an expression for each, which is a combination of
    `added`. `private`: of all groups only those count that were selected before. `alone`: a unit's size is its only
    cell.
    """

    totals: EngineQuery
    vectors: EngineQuery
    sizes: Mapping[str, str]
    added: tuple[Term, ...]
    sized: Texts
    task: Task
    private: bool
    alone: bool
    largest: Largest | None

    def asked(self, part: Part) -> EngineQuery:
        """The query of a part; with a histogram of the largest come the sums of its bins where they are sums of cells.

        Then the sums of all units are asked for as well as they are: a threshold takes no second look at the largest.
        """
        size, terms = self.sizes[total_sql(part, self.added)], self.task.terms
        summed = self.alone and self.largest is not None

        def write(totals: str, vectors: str, sized: str) -> str:
            sized = f"SELECT {UNIT}, {size} AS t FROM ({sized})"
            if isinstance(part, Histogram):
                return histogram_of(part, sized, self.largest, summed=summed)
            rows = self._kept(totals), self._kept(vectors)
            return reduced_sql(part, terms, len(self.task.keys), sized, *rows)

        query = _together(self.totals, self.vectors, self.sized, write)
        if isinstance(part, Histogram):
            bins = shown(query, 1, OF_BINS if summed else 1, few=True)
            return replace(bins, from_first=self.largest is not None)
        query = shown(query, len(self.task.keys), len(part.cells), self.task.few_groups)
        return replace(query, unscaled=self._unscaled(part)) if summed else query

    def _unscaled(self, part: Part) -> EngineQuery:
        """The only sum of a part over the rows of all units."""
        total = total_sql(part, self.task.terms)
        rows = with_texts(
            self.totals, texts_of(self.totals), lambda sql: f"SELECT {total} AS g0 FROM ({sql})"
        )
        return shown(rows, 0, 1, few=True)

    def _kept(self, rows: str) -> str:
        return of_kept_groups(self.task.key_types, rows) if self.private else rows


def reduced(
    task: Task,
    totals: EngineQuery,
    histograms: Sequence[Histogram],
    private: bool,
    largest: Largest | None = None,
) -> Reduced:
    """How much a unit adds is read from all of its rows in groups that count, each of which is read once for it."""
    added = summed_terms(histograms)
    sizes = {size: size for h in histograms for size in [total_sql(h, added)]}
    alone = not task.keys and all(len(h.cells) == 1 for h in histograms)
    vectors = totals if alone else grouped_terms(replace(task, only=ONLY_ABOVE))
    owned = grouped_terms(_of_units(replace(task, terms=added), private))
    sized = texts_of(owned)
    lists = (*totals.lists, *vectors.lists, *owned.lists, *(largest.lists if largest is not None else ()))
    if largest is None and not private and not totals.parameters and not totals.tables:
        columns = ", ".join([UNIT, *(f"{size} AS t{i}" for i, size in enumerate(sizes))])
        kept = contributions(
            *texts_of(with_texts(owned, sized, lambda rows: f"SELECT {columns} FROM ({rows})"))
        )
        sizes = {size: f"t{i}" for i, size in enumerate(sizes)}
        sized, lists = read_from(kept), (*lists, kept)
    totals = replace(totals, lists=tuple(dict.fromkeys(lists)))
    return Reduced(totals, vectors, sizes, added, sized, task, private, alone, largest)


def _of_units(task: Task, private: bool) -> Task:
    """What each unit has in all groups that count: those that were selected before, or all that there can be."""
    if private:
        only = among_kept_groups(task.key_types)
        return replace(task, only=only, over_keys=True, present=())
    if not task.present:
        return replace(task, keys=())
    only = f"WHERE {' AND '.join(f'k{i} IS NOT NULL' for i in task.present)}"
    return replace(task, only=only, over_keys=True, present=())


def _together(
    first: EngineQuery,
    second: EngineQuery,
    third: Texts,
    write: Callable[[str, str, str], str],
) -> EngineQuery:
    """The first query, reading what all three select: where one of them has no shorter text its whole one is read."""
    whole, *shorter = zip(texts_of(first), texts_of(second), third, strict=True)
    texts = [write(*whole)]
    for way in shorter:
        texts.append(write(*(t or w for t, w in zip(way, whole, strict=True))) if any(way) else "")
    sql, without_big, without_units = texts
    return replace(first, sql=sql, without_big=without_big, without_units=without_units)
