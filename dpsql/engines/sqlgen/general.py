"""Bounding of rows that no single table owns alone: the joined rows are counted for each unit, then cut.

Only the rows of units above the cap are ordered. The order is by a salted hash of every column in reach and then by
the columns themselves: a total order on content up to equal rows, which are interchangeable.
"""

from __future__ import annotations

from dpsql.algebra.canonical import digest
from dpsql.algebra.relations import every_scan
from dpsql.engines.sqlgen.aggregate import Side
from dpsql.engines.sqlgen.bounding import content_order, cut_to
from dpsql.engines.sqlgen.relation import FromWhere, Writer
from dpsql.engines.sqlgen.task import Task, flat
from dpsql.engines.sqlgen.unit_aggregates import UNIT


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
    salt = digest(task.policy.digest, *(s.table for s in every_scan(task.relation)))[:16]
    order = content_order([flat(c) for c in task.in_reach], salt)
    kept = cut_to(task.bounding.rows, f"SELECT {joined} {source.sql}", names, order)
    return Side(FromWhere(f"FROM ({kept})", source.lists), flat, UNIT)
