"""Cases of the gate: statements in files, separated by blank lines, and DuckDB's own parser to ask."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import duckdb

CASES = Path(__file__).parents[1] / "cases" / "gate"
EXPECTED = "-- refused: "


@dataclass(frozen=True)
class Case:
    """A statement and, where it is refused, how: `place: reason | hint`."""

    sql: str
    refused: str | None


def read_cases(name: str) -> tuple[Case, ...]:
    """The cases of a file, in order; a block of nothing but a plain comment is a heading."""
    blocks = (CASES / name).read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(case for block in blocks if (case := _case(block)) is not None)


def _case(block: str) -> Case | None:
    first, _, rest = block.partition("\n")
    if first.startswith(EXPECTED):
        return Case(rest, first.removeprefix(EXPECTED))
    return None if block.startswith("--") and not rest else Case(block, None)


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
