"""Calls as SQL templates: for each form of a call's arguments, the SQL that says the same to DuckDB.

`x, y -> COALESCE(x, y)` is such a form. What stands before the arrow are names; one that is a kind of argument, such as
`moment`, takes only those, and in braces behind the arrow it stands for a word of SQL.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from sqlglot import exp

from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.dialect import Node, Parser, tokenize

Build = Callable[[list[Node]], Node | None]
"""From the arguments of a call to what is written for it; None where DuckDB has nothing of the same meaning."""
Kind = Callable[[Node], Node | str | None]
"""What an argument is in a template, a node or a word of SQL; None for an argument of another kind."""

MOST_COPIED: Final = 30_000
"""About how many nodes may be written by one change of a query: what is written several times holds more such."""
NO_KINDS: Final = MappingProxyType[str, Kind]({})
_REMEMBERED = 256
_MOST_NODES = 1_000
_ATOMS = (
    exp.Column, exp.Literal, exp.Paren, exp.Func, exp.Null, exp.Boolean, exp.Placeholder, exp.Interval,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelling:
    """How calls of a function are read: the first form that fits, and what an analyst may write instead of others."""

    forms: tuple[Build, ...]
    instead: str

    def read(self, args: list[Node]) -> Node | None:
        """What is written for a call with these arguments; None where no form fits."""
        return next((written for build in self.forms if (written := build(args)) is not None), None)


class Room:
    """How much a change of a query may still write: copies within copies grow with a power of their depth."""

    def __init__(self) -> None:
        self._left = MOST_COPIED

    def take(self, nodes: int, at: Node, name: str) -> None:
        """Takes so many nodes for what is written in the place of one. Raises QueryRefused where they are too many."""
        self._left -= nodes
        if self._left < 0:
            raise refuse_node(
                at,
                f"{name} makes the query too large when it is written out",
                "Compute its argument in a subquery first.",
            )


def spelled(
    names: str, instead: str, *forms: str | Build, kinds: Mapping[str, Kind] = NO_KINDS
) -> dict[str, Spelling]:
    """The functions of these names, each read in these forms."""
    builds = tuple(_of_form(f, kinds) if isinstance(f, str) else f for f in forms)
    return dict.fromkeys(names.split(), Spelling(builds, instead))


def _of_form(form: str, kinds: Mapping[str, Kind]) -> Build:
    before, sql = form.split("->")
    names = before.replace(",", " ").split()

    def build(args: list[Node]) -> Node | None:
        if len(args) != len(names):
            return None
        given = {name: kinds[name](a) if name in kinds else a for name, a in zip(names, args, strict=True)}
        if None in given.values():
            return None
        words = {name: value for name, value in given.items() if isinstance(value, str)}
        nodes = {name.lstrip("-"): value for name, value in given.items() if isinstance(value, Node)}
        return filled(sql.strip().format(**words), nodes)

    return build


def filled(sql: str, values: Mapping[str, Node]) -> Node:
    """The tree of an expression, with copies of these nodes in the place of its columns of these names."""
    select = _parsed(sql).copy()
    for column in all_of(select, exp.Column):
        around = column.parent
        is_operand = isinstance(around, exp.Binary | exp.Unary) and not isinstance(
            around, exp.Func | exp.Paren
        )
        value = values[column.name].copy()
        column.replace(grouped(value) if is_operand else value)
    made: Node = select.expressions[0].pop()
    return made


def grouped(node: Node) -> Node:
    """The node in parentheses, unless it needs none to be an operand."""
    return node if isinstance(node, _ATOMS) and not isinstance(node, exp.Connector) else exp.Paren(this=node)


@lru_cache(maxsize=_REMEMBERED)
def _parsed(sql: str) -> Node:
    """SELECT of the expression: its calls keep their written names, and nothing in it a place in the text."""
    text = f"SELECT {sql}"
    tree = Parser(_MOST_NODES).parse(tokenize(text), text)[0]
    assert tree is not None
    for node in every(tree):
        written = None if isinstance(node, exp.Case | exp.Cast) else node.meta.get("written")
        node.meta.clear()
        node.meta.update({} if written is None else {"written": written})
    return tree
