"""RANGE and GENERATE_SERIES of constants in FROM as the rows that they list."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Final

from sqlglot import exp

from dpsql.algebra.expr import Duration
from dpsql.functions.calendar import add_months
from dpsql.sql.dialect import DType, Node
from dpsql.sql.literals import duration
from dpsql.sql.place import refuse_node

MOST_ROWS: Final = 4000
SERIES: Final = frozenset({"RANGE", "GENERATE_SERIES"})
"""Table functions by their names in capitals: the first leaves its end out."""
_MOMENT: Final = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2})?)?")
_EPOCH: Final = datetime(1970, 1, 1)


def is_series(table: Node) -> bool:
    """Whether what stands in FROM is a call of one of them."""
    call = table.this
    return isinstance(call, exp.Anonymous) and str(call.this).upper() in SERIES


def without_series(tree: Node) -> bool:
    """Changes each series in FROM into VALUES. Says whether there was one. Raises QueryRefused."""
    found = [t for t in tree.find_all(exp.Table) if is_series(t)]
    left = MOST_ROWS
    for table in found:
        values = _listed(table, left)
        left -= len(values or ())
        if values is None:
            raise refuse_node(
                table,
                f"{str(table.this.this).upper()} in FROM takes constants, and lists 1 to {MOST_ROWS} rows in a query",
                "Write whole numbers, or two dates as DATE '2025-01-31' and a step such as INTERVAL 1 DAY.",
            )
        table.replace(_table(table, values))
    return bool(found)


def _table(table: exp.Table, values: list[Node]) -> Node:
    name = str(table.this.this).lower()
    alias = table.args.get("alias")
    given = list(alias.columns) if isinstance(alias, exp.TableAlias) else []
    called = alias.this if isinstance(alias, exp.TableAlias) and alias.this is not None else None
    rows = exp.Values(expressions=[exp.Tuple(expressions=[v]) for v in values])
    rows.set("alias", exp.TableAlias(this=exp.to_identifier("series"), columns=[exp.to_identifier("value")]))
    column = exp.Alias(
        this=exp.column("value"), alias=given[0] if given else exp.to_identifier(name, quoted=True)
    )
    select = exp.Select(expressions=[column])
    select.set("from_", exp.From(this=rows))
    found = exp.Subquery(this=select)
    found.set("alias", exp.TableAlias(this=called or exp.to_identifier(name, quoted=True)))
    return found


def _listed(table: exp.Table, most: int) -> list[Node] | None:
    args = table.this.expressions
    whole = [_whole(a) for a in args]
    if 1 <= len(args) <= 3 and None not in whole:
        numbers = [n for n in whole if n is not None]
        start, stop, step = _bounds(numbers)
        written: Iterator[Node] = (_number(n) for n in _counted(start, stop, step, _included(table)))
    else:
        ends = [_moment(a) for a in args[:2]]
        step_of = _step(args[2]) if len(args) == 3 else None
        if len(ends) < 2 or ends[0] is None or ends[1] is None or step_of is None:
            return None
        written = map(_written, _dates(ends[0], ends[1], step_of, _included(table)))
    found = list(islice(written, most + 1))
    return found if 1 <= len(found) <= most else None


def _included(table: exp.Table) -> bool:
    return str(table.this.this).upper() == "GENERATE_SERIES"


def _bounds(numbers: list[int]) -> tuple[int, int, int]:
    if len(numbers) == 1:
        return 0, numbers[0], 1
    return numbers[0], numbers[1], numbers[2] if len(numbers) == 3 else 1


def _counted(start: int, stop: int, step: int, included: bool) -> range:
    if step == 0:
        return range(0)
    return range(start, stop + (1 if step > 0 else -1) if included else stop, step)


def _dates(
    at: datetime, stop: datetime, moved: Callable[[datetime], datetime], included: bool
) -> Iterator[datetime]:
    while at < stop or (included and at == stop):
        yield at
        at = moved(at)


def _step(node: Node) -> Callable[[datetime], datetime] | None:
    """What a positive INTERVAL adds to a moment, as DuckDB adds it."""
    inner = node.unnest()
    if not isinstance(inner, exp.Interval):
        return None
    found = duration(inner)
    if min(found.months, found.days, found.micros) < 0 or found == Duration(0, 0, 0):
        return None
    return lambda at: _moved(at, found)


def _moved(at: datetime, by: Duration) -> datetime:
    if by.months:
        at += timedelta(days=add_months((at - _EPOCH).days, by.months) - (at - _EPOCH).days)
    return at + timedelta(days=by.days, microseconds=by.micros)


def _whole(node: Node) -> int | None:
    inner = node.unnest()
    if isinstance(inner, exp.Neg):
        below = _whole(inner.this)
        return -below if below is not None else None
    plain = isinstance(inner, exp.Literal) and not inner.is_string
    return int(inner.this) if plain and inner.this.isdigit() and len(inner.this) <= 15 else None


def _moment(node: Node) -> datetime | None:
    """A constant DATE or TIMESTAMP."""
    inner = node.unnest()
    typed = isinstance(inner, exp.Cast) and inner.args["to"].this in (
        DType.DATE,
        DType.TIMESTAMP,
        DType.TIMESTAMPNTZ,
    )
    text = inner.this.name if typed and isinstance(inner.this, exp.Literal) else ""
    if not _MOMENT.fullmatch(text):
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    whole = datetime.combine(date(found.year, found.month, found.day), datetime.min.time())
    return whole if inner.args["to"].this is DType.DATE else found


def _number(value: int) -> Node:
    literal = exp.Literal.number(abs(value))
    signed = exp.Neg(this=literal) if value < 0 else literal
    return exp.cast(signed, "BIGINT", dialect="duckdb")


def _written(value: datetime) -> Node:
    return exp.cast(exp.Literal.string(value.isoformat(" ")), "TIMESTAMP", dialect="duckdb")
