"""The levels of ROLLUP, CUBE and GROUPING SETS as one table: some are releases, others those releases added up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Final

from sqlglot import exp

from dpsql.algebra.canonical import renumbered
from dpsql.algebra.expressions import Expr
from dpsql.algebra.question import GroupingSetsQuestion, Question
from dpsql.algebra.types import SqlType
from dpsql.slotted import dataclass
from dpsql.sql.bind.outer_joins import check_keys
from dpsql.sql.dialect import Node
from dpsql.sql.public.planner_hints import Advice

# What the subquery that is the union of levels is marked with.
LEVELED: Final = "leveled"
# Which keys of a SELECT a level has, by their places.
KeySet = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Level:
    """The groups of a release added up, over the keys at the places `kept` among those of the release."""

    release: int
    kept: KeySet

    @property
    def name(self) -> str:
        """The name of its table: keys k0, k1, ... are those kept, in order, and measures those of the release."""
        return f"r{self.release} by " + (", ".join(f"k{i}" for i in self.kept) or "nothing")


@dataclass(frozen=True, slots=True)
class Leveled:
    """The table of each set of keys, in the order of the text, and which of the tables are levels of a release."""

    tables: tuple[tuple[KeySet, str], ...]
    levels: tuple[Level, ...]


def leveled(
    requested: Question,
    sets: tuple[KeySet, ...],
    index: Callable[[Question], int],
    advice: Advice,
) -> Leveled:
    """A table for each set of keys: what can be added up from the groups of a larger set is not released again.

    `requested` has all keys; `index` makes a release of a question. Where several larger sets serve, that of the fewest
    keys does, whose sums have the least noise; where all are sums of the groups of all keys, the budget may be better
    divided among the levels of one release.
    """
    every = GroupingSetsQuestion(
        **{f.name: getattr(requested, f.name) for f in fields(Question)}, grouping_sets=sets
    )
    if len(set(sets)) > 1 and requested.measures and advice.adds_up(requested) and advice.levels(every):
        return _of_one_release(index(every), sets, tuple(range(len(requested.keys))))
    tables: dict[KeySet, str] = {}
    released: list[tuple[KeySet, int, bool]] = []
    levels = []
    for keys in sorted(dict.fromkeys(sets), key=len, reverse=True):
        finer = [(s, at) for s, at, summed in released if summed and set(keys) < set(s)]
        if finer:
            whole, at = min(finer, key=lambda level: len(level[0]))
            levels.append(Level(at, tuple(whole.index(k) for k in keys)))
            tables[keys] = levels[-1].name
        else:
            question = renumbered(replace(requested, keys=tuple(requested.keys[k] for k in keys)))
            check_keys(question)
            at = index(question)
            released.append((keys, at, advice.adds_up(question)))
            tables[keys] = f"r{at}"
    return Leveled(tuple((s, tables[s]) for s in sets), tuple(levels))


def _of_one_release(at: int, sets: tuple[KeySet, ...], every: KeySet) -> Leveled:
    levels = {keys: Level(at, keys) for keys in dict.fromkeys(sets) if keys != every}
    tables = tuple((keys, levels[keys].name if keys in levels else f"r{at}") for keys in sets)
    return Leveled(tables, tuple(levels.values()))


def union_of_levels(leveled: Leveled, keys: tuple[Expr, ...], measures: int, schema: str) -> Node:
    """All levels as one query: keys k0, ... with NULL where a level lacks one, g0, ... 1 there, and measures a0, ..."""
    first, *others = (_level(s, name, keys, measures, schema) for s, name in leveled.tables)
    for other in others:
        first = exp.Union(this=first, expression=other, distinct=False)
    return first


def _level(kept: KeySet, name: str, keys: tuple[Expr, ...], measures: int, schema: str) -> Node:
    table = exp.to_identifier(name, quoted=True)
    columns = [*_keys(kept, keys, name), *(_named(_column(name, f"a{i}"), f"a{i}") for i in range(measures))]
    source = exp.Table(this=table, db=exp.to_identifier(schema, quoted=True))
    return exp.Select(expressions=columns, from_=exp.From(this=source))


def _keys(kept: KeySet, keys: tuple[Expr, ...], name: str) -> Iterator[Node]:
    for i, key in enumerate(keys):
        there = i in kept
        yield _named(_column(name, f"k{kept.index(i)}") if there else _null(key.type), f"k{i}")
        yield _named(_bigint(exp.Literal.number(0 if there else 1)), f"g{i}")


def _null(type_: SqlType) -> Node:
    """NULL of a key's type; a wider type of the same key in another level prevails."""
    return exp.null() if type_ is SqlType.NULL else exp.cast(exp.null(), type_.value)


def _bigint(node: Node) -> Node:
    return exp.cast(node, "BIGINT")


def _column(table: str, name: str) -> Node:
    return exp.column(name, table=table, quoted=True)


def _named(node: Node, name: str) -> Node:
    return exp.alias_(node, name, quoted=True)


def grouping_of(places: list[int], table: str | None) -> Node:
    """GROUPING of keys: a bit for each, 1 where the level lacks it; always 0 where there is one level only."""
    if table is None:
        return _bigint(exp.Literal.number(0))
    weights = [1 << n for n in reversed(range(len(places)))]
    first, *others = (
        exp.Mul(this=_column(table, f"g{i}"), expression=exp.Literal.number(w))
        for i, w in zip(places, weights, strict=True)
    )
    total: Node = first
    for other in others:
        total = exp.Add(this=total, expression=other)
    return _bigint(exp.paren(total))
