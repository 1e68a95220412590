"""Cases of tests/cases/answers: a query and what is to be answered, written one under the other.

A file's first block names its policy, `-- policy: shop`. Every other block, set off by blank lines, is a title in a
comment, options (`-- params: [3]`, JSON; `-- sqlglot: 30`, the least version that reads it), the query, and what is
expected, again in comments: the columns with their types, the rows, and what it costs. In refused.sql the title is the
refusal itself; a line `-- before sqlglot 30.10: ...` below it is the refusal with versions of sqlglot before that one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import sqlglot

CASES = Path(__file__).parents[1] / "cases" / "answers"
_OPTIONS = ("policy", "params", "sqlglot")
_BEFORE = re.compile(r"-- before sqlglot ([\d.]+): (.*)")


@dataclass(frozen=True)
class Case:
    """A query, under which policy and with which parameters, its title and the comment lines below it."""

    file: str
    title: str
    sql: str
    policy: str
    params: object
    expected: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.file}: {self.sql}"


def read_cases(path: Path) -> tuple[Case, ...]:
    """The cases of a file that the installed sqlglot reads, in order."""
    first, *blocks = path.read_text(encoding="utf-8").strip().split("\n\n")
    read = (block for block in blocks if _is_read(_options(block.splitlines()).get("sqlglot", "0")))
    return tuple(_case(path.stem, block, _options(first.splitlines())) for block in read)


def _is_read(least: str) -> bool:
    return _numbers(least) <= _numbers(sqlglot.__version__)


def _case(file: str, block: str, defaults: dict[str, str]) -> Case:
    lines = block.splitlines()
    start = next(i for i, line in enumerate(lines) if not line.startswith("--"))
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("--")), len(lines))
    options = defaults | _options(lines[:start])
    title = _title([line for line in lines[:start] if _option(line) is None])
    params = json.loads(options["params"]) if "params" in options else None
    expected = tuple(_comment(line) for line in lines[end:])
    return Case(file, title, "\n".join(lines[start:end]), options["policy"], params, expected)


def _title(lines: list[str]) -> str:
    for line in lines:
        before = _BEFORE.match(line)
        if before is not None and _numbers(sqlglot.__version__) < _numbers(before.group(1)):
            return before.group(2)
    return " ".join(_comment(line) for line in lines if _BEFORE.match(line) is None)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _options(lines: list[str]) -> dict[str, str]:
    return dict(option for line in lines if (option := _option(line)) is not None)


def _option(line: str) -> tuple[str, str] | None:
    name, colon, value = _comment(line).partition(": ")
    return (name, value) if colon and name in _OPTIONS else None


def _comment(line: str) -> str:
    return line.removeprefix("--").strip()
