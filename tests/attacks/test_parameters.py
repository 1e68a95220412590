"""Parameters of every odd kind: an answer or an error of ours, the same on every database."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import UUID

import pytest

from attacks.neighbours import DATABASES, Database


class AlwaysEqual(str):
    """A text that takes itself for every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


VALUES = {
    "null": None, "true": True, "minus zero": -0.0, "20 digits": 10**19, "39 digits": 2**127, "5000 digits": 10**5000,
    "largest": 1.7e308, "nan": float("nan"), "inf": float("inf"), "decimal": Decimal("0.1"),
    "decimal nan": Decimal("NaN"), "signalling nan": Decimal("sNaN"), "huge decimal": Decimal("1e400"),
    "third": Fraction(1, 3), "huge fraction": Fraction(10**400, 3), "bytes": b"x", "equal text": AlwaysEqual("north"),
    "nul": "\0", "half a pair": "\ud800", "long": "a" * 200_000, "quote": "x' OR 1=1 --", "first day": date.min,
    "last day": date.max, "last moment": datetime.max, "zoned": datetime(2025, 1, 1, tzinfo=UTC), "time": time(1),
    "days": timedelta(1), "uuid": UUID(int=1), "object": object(), "list": [1], "mapping": {"a": 1}, "complex": 1j,
}  # fmt: skip
QUERIES = (
    "SELECT count(*) FROM visits WHERE age = ?",
    "SELECT count(*) FROM visits WHERE note = ? OR note LIKE '%7'",
    "SELECT count(*) FROM visits WHERE day > ?",
    "SELECT sum(LEAST(age, ?)) FROM visits",
    "SELECT ?, count(*) FROM visits GROUP BY 1",
    "SELECT ward, count(*) FROM visits GROUP BY ward ORDER BY ? LIMIT ?",
    "SELECT ? FROM visits LIMIT 0",
)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Database, ...]]:
    root = tmp_path_factory.mktemp("parameters")
    opened = tuple(Database(root / kind, kind, "listed") for kind in DATABASES)
    yield opened
    for database in opened:
        database.session.close()


@pytest.mark.one_in(8)
@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("value", VALUES.values(), ids=VALUES)
def test_an_odd_parameter_never_fails_after_the_charge(
    sql: str, value: object, databases: tuple[Database, ...]
) -> None:
    seen = [database.ask(sql, [value] * sql.count("?")) for database in databases]
    assert seen[0] == seen[1] == seen[2]
    assert seen[0].kind in ("answered", "QueryRefused", "ProgrammingError")


def test_a_text_that_equals_everything_is_not_taken_for_another_query(
    databases: tuple[Database, ...],
) -> None:
    answered = databases[0].ask("SELECT ward FROM wards WHERE ward = ?", ["south"])
    tricked = databases[0].ask("SELECT ward FROM wards WHERE ward = ?", [AlwaysEqual("north")])
    assert (answered.rows, tricked.rows) == (("('south',)",), ("('north',)",))


@pytest.mark.parametrize(
    ("one", "other"), [(0.0, -0.0), (Decimal("1.0"), Decimal("1.00")), (1, True), (1, 1.0)], ids=repr
)
def test_values_that_are_equal_and_not_the_same_are_not_answered_with_each_other(
    databases: tuple[Database, ...], one: object, other: object
) -> None:
    seen = [databases[0].ask("SELECT ? AS x, 1 / ? AS y", [value, value]) for value in (one, other)]
    assert (seen[0].rows, seen[0].columns) != (seen[1].rows, seen[1].columns)
