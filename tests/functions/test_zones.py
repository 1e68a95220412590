"""Moments move between time zones by no more than their ranges say, whatever rules the engine has."""

from __future__ import annotations

from datetime import datetime

import pytest
from edges import Engine, rendered
from function_cases import COLUMNS, call

from dpsql.algebra.facts import NATURAL, Fact
from dpsql.algebra.functions.dates import time_zones as zones
from dpsql.algebra.functions.ranges import interval
from dpsql.algebra.types import SqlType

HOUR = 3_600_000_000
MOMENT = Fact(SqlType.TIMESTAMP, True, NATURAL[SqlType.TIMESTAMP])


@pytest.mark.parametrize(
    ("zone", "since", "hours"),
    [
        ("UTC", True, (0, 0)),
        ("America/New_York", True, (-5, -4)),
        ("Asia/Tokyo", True, (9, 9)),
        ("Asia/Tokyo", False, (9, 10)),
        ("Asia/Kolkata", True, (5.5, 5.5)),
        ("Australia/Lord_Howe", True, (10, 11.5)),
    ],
)
def test_the_clocks_of_a_zone_are_so_far_ahead(zone: str, since: bool, hours: tuple[float, float]) -> None:
    assert zones.offsets(zone, since) == interval(int(hours[0] * HOUR), int(hours[1] * HOUR))


def test_a_moment_moves_no_further_than_its_range_says(
    engines: tuple[Engine, Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(zones, "offsets", lambda zone, since_epoch: interval(-HOUR, HOUR))
    facts = {COLUMNS["u"]: MOMENT}
    sql = rendered(call("at_zone", ("u", "'UTC", "'Asia/Tokyo")), facts)
    table = "(SELECT TIMESTAMP '2025-01-01 12:00:00' AS c0_u, TIMESTAMP '2025-01-01 12:00:00' AS u)"
    found = engines[0].connection.execute(f"SELECT {sql} FROM {table}").fetchall()
    assert found == [(datetime(2025, 1, 1, 14),)]
