"""One part of a release as one engine query: scan, bound, group, and exact sums of integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.relations import Scan, marks, sources
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.engines.base import EngineQuery, UnitList
from dpsql.engines.sqlgen.bounding import (
    added_weights,
    contributions,
    sizes_table,
    units_table,
    weights_of_groups,
)
from dpsql.engines.sqlgen.contributions import (
    ONLY_ABOVE,
    among_kept_groups,
    histogram_sql,
    of_kept_groups,
    reduced_sql,
    scaled_sql,
    size_sql,
    sized_sql,
    summed_cells,
    sums_of_rows,
    total_sql,
)
from dpsql.engines.sqlgen.grouped_terms import Texts, grouped_terms, halves, texts_of, with_texts
from dpsql.engines.sqlgen.key_weights import weights_sql
from dpsql.engines.sqlgen.read import expressions
from dpsql.engines.sqlgen.relation import FromWhere, base_facts
from dpsql.engines.sqlgen.single import SingleOwner
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import (
    Bounding,
    Histogram,
    Local,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sum,
    Sums,
    Term,
)
from dpsql.policy.model import Policy

_BITS = 62
_Clipped = Histogram | ScaledSums | ScaledScores
_NOTHING = FromWhere("", ())


def engine_queries(release: Release, policy: Policy, catalog: Catalog) -> tuple[EngineQuery, ...]:
    """The SQL of each part: the keys, then every term as two BIGINT columns (v >> 62, v & (2**62 - 1)).

    What several parts read of units' vectors is written once.
    """
    written: dict[Bounding, _Vectors | _Reduced] = {}
    return tuple(_engine_query(release, part, policy, catalog, written) for part in release.parts)


def _engine_query(
    release: Release,
    part: Part,
    policy: Policy,
    catalog: Catalog,
    written: dict[Bounding, _Vectors | _Reduced],
) -> EngineQuery:
    if not isinstance(part, Histogram | ScaledSums | ScaledScores):
        task = _task(release, part, policy, catalog, terms_of(part))
        return _weights(task) if _is_weighted(part) else grouped_terms(task)
    if part.bounding not in written:  # the terms and sizes of all such parts are computed at once
        histograms = [p for p in release.parts if isinstance(p, Histogram)]
        terms = tuple(dict.fromkeys(t for p in histograms for t in p.terms))
        task = _task(release, part, policy, catalog, terms)
        private = release.keys.domain is None
        if task.keys and _reads_again(task) and sums_of_rows(histograms):
            written[part.bounding] = _reduced(task, histograms, private)
        else:
            written[part.bounding] = _vectors(task, () if private else histograms, private)
    return written[part.bounding].asked(part)


def _reads_again(task: Task) -> bool:
    """Whether reading the rows once more takes little: they are those of one table that says whose they are."""
    (first, *others), owner = sources(task.relation), task.found.owner
    if others or first is not owner or not isinstance(owner, Scan) or any(marks(task.relation)):
        return False
    table = table_of(owner, task.catalog)
    return table.path is None or table.prepared is not None


def terms_of(part: Part) -> tuple[Term, ...]:
    """The distinct exact integers that a part needs, in the order of the query's columns."""
    if isinstance(part, Sums):
        return tuple(dict.fromkeys(t for f in part.families for t in f.terms))
    if isinstance(part, Histogram | ScaledSums | ScaledScores):
        return part.terms
    if isinstance(part, Scores):
        return (part.term,)
    if isinstance(part, Local):
        return (Term(Sum.ROWS),)
    if isinstance(part, Ranks | Modes):
        return (Term(Sum.ROWS, part.where),)
    if isinstance(part, Presence):
        return (part.term,)
    assert_never(part)


