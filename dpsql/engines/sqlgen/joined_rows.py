"""Bounding of rows that no single table owns alone, and of groups: they are counted for each unit, then cut.

Only what belongs to units above the cap is ordered: rows by a salted hash of every column in reach and then by the
columns themselves, groups by one of their keys and then by the keys. Both are total orders on content up to equal rows,
which are interchangeable.
"""

from __future__ import annotations

from dpsql.algebra.canonical import digest
from dpsql.algebra.expressions import TRUE
from dpsql.algebra.functions import emit
from dpsql.algebra.relations import every_scan
from dpsql.engines.sqlgen.aggregate import Side
from dpsql.engines.sqlgen.bounding import content_order, cut_to
from dpsql.engines.sqlgen.relation import FromWhere, Writer
from dpsql.engines.sqlgen.task import Task, flat
from dpsql.engines.sqlgen.unit_aggregates import UNIT, one_zero
from dpsql.plan.types import Sum, Term


def general_sides(task: Task) -> Side:
    """The rows to add up, every table under its own cap and the joined rows under the dataset's."""
    writer = Writer(task.base, task.catalog, task.read)
    source = writer.from_where(task.relation)
    owner = task.found.owner
    assert owner is not None
    unit = f"s{owner.index}.{UNIT}"
    if task.bounding.rows is None:
        return Side(source, writer.reference, unit)
    columns = [*task.in_reach, *task.used_marks]
    joined = ", ".join([f"{unit} AS {UNIT}", *(f"{writer.reference(c)} AS {flat(c)}" for c in columns)])
    names = ", ".join([UNIT, *(flat(c) for c in columns)])
    order = content_order([flat(c) for c in task.in_reach], _salt(task))
    kept = cut_to(task.bounding.rows, f"SELECT {joined} {source.sql}", names, order)
    return Side(FromWhere(f"FROM ({kept})", source.lists), flat, UNIT)


def units_of_groups(task: Task, side: Side) -> str:
    """SELECT k0, ..., g0, ...: for each term the units that are counted in a group, one pair of unit and group once.

    A pair is counted by a term if one of its rows passes the term's condition; which pairs are kept does not depend on
    the terms. By unit: the pairs themselves.
    """
    cap = task.bounding.groups
    assert cap is not None and task.bounding.rows is None and task.keys and task.bins is None
    keys = [f"k{i}" for i in range(len(task.keys))]
    written = [one_zero(k, emit(k, task.base, side.reference)) for k in task.keys]
    inner = [f"{side.unit} AS {UNIT}", *(f"{sql} AS {k}" for sql, k in zip(written, keys, strict=True))]
    inner += [f"{_passes(t, task, side)} AS v{i}" for i, t in enumerate(task.terms)]
    names, group = ", ".join([UNIT, *keys]), ", ".join(str(i + 1) for i in range(len(keys) + 1))
    counted = ", ".join(f"v{i}" for i in range(len(task.terms)))
    once = ", ".join(f"bool_or(v{i}) AS v{i}" for i in range(len(task.terms)))
    pairs = f"SELECT {names}, {once} FROM (SELECT {', '.join(inner)} {side.source.sql}) GROUP BY {group}"
    kept = cut_to(cap, pairs, f"{names}, {counted}", content_order(keys, _salt(task)))
    if task.by_unit:
        return f"SELECT {names}, 1 AS g0 FROM ({kept}) WHERE v0"
    sums = ", ".join(f"count(*) FILTER (WHERE v{i}) AS g{i}" for i in range(len(task.terms)))
    return f"SELECT {', '.join(keys)}, {sums} FROM ({kept}) GROUP BY {', '.join(keys)}"


def _passes(term: Term, task: Task, side: Side) -> str:
    assert term.sum is Sum.UNITS
    return "TRUE" if term.where == TRUE else emit(term.where, task.base, side.reference)


def _salt(task: Task) -> str:
    return digest(task.policy.digest, *(s.table for s in every_scan(task.relation)))[:16]
