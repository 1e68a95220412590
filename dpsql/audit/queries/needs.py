"""What productions need, by name, and what the holes of their texts are bound to.

A column of some sort is bound to c. A, B and C are private tables beside each other, S one with other rows of the unit,
T one whose rows are released, P a public one, and `own` one without an alias; `mine` and `theirs` are columns that are
compared, of tables with an alias both without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

from dpsql.algebra.local import MOST_BITS, MOST_VALUES
from dpsql.audit.queries.aliased_tables import joinable
from dpsql.audit.queries.schema_view import KINDS, ColumnView, TableView
from dpsql.audit.queries.writer import Bound, Writer, constant

SMALL_TABLE = 60
# A public table of more rows is no calendar.
_FEW = 12
# Columns of at most so many integers have a cell for each, in any number of groups.
_CELLS = 63
# What public text is to private text, and to its own types, is asked more often where there is much of it.
_MANY_TEXTS = 4
# Ranges up to this are summed in pairs on a grid of step 1.
_SMALL_RANGE = 10_000
# Ranges wider than this are cut into pieces before they are grouped by.
_WIDE = 20
# Doubles of a range up to this are few when they are rounded to tens.
_NARROW = 500
_DAY = 86_400_000_000
_UNITS = (("minute", 60_000_000), ("hour", _DAY // 24), ("day", _DAY), ("week", 7 * _DAY), ("month", 30 * _DAY),
          ("quarter", 91 * _DAY), ("year", 365 * _DAY))  # fmt: skip


def possible(w: Writer, need: str) -> list[Bound]:
    """All that can be bound for a need, and nothing where it is not met."""
    if need in _CONDITIONS:
        return [{}] if _CONDITIONS[need](w) else []
    if need in _TABLES:
        return _TABLES[need](w)
    if need.startswith("no "):
        return [] if possible(w, need.removeprefix("no ")) else [{}]
    sort = need.removeprefix("released ")
    found = [c for c in w.scope if (_COLUMNS[sort](w, c) if sort in _COLUMNS else c.kind == sort)]
    return [_facts(w, c) for c in found] if sort == need else _released(w, found)


def _facts(w: Writer, c: ColumnView) -> Bound:
    """A column, and constants by which its values are cut into pieces."""
    length = c.width * (_DAY if c.kind == "date" else 1)
    units = [u for u, size in _UNITS if 1 <= length // size <= 70 and (c.kind == "ts" or size >= _DAY)]
    size, days = max(c.width // 7, 2), max(length // _DAY // 9, 1)
    unit = w.one(*(units or ["month"]))
    value = constant(w.one(*c.values)) if c.values else ""
    return {
        "c": c.sql,
        "kind": c.kind,
        "size": str(size),
        "days": str(days),
        "unit of time": unit,
        "value": value,
    }


def _released(w: Writer, found: Iterable[ColumnView]) -> list[Bound]:
    """Columns that stand as they are in a private table."""
    return [
        {"T": t, "mine": r.sql, "theirs": c.sql}
        for r in found for t in w.view.privates for c in t.columns if c == replace(r, sql=c.sql)
    ]  # fmt: skip


_CONDITIONS: Mapping[str, Callable[[Writer], object]] = {
    # Answers that can be compared with DuckDB's, and those that cannot.
    "exact": lambda w: w.exact,
    "loose": lambda w: not w.exact,
    # Predicates with smaller ones in them, and those in their place.
    "deep": lambda w: w.depth > 0,
    "shallow": lambda w: w.depth <= 0,
    "public": lambda w: w.view.publics,
    "small public": lambda w: _small(w, SMALL_TABLE),
}

# Sorts of columns; others are kinds.
_COLUMNS: Mapping[str, Callable[[Writer, ColumnView], object]] = {
    "column": lambda _, c: c.kind in KINDS.values(),
    "listed": lambda _, c: c.kind in ("text", "bool", "int") and not _is_wide(c),
    # Hardly another unit has the same value.
    "unlisted": lambda _, c: c.kind in ("float", "date", "ts", "unit", "key"),
    # A bare name is that of the inner row: then everybody's rows are aggregated, and the greatest is released.
    "unit with a table": lambda w, c: c.kind == "unit" and (not w.exact or "." in c.sql),
    "wide integer": lambda _, c: _is_wide(c),
    "boundless integer": lambda _, c: c.kind == "int" and c.interval is None,
    "bounded double": lambda _, c: c.kind == "float" and c.interval is not None,
    "narrow double": lambda _, c: c.kind == "float" and 0 < c.width <= _NARROW,
    "moment": lambda _, c: c.kind in ("date", "ts"),
    "bounded moment": lambda _, c: c.kind in ("date", "ts") and c.interval is not None,
    "few values": lambda _, c: _has_few(c),
    "summable": lambda _, c: c.summable,
    "total": lambda _, c: c.summable and c.total,
    "small": lambda _, c: c.kind == "int" and c.summable and c.width < _SMALL_RANGE,
    "part": lambda _, c: c.partition,
    "of one row": lambda _, c: c.once and _has_few(c),
    "cells": lambda w, c: _has_cells(w, c),
    "cells of doubles": lambda w, c: _has_cells(w, c) and (not w.exact or c.kind == "float"),
    "cells of text": lambda _, c: c.kind == "text" and _has_few(c),
    "cells or few values": lambda w, c: _has_cells(w, c) or _has_few(c),
    "with values": lambda _, c: c.values,
    # NULL counts as a value too.
    "few responses": lambda _, c: 0 < _count(c) < MOST_VALUES,
    "few bits": lambda _, c: 0 < _count(c) < MOST_BITS and bool(c.values),
    "private text": lambda _, c: c.kind == "text" and c.private,
    "public text": lambda _, c: c.kind == "text" and c.public,
}


def _count(c: ColumnView) -> int:
    """How many values a column can have, 0 where they are too many or not listed."""
    if c.kind == "bool" or c.values:
        return 2 if c.kind == "bool" else len(c.values)
    return c.width + 1 if c.kind == "int" and c.interval is not None else 0


def _is_wide(c: ColumnView) -> bool:
    """Whether a column of numbers has a range without a list of values that has too many for groups."""
    return c.kind == "int" and c.width > _WIDE and not c.values


def _has_few(c: ColumnView) -> bool:
    """Whether it is a private column with a list of values."""
    return c.private and (bool(c.values) or c.kind == "bool")


def _has_cells(w: Writer, c: ColumnView) -> bool:
    """Whether a private choice among a column's values can be told to be DuckDB's own, or need not be."""
    can_be_told = c.kind == "float" or (c.kind == "int" and c.width <= _CELLS)
    return c.interval is not None and not c.public and (can_be_told or not w.exact)


_TABLES: Mapping[str, Callable[[Writer], list[Bound]]] = {
    "private": lambda w: [{"own": t, "table": t.sql} for t in w.view.privates],
    "own": lambda w: [{"own": t, "table": t.sql} for t in _owned(w)],
    "own values": lambda w: [
        {"own": t, "table": t.sql, "mine": c.sql} for t in w.view.privates for c in t.columns if _has_few(c)
    ],
    "local": lambda w: [{"own": w.view.local, "table": w.view.local.sql}] if w.view.local is not None else [],
    "other": lambda w: [{"S": t} for t in _owned(w)],
    "owned": lambda w: [{"A": t} for t in _owned(w)],
    "two": lambda w: [{"A": a, "B": b} for a, b in product(_owned(w), _owned(w))],
    "same key": lambda w: [
        {"A": a, "B": b, "key": a.owner.sql} for a, b in product(_owned(w), _owned(w)) if a.owner.sql == b.owner.sql
    ],
    "tie": lambda w: list(_ties(w)),
    "three": lambda w: [
        {**t, "C": u["B"], "ours": u["mine"], "last": u["theirs"]}
        for t, u in product(_ties(w), _ties(w)) if t["A"] is u["A"]
    ],
    "beside public": lambda w: [{"A": t, "P": p} for t, p in product(w.view.privates, _small(w, _FEW))],
    "beside texts": lambda w: [
        {"A": t, "P": p} for t, p in product(w.view.privates, _small(w, _FEW)) if _texts(t) and _texts(p) >= _MANY_TEXTS
    ],
    "beside column": lambda w: [
        {"A": t, "P": p, "mine": a.sql, "theirs": b.sql} for t, p in product(w.view.privates, _small(w, _FEW))
        for a, b in product(t.rows, p.columns) if a.kind == b.kind
    ],
    "joinable": lambda w: _joined(w.view.privates, w.view.publics),
    "joinable owned": lambda w: _joined(_owned(w), w.view.publics),
    "joinable few": lambda w: _joined(w.view.privates, _small(w, _FEW)),
    "calendar": lambda w: [{**found, "R": found["A"]} for found in _joined(_owned(w), _small(w, _FEW))],
    "calendar of others": lambda w: [
        {**found, "R": found["A"], "A": t} for found in _joined(_owned(w), _small(w, _FEW)) for t in _owned(w)
        if t is not found["A"]
    ],
    "same names": lambda w: [
        {"A": t, "P": p} for t, p in product(_owned(w), w.view.publics) if _names(t) & _names(p)
    ],
    "public rows": lambda w: [
        {"P": p, "mine": a.sql, "theirs": b.sql} for p in w.view.publics for a, b in joinable(w.scope, p.columns)
    ],
    "public value": lambda w: [
        {"P": p, "theirs": b.sql, "mine": a.sql} for p in w.view.publics for a, b in product(w.scope, p.columns)
        if a.kind == b.kind
    ],
}  # fmt: skip


def _owned(w: Writer) -> list[TableView]:
    return [t for t in w.view.privates if t.unit is not None]


def _small(w: Writer, most: int) -> list[TableView]:
    return [t for t in w.view.publics if t.size <= most]


def _names(table: TableView) -> set[str]:
    return {c.name for c in table.columns}


def _texts(table: TableView) -> int:
    return sum(c.kind == "text" for c in table.columns)


def _joined(privates: Iterable[TableView], publics: Iterable[TableView]) -> list[Bound]:
    """A private table, a public one that its rows can be joined to, and another column of that, where there is one."""
    return [
        {"A": t, "P": p, "mine": a.sql, "theirs": b.sql, "c": c.sql}
        for t, p in product(privates, publics) for a, b in joinable(t.columns, p.columns)
        for c in p.columns if c is not b or len(p.columns) == 1
    ]  # fmt: skip


def _ties(w: Writer) -> Iterator[Bound]:
    """Two tables and the columns that tie their rows to one unit: the unit's key, or those of a path to it."""
    for a, b in product(_owned(w), _owned(w)):
        yield {"A": a, "B": b, "mine": a.owner.sql, "theirs": b.owner.sql}
    for left in w.view.privates:
        if left.path is None:
            continue
        lead, target, name = left.path
        yield {"A": left, "B": left, "mine": lead.sql, "theirs": lead.sql}
        for right in (t for t in w.view.privates if t.name == target):
            key = next(c.sql for c in right.columns if c.name == name)
            yield {"A": left, "B": right, "mine": lead.sql, "theirs": key}
            yield {"A": right, "B": left, "mine": key, "theirs": lead.sql}
