"""What is made of many rows in passes over units is what one pass makes, and every unit is in one pass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest
from plan.opened import Table

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.engines import private_engine
from dpsql.engines.base import LISTS, InPasses, Weighing
from dpsql.engines.lists import group_weights
from dpsql.engines.lists.in_passes import execute
from dpsql.engines.sqlgen import bounding, key_weights
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.stages.prepare import prepare
from engines.opened import clinic
from engines.test_prepared_lists import CAP, COLUMNS, over_copy, rows

HASHES = 2**64
QUESTIONS = (
    "SELECT name, COUNT(*) FROM t GROUP BY name",
    "SELECT k, COUNT(*) FROM t WHERE x < 7 GROUP BY k",
    "SELECT name, FLOOR(z), COUNT(DISTINCT u) FROM t GROUP BY ALL",
    "SELECT COUNT(*), SUM(x) FROM t WHERE x > 2",
    "SELECT x, SUM(x * x) FROM t WHERE z < 3 GROUP BY x",
)
VALUES = {
    "BIGINT": "range - 500",
    "VARCHAR": "'person ' || range",
    "DOUBLE": "[-0.0, 0.0, 'nan'::DOUBLE, 'inf'::DOUBLE, range / 7][1 + range % 5] + 0.0",
    "DATE": "DATE '1900-01-01' + range::INTEGER",
    "BOOLEAN": "[true, false, NULL][1 + range % 3]",
}


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many statements each table took that was made by `execute`."""
    ran: list[int] = []
    usual = InPasses.statements

    def counted(self: InPasses, rows: int) -> Iterator[str]:
        made = [*usual(self, rows)]
        ran.append(len(made))
        return iter(made)

    def numbered(connection: duckdb.DuckDBPyConnection, made: Weighing) -> Iterator[str]:
        parts = [*passes(connection, made)]
        ran.append(len(parts))
        return iter(parts)

    passes = group_weights._passes
    monkeypatch.setattr(InPasses, "statements", counted)
    monkeypatch.setattr(group_weights, "_passes", numbered)
    return ran


@pytest.mark.parametrize("many", [2, 3, 7, 16, 1000])
def test_every_hash_is_in_one_pass(many: int) -> None:
    made = [
        s for s in InPasses("t", "", "", "u", "", 10, 16).statements(10 * many) if not s.startswith("CHECK")
    ]
    ends = [[int(word.split(":")[0]) for word in s.split() if word.endswith("::UBIGINT")] for s in made]
    assert len(made) == min(many, 16) and ends[0][0] == 0 and ends[-1][1] == HASHES - 1
    assert all(before[1] + 1 == after[0] for before, after in pairwise(ends))
    widths = [end - least for least, end in ends]
    assert max(widths) - min(widths) <= 1


@pytest.mark.parametrize("rows", [0, 1, 10])
def test_few_rows_are_read_at_once_by_one_statement_that_hashes_nothing(rows: int) -> None:
    (made,) = InPasses("t", "SELECT 1 WHERE ", "", "u", "", 10, 16).statements(rows)
    assert made == "CREATE OR REPLACE TABLE t AS SELECT 1 WHERE TRUE"


