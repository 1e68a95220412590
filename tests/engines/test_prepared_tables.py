"""Prepared tables: what they hold, when they are read, and that nothing else than their owner may read them."""

from __future__ import annotations

import errno
import json
import os
import stat
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

import dpsql
from dpsql.engines.base import Engine, EngineFailed, EngineQuery
from dpsql.engines.child import ChildEngine
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared.fitting import Unfit, fitting
from dpsql.engines.prepared.folder import PreparedFolder, default_folder
from dpsql.engines.prepared.manifest import FORMAT, Manifest, PreparedFile
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.engines.sqlgen.relation import prepared_of
from dpsql.errors import OperationalError, PolicyError
from dpsql.interfaces.shared_connections import ProcessCache
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.progress import Phase
from dpsql.stages.state import Resources, open_resources
from engines.opened import clinic
from engines.prepared_clinic import prepare_again, prepared_clinic


def folder_of(policy: Policy) -> PreparedFolder:
    return PreparedFolder.of(policy, default_folder(policy))


def data_of(policy: Policy) -> Path:
    folder = folder_of(policy)
    return folder.path / folder.read().file


def rewrite(prepared: Policy, **changes: object) -> None:
    """Other values in the manifest."""
    file = folder_of(prepared).manifest
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def reason(policy: Policy) -> str:
    """Why the tables are not read, as the admin is told."""
    found = fitting(policy, default_folder(policy), sources_of(policy))
    assert isinstance(found, Unfit)
    return found.reason


def is_prepared(policy: Policy) -> bool:
    """Whether a session reads prepared tables."""
    with closing(open_resources(policy, sources_of(policy))) as resources:
        marks = {t.prepared is not None for t in resources.tables.tables.values() if not t.public}
        assert len(marks) == 1
        return marks.pop()


