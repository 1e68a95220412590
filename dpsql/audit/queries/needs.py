"""What productions need, by name, and what the holes of their texts are bound to.

A and B are private tables beside each other, S one with other rows of the unit, T one whose rows are released, and P a
public one; `mine` and `theirs` are columns that are compared, the latter without the alias of its table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations, product

from dpsql.audit.queries.schema_view import KINDS, ColumnView, TableView
from dpsql.audit.queries.scope import joinable
from dpsql.audit.queries.two_dialects import either
from dpsql.audit.queries.writer import Bound, Needs, Writer

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


def _if(condition: object) -> list[Bound]:
    return [{}] if condition else []


def _bound(name: str, refs: Iterable[ColumnView]) -> list[Bound]:
    return [{name: r.sql} for r in refs]


def _owned(w: Writer) -> list[TableView]:
    return [t for t in w.view.privates if t.unit is not None]


def _small(w: Writer, most: int) -> list[TableView]:
    return [t for t in w.view.publics if t.size <= most]


def _totals(w: Writer) -> list[str]:
    return [r.sql for r in w.scope if r.summable and r.total]


def _few(refs: Iterable[ColumnView]) -> list[ColumnView]:
    """Private columns with a list of values."""
    return [r for r in refs if r.private and (r.values or r.kind == "bool")]


def _cells(w: Writer) -> list[ColumnView]:
    """Columns of which a private choice can be told to be DuckDB's own, or need not be."""
    found = [r for r in w.scope if r.interval is not None and not r.public]
    return [r for r in found if not w.exact or r.kind == "float" or (r.kind == "int" and r.width <= _CELLS)]


