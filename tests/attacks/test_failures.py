"""What is left of a failure on the private side once it has reached the analyst: one sentence."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest

from attacks.neighbours import Database
from dpsql.engines.base import EngineFailed
from dpsql.errors import QueryFailed

SECRET = "could not cast 'isolation ward, patient 777777'"
QUERY = "SELECT ward, sum(nights) FROM visits WHERE age > 40 GROUP BY ward"


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = Database(tmp_path, "with", "listed")
    yield opened
    opened.session.close()


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


@pytest.mark.parametrize("failure", [EngineFailed(SECRET), ValueError(SECRET), MemoryError(SECRET)], ids=type)
def test_a_failure_is_charged_and_carries_nothing_of_its_cause(
    database: Database, failure: Exception, root_log: StringIO, capfd: pytest.CaptureFixture[str]
) -> None:
    database.engine.failure = failure
    with pytest.raises(QueryFailed) as caught:
        database.session.answer(QUERY)
    error = caught.value
    assert str(error) == QueryFailed.SENTENCE
    assert error.__cause__ is None and error.__context__ is None
    assert database.session.budget().spent.epsilon == 1
    written = "".join(traceback.format_exception(error)) + root_log.getvalue() + "".join(capfd.readouterr())
    assert "777777" not in written


def test_no_frame_of_a_failure_holds_the_engines_text(database: Database) -> None:
    database.engine.failure = EngineFailed(SECRET)
    with pytest.raises(QueryFailed) as caught:
        database.session.answer(QUERY)
    inside = [frame for frame, _ in traceback.walk_tb(caught.value.__traceback__)][1:]
    assert inside
    assert not any("777777" in repr(value) for frame in inside for value in frame.f_locals.values())


def test_a_failed_query_can_be_asked_again_and_its_charge_stands(database: Database) -> None:
    database.engine.failure = EngineFailed(SECRET)
    assert database.ask(QUERY).kind == "QueryFailed"
    database.engine.failure = None
    assert database.ask(QUERY).kind == "answered"
    assert database.session.budget().spent.epsilon == 2
