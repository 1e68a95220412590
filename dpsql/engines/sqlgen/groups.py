"""Bounding of groups as SQL: how many units each group has, where a unit is counted in few of its groups.

Which groups of a unit are kept is decided by their keys alone, in the order of a salted hash and then of the keys: a
total order on content. Only the groups of units that touch more are ever ordered.
"""

from __future__ import annotations

from dpsql.algebra.canonical import digest
from dpsql.algebra.expressions import TRUE
from dpsql.algebra.functions import emit
from dpsql.algebra.relations import every_scan
from dpsql.engines.sqlgen.aggregate import Side
from dpsql.engines.sqlgen.bounding import content_order, cut_to
from dpsql.engines.sqlgen.task import Task
from dpsql.engines.sqlgen.unit_aggregates import UNIT, one_zero
from dpsql.plan.types import Sum, Term


def units_of_groups(task: Task, side: Side) -> str:
    """SELECT k0, ..., g0, ...: for each term the units that are counted in a group, one pair of unit and group once.

    A pair is counted by a term if one of its rows passes the term's condition; which pairs are kept does not depend on
    the terms.
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
    salt = digest(task.policy.digest, *(s.table for s in every_scan(task.relation)))[:16]
    pairs = f"SELECT {names}, {once} FROM (SELECT {', '.join(inner)} {side.source.sql}) GROUP BY {group}"
    kept = cut_to(cap, pairs, f"{names}, {counted}", content_order(keys, salt))
    sums = ", ".join(f"count(*) FILTER (WHERE v{i}) AS g{i}" for i in range(len(task.terms)))
    return f"SELECT {', '.join(keys)}, {sums} FROM ({kept}) GROUP BY {', '.join(keys)}"


def _passes(term: Term, task: Task, side: Side) -> str:
    assert term.sum is Sum.UNITS
    return "TRUE" if term.where == TRUE else emit(term.where, task.base, side.reference)
