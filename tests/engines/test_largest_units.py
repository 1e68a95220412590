"""The units that own most: what their rows tell of bins and thresholds is what all rows tell, whatever is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from plan.opened import Table

from dpsql.audit.exact import by_key
from dpsql.audit.made_up_inputs import with_released_inputs
from dpsql.audit.sensitivity import opened
from dpsql.engines import private_engine
from dpsql.engines.base import EngineQuery, Exact, Key
from dpsql.engines.prepared import kept_lists
from dpsql.engines.sqlgen import bounding
from dpsql.engines.sqlgen.clipping.contributions import THRESHOLD, DrawnBefore, with_drawn
from dpsql.mechanisms.clipping import clipping_threshold
from dpsql.plan.types import Histogram, Part, Presence, Release, ScaledSums, Sum
from dpsql.policy.load import load_policy
from dpsql.policy.model import ClippingMode
from dpsql.release.draw import thresholds
from dpsql.release.draw.thresholds import added_by_bins
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.opened import clinic
from engines.test_prepared_lists import over_copy

PEOPLE = 24
COLUMNS = {
    "k": "text, values: [a, b, c], nullable: true",
    "n": "integer, lower: 0, upper: 9, nullable: true",
    "free": "integer, nullable: true",
    "x": "float, lower: 0, upper: 50, step: 0.5, nullable: true",
    "y": "float, lower: -20, upper: 20, step: 0.5",
}
QUESTIONS = (
    "SELECT COUNT(*) FROM t WHERE x < 30",
    "SELECT COUNT(*), SUM(x), SUM(n) FROM t WHERE y > 2",
    "SELECT SUM(x) FROM t WHERE y > -10",
    "SELECT SUM(ABS(y)) FROM t WHERE n > 1",
    "SELECT SUM(x * n) FROM t WHERE y BETWEEN -4 AND 40",
    "SELECT COUNT(*), COUNT(x) FROM t WHERE x > (SELECT AVG(x) FROM t)",
    "SELECT k, COUNT(*), SUM(x), AVG(x) FROM t WHERE n < 7 GROUP BY k",
    "SELECT UPPER(k), COUNT(x) FILTER (WHERE n > 2), VAR_POP(x) FROM t WHERE y > 4 GROUP BY 1",
    "SELECT k, n, COUNT(*) FROM t WHERE x > (SELECT AVG(x) FROM t) GROUP BY k, n",
    "SELECT free, k, COUNT(*) FROM t WHERE x < 40 GROUP BY free, k",
    "SELECT k FROM t WHERE x < 30 GROUP BY k ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT k, COUNT(*) FROM t WHERE u = 5 GROUP BY k",
)
OF_ONE_NUMBER = (
    "SELECT COUNT(*) FROM t WHERE x < 30",
    "SELECT COUNT(x) FROM t WHERE n < 7",
    "SELECT SUM(x) FROM t WHERE y > -10",
    "SELECT SUM(n) FROM t WHERE x > (SELECT AVG(x) FROM t)",
)
OF_ALL = (
    "SELECT SUM(cost - 250) FROM visits WHERE cost < 400",
    "SELECT ward, COUNT(DISTINCT patient) FROM visits WHERE cost < 400 GROUP BY ward",
    "SELECT ward, COUNT(*), SUM(nights) FROM visits v JOIN stays s ON v.patient = s.patient GROUP BY ward",
    "SELECT w.wing, COUNT(*) FROM visits v JOIN wards w ON v.ward = w.ward WHERE cost < 300 GROUP BY 1",
    "SELECT COUNT(*) FROM visits WHERE patient IN (SELECT patient FROM stays) AND cost < 300",
    "SELECT SUM(cost - (SELECT AVG(cost) FROM visits)) FROM visits WHERE cost < 400",
)
KEPT = {"free": (1, 3, None, 5), "k": ("a", "c", None, "a")}


@pytest.fixture(autouse=True)
def few_rows_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """So are passes made over the units."""
    for module in (private_engine, kept_lists):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 0)
    for rows in ("_GROUPED", "_ORDERED"):
        monkeypatch.setattr(bounding, rows, 1000)


def _rows() -> list[tuple[object, ...]]:
    """One row of some people and a thousand of others, rows of nobody, and values that are clamped or on no list.

    The two people who own most own the same.
    """
    owners = [(p if p < PEOPLE else None, min(p + (p == PEOPLE - 2), PEOPLE)) for p in range(PEOPLE + 1)]
    return [
        (
            u,
            ("a", "b", None, "c", "elsewhere")[(i + p) % 5],
            None if i % 11 == 0 else i * 7 % 14 - 2,
            i % 7,
            None if i % 13 == 0 else float((i * 37 + p * 5) % 70 - 5),
            float(i * 29 % 60 - 30),
        )
        for u, p in owners
        for i in range(int(1.35**p))
    ]


@contextmanager
def _opened(
    folder: Path, *, prepared: bool = False, table: str = "", accountant: str = "approx", more: str = ""
) -> Iterator[State]:
    privacy = f"clipping: private, max_groups_per_unit: 5{more}"
    stored = Table(COLUMNS, _rows(), privacy=privacy, table=table, accountant=accountant)
    policy = load_policy(stored.store(folder))
    with over_copy(policy) if prepared else opened(policy) as state:
        yield state


def _parts(question: str, state: State) -> tuple[Release, list[tuple[Part, EngineQuery]]]:
    """The parts of the last release, with what their queries read of earlier ones."""
    ready = with_released_inputs(prepare(question, None, state), state.engine, state.public)
    release = ready.plan.releases[-1]
    read = [(n, v) for n, v in ready.queries[-1][-1].values if not n.startswith(("kept", THRESHOLD))]
    queries = (replace(q, values=tuple(read)) for q in ready.queries[-1])
    return release, [p for p in zip(release.parts, queries, strict=True) if not isinstance(p[0], Presence)]


def _drawn(release: Release) -> DrawnBefore:
    names = [str(getattr(key, "name", "")) for key in release.keys.exprs]
    return DrawnBefore(kept=() if release.keys.domain is not None else tuple(KEPT[name] for name in names))


def _nonzero(exact: Exact) -> dict[Key, tuple[int, ...]]:
    return {key: values for key, values in by_key(exact).items() if any(values)}


@pytest.mark.one_in(32)
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("units", [2, 9, 1000])
@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
def test_they_tell_what_all_rows_tell(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    question: str,
    prepared: bool,
    units: int,
    accountant: str,
) -> None:
    monkeypatch.setattr(bounding, "_MOST_UNITS", units)
    with _opened(tmp_path, prepared=prepared, accountant=accountant) as state:
        release, parts = _parts(question, state)
        first = 0

        def found(query: EngineQuery, *, largest: bool, threshold: int | None = None) -> Exact:
            told = replace(_drawn(release), largest=largest, threshold=threshold)
            return state.engine.run(with_drawn(query, told))

        for part, query in parts:
            assert query.of_largest is not None and query.of_largest.of_many
            if isinstance(part, Histogram):
                bins, every = (found(query, largest=way) for way in (True, False))
                powers, highest = sorted(int(str(key)) for (key,) in bins.keys), part.clipping.bins.highest
                first = powers[0]
                assert powers[-1] <= highest
                counted = {k: v[:1] for k, v in _nonzero(bins).items() if v[0]}
                assert counted == {k: v for k, v in _nonzero(every).items() if int(str(k[0])) >= first}
                assert (first == part.clipping.bins.lowest) is (units == 1000)
                continue
            for threshold in {1 << max(first - 1, 0), 1 << first, 3 << first, 1 << 60}:
                ways = (found(query, largest=way, threshold=threshold) for way in (True, False))
                by_largest, by_all = map(_nonzero, ways)
                assert by_largest == by_all and by_all


@pytest.mark.one_in(4)
@pytest.mark.parametrize("question", OF_ONE_NUMBER)
@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
def test_the_bins_of_a_single_sum_tell_what_scaling_takes_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, question: str, prepared: bool, accountant: str
) -> None:
    """For every power of two, the highest included: some people have more than the policy's limit."""
    monkeypatch.setattr(bounding, "_MOST_UNITS", 16)
    with _opened(
        tmp_path, prepared=prepared, accountant=accountant, more=", max_rows_per_unit: 100"
    ) as state:
        _, parts = _parts(question, state)
        for (histogram, counted), (wanted, summed) in zip(parts[::2], parts[1::2], strict=True):
            assert isinstance(histogram, Histogram) and isinstance(wanted, ScaledSums)
            bins = state.engine.run(with_drawn(counted, DrawnBefore(largest=True)))
            unscaled = DrawnBefore(largest=True, unscaled=True)
            ((every,),) = state.engine.run(with_drawn(summed, unscaled)).values
            first, taken = min(int(str(key)) for (key,) in bins.keys), 0
            for power in range(first - 1, histogram.clipping.bins.highest + 1):
                ((scaled,),) = state.engine.run(with_drawn(summed, DrawnBefore(1 << power))).values
                added = added_by_bins(histogram, bins, 1 << power)
                assert added is not None and (int(every) << histogram.clipping.shift) + added == int(scaled)
                taken += added < 0
            assert added < 0 and taken > 1
            assert added_by_bins(histogram, bins, 3 << first) is None


