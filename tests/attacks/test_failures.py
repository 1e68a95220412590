"""What is left of a failure once it has reached the caller: one error of ours, one sentence, and no way back inside."""

from __future__ import annotations

import itertools
import logging
import sys
import traceback
from collections.abc import Callable, Iterator
from fractions import Fraction
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from process.reach import INSIDE, by_any_reference, frames_of, is_guard, reachable

import dpsql
from attacks.neighbours import Blind, Database
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.storage.sqlite import Database as File
from dpsql.accounting.types import Step
from dpsql.dbapi import Connection
from dpsql.engines.base import EngineFailed, EngineQuery, Exact, FinishFailed
from dpsql.engines.public_engine import FinishEngine
from dpsql.errors import InternalError, LedgerUnavailable, OperationalError, QueryFailed, QueryRefused

SECRET = "could not cast 'isolation ward, patient 777777'"
_FRESH = itertools.count(1)
PUBLIC = "SELECT wing, count(*) FROM wards GROUP BY wing"
CSV = """
version: 1
privacy: {unit: visits.patient, max_rows_per_unit: 2}
tables:
  visits:
    source: visits.csv
    unit_key: patient
    columns: {patient: {type: integer}, nights: {type: integer, lower: 0, upper: 9}}
budgets: {dataset: {epsilon: 1}, default: {epsilon: 1}}
"""
Stage = Callable[["Database", Callable[..., object], pytest.MonkeyPatch], None]
FAILURES = (
    EngineFailed(SECRET),
    FinishFailed(SECRET),
    ValueError(SECRET),
    KeyError(SECRET),
    AssertionError(SECRET),
    MemoryError(SECRET),
    RecursionError(SECRET),
    StopIteration(SECRET),
    np.exceptions.AxisError(SECRET),
    UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    InternalError(SECRET),
    LedgerUnavailable(SECRET),
    QueryRefused(SECRET),
    GeneratorExit(SECRET),
)


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    database = Database(tmp_path_factory.mktemp("failures"), "with", "listed")
    yield database
    database.session.close()


@pytest.fixture
def database(opened: Database) -> Iterator[Database]:
    """The one database of these tests, with its own engine and ledger back in place."""
    state = opened.session._state
    engine, steps = state.engine, state.ledger._steps
    yield opened
    opened.engine.failure, state.engine, state.ledger._steps = None, engine, steps


@pytest.fixture
def query() -> str:
    """A query that nobody has asked."""
    return f"SELECT ward, sum(nights) FROM visits WHERE doctor <> {next(_FRESH)} GROUP BY ward"


@pytest.fixture
def root_log() -> Iterator[StringIO]:
    """What an application that logs everything writes down."""
    written, root = StringIO(), logging.getLogger()
    handler, level = logging.StreamHandler(written), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield written
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.fixture
def admin_log() -> Iterator[list[str]]:
    """What the admin's log gets where the host attaches a handler."""
    written: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            written.append(record.getMessage())

    handler, log = Kept(), logging.getLogger("dpsql.admin")
    log.addHandler(handler)
    yield written
    log.removeHandler(handler)


def raising(failure: BaseException) -> Callable[..., object]:
    """A function that fails in the midst of another failure, with the secret in its locals and its notes."""

    def fails(*args: object, **kwargs: object) -> object:
        patient = SECRET
        failure.add_note(patient)
        try:
            raise RuntimeError(patient)
        except RuntimeError as error:
            raise failure from error

    return fails


class Broken:
    """An engine that cannot be used."""

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        raise EngineFailed(SECRET)

    def close(self) -> None:
        """Nothing."""


def engine_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(type(database.engine), "run", fails)


def sampler_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Blind, "discrete_laplace", fails)


def keeping_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Ledger, "keep", fails)


def decoding_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dpsql.stages.draw.decoded", fails)


def estimating_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dpsql.stages.released_tables.released_rows", fails)


def finishing_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FinishEngine, "finish", fails)
    patch.setattr("dpsql.stages.finish.plain_rows", fails)


def typing_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dpsql.stages.finish._typed", fails)


def planning_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dpsql.stages.planning.plan_releases", fails)


def describing_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FinishEngine, "describe", fails)


