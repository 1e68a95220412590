"""How far off counts, sums and averages of each column are, before anybody asks: by plans alone, from the policy."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Iterator
from pathlib import Path

from dpsql.algebra.scan import quoted
from dpsql.dbapi import Connection, connect
from dpsql.errors import QueryRefused, Warning
from dpsql.interfaces.cli.answer_formats import Sheet
from dpsql.policy.model import Column, ColumnType, Policy, Table
from dpsql.privacy import FREE
from dpsql.release.types import Released
from dpsql.slotted import dataclass

_NAMES = ("table", "column", "COUNT", "SUM", "AVG of n values")
_NUMBERS = (ColumnType.INTEGER, ColumnType.FLOAT)
_OF_N = " for a group of n values"


@dataclass(frozen=True, slots=True)
class ColumnErrors:
    """The errors of each column, and at which epsilon and in whose name they were planned."""

    sheet: Sheet
    epsilon: str
    analyst: str


def column_errors(policy: Policy) -> ColumnErrors:
    """The 95 % error of each question about a whole table, at the per_query of an analyst who may ask.

    It is planned against a ledger of its own, which is thrown away. Raises what opening a connection raises.
    """
    who = policy.somebody
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", Warning)
        with connect(policy.path, analyst=who, ledger=Path(folder) / "ledger") as connection:
            private = (t for t in policy.tables if not t.public)
            rows = tuple(row for table in private for row in _of_table(table, connection))
    budget = policy.budget(who)
    epsilon = f"{float(budget.per_query.epsilon):g}" if budget is not None else "none"
    named = "the default's" if policy.default_of_unknown is not None else f"{who}'s"
    return ColumnErrors(Sheet(_NAMES, ("VARCHAR",) * len(_NAMES), rows, Released(FREE)), epsilon, named)


def _of_table(table: Table, connection: Connection) -> Iterator[tuple[str, ...]]:
    source = ".".join(map(quoted, table.name.split(".")))
    yield table.name, "*", _error("COUNT(*)", source, connection), "", ""
    for column in table.columns:
        if not column.hidden:
            name = quoted(column.name)
            sums = (_of_sum(f"{which}({name})", column, source, connection) for which in ("SUM", "AVG"))
            yield table.name, column.name, _error(f"COUNT({name})", source, connection), *sums


def _of_sum(asked: str, column: Column, source: str, connection: Connection) -> str:
    if column.type not in _NUMBERS:
        return ""
    bounded = column.lower is not None or column.is_listed
    return _error(asked, source, connection) if bounded else "no bounds"


def _error(asked: str, source: str, connection: Connection) -> str:
    """What the plan says of the answer; why there is none, where it is refused."""
    try:
        (told,) = connection.explain(f"SELECT {asked} FROM {source}").columns
    except QueryRefused as refusal:
        return f"refused: {refusal.reason}"
    return str(told).removeprefix("about ").removesuffix(_OF_N)
