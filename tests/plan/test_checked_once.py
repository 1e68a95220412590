"""Whether a text key is listed is asked once for each group: DuckDB does not move the question down to the rows."""

from __future__ import annotations

import json
from pathlib import Path

from dpsql.engines.generated.source_files import engine_with
from dpsql.stages.prepare import prepare
from plan.opened import Table

COLUMNS = {"k": "text, values: [a, b, c]", "x": "integer, lower: 0, upper: 9"}
ROWS = [(1, "a", 2), (1, "other", 3), (2, "z", 4), (2, "b", 5), (2, "a", 1)]


def scans(node: dict[str, object]) -> list[str]:
    """What each scan of a plan reads and leaves out."""
    children = node["children"]
    assert isinstance(children, list)
    own = [json.dumps(node["extra_info"])] if "SCAN" in str(node["name"]) else []
    return own + [s for child in children for s in scans(child)]


def test_no_scan_asks_whether_a_key_is_listed(tmp_path: Path) -> None:
    table = Table(COLUMNS, ROWS, table="max_rows_per_unit: 2")
    session = table.open(tmp_path)
    prepared = prepare("SELECT k, COUNT(*), SUM(x) FROM t GROUP BY k", None, session._state)
    (query,) = (q for of_release in prepared.queries for q in of_release)
    engine = engine_with(session._state.context.policy)
    assert {str(key[0]) for key in engine.run(query).keys} <= {"a", "b"}
    plan = json.loads(engine._connection.execute(f"EXPLAIN (FORMAT json) {query.sql}").fetchall()[0][1])
    read = [s for node in plan for s in scans(node)]
    assert len(read) >= 4
    assert not [s for s in read if "'a'" in s]
