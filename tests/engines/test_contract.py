"""What the two engines promise, wherever they run: the same tests inline and in child processes."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from attacks.neighbours import Blind

from dpsql.engines.base import EngineFailed, EngineQuery, FinishFailed, FinishStopped, ReleasedTable, UnitList
from dpsql.engines.open_engines import Engines, open_engines
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.errors import NotSupportedError, PolicyError
from dpsql.policy.model import Policy
from dpsql.session import Session, build_session
from engines.opened import clinic

# A count of the pairs of a hundred thousand rows each: minutes, and open to interrupts at any time.
LONG = "SELECT 0, count(*) FROM range(400000) a, range(400000) b WHERE a.range + b.range = 7"
TABLE = ReleasedTable("r0", (("k0", "VARCHAR"), ("a0", "BIGINT")), (("x", 1), (None, 2)))


@pytest.fixture(scope="class")
def policy(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Policy:
    return clinic(tmp_path_factory.mktemp("clinic"), request.cls.isolation)


@pytest.fixture(scope="class")
def engines(policy: Policy) -> Iterator[Engines]:
    opened = open_engines(policy)
    yield opened
    opened.close()
    opened.close()


class EngineContract:
    """Every test for one place; `isolation` is a policy's word for it."""

    isolation: str

    def test_sums_arrive_exactly_with_their_keys(self, engines: Engines) -> None:
        sql = 'SELECT s.ward, sum(1) >> 62, sum(1) & 4611686018427387903 FROM src."visits" s GROUP BY 1 ORDER BY 1'
        found = engines.private.run(EngineQuery(sql, 1, 1))
        assert found.keys == (("north",), ("south",), (None,))
        assert found.values.dtype == np.int64 and found.values.tolist() == [[134], [133], [133]]

    def test_sums_beyond_64_bits_arrive_exactly(self, engines: Engines) -> None:
        found = engines.private.run(EngineQuery("SELECT 7, 3, 9, -1, 4611686018427387903", 1, 2))
        assert found.values.tolist() == [[3 * 2**62 + 9, -1]]

    def test_sums_may_come_whole(self, engines: Engines) -> None:
        for sql, sums in (
            ("7, 3, (2::HUGEINT << 60) - 1", (3, 2**61 - 1)),
            ("7, 2::HUGEINT << 70, -1", (2**71, -1)),
        ):
            found = engines.private.run(EngineQuery(f"SELECT {sql}", 1, 2))
            assert found.keys == ((7,),) and tuple(map(int, found.values[0])) == sums

    def test_keys_from_the_first_that_counts(self, engines: Engines) -> None:
        rows = "SELECT k, k * 10 AS n FROM range(3, 7) r(k) WHERE k <> 5 UNION ALL SELECT NULL, {first}"
        for first, found in (
            (4, {4: 40, 6: 60}),
            (5, {5: 0, 6: 60}),
            (2, {2: 0, 3: 30, 4: 40, 6: 60}),
            (9, {9: 0}),
        ):
            exact = engines.private.run(EngineQuery(rows.format(first=first), 1, 1, from_first=True))
            assert dict(zip((k for (k,) in exact.keys), exact.values[:, 0].tolist(), strict=True)) == found
        nothing = engines.private.run(EngineQuery("SELECT 3, 30", 1, 1, from_first=True))
        assert nothing.keys == () and nothing.values.shape == (0, 1)

    def test_the_same_text_is_asked_with_other_values_and_over_other_lists(self, engines: Engines) -> None:
        engine = engines.private
        for rows in (2, 3):
            made = f"CREATE OR REPLACE TABLE lists.asked AS FROM range({rows})"
            units = UnitList(f"asked {rows}", (made,), ("DROP TABLE IF EXISTS lists.asked",))
            for value in (5, 7):
                asked = EngineQuery(
                    "SELECT $v, count(*) FROM lists.asked", 1, 1, (units,), values=(("v", value),)
                )
                found = engine.run(asked)
                assert found.keys == ((value,),) and found.values.tolist() == [[rows]]

    def test_no_group_is_no_row(self, engines: Engines) -> None:
        found = engines.private.run(EngineQuery("SELECT 7, 3, 9 WHERE false", 1, 1))
        assert found.keys == () and found.values.shape == (0, 1)

    def test_keys_of_any_length_arrive(self, engines: Engines) -> None:
        """No limit on a reply about private rows may tell how many groups there are."""
        long = "SELECT repeat('x', 2000000) || range AS k, 0 AS h, 1 AS l FROM range({count})"
        for count in (30, 36):  # beyond and far beyond what a reply of the public engine may be
            found = engines.private.run(EngineQuery(long.format(count=count), 1, 1))
            assert len(found.keys) == count and {len(str(k)) for (k,) in found.keys} <= {2000001, 2000002}

    def test_keys_keep_their_types(self, engines: Engines) -> None:
        sql = "SELECT true, 1, 2.5::DOUBLE, 'ü', DATE '2025-01-02', TIMESTAMP '2025-01-02 03:04:05.6', 0, 5"
        (key,) = engines.private.run(EngineQuery(sql, 6, 1)).keys
        assert [type(v).__name__ for v in key] == ["bool", "int", "float", "str", "date", "datetime"]
        assert key[3:5] == ("ü", date(2025, 1, 2))

    def test_lists_are_built_once_and_stay(self, engines: Engines) -> None:
        units = UnitList("kept", ("CREATE TABLE lists.kept AS SELECT 1 AS one",))
        for _ in range(2):
            found = engines.private.run(EngineQuery("SELECT 0, count(*) FROM lists.kept", 0, 1, (units,)))
            assert found.values.tolist() == [[1]]

    @pytest.mark.parametrize(("most", "again"), [(3, True), (2, False)])
    def test_lists_stay_after_queries_of_few_rows(self, engines: Engines, most: int, again: bool) -> None:
        """A list that is there is not made again: a second CREATE TABLE would fail."""
        name = f"few_{most}"
        made, undone = f"CREATE TABLE lists.{name} AS SELECT 1 AS one", f"DROP TABLE lists.{name}"
        units = UnitList(name, (made,), (undone,), most_rows=most)
        query = EngineQuery(f"SELECT range, 0, one FROM lists.{name}, range(3)", 1, 1, (units,))
        for _ in range(2):
            assert engines.private.run(query).values.tolist() == [[1]] * 3
        left = EngineQuery(f"SELECT 0, count(*) FROM duckdb_tables() WHERE table_name = '{name}'", 0, 1)
        assert engines.private.run(left).values.tolist() == [[int(again)]]

    @pytest.mark.parametrize("sql", ["SELECT 1 +", "SELECT error('x')", "SELECT 'a', 'b'", "SELECT 1, 2, 3"])
    def test_whatever_goes_wrong_with_private_rows_is_engine_failed(self, engines: Engines, sql: str) -> None:
        with pytest.raises(EngineFailed):
            engines.private.run(EngineQuery(sql, 0, 1))
        assert engines.private.run(EngineQuery("SELECT 0, 4", 0, 1)).values.tolist() == [[4]]

    def test_a_query_ends_at_its_seconds(self, engines: Engines) -> None:
        with pytest.raises(EngineFailed):
            engines.private.run(EngineQuery(LONG, 0, 1), 0.3)
        assert engines.private.run(EngineQuery("SELECT 0, 4", 0, 1)).values.tolist() == [[4]]

    def test_violations_are_those_of_the_data(self, engines: Engines, policy: Policy) -> None:
        tables = open_catalog(policy, engines.public).tables
        assert engines.private.violations(policy, tables) == ()

    def test_facts_of_public_tables_are_read_from_them(self, engines: Engines) -> None:
        ward, wing = engines.public.columns("wards")
        assert (ward.name, ward.type.value, ward.fact.nullable) == ("ward", "VARCHAR", False)
        assert wing.name == "wing"
        assert engines.public.fan_out("wards", ("ward",)) == 1 and engines.public.fan_out("wards", ()) == 2

    def test_a_query_without_parameters_is_described_as_with_one(self, engines: Engines) -> None:
        text = "SELECT *, 1 AS truth, NULL AS n, sum(price) OVER (), day - day AS d FROM kinds, visits"
        assert engines.public.select_statements(text) == 1
        alone = engines.public.describe(text, ())
        assert alone == engines.public.describe(f"{text} WHERE ?", [True]) and len(alone) > 20

    def test_values_are_evaluated_alike_however_often_and_whatever_becomes_of_them(
        self, engines: Engines
    ) -> None:
        for text in (
            "SELECT number FROM many WHERE number < 3",
            "SELECT number FROM many",
            "SELECT ward FROM wards",
        ):
            first = engines.public.evaluate(text)
            expected = first.copy()
            first.clear()
            assert engines.public.evaluate(text) == expected != []

    def test_a_trial_is_of_the_tables_that_it_is_given(self, engines: Engines) -> None:
        def tried(rest: str, *rows: tuple[object, ...], kind: str = "VARCHAR") -> tuple[str, ...] | None:
            table = ReleasedTable("r0", (("i", "BIGINT"), ("k0", kind)), rows)
            try:
                return engines.public.check(rest, [table])
            except FinishFailed:
                return None

        cast = "SELECT CAST(k0 AS INTEGER) AS k FROM released.r0"
        for _ in range(2):
            assert tried(cast, (0, "1")) == ("INTEGER",)
            assert tried(cast, (0, "x")) is None
            assert tried(cast, (0, "1"), (1, "x")) is None
            assert tried("SELECT k0 FROM released.r0", (0, "1")) == ("VARCHAR",)
            assert tried("SELECT k0 FROM released.r0", (0, "1"), kind="BIGINT") == ("BIGINT",)
            assert tried("SELECT k0 FROM released.r0", kind="DATE") == ("DATE",)

    def test_a_query_is_described_with_its_parameters(self, engines: Engines) -> None:
        found = engines.public.describe(
            "SELECT ward, count(*), ? AS p FROM visits GROUP BY ward", [date(2025, 1, 1)]
        )
        assert [(c.name, c.type) for c in found] == [
            ("ward", "VARCHAR"),
            ("count_star()", "BIGINT"),
            ("p", "DATE"),
        ]
        (named,) = engines.public.describe("SELECT $x AS x", {"x": 5})
        assert named.type == "INTEGER"

    def test_statements_are_counted_and_others_refused(self, engines: Engines) -> None:
        assert engines.public.select_statements("SELECT 1; SELECT 2") == 2
        for text in ("DROP TABLE wards", "SELECT ("):
            with pytest.raises(ValueError):
                engines.public.select_statements(text)

    def test_released_tables_are_finished_and_gone(self, engines: Engines) -> None:
        assert engines.public.check("SELECT k0, a0 / 2 FROM released.r0", [TABLE]) == ("VARCHAR", "DOUBLE")
        assert engines.public.finish("SELECT a0, k0 FROM released.r0 ORDER BY a0", [TABLE]) == (
            (1, "x"),
            (2, None),
        )
        with pytest.raises(FinishFailed):
            engines.public.finish("SELECT * FROM released.r0", [])

    def test_values_of_every_kind_arrive_as_they_are(self, engines: Engines, policy: Policy) -> None:
        with_inline = open_engines(
            replace(policy, engine=replace(policy.engine, isolation=type(policy.engine.isolation).INLINE))
        )
        expected = with_inline.public.finish("SELECT * FROM kinds", [])
        with_inline.close()
        found = engines.public.finish("SELECT * FROM kinds", [])
        assert found == expected
        assert [type(v) for v in found[0]] == [type(v) for v in expected[0]]

    @pytest.mark.parametrize(
        "sql",
        [
            "SELECT 1 +",
            "SELECT error('x')",
            "SELECT * FROM src.visits",
            'SELECT * FROM "#source0".main.visits',
        ],
    )
    def test_whatever_the_public_engine_refuses_is_finish_failed(self, engines: Engines, sql: str) -> None:
        with pytest.raises(FinishFailed) as caught:
            engines.public.finish(sql, [TABLE])
        assert caught.value.__context__ is None and str(caught.value) == "the public engine refused the query"

    def test_an_answer_of_too_many_rows_is_stopped(self, engines: Engines) -> None:
        with pytest.raises(FinishStopped):
            engines.public.finish("SELECT 1 FROM range(5000001)", [])

    def test_a_source_that_is_missing_is_a_problem_with_its_place(self, policy: Policy) -> None:
        tables = tuple(
            replace(t, source=replace(t.source, path=policy.path.with_name("gone.parquet")))
            if t.name == "stays"
            else t
            for t in policy.tables
        )
        with pytest.raises(PolicyError) as caught:
            open_engines(replace(policy, tables=tables))
        (problem,) = caught.value.problems
        assert (problem.path, problem.message) == (
            "tables.stays.source",
            "gone.parquet: there is no such file",
        )

    def test_a_fact_that_does_not_hold_is_a_problem(self, engines: Engines, policy: Policy) -> None:
        tables = tuple(replace(t, one_row_per_unit=t.name in ("stays", "notes")) for t in policy.tables)
        wrong = replace(policy, tables=tables)
        opened = open_engines(wrong)
        (problem,) = opened.private.violations(wrong, open_catalog(wrong, opened.public).tables)
        opened.close()
        assert (problem.path, problem.message) == (
            "tables.stays.one_row_per_unit",
            "a unit owns more than one row",
        )

    def test_a_closed_engine_fails(self, policy: Policy) -> None:
        opened = open_engines(policy)
        opened.close()
        with pytest.raises(EngineFailed):
            opened.private.run(EngineQuery("SELECT 0, 4", 0, 1))
        with pytest.raises(FinishFailed):
            opened.public.finish("SELECT 1", [])

    def test_an_engine_shows_nothing_and_is_not_pickled(self, engines: Engines) -> None:
        for engine in (engines.private, engines.public):
            assert repr(engine) == f"{type(engine).__name__}()"
            with pytest.raises(NotSupportedError):
                pickle.dumps(engine)


