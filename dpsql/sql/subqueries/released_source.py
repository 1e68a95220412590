"""A public query as a source beside private rows: its text, its columns, and which of them tell its rows apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.algebra.expressions import LiteralValue
from dpsql.algebra.facts import BIGINT_RANGE, NATURAL, number_of
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.question import ORDERED, Question
from dpsql.algebra.relations import Released, ReleasedColumn
from dpsql.algebra.released_values import (
    MOST_INPUT_VALUES,
    column_by_column,
    input_query,
    input_value,
)
from dpsql.algebra.shape import shape
from dpsql.algebra.types import NUMERIC, SqlType
from dpsql.errors import QueryRefused
from dpsql.privacy import Interval
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.scope import Output
from dpsql.sql.bind.selects import Ctes, Private
from dpsql.sql.dialect import Node
from dpsql.sql.public.cross_join_size import check_public_room
from dpsql.sql.public.list_aggregates import check_gathered
from dpsql.sql.public.render import SCHEMA, check_public, render
from dpsql.sql.subqueries.column_lineage import Origin, origins
from dpsql.sql.subqueries.scalar_release import measure_range, released_type

MOST_PUBLIC_ROWS = 10_000
"""The most rows of a query over public tables alone that stands beside private rows."""
_RELEASE = re.compile(r"r(\d+)")
_TYPES: Mapping[str, SqlType] = {
    **dict.fromkeys(
        ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
        SqlType.INTEGER,
    ),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), SqlType.DOUBLE),
    "VARCHAR": SqlType.TEXT,
    "BOOLEAN": SqlType.BOOLEAN,
    "DATE": SqlType.DATE,
    "TIMESTAMP": SqlType.TIMESTAMP,
}  # fmt: skip

# The names and types of the columns of a query over the released tables of questions.
Described = Callable[[str, Sequence[Question]], Sequence[tuple[str, str]]]


@dataclass(frozen=True, slots=True)
class Text:
    """A public query as it runs, and the releases that it reads."""

    sql: str
    reads: tuple[int, ...]


def public_text(
    node: Node, ctes: Ctes, params: Mapping[str, object], now: datetime, catalog: Catalog
) -> Text:
    """A query that has been cut, with the names of WITH that it reads before it. Raises QueryRefused."""
    query, named = node.copy(), [c.copy() for c in _needed(node, ctes)]
    reads: set[int] = set()
    for tree in (query, *named):
        check_public(tree, catalog, params)
        check_gathered(tree)
        check_public_room(tree.this if isinstance(tree, exp.CTE) else tree, catalog)
        reads |= set(_reads(tree, node))
        for column in all_of(tree, exp.Column):
            column.set("db", None)
    sql = render(query, params, now)
    if named:
        sql = f"WITH {', '.join(render(c, params, now) for c in named)} SELECT * FROM ({sql}) AS q"
    return Text(sql, tuple(sorted(reads)))


def released_input(
    node: Node,
    text: Text,
    index: int,
    ctes: Ctes,
    questions: Sequence[Question],
    catalog: Catalog,
    described: Described,
) -> Private:
    """The rows of a public query as a relation; columns whose type no private expression has are left out."""
    if any(isinstance(questions[i], LocalQuestion) for i in text.reads):
        raise QueryRefused("responses row by row cannot stand beside private rows", place=place_of(node))
    lineage = origins(node, ctes, questions)
    columns = described(text.sql, questions)
    if lineage is not None and len(lineage.columns) != len(columns):
        lineage = None
    kept = [i for i, (_, kind) in enumerate(columns) if _kind(kind) is not None]
    typed = tuple(
        _column(*columns[i], lineage.columns[i].origin if lineage is not None else None, questions, catalog)
        for i in kept
    )
    unique = lineage.unique if lineage is not None else None
    if unique is not None and not unique <= set(kept):
        unique = None
    places = None if unique is None else tuple(sorted(kept.index(at) for at in unique))
    listed = ", ".join(f'"#{i}"' for i in kept)
    named = ", ".join(f'"#{i}"' for i in range(len(columns)))
    sql = f"SELECT {listed or '1'} FROM ({text.sql}) AS fed({named})"
    if not kept:
        raise QueryRefused(
            "a query has no column that private rows can be joined with",
            place=place_of(node),
            hint="CAST its columns to BIGINT, DOUBLE, VARCHAR, BOOLEAN, DATE or TIMESTAMP.",
        )
    relation = Released(index, sql, text.reads, typed, places)
    return Private(relation, tuple(Output(c.name, relation.column(i)) for i, c in enumerate(typed)))


def with_public_facts(source: Private, evaluate: Callable[[str], Sequence[Sequence[object]]]) -> Private:
    """A query over public tables alone, with what its rows say: ranges, and a column that tells them apart."""
    node = source.relation
    assert isinstance(node, Released)
    rows = evaluate(input_query(node))
    most = min(MOST_PUBLIC_ROWS, MOST_INPUT_VALUES // len(node.columns))
    if len(rows) > most:
        raise QueryRefused(
            f"a public query beside private rows has {len(rows)} rows, more than {most}",
            hint="Join the public table itself.",
        )
    values = [[input_value(row[i], c) for row in rows] for i, c in enumerate(node.columns)]
    columns = tuple(
        ReleasedColumn(c.name, c.type, _range(c, v)) for c, v in zip(node.columns, values, strict=True)
    )
    apart = next((i for i, v in enumerate(values) if len(set(v)) == len(rows)), None)
    unique = () if len(rows) < 2 else node.unique if apart is None else (apart,)
    node = replace(node, columns=columns, unique=unique, rows=len(rows))
    held = column_by_column(node, tuple(zip(*values, strict=True)))
    return replace(source, relation=replace(node, held=held))


def _range(column: ReleasedColumn, values: Sequence[LiteralValue]) -> Interval | None:
    """The least and the greatest of the values of a released input."""
    numbers = [n for v in values if (n := number_of(v)) is not None]
    return Interval(min(numbers), max(numbers)) if numbers else column.interval


def keyed(
    index: int, release: int, question: Question, types: Sequence[SqlType], catalog: Catalog
) -> Released:
    """Every row of the released table of a question: its keys, which tell its rows apart, and its measures."""
    facts = shape(question.relation, catalog).facts()
    ranges = (facts.of(k).interval for k in question.keys)
    keys = [
        ReleasedColumn(f"k{i}", kind, _fitting(kind, interval))
        for i, (kind, interval) in enumerate(zip(types, ranges, strict=True))
    ]
    measures = []
    for i, m in enumerate(question.measures):
        measures.append(ReleasedColumn(f"a{i}", released_type(m), measure_range(m, facts)))
    names = ", ".join(f'"{c.name}"' for c in (*keys, *measures))
    sql = f'SELECT {names} FROM "{SCHEMA}"."r{release}"'
    return Released(index, sql, (release,), (*keys, *measures), tuple(range(len(keys))))


def _needed(node: Node, ctes: Ctes) -> list[exp.CTE]:
    """The names of WITH that a query reads, directly or through each other, in the order of the text."""
    wanted: set[str] = set()
    waiting = [node]
    while waiting:
        for table in all_of(waiting.pop(), exp.Table):
            name, cte = table.name.lower(), ctes.get(table.name.lower())
            if not table.db and isinstance(cte, exp.CTE) and name not in wanted:
                wanted.add(name)
                waiting.append(cte.this)
    return [c for name, c in ctes.items() if name in wanted and isinstance(c, exp.CTE)]


def _reads(tree: Node, node: Node) -> Iterator[int]:
    for table in all_of(tree, exp.Table):
        if table.db != SCHEMA:
            continue
        match = _RELEASE.fullmatch(table.name)
        if match is None:
            raise QueryRefused(
                "levels of ROLLUP, CUBE or GROUPING SETS and system tables cannot stand beside private rows",
                place=place_of(node),
                hint="GROUP BY the keys of one level.",
            )
        yield int(match.group(1))


def _kind(described: str) -> SqlType | None:
    return _TYPES.get(described.partition("(")[0].strip().upper())


def _column(
    name: str, described: str, origin: Origin | None, questions: Sequence[Question], catalog: Catalog
) -> ReleasedColumn:
    kind = _kind(described)
    assert kind is not None
    interval = NATURAL.get(kind)
    if origin is not None:
        question = questions[origin.release]
        facts = shape(question.relation, catalog).facts()
        if origin.measure is not None:
            measure = question.measures[origin.measure]
            same = measure.aggregate not in ORDERED or (measure.arg is not None and measure.arg.type is kind)
            interval = measure_range(measure, facts) if same and kind in NUMERIC else interval
        elif origin.key is not None:
            interval = facts.of(question.keys[origin.key]).interval
    return ReleasedColumn(name, kind, _fitting(kind, interval))


def _fitting(kind: SqlType, interval: Interval | None) -> Interval | None:
    """The range of a released input: that of its type at most."""
    natural = NATURAL.get(kind)
    if natural is None or interval is None:
        return natural
    lo, hi = max(interval.lo, natural.lo), min(interval.hi, natural.hi)
    if kind is SqlType.INTEGER:
        lo, hi = max(lo, BIGINT_RANGE.lo), min(hi, BIGINT_RANGE.hi)
    return Interval(lo, hi) if lo <= hi else Interval(Fraction(0), Fraction(0))
