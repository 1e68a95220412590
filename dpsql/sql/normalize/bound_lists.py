"""Lists bound to placeholders: x = ANY ($1) becomes x IN with a placeholder for each value of the list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from sqlglot import exp

from dpsql.errors import QueryRefused
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.quantified_comparisons import (
    COMPARISONS,
    BoundList,
    bound_list,
    parts_of,
    with_each,
)
from dpsql.sql.normalize.templates import Room
from dpsql.sql.normalize.written_lists import check_listed

Source = tuple[str, int | None]
"""Where the value of a placeholder comes from: the parameter of a name, or a place in its list."""


def spread_lists(tree: Node, names: Sequence[str], lengths: Mapping[str, int]) -> tuple[Source, ...] | None:
    """Changes comparisons with lists of these lengths, and numbers all placeholders anew, from 1.

    `names` are those of all parameters. Gives the source of each new placeholder, or None, and changes nothing,
    where no parameter is a list. An empty list has no member: = ANY is false and <> ALL true, of NULL too. Raises
    QueryRefused where a list stands elsewhere, or lists are too long.
    """
    if not any(name in lengths for name in names):
        return None
    check_listed(sum(lengths.values()))
    numbers, sources = _numbered(names, lengths)
    found = [(n, of) for n in all_of(tree, *COMPARISONS) if (of := bound_list(n.expression)) is not None]
    listed = [
        (n, [_value(of, number) for number in numbers[of.placeholder.name]])
        for n, of in found
        if of.placeholder.name in lengths
    ]
    check_listed(sum(parts_of(node, values) for node, values in listed))
    room = Room()
    for node, values in reversed(listed):
        node.replace(with_each(node, values, room))
    for mark in all_of(tree, exp.Placeholder):
        if mark.name in lengths:
            raise refuse_node(mark, *_ONLY)
    _rename(tree, numbers)
    return sources


def unlisted(tree: Node) -> Mapping[str, QueryRefused]:
    """The placeholders behind ANY and ALL to which no list is bound, each with the refusal of what is."""
    found = (bound_list(node.expression) for node in all_of(tree, *COMPARISONS))
    return {listed.placeholder.name: _refused(listed.placeholder) for listed in found if listed is not None}


def _refused(mark: exp.Placeholder) -> QueryRefused:
    reason = "ANY and ALL take a list here, and another value is bound"
    return refuse_node(mark, reason, "Bind a list, or a text such as '{a,b}'.")


_ONLY: Final = (
    "a list is bound here",
    "A list stands only behind a comparison, as in x = ANY ($1) and x <> ALL ($1).",
)
_NEW: Final = "new "


def _numbered(
    names: Sequence[str], lengths: Mapping[str, int]
) -> tuple[Mapping[str, Sequence[int]], tuple[Source, ...]]:
    """The numbers that each parameter gets, and the sources of all numbers in turn."""
    numbers: dict[str, Sequence[int]] = {}
    sources: list[Source] = []
    for name in names:
        length = lengths.get(name)
        numbers[name] = range(len(sources) + 1, len(sources) + 1 + (1 if length is None else length))
        sources += [(name, None)] if length is None else [(name, i) for i in range(length)]
    return numbers, tuple(sources)


def _value(found: BoundList, number: int) -> Node:
    mark = found.placeholder.copy()
    mark.set("this", f"{_NEW}{number}")
    return mark if found.item is None else exp.Cast(this=mark, to=found.item.copy())


def _rename(tree: Node, numbers: Mapping[str, Sequence[int]]) -> None:
    for mark in all_of(tree, exp.Placeholder):
        name = mark.name
        mark.set("this", name.removeprefix(_NEW) if name.startswith(_NEW) else str(numbers[name][0]))
