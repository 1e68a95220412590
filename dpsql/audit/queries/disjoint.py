"""Aggregates under conditions that exclude each other, or of which one is part of another, for random queries."""

from __future__ import annotations

import random
from collections.abc import Callable

from dpsql.audit.databases.texts import spellings
from dpsql.audit.queries.expressions import Expressions

# An aggregate's SQL, its kind and its role.
Call = tuple[str, str, str]


def conditions(e: Expressions, draw: random.Random) -> list[str]:
    """Conditions on one expression, in a random order, mostly such that no row satisfies two; now and then TRUE."""
    kind = draw.choice(("int", "text", "date", "float", "bool", "any", "spelled", "spelled"))
    found = spellings(e, draw) if kind == "spelled" else []
    if not found:
        found = _cases(e, draw) if kind in ("bool", "any", "spelled") else _pieces(e, draw, kind)
    found += draw.choice(([], ["TRUE"], ["TRUE", e.condition(1)]))
    draw.shuffle(found)
    narrower = e.condition(0)
    return [f"({c}) AND ({narrower})" if draw.random() < 0.15 else c for c in found]


def _pieces(e: Expressions, draw: random.Random, kind: str) -> list[str]:
    """Of what is compared with constants."""
    x, (a, b) = e.of(kind, draw.choice((0, 1))), (e.literal(kind) for _ in "ab")
    return draw.choice(
        (
            [f"{x} = {a}", f"{x} = {b}", f"{x} NOT IN ({a}, {b})"],
            [f"{x} < {a}", f"{x} >= {a}", f"{x} IS NULL"],
            [f"{x} BETWEEN {a} AND {b}", f"{x} > {b}", f"{x} < {a}"],
            [f"{x} IN ({a}, {b})", f"{x} IN ({a}, NULL)", f"{x} <> {a} AND {x} <> {b}"],
            [f"{x} <= {a}", f"{x} <= {b}", f"NOT {x} <= {a}"],
            [f"{x} IS DISTINCT FROM {a}", f"{x} IS NOT DISTINCT FROM {a}"],
        )
    )


def _cases(e: Expressions, draw: random.Random) -> list[str]:
    """Of truth values, which may be NULL."""
    p, q = e.condition(1), e.condition(1)
    return draw.choice(
        (
            [p, f"NOT ({p})", f"({p}) IS NULL"],
            [p, f"({p}) IS NOT TRUE", f"({q}) AND ({p}) IS NOT TRUE"],
            [f"({p}) AND ({q})", f"({p}) AND NOT ({q})", f"NOT ({p})", p],
            [f"({p}) OR ({q})", f"NOT ({p}) AND NOT ({q})", q],
        )
    )


def aggregates(
    e: Expressions, draw: random.Random, number: Callable[[Expressions], str], null: tuple[str, str]
) -> list[Call]:
    """Aggregates under such conditions, written with FILTER or with CASE; `null` goes around what DuckDB says is NULL
    over nothing."""
    alike = draw.random() < 0.5
    value, form = number(e), draw.randrange(8)
    found = []
    for condition in conditions(e, draw):
        if not alike:
            value, form = number(e), draw.randrange(8)
        found.append(_call(condition, value, form, e, null))
    return found


def _call(condition: str, value: str, form: int, e: Expressions, null: tuple[str, str]) -> Call:
    before, after = null
    only = f" FILTER (WHERE {condition})"
    return (
        (f"COUNT(*){only}", "int", "count"),
        (f"{before}SUM({value}){only}{after}", "float", "sum"),
        (f"{before}SUM(CASE WHEN {condition} THEN {value} ELSE 0 END){after}", "float", "sum"),
        (f"{before}SUM(CASE WHEN {condition} THEN 1 ELSE 0 END){after}", "int", "sum"),
        (f"COUNT(CASE WHEN {condition} THEN {value} END)", "int", "count"),
        (f"AVG(CASE WHEN {condition} THEN {value} END)", "float", "null"),
        (f"{before}SUM(CASE WHEN {condition} THEN 0 ELSE 2 END){after}", "int", "sum"),
        (f"COUNT(DISTINCT {e.leaf('int')}){only}", "int", "count"),
    )[form]
