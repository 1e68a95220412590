"""How sure columns are that are made of several released rows: totals, shares, differences, joined releases."""

from __future__ import annotations

import math
import pickle
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from sqlglot import parse_one

import dpsql
from answers.cases import CASES, Case, read_cases
from answers.noiseless import Noiseless
from answers.test_cases import Sessions, sessions
from dpsql.engines.base import ReleasedTable, Row
from dpsql.mechanisms.analysis.laplace_sum import half_width as laplace_half_width
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.plan.types import Key, Release
from dpsql.policy.load import load_policy
from dpsql.release.draw.noise import Noisy
from dpsql.release.estimate.measures import released_columns
from dpsql.release.uncertainty import replay
from dpsql.release.uncertainty.intervals import half_width, noise_of
from dpsql.release.uncertainty.replay import replayed_intervals
from dpsql.session import Session, build_session
from dpsql.sql.public.noise_dependence import Depends, Rows, UnknownError, depends
from dpsql.sql.public.replay_query import DRAW
from dpsql.stages.draw import draw_releases
from dpsql.stages.prepare import prepare
from dpsql.stages.released_tables import tables_of
from dpsql.stages.replay_inputs import replay_of

__all__ = ["sessions"]  # a fixture

CASES_OF = (
    "analyst_queries",
    "bi",
    "bounding",
    "ctes_and_derived",
    "firsts_and_series",
    "joins",
    "released_tables",
)
MORE_OF = ("private_relations_lateral", "several_releases", "spellings", "unit_total", "windows_and_finish")
WRITTEN = tuple(c for name in CASES_OF + MORE_OF for c in read_cases(CASES / f"{name}.sql"))
POLICY = """\
version: 1
privacy: {unit: visits.person}
accountant: pure
tables:
  visits:
    source: visits.duckdb
    one_row_per_unit: true
    columns:
      person: {type: integer}
      ward:   {type: text, values: [a, b, c, d]}
      week:   {type: integer, lower: 1, upper: 3}
      cost:   {type: integer, lower: 0, upper: 10}
  names: {source: visits.duckdb, public: true}
budgets:
  dataset: {epsilon: 1000}
  default: {epsilon: 1000, per_query: 1}
"""


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ward")
    with duckdb.connect(str(folder / "visits.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE visits AS SELECT range AS person, substr('abcd', 1 + range % 4, 1) AS ward, "
            "1 + range // 4 % 3 AS week, range % 11 AS cost FROM range(1200)"
        )
        connection.execute(
            "CREATE TABLE names AS SELECT * FROM (VALUES ('a', 'x'), ('b', 'x'), ('c', 'y')) t(w, kind)"
        )
    (folder / "ward.yaml").write_text(POLICY, encoding="utf-8")
    return folder / "ward.yaml"


@pytest.fixture
def connection(ward: Path, tmp_path: Path) -> Iterator[dpsql.Connection]:
    with dpsql.connect(ward, analyst="a", ledger=tmp_path / "ledger") as opened:
        yield opened


@pytest.mark.slow
def test_what_is_said_to_be_linear_or_exact_is(sessions: Sessions) -> None:
    """R(x + y) = R(x) + R(y) - R(0) for a public query R and any results x and y; what is exact has one value."""
    linear = sum(checked(case, sessions[case.policy]) for case in WRITTEN)
    assert linear > 30


def checked(case: Case, session: Session) -> int:
    """Checks the columns of a case; 1 where some of them are linear."""
    ready = prepare(case.sql, case.params, session._state)
    replay = replay_of(ready, session._state)
    if replay is None:
        return 0
    draw, keys = random.Random(case.sql), [groups(r) for r in replay.releases]
    tables = [
        additive(f"r{i}", r, k, draw) for i, (r, k) in enumerate(zip(replay.releases, keys, strict=True))
    ]
    if replay.levels:
        return 0
    kinds = replay.query.columns
    for values in replay.values(tables, 4).values():
        for i in (i for i, kind in enumerate(kinds) if kind is Depends.LINEAR):
            zero, x, y, both = values[:, i]
            if not math.isnan(zero + x + y + both):
                assert both == pytest.approx(x + y - zero, rel=1e-9, abs=1e-6), case.sql
    return Depends.LINEAR in kinds


def groups(release: Release) -> tuple[Key, ...]:
    """Its groups, or a few that it could have."""
    if release.keys.domain is not None:
        return release.keys.domain
    return tuple(tuple(None for _ in release.keys.types) for _ in range(1))


def additive(name: str, release: Release, keys: Sequence[Key], draw: random.Random) -> ReleasedTable:
    """Draw 0 has zeros, 1 and 2 any numbers, 3 the sums of these; of what is chosen there is nothing."""
    rows: list[Row] = []
    for g, key in enumerate(keys):
        known = [half_width(e, release) is not None for e in release.estimators]
        x, y = ([draw.randrange(-50, 900) for _ in known] for _ in range(2))
        for n, values in enumerate(([0] * len(known), x, y, [a + b for a, b in zip(x, y, strict=True)])):
            rows.append((n, g, *key, *(v if k else None for v, k in zip(values, known, strict=True))))
    return ReleasedTable(name, ((DRAW, "BIGINT"), *released_columns(release)), rows)


LAPLACE = laplace_half_width(0.05, (1.0,))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("sql", "scales"),
    [
        ("SELECT SUM(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", (1,) * 4),
        ("SELECT AVG(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", (0.25,) * 4),
        ("SELECT ward, SUM(COUNT(*)) OVER () AS t FROM visits GROUP BY ward", (1,) * 4),
        (
            "SELECT ward, COUNT(*) - AVG(COUNT(*)) OVER () AS t FROM visits GROUP BY ward",
            (0.75, *(0.25,) * 3),
        ),
        ("SELECT week, COUNT(*) - LAG(COUNT(*)) OVER (ORDER BY week) AS d FROM visits GROUP BY week", (1, 1)),
        (
            "SELECT week, LAG(COUNT(*)) OVER w AS d FROM visits GROUP BY week WINDOW w AS (ORDER BY week)",
            (1,),
        ),
        (
            "WITH n AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) SELECT kind, SUM(n) AS n FROM n "
            "JOIN names ON w = ward WHERE kind = 'x' GROUP BY kind",
            (1, 1),
        ),
        (
            "SELECT x.n - 2 * y.n AS d FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS x, "
            "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS y WHERE x.ward = 'a' AND y.ward = 'b'",
            (1, 2),
        ),
    ],
)
def test_a_weighted_sum_of_counts_is_as_sure_as_that_sum_of_noises(
    sql: str, scales: tuple[float, ...], connection: dpsql.Connection
) -> None:
    told = connection.explain(sql).columns[-1]
    wanted = laplace_half_width(0.05, tuple(map(float, scales)))
    assert told.half_width == pytest.approx(wanted, rel=2e-3)
    cursor = connection.execute(sql)
    *_, (row, sure) = zip(cursor.fetchall(), cursor.release.intervals, strict=True)
    assert (sure[-1].low, sure[-1].high) == pytest.approx((row[-1] - wanted, row[-1] + wanted), rel=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("sql", "true"),
    [
        (
            "SELECT week, COUNT(*) / SUM(COUNT(*)) OVER () AS share, "
            "SUM(cost) / LAG(SUM(cost)) OVER (ORDER BY week) AS g, "
            "COUNT(*) / (SELECT COUNT(*) FROM visits WHERE ward = 'a') AS q FROM visits GROUP BY week",
            {2: (1 / 3, 2000 / 2001, 4 / 3)},
        ),
        (
            "SELECT ward, SUM(COUNT(*)) OVER () / COUNT(*) AS q FROM visits GROUP BY ROLLUP (ward)",
            {"b": (8,), None: (2,)},
        ),
    ],
)
def test_the_interval_of_a_share_holds_the_true_one_19_times_out_of_20(
    sql: str, true: dict[object, tuple[float, ...]], ward: Path
) -> None:
    with closing(build_session(load_policy(ward), "a", None, (None, None), Noiseless())) as session:
        s, sampler = session._state, ExactSampler()
        ready = prepare(sql, None, s)
        replay, rest = replay_of(ready, s), ready.plan.public_query
        assert replay is not None
        exact = draw_releases(ready, s.ledger.charge(s.request, ready.due), s).releases
        held, runs = Counter[tuple[object, int]](), 150
        for _ in range(runs):
            noisy = [
                Noisy(e.keys, e.cells + noise_of(r, len(e.keys), sampler))
                for r, e in zip(replay.releases, exact, strict=True)
            ]
            tables = tables_of(ready.cut, replay.releases, noisy, s.sampler)
            rows = s.public.finish(rest, tables)
            for row, sure in zip(rows, replayed_intervals(replay, noisy, rows, sampler), strict=True):
                for i, value in enumerate(true.get(row[0], ()), 1):
                    held[row[0], i] += sure[i].low <= value <= sure[i].high
        assert len(held) == sum(map(len, true.values()))
        # 31 misses, where 7 or 8 are expected, come once in 1e9 runs.
        assert all(0.8 * runs <= times for times in held.values()), held