def _released(w: Writer, refs: Iterable[ColumnView]) -> list[Bound]:
    """Columns that stand as they are in a private table."""
    return [
        {"T": t, "mine": r.sql, "theirs": c.sql}
        for r in refs for t in w.view.privates for c in t.columns if c == replace(r, sql=c.sql)
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


def _joined(w: Writer, publics: Iterable[TableView]) -> list[Bound]:
    """A private table, a public one that its rows can be joined to, and any other column of that."""
    pairs = (
        (t, p, *pair) for t in w.view.privates for p in publics for pair in joinable(t.columns, p.columns)
    )
    return [
        {"A": t, "P": p, "mine": a.sql, "theirs": b.sql, "c": c.sql, "kind": c.kind}
        for t, p, a, b in pairs for c in p.columns if c is not b or len(p.columns) == 1
    ]  # fmt: skip


def _calendars(w: Writer) -> list[Bound]:
    return [
        {"R": t, "P": p, "table": t.sql, "key": t.owner.sql, "mine": a.sql, "theirs": b.sql}
        for t in _owned(w) for p in _small(w, _FEW) for a, b in joinable(t.columns, p.columns)
    ]  # fmt: skip


NEEDS: Mapping[str, Needs] = {
    # Answers that can be compared with DuckDB's, and those that cannot.
    "exact": lambda w: _if(w.exact),
    "loose": lambda w: _if(not w.exact),
    # Predicates with smaller ones in them, and those in their place.
    "deep": lambda w: _if(w.depth > 0),
    "shallow": lambda w: _if(w.depth <= 0),
    # Columns in scope.
    "flag": lambda w: _if(w.columns("bool")),
    "no flag": lambda w: _if(not w.columns("bool")),
    "unit": lambda w: [{"unit": sql} for sql in w.columns("unit")],
    # A bare name is that of the inner row: then everybody's rows are aggregated, and the greatest is released.
    "unit with a table": lambda w: [{"unit": sql} for sql in w.columns("unit") if not w.exact or "." in sql],
    "my int": lambda w: [{"mine": sql} for sql in w.columns("int")],
    "my text": lambda w: [{"mine": sql} for sql in w.columns("text")],
    "my bool": lambda w: [{"mine": sql} for sql in w.columns("bool")],
    "column": lambda w: _bound("c", (r for r in w.scope if r.kind in KINDS.values())),
    "listed": lambda w: _typed(r for r in w.scope if r.kind in ("text", "bool", "int") and not _wide(r)),
    # Hardly another unit has the same value.
    "unlisted": lambda w: _typed(r for r in w.scope if r.kind in ("float", "date", "ts", "unit", "key")),
    "wide integer": lambda w: [{"c": r.sql, "size": str(max(r.width // 7, 2))} for r in w.scope if _wide(r)],
    "boundless integer": lambda w: _bound("c", (r for r in w.scope if r.kind == "int" and r.interval is None)),
    "bounded double": lambda w: [
        {"c": r.sql, "size": str(max(r.width // 5, 1))} for r in w.scope if r.kind == "float" and r.interval
    ],
    "narrow double": lambda w: _bound("c", (r for r in w.scope if r.kind == "float" and 0 < r.width <= _NARROW)),
    "moment": lambda w: _typed(_moments(w)),
    "calendar unit": lambda w: [{"c": r.sql, "unit": unit} for r in _moments(w) for unit in _units(r)],
    "bounded moment": lambda w: [
        {"c": r.sql, "kind": r.kind, "days": str(max(_length(r) // _DAY // 9, 1))} for r in _moments(w) if r.interval
    ],
    "few values": lambda w: _bound("c", _few(w.scope)),
    "summable": lambda w: _bound("s", (r for r in w.scope if r.summable)),
    "total": lambda w: [{"a": sql} for sql in _totals(w)],
    "part": lambda w: _bound("c", (r for r in w.scope if r.partition)),
    "cells": lambda w: _bound("c", _cells(w)),
    "cells of doubles": lambda w: _bound("c", (r for r in _cells(w) if not w.exact or r.kind == "float")),
    "cells of text": lambda w: _bound("c", (r for r in _few(w.scope) if r.kind == "text")),
    "no cells": lambda w: _if(not _cells(w) and not _few(w.scope)),
    "small pair": lambda w: [{"a": a.sql, "b": b.sql} for a in w.scope for b in w.scope if _is_small(a) and _is_small(b)],
    # A list of two values, as other databases have it: where one is NULL it counts for nothing.
    "pair of few": lambda w: [
        {"c": either(f"{a.sql}, {b.sql}", f"CASE WHEN {a.sql} IS NOT NULL AND {b.sql} IS NOT NULL THEN ({a.sql}, {b.sql}) END")}
        for a, b in permutations([r for r in w.scope if r.kind in ("int", "text", "bool")], 2)
    ],
    # Two columns with unit totals, and what one is multiplied with.
    "under a total": lambda w: [
        {"a": a, "b": b, "f": f} for a in _totals(w) for b in _totals(w)
        for f in ("0.3", "-2", "1.75", "(1 - 0.125)", w.one(*(r.sql for r in w.scope if r.summable)))
    ],
    "public text": lambda w: [
        {"x": x.sql, "c": c.sql} for c in w.scope if c.public and c.kind == "text" for x in w.scope
        if x.kind == "text" and x.private
    ],
    # Columns in scope whose tables another release or the public side has.
    "released": lambda w: _released(w, _few(w.scope)),
    "released number": lambda w: _released(w, (r for r in w.scope if r.summable)),
    "released moment": lambda w: _released(w, (r for r in w.scope if r.kind in ("date", "ts") and r.interval)),
    "public rows": lambda w: [
        {"P": p, "mine": a.sql, "theirs": b.sql} for p in w.view.publics for a, b in joinable(w.scope, p.columns)
    ],
    "public value": lambda w: [
        {"P": p, "c": c.sql, "mine": r.sql} for p in w.view.publics for c in p.columns for r in w.scope if r.kind == c.kind
    ],
    # Tables.
    "other": lambda w: [{"S": t} for t in _owned(w)],
    "own": lambda w: [{"own": t, "table": t.sql} for t in _owned(w)],
    "private": lambda w: [{"own": t, "table": t.sql} for t in w.view.privates],
    "owned": lambda w: [{"A": t, "table": t.sql, "key": t.owner.sql} for t in _owned(w)],
    "owned keyed": lambda w: [
        {"A": t, "table": t.sql, "key": t.owner.sql, "c": c.sql, "kind": c.kind}
        for t in _owned(w) for c in t.columns if c.kind in ("text", "int", "bool")
    ],
    "two": lambda w: [{"A": a, "B": b} for a in _owned(w) for b in _owned(w)],
    "same key": lambda w: [
        {"A": a, "B": b, "key": a.owner.sql} for a in _owned(w) for b in _owned(w) if a.owner.sql == b.owner.sql
    ],
    "tie": lambda w: list(_ties(w)),
    "three": lambda w: [
        {**t, "C": u["B"], "ours": u["mine"], "last": u["theirs"]} for t in _ties(w) for u in _ties(w) if u["A"] is t["A"]
    ],
    "public": lambda w: _if(w.view.publics),
    "small public": lambda w: _if(_small(w, SMALL_TABLE)),
    "beside public": lambda w: [{"A": t, "P": p} for t in w.view.privates for p in _small(w, _FEW)],
    "beside texts": lambda w: [
        {"A": t, "P": p} for t in w.view.privates for p in _small(w, _FEW)
        if _texts(p) >= _MANY_TEXTS and _texts(t)
    ],
    "beside column": lambda w: [
        {"A": t, "P": p, "mine": m.sql, "theirs": c.sql}
        for t in w.view.privates for p in _small(w, _FEW) for m in t.rows for c in p.columns if m.kind == c.kind
    ],
    "joinable": lambda w: _joined(w, w.view.publics),
    "joinable owned": lambda w: [found for found in _joined(w, w.view.publics) if found["A"] in _owned(w)],
    "joinable few": lambda w: _joined(w, _small(w, _FEW)),
    "same names": lambda w: [
        {"A": t, "P": p} for t in _owned(w) for p in w.view.publics if {c.name for c in t.columns} & {c.name for c in p.columns}
    ],
    "calendar": _calendars,
    "calendar of others": lambda w: [{**c, "A": t} for c in _calendars(w) for t in _owned(w) if t is not c["R"]],
    "own values": lambda w: [
        {"own": t, "mine": r.sql, "table": t.sql} for t in w.view.privates for r in _few(t.columns)
    ],
    "local": lambda w: [{"table": w.view.local.sql}] if w.view.local is not None else [],
}  # fmt: skip


def _typed(refs: Iterable[ColumnView]) -> list[Bound]:
    return [{"c": r.sql, "kind": r.kind} for r in refs]


def _wide(ref: ColumnView) -> bool:
    """Whether a column of numbers has a range without a list of values that has too many for groups."""
    return ref.kind == "int" and ref.interval is not None and not ref.values and ref.width > _WIDE


def _moments(w: Writer) -> list[ColumnView]:
    return [r for r in w.scope if r.kind in ("date", "ts")]


def _length(ref: ColumnView) -> int:
    """The microseconds of a range."""
    return ref.width * (_DAY if ref.kind == "date" else 1)


def _units(ref: ColumnView) -> list[str]:
    """The units of which a range has some and not many."""
    units = [
        u for u, size in _UNITS if 1 <= _length(ref) // size <= 70 and (ref.kind == "ts" or size >= _DAY)
    ]
    return units or ["month"]


def _texts(table: TableView) -> int:
    return sum(c.kind == "text" for c in table.columns)


def _is_small(ref: ColumnView) -> bool:
    """Whether the squares of a column's values are exact and few."""
    return ref.kind == "int" and ref.summable and ref.width < _SMALL_RANGE