def looking_fails(database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch) -> None:
    patch.setattr("dpsql.stages.state.stamps", fails)


def reading_the_ledger_fails(
    database: Database, fails: Callable[..., object], patch: pytest.MonkeyPatch
) -> None:
    patch.setattr(File, "read", fails)


AFTER = (
    engine_fails, sampler_fails, keeping_fails, decoding_fails, estimating_fails, finishing_fails, typing_fails,
)  # fmt: skip
BEFORE = (planning_fails, describing_fails, looking_fails, reading_the_ledger_fails)


def _with_stack_left(frames: int, work: Callable[[], object]) -> object:
    """Does the work where so many more frames fit on the stack."""
    depth = sum(1 for _ in traceback.walk_stack(None))
    limit = sys.getrecursionlimit()
    try:
        sys.setrecursionlimit(depth + frames)
        return work()
    finally:
        sys.setrecursionlimit(limit)


def spent(database: Database) -> Fraction:
    """What has been charged so far."""
    return database.session.budget().spent.epsilon


def carries(error: BaseException) -> str:
    """Every text that can be reached from an exception, as an error reporter would collect it."""
    texts = (repr(found) for found in reachable([error], by_any_reference) if isinstance(found, str | bytes))
    return "".join((*texts, *traceback.format_exception(error)))


def check_cut_off(error: BaseException) -> None:
    """No cause, no context, and of ours the guard's own frame alone, with nothing in it."""
    assert error.__cause__ is None and error.__context__ is None
    (frame,) = frames_of(error)
    assert is_guard(frame.f_code) and set(frame.f_locals) == {"work"}
    inside = [found for found in reachable([error], by_any_reference) if isinstance(found, INSIDE)]
    assert not inside


