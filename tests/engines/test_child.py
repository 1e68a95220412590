"""A child process under its limits: killed at them, never missed when it dies, never left behind."""

from __future__ import annotations

import ast
import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from dpsql.engines import child
from dpsql.engines.base import EngineFailed, EngineQuery, FinishFailed, FinishStopped
from dpsql.engines.child import ChildEngine, ChildFinish
from dpsql.engines.duckdb_settings import Limits
from dpsql.engines.open_engines import open_engines
from dpsql.errors import InterfaceError, PolicyError
from engines.opened import clinic

ROOT = Path(__file__).parents[2]
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
# One scalar call that DuckDB does not interrupt, and one that takes memory outside of its buffers.
SLEEP = "SELECT sleep_ms(60000)"
BOMB = "SELECT length(repeat(repeat('x', 1000000), 3000))"
FOUR = EngineQuery("SELECT 0, 4", 0, 1)


@pytest.fixture
def private(tmp_path: Path) -> Iterator[ChildEngine]:
    engine = ChildEngine(clinic(tmp_path, "process"), Limits(600, 2**28, 2))
    engine.open()
    yield engine
    engine.close()


@pytest.fixture
def public(tmp_path: Path) -> Iterator[ChildFinish]:
    engine = ChildFinish(clinic(tmp_path, "process"), Limits(1, 2**28, 2))
    engine.open()
    yield engine
    engine.close()


def pid_of(engine: ChildEngine | ChildFinish) -> int:
    running = engine._child._running
    assert running is not None
    return running.process.pid


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def until(is_so: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        time.sleep(0.02)
    return is_so()


def inside(engine: ChildEngine, sql: str) -> object:
    """A value that a child reads for us, as a key."""
    ((value,),) = engine.run(EngineQuery(f"SELECT {sql}, 0, 1", 1, 1)).keys
    return value


def test_a_child_that_is_killed_in_a_query_fails_it_and_another_serves_the_next(private: ChildEngine) -> None:
    first = pid_of(private)
    killer = threading.Timer(0.3, os.kill, (first, signal.SIGKILL))
    killer.start()
    with pytest.raises(EngineFailed, match="its process ended"):
        private.run(EngineQuery(SLEEP + ", 0", 0, 1))
    killer.join()
    assert private.run(FOUR).values.tolist() == [[4]]
    assert pid_of(private) != first


def test_a_call_that_cannot_be_interrupted_is_killed_at_its_seconds(private: ChildEngine) -> None:
    first, start = pid_of(private), time.monotonic()
    with pytest.raises(EngineFailed, match=r"killed after 0\.5 s"):
        private.run(EngineQuery(SLEEP + ", 0", 0, 1), 0.5)
    assert 0.5 <= time.monotonic() - start < 20
    assert not is_running(first)
    assert private.run(FOUR).values.tolist() == [[4]]


def test_a_query_that_can_be_interrupted_costs_no_new_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "GRACE_SECONDS", 60)
    engine = ChildEngine(clinic(tmp_path, "process"), Limits(0.5, 2**28, 2))
    engine.open()
    first = pid_of(engine)
    sql = "SELECT 0, count(*) FROM range(4000000) a, range(4000000) b WHERE a.range + b.range = 7"
    with pytest.raises(EngineFailed, match="Interrupt"):
        engine.run(EngineQuery(sql, 0, 1))
    assert pid_of(engine) == first
    engine.close()


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    "sql", [SLEEP, BOMB, "SELECT repeat('x', 4000000000)", "SELECT length(repeat('x', 3000000000))"]
)
def test_the_public_child_is_stopped_at_its_limits_and_serves_on(public: ChildFinish, sql: str) -> None:
    start = time.monotonic()
    with pytest.raises(FinishFailed):
        public.finish(sql, [])
    assert time.monotonic() - start < 20
    assert public.finish("SELECT 1", []) == ((1,),)


def test_a_question_of_planning_is_stopped_at_its_limit(public: ChildFinish) -> None:
    with pytest.raises(FinishStopped):
        public.evaluate(SLEEP)
    assert public.select_statements("SELECT 1") == 1


@LINUX
@pytest.mark.parametrize("kind", ["private", "public"])
def test_a_child_never_has_more_memory_than_it_may(kind: str, request: pytest.FixtureRequest) -> None:
    """256 MiB and the allowance for two threads; a bomb of 3 GB is refused by the kernel."""
    engine = request.getfixturevalue(kind)
    limits = Path(f"/proc/{pid_of(engine)}/limits").read_text(encoding="ascii")
    (line,) = [row for row in limits.splitlines() if row.startswith("Max address space")]
    assert line.split()[3:5] == [str(2**28 + 2**30 + 2 * 2**27)] * 2
    with pytest.raises((EngineFailed, FinishFailed)):
        engine.run(EngineQuery(BOMB + ", 0", 0, 1)) if kind == "private" else engine.finish(BOMB, [])


