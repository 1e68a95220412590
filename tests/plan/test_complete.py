"""What the engine gives outside of a complete list is a bug that ends the query, and no data makes it happen."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpsql.algebra.expressions import TRUE, Column
from dpsql.algebra.question import Aggregate, Measure, Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.types import SqlType
from dpsql.engines.base import EngineQuery, Exact
from dpsql.errors import InternalError, QueryFailed
from dpsql.plan.types import (
    Bins,
    Bounding,
    Family,
    Grid,
    Key,
    Keys,
    Local,
    LocalColumn,
    Modes,
    Part,
    Presence,
    Ranks,
    Release,
    Scores,
    Sum,
    Sums,
    Term,
)
from dpsql.privacy import Mechanism
from dpsql.release.draw.domain_check import checked_result
from dpsql.release.draw.perform import perform
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table, domain

ROWS = Term(Sum.ROWS)
ONE, FEW = Fraction(1), Fraction(1, 10**6)
K, X = Column(0, "k", SqlType.TEXT), Column(0, "x", SqlType.INTEGER)
SUMS = Sums(Bounding(), (Family((ROWS,), ((1,),), 1, ONE, ""),))
SCORES = Scores(Bounding(), ROWS, True, 1, ONE)
MODES = Modes(Bounding(), X, TRUE, (None, 1, 2), 1, ONE)
TRUTH = Modes(Bounding(), X, TRUE, (False, True), 1, ONE)
RANKS = Ranks(Bounding(), Bins(Grid(X, ONE, 0, 9), width=5), TRUE, ())
LOCAL = Local(Bounding(), (LocalColumn(Mechanism.RANDOMIZED_RESPONSE, ("a", None), ONE),))
PRESENCE = Presence(Bounding(), 1, ONE, FEW)
AB: tuple[Key, ...] = (("a",), ("b",))


class Undrawn:
    """A sampler that must not be asked."""

    def __getattr__(self, name: str) -> Callable[..., object]:
        raise AssertionError(f"{name} was drawn")


def release(domain: tuple[Key, ...] | None, *parts: Part) -> Release:
    question = Question(Scan("t", 0), (K,), (Measure(Aggregate.COUNT_ROWS),))
    return Release(question, Keys((K,), ("VARCHAR",), domain), parts, ())


def exact(*keys: Key) -> Exact:
    return Exact(keys, np.ones((len(keys), 1), dtype=np.int64))


@pytest.mark.parametrize(
    ("groups", "part", "keys", "named"),
    [
        (AB, SUMS, (("a",), ("c",)), "t.k"),
        (AB, SUMS, ((None,),), "t.k"),
        (AB, SCORES, (("B",),), "t.k"),
        (AB, RANKS, (("c", 0),), "t.k"),
        (AB, RANKS, (("a", 0), ("a", 1)), "t.x"),
        (AB, RANKS, (("a", None),), "t.x"),
        (None, RANKS, (("any", 7),), "t.x"),
        (AB, MODES, (("a", 3),), "t.x"),
        (AB, TRUTH, (("a", None),), "t.x"),
        ((), LOCAL, (("b",),), "t.k"),
    ],
)
def test_a_key_outside_of_a_complete_list_is_a_bug_found_before_anything_is_drawn(
    groups: tuple[Key, ...] | None, part: Part, keys: tuple[Key, ...], named: str
) -> None:
    with pytest.raises(InternalError, match=f"a value of {named} that its list") as raised:
        perform(release(groups, part), lambda _: exact(*keys), Undrawn())  # type: ignore[arg-type]
    assert not any(repr(v) in str(raised.value) for key in keys for v in key if v is not None)


@pytest.mark.parametrize("part", [SUMS, SCORES, PRESENCE])
def test_a_group_that_is_given_twice_is_a_bug_too(part: Part) -> None:
    with pytest.raises(InternalError, match="gave a group twice"):
        perform(release(None if part == PRESENCE else AB, part), lambda _: exact(("a",), ("a",)), Undrawn())  # type: ignore[arg-type]


def test_a_later_part_is_looked_at_before_the_first_is_drawn() -> None:
    with pytest.raises(InternalError):
        perform(release(AB, SUMS, MODES), lambda p: exact(("a", 5) if p == MODES else ("a",)), Undrawn())  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("groups", "part", "keys"),
    [
        (AB, SUMS, (("b",), ("a",))),
        (None, PRESENCE, (("any",), (None,))),
        (None, SUMS, (("any",), (None,))),
        (AB, RANKS, (("a", 0), ("b", 5))),
        (AB, TRUTH, (("a", False), ("a", True))),
        ((), LOCAL, (("a",), (None,))),
    ],
)
def test_what_is_listed_or_has_no_list_passes(
    groups: tuple[Key, ...] | None, part: Part, keys: tuple[Key, ...]
) -> None:
    assert checked_result(release(groups, part), part, lambda _: exact(*keys)).keys == keys


COLUMNS = {
    "word": "text, values: [a, b, c]",
    "maybe": "text, values: [x, y], nullable: true",
    "number": "integer, lower: -2, upper: 5",
    "sparse": "integer, values: [1, 5, 9]",
    "truth": "boolean, values: [true]",
    "flag": "boolean, nullable: true",
    "day": "date, lower: 2025-01-30, upper: 2025-03-02",
    "real": "float, lower: 0, upper: 10",
    "code": "integer",
}
PUBLIC = (
    "p",
    "CREATE TABLE p AS SELECT * FROM (VALUES (0, 'NaN'::DOUBLE, 1.5, 'a'), (1, '-0'::DOUBLE, 0.1, 'b'), "
    "(2, 'inf'::DOUBLE, NULL, NULL), (2, 0::DOUBLE, 7.25, 'zz')) v(code, d, dec, t)",
)
REALS = (float("nan"), float("inf"), float("-inf"), -0.0, 3.14159, 10.04999)


def _rows() -> Iterator[list[object]]:
    for i in range(60):
        word, maybe = ("a", "b", "zz", "A", "a ", "")[i % 6], ("x", None, "q", "X")[i % 4]
        number, sparse, flag = (-9, 0, 9, 3)[i % 4], (1, 5, 7, 10**12)[i % 4], (None, True, False)[i % 3]
        day = date(1, 1, 1) if i == 7 else date(2024 + i % 3, 1 + i % 12, 1 + i % 28)
        yield [i % 17, word, maybe, number, sparse, i % 3 > 0, flag, day, REALS[i % 6], i % 4]


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    table = Table(COLUMNS, tuple(_rows()), privacy="max_rows_per_unit: 4", public=PUBLIC)
    with closing(table.open(tmp_path_factory.mktemp("complete"))) as opened:
        yield opened


KEYS = (
    "word", "maybe", "number", "sparse", "truth", "flag", "day", "word, maybe", "truth, sparse",
    "COALESCE(word, 'other')", "word IS NULL", "CASE word WHEN 'a' THEN 1 ELSE 0 END", "nullif(word, 'a')",
    "nullif(word, 'a'), COALESCE(word, 'x')", "CASE WHEN word = 'a' THEN 1 WHEN word IN ('b', 'c') THEN 2 END",
    "upper(word)", "concat(word, '-')", "NOT truth", "COALESCE(truth, FALSE)", "sparse % 4", "sparse > 3",
    "COALESCE(sparse, 77) * 2", "word || COALESCE(maybe, '')", "date_trunc('month', day)", "EXTRACT(year FROM day)",
    "round(real, 1)", "floor(real)", "CAST(real AS BIGINT) // 3", "real > 3", "word = maybe", "LEAST(word, 'b')",
    "COALESCE(word, maybe, '?'), number",
)  # fmt: skip
QUERIES = (
    *(f"SELECT COUNT(*) FROM t GROUP BY {k}" for k in KEYS),
    *(f"SELECT COUNT(DISTINCT u) FROM t GROUP BY {k}" for k in KEYS),
    *(
        f"SELECT COUNT(*) FROM t JOIN p ON t.code = p.code GROUP BY {k}"
        for k in ("p.d", "p.dec", "p.t", "p.t, word")
    ),
    "SELECT COUNT(*) FROM t LEFT JOIN p ON t.code = p.code GROUP BY p.t, COALESCE(word, 'o')",
    "SELECT COUNT(*) FROM t WHERE word <> 'a' OR word IS NULL GROUP BY word",
    "SELECT COUNT(*) FROM t WHERE word IS NULL GROUP BY COALESCE(word, 'o')",
    "SELECT k, COUNT(*) FROM (SELECT u, word AS k, COUNT(*) AS n FROM t GROUP BY u, word) AS x GROUP BY k",
    "SELECT k, COUNT(*) FROM (SELECT u, COALESCE(word, 'o') AS k, COUNT(*) AS n FROM t GROUP BY u, k) AS x GROUP BY k",
    "SELECT upper(k), COUNT(*) FROM (SELECT u, word AS k, ROW_NUMBER() OVER (PARTITION BY u ORDER BY day) AS n FROM t) "
    "AS x WHERE n = 1 GROUP BY 1",
    "SELECT word, MEDIAN(number), MIN(maybe), MODE(COALESCE(word, 'o')), BOOL_OR(truth) FROM t GROUP BY word",
    "SELECT MODE(COALESCE(word, 'o')), MAX(word), MODE(sparse), BOOL_AND(flag), MEDIAN(sparse) FROM t",
    "SELECT word, maybe, COUNT(*) FROM t GROUP BY ROLLUP (word, maybe)",
    "SELECT COALESCE(word, 'o') AS k, COUNT(*) AS n FROM t GROUP BY k ORDER BY n DESC LIMIT 2",
    "SELECT word, SUM(number) AS n FROM t GROUP BY word ORDER BY n LIMIT 1",
)  # fmt: skip


@pytest.mark.one_in(8)
@pytest.mark.parametrize("query", QUERIES)
def test_no_data_makes_a_key_that_is_not_listed(query: str, session: Session) -> None:
    state = session._state
    ready = prepare(query, None, state)
    (release,), (queries,) = ready.plan.releases, ready.queries
    for part, sql in zip(release.parts, queries, strict=True):
        checked_result(release, part, lambda _, sql=sql: state.engine.run(sql))


@pytest.mark.parametrize(
    ("key", "groups", "counts"),
    [
        ("word", ["a", "b", "c"], [10, 10, 0]),
        ("COALESCE(word, 'other')", ["a", "b", "c", "other"], [10, 10, 0, 40]),
        ("word IS NULL", [False, True], [20, 40]),
        ("truth", [True], [40]),
        ("nullif(word, 'a')", ["b", "c", None], [10, 0, 50]),
        ("maybe", ["x", "y", None], [15, 0, 45]),
    ],
)
def test_an_unlisted_value_is_null_in_every_key_and_null_itself_only_where_listed_values_make_it(
    key: str, groups: list[object], counts: list[int], session: Session
) -> None:
    query = f"SELECT {key} AS k, COUNT(*) FROM t GROUP BY k"
    assert domain(session, query) == groups
    assert dict(session.answer(query).rows) == dict(zip(groups, counts, strict=True))


class Strange:
    """An engine that spells the keys of text in another way."""

    def __init__(self, engine: object) -> None:
        self._engine = engine

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        found = self._engine.run(query)  # type: ignore[attr-defined]
        return dataclasses.replace(found, keys=tuple((str(k[0]).upper(), *k[1:]) for k in found.keys))


@pytest.mark.parametrize("what", ["SUM(number + 3)", "MEDIAN(number + 3)"])
def test_an_analyst_sees_the_one_failure_and_the_log_names_the_column_alone(
    what: str, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    state = dataclasses.replace(session._state, engine=Strange(session._state.engine))  # type: ignore[arg-type]
    monkeypatch.setattr(session, "_state", state)
    monkeypatch.setattr("dpsql.stages.state.log_failure", lambda policy, analyst, text: logged.append(text))
    with pytest.raises(QueryFailed) as raised:
        session.answer(f"SELECT word, {what} FROM t GROUP BY word")
    assert str(raised.value) == QueryFailed.SENTENCE
    (text,) = logged
    assert "a value of t.word that its list of all values does not hold" in text and "'A'" not in text