@pytest.mark.one_in(8)
@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("stage", AFTER, ids=lambda stage: stage.__name__)
def test_whatever_fails_after_the_charge_is_one_sentence_charged_in_full(
    database: Database,
    query: str,
    stage: Stage,
    failure: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    root_log: StringIO,
    admin_log: list[str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    connection, before = Connection(database.session), spent(database)
    with monkeypatch.context() as patch:
        stage(database, raising(failure), patch)
        with pytest.raises(QueryFailed) as caught:
            connection.execute(query)
    assert caught.value.args == (QueryFailed.SENTENCE,) and not vars(caught.value)
    check_cut_off(caught.value)
    assert "777777" not in carries(caught.value) + root_log.getvalue() + "".join(capfd.readouterr())
    assert "777777" in "".join(admin_log)
    assert spent(database) - before == 1
    assert connection.execute(query).fetchall()


@pytest.mark.one_in(8)
@pytest.mark.parametrize("failure", FAILURES, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("stage", BEFORE, ids=lambda stage: stage.__name__)
def test_whatever_is_no_error_of_ours_before_the_charge_is_replaced_and_costs_nothing(
    database: Database,
    query: str,
    stage: Stage,
    failure: BaseException,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    connection, before = Connection(database.session), spent(database)
    with monkeypatch.context() as patch:
        stage(database, raising(failure), patch)
        with pytest.raises(dpsql.Error) as caught:
            connection.execute(query)
    check_cut_off(caught.value)
    if not isinstance(failure, dpsql.Error):
        assert isinstance(caught.value, InternalError | QueryRefused)
        assert "777777" not in carries(caught.value) + "".join(capfd.readouterr())
    assert spent(database) == before
    assert connection.execute(query).fetchall()


def test_the_second_release_of_a_query_may_fail_and_the_whole_charge_stands(
    database: Database, query: str
) -> None:
    two = f"SELECT (SELECT count(*) FROM visits WHERE doctor <> -1), v.* FROM ({query}) AS v"
    before, run, ran = spent(database), database.engine.run, []

    class Second(Broken):
        def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
            ran.append(query)
            if len(ran) == 2:
                raise EngineFailed(SECRET)
            return run(query)

    database.session._state.engine = Second()
    with pytest.raises(QueryFailed):
        database.session.answer(two)
    assert len(ran) == 2 and spent(database) - before == 1


def test_a_failure_that_nothing_was_charged_for_does_not_say_that_a_charge_stands(
    database: Database, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.session.answer(query)
    before = spent(database)
    finishing_fails(database, raising(FinishFailed(SECRET)), monkeypatch)
    with pytest.raises(QueryFailed) as caught:
        database.session.answer(query)
    assert str(caught.value) == QueryFailed.UNCHARGED
    with pytest.raises(QueryRefused) as refused:
        database.session.answer(PUBLIC)
    assert refused.value.reason == "DuckDB cannot compute the query from what is public"
    assert spent(database) == before


@pytest.mark.parametrize("failure", [OSError(SECRET), MemoryError(SECRET), KeyError(SECRET)], ids=type)
def test_a_ledger_that_fails_after_its_commit_does_not_say_that_nothing_was_charged(
    database: Database, query: str, failure: Exception
) -> None:
    class Failing:
        def reached(self, step: Step) -> None:
            if step is Step.AFTER_COMMIT:
                raise failure

    before, asked = spent(database), database.engine.queries
    database.session._state.ledger._steps = Failing()
    with pytest.raises(InternalError) as caught:
        database.session.answer(query)
    assert str(caught.value) == InternalError.SENTENCE
    check_cut_off(caught.value)
    assert database.engine.queries == asked and spent(database) - before == 1


@pytest.mark.one_in(6)
@pytest.mark.parametrize("stop", [KeyboardInterrupt(), SystemExit(3)], ids=type)
@pytest.mark.parametrize("stage", (*AFTER, *BEFORE), ids=lambda stage: stage.__name__)
def test_an_interrupt_passes_without_a_way_back_and_leaves_a_session_that_answers(
    database: Database, query: str, stop: BaseException, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, before = Connection(database.session), spent(database)
    with monkeypatch.context() as patch:
        stage(database, raising(stop), patch)
        with pytest.raises(type(stop)) as caught:
            connection.execute(query)
    check_cut_off(caught.value)
    assert spent(database) - before == (1 if stage in AFTER else 0)
    assert connection.execute(query).fetchall()


def test_a_caller_at_the_end_of_its_stack_gets_an_error_of_ours_at_whatever_depth(database: Database) -> None:
    connection, before, found = Connection(database.session), spent(database), set()
    for left in range(1, 120):
        try:
            _with_stack_left(left, lambda: connection.execute(PUBLIC))
            found.add("answered")
        except dpsql.Error as error:
            found.add(type(error).__name__)
            check_cut_off(error)
        except RecursionError as error:  # no room on the stack for one of ours
            if frames_of(error):
                check_cut_off(error)
    assert {"answered", "InternalError"} <= found <= {"answered", "InternalError", "QueryFailed"}
    assert spent(database) == before


def test_a_log_that_cannot_be_written_changes_nothing(
    database: Database, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dpsql.stages.admin_log.log_for_admin", raising(OSError(SECRET)))
    database.engine.failure = EngineFailed(SECRET)
    with pytest.raises(QueryFailed) as caught:
        database.session.answer(query)
    check_cut_off(caught.value)


def test_an_opening_that_fails_says_so_in_a_fixed_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, admin_log: list[str]
) -> None:
    Database(tmp_path, "nobody", "listed").session.close()
    policy, file = tmp_path / "listed.yaml", tmp_path / "failures.log"
    policy.write_text(f"admin_log: {file.name}\n{policy.read_text()}")
    monkeypatch.setattr("dpsql.stages.state.open_catalog", raising(ValueError(SECRET)))
    with pytest.raises(OperationalError) as caught:
        dpsql.connect(policy, analyst="mallory")
    check_cut_off(caught.value)
    assert "777777" not in carries(caught.value)
    assert "777777" in "".join(admin_log) and "777777" in file.read_text()


def test_a_source_that_does_not_hold_what_the_policy_says_shows_no_value(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient,bed\n" + "1,2\n" * 30_000 + "777777,isolation\n")
    (tmp_path / "csv.yaml").write_text(CSV)
    with pytest.raises(dpsql.Error) as caught:
        dpsql.connect(tmp_path / "csv.yaml", analyst="mallory")
    check_cut_off(caught.value)
    assert "777777" not in carries(caught.value) and "isolation" not in carries(caught.value)
