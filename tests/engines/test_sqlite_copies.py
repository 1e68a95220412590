"""Tables of SQLite, copied in one transaction: each value is read by its own storage class, or is NULL."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Sequence
from contextlib import closing
from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless
from click.testing import CliRunner

from dpsql.engines.databases.copies import Copied, copy_databases
from dpsql.engines.private_engine import make_tables
from dpsql.engines.sqlgen.relation import SOURCE
from dpsql.errors import PolicyError
from dpsql.interfaces.cli.app import main
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.progress import Phase, untold
from dpsql.session import build_session

POLICY = """version: 1
privacy: {{unit: t.u, max_rows_per_unit: 9}}
accountant: pure
tables:
  t: {{source: "{source}", unit_key: u, columns: {{u: {{type: {key}}}, {columns}}}}}
  {more}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
X = "x: {type: integer, nullable: true}"
LONG = 2**20
INFINITE = float("inf")


def run(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()


def filled(file: Path, values: Iterable[str], kind: str = "") -> None:
    rows = ", ".join(f"({n}, {value})" for n, value in enumerate(values))
    run(file, f"CREATE TABLE t (u integer, x {kind})", f"INSERT INTO t VALUES {rows}")


def policy_in(
    folder: Path,
    columns: str = X,
    source: str = "sqlite:///shop.db",
    key: str = "integer",
    more: str = "",
) -> Policy:
    text = POLICY.format(source=source, columns=columns, key=key, more=more)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    return load_policy(folder / "policy.yaml")


def copied(policy: Policy) -> Sequence[Copied]:
    return copy_databases(policy, untold)


def read(policy: Policy, sql: str) -> list[tuple[object, ...]]:
    with duckdb.connect() as connection:
        make_tables(connection, policy)
        return connection.execute(sql.replace("FROM ", f"FROM {SOURCE}.")).fetchall()


ALIKE = {"NULL": None, "x'3132'": None, "'abc'": None, "''": None}
READ: dict[str, dict[str, object]] = {
    "integer": {
        **ALIKE, "12": 12, "-9223372036854775808": -(2**63), "9223372036854775807": 2**63 - 1, "5.0": 5, "-0.0": 0,
        "'12'": None, "5.5": None, "9223372036854775808.0": None, "-9223372036854775808.0": -(2**63), "9e999": None,
        "-9e999": None, "9007199254740992.0": 2**53, "'2025-01-31'": None,
    },
    "float": {
        **ALIKE, "0.5": 0.5, "12": 12.0, "9e999": INFINITE, "-9e999": -INFINITE, "9e999 - 9e999": None, "'0.5'": None,
        "9223372036854775807": 2.0**63, "1e-320": 1e-320,
    },
    "text": {
        "NULL": None, "x'3132'": None, "'zoë'": "zoë", "''": "", "' a '": " a ", "12": None, "0.5": None,
        "CAST(x'ff61' AS TEXT)": None, "CAST(x'eda080' AS TEXT)": None, "CAST(x'610062' AS TEXT)": None,
        "CAST(x'6100' AS TEXT)": None, f"printf('%.{LONG}c', 'x')": "x" * 4096, f"printf('%.{LONG + 1}c', 'x')": None,
    },
    "boolean": {**ALIKE, "0": False, "1": True, "2": None, "-1": None, "1.0": None, "'1'": None, "'true'": None},
    "date": {
        **ALIKE, "'2025-01-31'": date(2025, 1, 31), "'2025-02-30'": None, "20250131": None, "2460706.5": None,
        "1738281600": None, "' 2025-01-31'": None, "'31.01.2025'": None, "'2025-01-31 10:00'": None,
        "CAST(x'323032352d30312d3331' AS TEXT)": date(2025, 1, 31), "'２０25-01-31'": None,
        "CAST(x'323032352d30312d333100' AS TEXT)": None,
    },
    "timestamp": {
        **ALIKE, "'2025-01-31'": datetime(2025, 1, 31),
        "'2025-01-31T10:00:00.5Z'": datetime(2025, 1, 31, 10, 0, 0, 500_000),
        "'2025-01-31 10:00:00'": datetime(2025, 1, 31, 10), "1738281600": None, "2460706.5": None,
        "'2025-01-31 10:00+02'": None, "'10:00'": None,
    },
}  # fmt: skip


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", READ)
def test_a_value_is_read_by_its_own_storage_class(kind: str, tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", READ[kind])
    policy = policy_in(tmp_path, f"x: {{type: {kind}, nullable: true}}")
    copied(policy)
    found = [value for (value,) in read(policy, "SELECT x FROM t ORDER BY u")]
    assert dict(zip(READ[kind], found, strict=True)) == READ[kind]


@pytest.mark.one_in(6)
@pytest.mark.parametrize("declared", ["NUMERIC", "TEXT"])
@pytest.mark.parametrize("kind", READ)
def test_neither_a_declaration_nor_other_rows_decide_how_a_value_is_read(
    kind: str, declared: str, tmp_path: Path
) -> None:
    file = tmp_path / "shop.db"
    filled(file, READ[kind], declared)
    policy = policy_in(tmp_path, f"x: {{type: {kind}, nullable: true}}")
    copied(policy)
    together = read(policy, "SELECT u, x FROM t ORDER BY u")
    with closing(sqlite3.connect(file)) as database:
        classes = [of for (of,) in database.execute("SELECT typeof(x) FROM t ORDER BY u")]
    fitting = {"integer": "integer real", "float": "integer real", "boolean": "integer"}.get(kind, "text")
    assert all(x is None or of in fitting.split() for (_, x), of in zip(together, classes, strict=True))
    run(file, "DELETE FROM t WHERE u % 3 <> 1")
    copied(policy)
    assert read(policy, "SELECT u, x FROM t ORDER BY u") == together[1::3]


def test_rows_without_a_value_that_is_needed_are_left_out_and_counted(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["1", "'abc'", "NULL", "7", "x'00'"])
    run(tmp_path / "shop.db", "INSERT INTO t VALUES ('me', 8)")
    policy = policy_in(tmp_path, "x: {type: integer}")
    (made,) = copied(policy)
    assert read(policy, "SELECT u, x FROM t ORDER BY u") == [(0, 1), (3, 7)] and made.rows == 2
    begun = (
        "tables.t: 4 rows have",
        "tables.t.columns.u: 4 of 6 values",
        "tables.t.columns.x: 3 of 5 values",
    )
    assert len(made.unread) == 3
    assert all(text.startswith(begin) for text, begin in zip(made.unread, begun, strict=True))
    done = CliRunner().invoke(main, ["prepare", str(policy.path)], catch_exceptions=False)
    assert done.exit_code == 0 and all(text in done.stderr for text in made.unread)


def test_a_copy_of_what_fits_says_nothing(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["1", "NULL"])
    (made,) = copied(policy_in(tmp_path))
    assert (made.tables, made.rows, made.unread) == (1, 2, ())


def test_keys_stay_apart(tmp_path: Path) -> None:
    days = "'2025-01-31'", "'2025-01-31 '", "' 2025-01-31'", "CAST(x'323032352d30312d333100' AS TEXT)"
    texts = (
        "'a'",
        "'A'",
        "'a '",
        "CAST(x'6100' AS TEXT)",
        "CAST(x'ff' AS TEXT)",
        "CAST(x'fe' AS TEXT)",
        "12",
        "'12'",
    )
    for kind, keys, kept in (("date", days, 1), ("text", texts, 4)):
        folder = tmp_path / kind
        folder.mkdir()
        rows = ", ".join(f"({key}, 1)" for key in keys)
        run(folder / "shop.db", "CREATE TABLE t (u COLLATE NOCASE, x)", f"INSERT INTO t VALUES {rows}")
        policy = policy_in(folder, key=kind)
        copied(policy)
        assert read(policy, "SELECT count(DISTINCT u), count(*) FROM t") == [(kept, kept)]


@pytest.mark.parametrize("kind", ["float", "timestamp"])
def test_keys_that_could_merge_are_refused_by_the_policy(kind: str, tmp_path: Path) -> None:
    with pytest.raises(
        PolicyError, match=f"a key of a SQLite file is no {kind}: two values could become one"
    ):
        policy_in(tmp_path, key=kind)


MADE = "CREATE TABLE plain (u, x)"


@pytest.mark.parametrize(
    ("made", "table", "message"),
    [
        ("CREATE VIEW v AS SELECT 1 AS u, 2 AS x", "v", "v is a view, which may mix rows of several people"),
        ("CREATE VIRTUAL TABLE f USING fts5(u, x)", "f", "f is a virtual table, whose rows may be made of"),
        ("CREATE TABLE a (i integer PRIMARY KEY AUTOINCREMENT)", "sqlite_sequence", "sqlite_sequence is SQLite's own"),
        (MADE, "absent", "there is no table absent in the file"),
        (MADE, "x'; DROP TABLE plain; --", "there is no table x'; DROP TABLE plain"),
        ("CREATE TABLE lacking (u)", "lacking", "the table has no column x"),
        ("CREATE TABLE made (u, x AS (json_extract(u, '$')))", "made", "x is a generated column"),
        ("CREATE TABLE kept (u, x AS (u + 1) STORED)", "kept", "x is a generated column"),
        ('CREATE TABLE "a ""b"".c" (U PRIMARY KEY, "X" int) WITHOUT ROWID', 'a \\"b\\".c', None),
        ('CREATE TABLE cased (U, "X" int)', "CASED", None),
    ],
    ids=str,
)  # fmt: skip
def test_a_source_is_a_table(made: str, table: str, message: str | None, tmp_path: Path) -> None:
    run(tmp_path / "shop.db", made)
    policy = policy_in(tmp_path, source=f"sqlite:///shop.db#{table}")
    if message is None:
        copied(policy)
        assert read(policy, "SELECT count(*) FROM t") == [(0,)]
        return
    with pytest.raises(PolicyError, match=f"tables.t.source: {message}"):
        copied(policy)
    assert [p.name for p in (tmp_path / "policy.prepared").iterdir()] == ["policy.lock"]


def test_a_quoted_name_that_is_no_column_is_no_text(tmp_path: Path) -> None:
    """SQLite takes a name in double quotes for a text where there is no such column; rowid is one unlisted."""
    filled(tmp_path / "shop.db", ["1"])
    with pytest.raises(PolicyError, match="the table has no column rowid"):
        copied(policy_in(tmp_path, "rowid: {type: integer}"))


def test_files_that_are_none(tmp_path: Path) -> None:
    policy = policy_in(tmp_path)
    with pytest.raises(PolicyError, match=r"tables: shop.db: there is no such file"):
        copied(policy)
    assert not (tmp_path / "shop.db").exists()
    (tmp_path / "shop.db").write_bytes(b"u,x\n1,2\n" * 200)
    with pytest.raises(PolicyError, match=r"shop.db cannot be read: file is not a database"):
        copied(policy)
    (tmp_path / "shop.db").unlink()
    run(tmp_path / "shop.db", "PRAGMA encoding = 'UTF-16le'", MADE)
    with pytest.raises(PolicyError, match="keeps its text as UTF-16le; only files in UTF-8"):
        copied(policy)


def test_one_file_is_read_once_however_its_path_is_written(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["1"])
    run(tmp_path / "shop.db", "CREATE TABLE s AS SELECT * FROM t")
    more = f's: {{source: "SQLite:///{tmp_path}/./shop.db", unit_key: u, columns: {{u: {{type: integer}}}}}}'
    (made,) = copied(policy_in(tmp_path, more=more))
    assert (made.tables, made.rows) == (2, 2)


WRITER = """import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    database.executescript(line)
    print("done", flush=True)
"""


def test_all_tables_are_of_one_state_while_another_process_writes(tmp_path: Path) -> None:
    file = tmp_path / "shop.db"
    run(file, "PRAGMA journal_mode = wal", "CREATE TABLE t (u, x)", "CREATE TABLE s (u, y)")
    run(file, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) "
        "INSERT INTO t SELECT i, i FROM n", "INSERT INTO s SELECT * FROM t")  # fmt: skip
    more = 's: {source: "sqlite:///shop.db", unit_key: u, columns: {u: {type: integer}, y: {type: integer}}}'
    policy = policy_in(tmp_path, "x: {type: integer}", more=more)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:

        def change(phase: Phase) -> None:
            if phase.name.startswith(("t:", "s:")):
                assert writer.stdin is not None and writer.stdout is not None
                writer.stdin.write("DELETE FROM s; UPDATE t SET x = 0;\n")
                writer.stdin.flush()
                assert writer.stdout.readline() == "done\n"

        copy_databases(policy, change)
        writer.communicate()
    assert read(policy, "SELECT sum(x) FROM t") == read(policy, "SELECT sum(y) FROM s") == [(1275,)]
    copied(policy)
    assert read(policy, "SELECT sum(x) FROM t") == [(0,)]


def test_nothing_is_left_beside_the_file(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["1"])
    copied(policy_in(tmp_path))
    assert {p.name for p in tmp_path.iterdir()} == {"shop.db", "policy.yaml", "policy.prepared"}


def test_the_file_is_opened_for_reading_alone(tmp_path: Path) -> None:
    """Rows that stand in the write-ahead log alone are read, and not moved into the file."""
    written, file = tmp_path / "written.db", tmp_path / "shop.db"
    with closing(sqlite3.connect(written)) as writer:
        writer.execute("PRAGMA journal_mode = wal")
        writer.execute("CREATE TABLE t (u, x)")
        writer.execute("INSERT INTO t VALUES (1, 5)")
        writer.commit()
        shutil.copy(written, file)
        shutil.copy(f"{written}-wal", f"{file}-wal")
    before = file.read_bytes(), file.stat().st_mtime_ns, Path(f"{file}-wal").read_bytes()
    policy = policy_in(tmp_path)
    copied(policy)
    assert read(policy, "SELECT u, x FROM t") == [(1, 5)]
    assert (file.read_bytes(), file.stat().st_mtime_ns, Path(f"{file}-wal").read_bytes()) == before


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, sqlite3.OperationalError("disk I/O error")])
def test_a_copy_is_private_and_a_run_that_ends_early_leaves_the_one_before(
    stopped: BaseException, tmp_path: Path
) -> None:
    filled(tmp_path / "shop.db", ["5"])
    policy = policy_in(tmp_path, "x: {type: integer, lower: 0, upper: 10}")
    copied(policy)
    path = policy.tables[0].source.path
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    run(tmp_path / "shop.db", "UPDATE t SET x = 7")

    def stop(phase: Phase) -> None:
        raise stopped

    with pytest.raises((KeyboardInterrupt, PolicyError)):
        copy_databases(policy, stop)
    assert {p.name for p in path.parent.iterdir()} == {path.name, "policy.lock"}
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        assert session.answer("SELECT SUM(x) FROM t").rows == ((5,),)