@LINUX
def test_a_child_has_nothing_of_its_parent(private: ChildEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Path(f"/proc/{pid_of(private)}")
    files = {n.name: os.readlink(n) for n in (process / "fd").iterdir()}
    assert {files[n] for n in "012"} == {os.devnull}
    ours = {f for f in files.values() if not f.startswith(("socket:", "pipe:", "anon_inode:", "/dev/null"))}
    assert {Path(f).name for f in ours} <= {"clinic.duckdb"}
    environment = (process / "environ").read_bytes().decode().split("\0")
    assert {e.partition("=")[0] for e in environment} <= {
        "", "LD_LIBRARY_PATH", "TZ", "TZDIR", "LC_ALL", "LC_CTYPE", "LANG", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS",
    }  # fmt: skip
    assert os.readlink(process / "cwd") == "/"
    limits = (process / "limits").read_text(encoding="ascii").splitlines()
    for name in ("Max core file size", "Max file size"):
        (line,) = [row for row in limits if row.startswith(name)]
        assert line.split()[-3:-1] == ["0", "0"]


def test_a_source_that_may_be_read_cannot_be_overwritten(private: ChildEngine, tmp_path: Path) -> None:
    """DuckDB allows a file or does not; that it is not written is the process's own limit."""
    before = (tmp_path / "stays.parquet").read_bytes()
    with pytest.raises(EngineFailed):
        private.run(EngineQuery(f"COPY (SELECT 1) TO '{tmp_path}/stays.parquet' (FORMAT parquet)", 0, 1))
    assert (tmp_path / "stays.parquet").read_bytes() == before


@LINUX
def test_no_child_is_left_after_close_nor_after_its_owner_is_forgotten(tmp_path: Path) -> None:
    engines = open_engines(clinic(tmp_path, "process"))
    pids = [pid_of(e) for e in (engines.private, engines.public) if isinstance(e, ChildEngine | ChildFinish)]
    assert len(pids) == 2 and all(map(is_running, pids))
    engines.close()
    assert not any(map(is_running, pids))
    engines = open_engines(clinic(tmp_path, "process"))
    pids = [pid_of(e) for e in (engines.private, engines.public) if isinstance(e, ChildEngine | ChildFinish)]
    del engines
    assert not any(map(is_running, pids))


@LINUX
def test_what_a_killed_child_had_spilled_is_removed(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    engine = ChildEngine(clinic(tmp_path, "process"), Limits(600, 2**26, 2, spill))
    engine.open()
    slow = "SELECT 0, count(*) FROM (SELECT range % 30000000 AS k, count(*) FROM range(60000000) GROUP BY 1)"
    with pytest.raises(EngineFailed):
        killer = threading.Thread(
            target=lambda: (
                until(lambda: any(f.is_file() for f in spill.rglob("*"))) and os.kill(pid_of(engine), 9)
            )
        )
        killer.start()
        engine.run(EngineQuery(slow, 0, 1))
    killer.join()
    assert len(list(spill.iterdir())) == 1  # that of the child that took its place
    engine.close()
    assert list(spill.iterdir()) == []


PARENT = """
import sys, time
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from dpsql.engines.base import EngineQuery
from engines.opened import clinic
from dpsql.engines.open_engines import open_engines
engines = open_engines(clinic(Path(sys.argv[1]), "process"))
print([e._child._running.process.pid for e in (engines.private, engines.public)], flush=True)
if sys.argv[3] == "busy":
    engines.private.run(EngineQuery("SELECT sleep_ms(60000), 0", 0, 1))
time.sleep(60)
"""


@LINUX
@pytest.mark.one_in(18)
@pytest.mark.parametrize("work", ["busy", "idle"])
def test_children_end_with_a_parent_that_is_killed(tmp_path: Path, work: str) -> None:
    """The parent is a script without a guard around its main part, found through PYTHONPATH alone."""
    script = tmp_path / "script.py"
    script.write_text(PARENT, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script), str(tmp_path), str(ROOT / "tests"), work],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
    ) as parent:
        assert parent.stdout is not None
        pids = ast.literal_eval(parent.stdout.readline())
        assert all(map(is_running, pids))
        time.sleep(0.2)
        parent.kill()
    assert until(lambda: not any(map(is_running, pids)))


def forked(work: Callable[[], object]) -> int:
    """The exit status of a forked process that does the work: 0, or 7 for InterfaceError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks with threads, from Python 3.12 on
        pid = os.fork()
    if pid == 0:
        status = 8
        try:
            work()
            status = 0
        except InterfaceError:
            status = 7
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_an_engine_is_not_used_after_a_fork(private: ChildEngine) -> None:
    assert forked(lambda: private.run(FOUR)) == 7
    assert private.run(FOUR).values.tolist() == [[4]]


def test_a_forked_process_that_ends_leaves_its_parents_child_alone(tmp_path: Path) -> None:
    spill = tmp_path / "spill"
    spill.mkdir()
    engine = ChildEngine(clinic(tmp_path, "process"), Limits(600, 2**28, 2, spill))
    engine.open()
    first = pid_of(engine)
    assert forked(engine.close) == 0
    assert engine.run(FOUR).values.tolist() == [[4]]
    assert pid_of(engine) == first and len(list(spill.iterdir())) == 1
    engine.close()


def test_a_child_that_cannot_open_is_a_problem_of_the_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false")
    with pytest.raises(PolicyError, match="engine: private engine: its process ended while it opened"):
        ChildEngine(clinic(tmp_path, "process"), Limits(600)).open()
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(PolicyError, match=r"engine\.isolation: a child process needs"):
        open_engines(clinic(tmp_path, "process"))


def test_a_directory_that_cannot_be_written_is_a_problem_of_the_policy(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match=r"engine\.temp_directory: nothing can be written to .*gone"):
        open_engines(clinic(tmp_path, "inline", f"temp_directory: {tmp_path}/gone"))


def test_a_reply_of_another_shape_is_a_failure(private: ChildEngine) -> None:
    with pytest.raises(EngineFailed):
        private.run(EngineQuery("SELECT 1, 2, 3, 4", 1, 1))
