"""Nothing is accepted and silently wrong: without noise and without bounds that bite, answers are DuckDB's own."""

from __future__ import annotations

import random
import shutil
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from unittest.mock import patch

import duckdb
import pytest

from dpsql.audit.databases.random_database import Database, random_database, stored
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.random_query import random_query
from dpsql.audit.sensitivity import Subject
from dpsql.engines.duckdb_settings import connect
from dpsql.engines.sources.column_types import ENGINE_TYPE
from dpsql.errors import QueryRefused
from dpsql.mechanisms.clipping.clipping_threshold import Threshold
from dpsql.mechanisms.clipping.unit_bins import LIMIT_BITS, Bins
from dpsql.policy.model import Column, ColumnType, JsonField, Policy
from dpsql.policy.table_sources import SourceKind
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare
from fuzz.compare import Expected, NoNoise, difference, tolerance, whole_tolerance
from fuzz.typed import read
from fuzz.worlds import LOOSE, subjects

EXECUTIONS = 20
QUERIES_OF_A_DATABASE = 16
CLIPPING = (None, "private", None)


def largest(counts: object, *, bins: Bins, **law: object) -> Threshold:
    """The threshold that scales nobody."""
    return Threshold(1 << LIMIT_BITS, LIMIT_BITS)


@dataclass(slots=True)
class Run:
    """What a run of the fuzzer saw."""

    executions: int = 0
    failure: str | None = None
    rows: int = 0
    raised: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        refused = sum(self.refused.values())
        return (
            f"{self.executions} executions, {self.rows} rows compared, {refused} refused, "
            f"{self.raised} without an answer of DuckDB"
        )


def plain(policy: Policy) -> duckdb.DuckDBPyConnection:
    """DuckDB without any privacy over a stored database; what the policy hides is not there."""
    connection = duckdb.connect(":memory:")
    connection.execute("SET error_on_division_by_zero = false")  # dpsql's expressions are total
    connection.execute("SET TimeZone = 'UTC'")
    for i, table in enumerate(t for t in policy.tables if not t.public):
        shown = [c for c in table.columns if not c.hidden]
        columns = ", ".join(_whole(c) for c in shown)
        if table.source.kind is SourceKind.PARQUET:
            source = f"read_parquet('{table.source.path}')"
        else:
            connection.execute(f"ATTACH '{table.source.path}' AS source{i} (READ_ONLY)")
            source = f"source{i}.{table.source.table}"
        connection.execute(f"CREATE TABLE {table.name} AS SELECT {columns} FROM {source}")
    connection.execute(f"ATTACH '{policy.tables[-1].source.path.parent}/public.duckdb' AS public (READ_ONLY)")
    for table in (t for t in policy.tables if t.public):
        parquet = table.source.kind is SourceKind.PARQUET
        read(connection, table.name, f"'{table.source.path}'" if parquet else f"public.{table.name}")
    return connection


def _whole(column: Column) -> str:
    """A private column; text is compared by its bytes, whatever the source has in its place."""
    value = column.name if column.field is None else _extracted(column.field, column.type)
    if column.type is not ColumnType.TEXT:
        return f'{value} AS "{column.name}"'
    return f'CAST({value} AS VARCHAR) COLLATE C AS "{column.name}"'


def _extracted(field: JsonField, kind: ColumnType) -> str:
    """A field as a person would extract it from text that is well formed, as that of these databases is or is none."""
    text = f"json_extract_string({field.column}, '$.{'.'.join(field.steps)}')"
    return f"CAST(CASE WHEN json_valid({field.column}) THEN {text} END AS {ENGINE_TYPE[kind]})"


def expected(query: Query, connection: duckdb.DuckDBPyConnection) -> Expected:
    """DuckDB's answer, and its description of the query as typed."""
    params = query.params
    given = list(params) if isinstance(params, tuple) else params
    known = query.plain if "local" in query.tags else query.described or query.sql  # DuckDB has no responses
    described = connection.execute(f"DESCRIBE {known}", given).fetchall()
    rows = connection.execute(query.plain, given).fetchall()
    return Expected(tuple(rows), tuple((str(r[0]), str(r[1])) for r in described))


