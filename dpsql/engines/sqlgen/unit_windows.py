"""Windows over the rows of one unit as SQL: the same whatever the order in which rows are stored."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dpsql.algebra.expressions import Expr
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.of_unit import FRAMED, End, Frame, FrameUnit, PerUnitMeasure, Place, Ranked, Sorted, Window
from dpsql.algebra.per_unit_facts import rows_in_frame
from dpsql.algebra.relations import Windows
from dpsql.algebra.scan import quoted
from dpsql.algebra.shape import Shape
from dpsql.algebra.types import TEMPORAL, SqlType
from dpsql.engines.sqlgen.unit_aggregates import UNIT, UnitMeasure, kept, one_zero

_NUMBER = quoted("#n")
# Places that depend on the order of every row, and those that say how many rows away or in how many parts.
_BY_PLACE = (Ranked.ROW_NUMBER, Ranked.LAG, Ranked.LEAD, Ranked.NTILE)
_COUNTED = (Ranked.LAG, Ranked.LEAD, Ranked.NTILE, Ranked.NTH_VALUE)


def windows_sql(node: Windows, source: Shape, emit: Callable[[Expr], str], unit: str, rows: str) -> str:
    """SELECT "#unit", c0, ..., w0, ...: of rows whose every value has one spelling, so that equal rows are the same.

    Where the order as written leaves rows equal, a hash of all columns and then the columns decide: a total order on
    content up to rows that are the same in all that is passed on. Several windows must order those alike, or which
    values meet in one row would depend on how they are sorted: the rows are numbered first, and the number decides.
    """
    computed = {e: f"x{i}" for i, e in enumerate(dict.fromkeys(e for w in node.windows for e in w.exprs))}
    columns = [f"c{i}" for i in range(len(node.outputs))]
    named = [*zip(node.outputs, columns, strict=True), *computed.items()]
    inner = [f"{unit} AS {UNIT}", *(f"{one_zero(e, emit(e))} AS {name}" for e, name in named)]
    rows = f"SELECT {', '.join(inner)} {rows}"
    content = [f"hash({', '.join(columns)})", *columns] if columns else []
    if len(node.windows) > 1:
        number = f"row_number() OVER (PARTITION BY {UNIT}{_ordered(content)})"
        rows, content = f"SELECT *, {number} AS {_NUMBER} FROM ({rows})", [_NUMBER]
    listed, outer = [UNIT, *columns], [UNIT, *columns]
    for i, window in enumerate(node.windows):
        over = f" OVER ({_over(window, computed, content)})"
        value = window.value
        if isinstance(value, PerUnitMeasure):
            most = rows_in_frame(window, source.rows_per_unit)
            measure = UnitMeasure(value, source.facts(), most, computed.__getitem__)
            listed.append(f"{measure.aggregate(over)} AS w{i}")
            outer.append(f"{measure.outside(f'w{i}')} AS w{i}")
        else:
            listed.append(f"{_call(value, window, computed, content)}{over} AS w{i}")
            read = f"w{i}" if value.arg is None else kept(f"w{i}", source.facts().of(value.arg))
            outer.append(f"{read} AS w{i}")
    return f"SELECT {', '.join(outer)} FROM (SELECT {', '.join(listed)} FROM ({rows}))"


def _call(value: Place, window: Window, computed: Mapping[Expr, str], content: list[str]) -> str:
    """A place; the value of a row of a frame of equals is of the first or last of them in the order on content."""
    given = [] if value.arg is None else [computed[value.arg]]
    given += [str(value.offset)] if value.ranked in _COUNTED else []
    order = [*_written(window, computed), *content] if _within_equals(window) else []
    by = _ordered(order)
    return f"{value.ranked.value}({', '.join(given)}{by}{' IGNORE NULLS' if value.skips else ''})"


def _within_equals(window: Window) -> bool:
    """Whether it is the value of one row of a frame whose rows the order as written does not tell apart."""
    framed = isinstance(window.value, Place) and window.value.ranked in FRAMED
    return framed and window.frame.unit is not FrameUnit.ROWS


def _written(window: Window, computed: Mapping[Expr, str]) -> list[str]:
    return [_term(s, computed[s.expr]) for s in window.order]


def _over(window: Window, computed: Mapping[Expr, str], content: list[str]) -> str:
    """The frame is always written: the default one goes by the order as it is written here."""
    value, order = window.value, _written(window, computed)
    partition = f"PARTITION BY {', '.join([UNIT, *(computed[k] for k in window.partition)])}"
    if isinstance(value, Place) and value.ranked not in FRAMED:
        frame = ""
        if value.ranked in _BY_PLACE:
            order, frame = [*order, *content], " ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
    elif window.frame.unit is FrameUnit.ROWS:
        order, frame = [*order, *content], _frame(window.frame)
    else:
        order = [_moved(window, s, computed) for s in window.order]
        frame = _frame(window.frame)
    return f"{partition}{_ordered(order)}{frame}"


def _moved(window: Window, term: Sorted, computed: Mapping[Expr, str]) -> str:
    """A term of the order that a frame counts values of: of a type in which all that is counted has a place."""
    value, kind = computed[term.expr], term.expr.type
    if any(e.away is not None for e in (window.frame.start, window.frame.end)):
        if kind in TEMPORAL:
            value = f"CAST({value} AS TIMESTAMP)"
        elif kind is SqlType.INTEGER and window.frame.unit is FrameUnit.RANGE:
            value = f"CAST({value} AS BIGINT)"
    return _term(term, value)


def _frame(frame: Frame) -> str:
    return (
        f" {frame.unit.value.upper()} BETWEEN {_end(frame.start)} AND {_end(frame.end)} "
        f"EXCLUDE {frame.without.value.upper()}"
    )


def _ordered(terms: list[str]) -> str:
    return f" ORDER BY {', '.join(terms)}" if terms else ""


def _end(end: End) -> str:
    return end.side.value.upper() if end.away is None else f"{literal(end.away)} {end.side.value.upper()}"


def _term(term: Sorted, value: str) -> str:
    direction = "DESC" if term.descending else "ASC"
    return f"{value} {direction} NULLS {'FIRST' if term.nulls_first else 'LAST'}"
