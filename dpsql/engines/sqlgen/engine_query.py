"""One part of a release as one engine query: scan, bound, group, and exact sums of integers."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import Expr
from dpsql.algebra.read_columns import expressions
from dpsql.algebra.relations import Scan, marks, sources
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.engines.base import EngineQuery
from dpsql.engines.sqlgen.clipping.clipped_parts import ClippedParts, clipped_parts
from dpsql.engines.sqlgen.grouped_terms import grouped_terms, halves, texts_of, with_texts
from dpsql.engines.sqlgen.key_weights import added_weights, weights_of_groups, weights_sql
from dpsql.engines.sqlgen.relation import base_facts
from dpsql.engines.sqlgen.single import SingleOwner
from dpsql.engines.sqlgen.task import Task
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


def engine_queries(release: Release, policy: Policy, catalog: Catalog) -> tuple[EngineQuery, ...]:
    """The SQL of each part, with one column or two for every term, as `EngineQuery` says.

    What several parts read of units' vectors is written once.
    """
    written: dict[Bounding, ClippedParts] = {}
    return tuple(_engine_query(release, part, policy, catalog, written) for part in release.parts)


def _engine_query(
    release: Release,
    part: Part,
    policy: Policy,
    catalog: Catalog,
    written: dict[Bounding, ClippedParts],
) -> EngineQuery:
    if not isinstance(part, Histogram | ScaledSums | ScaledScores):
        task = _task(release, part, policy, catalog, terms_of(part))
        return _weights(task) if _is_weighted(part) else grouped_terms(task)
    if part.bounding not in written:  # the terms and sizes of all such parts are computed at once
        histograms = [p for p in release.parts if isinstance(p, Histogram)]
        terms = tuple(dict.fromkeys(t for p in histograms for t in p.terms))
        task = _task(release, part, policy, catalog, terms)
        written[part.bounding] = clipped_parts(task, histograms, release.keys.domain is None)
    return written[part.bounding].asked(part)


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
        groups=_most_groups(release, part),
    )


def _most_groups(release: Release, part: Part) -> int | None:
    """How many groups there are by the text and the policy; None where what the engine counts has more keys."""
    domain = release.keys.domain
    return None if domain is None or isinstance(part, Ranks | Modes | Local) else len(domain)


def _present(release: Release, part: Part, shaped: Shape, keys: tuple[Expr, ...]) -> tuple[int, ...]:
    """The places of keys that rows can have no value of, where what has none belongs to no group and no cell."""
    if isinstance(part, Local):
        return ()
    counted = range(len(release.keys.exprs), len(keys))
    facts = shaped.facts()
    return tuple(i for i in (*release.keys.never_null(), *counted) if facts.of(keys[i]).nullable)


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