def check(query: Query, session: Session, connection: duckdb.DuckDBPyConnection, size: int, run: Run) -> None:
    """Answers a query both ways and compares."""
    run.executions += 1
    try:
        answer = session.answer(query.sql, query.params)
    except QueryRefused as refusal:
        run.refused[str(refusal)] += 1
        return
    try:
        wanted = expected(query, connection)
    except (duckdb.ConversionException, duckdb.OutOfRangeException):
        run.raised += 1  # DuckDB has no answer
        return
    run.constructs.update(query.tags)
    run.rows += len(wanted.rows)
    plan = prepare(query.sql, query.params, session._state).plan
    wrong = difference(query, answer.rows, wanted, tolerance(plan, size), whole_tolerance(plan, size))
    assert wrong is None, wrong
    found = tuple((c.name, c.type) for c in answer.columns)
    same = len(found) == len(wanted.columns) and all(map(_is_told, found, wanted.columns))
    assert same, f"described as {found}, DuckDB: {wanted.columns}"


def _is_told(column: tuple[str, str], wanted: tuple[str, str]) -> bool:
    """Whether a column has DuckDB's name and type, or the wider one of whole numbers that no list of groups bounds."""
    wider = column[1] == "BIGINT" and wanted[1] in ("TINYINT", "SMALLINT", "INTEGER")
    return column == wanted or (column[0] == wanted[0] and wider)


def fuzz_database(world: Subject, folder: Path, seed: int, run: Run) -> None:
    """Many queries on one database."""
    database = random_database(
        world.policy, world.view, world.style, random.Random(f"database {seed} {world.name}")
    )
    policy, clipping = stored(database, folder), CLIPPING[seed % len(CLIPPING)]
    by_text = seed % 4 == 0  # as the second engine plans, to which a session turns seldom
    with (
        patch("dpsql.engines.private_engine.connect", partial(connect, by_text=by_text)),
        patch("dpsql.release.draw.thresholds.clipping_threshold", largest),
        closing(
            build_session(
                *(policy, "analyst", None, (None, None), NoNoise()), clipping=clipping, empty_conditions=True
            )
        ) as session,
        closing(plain(policy)) as connection,
    ):
        for i in range(QUERIES_OF_A_DATABASE):
            query = random_query(seed * QUERIES_OF_A_DATABASE + i, world.view, exact=True)
            try:
                check(query, session, connection, database.size, run)
            except Exception as failure:
                run.failure = report(failure, query, world, seed, i, database)
                return


def report(failure: BaseException, query: Query, world: Subject, seed: int, at: int, one: Database) -> str:
    """Everything that is needed to see a failure again."""
    return (
        f"{type(failure).__name__}: {failure}\n"
        f"world {world.name}, seed {seed}, query seed {seed * QUERIES_OF_A_DATABASE + at}\n"
        f"{query.sql}\n{query.params}\n{one.size} rows"
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, executions: int, fuzz_seed: int) -> Run:
    run, seed = Run(), fuzz_seed
    folder = tmp_path_factory.mktemp("equivalence")
    worlds = subjects(LOOSE, folder)
    while run.executions < (executions or EXECUTIONS) and run.failure is None:
        fuzz_database(worlds[seed % len(worlds)], folder / str(seed), seed, run)
        shutil.rmtree(folder / str(seed))
        seed += 1
    return run


def test_an_answer_without_noise_is_what_duckdb_says(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        print(f"\nequivalence fuzz: {run}")
    assert run.failure is None, run.failure
    assert run.raised < run.executions / 50
    assert run.rows >= run.executions


def test_most_queries_are_answered_and_every_construct_is_among_them(run: Run) -> None:
    if run.executions < EXECUTIONS:
        pytest.skip("a shorter run than the default may miss a construct")
    assert sum(run.refused.values()) < 0.25 * run.executions, run.refused.most_common(5)
    assert len(run.constructs) >= 70, run.constructs