def test_explain_says_what_depends_on_the_answer(connection: dpsql.Connection) -> None:
    ranks = "ROW_NUMBER() OVER (ORDER BY ward) AS i, RANK() OVER (ORDER BY COUNT(*)) AS r"
    sql = f"SELECT ward, {ranks} FROM visits GROUP BY ward"
    assert [str(c) for c in connection.explain(sql).columns] == [
        "exact",
        "exact",
        "depends on the answer, which comes with its intervals",
    ]


def test_no_error_is_tried_where_there_are_too_many_values(
    connection: dpsql.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows count with their columns: a wide answer took seconds to explain."""
    sql = "SELECT week, SUM(COUNT(*)) OVER () AS n FROM visits GROUP BY week"
    assert connection.explain(sql).columns[1].half_width is not None
    monkeypatch.setattr(replay, "_MOST_VALUES", 10)
    assert connection.explain(f"{sql} LIMIT 9").columns[1].half_width is None


def test_rows_that_nothing_tells_apart_have_no_intervals(connection: dpsql.Connection) -> None:
    sql = "SELECT SUM(COUNT(*)) OVER (ORDER BY ward) AS n FROM visits GROUP BY ward"
    assert str(connection.explain(sql).columns[0]).endswith("which nothing in the answer tells apart")
    assert connection.execute(sql).release.intervals == ((None,),) * 4


@pytest.mark.parametrize("isolation", ["inline", "process"])
def test_the_intervals_outlive_the_session(isolation: str, ward: Path, tmp_path: Path) -> None:
    policy = ward.with_name(f"{isolation}.yaml")
    policy.write_text(f"{POLICY}engine: {{isolation: {isolation}}}\n", encoding="utf-8")
    counted = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY 1)"
    sql = f"SELECT kind, n / SUM(n) OVER () AS q FROM {counted} JOIN names ON w = ward WHERE ward <> 'b'"
    with dpsql.connect(policy, analyst="a", ledger=tmp_path / "ledger") as opened:
        release = opened.execute(sql).release
        copied = pickle.loads(pickle.dumps(release))
    assert all(row[1] is not None for row in release.intervals)
    assert len(copied.intervals) == len(release.intervals) == 2


@pytest.mark.parametrize(
    ("sql", "wanted"),
    [
        ("SELECT k, a + 1, a * 2, a * a, a / 2, 2 / a, -a, ABS(a) FROM r", "ELLNLNLN"),
        ("SELECT SUM(a), AVG(a), MAX(a), COUNT(*), COUNT(a), SUM(DISTINCT a), SUM(k) FROM r", "LLNEENE"),
        ("SELECT SUM(a), COUNT(*), MAX(k), k FROM r WHERE a > 3 GROUP BY k", "NNNE"),
        ("SELECT SUM(a) FILTER (WHERE k > 1), SUM(a) FILTER (WHERE a > 1) FROM r", "LN"),
        (
            "SELECT LAG(a) OVER (ORDER BY k), LAG(a) OVER (ORDER BY a), ROW_NUMBER() OVER (ORDER BY a) FROM r",
            "LNN",
        ),
        (
            "SELECT SUM(a) OVER (ORDER BY k), MIN(a) OVER (), SUM(a) OVER w FROM r WINDOW w AS (ORDER BY a)",
            "LNN",
        ),
        (
            "SELECT CASE WHEN k = 1 THEN a ELSE 0 END, CASE WHEN a > 1 THEN 1 ELSE 0 END, COALESCE(a, 0) FROM r",
            "LNL",
        ),
        ("SELECT CAST(a AS DOUBLE), CAST(a AS INTEGER), ROUND(a), a::VARCHAR FROM r", "LNNN"),
        ("SELECT (SELECT SUM(a) FROM r), (SELECT a FROM r AS x WHERE x.k = y.k) FROM r AS y", "LL"),
        ("SELECT EXISTS (SELECT 1 FROM r WHERE a > 1), k IN (SELECT k FROM r) FROM r", "NE"),
        ("SELECT k, SUM(a) AS s, s / 2 AS h FROM r GROUP BY k", "ELL"),
        ("SELECT n FROM (SELECT a AS n FROM r ORDER BY a LIMIT 2)", "L"),
        ("SELECT SUM(n), COUNT(*) FROM (SELECT a AS n FROM r ORDER BY a LIMIT 2)", "NN"),
        ("SELECT SUM(n) FROM (SELECT a AS n FROM r ORDER BY k LIMIT 2)", "L"),
        ("SELECT FIRST(k), SUM(a) FROM (SELECT k, a FROM r ORDER BY a DESC)", "NL"),
        (
            "WITH t AS (SELECT k, a FROM r ORDER BY 2) SELECT ROW_NUMBER() OVER (), SUM(a) OVER () FROM t",
            "NL",
        ),
        ("SELECT FIRST(k), ROW_NUMBER() OVER () FROM (SELECT k FROM r ORDER BY k)", "EE"),
        ("SELECT SUM(n) FROM (SELECT k, SUM(a) AS n FROM r GROUP BY k HAVING SUM(a) > 2)", "N"),
        ("SELECT SUM(n) FROM (SELECT DISTINCT a AS n FROM r)", "N"),
        ("SELECT k, COUNT(*) FROM (SELECT NTILE(3) OVER (ORDER BY a) AS k FROM r) GROUP BY k", "NN"),
        ("SELECT x.a - y.a, x.k FROM r AS x JOIN r AS y ON x.k = y.k + 1", "LE"),
        ("SELECT SUM(x.k) FROM r AS x JOIN r AS y ON x.a = y.a", "N"),
        ("SELECT SUM(x.k) FROM r AS x JOIN r AS y USING (a)", "N"),
        (
            "WITH t AS (SELECT k, a AS n FROM r), u AS (SELECT *, n / 2 AS m FROM t) SELECT *, m - n FROM u",
            "ELLL",
        ),
        ("SELECT k, a FROM r UNION ALL SELECT k, 0 FROM r", "EL"),
        ("SELECT SUM(a) FROM (SELECT a FROM r UNION SELECT 0)", "N"),
        ("SELECT SUM(a) FROM (SELECT a FROM r UNION ALL SELECT 0)", "L"),
        ("SELECT a AS n, n * 2 AS m, c, c + a FROM r", "LLUU"),
        ("SELECT v.x, a FROM (VALUES (1), (2)) AS v(x) LEFT JOIN r ON k = v.x", "EL"),
    ],
)
def test_how_columns_depend_on_noise(sql: str, wanted: str) -> None:
    """r has a key k, a sum a, and c, which is chosen."""
    columns = (("k", Depends.EXACT), ("a", Depends.LINEAR), ("c", Depends.UNTOLD))
    found = depends(parse_one(sql, dialect="duckdb"), lambda table: Rows(columns))
    assert "".join(d.name[0] for _, d in found.columns) == wanted


@pytest.mark.parametrize(
    "sql",
    [
        "WITH RECURSIVE t AS (SELECT 1 AS k) SELECT k FROM t",
        "SELECT nothing FROM r",
        "SELECT * FROM r NATURAL JOIN r AS s",
        "SELECT UNNEST([1, 2]) FROM r TABLESAMPLE 10 PERCENT",
        "SELECT k FROM r GROUP BY ALL",
        "SELECT k FROM r PIVOT (SUM(a) FOR k IN (1, 2))",
    ],
)
def test_what_is_not_read_here_is_not_told(sql: str) -> None:
    with pytest.raises(UnknownError):
        depends(
            parse_one(sql, dialect="duckdb"),
            lambda table: Rows((("k", Depends.EXACT), ("a", Depends.LINEAR))),
        )
