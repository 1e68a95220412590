"""No function fails because all values of a column are NULL or the same: an engine that knows may rewrite by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from edges import rendered
from function_cases import CASES, call
from plan.opened import Table

from dpsql.algebra.expressions import Column, columns_of
from dpsql.algebra.facts import NATURAL, Fact, Facts
from dpsql.algebra.functions import Mistyped, fact_rule
from dpsql.algebra.types import SqlType
from dpsql.engines.duckdb_settings import Limits, connect

ONE = {
    SqlType.INTEGER: "1::BIGINT",
    SqlType.DOUBLE: "1.5e0",
    SqlType.TEXT: "'a'",
    SqlType.DATE: "DATE '2025-01-01'",
    SqlType.TIMESTAMP: "TIMESTAMP '2025-01-01 00:00:00'",
    SqlType.BOOLEAN: "true",
}


def calls() -> Iterator[tuple[str, dict[Column, Fact], str, SqlType]]:
    """Every call of the cases: its function, its columns, its SQL and its type."""
    for op, cases in sorted(CASES.items()):
        for args, _plain in cases:
            expr = call(op, args)
            facts = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in columns_of(expr)}
            try:
                kind = Facts(facts, fact_rule).of(expr).type
            except Mistyped:
                continue
            yield op, facts, rendered(expr, facts), kind


def test_no_function_fails_on_columns_of_one_value_or_none() -> None:
    failed, seen = set(), 0
    with connect(Limits(60)) as engine:
        for op, facts, sql, kind in calls():
            columns = sorted(facts, key=lambda c: c.name)
            for null in {tuple(True for _ in columns), tuple(i == 0 for i, _ in enumerate(columns))}:
                made = (
                    f"{'NULL' if n else ONE[c.type]}::{c.type.value} AS {c.name}"
                    for c, n in zip(columns, null, strict=True)
                )
                engine.execute(
                    f"CREATE OR REPLACE TABLE t AS SELECT 1 AS one, {', '.join(made)} FROM range(3)"
                )
                seen += 1
                try:
                    engine.execute(
                        f"SELECT count(*) FROM t WHERE ({sql}) = {ONE.get(kind, 1)} OR ({sql}) IS NULL"
                    ).fetchall()
                except Exception as error:
                    failed.add((op, str(error)))
    assert not failed and seen > len(CASES)


@pytest.mark.parametrize("name", [None, "", "Oslo"])
def test_a_text_that_nobody_has_is_split_as_one_that_everybody_has(tmp_path: Path, name: str | None) -> None:
    rows = [(u, name) for u in (1, 2, 3)]
    session = Table({"name": "text, nullable: true"}, rows, privacy="max_rows_per_unit: 1").open(tmp_path)
    answer = session.answer("SELECT COUNT(*) FROM t WHERE SPLIT_PART(name, 'l', 1) = 'Os'")
    assert answer.rows == ((3 if name == "Oslo" else 0,),)
