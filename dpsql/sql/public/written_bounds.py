"""Bounds of series that are computed of constants and of the present moment: the public engine says what they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog
from dpsql.engines.base import FinishFailed, FinishStopped
from dpsql.sql.ast.positions import refuse_node
from dpsql.sql.ast.traversal import every
from dpsql.sql.dialect import Node
from dpsql.sql.normalize.recursive_series import list_recursion
from dpsql.sql.normalize.series_bounds import computed_bounds
from dpsql.sql.normalize.table_functions import list_series
from dpsql.sql.public.render import check_public, fix, written

_WHOLE: Final = re.compile(r"-?[0-9]+")
_CLOCK: Final = re.compile(r"(-?)([0-9]+):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,6}))?")
Evaluate = Callable[[str], Sequence[Sequence[object]]]


def write_bounds(
    tree: Node, catalog: Catalog, params: Mapping[str, object], now: datetime, evaluate: Evaluate
) -> None:
    """Writes the values of such bounds as constants, and the series as lists; `evaluate` runs SQL that reads no table.

    Raises QueryRefused.
    """
    bounds = computed_bounds(every(tree))
    if not bounds:
        return
    computed = exp.Select(expressions=[bound.copy() for bound in bounds])
    check_public(computed, catalog, params)
    fix(computed, params, now)
    texts = [written(value) for value in computed.expressions]
    query = "SELECT " + ", ".join(f"TYPEOF({t}), CAST({t} AS VARCHAR)" for t in texts)
    try:
        ((*found,),) = evaluate(query)
    except FinishStopped:
        raise
    except FinishFailed:
        hint = "Check the types in them, and write dates and timestamps as in DATE '2025-01-31'."
        raise refuse_node(bounds[0], "the bounds of a series cannot be computed", hint) from None
    for bound, kind, text in zip(bounds, found[::2], found[1::2], strict=True):
        constant = _constant(str(kind), text)
        constant.meta.update(bound.meta)
        bound.replace(constant)
    list_recursion(tree)
    list_series(tree)


def _constant(kind: str, text: object) -> Node:
    """A value as a constant that series are read with; of any other type it is a text, which is none."""
    if text is None:
        return exp.null()
    shown = str(text)
    if _WHOLE.fullmatch(shown) and kind.endswith(("INT", "INTEGER")):
        number = exp.Literal.number(shown.removeprefix("-"))
        return exp.Neg(this=number) if shown.startswith("-") else number
    if kind == "INTERVAL":
        return exp.Interval(this=exp.Literal.string(_in_units(shown)))
    written_text = exp.Literal.string(shown)
    is_moment = kind in ("DATE", "TIMESTAMP")
    return (
        exp.Cast(this=written_text, to=exp.DataType.build(kind, dialect="duckdb"))
        if is_moment
        else written_text
    )


def _in_units(interval: str) -> str:
    """The text of an interval with its hours, minutes and seconds in microseconds."""
    clock = _CLOCK.search(interval)
    if clock is None:
        return interval
    sign, hours, minutes, seconds, below = clock.groups()
    micros = (int(hours) * 3600 + int(minutes) * 60 + int(seconds)) * 10**6 + int((below or "").ljust(6, "0"))
    units = ((3_600 * 10**6, "hours"), (60 * 10**6, "minutes"), (10**6, "seconds"), (1, "microseconds"))
    parts = []
    for size, unit in units:
        count, micros = divmod(micros, size)
        parts.append(f"{sign}{count} {unit}")
    return interval[: clock.start()] + " ".join(parts)
