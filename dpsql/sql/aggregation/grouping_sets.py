"""GROUP BY as grouping sets: ROLLUP, CUBE and GROUPING SETS spelled out, each set a list of written keys."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from sqlglot import exp

from dpsql.algebra.expressions import Expr, Literal
from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import place_of
from dpsql.sql.dialect import Node

MOST_SETS = 64
"""The most grouping sets of one SELECT."""
_SPELLED = (exp.Rollup, exp.Cube, exp.GroupingSets, exp.Tuple)
Sets = tuple[tuple[Node, ...], ...]


def has_sets(group: exp.Group | None) -> bool:
    """Whether a GROUP BY spells out more than one list of keys."""
    return group is not None and any(isinstance(e, _SPELLED) for e in group.expressions)


def grouping_sets(group: exp.Group) -> Sets:
    """The grouping sets of a GROUP BY: what stands side by side is combined, each set of one with each of another.

    Raises QueryRefused for more than MOST_SETS.
    """
    sets: Sets = ((),)
    for element in group.expressions:
        more = _sets(element)
        _check_number(len(sets) * len(more), group)
        sets = tuple((*a, *b) for a in sets for b in more)
    return sets


def check_one_set(node: exp.Select) -> None:
    """Refuses several grouping sets where the groups are rows of one unit each."""
    if has_sets(node.args.get("group")):
        raise QueryRefused(
            "ROLLUP, CUBE and GROUPING SETS are not supported in groups of one person each",
            place=place_of(node),
            hint="Group these rows by the person and the keys, and use ROLLUP in the outer query.",
        )


def check_spelling(sets: Iterable[tuple[list[Node], list[Expr]]], node: Node) -> None:
    """Refuses a key that stands in the sets under two names or twice in one: DuckDB takes it for two keys.

    A constant is none: the same constant elsewhere in the SELECT would be NULL where the key is left out.
    """
    names: dict[Expr, str] = {}
    for written, bound in sets:
        if any(isinstance(b, Literal) for b in bound):
            raise QueryRefused(
                "a constant cannot be a key of grouping sets",
                place=place_of(node),
                hint="Leave it out of GROUP BY; it may stand in the SELECT list.",
            )
        texts = [key.sql(dialect="duckdb", comments=False).lower() for key in written]
        twice = len(set(bound)) < len(bound)
        if twice or any(names.setdefault(b, t) != t for b, t in zip(bound, texts, strict=True)):
            raise QueryRefused(
                "the same key stands twice in the grouping sets",
                place=place_of(node),
                hint="Write it once in each set, and everywhere by the same name.",
            )


def _sets(element: Node) -> Sets:
    """The sets that one element of GROUP BY stands for."""
    if not isinstance(element, exp.Rollup | exp.Cube | exp.GroupingSets):
        return (_keys(element),)
    _check_number(len(element.expressions), element)
    if isinstance(element, exp.GroupingSets):
        sets = tuple(s for e in element.expressions for s in _sets(e))
    else:
        items = [_keys(e) for e in element.expressions]
        sizes = range(len(items), -1, -1)
        if isinstance(element, exp.Rollup):
            sets = tuple(_together(items[:n]) for n in sizes)
        else:
            _check_number(1 << len(items), element)
            sets = tuple(_together(chosen) for n in sizes for chosen in combinations(items, n))
    _check_number(len(sets), element)
    return sets


def _keys(element: Node) -> tuple[Node, ...]:
    """The keys of an element: several in parentheses count as one."""
    if isinstance(element, exp.Tuple):
        return tuple(element.expressions)
    return (element.unnest(),)


def _together(items: Iterable[tuple[Node, ...]]) -> tuple[Node, ...]:
    return tuple(key for item in items for key in item)


def _check_number(count: int, node: Node) -> None:
    if count > MOST_SETS:
        raise QueryRefused(
            f"GROUP BY has more than {MOST_SETS} grouping sets",
            place=place_of(node),
            hint="Name the sets that are needed in GROUPING SETS.",
        )
