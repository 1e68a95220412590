"""Conditions on moments, relative to a clock or on the start of their day, leave the groups that rows can be in."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import product

import duckdb
import pytest

from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table

FIRST, LAST = datetime(2024, 1, 1), datetime(2024, 12, 31)
SIGNS = ("<", "<=", ">", ">=", "=")
MOMENTS = [
    datetime(2024, 2, 1) + timedelta(days=day, microseconds=around)
    for day in (-1, 0, 1, 28, 29, 60, 90, 182)
    for around in (-1, 0, 1, 3_600_000_000)
]
CONDITIONS = (
    "m {sign} TIMESTAMP '2024-03-31 10:00:00' - INTERVAL '1' MONTH",
    "m {sign} DATE '2024-02-03' - 2",
    "m {sign} date_trunc('month', TIMESTAMP '2024-03-05 11:00:00')",
    "m::DATE {sign} DATE '2024-02-01'",
    "m::DATE {sign} DATE '2024-02-03' - INTERVAL '2 days'",
    "date_trunc('day', m) {sign} TIMESTAMP '2024-02-01'",
    "date_trunc('month', m) {sign} TIMESTAMP '2024-02-01'",
    "date_trunc('month', m) {sign} TIMESTAMP '2024-02-10 03:00:00'",
    "date_trunc('week', m) {sign} TIMESTAMP '2024-01-29'",
    "date_trunc('quarter', m) {sign} TIMESTAMP '2024-04-01'",
    "date_trunc('hour', m) {sign} TIMESTAMP '2024-02-01 00:30:00'",
    "TIMESTAMP '2024-02-01' + INTERVAL '1 hour' {sign} m",
)


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    rows = [(i, moment) for i, moment in enumerate(MOMENTS)]
    column = f"timestamp, lower: {FIRST}, upper: {LAST}"
    return Table({"m": column}, rows, privacy="max_rows_per_unit: 1").open(tmp_path_factory.mktemp("moments"))


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("condition", "sign"), [*product(CONDITIONS, SIGNS)])
def test_no_group_that_a_row_is_in_is_left_out(condition: str, sign: str, session: Session) -> None:
    where = condition.format(sign=sign)
    sql = f"SELECT date_trunc('hour', m) AS h, COUNT(*) FROM t WHERE {where} GROUP BY h"
    (release,) = prepare(sql, None, session._state).plan.releases
    assert release.keys.domain is not None
    with duckdb.connect(":memory:") as connection:
        connection.execute("CREATE TABLE t (m TIMESTAMP)")
        connection.executemany("INSERT INTO t VALUES (?)", [[m] for m in MOMENTS])
        found = {h for h, _ in connection.execute(sql).fetchall()}
    assert found <= {h for (h,) in release.keys.domain}


@pytest.mark.parametrize(
    ("condition", "groups"),
    [
        ("m >= TIMESTAMP '2024-03-02' - INTERVAL '1 day' AND m < TIMESTAMP '2024-03-02'", 24),
        ("m::DATE = DATE '2024-02-29'", 24),
        ("m::DATE > DATE '2024-02-27' AND m::DATE < DATE '2024-03-01'", 48),
        ("date_trunc('month', m) = TIMESTAMP '2024-02-01'", 29 * 24),
        ("date_trunc('day', m) >= DATE '2024-05-01' AND date_trunc('day', m) < DATE '2024-05-03'", 48),
        ("m >= NOW() - INTERVAL '200 years' AND m < date_trunc('day', TIMESTAMP '2024-01-02 07:00:00')", 24),
    ],
)
def test_groups_are_those_of_the_condition(condition: str, groups: int, session: Session) -> None:
    sql = f"SELECT date_trunc('hour', m) AS h, COUNT(*) FROM t WHERE {condition} GROUP BY h"
    (release,) = prepare(sql, None, session._state).plan.releases
    assert release.keys.domain is not None and len(release.keys.domain) == groups


def test_minutes_and_seconds_are_listed_like_hours(session: Session) -> None:
    for unit, groups in (("minute", 60), ("second", 3600)):
        sql = (
            f"SELECT date_trunc('{unit}', m) AS h, COUNT(*) FROM t "
            "WHERE m >= '2024-02-01 05:00:00' AND m < '2024-02-01 06:00:00' GROUP BY h"
        )
        (release,) = prepare(sql, None, session._state).plan.releases
        assert release.keys.domain is not None and len(release.keys.domain) == groups
