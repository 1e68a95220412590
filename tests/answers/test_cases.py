"""The cases of tests/cases/answers, one by one: without noise, every answer is exact but for what bounds take away."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest

from answers.cases import CASES, Case, read_cases
from answers.noiseless import Noiseless
from answers.shop import make_shop
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.privacy import FREE, Cost
from dpsql.release.types import Answer
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

ANSWERED = tuple(c for p in sorted(CASES.glob("*.sql")) if p.stem != "refused" for c in read_cases(p))
REFUSED = read_cases(CASES / "refused.sql")


class Sessions:
    """One session for each policy, on a ledger that no other case has charged."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder = folder
        self.stack = stack
        self.open: dict[str, Session] = {}

    def __getitem__(self, policy: str) -> Session:
        if policy not in self.open:
            loaded = load_policy(self.folder / f"{policy}.yaml")
            session = build_session(loaded, "alice", None, (None, None), Noiseless(least=3))
            self.stack.callback(session.close)
            self.open[policy] = session
        return self.open[policy]


@pytest.fixture(scope="module")
def sessions(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sessions]:
    with ExitStack() as stack:
        yield Sessions(make_shop(tmp_path_factory.mktemp("shop")), stack)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("case", ANSWERED, ids=str)
def test_the_answer_is_the_expected_one(case: Case, sessions: Sessions) -> None:
    session = sessions[case.policy]
    before = spent_by(session)
    answer = session.answer(case.sql, case.params)
    spent = spent_by(session)
    ordered = "order by" in case.sql.lower()
    assert said(answer, cost(case, session), ordered) == written(case, ordered)
    assert (spent.epsilon - before.epsilon, spent.delta - before.delta) == (
        answer.released.epsilon,
        answer.released.delta,
    )


# VALUES with ORDER BY is not read in parentheses.
_WRAPPED = tuple(c for c in ANSWERED if not (c.sql.startswith("VALUES") and "ORDER BY" in c.sql))


@pytest.mark.one_in(24)
@pytest.mark.parametrize("case", _WRAPPED, ids=str)
def test_the_columns_are_those_of_the_same_query_without_rows(case: Case, sessions: Sessions) -> None:
    session = sessions[case.policy]
    wrapped = f"SELECT * FROM ({case.sql}) AS answer LIMIT 0"
    probe = session.answer(wrapped, case.params)
    assert [c.name for c in probe.columns] == [c.name for c in session.answer(case.sql, case.params).columns]
    assert probe.rows == () and probe.released.epsilon == 0


@pytest.mark.parametrize("case", REFUSED, ids=str)
def test_a_refusal_is_one_sentence_at_its_place_and_costs_nothing(case: Case, sessions: Sessions) -> None:
    session = sessions[case.policy]
    before = spent_by(session)
    with pytest.raises(QueryRefused) as caught:
        session.answer(case.sql, case.params)
    assert str(caught.value) == case.title
    assert spent_by(session) == before


def spent_by(session: Session) -> Cost:
    """What the ledger has charged the session's analyst; a budget says more, which takes ten times as long."""
    return session._state.ledger.standing(session._state.request).spent


def said(answer: Answer, cost: str, ordered: bool) -> tuple[str, ...]:
    """An answer in the form in which cases are written."""
    head = " | ".join(f"{c.name} {c.type}" for c in answer.columns)
    rows = [" | ".join(_value(v) for v in row) for row in answer.rows]
    return (head, *(rows if ordered else sorted(rows)), cost)


def written(case: Case, ordered: bool) -> tuple[str, ...]:
    head, *rows, cost = case.expected
    return (head, *(rows if ordered else sorted(rows)), cost)


def cost(case: Case, session: Session) -> str:
    """What the query costs, in how many releases, noised by how many mechanisms."""
    plan = prepare(case.sql, case.params, session._state).plan
    events = [e for r in plan.releases for e in r.events]
    total = sum((e.cost for e in events), FREE)
    return (
        f"epsilon {float(total.epsilon):g}, delta {float(total.delta):g}, "
        f"releases {len(plan.releases)}, mechanisms {len(events)}"
    )


def _value(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:.10g}"
    return value.isoformat(" ") if isinstance(value, datetime) else str(value)
