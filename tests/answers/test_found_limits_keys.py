"""Limits that are found for a query of private groups: groups first, then sums of vectors over those that are kept."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from answers.engines import database, shared_engines
from answers.noiseless import Noiseless
from answers.test_found_limits import parts
from dpsql.errors import InternalError
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.types import Bounding, Histogram, Presence, ScaledSums, Sums
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost, Mechanism
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """version: 1
privacy: {{unit: visits.person{privacy}}}
tables:
  visits:
    source: data.duckdb
    unit_key: person{table}
    columns:
      person: {{type: integer}}
      town: {{type: text}}
      cost: {{type: integer, lower: 0, upper: 100}}
      day: {{type: integer, lower: 1, upper: 365}}
budgets:
  dataset: {{epsilon: 1000, delta: 1e-2}}
  default: {{epsilon: 1000, delta: 1e-2, per_query: {{epsilon: 3, delta: 1e-6}}}}
accountant: {accountant}
"""
# 2,000 people with two visits in one of three towns; one of them has a town for each of 50 other visits.
DATA = """CREATE TABLE visits AS SELECT p AS person, 'town ' || p % 3 AS town, 10 AS cost, 1 + i AS day
    FROM range(2000) AS u(p), range(2) AS v(i)
    UNION ALL SELECT 0, 'own ' || i, 10, 5 FROM range(50) AS v(i)"""
ASKED = "SELECT town, COUNT(*) AS n, SUM(cost) AS s FROM visits WHERE day < 30 GROUP BY town ORDER BY town"
CAPPED = "\n    max_rows_per_unit: 60"
COST = Cost(Fraction(3), Fraction(1, 10**6))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.duckdb").write_bytes(database(DATA))
    return tmp_path


def opened(
    folder: Path,
    privacy: str = ", max_rows_per_unit: 60",
    accountant: str = "approx",
    table: str = "",
    sampler: Sampler | None = None,
) -> Session:
    text = POLICY.format(privacy=privacy, table=table, accountant=accountant)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    return build_session(
        policy,
        "alice",
        folder / "l.ledger",
        (None, None),
        sampler or ExactSampler(),
        clipping="private",
        resources=shared_engines,
    )


@pytest.mark.parametrize("neighbours", ["add_remove", "substitute"])
def test_groups_are_selected_at_their_own_cost_and_limits_found_at_the_rest(
    folder: Path, neighbours: str
) -> None:
    with closing(
        opened(folder, f", max_rows_per_unit: 60, neighbours: {neighbours}", sampler=Noiseless(30))
    ) as session:
        found = parts(session, ASKED)
        answer = session.answer(ASKED)
        assert session.budget().spent == COST
    assert {type(p) for p in found} == {Presence, Histogram, ScaledSums}
    assert type(found[0]) is Presence
    spent = sum(e.cost.epsilon for p in found[1:] for e in p.events)
    assert spent == COST.epsilon * Fraction(2, 3)
    # Towns of one person are withheld. Who has 52 visits has two in what is shown, as everybody.
    assert [tuple(row)[:2] for row in answer.rows] == [("town 0", 1334), ("town 1", 1334), ("town 2", 1332)]


def test_where_no_group_is_kept_there_is_no_row(folder: Path) -> None:
    with closing(opened(folder, sampler=Noiseless(10_000))) as session:
        assert session.answer(ASKED).rows == ()


def test_a_stored_answer_has_its_keys_and_its_limits(folder: Path) -> None:
    with closing(opened(folder)) as session:
        first = session.answer(ASKED)
    with closing(opened(folder)) as session:
        again = session.answer(ASKED)
    assert again.rows == first.rows and again.released.epsilon == 0
    assert again.released.bias == first.released.bias
    # A town of one person is shown once in a million draws, and once in ten thousand the limit is a much larger one.
    assert {f"town {n}" for n in range(3)} <= {town for town, *_ in first.rows}


LAWS = ", mechanisms: [discrete_gaussian, discrete_laplace, truncated_geometric]"


@pytest.mark.parametrize(("table", "gaussian"), [(CAPPED, True), ("", False)])
def test_squares_are_added_up_only_where_the_groups_of_a_unit_are_limited(
    folder: Path, table: str, gaussian: bool
) -> None:
    with closing(opened(folder, f"{LAWS}, max_rows_per_unit: 60", "zcdp", table, Noiseless(30))) as session:
        sums = [p for p in parts(session, ASKED) if isinstance(p, ScaledSums)]
        rows = session.answer(ASKED).rows
    assert sums and all(p.noise.gaussian is gaussian for p in sums)
    assert [row[1] for row in rows[1:]] == [1334, 1332]


def test_where_no_law_fits_limits_stay_fixed(folder: Path) -> None:
    laws = ", mechanisms: [discrete_gaussian, truncated_geometric], max_rows_per_unit: 60"
    with closing(opened(folder, laws, "zcdp")) as session:
        assert {type(p) for p in parts(session, ASKED)} == {Presence, Sums}


BROKEN = {
    "nobody selects the groups": lambda ps: ps[1:],
    "groups are selected after their sums": lambda ps: (*ps[1:], ps[0]),
    "the sums come without their histogram": lambda ps: (ps[0], *ps[2:]),
    "a unit thresholds its own keys": lambda ps: (replace(ps[0], counted=True, weights=None), *ps[1:]),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_plan_that_is_not_what_it_is_charged_as_is_caught(folder: Path, broken: str) -> None:
    with closing(opened(folder)) as session:
        plan = prepare(ASKED, None, session._state).plan
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        assert check_cost(plan, COST, context) == COST
        (release,) = plan.releases
        wrong = replace(release, parts=BROKEN[broken](release.parts))
        with pytest.raises(InternalError):
            check_cost(replace(plan, releases=(wrong,)), COST, context)


def test_squares_of_any_number_of_groups_are_caught(folder: Path) -> None:
    """The same Gaussian plan, where nothing limits the rows of a unit."""
    privacy = f"{LAWS}, max_rows_per_unit: 60"
    with closing(opened(folder, privacy, "zcdp", CAPPED)) as session:
        plan = prepare(ASKED, None, session._state).plan
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        assert any(e.mechanism is Mechanism.DISCRETE_GAUSSIAN for r in plan.releases for e in r.events)
        check_cost(plan, COST, context)
        (release,) = plan.releases
        uncapped = tuple(
            replace(p, bounding=Bounding()) if isinstance(p, Histogram | ScaledSums) else p
            for p in release.parts
        )
        with pytest.raises(InternalError):
            check_cost(replace(plan, releases=(replace(release, parts=uncapped),)), COST, context)
    with closing(opened(folder, privacy, "zcdp")) as session:
        context = replace(session._state.context, clipping=ClippingMode.PRIVATE)
        with pytest.raises(InternalError):
            check_cost(plan, COST, context)


TYPES = {
    "text": ("text", "CASE WHEN p % 4 > 0 THEN 'it''s ' || p % 4 END"),
    "integer": ("integer", "CASE WHEN p % 4 > 0 THEN 9007199254740993 + p % 4 END"),
    "float": (
        "float",
        "CASE p % 4 WHEN 0 THEN NULL WHEN 1 THEN 'nan' WHEN 2 THEN 0.25 ELSE 1e300 END::DOUBLE",
    ),
    "boolean": ("boolean", "CASE WHEN p % 4 > 1 THEN p % 4 = 2 END"),  # NULL twice
    "date": ("date", "DATE '0001-01-01' + (p % 4)::INTEGER"),
    "timestamp": ("timestamp", "TIMESTAMP '2025-01-01 00:00:00.000001' + INTERVAL (p % 4) MICROSECOND"),
}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("isolation", ["inline", "process"])
@pytest.mark.parametrize("kind", TYPES)
def test_keys_of_every_type_are_known_again(tmp_path: Path, kind: str, isolation: str) -> None:
    """Every row of a kept group is counted, also of NULL."""
    declared, key = TYPES[kind]
    rows = f"SELECT p AS person, {key} AS town, 10 AS cost, 1 + i AS day FROM range(200) AS u(p), range(2) AS v(i)"
    (tmp_path / "data.duckdb").write_bytes(database(f"CREATE TABLE visits AS {rows}"))
    policy = POLICY.format(privacy=", max_rows_per_unit: 60", table="", accountant="approx")
    text = policy.replace("town: {type: text}", f"town: {{type: {declared}, nullable: true}}")
    (tmp_path / "policy.yaml").write_text(f"{text}engine: {{isolation: {isolation}}}\n", encoding="utf-8")
    session = build_session(
        load_policy(tmp_path / "policy.yaml"),
        "alice",
        tmp_path / "l.ledger",
        (None, None),
        Noiseless(30),
        clipping="private",
    )
    with closing(session):
        asked = "FLOOR(town)" if kind == "float" else "town"
        found = session.answer(f"SELECT {asked}, COUNT(*) AS n FROM visits WHERE day < 30 GROUP BY 1").rows
    assert sorted(row[1] for row in found) == ([100, 100, 200] if kind == "boolean" else [100] * 4)


@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
def test_keys_come_back_as_the_numbers_that_the_engine_has(folder: Path, accountant: str) -> None:
    """Those of a sum are wider than a column's, and NULL alone has no type in SQL."""
    (folder / "data.duckdb").write_bytes(
        database(DATA.replace("1 + i AS day", "9223372036854775807 - i AS day"))
    )
    policy = POLICY.replace("{{type: integer, lower: 1, upper: 365}}", "{{type: integer}}")
    text = policy.format(privacy=", max_rows_per_unit: 60", table="", accountant=accountant)
    (folder / "policy.yaml").write_text(text, encoding="utf-8")
    loaded = load_policy(folder / "policy.yaml")
    place = folder / "l.ledger"
    with closing(
        build_session(loaded, "alice", place, (None, None), Noiseless(), clipping=ClippingMode.PRIVATE)
    ) as session:
        wide = session.answer(
            "SELECT day * 2 AS k, SUM(cost) FROM visits WHERE cost < 50 GROUP BY 1 ORDER BY 1"
        )
        assert {2 * (2**63 - 2), 2 * (2**63 - 1)} <= {key for key, _ in wide.rows}
        none = session.answer(
            "SELECT town, NULL, COUNT(*) FROM visits WHERE cost < 50 GROUP BY 1, 2 ORDER BY 1"
        )
        assert {(f"town {i}", None) for i in range(3)} <= {row[:2] for row in none.rows}
