"""Cases of tests/cases/attacks: hostile and awkward queries, each with what an analyst may see of it.

Blocks are set off by blank lines. A block of comments alone is a heading; `-- policy: listed` in the first says under
which policy. Every other block is a query and, below it, `-- refused: place: reason` (the hint is not compared; `...`
stands for any rest), `-- answered: n BIGINT | 1 row | epsilon 1`, or `-- failed: epsilon 1`. A line
`-- before sqlglot 29: refused: ...` above that says what is seen with versions of sqlglot before that one, and so for
duckdb.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import duckdb
import sqlglot

CASES = Path(__file__).parents[1] / "cases" / "attacks"
_POLICY = "-- policy: "
_BEFORE = re.compile(r"-- before (sqlglot|duckdb) ([\d.]+): (.*)")


@dataclass(frozen=True)
class Case:
    """A query under a policy and the comment that says what is to happen."""

    file: str
    policy: str
    sql: str
    expected: str

    def __str__(self) -> str:
        return f"{self.file}: {self.sql}"


def read_cases() -> tuple[Case, ...]:
    """The cases of all files, in order."""
    return tuple(case for path in sorted(CASES.glob("*.sql")) for case in _file(path))


def _file(path: Path) -> list[Case]:
    policy, cases = "listed", []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        *lines, last = block.split("\n")
        if last.startswith(_POLICY):
            policy = last.removeprefix(_POLICY)
        elif lines:
            cases.append(_case(path.stem, policy, lines, last.removeprefix("-- ")))
    return cases


def _case(file: str, policy: str, lines: list[str], expected: str) -> Case:
    before = _BEFORE.fullmatch(lines[-1])
    if before is None:
        return Case(file, policy, "\n".join(lines), expected)
    package, since, then = before.groups()
    installed = {"sqlglot": sqlglot.__version__, "duckdb": duckdb.__version__}[package]
    is_older = _numbers(installed) < _numbers(since)
    return Case(file, policy, "\n".join(lines[:-1]), then if is_older else expected)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]
