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
from dpsql.policy.model import Policy, Table
from dpsql.privacy import FREE
from dpsql.release.types import Released

_ASKED = ("COUNT", "SUM", "AVG")


def column_errors(policy: Policy) -> Sheet:
    """The 95 % error of each question about a whole table, at the per_query of an analyst whom the policy names.

    It is planned against a ledger of its own, which is thrown away. Raises what opening a connection raises.
    """
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", Warning)
        with connect(policy.path, analyst=policy.somebody, ledger=Path(folder) / "ledger") as connection:
            private = (t for t in policy.tables if not t.public)
            rows = tuple(row for table in private for row in _of_table(table, connection))
    budget = policy.budget(policy.somebody)
    at = f"95 % error at epsilon {float(budget.per_query.epsilon):g}" if budget is not None else "95 % error"
    names = ("table", "column", *(f"{name}: {at}" if name == _ASKED[0] else name for name in _ASKED))
    return Sheet(names, ("VARCHAR",) * len(names), rows, Released(FREE))


def _of_table(table: Table, connection: Connection) -> Iterator[tuple[str, ...]]:
    source = ".".join(map(quoted, table.name.split(".")))
    yield table.name, "*", _error("COUNT(*)", source, connection), "", ""
    for column in table.columns:
        if not column.hidden:
            asked = (f"{name}({quoted(column.name)})" for name in _ASKED)
            yield table.name, column.name, *(_error(one, source, connection) for one in asked)


def _error(asked: str, source: str, connection: Connection) -> str:
    """What the plan says of the answer; why there is none, where it is refused."""
    try:
        (told,) = connection.explain(f"SELECT {asked} FROM {source}").columns
    except QueryRefused as refusal:
        return f"refused: {refusal.reason}"
    return str(told)
