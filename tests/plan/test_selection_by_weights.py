"""Private groups by weights: when they are chosen, what SQL finds, what it costs, and what the check sees through."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.sqlgen.key_weights import MOST_KEPT, weights_sql
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.errors import InternalError
from dpsql.mechanisms.analysis.composition import zcdp_delta
from dpsql.mechanisms.partition.weighted_selection import key_weight
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.types import Plan, Presence, Weights
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism, Neighbours
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table, plan, release

COLUMNS = {"name": "text, nullable: true", "x": "integer, lower: 0, upper: 9"}
ASKED = Cost(Fraction(1), Fraction(1, 10**6))
NAMES, UNITS = "SELECT DISTINCT name FROM t", "SELECT name, COUNT(DISTINCT u) AS n FROM t GROUP BY name"
MANY = "max_rows_per_unit: 200"


def presence(session: Session, sql: str = NAMES) -> Presence:
    found = release(session, sql).parts[0]
    assert isinstance(found, Presence)
    return found


def mechanisms(session: Session, sql: str = NAMES) -> list[Mechanism]:
    return [e.mechanism for e in presence(session, sql).events]


BY_WEIGHTS = [Mechanism.DISCRETE_GAUSSIAN, Mechanism.WEIGHTED_SELECTION]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("privacy", "expected"),
    [
        (MANY, BY_WEIGHTS),
        ("max_rows_per_unit: 200, neighbours: substitute", BY_WEIGHTS),
        ("max_groups_per_unit: 20", BY_WEIGHTS),
        ("max_rows_per_unit: 1", [Mechanism.TRUNCATED_GEOMETRIC]),
        (f"{MANY}, mechanisms: [truncated_geometric, discrete_gaussian]", [Mechanism.TRUNCATED_GEOMETRIC]),
        (f"{MANY}, mechanisms: [truncated_geometric, weighted_selection]", [Mechanism.TRUNCATED_GEOMETRIC]),
        ("max_rows_per_unit: 1, mechanisms: [discrete_gaussian, weighted_selection]", BY_WEIGHTS),
    ],
)
def test_weights_are_chosen_where_they_show_smaller_groups_and_the_policy_has_them(
    privacy: str, expected: list[Mechanism], tmp_path: Path
) -> None:
    with closing(Table(COLUMNS, privacy=privacy).open(tmp_path)) as session:
        assert mechanisms(session) == expected


def test_rows_that_are_units_are_counted(tmp_path: Path) -> None:
    with closing(Table(COLUMNS, every_row=True).open(tmp_path)) as session:
        assert mechanisms(session) == [Mechanism.TRUNCATED_GEOMETRIC]


def test_groups_with_their_numbers_are_selected_first_where_that_shows_groups_of_two_thirds(
    tmp_path: Path,
) -> None:
    with closing(Table(COLUMNS, privacy=MANY).open(tmp_path / "many")) as session:
        assert mechanisms(session, UNITS) == BY_WEIGHTS
        assert presence(session, UNITS).epsilon == Fraction(1, 3)
    with closing(Table(COLUMNS, privacy="max_rows_per_unit: 3").open(tmp_path / "few")) as session:
        assert mechanisms(session, UNITS) == [Mechanism.LAPLACE_THRESHOLDING]


def test_the_cost_is_what_was_asked_and_the_noise_what_it_converts_to(tmp_path: Path) -> None:
    with closing(Table(COLUMNS, privacy=MANY).open(tmp_path)) as session:
        found = presence(session)
        assert sum((e.cost for e in found.events), Cost(Fraction(0))) == ASKED
        noise, reserved = found.events
        assert found.weights is not None and noise.variance is not None
        assert noise.sensitivity / (2 * noise.variance) == found.weights.rho
        assert zcdp_delta(found.weights.rho, ASKED.epsilon) <= noise.cost.delta == ASKED.delta / 2
        assert zcdp_delta(found.weights.rho * Fraction(101, 100), ASKED.epsilon) > noise.cost.delta
        assert reserved.cost == Cost(Fraction(0), found.weights.tail) and reserved.sensitivity == 200


def test_where_rho_adds_up_the_threshold_has_all_of_the_delta(tmp_path: Path) -> None:
    privacy = f"{MANY}, mechanisms: [discrete_gaussian, weighted_selection]"
    with closing(Table(COLUMNS, privacy=privacy, accountant="zcdp").open(tmp_path)) as session:
        found = presence(session)
        noise, reserved = found.events
        assert found.weights is not None
        assert (
            found.weights.rho == Fraction(1, 2) and found.weights.tail == reserved.cost.delta == found.delta
        )
        assert noise.cost == Cost(Fraction(1)) and noise.variance == 1
        before = session.budget().spent
        session.answer(NAMES)
        assert session.budget().spent != before


@pytest.mark.one_in(6)
@pytest.mark.parametrize("neighbours", ["add_remove", "substitute"])
@pytest.mark.parametrize(
    "change",
    [
        lambda p, w: replace(p, weights=replace(w, rho=w.rho * Fraction(1001, 1000))),
        lambda p, w: replace(p, weights=replace(w, tail=w.tail + Fraction(1, 10**9))),
        lambda p, w: replace(p, weights=replace(w, tail=p.delta)),
        lambda p, w: replace(p, weights=replace(w, tail=Fraction(0))),
        lambda p, w: replace(
            p, weights=replace(w, neighbours=next(n for n in Neighbours if n != w.neighbours))
        ),
        lambda p, w: replace(p, groups=p.groups - 1),
        lambda p, w: replace(p, counted=True),
    ],
)
def test_a_selection_that_is_not_what_it_costs_is_caught(
    neighbours: str, change: object, tmp_path: Path
) -> None:
    with closing(Table(COLUMNS, privacy=f"{MANY}, neighbours: {neighbours}").open(tmp_path)) as session:
        made, part = plan(session, NAMES), presence(session)
        check_cost(made, ASKED, session._state.context)
        wrong = change(part, part.weights)  # type: ignore[operator]
        broken = Plan((replace(made.releases[0], parts=(wrong,)),), made.public_query)
        with pytest.raises(InternalError):
            check_cost(broken, ASKED, session._state.context)


def rows(seed: int, most: int) -> list[tuple[int, str | None, int]]:
    """Units in up to so many groups, NULL among them, with several rows in some."""
    draw, found = random.Random(seed), []
    for unit in range(60):
        names = draw.sample([None, *(f"n{i}" for i in range(12))], draw.randint(1, most))
        found += [(unit, n, draw.randint(0, 9)) for n in names for _ in range(draw.randint(1, 3))]
    draw.shuffle(found)
    return found


def weights(session: Session, sql: str = NAMES) -> dict[object, int]:
    """What the engine finds for the first part of a query."""
    ready = prepare(sql, None, session._state)
    exact = session._state.engine.run(ready.queries[0][0])
    return {key[0]: int(v[0]) for key, v in zip(exact.keys, exact.values, strict=True)}


def expected(found: list[tuple[int, str | None, int]]) -> dict[object, int]:
    groups: dict[int, set[str | None]] = {}
    for unit, name, _ in found:
        groups.setdefault(unit, set()).add(name)
    every = {n for names in groups.values() for n in names}
    return {n: sum(key_weight(len(g)) for g in groups.values() if n in g) for n in every}


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    ("privacy", "table"),
    [
        ("max_rows_per_unit: 50", ""),
        ("max_groups_per_unit: 9", ""),
        ("max_groups_per_unit: 9, neighbours: substitute", ""),
        ("", "max_rows_per_unit: 50"),
    ],
)
def test_weights_are_added_up_exactly_and_null_is_a_group(privacy: str, table: str, tmp_path: Path) -> None:
    found = rows(1, 9)
    with closing(Table(COLUMNS, found, privacy=privacy, table=table).open(tmp_path)) as session:
        assert presence(session).weights is not None
        assert weights(session) == expected(found)
        low = [r for r in found if r[2] < 4]
        assert weights(session, f"{NAMES} WHERE x < 4") == expected(low)


def test_weights_are_kept_for_the_same_rows_and_keys_alone(tmp_path: Path) -> None:
    found = rows(2, 9)
    low = [r for r in found if r[2] < 4]
    counted, summed = (f"SELECT name, {m} FROM t GROUP BY name" for m in ("COUNT(*)", "SUM(x)"))
    with closing(Table(COLUMNS, found, privacy=MANY).open(tmp_path)) as session:
        for _ in range(2):
            assert weights(session, counted) == weights(session, summed) == expected(found)
            assert weights(session, f"{NAMES} WHERE x < 4") == expected(low)
        queries = {prepare(sql, None, session._state).queries[0][0] for sql in (NAMES, counted, summed)}
        assert len(queries) == 1 and [u.most_rows for u in queries.pop().lists if u.most_rows] == [MOST_KEPT]


def test_weights_that_follow_from_an_answer_are_not_kept(tmp_path: Path) -> None:
    """What they are is another thing for each draw."""
    found, sql = rows(3, 9), f"{NAMES} WHERE x < (SELECT ROUND(AVG(x)) FROM t)"
    with closing(Table(COLUMNS, found, privacy=MANY).open(tmp_path)) as session:
        (query,) = (
            q for part in prepare(sql, None, session._state).queries for q in part if q.parameters or q.tables
        )
        for most in (3, 7):
            given = replace(query, values=((query.parameters[0].name, most),))
            exact = session._state.engine.run(given)
            low = [r for r in found if r[2] < most]
            assert {key[0]: int(v[0]) for key, v in zip(exact.keys, exact.values, strict=True)} == expected(
                low
            )


@pytest.mark.parametrize(
    ("privacy", "table"),
    [("max_rows_per_unit: 4", ""), ("max_groups_per_unit: 3", ""), ("", "max_rows_per_unit: 4")],
)
def test_a_unit_with_more_groups_keeps_some_and_has_a_norm_of_one(
    privacy: str, table: str, tmp_path: Path
) -> None:
    found = [(7, f"n{i}", i % 10) for i in range(11)]
    with closing(Table(COLUMNS, found, privacy=privacy, table=table).open(tmp_path)) as session:
        kept, most = weights(session), presence(session).groups
        assert len(kept) == most < 11 and set(kept.values()) == {key_weight(most)}


def test_the_root_of_every_number_of_groups_is_exact() -> None:
    pairs = f"SELECT d AS {UNIT}, k AS k0, 1 AS g0 FROM range(1, 400) r(d), range(1, 400) s(k) WHERE k <= d"
    found = duckdb.sql(weights_sql(2, pairs.replace("k AS k0", "d AS k0, k AS k1"))).fetchall()
    assert {(d, w) for d, _, w in found} == {(d, key_weight(d)) for d in range(1, 400)}


def test_pairs_without_rows_are_no_groups() -> None:
    pairs = f"SELECT * FROM (VALUES (1, 'a', 2), (1, 'b', 0), (2, 'b', 0)) v({UNIT}, k0, g0)"
    assert duckdb.sql(weights_sql(1, pairs)).fetchall() == [("a", 2**20)]


def test_small_groups_are_shown_that_a_cap_of_many_would_have_withheld(tmp_path: Path) -> None:
    """Of units in one group each 150 are enough at epsilon 1/3 under a cap of 200; counted alike they needed 7,217."""
    found = [(u, "many", 1) for u in range(150)] + [(1000, "one", 1)]
    with closing(Table(COLUMNS, found, privacy=MANY).open(tmp_path, ExactSampler())) as session:
        assert [name for name, _ in session.answer("SELECT name, SUM(x) FROM t GROUP BY name").rows] == [
            "many"
        ]
        (report,) = session.explain(NAMES).releases
        assert report.mechanism == "weighted_selection"
        assert "people in no other group" in report.note


def test_weights_are_part_of_what_is_stored(tmp_path: Path) -> None:
    w = Weights(Fraction(1, 2), Fraction(1, 10), Neighbours.ADD_REMOVE)
    with closing(Table(COLUMNS, privacy=MANY).open(tmp_path)) as session:
        ready = prepare(NAMES, None, session._state)
        (charge,) = ready.charges
        assert charge is not None and "weights=Weights(rho=" in charge.canonical
        assert w != presence(session).weights
