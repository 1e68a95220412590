"""Private groups asked for with their numbers of units alone are one noise and one threshold."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.audit.exact import Found, found, moved
from dpsql.errors import InternalError
from dpsql.mechanisms.partition.thresholding import laplace_threshold, row_threshold
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.keys.selection_by_weights import even_size
from dpsql.plan.types import Plan, Presence
from dpsql.plan.verify.cost import check_cost
from dpsql.privacy import Cost, Mechanism
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.uncertainty.intervals import half_width
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table, plan, release

COLUMNS = {"name": "text", "x": "integer, lower: 0, upper: 9"}
ASKED = Cost(Fraction(1), Fraction(1, 10**6))
RARE = "1e-12"
ASKED_RARELY = Cost(Fraction(1), Fraction(RARE))
# 500 units have two rows in one group; one unit has a group alone.
ROWS = [(u // 2, "many", 1) for u in range(1000)] + [(1000, "one", 1)]
UNITS = "SELECT name, COUNT(DISTINCT u) AS n FROM t GROUP BY name"


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    opened = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 3").open(
        tmp_path_factory.mktemp("units"), ExactSampler()
    )
    with closing(opened):
        yield opened


def presence(session: Session, sql: str) -> Presence:
    found = release(session, sql).parts[0]
    assert isinstance(found, Presence)
    return found


def test_numbers_of_units_have_the_whole_epsilon_and_their_groups_the_whole_delta(session: Session) -> None:
    found = release(session, UNITS)
    (event,) = found.events
    assert (event.mechanism, event.sensitivity, event.cost) == (Mechanism.LAPLACE_THRESHOLDING, 3, ASKED)
    (report,) = session.explain(UNITS).releases
    tau = laplace_threshold(ASKED.epsilon, ASKED.delta, 3)
    assert f"fewer than {tau} with noise are withheld" in report.note
    assert report.expected_error == pytest.approx(9.0, abs=1)


def test_a_large_group_is_released_with_its_noisy_number_and_a_single_unit_s_is_not(tmp_path: Path) -> None:
    """The group of one is shown once in 10^12 times: how often that is, is for the delta to say."""
    table = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 3", delta=RARE)
    with closing(table.open(tmp_path, ExactSampler())) as opened:
        ((name, n),) = opened.answer(UNITS).rows
    assert name == "many"
    assert abs(n - 500) < 90  # type: ignore[operator]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, COUNT(*) FROM t GROUP BY name",
        "SELECT name, COUNT(DISTINCT u) FILTER (WHERE x > 3) FROM t GROUP BY name",
        "SELECT name, COUNT(DISTINCT u), SUM(x) FROM t GROUP BY name",
        "SELECT name FROM t GROUP BY name",
        "SELECT name FROM t GROUP BY name ORDER BY COUNT(DISTINCT u) DESC LIMIT 1",
    ],
)
def test_whatever_else_is_asked_has_groups_of_its_own(session: Session, sql: str) -> None:
    assert not presence(session, sql).counted


def test_rows_are_units_where_each_unit_has_one(tmp_path: Path) -> None:
    with closing(Table(COLUMNS, table="one_row_per_unit: true").open(tmp_path)) as opened:
        found = presence(opened, "SELECT name, COUNT(*), COUNT(DISTINCT u) FROM t GROUP BY name")
        assert found.counted and found.groups == 1


def test_a_replaced_unit_touches_twice_the_groups(tmp_path: Path) -> None:
    privacy = "max_rows_per_unit: 3, neighbours: substitute"
    with closing(Table(COLUMNS, privacy=privacy).open(tmp_path)) as opened:
        assert presence(opened, UNITS).groups == 6


def test_a_policy_without_the_mechanism_has_the_two_it_stands_for(tmp_path: Path) -> None:
    privacy = "max_rows_per_unit: 3, mechanisms: [discrete_laplace, truncated_geometric]"
    with closing(Table(COLUMNS, privacy=privacy).open(tmp_path)) as opened:
        assert [e.mechanism for e in release(opened, UNITS).events] == [
            Mechanism.TRUNCATED_GEOMETRIC,
            Mechanism.DISCRETE_LAPLACE,
        ]


ROWS_COUNTED = "SELECT name, COUNT(*) AS n FROM t GROUP BY name"


@pytest.fixture
def by_rows(tmp_path: Path) -> Iterator[Session]:
    privacy = "max_rows_per_unit: 3, clipping: auto"
    table = Table(COLUMNS, ROWS, privacy=privacy, delta=RARE)
    with closing(table.open(tmp_path, ExactSampler())) as opened:
        yield opened


def test_numbers_of_rows_have_the_whole_epsilon_and_their_groups_the_whole_delta(by_rows: Session) -> None:
    found = release(by_rows, ROWS_COUNTED)
    (event,) = found.events
    assert (event.mechanism, event.sensitivity, event.cost) == (
        Mechanism.LAPLACE_THRESHOLDING,
        3,
        ASKED_RARELY,
    )
    (report,) = by_rows.explain(ROWS_COUNTED).releases
    tau = row_threshold(ASKED.epsilon, ASKED_RARELY.delta, 3, 3)
    assert f"at most 3 rows in all; groups of fewer than {tau} with noise are withheld" in report.note
    answer = by_rows.answer(ROWS_COUNTED)
    ((name, n),) = answer.rows
    assert name == "many" and abs(n - 1000) < 90  # type: ignore[operator]
    assert any(f"groups below about {tau} rows are withheld" in said for said in answer.released.bias)


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("privacy", "sql", "counted"),
    [
        ("max_rows_per_unit: 3", ROWS_COUNTED, (3, 3)),
        ("max_rows_per_unit: 3, neighbours: substitute", ROWS_COUNTED, (6, 6)),
        # What units are counted in is limited more than their rows: these are shown from smaller groups on.
        ("max_rows_per_unit: 30, max_groups_per_unit: 1", ROWS_COUNTED, None),
        # A limit that is found for the query.
        ("max_rows_per_unit: 30", "SELECT name, COUNT(*) FROM t WHERE x > 2 GROUP BY name", None),
        ("max_rows_per_unit: 3, mechanisms: [discrete_laplace, truncated_geometric]", ROWS_COUNTED, None),
        ("max_rows_per_unit: 3", "SELECT name, COUNT(*), SUM(x) FROM t GROUP BY name", None),
        ("max_rows_per_unit: 3", "SELECT name, COUNT(*) FILTER (WHERE x > 1) FROM t GROUP BY name", None),
    ],
)
def test_rows_are_counted_at_a_threshold_where_that_shows_smaller_groups(
    tmp_path: Path, privacy: str, sql: str, counted: tuple[int, int] | None
) -> None:
    with closing(Table(COLUMNS, privacy=f"{privacy}, clipping: auto").open(tmp_path)) as opened:
        found = presence(opened, sql)
        assert ((found.groups, found.rows) if found.counted else None) == counted


@pytest.mark.parametrize("mode", ["fixed", "private"])
def test_under_fixed_limits_a_question_keeps_the_plan_that_it_had(tmp_path: Path, mode: str) -> None:
    """What is stored of it stays its answer; and under private ones the limit is found."""
    with closing(Table(COLUMNS, privacy=f"max_rows_per_unit: 3, clipping: {mode}").open(tmp_path)) as opened:
        assert not presence(opened, ROWS_COUNTED).counted


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    "wrong",
    [
        lambda p: replace(p, rows=2),
        lambda p: replace(p, groups=2),
        lambda p: replace(p, rows=None),
        lambda p: replace(p, counted=False),
        lambda p: replace(p, bounding=replace(p.bounding, rows=None)),
        lambda p: replace(p, bounding=replace(p.bounding, rows=None, groups=2)),
    ],
)
def test_a_plan_that_counts_rows_wrongly_is_noticed(
    by_rows: Session, wrong: Callable[[Presence], Presence]
) -> None:
    made = plan(by_rows, ROWS_COUNTED)
    (one,) = made.releases
    broken = replace(one, parts=(wrong(presence(by_rows, ROWS_COUNTED)),))
    with pytest.raises(InternalError, match="sensitivity"):
        check_cost(Plan((broken,), made.public_query), ASKED_RARELY, by_rows._state.context)


def test_rows_of_units_that_have_several_do_not_pass_for_units(session: Session) -> None:
    made = plan(session, UNITS)
    (one,) = made.releases
    rows = plan(session, "SELECT name, COUNT(*) AS n FROM t GROUP BY name").releases[0].estimators[0].measure
    wrong = replace(one, estimators=(replace(one.estimators[0], measure=rows),))
    with pytest.raises(InternalError, match="sensitivity"):
        check_cost(Plan((wrong,), made.public_query), ASKED, session._state.context)


def test_fewer_groups_than_a_unit_can_touch_are_noticed(session: Session) -> None:
    made = plan(session, UNITS)
    (one,) = made.releases
    wrong = replace(one, parts=(replace(presence(session, UNITS), groups=2),))
    with pytest.raises(InternalError, match="sensitivity"):
        check_cost(Plan((wrong,), made.public_query), ASKED, session._state.context)


DECISION = Path(__file__).parents[2] / "docs" / "decisions" / "rows-at-a-threshold.md"
FIGURES = re.findall(
    r"(?m)^\| (\d+) \| (\d+), (\d+) \| (\d+), (\d+) \|$", DECISION.read_text(encoding="utf-8")
)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("line", FIGURES, ids=lambda line: f"{line[0]} rows")
def test_the_table_of_the_decision_has_the_sizes_and_errors_of_both_plans(
    line: tuple[str, ...], tmp_path: Path
) -> None:
    """Before, a selection by weights with noise for 2/3 of the epsilon; at a threshold, one noise."""
    rows, *expected = map(int, line)
    figures: list[float] = []
    for mode in ("fixed", "auto"):
        table = Table(COLUMNS, privacy=f"max_rows_per_unit: {rows}, clipping: {mode}")
        with closing(table.open(tmp_path / mode)) as opened:
            made = release(opened, ROWS_COUNTED)
            part = made.parts[0]
            assert isinstance(part, Presence)
            figures += [even_size(part), half_width(made.estimators[0], made) or math.nan]
    assert [round(number) for number in figures] == expected


# No row of one unit, and four, of which three count: in groups of its own and of others.
WORLDS = [w for n in (0, 4) for w in itertools.combinations_with_replacement(("many", "own", None), n)]


def test_in_every_small_world_rows_move_no_further_than_is_claimed(tmp_path: Path) -> None:
    """The counts and the groups of the unit alone are recomputed on neighbours; the whole claim is reached."""
    columns = {"name": "text, nullable: true", "x": "integer, lower: 0, upper: 9"}
    ready: dict[str, PreparedQuery] = {}
    counted: list[Found] = []
    for neighbours, world in itertools.chain(
        (("substitute", world) for world in WORLDS[:1]), (("add_remove", world) for world in WORLDS)
    ):
        privacy = f"max_rows_per_unit: 3, clipping: auto, neighbours: {neighbours}"
        rows = [*ROWS[:4], (1000, "one", 1), *((2000, name, i) for i, name in enumerate(world))]
        with closing(Table(columns, rows, privacy=privacy).open(tmp_path / f"{neighbours}{world}")) as opened:
            ready[neighbours] = prepare(ROWS_COUNTED, None, opened._state)
            if neighbours == "add_remove":  # what is counted is the same
                counted.append(found(ready[neighbours], opened._state.engine))
    for neighbours, others in (("add_remove", counted[:1]), ("substitute", counted)):
        every = [m for one in counted for other in others for m in moved(ready[neighbours], one, other)]
        claimed = 3 if neighbours == "add_remove" else 6
        assert max(m.by for m in every) == claimed and {m.claimed for m in every} == {claimed}


def test_the_decision_has_figures() -> None:
    assert len(FIGURES) == 4
