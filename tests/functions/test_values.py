"""On ordinary values a function gives what plain DuckDB gives for the analyst's spelling."""

from datetime import date, datetime, timedelta

import pytest
from edges import Engine, rendered
from function_cases import CASES, COLUMNS, call

from dpsql.algebra.expressions import Column
from dpsql.algebra.facts import NATURAL, Fact

WHOLE, REAL = (-7, 1, 2, 12, 25), (-2.5, 0.5, 2.0, 2.675, 30.25)
TEXTS = ("banana", "b", "Añé an", " 100% ", "2025-01-31", "12.5")
START, STEP = datetime(2024, 2, 29, 22, 59, 30), timedelta(days=45, hours=7, minutes=29, microseconds=3)


def _row(i: int) -> dict[str, object]:
    day, moment = date(2024, 1, 31) + timedelta(days=37 * i), START + i * STEP
    row = {
        "a": WHOLE[i % 5], "b": WHOLE[(i + 1 + i // 5) % 5],
        "x": REAL[i % 5], "y": REAL[(i + 2 + i // 5) % 5],
        "s": TEXTS[i % 6], "t": TEXTS[(i + i // 6) % 6], "d": day, "e": day + timedelta(days=i * i - 40),
        "u": moment, "v": moment - (i - 9) * 5 * STEP, "p": i % 3 == 0, "q": i % 2 == 0,
    }  # fmt: skip
    return {n: None if (i + k) % 17 == 16 else v for k, (n, v) in enumerate(row.items())}


ROWS = [_row(i) for i in range(36)]


@pytest.fixture(scope="module")
def ordinary(engines: tuple[Engine, Engine]) -> Engine:
    """The engine with a table of ordinary values."""
    engine = engines[0]
    columns = {c: c.type for c in COLUMNS.values()}
    engine.fill("ordinary", columns, [tuple(row[c.name] for c in columns) for row in ROWS])
    return engine


FACTS: dict[Column, Fact] = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in COLUMNS.values()}


@pytest.mark.parametrize("op", sorted(CASES))
def test_a_function_gives_the_value_that_duckdb_gives(op: str, ordinary: Engine) -> None:
    for args, plain in CASES[op]:
        sql = rendered(call(op, args), FACTS)
        query = f"SELECT {sql}, {plain} FROM ordinary"
        for ours, theirs in ordinary.connection.execute(query).fetchall():
            assert ours == theirs, query
