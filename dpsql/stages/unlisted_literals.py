"""Constants that a column with a public list never equals: told before anything is spent, by text and policy alone.

What is not on a column's list is NULL in the rows, so that `kind = 'Emergency'` is true of none of them where the list
has 'emergency', and `kind <> 'Emergency'` is true of all rows with a listed kind. Blank texts are left alone: tools
compare with them to find what is missing. Neither is anything equal to NULL, or different from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final, assert_never

from dpsql.algebra.catalog import Catalog, ColumnInfo
from dpsql.algebra.expressions import Call, Column, Duration, Expr, Literal, LiteralValue, nodes
from dpsql.algebra.question import Question
from dpsql.algebra.read_columns import expressions
from dpsql.algebra.relations import (
    PerUnit,
    Relation,
    Released,
    Scan,
    Union,
    Windows,
    every_scan,
    marks,
    sources,
)
from dpsql.algebra.types import SqlType
from dpsql.errors import Place, QueryRefused

_COMPARISONS: Final = frozenset({"eq", "ne", "in", "is_distinct", "is_not_distinct"})
_MOST_NAMED = 8
_LONGEST = 60
# Of a longer list only other cases of the same text are looked for: each comparison takes time.
_MOST_COMPARED = 2_000
_WITH_NULL: Final = re.compile(r"(?:<>|[!=]?=)\s*NULL\b", re.IGNORECASE)
_ALLOWED: Final = (
    "With connect(empty_conditions=True) or OPTIONS(empty_conditions = true) it is compared all the same."
)


def check_literals(
    questions: tuple[Question, ...], catalog: Catalog, sql: str, values: Mapping[str, object]
) -> None:
    """Refuses a question that compares a listed column with a constant that is not on its list, or a value with NULL.

    It must stand in the query's text or among the values of its parameters: others are read from public tables.
    """
    given = frozenset(v for v in values.values() if isinstance(v, str | int))
    for question in questions:
        columns = _Columns(question.relation, catalog)
        for expr, place in _expressions(question):
            for node in nodes(expr):
                if _is_with_null(node) and (written := _WITH_NULL.findall(sql)):
                    raise _never_true(_once(written, sql) or place or question.place)
                for column, value in columns.unlisted(node):
                    if value not in given and str(value).replace("'", "''") not in sql:
                        continue
                    raise _refusal(column, value, _written_at(value, sql) or place or question.place)


def _is_with_null(node: Expr) -> bool:
    """Whether a value is compared with the constant NULL."""
    if not isinstance(node, Call) or node.op not in ("eq", "ne"):
        return False
    return any(isinstance(a, Literal) and a.value is None for a in node.args)


def _never_true(place: Place | None) -> QueryRefused:
    hint = f"Write IS NULL or IS NOT NULL. {_ALLOWED}"
    return QueryRefused("a comparison with NULL is true of no row", place=place, hint=hint)


def _written_at(value: LiteralValue, sql: str) -> Place | None:
    """Where the query has that text, if it is there once: literals know no place, and two could be mistaken."""
    if not isinstance(value, str):
        return None
    written = "'" + value.replace("'", "''") + "'"
    return _once([written] * sql.count(written), sql)


def _once(found: Sequence[str], sql: str) -> Place | None:
    """Where the query has what was found in it, if that is there once."""
    if len(found) != 1:
        return None
    before = sql.partition(found[0])[0]
    return Place(before.count("\n") + 1, len(before) - before.rfind("\n"))


def _expressions(question: Question) -> Iterator[tuple[Expr, Place | None]]:
    yield from ((e, None) for e in (*expressions(question.relation), *question.keys))
    top = () if question.top is None else (question.top.score,)
    for m in (*question.measures, *top):
        yield from ((e, m.place) for e in (m.arg, m.where, m.other) if e is not None)


class _Columns:
    """The columns of a relation, with those of the tables that they are passed on from."""

    def __init__(self, relation: Relation, catalog: Catalog) -> None:
        self.catalog = catalog
        self.scans = {s.index: s for s in every_scan(relation)}
        self.behind = dict(_passed_on(relation))

    def unlisted(self, node: Expr) -> Iterator[tuple[ColumnInfo, LiteralValue]]:
        """The column and the constants of a comparison that is never an equality."""
        if not isinstance(node, Call) or node.op not in _COMPARISONS:
            return
        subject = next((a for a in node.args if isinstance(a, Column)), None)
        info = self._listed(subject) if subject is not None else None
        if info is None or info.values is None or (node.op == "in" and subject != node.args[0]):
            return
        listed = frozenset(info.values)
        for other in node.args:
            if isinstance(other, Literal) and _is_told(other) and other.value not in listed:
                assert not isinstance(other.value, Duration)
                yield info, other.value

    def _listed(self, column: Column) -> ColumnInfo | None:
        """The private column with a list that a column has the values of."""
        inner: Expr = column
        while isinstance(inner, Column) and inner in self.behind:
            inner = self.behind[inner]
        scan = self.scans.get(inner.scan) if isinstance(inner, Column) else None
        table = self.catalog.table(scan.table) if scan is not None else None
        if table is None or table.public or not isinstance(inner, Column):
            return None
        return table.column(inner.name)


def _is_told(literal: Literal) -> bool:
    if literal.value is None or literal.type is SqlType.BOOLEAN or isinstance(literal.value, Duration):
        return False
    return not isinstance(literal.value, str) or bool(literal.value.strip())


def _passed_on(relation: Relation) -> Iterator[tuple[Column, Expr]]:
    """The columns of relations inside, each with the expression over the rows behind it."""
    for source in sources(relation):
        if isinstance(source, PerUnit):
            yield from ((source.key(i), e) for i, e in enumerate(source.keys))
            yield from _passed_on(source.source)
        elif isinstance(source, Windows):
            yield from ((source.column(i), e) for i, e in enumerate(source.outputs))
            yield from _passed_on(source.source)
        elif isinstance(source, Union):
            for branch in source.branches:
                yield from _passed_on(branch.relation)
        elif not isinstance(source, Scan | Released):
            assert_never(source)
    for mark in marks(relation):
        yield from _passed_on(mark.inner)


def _refusal(column: ColumnInfo, value: LiteralValue, place: Place | None) -> QueryRefused:
    assert column.values is not None
    close = _closest(value, column.values)
    hint = f"Did you mean {_shown(close)}?" if close is not None else f"It has {_named(column.values)}."
    return QueryRefused(
        f"{_shown(value)} is not in the list of {column.name}", place=place, hint=f"{hint} {_ALLOWED}"
    )


def _closest(value: LiteralValue, values: tuple[LiteralValue, ...]) -> LiteralValue:
    """The listed text that a text is a misspelling of; None for none."""
    if not isinstance(value, str):
        return None
    texts = [v for v in values if isinstance(v, str)]
    near = texts if len(texts) <= _MOST_COMPARED else []
    same = (v for v in texts if v.strip().casefold() == value.strip().casefold())
    close = next(same, None) or next(iter(get_close_matches(value[:_LONGEST], near, 1)), None)
    return close or None


def _named(values: tuple[LiteralValue, ...]) -> str:
    shown = ", ".join(_shown(v) for v in values[:_MOST_NAMED])
    return f"{shown} and {len(values) - _MOST_NAMED} more" if len(values) > _MOST_NAMED else shown


def _shown(value: LiteralValue) -> str:
    """A value as a query writes it, a long text cut."""
    if not isinstance(value, str):
        return str(value)
    text = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
    return "'" + "".join(c if c.isprintable() else "?" for c in text).replace("'", "''") + "'"
