"""What is kept of finished answers: it saves work, and changes neither draws nor charges nor what is refused."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

import pytest

from answers.shop import make_shop
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.engines.public_engine import FinishEngine
from dpsql.errors import LedgerUnavailable, OperationalError
from dpsql.interfaces import shared_connections as shared
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.release.prepared_query import Drawn, Finished, Memory
from dpsql.session import Session, build_session, refresh_sources

QUERY = "SELECT region, COUNT(*) + 0 AS n FROM orders GROUP BY region"
MOST_SECONDS = 0.002


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    return make_shop(tmp_path)


@pytest.fixture
def alice(shop: Path) -> Iterator[Session]:
    session = build_session(load_policy(shop / "shop.yaml"), "alice", None, (None, None), ExactSampler())
    yield session
    session.close()


@pytest.fixture
def finished(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every query that a public engine has finished."""
    asked: list[str] = []
    original = FinishEngine.finish

    def finish(engine: FinishEngine, rest: str, tables: Sequence[object]) -> object:
        asked.append(rest)
        return original(engine, rest, tables)  # type: ignore[arg-type]

    monkeypatch.setattr(FinishEngine, "finish", finish)
    return asked


def test_the_same_text_is_finished_from_the_stored_draw_once(alice: Session, finished: list[str]) -> None:
    drawn = alice.answer(QUERY)
    answers = [alice.answer(QUERY) for _ in range(4)]
    assert len(finished) == 2
    assert {a.rows for a in answers} == {drawn.rows} and not any(a.released.epsilon for a in answers)
    assert answers[-1].columns == drawn.columns and len(answers[-1].released.releases) == 1
    assert len(answers[-1].released.intervals) == len(drawn.rows)


@pytest.mark.parametrize("comment", ["", "-- {}"])
def test_a_stored_answer_takes_less_than_2_ms_also_with_another_comment(comment: str, alice: Session) -> None:
    seconds = []
    alice.answer(QUERY)
    for n in range(60):
        begun = time.process_time()
        alice.answer(QUERY + comment.format(n))
        seconds.append(time.process_time() - begun)
    assert sorted(seconds)[30] < MOST_SECONDS


def test_the_history_counts_what_was_answered_from_memory(alice: Session, finished: list[str]) -> None:
    for _ in range(5):
        alice.answer(QUERY)
    history = "SELECT max(free_answers) FROM dpsql.history"
    assert alice.answer(history).rows == ((4,),)
    alice.answer(QUERY)
    assert alice.answer(history).rows == ((5,),)


def test_a_query_that_reads_the_budget_beside_a_draw_is_finished_anew(alice: Session) -> None:
    both = "SELECT (SELECT epsilon_spent FROM dpsql.budget LIMIT 1) AS spent, COUNT(*) FROM orders"
    before = [alice.answer(both).rows[0] for _ in range(3)][-1]
    alice.answer(QUERY)
    after = alice.answer(both).rows[0]
    assert after[0] == before[0] + 1 and after[1] == before[1]  # type: ignore[operator]


def test_another_ledger_under_the_same_plan_answers_with_its_own_draw(shop: Path) -> None:
    ledgers = [shared.connect(shop / "shop.yaml", analyst="alice", ledger=shop / f"{n}") for n in "ab"]
    rows = [connection.execute(QUERY).fetchall() for connection in ledgers]
    assert rows[0] != rows[1], "two draws of four cells are equal once in a great while"
    for n, connection in zip(cycle((0, 1)), ledgers * 3, strict=False):
        assert connection.execute(QUERY).fetchall() == rows[n]
    for connection in ledgers:
        connection.close()


def test_a_ledger_that_was_taken_away_is_noticed_although_the_answer_is_in_memory(
    shop: Path, alice: Session
) -> None:
    for _ in range(3):
        alice.answer(QUERY)
    (shop / "shop.ledger").unlink()
    with pytest.raises(LedgerUnavailable, match="removed or replaced"):
        alice.answer(QUERY)


def test_a_new_data_version_ends_what_is_in_memory(shop: Path, alice: Session) -> None:
    for _ in range(3):
        alice.answer(QUERY)
    refresh_sources(shop / "shop.yaml", None, "admin")
    with pytest.raises(LedgerUnavailable, match="open a new connection"):
        alice.answer(QUERY)


def test_a_source_that_changed_ends_what_is_in_memory(alice: Session) -> None:
    for _ in range(3):
        alice.answer(QUERY)
    alice._state.stamps, alice._state.sources = (), Sources("another engine")
    with pytest.raises(OperationalError, match="the data is being changed"):
        alice.answer(QUERY)


def test_a_fresh_draw_is_never_read_from_memory(shop: Path) -> None:
    policy = load_policy(shop / "shop.yaml")
    session = build_session(policy, "alice", None, (None, None), ExactSampler(), fresh=True)
    answers = [session.answer(QUERY) for _ in range(4)]
    assert len({a.rows for a in answers}) > 1 and all(a.released.epsilon == 1 for a in answers)
    session.close()


@pytest.mark.parametrize(
    ("rows", "draws", "kept"),
    [
        (((1, "a"),), (b"draw",), True),
        ((([1],),), (b"draw",), False),
        (((1,),) * 1_001, (b"draw",), False),
        (((1,),), (bytes(1_000_001),), False),
    ],
)
def test_small_answers_of_plain_values_are_kept(
    rows: tuple[tuple[object, ...], ...], draws: tuple[bytes, ...], kept: bool
) -> None:
    memory, drawn, done = Memory(), Drawn((), draws), Finished(rows, tuple)
    memory.keep(drawn, done)
    assert memory.drawn(draws) is (drawn if kept else None)
    assert memory.finished(drawn) is (done if kept else None)
    assert memory.drawn((*draws, b"more")) is None and memory.drawn((b"other",)) is None
    assert memory.finished(Drawn((), draws)) is None


def test_a_query_is_explained_once(alice: Session) -> None:
    first = alice.explain(QUERY)
    assert alice.explain(QUERY) is first
    assert alice.explain(f"{QUERY} -- the same words") is first
    assert alice.explain(f"{QUERY} ORDER BY 2") is not first


def test_what_was_drawn_just_now_is_not_kept() -> None:
    memory, drawn = Memory(), Drawn(())
    memory.keep(drawn, Finished(((1,),), tuple))
    assert memory.finished(drawn) is None


def test_whole_numbers_are_doubles_where_duckdb_says_so(alice: Session) -> None:
    """Of a constant NULL it takes EXTRACT for a double."""
    moment = "NULLIF(TIMESTAMP '2025-01-01 00:00:00', TIMESTAMP '2025-01-01 00:00:00')"
    seconds = f"LEAST(GREATEST(EXTRACT(millisecond FROM {moment}), -20), 50)"
    answer = alice.answer(f"SELECT region, SUM({seconds}) AS s FROM orders GROUP BY region")
    assert answer.columns[1].type == "DOUBLE"
    assert answer.rows and all(isinstance(s, float) for _, s in answer.rows)
