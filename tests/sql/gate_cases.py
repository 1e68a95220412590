"""Cases of the gate: statements in files, separated by blank lines, and DuckDB's own parser to ask.

A line `-- refused: how` above a statement says that it is refused; `-- refused before 30.8: how` says it of
versions of sqlglot before that one only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot

from dpsql.sql.parse.gate import Admitted

CASES = Path(__file__).parents[1] / "cases" / "gate"
EXPECTED = re.compile(r"-- refused(?: before ([\d.]+))?: (.*)\n")


def sqlglot_before(version: str) -> bool:
    """Whether the installed sqlglot is older than a version such as "30" or "30.8"."""
    return numbers(sqlglot.__version__) < numbers(version)


def numbers(version: str) -> list[int]:
    """The numbers of a version, to compare."""
    return [int(number) for number in version.split(".")]


@dataclass(frozen=True)
class Case:
    """A statement and, where it is refused, how: `place: reason | hint`."""

    sql: str
    refused: str | None


def read_cases(name: str) -> tuple[Case, ...]:
    """The cases of a file, in order; a block of nothing but a plain comment is a heading."""
    blocks = (CASES / name).read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(case for block in blocks if (case := _case(block)) is not None)


def told(admitted: Admitted) -> str:
    """What DuckDB is told of a query, with the schemas of system tables under their own names."""
    return re.sub(
        r'"dpsql_(own|information_schema)"', lambda m: m[1].replace("own", "dpsql"), admitted.described
    )


def _case(block: str) -> Case | None:
    refused, sql = None, block
    while (line := EXPECTED.match(sql)) is not None:
        since, how = line.groups()
        refused = how if since is None or sqlglot_before(since) else refused
        sql = sql[line.end() :]
    is_heading = sql == block and block.startswith("--") and "\n" not in block
    return None if is_heading else Case(sql, refused)


class DuckDBStatements:
    """The gate's second opinion, straight from DuckDB."""

    def __init__(self) -> None:
        self._con = duckdb.connect()

    def select_statements(self, text: str) -> int:
        """How many statements the text is, all of them SELECT."""
        try:
            found = self._con.extract_statements(text)
        except duckdb.Error as error:
            raise ValueError("not a statement") from error
        if any(s.type != duckdb.StatementType.SELECT for s in found):
            raise ValueError("not a SELECT")
        return len(found)