class TestInline(EngineContract):
    isolation = "inline"


class TestProcess(EngineContract):
    isolation = "process"


QUESTIONS = (
    "SELECT ward, count(*), sum(cost), avg(cost) FROM visits GROUP BY ward ORDER BY ward",
    "SELECT doctor, count(*) FROM visits GROUP BY doctor ORDER BY 1",
    "SELECT wing, count(*) FROM visits JOIN wards USING (ward) GROUP BY wing ORDER BY wing",
    "SELECT (SELECT count(*) FROM stays) + (SELECT sum(nights) FROM stays) AS both",
    "SELECT ward FROM visits GROUP BY ward ORDER BY count(*) DESC LIMIT 1",
    "SELECT date_trunc('month', day) AS m, count(*) FROM visits GROUP BY m HAVING count(*) > 0 ORDER BY m",
    "SELECT count(*) FROM notes WHERE note LIKE 'n1%'",
    "SELECT * FROM wards ORDER BY ward LIMIT 1",
    "SELECT ward, cost FROM visits LIMIT 0",
    "SELECT note FROM notes",
    "SELECT count(*) FROM nothing",
)


def seen(session: Session, sql: str) -> str:
    try:
        answer = session.answer(sql)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"{answer.columns} {answer.rows} {answer.released.cost} {answer.released.intervals}"


def test_a_session_answers_the_same_in_either_place(tmp_path: Path) -> None:
    found = []
    for isolation in ("inline", "process"):
        policy = clinic(tmp_path, isolation)
        session = build_session(policy, "alice", tmp_path / f"{isolation}.ledger", (None, None), Blind())
        found.append([seen(session, sql) for sql in QUESTIONS])
        session.close()
    assert found[0] == found[1]
    assert sum("Error" not in s and "Refused" not in s for s in found[0]) == 9