def rows(policy: Policy, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(data_of(policy)), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_the_file_holds_the_listed_columns_as_queries_read_them(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    columns = {name: kind for name, kind, *_ in rows(policy, "DESCRIBE visits")}
    assert columns == {
        "patient": "BIGINT",
        "ward": "VARCHAR",
        "cost": "DOUBLE",
        "doctor": "BIGINT",
        "day": "DATE",
        "#code ward": "ENUM('north', 'south')",
        "#grid cost": "BIGINT",
        "#unit": "BIGINT",
        "#size": "BIGINT",
        "#place": "BIGINT",
    }
    assert rows(policy, "SELECT count(*), max(cost), min(cost) FROM visits") == [(400, 498.75, 0.0)]
    assert rows(policy, 'SELECT count(*) FROM visits WHERE ward IS DISTINCT FROM "#code ward"::VARCHAR') == [
        (0,)
    ]
    assert rows(policy, "SELECT count(*) FROM stays WHERE nights NOT BETWEEN 0 AND 30") == [(0,)]


def test_bounds_are_applied(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: copies")
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute("UPDATE visits SET cost = 9e9 WHERE doctor = 1")
        connection.execute("UPDATE visits SET cost = -0.0, ward = 'west' WHERE doctor = 2")
    prepare_again(policy)
    assert rows(policy, "SELECT DISTINCT cost FROM visits WHERE doctor = 1") == [(500.0,)]
    assert rows(policy, "SELECT DISTINCT ward, cost::VARCHAR FROM visits WHERE doctor = 2") == [(None, "0.0")]


LINKED = """\
version: 1
privacy: {unit: people.person, max_rows_per_unit: 2}
tables:
  people: {source: all.duckdb, unit_key: person, one_row_per_unit: true, columns: {person: {type: text}}}
  orders:
    source: all.duckdb
    unit_path: {of: people.person}
    columns: {no: {type: integer}, of: {type: text}}
  items: {source: all.duckdb, unit_path: {order_no: orders.no}, columns: {order_no: {type: integer}}}
budgets:
  dataset: {epsilon: 100}
  default: {epsilon: 90, per_query: 1}
accountant: pure
engine: {prepared: copies}
"""


def test_owners_are_found_along_paths_and_rows_without_one_are_left_out(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "all.duckdb")) as connection:
        connection.execute("CREATE TABLE people AS SELECT 'p' || range AS person FROM range(4)")
        connection.execute(
            "CREATE TABLE orders AS SELECT range AS no, 'p' || (range % 5) AS of FROM range(20)"
        )
        connection.execute("CREATE TABLE items AS SELECT range % 25 AS order_no FROM range(50)")
    (tmp_path / "shop.yaml").write_text(LINKED)
    policy = load_policy(tmp_path / "shop.yaml")
    prepare_again(policy)
    owners = 'SELECT "#unit", "#size", count(*) FROM {} GROUP BY ALL ORDER BY 1'
    assert rows(policy, owners.format("people")) == [(f"p{i}", 1, 1) for i in range(4)]
    assert rows(policy, owners.format("orders")) == [(f"p{i}", 4, 4) for i in range(4)]
    assert rows(policy, owners.format("items")) == [(f"p{i}", 8, 8) for i in range(4)]


def test_rows_of_units_above_the_cap_have_their_place_and_others_none(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    assert rows(policy, 'SELECT DISTINCT "#size" FROM visits') == [(10,)]
    assert rows(policy, 'SELECT "#place", count(*) FROM visits GROUP BY 1 ORDER BY 1') == [
        (i + 1, 40) for i in range(10)
    ]
    assert rows(policy, 'SELECT DISTINCT "#size", "#place" FROM stays') == [(3, 0)]
    assert rows(policy, 'SELECT DISTINCT "#size", "#place" FROM notes') == [(1, 0)]


def test_rows_without_an_owner_are_left_out(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: copies")
    with duckdb.connect(str(tmp_path / "clinic.duckdb")) as connection:
        connection.execute("UPDATE visits SET patient = NULL WHERE doctor = 1")
    assert prepare_again(policy).rows == 400 - 57 + 90 + 20


def test_only_the_owner_may_read_the_files_and_nothing_else_is_left(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    folder = folder_of(policy).path
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = sorted(p.name for p in folder.iterdir())
    assert names == sorted([f"{policy.path.stem}.json", f"{policy.path.stem}.lock", data_of(policy).name])
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()} == {0o600}


def test_a_folder_that_others_may_look_into_is_refused(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: copies")
    default_folder(policy).mkdir(mode=0o755)
    with pytest.raises(PolicyError, match=r"others may read .*copies; chmod 700 it"):
        prepare_again(policy)


def test_a_folder_beside_which_duckdb_would_write_its_log_is_refused(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: what?")
    with pytest.raises(PolicyError, match=r"what\? cannot be used: a `\?` in its path"):
        prepare_again(policy)
    assert not (tmp_path / "what?").exists()


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_a_session_reads_the_prepared_tables_and_no_private_source(tmp_path: Path, isolation: str) -> None:
    policy = prepared_clinic(tmp_path, isolation)
    sources = sources_of(policy)
    (tmp_path / "stays.parquet").write_bytes(b"nobody reads this")
    (tmp_path / "notes.csv").unlink()
    with closing(open_resources(policy, sources)) as resources:
        assert resources.prepared is not None
        assert resources.tables.tables["stays"].prepared is not None


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_queries_are_answered_from_it(tmp_path: Path, isolation: str) -> None:
    policy = prepared_clinic(tmp_path, isolation)
    with dpsql.connect(policy.path, analyst="a", epsilon="0.5") as connection:
        first = connection.execute("SELECT COUNT(*) FROM stays").fetchall()
        assert abs(int(str(first[0][0])) - 90) < 200
        assert connection.execute("SELECT COUNT(*) FROM stays").fetchall() == first


Change = Callable[[Policy, Path], None]


def _touched(policy: Policy, folder: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1 AS patient, 2 AS nights) TO '{folder / 'stays.parquet'}'")


def _readable(policy: Policy, folder: Path) -> None:
    data_of(policy).chmod(0o640)


def _open_folder(policy: Policy, folder: Path) -> None:
    default_folder(policy).chmod(0o755)


def _shorter(policy: Policy, folder: Path) -> None:
    os.truncate(data_of(policy), 4096)


def _gone(policy: Policy, folder: Path) -> None:
    data_of(policy).unlink()


CHANGES: dict[str, tuple[Change, str]] = {
    "source": (_touched, "stays.parquet has changed"),
    "format": (lambda p, f: rewrite(p, format=0), f"written in format 0, and {FORMAT} is read"),
    "version": (lambda p, f: rewrite(p, dpsql="0.0.1"), "written by dpsql 0.0.1"),
    "policy": (lambda p, f: rewrite(p, policy="0" * 64), "the policy has changed"),
    "words": (lambda p, f: folder_of(p).manifest.write_text("[]"), "is not a manifest"),
    "readable": (_readable, "others may read it"),
    "open folder": (_open_folder, "others may read it"),
    "shorter": (_shorter, "has another size"),
    "gone": (_gone, "cannot be read: No such file"),
    "removed": (lambda p, f: folder_of(p).manifest.unlink(), "nothing of this policy is prepared"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", CHANGES)
def test_whatever_differs_the_sources_are_read_and_the_admin_is_told(tmp_path: Path, name: str) -> None:
    policy = prepared_clinic(tmp_path)
    policy = replace(policy, admin_log=tmp_path / "admin.log")
    assert is_prepared(policy)
    change, told = CHANGES[name]
    change(policy, tmp_path)
    assert told in reason(policy)
    assert not is_prepared(policy)
    assert told in (tmp_path / "admin.log").read_text()


def test_another_engine_falls_back(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    other = replace(sources_of(policy), engine="DuckDB 9.9.9")
    found = fitting(policy, default_folder(policy), other)
    assert isinstance(found, Unfit) and "DuckDB 9.9.9" in found.reason


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("max_rows_per_unit: 3", "max_rows_per_unit: 4"),
        ("upper: 500", "upper: 400"),
        ("values: [north, south]", "values: [north]"),
    ],
)
def test_another_policy_falls_back(tmp_path: Path, before: str, after: str) -> None:
    policy = prepared_clinic(tmp_path)
    policy.path.write_text(policy.path.read_text().replace(before, after))
    assert not is_prepared(load_policy(policy.path))


def test_budgets_may_change(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    policy.path.write_text(policy.path.read_text().replace("epsilon: 90", "epsilon: 80"))
    assert is_prepared(load_policy(policy.path))


def test_a_file_of_another_run_falls_back(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    rewrite(policy, mark="0" * 32)
    assert not is_prepared(policy)


def test_tables_that_other_sql_made_fall_back(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    tables = [
        {**t, "statements": "other"} for t in json.loads(folder_of(policy).manifest.read_text())["tables"]
    ]
    rewrite(policy, tables=tables)
    assert not is_prepared(policy)


def test_facts_that_do_not_hold_are_found_and_nothing_is_prepared(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: copies")
    (tmp_path / "notes.csv").write_text("patient,note\n1,a\n1,b\n")
    with pytest.raises(PolicyError, match="a unit owns more than one row"):
        prepare_again(policy)
    assert [p.suffix for p in default_folder(policy).iterdir()] == [".lock"]


def test_data_that_changes_meanwhile_is_not_published(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    before = folder_of(policy).read()

    def write(phase: Phase) -> None:
        _touched(policy, tmp_path)

    with pytest.raises(OperationalError, match="the data is being changed"):
        prepare_tables(policy, default_folder(policy), write)
    assert folder_of(policy).read() == before
    assert len(list(default_folder(policy).iterdir())) == 3


def test_an_interrupt_leaves_the_run_before(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    before = folder_of(policy).read()

    def interrupt(phase: Phase) -> None:
        if "copying" in phase.name:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_tables(policy, default_folder(policy), interrupt)
    assert folder_of(policy).read() == before
    assert len(list(default_folder(policy).iterdir())) == 3


def test_a_run_replaces_the_one_before_and_removes_what_others_left(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    first, folder = data_of(policy), default_folder(policy)
    stale = folder / f"{policy.path.stem}-{'a' * 32}.unfinished"
    stale.mkdir()
    (stale / "tables.duckdb").write_text("rows")
    (folder / f"{policy.path.stem}-{'b' * 32}.duckdb").write_text("rows")
    (folder / "of another policy.json").write_text("{}")
    prepare_again(policy)
    left = {p.name for p in folder.iterdir()}
    assert left == {
        *(f"{policy.path.stem}.json", f"{policy.path.stem}.lock"),
        *(data_of(policy).name, first.name, "of another policy.json"),
    }


def files_of(policy: Policy) -> set[Path]:
    """The files of prepared rows that are there."""
    return set(default_folder(policy).glob("*.duckdb"))


def test_the_file_of_one_run_before_stays_and_no_older_one(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    first = data_of(policy)
    prepare_again(policy)
    second = data_of(policy)
    assert files_of(policy) == {first, second}
    prepare_again(policy)
    assert files_of(policy) == {second, data_of(policy)} and second != data_of(policy)
    folder_of(policy).remove()
    assert not default_folder(policy).exists()


def test_a_run_that_fails_leaves_the_files_that_connections_read(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    prepare_again(policy)
    before = files_of(policy)

    def interrupt(phase: Phase) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        prepare_tables(policy, default_folder(policy), interrupt)
    assert files_of(policy) == before and len(before) == 2


@pytest.mark.parametrize("failing", range(3))
def test_a_run_that_cannot_be_published_leaves_no_rows(
    tmp_path: Path, failing: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = prepared_clinic(tmp_path)
    before, synced = files_of(policy), iter(range(9))

    def full(descriptor: int) -> None:
        if next(synced) == failing:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OperationalError, match="No space left"):
        prepare_tables(policy, default_folder(policy))
    assert files_of(policy) == before and is_prepared(policy)


def test_rows_of_former_sources_do_not_stay(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    prepare_again(policy)
    _touched(policy, tmp_path)
    prepare_again(policy)
    assert files_of(policy) == {data_of(policy)}


def test_an_engine_that_is_killed_after_another_run_is_opened_anew(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path, "process")
    with closing(open_resources(policy, sources_of(policy))) as resources:
        prepare_again(policy)
        assert rows_of_stays(resources.private) == 90
        process = process_of(resources.private)
        process.kill()
        process.wait()
        with pytest.raises(EngineFailed):
            rows_of_stays(resources.private)
        assert rows_of_stays(resources.private) == 90
        assert process_of(resources.private) is not process


def rows_of_stays(engine: Engine) -> int:
    """How many rows the engine finds in a prepared table."""
    exact = engine.run(EngineQuery(f"SELECT 0, count(*) FROM {prepared_of('stays')}", 0, 1))
    return int(exact.values[0][0])


def process_of(engine: Engine) -> subprocess.Popen[bytes]:
    """The child in which a private engine runs."""
    assert isinstance(engine, ChildEngine)
    running = engine._child._running
    assert running is not None
    return running.process


@pytest.mark.slow
def test_connections_go_on_after_another_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = prepared_clinic(tmp_path, "process")
    with dpsql.connect(policy.path, analyst="a", epsilon="0.5") as connection:
        connection.execute("SELECT COUNT(*) FROM visits")
        prepare_again(policy)
        assert connection._session is not None
        process = process_of(connection._session._state.engine)
        process.kill()
        process.wait()
        with pytest.raises(dpsql.OperationalError):
            connection.execute("SELECT COUNT(*) FROM notes")
        assert connection.execute("SELECT COUNT(*) FROM stays").fetchall()


def test_connections_of_one_process_are_opened_over_the_copy_of_the_present(tmp_path: Path) -> None:
    policy, cache = clinic(tmp_path, "inline", "prepared: copies"), ProcessCache()
    sources = sources_of(policy)

    def opened() -> Resources:
        return cache.resources(policy, sources)

    with closing(cache):
        live = opened()
        assert live.tables.tables["stays"].prepared is None
        prepare_again(policy)
        first = opened()
        assert first.tables.tables["stays"].prepared is not None and opened() is first
        for _ in range(2):
            prepare_again(policy)
        assert rows_of_stays(opened().private) == 90
        with pytest.raises(PolicyError, match="cannot be read"):
            rows_of_stays(first.private)


def test_one_run_at_a_time(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    with (
        folder_of(policy).one_run(),
        pytest.raises(OperationalError, match="another `dpsql prepare` is at work"),
    ):
        prepare_again(policy)


def test_an_open_session_goes_on_with_the_file_that_it_has(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    with dpsql.connect(policy.path, analyst="a", epsilon="0.5") as connection:
        connection.execute("SELECT COUNT(*) FROM visits")
        prepare_again(policy)
        assert connection.execute("SELECT COUNT(*) FROM stays").fetchall()


def test_removing_leaves_nothing(tmp_path: Path) -> None:
    policy = prepared_clinic(tmp_path)
    assert folder_of(policy).remove()
    assert not default_folder(policy).exists()
    assert not folder_of(policy).remove()


def test_charges_and_stored_answers_are_those_of_the_sources(tmp_path: Path) -> None:
    policy = clinic(tmp_path, "inline", "prepared: copies")
    question = "SELECT ward, COUNT(*) FROM visits GROUP BY ward"
    with dpsql.connect(policy.path, analyst="a", epsilon="0.5") as connection:
        first = connection.execute(question)
        answer = first.fetchall()
    prepare_again(policy)
    assert is_prepared(policy)
    with dpsql.connect(policy.path, analyst="a", epsilon="0.5") as connection:
        again = connection.execute(question)
        assert again.fetchall() == answer and again.release.epsilon == 0


def test_the_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
    manifest = folder_of(prepared_clinic(tmp_path)).read()
    assert Manifest.read(manifest.written()) == manifest
    policy = load_policy(next(tmp_path.glob("*.yaml")))
    assert isinstance(fitting(policy, tmp_path / "copies", manifest.sources), PreparedFile)
