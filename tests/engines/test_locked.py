"""The second line of defence: hostile statements straight on the raw connections, as if there were no gate."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest

from dpsql.engines.duckdb_settings import _FROM_THE_START, Limits, own_directory, remove
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.public_engine import FinishEngine
from engines.opened import clinic

within_reach = {"a": np.array([777777])}  # what a replacement scan would find
FILES = """
SELECT * FROM '{folder}/bait.csv'
SELECT * FROM read_csv('{folder}/bait.csv')
SELECT content FROM read_text('{folder}/bait.csv')
SELECT content FROM read_blob('/etc/passwd')
SELECT * FROM read_json('{folder}/bait.json')
SELECT * FROM read_parquet('{folder}/bait.parquet')
SELECT * FROM parquet_metadata('{folder}/bait.parquet')
SELECT * FROM sniff_csv('{folder}/bait.csv')
SELECT * FROM glob('{folder}/*')
SELECT * FROM query('SELECT content FROM read_text(''{folder}/bait.csv'')')
FROM json_execute_serialized_sql(json_serialize_sql('SELECT content FROM read_text(''{folder}/bait.csv'')'))
CREATE VIEW peek AS SELECT content FROM read_text('{folder}/bait.csv')
CREATE MACRO peek() AS TABLE SELECT content FROM read_text('{folder}/bait.csv')
CREATE TYPE peek AS ENUM (SELECT content FROM read_text('{folder}/bait.csv'))
PREPARE peek AS SELECT content FROM read_text('{folder}/bait.csv')
COPY (SELECT 1) TO '{folder}/out.csv'
COPY (SELECT 1) TO '/dev/stdout'
COPY (SELECT 1) TO '{folder}/out.parquet' (FORMAT parquet)
PREPARE leak AS COPY (SELECT 1) TO '{folder}/out.csv'
EXPORT DATABASE '{folder}/out'
IMPORT DATABASE '{folder}/exported'
ATTACH '{folder}/new.duckdb' AS fresh
ATTACH '{folder}/other.duckdb' AS other
ATTACH '{folder}/other.duckdb' AS other (READ_ONLY)
SELECT * FROM within_reach
"""
NOWHERE = """
SET enable_external_access = true
RESET enable_external_access
ATTACH 'https://127.0.0.1/x.duckdb' AS far
SELECT * FROM read_csv('https://127.0.0.1/x.csv')
INSTALL httpfs
FORCE INSTALL spatial FROM community
LOAD httpfs
LOAD '{folder}/evil.duckdb_extension'
UPDATE EXTENSIONS
CREATE PERSISTENT SECRET s (TYPE http, BEARER_TOKEN 'b')
CREATE SECRET s (TYPE s3, KEY_ID 'a', SECRET 'b')
SELECT getenv('HOME')
SELECT * FROM system.main.duckdb_extensions()
"""
SETTINGS = """
SET lock_configuration = false
SET memory_limit = '100GB'
SET max_execution_time = 0
SET threads = 64
SET temp_directory = '{folder}/spill'
SET allowed_paths = ['/etc/passwd']
SET allowed_directories = ['/etc']
SET python_enable_replacements = true
SET autoload_known_extensions = true
SET file_search_path = '/etc'
SET home_directory = '/etc'
SET secret_directory = '{folder}'
SET enable_logging = true
SET GLOBAL threads = 64
RESET memory_limit
PRAGMA threads = 64
PRAGMA memory_limit = '100GB'
PRAGMA enable_profiling
PRAGMA profiling_output = '{folder}/profile.txt'
CALL enable_logging(storage = 'file', storage_path = '{folder}/log')
CALL enable_logging()
"""
IN_NO_CASE = tuple(NOWHERE.strip().splitlines())
HOSTILE = (*FILES.strip().splitlines(), *IN_NO_CASE, *SETTINGS.strip().splitlines())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("locked")
    (made / "bait.csv").write_text("a\n777777\n", encoding="utf-8")
    with duckdb.connect(str(made / "other.duckdb")) as connection:
        connection.execute("CREATE TABLE bait AS SELECT 777777 AS a")
        connection.execute(f"COPY bait TO '{made}/bait.parquet'")
        connection.execute(f"COPY bait TO '{made}/bait.json'")
        connection.execute(f"EXPORT DATABASE '{made}/exported'")
    return made


@pytest.fixture(scope="module", params=["private", "public"])
def raw(request: pytest.FixtureRequest, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    policy = clinic(folder, "inline")
    engine = DuckEngine.open(policy) if request.param == "private" else FinishEngine.open(policy)
    yield engine._connection
    engine.close()


@pytest.mark.parametrize("sql", HOSTILE, ids=lambda sql: sql[:60])
def test_no_hostile_statement_works_on_a_raw_connection(
    raw: duckdb.DuckDBPyConnection, folder: Path, sql: str
) -> None:
    before = files(folder)
    with pytest.raises(duckdb.Error):
        raw.execute(sql.format(folder=folder)).fetchall()
    assert files(folder) == before


def files(folder: Path) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_nothing_is_rewritten_by_what_is_stored(raw: duckdb.DuckDBPyConnection) -> None:
    """Whether an expression can be computed must not depend on which values a column has."""
    ((disabled,),) = raw.execute("SELECT current_setting('disabled_optimizers')").fetchall()
    assert {"statistics_propagation", "compressed_materialization"} <= set(disabled.split(","))


@pytest.mark.parametrize("cursor", ["connection", "described"])
def test_every_setting_holds_where_queries_run_and_where_they_are_described(
    folder: Path, cursor: str
) -> None:
    engine = FinishEngine.open(clinic(folder, "inline"))
    raw = engine._connection if cursor == "connection" else engine._described.cursor
    after = {
        "secret_directory": "",
        "parquet_metadata_cache": "false",
        "TimeZone": "UTC",
        "temp_directory": "",
    }
    expected = _FROM_THE_START | after
    for name, value in expected.items():
        ((found,),) = raw.execute(f"SELECT current_setting('{name}')::VARCHAR").fetchall()
        assert (name, set(found.split(","))) == (name, set(value.split(",")))
    with pytest.raises(duckdb.Error):
        raw.execute("SELECT * FROM within_reach").fetchall()
    engine.close()


@pytest.mark.one_in(6)
@pytest.mark.parametrize("sql", [s for s in HOSTILE if s not in IN_NO_CASE], ids=lambda sql: sql[:60])
def test_each_of_them_works_where_nothing_is_locked(
    folder: Path, tmp_path: Path, sql: str, capfd: pytest.CaptureFixture[str]
) -> None:
    """Otherwise a misspelled statement would pass for one that is shut out."""
    shutil.copytree(folder, tmp_path / "copy")
    with duckdb.connect() as connection:
        connection.execute(sql.format(folder=tmp_path / "copy")).fetchall()


def test_the_public_engine_gave_up_the_files_that_it_was_filled_from(folder: Path) -> None:
    engine = FinishEngine.open(clinic(folder, "inline"))
    for sql in (
        'FROM "#source0".main.visits',
        f"FROM read_duckdb('{folder}/clinic.duckdb', table_name = 'visits')",
        f"ATTACH '{folder}/clinic.duckdb' AS again (READ_ONLY)",
    ):
        with pytest.raises(duckdb.Error):
            engine._connection.execute(sql).fetchall()
    paths = engine._connection.execute(
        "SELECT path FROM duckdb_databases() WHERE path IS NOT NULL"
    ).fetchall()
    engine.close()
    assert paths == []


@pytest.mark.parametrize("kind", [DuckEngine, FinishEngine])
def test_limits_are_those_that_were_asked_for(folder: Path, kind: type[DuckEngine]) -> None:
    engine = kind.open(clinic(folder, "inline"), Limits(7, 2**28, 3))
    names = ("threads", "memory_limit", "max_execution_time", "temp_directory", "lock_configuration")
    found = engine._connection.execute(
        f"SELECT {', '.join(f'current_setting({n!r})' for n in names)}"
    ).fetchall()
    engine.close()
    assert found == [(3, "256.0 MiB", 7000, "", True)]


SPILLS = "SELECT count(*) FROM (SELECT range % 3000000 AS k, count(*) FROM range(6000000) GROUP BY 1)"


def test_what_does_not_fit_into_memory_goes_nowhere_unless_a_directory_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = DuckEngine.open(clinic(folder, "inline"), Limits(60, 2**26, 2))
    with pytest.raises(duckdb.OutOfMemoryException):
        engine._connection.execute(SPILLS).fetchall()
    engine.close()
    assert os.listdir(tmp_path) == []
    spill = tmp_path / "spill"
    spill.mkdir()
    engine = DuckEngine.open(clinic(folder, "inline"), Limits(60, 2**26, 2, spill))
    assert engine._connection.execute(SPILLS).fetchall() == [(3000000,)]
    (own,) = spill.iterdir()
    assert own.stat().st_mode & 0o777 == 0o700
    engine.close()
    assert os.listdir(spill) == []


OF_ANOTHER = """
import sys
from pathlib import Path
from dpsql.engines.duckdb_settings import Limits, own_directory
made = own_directory(Limits(60, spill=Path(sys.argv[1]))).spill
(made / "rows").touch()
print(made, flush=True)
sys.stdin.read()
"""


def test_what_engines_of_a_killed_process_have_spilled_is_removed(tmp_path: Path) -> None:
    """What those of a living one write is left alone."""
    program = [sys.executable, "-c", OF_ANOTHER, str(tmp_path)]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        theirs = Path(other.stdout.readline().rstrip("\n"))
        first = own_directory(Limits(60, spill=tmp_path))
        assert (theirs / "rows").exists()
        other.kill()
    second = own_directory(Limits(60, spill=tmp_path))
    assert {*tmp_path.iterdir()} == {first.spill, second.spill}
    remove(first)
    remove(second)
    assert list(tmp_path.iterdir()) == []
