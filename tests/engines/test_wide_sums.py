"""Sums beyond 64 bits are found exactly, however many groups there may be."""

from __future__ import annotations

from pathlib import Path

import pytest
from plan.opened import Table

from dpsql.audit.sensitivity import opened
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare

LARGE = 2**60
COLUMNS = {
    "k": "text, values: [a, b]",
    "free": "integer",
    "x": f"integer, lower: -{LARGE}, upper: {LARGE}",
}


@pytest.mark.parametrize("grouped", ["", "k", "free"])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_beyond_64_bits(tmp_path: Path, grouped: str, sign: int) -> None:
    rows = [(person, "a", 7, sign * LARGE) for person in range(40)]
    policy = load_policy(Table(COLUMNS, rows, privacy="max_rows_per_unit: 1").store(tmp_path))
    keys = f"{grouped}, " if grouped else ""
    question = f"SELECT {keys}SUM(x), COUNT(*) FROM t{f' GROUP BY {grouped}' if grouped else ''}"
    with opened(policy) as state:
        ready = prepare(question, None, state)
        found = [state.engine.run(query) for query in ready.queries[0]]
    sums = {int(v) for exact in found for v in exact.values.flat}
    assert {sign * 40 * LARGE, 40} <= sums or {40 * LARGE + sign * 40 * LARGE, 40} <= sums