def _task(release: Release, part: Part, policy: Policy, catalog: Catalog, terms: tuple[Term, ...]) -> Task:
    relation, keys, bins = release.question.relation, release.keys.exprs, None
    if isinstance(part, Modes):
        keys = (*keys, part.arg)
    if isinstance(part, Ranks):
        bins = part.bins
    shaped = shape(relation, catalog)
    owner = shaped.owner
    assert owner is not None
    base = base_facts(relation, catalog)
    alone = isinstance(owner, Scan) and table_of(owner, catalog).row_is_unit
    by_unit = isinstance(part, Histogram | ScaledSums | ScaledScores) or _is_weighted(part)
    pairs = _is_weighted(part) and part.bounding.groups is None  # of a unit and a group, by their rows
    single = alone or shaped.rows_per_unit == 1 or pairs
    counted = tuple(Term(Sum.ROWS, t.where) if single and t.sum is Sum.UNITS else t for t in terms)
    summed: list[Expr] = [e for t in counted for e in t.reads]
    summed += [] if bins is None else [bins.grid.arg]
    rows = (*expressions(relation), *summed)
    present = _present(release, part, shaped, keys if bins is None else (*keys, bins.grid.arg))
    return Task(
        relation,
        keys,
        counted,
        part.bounding,
        shaped,
        base,
        rows,
        policy,
        catalog,
        bins,
        present,
        by_unit,
        pairs,
    )


def _present(release: Release, part: Part, shaped: Shape, keys: tuple[Expr, ...]) -> tuple[int, ...]:
    """The places of keys that rows can have no value of, where what has none belongs to no group and no cell."""
    if isinstance(part, Local):
        return ()
    counted = range(len(release.keys.exprs), len(keys))
    facts = shaped.facts()
    return tuple(i for i in (*release.keys.never_null(), *counted) if facts.of(keys[i]).nullable)


@dataclass(frozen=True, slots=True)
class _Vectors:
    """The terms of each unit and group, which are never shown: the query for them, and how other queries read them.

    `sized` selects the sizes of units for what a row adds to them, where they are kept. `private`: of all groups only
    those count that were selected before.
    """

    task: Task
    query: EngineQuery
    rows: Texts
    sized: Mapping[str, str]
    private: bool

    def asked(self, part: _Clipped) -> EngineQuery:
        """The query of a part."""
        terms, keys = self.task.terms, len(self.task.keys)
        kept = self.sized.get(size_sql(part, terms), "")

        def write(rows: str) -> str:
            if self.private:
                rows = of_kept_groups([key.type for key in self.task.keys], rows)
            if not isinstance(part, Histogram):
                return scaled_sql(part, terms, keys, rows, kept)
            return histogram_sql(part, kept or sized_sql(part, terms, keys, rows))

        return _shown(
            with_texts(self.query, self.rows, write), 1 if isinstance(part, Histogram) else keys, part
        )


def _vectors(task: Task, histograms: Sequence[Histogram], private: bool) -> _Vectors:
    grouped = grouped_terms(task)
    if grouped.parameters or grouped.tables:  # what they hold is another for each draw
        return _Vectors(task, grouped, texts_of(grouped), {}, private)
    sizes = tuple(dict.fromkeys(size_sql(h, task.terms) for h in histograms)) if task.keys else ()
    kept = contributions(*texts_of(grouped), sizes=sizes)
    sized = {size: f"SELECT {UNIT}, t{i} AS t FROM {sizes_table(kept.name)}" for i, size in enumerate(sizes)}
    return _Vectors(task, replace(grouped, lists=(*grouped.lists, kept)), _read_from(kept), sized, private)


def _read_from(kept: UnitList) -> Texts:
    return f"SELECT * FROM {units_table(kept.name)}", "", ""


@dataclass(frozen=True, slots=True)
class _Reduced:
    """Terms of all rows, those of units above a threshold, and sizes of units, where these are sums over their rows.

    `sized` are the ways to select the unit and its sizes t0, t1, ..., of what is in `sizes`, combinations of `added`.
    `private`: of all groups only those count that were selected before.
    """

    totals: EngineQuery
    vectors: EngineQuery
    sizes: tuple[str, ...]
    added: tuple[Term, ...]
    sized: Texts
    task: Task
    private: bool

    def asked(self, part: _Clipped) -> EngineQuery:
        """The query of a part."""
        at = self.sizes.index(total_sql(part, self.added))
        keys = 1 if isinstance(part, Histogram) else len(self.task.keys)

        def write(totals: str, vectors: str, sized: str) -> str:
            sized = f"SELECT {UNIT}, t{at} AS t FROM ({sized})"
            if isinstance(part, Histogram):
                return histogram_sql(part, sized)
            rows = self._kept(totals), self._kept(vectors)
            return reduced_sql(part, self.task.terms, keys, sized, *rows)

        return _shown(_together(self.totals, self.vectors, self.sized, write), keys, part)

    def _kept(self, rows: str) -> str:
        return of_kept_groups([key.type for key in self.task.keys], rows) if self.private else rows