@pytest.mark.parametrize("most", [{"_ROWS": 2}, {"_CHARACTERS": 6}], ids=str)
def test_rows_are_told_as_they_are_copied(
    most: dict[str, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, number in {"_FETCHED": 1, **most}.items():
        monkeypatch.setattr(f"dpsql.engines.databases.sqlite_tables.{name}", number)
    filled(tmp_path / "shop.db", [f"'ab{n}'" for n in range(5)])
    told: list[Phase] = []
    policy = policy_in(tmp_path, "x: {type: text}")
    copy_databases(policy, told.append)
    assert [(p.done, p.total) for p in told if p.unit == "rows"] == [(0, 5), (2, 5), (4, 5)]
    assert read(policy, "SELECT count(*), min(x), max(x) FROM t") == [(5, "ab0", "ab4")]


def test_fields_of_json_are_read_from_text(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["""'{"a": 5}'""", "'none'", "NULL", "x'7b7d'"])
    policy = policy_in(tmp_path, "x: {type: json, fields: {a: {type: integer}}}")
    copied(policy)
    assert sorted(read(policy, """SELECT u, "x->>'a'" FROM t""")) == [(0, 5), (1, None), (2, None), (3, None)]


DECLARED = """CREATE TABLE t (u INTEGER PRIMARY KEY, x BIGINT, name VARCHAR(9), cost DECIMAL(5, 2), day DATE,
    at DATETIME, ok BOOLEAN, payload JSON, raw BLOB, plain, twice AS (x * 2))"""


@pytest.mark.parametrize("written", ["shop.db", "sqlite:///shop.db"])
def test_init_writes_what_is_declared(written: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run(
        tmp_path / "shop.db",
        DECLARED,
        "CREATE VIEW v AS SELECT * FROM t",
        "INSERT INTO t (x) VALUES ('text')",
    )
    (tmp_path / "policies").mkdir()
    done = CliRunner().invoke(main, ["init", written, "-o", "policies/p.yaml"], catch_exceptions=False)
    assert done.exit_code == 0 and "1 table;" in done.stderr
    text = (tmp_path / "policies" / "p.yaml").read_text()
    assert "source: sqlite:///../shop.db" in text.replace('"', "")
    kinds = dict(re.findall(r"^      (\w+): \{type: (\w+)\}", text, re.MULTILINE))
    assert kinds == {
        "u": "integer", "x": "integer", "name": "text", "cost": "float", "day": "date", "at": "timestamp",
        "ok": "boolean", "payload": "text", "plain": "text",
    }  # fmt: skip
    shown = CliRunner().invoke(main, ["init", str(tmp_path / "shop.db")], catch_exceptions=False).stdout
    assert f"sqlite:///{tmp_path}/shop.db" in shown


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("postgresql://me:s3cret@host/db", "write each by hand, its `columns`"),
        ("sqlite:///none.db", "there is no such file"),
    ],
)
def test_init_says_what_to_do_where_it_cannot(written: str, message: str) -> None:
    done = CliRunner().invoke(main, ["init", written])
    assert done.exit_code == 1 and message in done.stderr and "s3cret" not in done.output


def test_a_sqlite_file_in_the_place_of_one_of_duckdb_is_called_so(tmp_path: Path) -> None:
    filled(tmp_path / "shop.db", ["1"])
    with pytest.raises(PolicyError, match=r"shop\.db is a SQLite file; write `source: sqlite:///shop.db`"):
        read(policy_in(tmp_path, source="shop.db"), "SELECT 1")
