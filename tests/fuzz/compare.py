"""Whether an answer without noise is what DuckDB says to the same query."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import numpy as np
from samplers import StandIn

from dpsql.algebra.question import Aggregate
from dpsql.algebra.relations import every_scan
from dpsql.algebra.types import SqlType
from dpsql.audit.queries.generated_query import Query
from dpsql.plan.choices.bins import starts
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums
from dpsql.plan.types import Estimator, Plan, Ranks, Release, Scores
from fuzz.typed import TABLES
from fuzz.worlds import PUBLIC_TABLES

Row = tuple[object, ...]
Rows = tuple[Row, ...]
_RELATIVE = 1e-9
# A row of `t` meets at most this many rows of the public tables.
_FAN_OUT = 12
# A unit has about so many rows of another private table.
_OF_A_UNIT = 12
_PUBLIC = frozenset((*PUBLIC_TABLES, *TABLES))


class NoNoise(StandIn):
    """Adds nothing, keeps every group and chooses the best one."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        return values

    def kept(self, groups: np.ndarray) -> np.ndarray:
        return np.ones(len(groups), dtype=bool)

    def best(self, scores: np.ndarray) -> int:
        return max(range(len(scores)), key=lambda i: int(scores[i]))


def tolerance(plan: Plan, rows: int) -> float:
    """How far a double may be from DuckDB's: what rounding every value to the grid can do, and no more."""
    estimators = [(e, rows * _multiplied(r)) for r in plan.releases for e in r.estimators]
    near = max((_of_cells(p) for r in plan.releases for p in r.parts if isinstance(p, Ranks)), default=0.0)
    scored = [p.term.grid for r in plan.releases for p in r.parts if isinstance(p, Scores)]
    return (
        near
        + sum((_of_estimator(e, joined) for e, joined in estimators), 0.0)
        + sum(float(g.step) * rows * _FAN_OUT for g in scored if g is not None and g.step != 1)
    )


def _multiplied(release: Release) -> int:
    """How many times as many rows a release can have as its tables."""
    private = sum(s.table not in _PUBLIC for s in every_scan(release.question.relation))
    return _FAN_OUT * _OF_A_UNIT ** max(0, private - 1)


def whole_tolerance(plan: Plan, rows: int) -> float:
    """How far a sum of integers may be from DuckDB's: nothing, but where the squares of a wide column share its grid.

    A step is at most the range divided by 2**29, and so is what it does to a row: far below what noise does to a sum.
    """
    wide = [
        e for r in plan.releases for e in r.estimators if e.measure.aggregate is Aggregate.SUM and e.step > 1
    ]
    found = sum((float(e.step) * rows * _FAN_OUT for e in wide if e.high - e.low >= 2**29), 0.0)
    return found + sum((_of_levels(r, rows) for r in plan.releases), 0.0)


def _of_levels(release: Release, rows: int) -> float:
    """Levels are reconciled in doubles, which are far finer than the noise of any sum."""
    if not any(isinstance(p, GroupingSetSums) for p in release.parts):
        return 0.0
    widest = max((float((e.high - e.low) * e.step) for e in release.estimators), default=0.0)
    return float(int(widest * rows * _FAN_OUT * 2**-50))


def _of_cells(part: Ranks) -> float:
    """A double may be anywhere in its cell; an integer of these columns has a cell of its own."""
    if part.bins.grid.arg.type is not SqlType.DOUBLE:
        return 0.0
    return float(np.diff(starts(part.bins)).max() * part.bins.grid.step)


def _of_estimator(e: Estimator, rows: int) -> float:
    arg = e.measure.arg
    if e.measure.sql_type != "DOUBLE" or arg is None:
        return 0.0
    step, width = float(e.step), float((e.high - e.low) * e.step)
    rounding = 0.0 if arg.type is SqlType.INTEGER and e.step == 1 else step
    if e.measure.aggregate is Aggregate.SUM:
        return rounding * rows
    if e.second is not None or e.measure.aggregate is Aggregate.DEVIATIONS:
        return 1e-6  # drawn from small integers only, which stand on the grid
    if e.measure.aggregate in (Aggregate.VAR_POP, Aggregate.VAR_SAMP):
        return 2 * rounding * width + 1e-13 * width * width
    return rounding + 1e-7 * width


@dataclass(frozen=True, slots=True)
class Expected:
    """DuckDB's answer: rows, and the names and types of its columns."""

    rows: Rows
    columns: tuple[tuple[str, str], ...]


def difference(query: Query, rows: Rows, expected: Expected, near: float, whole: float = 0) -> str | None:
    """What is wrong with the rows, or None; doubles may differ by `near`, and integers by `whole`."""
    if query.score is not None:
        return _choice(query, rows, expected.rows, near)
    if query.columns is not None:
        rows, wrong = _without_empty(query.columns, rows, expected.rows)
        if wrong is not None:
            return wrong
    ordered = query.ordered
    if len(rows) != len(expected.rows):
        return f"{len(rows)} rows, DuckDB has {len(expected.rows)}"
    keys = [i for i, role in enumerate(query.columns or ()) if role == "key"]
    a, b = (rows, expected.rows) if ordered else (_sorted(rows, keys), _sorted(expected.rows, keys))
    for x, y in zip(a, b, strict=True):
        if len(x) != len(y) or not all(same(v, w, near, whole) for v, w in zip(x, y, strict=True)):
            return f"{x} is not {y}"
    return None


