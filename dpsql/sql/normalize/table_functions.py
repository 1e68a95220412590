"""Tables written as lists of constants, GENERATE_SERIES, RANGE and UNNEST: they are VALUES under other names."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Final

from sqlglot import exp

from dpsql.algebra.expressions import Duration
from dpsql.sql.ast.aggregate_calls import is_aggregate
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import all_of, every
from dpsql.sql.dialect import DType, Node
from dpsql.sql.normalize.foreign.date_units import unit_word
from dpsql.sql.normalize.foreign.foreign_forms import is_array, is_listed_series, select_of_rows
from dpsql.sql.normalize.series_bounds import (
    computed_bounds,
    constant_duration,
    constant_moment,
    constant_number,
    later,
)

MOST_ROWS: Final = 2_000
"""The most rows of all such tables of a query; more belong into a table of the policy."""
_FORMS: Final = (
    "UNNEST takes one list of constants here, as in UNNEST([1, 2]) or UNNEST(GENERATE_SERIES(1, 9))"
)
_COMPUTED: Final = (
    "Write constants, or what is computed of constants and of the present moment as in CURRENT_DATE - 30, with a step "
    "that is not 0; of the first and the last day of the rows ask in a query of its own."
)
_ALONE: Final = "UNNEST stands behind FROM, or once in a SELECT without FROM"
_BOUNDS: Final = "GENERATE_SERIES and RANGE take whole numbers, or dates and timestamps with an INTERVAL"


def complaint_of_series(node: Node) -> str | None:
    """What is wrong with the place of GENERATE_SERIES or RANGE, or None."""
    in_place = isinstance(node.parent, exp.Table | exp.Unnest | exp.Explode)
    is_generated = not node.args.get("is_end_exclusive") and is_listed_series(node)
    return None if in_place or is_generated else "GENERATE_SERIES and RANGE stand behind FROM, or in UNNEST"


def complaint_of_unnest(node: Node) -> str | None:
    """What is wrong with UNNEST, or None."""
    lists = node.expressions if isinstance(node, exp.Unnest) else [node.this]
    if len(lists) != 1 or not (isinstance(lists[0], exp.Array | exp.GenerateSeries) or is_array(lists[0])):
        return _FORMS
    if any(_reads_rows(n) for n in lists[0].walk()):
        return _FORMS
    return _ALONE if isinstance(node, exp.Explode) and select_of_rows(node) is None else None


def _reads_rows(node: Node) -> bool:
    """Whether this is a column, a query or an aggregate; a unit, as in DATE_DIFF(x, y, DAY), looks like a column."""
    is_unit = unit_word(node) is not None and not isinstance(node.parent, exp.Array)
    return (isinstance(node, exp.Column | exp.Query) and not is_unit) or is_aggregate(node)


def is_unnested(node: Node) -> bool:
    """Whether a list is that of an UNNEST."""
    return isinstance(node.parent, exp.Unnest | exp.Explode)


def without_series(tree: Node) -> None:
    """Puts VALUES in the place of every such table, unless bounds are to be computed before.

    Raises QueryRefused for bounds that are no constants, and for too many values.

    >>> after(without_series, "SELECT * FROM RANGE(0, 4, 2) AS t(n), UNNEST(['a'])")
    SELECT * FROM (VALUES (CAST(0 AS BIGINT)), (CAST(2 AS BIGINT))) AS t(n), (VALUES ('a')) AS "unnest"("unnest")
    """
    if not computed_bounds(every(tree)):
        list_series(tree)


def list_series(tree: Node) -> None:
    """The same where nothing is left to be computed."""
    left = MOST_ROWS
    for call in all_of(tree, exp.Explode, exp.Unnest, exp.Table):
        listed = listed_in(call)
        if listed is None:
            continue
        rows = listed.expressions if isinstance(listed, exp.Array) else _series(listed)
        left -= len(rows)
        if left < 0:
            reason = f"a query has at most {MOST_ROWS} constants in lists"
            raise refuse_node(call, reason, "Put long lists of values into a public table.")
        _replace(call, rows)


def listed_in(call: Node) -> Node | None:
    """The list of which a table is made; None for a table that is a name."""
    if isinstance(call, exp.Unnest):
        first: Node = call.expressions[0]
        return first
    listed: Node = call.this
    return listed if isinstance(listed, exp.Array | exp.GenerateSeries) else None


def _replace(call: Node, rows: list[Node]) -> None:
    """Puts the rows in the place of a call; without any, a table that has none."""
    if isinstance(call, exp.Explode):
        select = select_of_rows(call)
        assert select is not None
        select.set("from_", exp.From(this=_values(call.this, rows, None, "unnest")))
        call.replace(exp.column(_named("unnest")))
        return
    name = "unnest"
    if isinstance(call, exp.Table):
        name = "range" if call.this.args.get("is_end_exclusive") else "generate_series"
    call.replace(_values(call.this or call.expressions[0], rows, call.args.get("alias"), name))


def _values(call: Node, rows: list[Node], alias: Node | None, name: str) -> Node:
    """The rows as VALUES; the table and its column have the call's name where the text gives them no other."""
    table = alias.this if alias is not None and alias.this is not None else _named(name)
    columns = alias.args.get("columns") if alias is not None else None
    if columns and len(columns) != 1:
        raise refuse_node(columns[1], "a table of constants has one column")
    named = exp.TableAlias(this=table.copy(), columns=columns or [table.copy()])
    values = exp.Values(expressions=[exp.Tuple(expressions=[row]) for row in rows or [_nothing(call)]])
    if rows:
        values.set("alias", named)
        return values
    values.set("alias", named.copy())
    none = exp.select("*").from_(values).where(exp.false())
    return exp.Subquery(this=none, alias=named)