def _reduced(task: Task, histograms: Sequence[Histogram], private: bool) -> _Reduced:
    """How much a unit adds is read from all of its rows in groups that count, each of which is read once for it."""
    added = tuple(dict.fromkeys(t for h in histograms for t, _ in summed_cells(h)))
    sizes = tuple(dict.fromkeys(total_sql(h, added) for h in histograms))
    totals = grouped_terms(replace(task, by_unit=False, inner=True))
    vectors = grouped_terms(replace(task, only=ONLY_ABOVE))
    owned = grouped_terms(_of_units(replace(task, terms=added), private))
    columns = ", ".join([UNIT, *(f"{size} AS t{i}" for i, size in enumerate(sizes))])
    sized = texts_of(with_texts(owned, texts_of(owned), lambda rows: f"SELECT {columns} FROM ({rows})"))
    lists = (*totals.lists, *vectors.lists, *owned.lists)
    if not private and not totals.parameters and not totals.tables:
        kept = contributions(*sized)
        sized, lists = _read_from(kept), (*lists, kept)
    totals = replace(totals, lists=tuple(dict.fromkeys(lists)))
    return _Reduced(totals, vectors, sizes, added, sized, task, private)


def _of_units(task: Task, private: bool) -> Task:
    """What each unit has in all groups that count: those that were selected before, or all that there can be."""
    if private:
        only = among_kept_groups([key.type for key in task.keys])
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


def _shown(query: EngineQuery, keys: int, part: _Clipped) -> EngineQuery:
    """The query with its integers cut into halves."""
    columns = 1 if isinstance(part, Histogram) else len(part.cells)
    every = [*(f"k{i}" for i in range(keys)), *(h for i in range(columns) for h in halves(f"g{i}", i))]
    halved = with_texts(query, texts_of(query), lambda rows: f"SELECT {', '.join(every)} FROM ({rows})")
    return replace(halved, keys=keys, terms=columns)


def _is_weighted(part: Part) -> bool:
    return isinstance(part, Presence) and part.weights is not None


def _weights(task: Task) -> EngineQuery:
    """The query about groups' weights: over the pairs of units and groups, which are never shown.

    What is asked of the groups, and for which share of a budget, is no part of it: it is the same for many questions.
    """
    grouped, keys = grouped_terms(task), len(task.keys)
    shown = ", ".join([*(f"k{i}" for i in range(keys)), *halves("g0", 0)])
    if not grouped.parameters and not grouped.tables:
        kept = weights_of_groups(keys, _counted(task), *texts_of(grouped))
        lists, sql = (*grouped.lists, kept), f"SELECT {shown} FROM ({added_weights(keys, kept.name)})"
        return replace(grouped, sql=sql, without_big="", without_units="", lists=lists)
    return with_texts(
        grouped, texts_of(grouped), lambda rows: f"SELECT {shown} FROM ({weights_sql(keys, rows)})"
    )


def _counted(task: Task) -> str:
    """A query for the number of rows that pairs of units and groups are made of; empty where passes do not pay.

    A pass over some of the units reads little of one table but their rows. Whatever is joined, or ordered by groups,
    would be so in each pass.
    """
    owner = task.found.owner
    if not task.once or not isinstance(owner, Scan) or task.found.fan_out is None:
        return ""
    if len(list(sources(task.relation))) > 1 or any(marks(task.relation)):
        return ""
    return SingleOwner(task, owner).counted
