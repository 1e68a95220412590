"""The cases of tests/cases/attacks: what is seen of a query never depends on the private rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from answers.noiseless import Noiseless

from attacks.cases import Case, read_cases
from attacks.neighbours import DATABASES, POLICIES, Database, Outcome
from dpsql.stages.prepare import prepare

Databases = dict[str, tuple[Database, ...]]


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Databases]:
    root = tmp_path_factory.mktemp("attacks")
    opened = {p: tuple(Database(root / p / kind, kind, p) for kind in DATABASES) for p in POLICIES}
    yield opened
    for group in opened.values():
        for database in group:
            database.session.close()


@pytest.mark.one_in(12)
@pytest.mark.parametrize("case", read_cases(), ids=str)
def test_an_attack_sees_nothing_that_depends_on_a_person(case: Case, databases: Databases) -> None:
    seen = [database.ask(case.sql) for database in databases[case.policy]]
    assert seen[0] == seen[1] == seen[2]
    said = _said(case.sql, seen[0], databases[case.policy][0])
    if case.expected.endswith("..."):
        said = said[: len(case.expected) - 3] + "..."
    assert said == case.expected


def _said(sql: str, seen: Outcome, database: Database) -> str:
    """An outcome as a case writes it; what a query costs is its plan's cost, stored or not."""
    if seen.kind == "answered":
        rows = f"{len(seen.rows)} row{'' if len(seen.rows) == 1 else 's'}"
        return f"answered: {', '.join(seen.columns)} | {rows} | epsilon {_cost(sql, database):g}"
    if seen.kind == "QueryFailed":
        return f"failed: epsilon {_cost(sql, database):g}"
    return f"{'refused' if seen.kind == 'QueryRefused' else seen.kind}: {seen.reason}"


def _cost(sql: str, database: Database) -> float:
    if sql.upper().startswith("EXPLAIN"):
        return 0.0
    return float(sum(c.cost.epsilon for c in prepare(sql, None, database.session._state).due))


def test_a_sampler_that_adds_nothing_would_be_noticed(databases: Databases) -> None:
    """The comparison has teeth: without the blind sampler the databases are told apart."""
    sql, seen = "SELECT count(*) FROM visits WHERE age = 41 AND nights = 5", []
    for database in databases["listed"][:2]:
        blind = database.session._state.sampler
        database.session._state.sampler = Noiseless()
        seen.append(database.ask(sql))
        database.session._state.sampler = blind
    assert seen[0] != seen[1]
