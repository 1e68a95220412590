"""How a query is drawn: productions with weights, and a writer that fills the holes of their texts.

A hole is one of these:

    {one|other|}      one of these words
    {int} {text:0}    an expression of a kind; of depth 0 a column or a constant, and of depth = a constant
    {x} {y}           an expression of a kind that is the same throughout a predicate
    {p} {q} {where}   a predicate, a smaller one, or another part of the grammar's texts
    {name}            a text that is bound to the name
    {A} {A.p}         a table under an alias, and a part of the text that names its columns only
    {A.} {A.unit}     its alias with a dot, and its column that names the owner of a row
    {int>n} {of n}    an expression under a name, by which others can call it from then on, and the expression again
    {k0} {n}          a name that no column has, and one that nothing else in the query has either
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from datetime import date, datetime
from functools import partial
from itertools import count
from typing import Generic, TypeVar

from dpsql.algebra.expressions import LiteralValue
from dpsql.audit.queries.aliased_tables import Side
from dpsql.audit.queries.generated_query import END_MARK, MARK, Query
from dpsql.audit.queries.schema_view import KINDS, ColumnView, Scope, TableView, View, computed
from dpsql.slotted import dataclass

T = TypeVar("T")
_HOLE = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"[a-z][0-9]?")
_EXPRESSIONS = frozenset(KINDS.values())
# The kinds of what is compared.
_COMPARED = ("int", "float", "text", "date", "int", "text")
_CONSTANTS: Mapping[str, tuple[LiteralValue, ...]] = {
    "int": (0, 1, 2, 3, 5, 7, -1, -3, 100, 4503599627370496),
    "float": (0.0, 0.5, 1.5, -2.25, 3.0, 10.5, 100.0, 1e6),
    "text": ("north", "a", "toy", "NN", "", "b_rn", "o%", "it's", "é"),
    "date": (date(2025, 1, 1), date(2025, 3, 15), date(2025, 6, 30)),
    "ts": (datetime(2025, 1, 2, 6),),
    "bool": (True, False),
}

# What the holes of a text are bound to; a table gets an alias when the text is filled.
Bound = Mapping[str, "str | TableView | Side"]


@dataclass(frozen=True, slots=True)
class Source:
    """Rows in a FROM clause: a name or a SELECT in parentheses or a join, and what it lets a query name."""

    sql: str
    scope: Scope


@dataclass(frozen=True, slots=True)
class Item:
    """An item of a SELECT: its SQL, its role and, of a key, its kind.

    The role is key, count, sum, bool, or null (a measure that is NULL over no rows).
    """

    sql: str
    role: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Production(Generic[T]):
    """One way to write a part of a query.

    `weight` is how often it is taken beside the others of its part; of conditions, of which any number may stand beside
    each other, its chance in percent. `needs` names what is bound to the holes of its text, as "one + other"; where
    there is nothing to bind it is not taken.
    """

    name: str
    weight: int
    write: Callable[[Writer, Bound], T]
    needs: str = ""


def texts(weight: int, *templates: str, needs: str = "") -> tuple[Production[str], ...]:
    """Productions that fill a text each."""
    return tuple(form(t, weight, t, needs=needs) for t in templates)


def form(name: str, weight: int, *templates: str, needs: str = "") -> Production[str]:
    """A production that fills one of some texts."""
    return Production(name, weight, lambda w, bound: w.fill(w.one(*templates), **bound), needs)


def words(*given: str) -> tuple[Production[str], ...]:
    """Productions that write a text as it stands."""
    return tuple(Production(text, 1, partial(_said, text)) for text in given)


def _said(text: str, _: Writer, __: Bound) -> str:
    return text


@dataclass(frozen=True, slots=True)
class Grammar:
    """Every production of the parts of queries; the parts of texts go by the name that they have in holes."""

    queries: tuple[Production[Query], ...]
    sources: tuple[Production[Source], ...]
    rows: tuple[Production[Source], ...]
    keys: tuple[Production[Item], ...]
    measures: tuple[Production[Item], ...]
    conditions: tuple[Production[str], ...]
    texts: Mapping[str, tuple[Production[str], ...]]
    possible: Callable[[Writer, str], Sequence[Bound]]


@dataclass(frozen=True, slots=True)
class Writer:
    """Writes parts of a query at a place where the columns of `scope` may be named.

    `exact` queries can be compared with DuckDB's own answer. With `binding` constants become parameters now and then,
    their values in `params`. Expressions have others in them down to `depth`, and `kinds` are those of {x} and {y}.
    `ctes` are the queries of WITH, `tags` the constructs, `productions` the names of all that were taken, and `shown`
    the columns that a text gives a name.
    """

    draw: random.Random
    view: View
    grammar: Grammar
    exact: bool = False
    binding: bool = False
    scope: Scope = ()
    depth: int = 1
    kinds: tuple[str, str] = ("int", "int")
    params: dict[str, LiteralValue] = field(default_factory=dict)
    ctes: list[str] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    productions: set[str] = field(default_factory=set)
    shown: list[ColumnView] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def over(self, scope: Scope) -> Writer:
        """A writer at a place where other columns may be named."""
        return replace(self, scope=scope, depth=1)

    def chance(self, p: float) -> bool:
        """True with probability p."""
        return self.draw.random() < p

    def one(self, *options: T) -> T:
        """One of several."""
        return self.draw.choice(options)

    def name(self, name: str) -> str:
        """A name that no column or table of the policy has."""
        return self.view.prefix + name

    def fresh(self, letter: str) -> str:
        """A name that nothing else in the query has."""
        return self.name(f"{letter}{next(self.numbers)}")

    def tag(self, *names: str) -> None:
        """Notes constructs of the query."""
        self.tags.update(names)

    def write(self, part: Sequence[Production[T]]) -> T:
        """A part of the query by one of its productions, which is noted as a construct."""
        chosen, bound = self._chosen(list(part))
        self.tag(chosen.name)
        return chosen.write(self, bound)

    def some(self, part: Sequence[Production[T]]) -> list[T]:
        """Any number of productions, each with its own chance."""
        taken = (p for p in part if self.chance(p.weight / 100) and self._binding(p) is not None)
        return [self.write([p]) for p in taken]

    def _chosen(self, part: list[Production[T]]) -> tuple[Production[T], Bound]:
        while True:
            (chosen,) = self.draw.choices(part, [p.weight for p in part])
            bound = self._binding(chosen)
            if bound is not None:
                self.productions.add(chosen.name)
                return chosen, bound
            part = [p for p in part if p is not chosen]

    def _binding(self, production: Production[T]) -> Bound | None:
        bound: dict[str, str | TableView | Side] = {}
        for name in filter(None, production.needs.split(" + ")):
            found = self.grammar.possible(self, name)
            if not found:
                return None
            bound |= self.one(*found)
        return bound

    def at(self, bound: Bound) -> tuple[Writer, dict[str, str | Side]]:
        """A writer over tables that holes are bound to, `own` without an alias and the others under fresh ones."""
        own = bound.get("own")
        given = {
            k: Side(v, self.fresh(k.lower())) if isinstance(v, TableView) else v
            for k, v in bound.items()
            if v is not own
        }
        every = (c for side in given.values() if isinstance(side, Side) for c in side.scope)
        return replace(self, scope=own.rows if isinstance(own, TableView) else tuple(every), shown=[]), given

    def fill(self, template: str, **given: str | TableView | Side) -> str:
        """A text with its holes filled."""
        return self.filled(template, self.at(given)[1])

    def maybe(self, p: float, template: str, **given: str | TableView | Side) -> str:
        """A text with probability p, else nothing."""
        return self.fill(template, **given) if self.chance(p) else ""

    def filled(self, template: str, bound: dict[str, str | Side]) -> str:
        """A text with its holes filled; the fresh names in it are added to what is bound."""

        def hole(found: re.Match[str]) -> str:
            text: str = found[1]
            if "|" in text:
                return self.one(*text.split("|"))
            text, _, alias = text.partition(">")
            at, _, name = text.rpartition(".")
            side = bound.get(at)
            inside = self.over(side.scope) if isinstance(side, Side) else self
            if alias:
                column = inside._column(name)
                bound[f"of {alias}"], bound[alias] = column.sql, self.fresh(alias)
                self.shown.append(replace(column, sql=f"{bound[alias]}"))
                return f"{column.sql} AS {bound[alias]}"
            if isinstance(side, Side):
                return inside.fill(f"{{{name}}}") if name else f"{side.alias}."
            name, _, depth = text.partition(":")
            if _NAME.fullmatch(name) and name not in "pqxy":
                bound.setdefault(name, self.fresh(name) if len(name) == 1 else self.name(name))
            value = bound.get(name)
            if value is not None:
                return value.sql if isinstance(value, Side) else value
            return self.of(name, depth)

        return str(_HOLE.sub(hole, template))

    def _column(self, hole: str) -> ColumnView:
        """What a hole stands for as a column: one in scope, or an expression whose kind is the hole's first word."""
        kinds = {"column": _EXPRESSIONS, "unit": {"unit"}}.get(hole)
        if kinds is not None:
            return self.one(*(c for c in self.scope if c.kind in kinds))
        if hole == "key":
            key = self.write(self.grammar.keys)
            return computed(key.sql, key.kind)
        return computed(self.fill(f"{{{hole}}}"), re.split("[ :]", hole)[0])

    def of(self, name: str, at: str = "") -> str:
        """An expression of a kind, or another part of the texts, at a depth."""
        kind = {"x": self.kinds[0], "y": self.kinds[1]}.get(name, name)
        if at == "=":
            return self.constant(kind)
        depth, kinds, part = int(at or self.depth), self.kinds, kind
        if kind in _EXPRESSIONS:
            if depth <= 0 or self.chance(0.2):
                return self.leaf(kind)
            depth, kinds = depth - 1, (kind, kind)
        if kind in ("bool", "p", "q"):
            depth, kinds, part = depth - (kind == "q"), (self.one(*_COMPARED), self.one(*_COMPARED)), "p"
        inner = replace(self, depth=depth, kinds=kinds)
        chosen, bound = inner._chosen(list(self.grammar.texts[part]))
        return chosen.write(inner, bound)

    def columns(self, kind: str) -> list[str]:
        """The columns of a kind."""
        return [r.sql for r in self.scope if r.kind == kind]

    def leaf(self, kind: str) -> str:
        """A column where there is one, mostly, else a constant."""
        columns = self.columns(kind)
        return self.one(*columns) if columns and (self.chance(0.8) or kind == "ts") else self.constant(kind)

    def known(self, kind: str) -> tuple[LiteralValue, ...]:
        """The constants of the policy of a kind."""
        return dict(self.view.literals).get(kind, ())

    def constant(self, kind: str) -> str:
        """A constant, written or bound."""
        known = self.known(kind)
        value = self.one(*(known if known and (kind == "ts" or self.chance(0.5)) else _CONSTANTS[kind]))
        if not self.binding or kind in ("float", "ts") or self.chance(0.5):
            return constant(value)
        name = f"p{len(self.params)}"
        self.params[name] = value
        return f"{MARK}{name}{END_MARK}"


def constant(value: LiteralValue) -> str:
    """A constant as SQL."""
    if isinstance(value, datetime):
        return f"TIMESTAMP '{value}'"
    if isinstance(value, date):
        return f"DATE '{value}'"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, float):
        return f"{value!r}::DOUBLE" if "e" in repr(value) else f"CAST({value} AS DOUBLE)"
    return str(value).upper()
