"""Coarser groups of a release as sums of its groups: post-processing of what is public, so that it costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np

from dpsql.algebra.expressions import Call, Column, Expr, columns_of
from dpsql.algebra.relations import PerUnit, Relation, Released, Source, Union, Windows, sources
from dpsql.plan.keys.numbering import firsts, numbered
from dpsql.plan.types import Key, Keys, Release, Sums
from dpsql.release.draw.noise import Integers, Noisy, summed_as
from dpsql.release.estimate.measures import is_whole, released_rows


def level_name(level: Release) -> str:
    """A level in words, for people."""
    names = [_key_name(k, level.question.relation) for k in level.keys.exprs]
    return "by " + ", ".join(names) if names else "in all"


def _key_name(key: Expr, relation: Relation) -> str:
    """A key as the query has it: a column of a subquery is what that was made of."""
    if isinstance(key, Column):
        source = next((s for s in sources(relation) if s.index == key.scan), None)
        inner = _inner(key, source) if source is not None else None
        return _own_name(key, source) if inner is None else _key_name(*inner)
    if not isinstance(key, Call):
        return "1"
    return f"{key.op} of {', '.join(dict.fromkeys(_key_name(c, relation) for c in columns_of(key)))}"


def _own_name(key: Column, source: Source | None) -> str:
    """A column of a table by its name, and by what it is where it has none."""
    match source:
        case PerUnit():
            return "a value of each person's rows"
        case Windows():
            return "a window over each person's rows"
        case Released():
            return next((c.name for i, c in enumerate(source.columns) if source.column(i) == key), key.name)
    return key.name


def _inner(key: Column, source: Source) -> tuple[Expr, Relation] | None:
    """What a column of a source stands for, and in which relation; None where it has its own name."""
    at = int(key.name[1:]) if key.name[1:].isdecimal() else -1
    match source:
        case PerUnit() if 0 <= at < len(source.keys) and key == source.key(at):
            return source.keys[at], source.source
        case Windows() if 0 <= at < len(source.outputs) and key == source.column(at):
            return source.outputs[at], source.source
        case Union() if 0 <= at < len(source.branches[0].outputs):
            return source.branches[0].outputs[at], source.branches[0].relation
    return None


def shown(releases: Sequence[Release], kept: tuple[int, ...] | None, index: int) -> Release:
    """A release, or the level of it that has only some of its keys."""
    return releases[index] if kept is None else rolled_up(releases[index], kept)


def rolled_up(release: Release, kept: tuple[int, ...]) -> Release:
    """A release of public groups as if it had only some of its keys: the same cells, with the noise that they have.

    Where its groups are made of unequally many, the noise is that of the most.
    """
    keys = release.keys
    coarser = Keys(tuple(keys.exprs[i] for i in kept), tuple(keys.types[i] for i in kept), None)
    most = keys.most_alike(kept)
    parts = tuple(
        Sums(p.bounding, p.rolled_up(kept, most)) if isinstance(p, Sums) else p for p in release.parts
    )
    return replace(release, keys=coarser, parts=parts)


def level_rows(
    level: Release, kept: tuple[int, ...], total: Noisy, groups: Sequence[Sequence[object]]
) -> list[tuple[object, ...]]:
    """The rows of a level's table: of whole numbers the sums of those in the rows that are shown of the groups.

    `total` are the cells of the level, and the keys that it has stand at the places `kept` among those of a group.
    """
    rows = released_rows(level, total)
    whole = [i for i, e in enumerate(level.estimators) if is_whole(e)]
    first = 1 + len(level.question.keys)
    cells = np.array([[row[first + i] for i in whole] for row in groups], dtype=object)
    keys = tuple(tuple(row[1:first]) for row in groups)
    shown = Noisy(cast(tuple[Key, ...], keys), cells.reshape(len(groups), len(whole)))
    sums, start = added_up(shown, kept).cells, 1 + len(kept)
    return [(*row[:start], *_with(row[start:], whole, added)) for row, added in zip(rows, sums, strict=True)]


def _with(values: tuple[object, ...], places: list[int], others: Integers) -> tuple[object, ...]:
    """The values with others at some places."""
    replaced = dict(zip(places, map(int, others), strict=True))
    return tuple(replaced.get(i, v) for i, v in enumerate(values))


def shown_cells(noisy: Noisy, kept: tuple[int, ...] | None) -> Noisy:
    """The cells of a release, or of the level of it that has only some of its keys."""
    return noisy if kept is None else added_up(noisy, kept)


def added_up(noisy: Noisy, kept: tuple[int, ...]) -> Noisy:
    """The cells of all groups that agree on the keys kept, added up exactly; without keys there is always one group."""
    if not kept:
        every = noisy.cells.sum(axis=0, keepdims=True, dtype=summed_as(noisy.cells))
        return Noisy(((),), cast(Integers, every))
    at = numbered(noisy.keys, kept)
    first = firsts(at)
    total: Integers = np.zeros((len(first), noisy.cells.shape[1]), dtype=summed_as(noisy.cells))
    np.add.at(total, at, noisy.cells)
    return Noisy(tuple(tuple(noisy.keys[f][i] for i in kept) for f in first.tolist()), total)
