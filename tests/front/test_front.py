"""Whatever text comes: an answer or an error of ours, at once, in little memory, and free where it is refused."""

from __future__ import annotations

import faulthandler
import logging
from collections.abc import Iterator
from logging.handlers import BufferingHandler
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from front.front import Front, opened
from front.texts import Sent, Texts

# A call that does not come back in this time is a hang: the process ends and says where it was.
HANG_SECONDS = 300
QUICK = settings(max_examples=15, derandomize=True, suppress_health_check=list(HealthCheck))
SEEDS = 50


@pytest.fixture(scope="module")
def front(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Front]:
    with opened(tmp_path_factory.mktemp("front")) as found:
        yield found


@pytest.fixture(scope="module")
def texts(front: Front) -> Texts:
    return Texts(front.view)


@pytest.fixture(autouse=True)
def watched(capfd: pytest.CaptureFixture[str]) -> Iterator[None]:
    """Ends a hang, and sees that nothing is printed and nothing reaches the root logger."""
    handler = BufferingHandler(1_000)
    logging.getLogger().addHandler(handler)
    faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
    logging.getLogger().removeHandler(handler)
    assert capfd.readouterr() == ("", "")
    assert not handler.buffer


@QUICK
@given(st.randoms(use_true_random=False))
def test_a_soup_of_words_is_answered_or_refused(front: Front, texts: Texts, draw: Random) -> None:
    front.send(texts.soup(draw))


@QUICK
@given(st.randoms(use_true_random=False))
def test_clauses_full_of_soup_are_answered_or_refused(front: Front, texts: Texts, draw: Random) -> None:
    front.send(texts.sentence(draw))


@QUICK
@given(st.randoms(use_true_random=False))
def test_a_mutant_of_the_corpus_is_answered_or_refused(front: Front, texts: Texts, draw: Random) -> None:
    front.send(texts.mutant(draw))


@QUICK
@given(st.randoms(use_true_random=False))
def test_a_mutant_of_the_grammar_is_answered_or_refused(front: Front, texts: Texts, draw: Random) -> None:
    front.send(texts.made(draw))


@QUICK
@given(
    st.text(max_size=80), st.one_of(st.none(), st.lists(st.integers() | st.text() | st.floats(), max_size=2))
)
def test_any_text_with_any_parameters_is_answered_or_refused(front: Front, sql: str, params: object) -> None:
    front.send(Sent(sql, params))


def test_everything_mixed_is_answered_or_refused(
    front: Front, texts: Texts, executions: int, fuzz_seed: int
) -> None:
    """The long run is this one: `--executions N`."""
    before = front.kinds.copy()
    for i in range(executions or SEEDS):
        front.send(texts.sent(Random(f"front {fuzz_seed} {i}")))
        faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
    seen = front.kinds - before
    assert seen["execute: answered"] > 0.03 * seen.total() / 2, seen
    assert seen["execute: QueryRefused"] > 0.3 * seen.total() / 2, seen
