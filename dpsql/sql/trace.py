"""Which cell of which release stands behind each cell of an answer, for its interval.

The rest of the query is given one more column, the index of the released row, wherever every row of the answer comes
from exactly one released row.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlglot import exp

from dpsql.sql.dialect import Node
from dpsql.sql.release import SCHEMA
from dpsql.sql.walk import in_window, shallow

_INDEX = "#released row"
_MEASURE = re.compile(r"a(\d+)")
_RELEASE = re.compile(r"r\d+")


@dataclass(frozen=True, slots=True)
class Trace:
    """The rest with a last column that holds the released row's index; `measures` names the measure of each column."""

    sql: str
    release: int
    measures: tuple[int | None, ...]


def trace(tree: Node) -> Trace | None:
    """The traced form of a finished rest, or None where rows of the answer are not rows of one release."""
    if any(name.name.lower() == _INDEX for name in tree.find_all(exp.Identifier)):
        return None
    copy = tree.copy()
    found = _trace(copy)
    if found is None:
        return None
    release, named = found
    return Trace(copy.sql(dialect="duckdb", comments=False), release, tuple(m for _, m in named))


def _trace(node: Node) -> tuple[int, list[tuple[str, int | None]]] | None:
    if not isinstance(node, exp.Select) or any(
        node.args.get(c) for c in ("distinct", "joins", "group", "with_")
    ):
        return None
    clause = node.args.get("from_")
    source = clause.this if clause is not None else None
    if isinstance(source, exp.Table) and source.db == SCHEMA and _RELEASE.fullmatch(source.name):
        return None if _estimates(node) else _released(node, source)
    if isinstance(source, exp.Subquery) and not _aggregates(node):
        return _derived(node, source)
    return None


def _aggregates(node: exp.Select) -> bool:
    return any(True for e in node.expressions for _ in e.find_all(exp.AggFunc, exp.Anonymous))


def _estimates(node: exp.Select) -> bool:
    """Whether the rows of a local release are aggregated: then no row of the answer comes from one of them."""
    return any(isinstance(n, exp.AggFunc) and not in_window(n) for e in node.expressions for n in shallow(e))


def _released(node: exp.Select, table: exp.Table) -> tuple[int, list[tuple[str, int | None]]]:
    named = []
    for item in node.expressions:
        inner = item.unalias()
        match = (
            _MEASURE.fullmatch(inner.name)
            if isinstance(inner, exp.Column) and inner.table == table.name
            else None
        )
        named.append((item.alias_or_name, int(match.group(1)) if match else None))
    node.append(
        "expressions", exp.alias_(exp.column("i", table=table.name, quoted=True), _INDEX, quoted=True)
    )
    return int(table.name[1:]), named


def _derived(node: exp.Select, source: exp.Subquery) -> tuple[int, list[tuple[str, int | None]]] | None:
    inner = _trace(source.this)
    if inner is None:
        return None
    release, columns = inner
    aliases = source.alias_column_names
    columns = [(n, m) for n, (_, m) in zip(aliases, columns, strict=False)] + columns[len(aliases) :]
    # DuckDB takes the first of several columns of one name.
    known = {name.lower(): measure for name, measure in reversed(columns)}
    named: list[tuple[str, int | None]] = []
    star = False
    for item in node.expressions:
        written = item.unalias()
        if isinstance(written, exp.Star) or (
            isinstance(written, exp.Column) and isinstance(written.this, exp.Star)
        ):
            named, star = named + columns, True
        else:
            measure = known.get(written.name.lower()) if isinstance(written, exp.Column) else None
            named.append((item.alias_or_name, measure))
    if star:
        return (release, named) if len(node.expressions) == 1 else None
    node.append("expressions", exp.column(_INDEX, table=source.alias or None, quoted=True))
    return release, named
