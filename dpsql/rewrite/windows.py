"""Windows over the rows of one unit as SQL: the same whatever the order in which rows are stored."""

from __future__ import annotations

from collections.abc import Callable

from dpsql.algebra.expr import Expr
from dpsql.algebra.of_unit import Frame, PerUnitMeasure, Ranked, Sorted, Window
from dpsql.algebra.relation import Windows
from dpsql.algebra.shape import Shape
from dpsql.rewrite.per_unit import UNIT, UnitMeasure, one_zero

_BY_PLACE = (Ranked.ROW_NUMBER, Ranked.LAG, Ranked.LEAD, Ranked.FIRST_VALUE)


def windows_sql(node: Windows, source: Shape, emit: Callable[[Expr], str], unit: str, rows: str) -> str:
    """SELECT "#unit", c0, ..., w0, ...: of rows whose every value has one spelling, so that equal rows are the same.

    Where the order as written leaves rows equal, a hash of all columns and then the columns decide: a total order on
    content up to rows that are the same in all that is passed on.
    """
    computed = {e: f"x{i}" for i, e in enumerate(dict.fromkeys(e for w in node.windows for e in w.exprs))}
    columns = [f"c{i}" for i in range(len(node.outputs))]
    named = [*zip(node.outputs, columns, strict=True), *computed.items()]
    inner = [f"{unit} AS {UNIT}", *(f"{one_zero(e, emit(e))} AS {name}" for e, name in named)]
    content = [f"hash({', '.join(columns)})", *columns]
    listed, outer = [UNIT, *columns], [UNIT, *columns]
    for i, window in enumerate(node.windows):
        over = f" OVER ({_over(window, computed, content)})"
        value = window.value
        if isinstance(value, PerUnitMeasure):
            measure = UnitMeasure(value, source.facts(), source.rows_per_unit, computed.__getitem__)
            listed.append(f"{measure.aggregate(over)} AS w{i}")
            outer.append(f"{measure.outside(f'w{i}')} AS w{i}")
        else:
            listed.append(f"{_call(window, computed)}{over} AS w{i}")
            outer.append(f"w{i}")
    numbered = f"SELECT {', '.join(listed)} FROM (SELECT {', '.join(inner)} {rows})"
    return f"SELECT {', '.join(outer)} FROM ({numbered})"


def _call(window: Window, computed: dict[Expr, str]) -> str:
    value = window.value
    assert not isinstance(value, PerUnitMeasure)
    arg = "" if value.arg is None else computed[value.arg]
    offset = f", {value.offset}" if value.ranked in (Ranked.LAG, Ranked.LEAD) else ""
    return f"{value.ranked.value}({arg}{offset})"


def _over(window: Window, computed: dict[Expr, str], content: list[str]) -> str:
    """The frame is always written: the default one goes by the order as it is written here."""
    value = window.value
    by_place = not isinstance(value, PerUnitMeasure) and value.ranked in _BY_PLACE
    order = [_term(s, computed) for s in window.order]
    frame = ""
    if by_place or window.frame is Frame.ROWS:
        order, frame = [*order, *content], "ROWS"
    elif isinstance(value, PerUnitMeasure) and window.frame is Frame.EQUALS:
        frame = "RANGE"
    elif isinstance(value, PerUnitMeasure):
        order = []
    parts = [f"PARTITION BY {', '.join([UNIT, *(computed[k] for k in window.partition)])}"]
    parts += [f"ORDER BY {', '.join(order)}"] if order else []
    parts += [f"{frame} BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"] if frame else []
    return " ".join(parts)


def _term(term: Sorted, computed: dict[Expr, str]) -> str:
    direction = "DESC" if term.descending else "ASC"
    return f"{computed[term.expr]} {direction} NULLS {'FIRST' if term.nulls_first else 'LAST'}"
