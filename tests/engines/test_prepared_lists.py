"""Lists that a prepared file has: those that the engine would make, for the same statements alone."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from plan.opened import Table

from dpsql.audit.databases.prepared_copies import copy_of
from dpsql.audit.exact import by_key, found
from dpsql.audit.sensitivity import opened
from dpsql.engines import private_engine
from dpsql.engines.generated.source_files import engine_with
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared import kept_lists
from dpsql.engines.prepared.folder import default_folder
from dpsql.engines.prepared.kept_lists import lists_of
from dpsql.engines.private_engine import DuckEngine
from dpsql.engines.sqlgen import key_weights
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State
from engines.test_prepared_tables import folder_of

COLUMNS = {
    "name": "text, nullable: true",
    "x": "integer, lower: 0, upper: 9",
    "z": "float, step: 1",
    "k": "integer, lower: 0, upper: 1000000",
}
CAP = "max_rows_per_unit: 4"
BY_NAME = "SELECT name, COUNT(*) FROM t GROUP BY name"


def rows() -> list[tuple[int, str | None, int, float, int]]:
    """People with 1 to 9 rows, so that the cap leaves some out; `k` has another value in each row."""
    draw, made = random.Random(5), []
    for unit in range(40):
        for _ in range(draw.randint(1, 9)):
            name = draw.choice([None, "a", "b", "c", "d", "e"])
            made.append((unit, name, draw.randint(0, 9), float(draw.randint(0, 3)), len(made)))
    return made


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return load_policy(Table(COLUMNS, rows(), privacy=CAP).store(tmp_path))


@contextmanager
def over_copy(policy: Policy) -> Iterator[State]:
    """A session over tables that are prepared."""
    path = policy.path.with_name("copy.yaml")
    path.write_text(f"{policy.path.read_text()}engine: {{prepared: copies}}\n")
    copy = load_policy(path)
    prepare_tables(copy, default_folder(copy))
    with opened(copy) as state:
        assert state.context.catalog.tables["t"].prepared is not None
        yield state


def weights(sql: str, state: State) -> dict[object, tuple[int, ...]]:
    """What the engine finds for the first part of a query."""
    return dict(by_key(found(prepare(sql, None, state), state.engine)[0][0]))


def names(sql: str, state: State) -> set[str]:
    """The lists of weights that the first part of a query reads."""
    return {u.name for u in prepare(sql, None, state).queries[0][0].lists if u.most_rows is not None}


def stored(state: State) -> tuple[str, ...]:
    """The lists that are in the file."""
    return folder_of(state.context.policy).read().lists


def test_the_file_has_the_weights_of_columns_whose_groups_are_selected_by_them(policy: Policy) -> None:
    with over_copy(policy) as copy:
        by_k = names("SELECT k, COUNT(*) FROM t GROUP BY k", copy)
        assert set(stored(copy)) == names(BY_NAME, copy) | by_k and by_k
        assert names(BY_NAME, copy) == names("SELECT name, SUM(x) FROM t GROUP BY name", copy) != set()


@pytest.mark.parametrize("most", [20, 120])
def test_columns_with_many_groups_have_none(
    policy: Policy, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """Of `k` there are some 200: far too many, or as many as an estimate leaves open."""
    monkeypatch.setattr(key_weights, "MOST_KEPT", most)
    with over_copy(policy) as copy:
        assert set(stored(copy)) == names(BY_NAME, copy)


def test_they_are_the_integers_of_the_sources_and_nothing_is_computed(policy: Policy) -> None:
    with opened(policy) as live:
        expected = weights(BY_NAME, live)
    with over_copy(policy) as copy:
        assert weights(BY_NAME, copy) == expected and len(expected) == 6
        engine = copy.engine
        assert isinstance(engine, DuckEngine) and not engine._built


def test_an_audit_s_engine_reads_them_too(policy: Policy) -> None:
    """It opens the file by itself, under settings of its own, and makes no list that is there."""
    with over_copy(policy) as copy:
        ready, expected = prepare(BY_NAME, None, copy), weights(BY_NAME, copy)
        file = copy_of(copy.context.policy)
        assert file is not None and file.lists
        with closing(engine_with(copy.context.policy, "SET threads = 1", prepared=file)) as engine:
            assert dict(by_key(found(ready, engine)[0][0])) == expected and not engine._built


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_under_a_smaller_limit_than_the_policy_s_rows_are_chosen_anew(policy: Policy, limit: int) -> None:
    """Rows of units that the policy's cap leaves whole have no place in an order."""
    options = f"WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed = {limit})"
    with opened(policy) as live, over_copy(policy) as copy:
        for sql in (f"SELECT {options} SUM(x), SUM(k) FROM t", f"SELECT {options} SUM(k) FROM t WHERE x > 2"):
            one, other = (by_key(found(prepare(sql, None, s), s.engine)[0][0]) for s in (live, copy))
            assert one == other


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, COUNT(*) FROM t WHERE x < 5 GROUP BY name",
        "SELECT name, COUNT(*) FROM t WHERE name < 'c' GROUP BY name",
        "SELECT name, x > 4, COUNT(*) FROM t GROUP BY ALL",
        "SELECT UPPER(name), COUNT(*) FROM t GROUP BY ALL",
        "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed = 3) name, COUNT(*) FROM t GROUP BY name",
        "SELECT a.name, COUNT(*) FROM t a JOIN t b ON a.u = b.u GROUP BY ALL",
    ],
)
def test_other_rows_and_keys_have_weights_of_their_own(policy: Policy, sql: str) -> None:
    with opened(policy) as live, over_copy(policy) as copy:
        assert names(sql, copy) and not names(sql, copy) & set(stored(copy))
        assert weights(sql, copy) == weights(sql, live) != weights(BY_NAME, copy)