@pytest.mark.parametrize("kind", VALUES)
def test_a_unit_of_any_type_has_all_its_rows_in_one_pass(kind: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(f"ATTACH ':memory:' AS {LISTS} (COMPRESS)")
        made = f"SELECT CAST({VALUES[kind]} AS {kind}) AS u FROM range(1000)"
        connection.execute(f"CREATE TABLE t AS {made} UNION ALL {made}")
        every = "SELECT u, count(*) FROM t GROUP BY u"
        parts = InPasses(
            f"{LISTS}.m", "SELECT u, count(*) FROM t WHERE ", " GROUP BY u", "u", "SELECT 2000", 150, 16
        )
        for _ in range(2):  # what is there is replaced
            execute(connection, parts)
            assert sorted(map(repr, connection.execute(f"FROM {LISTS}.m").fetchall())) == sorted(
                map(repr, connection.execute(every).fetchall())
            )


def found(policy: Policy, sql: str) -> list[dict[object, tuple[int, ...]]]:
    """The integers of all parts of a query."""
    with opened(policy) as state:
        return [
            dict(by_key(state.engine.run(q))) for parts in prepare(sql, None, state).queries for q in parts
        ]


@pytest.fixture
def policies(tmp_path: Path) -> tuple[Policy, ...]:
    """A cap of the dataset alone, and one of the table as well."""
    made = []
    for i, table in enumerate(("", "max_rows_per_unit: 6")):
        (tmp_path / str(i)).mkdir()
        made.append(load_policy(Table(COLUMNS, rows(), privacy=CAP, table=table).store(tmp_path / str(i))))
    return tuple(made)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("by_sql", [False, True])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_passes_give_the_same_integers_live_and_over_prepared_tables(
    policies: tuple[Policy, ...],
    sql: str,
    by_sql: bool,
    monkeypatch: pytest.MonkeyPatch,
    runs: list[int],
) -> None:
    expected = [found(policy, sql) for policy in policies]
    assert set(runs) <= {1} and any(expected)
    runs.clear()
    for module, name in (
        *((group_weights, "_EACH"), (key_weights, "_PAIRED")),
        *((bounding, "_GROUPED"), (bounding, "_ORDERED")),
    ):
        monkeypatch.setattr(module, name, 30)
    if by_sql:
        monkeypatch.setattr(group_weights, "_WHOLE", frozenset())
    assert [found(policy, sql) for policy in policies] == expected
    assert max(runs) > 3
    for policy, integers in zip(policies, expected, strict=True):
        with over_copy(policy) as copy:
            queries = [q for parts in prepare(sql, None, copy).queries for q in parts]
            assert [dict(by_key(copy.engine.run(q))) for q in queries] == integers


def test_weights_are_stored_once_for_each_group_however_many_passes_made_them(
    policies: tuple[Policy, ...], monkeypatch: pytest.MonkeyPatch, runs: list[int]
) -> None:
    monkeypatch.setattr(group_weights, "_WHOLE", frozenset())
    monkeypatch.setattr(key_weights, "_PAIRED", 40)
    monkeypatch.setattr(key_weights, "MOST_KEPT", 10)
    with over_copy(policies[0]) as copy:
        names = [u.name for q in prepare(QUESTIONS[0], None, copy).queries[0] for u in q.lists]
        (kept,) = copy.engine._connection.execute(  # type: ignore[attr-defined]
            f"SELECT count(*), count(DISTINCT coalesce(k0, '')) FROM {LISTS}.\"units_{names[0]}\""
        ).fetchall()
    assert kept == (6, 6) and max(runs) > 3


JOINED = (
    "SELECT doctor, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY doctor",
    "SELECT doctor, COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM stays) GROUP BY doctor",
)


@pytest.mark.parametrize(
    ("sql", "passes"), [(s, False) for s in JOINED] + [(JOINED[0][:35] + " GROUP BY 1", True)]
)
def test_joined_rows_are_joined_once(tmp_path: Path, sql: str, passes: bool) -> None:
    """In passes each of them would read all rows of what is joined."""
    with opened(clinic(tmp_path, "inline")) as state:
        queries = [q for parts in prepare(sql, None, state).queries for q in parts]
        weights = [u for q in queries for u in q.lists if u.most_rows is not None]
        counted = [s.by_sql.counted for u in weights for s in u.statements if isinstance(s, Weighing)]
    assert counted and all(bool(c) is passes for c in counted)


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(DISTINCT u) FROM t",
        "SELECT x, COUNT(DISTINCT u), COUNT(*), SUM(x) FROM t GROUP BY x",
        "SELECT COUNT(DISTINCT u) FILTER (WHERE x > 4), COUNT(name), AVG(x) FROM t",
    ],
)
def test_units_of_all_rows_are_counted_in_parts_that_add_up(
    policies: tuple[Policy, ...], sql: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = [found(policy, sql) for policy in policies]
    monkeypatch.setattr(private_engine, "ROWS_AT_ONCE", 40)
    for policy, integers in zip(policies, expected, strict=True):
        with opened(policy) as live, over_copy(policy) as copy:
            for state in (live, copy):
                parts = [q for parts in prepare(sql, None, state).queries for q in parts]
                queries = [replace(q, by_sets=None) for q in parts]
                assert any(q.in_parts for q in queries)
                asked = [replace(q, sql="SELECT") if q.in_parts else q for q in queries]
                assert [dict(by_key(state.engine.run(q))) for q in asked] == integers


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT COUNT(DISTINCT u) FROM t WHERE x > 4",
        "SELECT name, COUNT(DISTINCT u), COUNT(DISTINCT x) FROM t GROUP BY name",
        "SELECT COUNT(*) FROM t",
    ],
)
def test_other_counts_have_one_part(policies: tuple[Policy, ...], sql: str) -> None:
    """Few rows may pass a condition, and a value that two units have would be counted in two parts."""
    with opened(policies[0]) as state:
        queries = [q for parts in prepare(sql, None, state).queries for q in parts]
    assert queries and not any(q.in_parts for q in queries)
