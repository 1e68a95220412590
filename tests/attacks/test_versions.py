"""One version of the data has one set of sources: whatever else stands in their place is served to nobody."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from attacks.sources import (
    COUNT,
    accepted,
    folder,
    opened,
    orders,
    refused,
    rewritten_in_secret,
    version,
    written,
)
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import SourceFile, Sources
from dpsql.engines.base import Engine, EngineQuery, Exact
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sources import fingerprints
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.errors import OperationalError, PolicyError, QueryFailed
from dpsql.interfaces import shared_connections as shared
from dpsql.policy.load import load_policy
from dpsql.session import Session, check_data, refresh_sources


@pytest.fixture(params=["parquet", "duckdb", "csv"])
def suffix(request: pytest.FixtureRequest) -> str:
    return str(request.param)


# A write-ahead log.


def killed_writer(path: Path) -> None:
    """Rows that a writer has committed, and not put into the file before it was killed."""
    code = "import duckdb, os, sys; db = duckdb.connect(sys.argv[1]); "
    code += "db.execute('INSERT INTO orders SELECT 5000 + range FROM range(50)'); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code, str(path)], check=False).returncode == 9


def test_rows_in_a_write_ahead_log_are_not_served(tmp_path: Path) -> None:
    policy = folder(tmp_path, "duckdb")
    killed_writer(tmp_path / "orders.duckdb")
    for check in (lambda: version(policy), lambda: check_data(load_policy(policy))):
        with pytest.raises(PolicyError, match=r"tables\.orders\.source: orders\.duckdb\.wal.*CHECKPOINT"):
            check()
    with duckdb.connect(str(tmp_path / "orders.duckdb")) as db:
        db.execute("CHECKPOINT")
    assert version(policy) == 1


def test_a_write_ahead_log_that_appears_later_stops_a_session_before_the_charge(tmp_path: Path) -> None:
    policy = folder(tmp_path, "duckdb")
    with closing(opened(policy)) as session:
        session._state.engine.close()  # a writer gets no lock while we hold the file
        killed_writer(tmp_path / "orders.duckdb")
        with pytest.raises(OperationalError, match="the data is being changed"):
            session.answer(COUNT)
        assert session.budget().spent.epsilon == 0
    assert "CHECKPOINT" in (tmp_path / "admin.log").read_text("utf-8")


def test_a_write_ahead_log_beside_the_file_that_a_link_leads_to_is_not_served(tmp_path: Path) -> None:
    policy, link, file = (
        folder(tmp_path, "duckdb"),
        tmp_path / "orders.duckdb",
        tmp_path / "kept" / "2025.duckdb",
    )
    file.parent.mkdir()
    link.rename(file)
    link.symlink_to(file)
    with closing(opened(policy)) as session:
        session._state.engine.close()
        killed_writer(link)
        assert file.with_name("2025.duckdb.wal").exists()
        with pytest.raises(OperationalError, match="the data is being changed"):
            session.answer(COUNT)
    with pytest.raises(PolicyError, match=r"2025\.duckdb\.wal.*CHECKPOINT"):
        version(policy)


@pytest.mark.parametrize("end", [".wal", ".wal.checkpoint", ".wal.recovery"])
def test_whatever_duckdb_would_read_beside_a_file_is_refused(tmp_path: Path, end: str) -> None:
    policy = folder(tmp_path, "duckdb")
    assert version(policy) == 1
    (tmp_path / f"orders.duckdb{end}").touch()
    with pytest.raises(PolicyError, match="CHECKPOINT"):
        version(policy)
    with pytest.raises(PolicyError, match="CHECKPOINT"):
        shared.connect(policy, analyst="alice")


# Other files, and other content.


@pytest.mark.one_in(4)
def test_the_same_policy_in_another_folder_is_other_data(tmp_path: Path, suffix: str) -> None:
    first, second = folder(tmp_path / "a", suffix), folder(tmp_path / "b", suffix, 500)
    ledger = tmp_path / "shop.ledger"
    assert version(first, ledger) == 1
    assert refused(second, ledger) and not refused(first, ledger)
    assert f"{second.parent}/orders.{suffix} is not a file that" in (tmp_path / "b/admin.log").read_text(
        "utf-8"
    )
    assert refresh_sources(second, ledger, "admin") == 2
    assert version(second, ledger) == 2 and refused(first, ledger)
    assert refresh_sources(first, ledger, "admin") == 3
    assert version(first, ledger) == 3 and refused(second, ledger)


def test_an_open_session_on_the_former_files_is_not_served_in_the_new_version(tmp_path: Path) -> None:
    first, second = folder(tmp_path / "a"), folder(tmp_path / "b", first=500)
    ledger = tmp_path / "shop.ledger"
    with closing(opened(first, ledger)) as session:
        refresh_sources(second, ledger, "admin")
        with pytest.raises(OperationalError, match="version 2 by now"):
            session.answer(COUNT)


def test_a_policy_that_reads_some_of_the_files_is_served(tmp_path: Path) -> None:
    whole = folder(tmp_path)
    part, ledger = tmp_path / "part.yaml", tmp_path / "shop.ledger"
    lines = whole.read_text("utf-8").splitlines(keepends=True)
    part.write_text("".join(line for line in lines if "regions" not in line), encoding="utf-8")
    assert version(whole, ledger) == version(part, ledger) == 1
    refresh_sources(part, ledger, "admin")
    assert version(part, ledger) == 2 and refused(whole, ledger)


def test_other_rows_in_as_many_bytes_with_the_old_time_are_other_data(tmp_path: Path) -> None:
    for suffix in ("parquet", "duckdb"):
        policy = folder(tmp_path / suffix, suffix)
        assert version(policy) == 1
        rewritten_in_secret(policy.parent / f"orders.{suffix}", orders(500))
        assert refused(policy), suffix


def test_a_restored_backup_that_kept_its_times_is_the_same_file(tmp_path: Path, suffix: str) -> None:
    policy = folder(tmp_path, suffix)
    assert version(policy) == 1
    source, backup = tmp_path / f"orders.{suffix}", tmp_path / "backup"
    shutil.copy2(source, backup)
    inode = source.stat().st_ino
    os.replace(backup, source)
    assert source.stat().st_ino != inode and version(policy) == 1


def test_a_missing_file_is_not_put_on_record(tmp_path: Path) -> None:
    policy = folder(tmp_path)
    (tmp_path / "orders.parquet").rename(tmp_path / "away")
    with pytest.raises(PolicyError, match="there is no such file"):
        version(policy)
    with pytest.raises(PolicyError, match=r"orders\.parquet cannot be read"):
        refresh_sources(policy, None, "admin")
    (tmp_path / "away").rename(tmp_path / "orders.parquet")
    assert version(policy) == 1


def test_a_ledger_of_an_earlier_dpsql_serves_the_files_that_it_knows(tmp_path: Path) -> None:
    policy = folder(tmp_path)
    recorded = []
    for file in sources_of(load_policy(policy)).files:
        size, time, _ = file.fingerprint.split(":")
        recorded.append(("main", file.path, 1, f"{size}:{time}:4711"))
    with Ledger.open(tmp_path / "shop.ledger") as ledger:
        ledger._database.write(
            lambda db: [db.execute("INSERT INTO fingerprints VALUES (?, ?, ?, ?)", row) for row in recorded]
        )
    os.utime(tmp_path / "orders.parquet")
    assert refused(policy)
    _, _, _, text = next(row for row in recorded if "orders" in row[1])
    os.utime(tmp_path / "orders.parquet", ns=(1, int(text.split(":")[1])))
    assert version(policy) == 1
    rewritten_in_secret(tmp_path / "orders.parquet", orders(500))  # by now the footer is on record
    assert refused(policy)


def test_a_process_looks_into_files_again_only_where_one_was_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy, looked = folder(tmp_path), []
    fingerprint = fingerprints._fingerprint
    monkeypatch.setattr(
        fingerprints, "_fingerprint", lambda *given: looked.append(given[0].name) or fingerprint(*given)
    )
    for touched, times in ((False, 4), (False, 0), (True, 2)):  # the first time, what is recorded is compared
        looked.clear()
        if touched:
            (tmp_path / "orders.parquet").chmod(0o640)
        shared.connect(policy, analyst="alice").close()
        assert len(looked) == times
    rewritten_in_secret(tmp_path / "orders.parquet", orders(500))
    with pytest.raises(OperationalError, match="dpsql refresh"):
        shared.connect(policy, analyst="alice")


# The engine.


def test_another_version_of_the_engine_is_other_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = folder(tmp_path)
    assert version(policy) == 1
    monkeypatch.setattr(
        "dpsql.engines.sources.fingerprints.engine_identity", lambda: "DuckDB 99, choice of rows 1"
    )
    assert refused(policy)
    assert "would now be read with DuckDB 99" in (tmp_path / "admin.log").read_text("utf-8")
    with pytest.raises(PolicyError, match=r"DuckDB 99.*without --same"):
        accepted(policy)
    assert refresh_sources(policy, None, "admin") == version(policy) == 2


def test_no_engine_keeps_parts_of_files_that_it_has_read(tmp_path: Path) -> None:
    with closing(DuckEngine.open(load_policy(folder(tmp_path)))) as engine:
        for setting in ("enable_external_file_cache", "cache_local_files", "parquet_metadata_cache"):
            sql = f"SELECT current_setting('{setting}')"
            assert engine._connection.execute(sql).fetchall() == [(False,)], setting
        rows = "SELECT sum(customer) FROM src.orders"
        before = engine._connection.execute(rows).fetchall()
        rewritten_in_secret(tmp_path / "orders.parquet", orders(500))
        assert engine._connection.execute(rows).fetchall() != before


# Between the charge and the answer.


class Replacing:
    """An engine during whose runs something else happens."""

    def __init__(self, engine: Engine, meanwhile: Callable[[], None]) -> None:
        self.engine = engine
        self.meanwhile = meanwhile

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        self.meanwhile()
        return self.engine.run(query)

    def close(self) -> None:
        self.engine.close()


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[tuple[Path, Session]]:
    policy = folder(tmp_path)
    with closing(opened(policy)) as session:
        yield tmp_path, session


def there_and_back(source: Path) -> None:
    """The file is another one for a moment."""
    source.rename(source.with_suffix(".away"))
    written(source, orders(500))
    source.with_suffix(".away").replace(source)


@pytest.mark.parametrize(
    "meanwhile",
    [
        lambda source: written(source, orders(500)),
        lambda source: rewritten_in_secret(source, orders(500)),
        there_and_back,
        os.utime,
    ],
    ids=["replaced", "in secret", "there and back", "touched"],
)
def test_what_is_replaced_during_a_run_is_drawn_for_nobody(
    shop: tuple[Path, Session], meanwhile: Callable[[Path], None]
) -> None:
    home, session = shop
    state = session._state
    state.engine = Replacing(state.engine, lambda: meanwhile(home / "orders.parquet"))
    with pytest.raises(QueryFailed, match="its charge stands"):
        session.answer(COUNT)
    assert session.budget().spent.epsilon == 1
    kept = state.ledger._database.read(lambda db: db.execute("SELECT count(*) FROM shelf").fetchone())  # type: ignore[attr-defined]
    assert kept == (0,)
    assert "a source was touched while a query read it" in (home / "admin.log").read_text("utf-8")


def test_a_file_that_was_touched_and_is_the_same_is_read_on(shop: tuple[Path, Session]) -> None:
    home, session = shop
    (home / "orders.parquet").chmod(0o640)  # a new time of change, that nobody can set
    assert session.answer(COUNT).rows
    written(home / "regions.parquet", "SELECT 'south' AS region")
    with pytest.raises(OperationalError, match="the data is being changed"):
        session.answer("SELECT COUNT(*) FROM orders WHERE customer > 5")
    assert session.budget().spent.epsilon == 1


def test_a_source_that_changes_while_the_engines_open_is_not_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = folder(tmp_path)
    opens = DuckEngine.open
    monkeypatch.setattr(
        DuckEngine, "open", lambda *given: (there_and_back(tmp_path / "orders.parquet"), opens(*given))[1]
    )
    with pytest.raises(OperationalError, match="the data is being changed"):
        opened(policy)


def test_text_files_that_an_earlier_version_guessed_at_need_a_refresh() -> None:
    """A ledger from before engines were recorded: what its other files hold is read as it was."""
    for name, changed in (("t.csv", 1), ("t.CSV.gz", 1), ("t.tsv", 1), ("t.parquet", 0), ("t.duckdb", 0)):
        earlier = Sources(files=(SourceFile(f"/data/{name}", (), "10:20"),))
        now = Sources("an engine", (SourceFile(f"/data/{name}", ("t",), "10:20:ab"),))
        assert len(now.changes(earlier)) == changed