def _named(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _series(call: Node) -> list[Node]:
    """The values of GENERATE_SERIES, which ends with `end`, or of RANGE, which ends before it."""
    start, end, step = (call.args.get(part) for part in ("start", "end", "step"))
    exclusive = bool(call.args.get("is_end_exclusive"))
    if any(isinstance(bound, exp.Null) for bound in (start, end, step)):
        return []
    first, last = constant_number(start), constant_number(end)
    by = 1 if step is None else constant_number(step)
    if first is not None and last is not None and by:
        beyond = last if exclusive else last + (1 if by > 0 else -1)
        return [_whole(n) for n in range(first, beyond, by)[: MOST_ROWS + 1]]
    begin, until, every = constant_moment(start), constant_moment(end), constant_duration(step)
    if begin is None or until is None or every is None:
        raise refuse_node(call, _BOUNDS, _COMPUTED)
    return [_timestamp(m) for m in islice(_moments(begin, until, every, exclusive), MOST_ROWS + 1)]


def _nothing(series: Node) -> Node:
    """NULL in the type that a series has without a value."""
    number = constant_duration(series.args.get("step")) is None
    return exp.Cast(this=exp.null(), to=exp.DataType(this=DType.BIGINT if number else DType.TIMESTAMP))


def _moments(begin: datetime, until: datetime, every: Duration, exclusive: bool) -> Iterator[datetime]:
    """From one to the next as DuckDB goes: months are added to the one before, so that the 31st stays behind."""
    rising = max(every.months, every.days, every.micros) > 0
    while begin < until if rising else begin > until:
        yield begin
        try:
            begin = later(begin, every)
        except (OverflowError, ValueError):
            return
    if begin == until and not exclusive:
        yield begin


def _whole(value: int) -> Node:
    written = exp.Literal.number(abs(value))
    return exp.Cast(this=exp.Neg(this=written) if value < 0 else written, to=exp.DataType(this=DType.BIGINT))


def _timestamp(value: datetime) -> Node:
    text = value.isoformat(" ", "microseconds" if value.microsecond else "seconds")
    return exp.Cast(this=exp.Literal.string(text), to=exp.DataType(this=DType.TIMESTAMP))
