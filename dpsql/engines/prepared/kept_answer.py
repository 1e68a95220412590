"""What a query finds, kept beside prepared tables: the same statement over the same rows is read there."""

from __future__ import annotations

from dpsql.algebra.canonical import digest
from dpsql.engines.base import UnitList
from dpsql.engines.sqlgen.bounding import units_table
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class KeptAnswer(UnitList):
    """The table of what a statement finds; `read` is what to ask in its place."""

    read: str = ""


def kept_answer(sql: str) -> KeptAnswer:
    """The table of what a statement finds, under a name that stands for the statement."""
    name = digest("answer", sql)[:24]
    table = units_table(name)
    made = (f"CREATE OR REPLACE TABLE {table} AS {sql}",)
    return KeptAnswer(name, made, (f"DROP TABLE IF EXISTS {table}",), read=f"FROM {table}")
