"""Rows of ordinary values, and what is known of columns without bounds."""

from datetime import date, datetime, timedelta

from function_cases import COLUMNS

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
FACTS: dict[Column, Fact] = {c: Fact(c.type, True, NATURAL.get(c.type)) for c in COLUMNS.values()}