def same(a: object, b: object, near: float, whole: float = 0) -> bool:
    """Equal values of one Python type; doubles, and the sums of wide integers, within what the grid does to them.

    In the place of a value that DuckDB may choose otherwise there are all values: {"most": [...]} where it is one of
    the most frequent, {"among": [...]} where it is any of them.
    """
    if isinstance(b, dict):
        return _chosen(a, b, near)
    if isinstance(
        a, list
    ):  # a list of quantiles over no values, which DuckDB says is NULL, is a list of NULLs
        if b is None:
            return all(v is None for v in a)
        return (
            isinstance(b, list)
            and len(a) == len(b)
            and all(same(x, y, near, whole) for x, y in zip(a, b, strict=True))
        )
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or abs(a - b) <= near + _RELATIVE * max(abs(a), abs(b))
    if isinstance(a, Decimal) and isinstance(
        b, Decimal
    ):  # of a sum on the grid, shown with the digits of DuckDB's
        return abs(a - b) <= Decimal(near)
    if type(a) is int and type(b) is int:
        return abs(a - b) <= whole
    return type(a) is type(b) and a == b


def _chosen(value: object, every: dict[str, list[object] | None], near: float) -> bool:
    """Whether a value is one of the most frequent, or near any of them; NULL where there is none."""
    ((how, values),) = every.items()
    known = [v for v in values or () if v is not None]
    if value is None or not known:
        return value is None and not known
    if how == "most":
        return known.count(value) == max(map(known.count, known))
    return any(same(value, v, near) for v in known)


def _sorted(rows: Rows, keys: list[int]) -> Rows:
    """Rows in the order of their keys, or in one on exact columns first, so that doubles near each other cannot swap
    rows."""
    order: list[tuple[Row, Row]] = [(tuple(r[i] for i in keys) if keys else r, r) for r in rows]
    return tuple(r for _, r in sorted(order, key=lambda pair: _places(pair[0])))


def _places(row: Row) -> tuple[list[tuple[str, object]], list[tuple[str, object]]]:
    exact = [_place(v) for v in row if not isinstance(v, float)]
    return exact, [_place(v if isinstance(v, float) else None) for v in row]


def _place(value: object) -> tuple[str, object]:
    if isinstance(value, float):
        return "float", math.inf if math.isnan(value) else round(value, 3)  # else nothing is less than it
    if isinstance(value, datetime | date):
        return "date", value.isoformat()
    return type(value).__name__, "" if value is None else value


def _without_empty(roles: tuple[str, ...], rows: Rows, expected: Rows) -> tuple[Rows, str | None]:
    """The rows without groups that DuckDB does not have, whose measures must all say that nothing is there.

    The least key of a group is its key, also where it has no rows.
    """
    keys = [i for i, role in enumerate(roles) if role == "key"]
    if not keys:
        return rows, None
    known = {_key(r, keys) for r in expected}
    kept, seen = [], set()
    for row in rows:
        key = _key(row, keys)
        if key in seen:
            return rows, f"the group {key} occurs twice"
        seen.add(key)
        if key in known:
            kept.append(row)
        elif not all(v in key or _nothing(v, role) for v, role in zip(row, roles, strict=True)):
            return rows, f"DuckDB has no group {key}, and {row} is not empty"
    return tuple(kept), None


def _key(row: Row, at: list[int]) -> Row:
    """The key of a row; NaN is one key, and is not equal to itself."""
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in (row[i] for i in at))


def _nothing(value: object, role: str) -> bool:
    if role == "bool":
        return isinstance(value, bool)
    if isinstance(value, list):
        return all(v is None for v in value)
    return role == "key" or (value is None if role == "null" else value == 0)


def _number(value: object) -> float:
    assert value is None or isinstance(value, int | float | Decimal)
    return 0 if value is None else float(value)


def _choice(query: Query, rows: Rows, expected: Rows, near: float) -> str | None:
    """The chosen groups have the best scores; one without rows has 0, or is no candidate where keys are private."""
    scores = {r[0]: _number(r[1]) for r in expected}
    best = sorted(scores.values(), reverse=query.descending)[: query.most]
    if not len(best) <= len(rows) <= query.most:
        return f"{len(rows)} groups were chosen, DuckDB has {len(best)}"
    chosen = sorted((scores.get(r[0], 0) for r in rows), reverse=query.descending)
    near += _RELATIVE * max(map(abs, best), default=0)
    for score, wanted in zip(chosen, best, strict=False):
        if not (score >= wanted - near if query.descending else score <= wanted + near):
            return f"{rows} score {chosen}, the best are {best}"
    shown = next((r for r in rows if len(r) > 1 and abs(_number(r[1]) - scores.get(r[0], 0)) > near), None)
    return None if shown is None else f"{shown} has the score {scores.get(shown[0], 0)}"
