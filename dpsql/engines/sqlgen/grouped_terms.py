"""The terms of a task by its keys as one engine query: the sides of its bounding added up, and groups checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from dpsql.algebra.expressions import parameters_of
from dpsql.algebra.relations import Scan, every_released, marks, sources
from dpsql.algebra.shape import table_of
from dpsql.engines.base import EngineQuery, UnitSets
from dpsql.engines.sqlgen.aggregate import Side, aggregated, counted_beyond, summed_behind
from dpsql.engines.sqlgen.bounding import Ranked
from dpsql.engines.sqlgen.joined_rows import general_sides, units_of_groups
from dpsql.engines.sqlgen.relation import FromWhere, written_around
from dpsql.engines.sqlgen.single import SingleOwner
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.engines.sqlgen.unit_sets import ends_of_units
from dpsql.plan.types import Sum

_BITS = 62
_COUNTS = frozenset({Sum.ROWS, Sum.VALUES, Sum.DISTINCT, Sum.UNITS})
Texts = tuple[str, str, str]
"""The SQL of a query, and what is shorter where no unit is too big to be listed whole, or none is listed, if any."""


def grouped_terms(task: Task) -> EngineQuery:
    """The terms by keys; where the relation has several sources also as it may be asked where no unit is listed.

    Of one source the rows of listed units are few to read, or none.
    """
    whole, joined = _by_sets(task), len(list(sources(task.relation))) > 1 or any(marks(task.relation))
    owner = task.found.owner
    if task.has_parts and isinstance(owner, Scan) and (counted := SingleOwner(task, owner).table.counted):
        return replace(whole, in_parts=_written(replace(task, in_parts=True)).sql, counted=counted)
    listed = [units for units in whole.lists if not units.lasting]
    if not joined or not listed or any(isinstance(units, Ranked) for units in listed):
        return whole
    return replace(whole, without_units=_written(replace(task, listed=False)).sql)


def _by_sets(task: Task) -> EngineQuery:
    """The terms by keys, also as they may be asked where units lie close together."""
    whole, owner, sets = _written(task), task.found.owner, task.sets_of_units
    if not sets or not isinstance(owner, Scan):
        return whole
    ends = ends_of_units(table_of(owner, task.catalog), task.catalog.tables)
    if ends is None:
        return whole
    sql = _written(replace(task, ends=ends)).sql
    return replace(whole, by_sets=UnitSets(sql, ends.query, ends.variables, sets))


def _written(task: Task) -> EngineQuery:
    simple = isinstance(task.found.owner, Scan) and task.found.fan_out is not None
    single = SingleOwner(task, task.found.owner) if simple and isinstance(task.found.owner, Scan) else None
    kept, dropped = single.sides() if single is not None else ((general_sides(task),), ())
    if task.in_parts:
        kept = tuple(part for side in kept for part in side.parts())
    every = (*kept, *dropped)
    lists = tuple(x for side in every for x in side.source.lists)
    sums_of = _Sums(task)
    sides = [*(sums_of.all(side) for side in kept), *(sums_of.negated(side) for side in dropped)]
    usual = [sql for sql, side in zip(sides, every, strict=True) if not side.big]
    own = range(min(len(task.keys), task.every_key))
    keys = [single.checked(i) if single is not None else f"k{i}" for i in own]
    keys += [f"k{i}" for i in range(len(own), task.every_key)]
    unchecked = {i for i, key in enumerate(keys) if key != f"k{i}"}
    # Values outside a column's list are one group, that of NULL, unless that is left out.
    merged = len(sides) > 1 or (bool(unchecked) and not (task.terms and unchecked <= set(task.present)))
    outer = [key if key == f"k{i}" else f"{key} AS k{i}" for i, key in enumerate(keys)]
    outer = [UNIT, *outer] if task.by_unit else outer
    grouped = len(outer)
    sums = [f"sum(g{i})" if merged else f"g{i}" for i in range(len(task.terms))]
    outer += _sums_as_columns(task, sums)
    group = f" GROUP BY {', '.join(str(i + 1) for i in range(grouped))}" if merged and grouped else ""
    present = " AND ".join(f"{keys[i]} IS NOT NULL" for i in task.present)
    where = f" WHERE {present}" if present else ""
    if present and unchecked:
        # As a condition on keys alone it would be asked of every row at the scan. An integer is never NULL.
        always, having = ("count(*) > 0", "HAVING") if merged else ("g0 IS NOT NULL", "WHERE")
        where, group = "", f"{group} {having} CASE WHEN {always} THEN {present} END"
    whole = (task.by_unit or task.inner) and not (merged or unchecked or where)  # what a side selects
    sql, without_big = (
        chosen[0] if whole else f"SELECT {', '.join(outer)} FROM ({' UNION ALL '.join(chosen)}){where}{group}"
        for chosen in (sides, usual or sides)
    )
    read = {h for e in (*task.keys, *task.rows) for h in parameters_of(e)}
    parameters = tuple(sorted(read, key=lambda h: h.name))
    tables = tuple(dict.fromkeys(every_released(task.relation)))
    return EngineQuery(
        *(sql, task.every_key, len(task.terms), tuple(dict.fromkeys(lists)), parameters, tables),
        without_big=without_big if len(usual) < len(sides) else "",
    )


def texts_of(query: EngineQuery) -> Texts:
    """The ways in which a query is written."""
    return query.sql, query.without_big, query.without_units


def with_texts(query: EngineQuery, texts: Texts, write: Callable[[str], str]) -> EngineQuery:
    """The query that reads rows which are written in those ways."""
    sql, without_big, without_units = (write(text) if text else "" for text in texts)
    return replace(query, sql=sql, without_big=without_big, without_units=without_units)


class _Sums:
    """The sums of the sides of a task; those that differ in their rows alone are written once."""

    __slots__ = ("_sums", "_task")

    def __init__(self, task: Task) -> None:
        self._task = task
        self._sums: dict[Side, Callable[[str], str]] = {}

    def all(self, side: Side) -> str:
        """SELECT k0, ..., g0, ... of the rows of a side."""
        if side not in self._sums:
            self._sums[side] = written_around(
                lambda rows: self._of(replace(side, source=FromWhere(rows.sql, ())))
            )
        return self._sums[side](side.source.sql)

    def negated(self, side: Side) -> str:
        """The same integers with the other sign: they are taken off."""
        task = self._task
        columns = [*([UNIT] if task.by_unit else []), *(f"k{i}" for i in range(task.every_key))]
        negated = ", ".join([*columns, *(f"-g{i}" for i in range(len(task.terms)))])
        return f"SELECT {negated} FROM ({self.all(side)})"

    def _of(self, side: Side) -> str:
        task = self._task
        if task.bounding.groups is not None:
            return units_of_groups(task, side)
        if side.beyond is not None:
            return counted_beyond(len(task.terms), side)
        if side.behind is not None:
            return summed_behind(task.terms, task.base, side)
        return aggregated(
            *(task.keys, task.terms, task.base, side, task.bounding.totals, task.bins, task.by_unit),
            only=task.only,
            over_keys=task.over_keys,
            once=task.once,
            ends=task.ends,
        )


def _sums_as_columns(task: Task, sums: Sequence[str]) -> list[str]:
    """One column for each sum where SQL reads them, where groups are few, or where sums are small.

    Numbers of rows are: there are fewer than 2^63, on each side of a difference.
    """
    if task.by_unit or task.inner or task.few_groups:
        return [value if value == f"g{i}" else f"{value} AS g{i}" for i, value in enumerate(sums)]
    if all(t.sum in _COUNTS for t in task.terms):
        return [f"CAST({value} AS BIGINT) AS g{i}" for i, value in enumerate(sums)]
    return [half for i, value in enumerate(sums) for half in halves(value, i)]


def halves(value: str, index: int) -> Iterator[str]:
    """A sum as two BIGINT columns: of many rows HUGEINT takes three times as long on its way into Python."""
    value = f"CAST({value} AS HUGEINT)"
    yield f"CAST({value} >> {_BITS} AS BIGINT) AS h{index}"
    yield f"CAST({value} & {2**_BITS - 1}::HUGEINT AS BIGINT) AS l{index}"
