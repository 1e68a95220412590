"""A released value beside groups is read where the keys tell it, as plain DuckDB would; elsewhere it has no range."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from dpsql.stages.prepare import prepare

POLICY = """\
version: 1
privacy: {unit: visits.person, max_rows_per_unit: 5}
tables:
  visits:
    source: clinic.duckdb
    unit_key: person
    columns:
      person: {type: integer}
      ward:   {type: integer, values: [1, 2, 3], nullable: true}
      site:   {type: text, values: [x, y]}
      cost:   {type: float, lower: 0, upper: 100, step: 0.5}
budgets:
  dataset: {epsilon: 900, delta: 0.01}
  default: {epsilon: 900, delta: 0.01, per_query: {epsilon: 1, delta: 1e-5}}
"""
TOTAL = "(SELECT SUM(cost) AS total, COUNT(*) AS n FROM visits) AS t"
BY_SITE = "(SELECT site, SUM(cost) AS s, COUNT(*) AS n FROM visits GROUP BY site) AS t"
BY_WARD = "(SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) AS t"
BY_BOTH = "(SELECT ward, site, COUNT(*) AS n FROM visits GROUP BY ward, site) AS t"
TOLD = (
    f"SELECT t.site, MAX(t.s), COUNT(*) FROM visits v JOIN {BY_SITE} ON t.site = v.site GROUP BY t.site",
    f"SELECT t.ward, MAX(t.n), COUNT(*) FROM visits v CROSS JOIN {BY_WARD} GROUP BY t.ward",
    f"SELECT v.site, SUM(v.cost) / MAX(t.total) FROM visits v CROSS JOIN {TOTAL} GROUP BY v.site",
    f"SELECT v.site, t.total, t.n, SUM(v.cost) FROM visits v, {TOTAL} GROUP BY v.site, t.total, t.n",
    f"SELECT SUM(v.cost) / MIN(t.total) FROM visits v CROSS JOIN {TOTAL}",
    f"SELECT v.site, AVG(t.n), ANY_VALUE(t.s) FROM visits v JOIN {BY_SITE} ON v.site = t.site GROUP BY v.site",
    f"SELECT v.site, t.s, COUNT(*) FROM visits v LEFT JOIN {BY_SITE} ON v.site = t.site GROUP BY 1, 2",
    f"SELECT v.site, v.ward, MIN(t.n) FROM visits v JOIN {BY_SITE} USING (site) WHERE v.ward > 0 GROUP BY 1, 2",
    f"SELECT v.ward, COUNT(*), MIN(t.n) FROM visits v LEFT JOIN {BY_WARD} ON v.ward = t.ward GROUP BY v.ward",
    f"SELECT v.ward, v.site, MAX(t.n) + COUNT(*) FROM visits v JOIN {BY_BOTH} ON v.ward = t.ward "
    "WHERE v.site = t.site GROUP BY v.ward, v.site",
    f"SELECT v.site, COUNT(*) FROM visits v JOIN {BY_SITE} ON v.site = t.site GROUP BY v.site "
    "HAVING MAX(t.n) > 10",
    f"SELECT v.site, COUNT(*) * 1.0 / t.n AS part FROM visits v CROSS JOIN {TOTAL} GROUP BY v.site, t.n "
    "HAVING t.n > 3 ORDER BY t.n, part",
)
UNTOLD = (
    f"SELECT MAX(t.s) FROM visits v JOIN {BY_SITE} ON v.site = t.site",
    f"SELECT v.ward, MAX(t.s) FROM visits v JOIN {BY_SITE} ON v.site = t.site GROUP BY v.ward",
    f"SELECT v.site, MIN(t.n) FROM visits v JOIN {BY_BOTH} ON v.site = t.site GROUP BY v.site",
    f"SELECT v.site, MAX(t.s) FROM visits v LEFT JOIN {BY_SITE} ON v.site = t.site AND v.ward > 1 GROUP BY v.site",
    f"SELECT v.site, SUM(t.n) FROM visits v JOIN {BY_SITE} ON v.site = t.site GROUP BY v.site",
    f"SELECT v.site, SUM(v.cost * t.s) FROM visits v JOIN {BY_SITE} ON v.site = t.site GROUP BY v.site",
    f"SELECT v.site, MAX(t.s) FROM visits v JOIN {BY_SITE} ON v.site < t.site GROUP BY v.site",
    f"SELECT v.site, MAX(t.s) FROM visits v CROSS JOIN {BY_SITE} GROUP BY v.site",
    f"SELECT v.site, MAX(t.total) FROM visits v CROSS JOIN {TOTAL} GROUP BY ROLLUP (v.site)",
)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clinic")
    with duckdb.connect(str(folder / "clinic.duckdb")) as db:
        db.execute(
            "CREATE TABLE visits AS SELECT i AS person, CASE WHEN i % 4 > 0 THEN i % 4 END AS ward, "
            "CASE WHEN i % 3 = 0 THEN 'x' ELSE 'y' END AS site, (i % 7) * 2.5::DOUBLE AS cost FROM range(60) r(i)"
        )
    (folder / "clinic.yaml").write_text(POLICY)
    return folder


@pytest.fixture(name="session", scope="module")
def _session(folder: Path) -> Iterator[Session]:
    policy = load_policy(folder / "clinic.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as opened:
        yield opened


@pytest.mark.parametrize("sql", TOLD)
def test_what_is_told_is_what_duckdb_finds(sql: str, session: Session, folder: Path) -> None:
    with duckdb.connect(str(folder / "clinic.duckdb"), read_only=True) as db:
        expected = db.execute(sql)
        names, rows = [d[0] for d in expected.description or ()], expected.fetchall()
    answer = session.answer(sql)
    assert [c.name for c in answer.columns] == names
    found = [tuple(row) for row in answer.rows]
    assert sorted(map(_rounded, found)) == sorted(map(_rounded, rows))
    assert len(prepare(sql, None, session._state).plan.releases) == 2


def _rounded(row: tuple[object, ...]) -> str:
    return str([round(v, 9) if isinstance(v, float) else v for v in row])


@pytest.mark.parametrize("sql", UNTOLD)
def test_what_is_not_told_has_no_range_and_is_refused(sql: str, session: Session) -> None:
    with pytest.raises(QueryRefused, match="has no finite range"):
        prepare(sql, None, session._state)


def test_a_column_that_is_neither_grouped_nor_aggregated_stays_refused(session: Session) -> None:
    with pytest.raises(QueryRefused, match='"total" is neither grouped nor aggregated'):
        session.answer(f"SELECT v.site, t.total, COUNT(*) FROM visits v CROSS JOIN {TOTAL} GROUP BY v.site")


def test_values_with_a_range_are_aggregated_as_before(session: Session) -> None:
    sql = (
        "SELECT v.ward, SUM(v.cost - t.mean) FROM visits v "
        "JOIN (SELECT site, AVG(cost) AS mean FROM visits GROUP BY site) AS t ON v.site = t.site "
        "WHERE v.ward > 0 GROUP BY v.ward"
    )
    assert len(session.answer(sql).rows) == 3