@pytest.mark.parametrize("clipping", ["private", "auto"])
def test_the_file_has_the_rows_of_the_largest_units_where_limits_may_be_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipping: str
) -> None:
    """The engine makes what is left, which follows from the query."""
    for module in (private_engine, kept_lists):
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 0)
    policy = load_policy(Table(COLUMNS, rows(), privacy=f"clipping: {clipping}").store(tmp_path))
    with over_copy(policy) as copy:
        histogram = prepare("SELECT COUNT(*), SUM(x) FROM t WHERE k > 3", None, copy).queries[0][0].of_largest
        assert histogram is not None
        kept = {u.name for u in histogram.lists} & set(stored(copy))
        engine = copy.engine
        assert len(kept) == 1 and isinstance(engine, DuckEngine)
        assert len(engine.run(histogram).keys) > 0
        assert set(engine._built) == {u.name for u in histogram.lists} - kept


@pytest.mark.parametrize("clipping", ["private", "fixed"])
def test_of_few_rows_and_under_fixed_limits_there_is_no_list_of_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clipping: str
) -> None:
    monkeypatch.setattr(kept_lists, "ROWS_AT_ONCE", 0 if clipping == "fixed" else len(rows()))
    privacy = f"clipping: {clipping}, {CAP}"
    with over_copy(load_policy(Table(COLUMNS, rows(), privacy=privacy).store(tmp_path))) as copy:
        assert not [k for k in lists_of(copy.context) if "largest" in k.told and k.units.name in stored(copy)]


LISTED = {
    "g": "text, values: [a, b, c], nullable: true",
    "w": "integer, values: [1, 2]",
    "x": COLUMNS["x"],
    "p": "integer, lower: 0, upper: 1000, nullable: true",
}
COUNTED = (
    "SELECT COUNT(*) FROM t",
    "SELECT g, COUNT(*) FROM t GROUP BY g",
    "SELECT COUNT(*), w FROM t GROUP BY w",
    "SELECT g FROM t GROUP BY g ORDER BY COUNT(*) DESC LIMIT 1",
    "SELECT p, COUNT(*) FROM t GROUP BY p",
)
NOT_COUNTED = (
    "SELECT COUNT(*) FROM t WHERE x > 2",
    "SELECT g, w, COUNT(*) FROM t GROUP BY g, w",
    "SELECT x > 2, COUNT(*) FROM t GROUP BY ALL",
    "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (max_rows_contributed = 3) COUNT(*) FROM t",
    "SELECT g, SUM(x) FROM t GROUP BY g",
    "SELECT p, COUNT(*) FROM t WHERE x > 2 GROUP BY p",
    "SELECT p // 2, COUNT(*) FROM t GROUP BY ALL",
)


@pytest.mark.parametrize("caps", [(CAP, ""), ("max_rows_per_unit: 5", CAP), ("", CAP)])
def test_numbers_of_rows_are_those_of_the_sources_and_read_where_they_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caps: tuple[str, str]
) -> None:
    monkeypatch.setattr(kept_lists, "ROWS_AT_ONCE", 0)
    values = [
        (u, None if n is None else n.replace("d", "c"), x % 3, x, None if x == 9 else x)
        for u, n, x, *_ in rows()
    ]
    policy = load_policy(Table(LISTED, values, privacy=caps[0], table=caps[1]).store(tmp_path))
    with opened(policy) as live, over_copy(policy) as copy:
        engine = copy.engine
        assert isinstance(engine, DuckEngine)
        for sql in (*COUNTED, *NOT_COUNTED):
            queries = prepare(sql, None, copy).queries[0]
            counts = [q for q in queries if all(u.most_rows is None for u in q.lists)]
            read = [engine._sql(query).startswith("FROM lists.") for query in counts]
            assert read and read == [sql in COUNTED] * len(counts), sql
            assert [by_key(e) for e in found(prepare(sql, None, copy), engine)[0]] == [
                by_key(e) for e in found(prepare(sql, None, live), live.engine)[0]
            ], sql


def test_of_few_rows_no_numbers_are_kept(tmp_path: Path) -> None:
    with over_copy(load_policy(Table(LISTED, privacy=CAP).store(tmp_path))) as copy:
        assert not stored(copy) and any("counting its rows" in k.told for k in lists_of(copy.context))


@pytest.mark.parametrize("most", [3, 8])
def test_numbers_of_rows_by_a_column_of_many_values_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    """`x` has ten: too many by far, or as many as an estimate leaves open."""
    monkeypatch.setattr(kept_lists, "ROWS_AT_ONCE", 0)
    monkeypatch.setattr(kept_lists, "MOST_KEPT", most)
    columns = {"w": LISTED["w"], "x": COLUMNS["x"]}
    values = [(u, x % 3, x) for u, _, x, *_ in rows()]
    with over_copy(load_policy(Table(columns, values, privacy=CAP).store(tmp_path))) as copy:
        counts = {k.units.name for k in lists_of(copy.context) if "counting its rows" in k.told}
        assert len(counts) == 3 and len(counts & set(stored(copy))) == 2


@pytest.mark.parametrize("limits", ["max_groups_per_unit: 2", CAP])
def test_where_limits_are_found_numbers_of_rows_are_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limits: str
) -> None:
    """They follow from what is found before, as which private groups there are."""
    monkeypatch.setattr(kept_lists, "ROWS_AT_ONCE", 0)
    privacy = f"clipping: private, {limits}"
    with over_copy(load_policy(Table(COLUMNS, rows(), privacy=privacy).store(tmp_path))) as copy:
        assert not [k for k in lists_of(copy.context) if "counting its rows" in k.told]