def test_sums_of_bins_are_asked_for_where_a_size_is_the_only_cell(tmp_path: Path) -> None:
    with _opened(tmp_path) as state:
        for question in (
            "SELECT k, COUNT(*) FROM t WHERE n < 7 GROUP BY k",
            "SELECT AVG(x) FROM t WHERE n < 7",
        ):
            _, parts = _parts(question, state)
            told = [query.of_largest for _, query in parts]
            assert all(q is not None and q.unscaled is None for q in told)
            assert told[0] is not None and told[0].terms == 1


@pytest.mark.parametrize("measure", ["COUNT(*)", "SUM(x)"])
def test_their_rows_are_kept_for_every_condition(tmp_path: Path, measure: str) -> None:
    with _opened(tmp_path) as state:
        lists = [
            query.of_largest.lists
            for condition in ("y < 10", "n > 2 AND y > -4", "k = 'a'")
            for _, query in _parts(f"SELECT {measure} FROM t WHERE {condition}", state)[1]
            if query.of_largest is not None
        ]
    assert len(lists) == 6 and len(set(lists)) == 1


def test_some_units_are_above_what_others_can_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that the comparison is none of empty bins."""
    monkeypatch.setattr(bounding, "_MOST_UNITS", 9)
    with _opened(tmp_path) as state:
        told = []
        for question in QUESTIONS[:-1]:
            release, parts = _parts(question, state)
            asked = with_drawn(parts[0][1], replace(_drawn(release), largest=True))
            told.append(sum(v for v, *_ in _nonzero(state.engine.run(asked)).values()))
    assert sum(n > 0 for n in told) >= len(told) - 2 and max(told) < 9


@pytest.mark.one_in(4)
@pytest.mark.parametrize("groups", [2, 300])
@pytest.mark.parametrize("others", [1024, 1025])
@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
def test_they_are_not_asked_alone_where_others_are_above_the_limit_of_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accountant: str, others: int, groups: int
) -> None:
    """The squares of 300 cells leave a cell 42 bits, and thresholds 46: sums over all rows are not clamped."""
    monkeypatch.setattr(bounding, "_MOST_UNITS", 2)
    columns = {"g": f"integer, lower: 1, upper: {groups}", "x": f"integer, lower: 0, upper: {1 << 32}"}
    rows = [(u, 1 + u % groups, 1 << 32) for u, n in ((1, 1400), (2, others), (3, others)) for _ in range(n)]
    stored = Table(columns, rows, privacy="clipping: private", accountant=accountant)
    with opened(load_policy(stored.store(tmp_path))) as state:
        _, parts = _parts("SELECT g, SUM(x) FROM t GROUP BY g", state)
        (part, counted), (_, summed) = parts
        assert isinstance(part, Histogram) and part.squared is (accountant == "zcdp")
        assert counted.of_largest is not None and summed.of_largest is not None
        bins = state.engine.run(with_drawn(counted, DrawnBefore(largest=True)))
        first = min((int(str(key)) for (key,) in bins.keys), default=None)
        assert (first is None) is (part.squared and (groups, others) == (300, 1025))
        for threshold in (1 << first, 3 << first, 1 << 60, 1 << 62) if first is not None else ():
            ways = (with_drawn(summed, DrawnBefore(threshold, largest=way)) for way in (True, False))
            by_largest, by_all = (_nonzero(state.engine.run(way)) for way in ways)
            assert by_largest == by_all and by_all


@pytest.mark.one_in(4)
@pytest.mark.parametrize("accountant", ["approx", "zcdp"])
@pytest.mark.parametrize("many", [-1, 10**9])
def test_answers_and_what_is_told_of_them_are_those_of_all_units(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accountant: str, many: int
) -> None:
    """Without noise, and with few rows and people in sight counted as many, or many as few."""
    monkeypatch.setattr(bounding, "_MOST_UNITS", 9)
    monkeypatch.setattr(thresholds, "MANY_ROWS", many)
    monkeypatch.setattr(clipping_threshold, "_sure", lambda counts, noise: _highest(counts))
    asked = Table(
        COLUMNS,
        _rows(),
        privacy="clipping: private, max_groups_per_unit: 5",
        accountant=accountant,
        epsilon="9",
    )
    found = []
    for rows in (0, 2**20):
        monkeypatch.setattr(private_engine, "ROWS_AT_ONCE", rows)
        session = asked.open(tmp_path / str(rows), alone=True)
        with closing(session):
            answers = [session.answer(question) for question in QUESTIONS if "free" not in question]
            found.append([(list(map(tuple, a.rows)), a.released.bias, a.released.intervals) for a in answers])
    assert found[0] == found[1]
    of_sums = [note for _, notes, _ in found[0] for note in notes if not note.startswith("which groups")]
    assert any("more than" in note for note in of_sums) is (many < 0)


def _highest(counts: Sequence[int]) -> int | None:
    return max((i for i, count in enumerate(counts) if count > 0), default=None)


@pytest.mark.parametrize("question", OF_ALL)
def test_other_questions_read_all_units(tmp_path: Path, question: str) -> None:
    with opened(clinic(tmp_path, "inline"), ClippingMode.PRIVATE) as state:
        _, parts = _parts(question, state)
    assert all(query.of_largest is None for _, query in parts)


@pytest.mark.parametrize(
    "question", ["SELECT SUM(x) FROM t WHERE x > 4", "SELECT COUNT(*), AVG(x * n) FROM t WHERE n < 7"]
)
def test_a_condition_on_what_is_added_up_gives_it_another_range(tmp_path: Path, question: str) -> None:
    """The largest size of others would be another one for each constant."""
    with _opened(tmp_path) as state:
        _, parts = _parts(question, state)
    assert all(query.of_largest is None for _, query in parts)


@pytest.mark.parametrize("measure", ["SUM(y)", "SUM(x * y)"])
def test_rows_that_take_off_what_others_add_bound_nothing(tmp_path: Path, measure: str) -> None:
    with _opened(tmp_path) as state:
        _, parts = _parts(f"SELECT {measure} FROM t WHERE n > 1", state)
    signed = [p for p, _ in parts if isinstance(p, Histogram) and any(t.sum is Sum.TOTAL for t in p.terms)]
    assert signed and all(query.of_largest is None for _, query in parts)


def test_a_table_with_a_cap_is_read_as_the_cap_leaves_it(tmp_path: Path) -> None:
    with _opened(tmp_path, table="max_rows_per_unit: 4") as state:
        _, parts = _parts(QUESTIONS[0], state)
    assert all(query.of_largest is None for _, query in parts)


def test_of_few_rows_nothing_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with _opened(tmp_path) as state:
        _, parts = _parts(QUESTIONS[0], state)
        query = with_drawn(parts[0][1], DrawnBefore(largest=True))
        assert state.engine.run(query).keys
        monkeypatch.setattr(private_engine, "ROWS_AT_ONCE", 2**20)
        assert state.engine.run(query).keys == ()


@pytest.mark.parametrize(("kept", "told"), [(900, False), (3_500, False), (10**6, True)])
def test_no_more_rows_are_kept_than_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kept: int, told: bool
) -> None:
    """Where a unit alone has more rows than are kept, no bin below its own is told by the list, which is empty."""
    monkeypatch.setattr(bounding, "ROWS_AT_ONCE", kept)
    with _opened(tmp_path) as state:
        _, parts = _parts(QUESTIONS[0], state)
        histogram, query = parts[0]
        assert isinstance(histogram, Histogram)
        bins = state.engine.run(with_drawn(query, DrawnBefore(largest=True)))
    assert bool(_nonzero(bins)) is (kept > 1000)
    assert ((histogram.clipping.bins.lowest,) in bins.keys) is told
