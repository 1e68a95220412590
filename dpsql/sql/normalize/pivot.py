"""PIVOT of listed values as aggregates under conditions: one column for each value and aggregate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import LiteralValue
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, is_star, of_kinds
from dpsql.sql.dialect import Node

ListedValues = Callable[[str, str, str], tuple[LiteralValue, ...] | None]
"""The list that the policy has of a column, by the schema (or nothing), the table and its name; None without one."""
NEEDS_VALUES: Final = (
    "PIVOT needs the values to make columns of, as in region IN ('north', 'south'), or a column of a table of which "
    "the policy lists them"
)
# What sqlglot says of columns that it expects, and what is not written.
_MADE: Final = ("columns", "identify_pivot_strings", "prefixed_pivot_columns", "pivot_column_naming")
# As many as a query may have aggregates, and what these may be made of in all.
_MOST_COLUMNS: Final = 300
_MOST_NODES: Final = 200_000
_UNSET: Final = ("unpivot", "default_on_null", "include_nulls", "into", "value_columns_first")


def without_expected_columns(nodes: Sequence[Node]) -> bool:
    """Takes the names off PIVOT that sqlglot expects, and nobody wrote. Says whether there is a PIVOT."""
    pivots = of_kinds(nodes, exp.Pivot)
    for pivot in pivots:
        for key in (*_MADE, *(k for k in _UNSET if not pivot.args.get(k))):
            pivot.args.pop(key, None)
    return bool(pivots)


def write_lists(nodes: Sequence[Node], values: ListedValues) -> list[tuple[int, str]]:
    """Writes the IN of each column behind ON without one, of the values that the policy lists of it, in order.

    Returns what that is in the text, and where: DuckDB reads a PIVOT without it as several statements. Raises
    QueryRefused where there is no such list: what stands in private rows cannot become columns.
    """
    put: list[tuple[int, str]] = []
    pivots = of_kinds(nodes, exp.Pivot)
    queries = {cte.alias.lower() for cte in of_kinds(nodes, exp.CTE)} if pivots else set()
    for pivot in pivots:
        for column in [c for c in lists_of(pivot) if isinstance(c, exp.Column)]:
            source = pivot.this
            is_table = isinstance(source, exp.Table) and (source.db or source.name.lower() not in queries)
            known = values(source.db, source.name, column.name) if is_table else None
            if known is None:
                raise refuse_node(column, NEEDS_VALUES)
            written = exp.In(expressions=[_constant(v, column) for v in sorted(known, key=str)])
            column.replace(written)
            written.set("this", column)
            listed = ", ".join(v.sql(dialect="duckdb") for v in written.expressions)
            put.append((column.this.meta["end"] + 1, f" IN ({listed})"))
    return put


def _constant(value: LiteralValue, column: Node) -> Node:
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, str):
        return exp.Literal.string(value)
    if isinstance(value, int) and value >= 0:
        return exp.Literal.number(value)
    raise refuse_node(column, NEEDS_VALUES)


def without_pivots(tree: Node) -> bool:
    """Changes PIVOT into a grouped query with an aggregate for each value. Says whether there was one.

    >>> after(without_pivots, "FROM t PIVOT (SUM(a) AS s FOR b IN ('x' AS one, 'y') GROUP BY c) AS p")
    SELECT * FROM (SELECT c, SUM(a) FILTER(WHERE b = 'x') AS "one_s", SUM(a) FILTER(WHERE b = 'y') AS "y_s"
    FROM t GROUP BY c) AS p
    """
    pivots = all_of(tree, exp.Pivot)
    _check_size(pivots)
    for pivot in reversed(pivots):
        if pivot.arg_key == "pivots":
            _replace_source(pivot)
        else:
            pivot.replace(_pivoted(pivot, pivot.this))
    return bool(pivots)


def _check_size(found: list[exp.Pivot]) -> None:
    """Refuses what would make a query much longer than it is written. Raises QueryRefused."""
    columns = nodes = 0
    for pivot in found:
        columns += columns_made(pivot)
        nodes += columns_made(pivot) * sum(
            1 for part in (*calls_of(pivot), *lists_of(pivot)) for _ in part.walk()
        )
        if columns > _MOST_COLUMNS or nodes > _MOST_NODES:
            raise refuse_node(pivot, "PIVOT makes too many columns", f"It makes at most {_MOST_COLUMNS}.")


def _replace_source(pivot: exp.Pivot) -> None:
    source, alias = pivot.parent, pivot.args.get("alias")
    assert source is not None
    inner = source.copy()
    inner.set("pivots", None)
    source.replace(exp.Subquery(this=_pivoted(pivot, inner), alias=alias))


def _pivoted(pivot: exp.Pivot, source: Node) -> exp.Select:
    keys = written_keys(pivot, source) or []
    measures = [_measure(pivot, call, chosen) for chosen in _combinations(pivot) for call in calls_of(pivot)]
    select = exp.Select(
        expressions=[*(k.copy() for k in keys), *measures], from_=exp.From(this=source.copy())
    )
    if keys:
        select.set("group", exp.Group(expressions=[k.copy() for k in keys]))
    return select


def calls_of(pivot: exp.Pivot) -> list[Node]:
    """The aggregates of PIVOT, with their names."""
    return list(
        pivot.args.get("using") or pivot.expressions if pivot.arg_key != "pivots" else pivot.expressions
    )


def lists_of(pivot: exp.Pivot) -> list[Node]:
    """What stands behind ON or FOR: columns with the values to make columns of."""
    return list(pivot.args.get("fields") or () if pivot.arg_key == "pivots" else pivot.expressions)


def written_keys(pivot: exp.Pivot, source: Node) -> list[Node] | None:
    """What a PIVOT is grouped by: its GROUP BY, or all other columns that a query in parentheses lists.

    None where neither says it.
    """
    group = pivot.args.get("group")
    if group is not None:
        return list(group.expressions)
    query = source.this if isinstance(source, exp.Subquery) else None
    if not isinstance(query, exp.Select) or any(is_star(e) for e in query.expressions):
        return None
    names = [e.alias_or_name for e in query.expressions]
    if not all(names):
        return None
    read = [*lists_of(pivot), *calls_of(pivot)]
    used = {c.name.lower() for part in read for c in all_of(part, exp.Column)}
    return [exp.column(exp.to_identifier(n, quoted=True)) for n in names if n.lower() not in used]


def columns_made(pivot: exp.Pivot) -> int:
    """How many columns a PIVOT makes."""
    made = len(calls_of(pivot))
    for listed in lists_of(pivot):
        made *= len(listed.expressions)
    return made


def name_of_value(value: Node) -> str | None:
    """The column that DuckDB makes of a value; None of one that needs a name."""
    if isinstance(value, exp.PivotAlias):
        return str(value.args["alias"].name)
    if isinstance(value, exp.Boolean):
        return "true" if value.this else "false"
    is_plain = isinstance(value, exp.Literal) and (value.is_string or value.name.isdigit())
    return value.name if is_plain else None


def _combinations(pivot: exp.Pivot) -> Iterator[tuple[tuple[Node, Node], ...]]:
    """Every choice of one value of each list, with its column; the last list changes first."""
    return product(*([(i.this, v) for v in i.expressions] for i in lists_of(pivot)))


def _measure(pivot: exp.Pivot, written: Node, chosen: tuple[tuple[Node, Node], ...]) -> exp.Alias:
    calls = calls_of(pivot)
    call = written.this if isinstance(written, exp.Alias) else written
    conditions = [exp.EQ(this=c.copy(), expression=_value(v).copy()) for c, v in chosen]
    parts = [name_of_value(v) or "" for _, v in chosen]
    if isinstance(written, exp.Alias) or len(calls) > 1:
        parts.append(written.alias)
    only = exp.and_(*conditions, copy=False)
    filtered = exp.Filter(this=call.copy(), expression=exp.Where(this=only))
    return exp.Alias(this=filtered, alias=exp.to_identifier("_".join(parts), quoted=True))


def _value(value: Node) -> Node:
    inner: Node = value.this if isinstance(value, exp.PivotAlias) else value
    return inner
