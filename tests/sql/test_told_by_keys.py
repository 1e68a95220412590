"""What a public table says of a group is exact only where its key tells it, whatever private rows there are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

POLICY = """\
version: 1
privacy: {unit: visits.person, max_rows_per_unit: 5}
tables:
  visits:
    source: clinic.duckdb
    unit_key: person
    columns:
      person: {type: integer}
      ward:   {type: integer, lower: 1, upper: 3}
      site:   {type: text, values: [x, y]}
  wards: {source: clinic.duckdb, public: true}
budgets: {dataset: {epsilon: 100}, default: {epsilon: 100, per_query: 1}}
"""
# Of the rows without a number one has 7 beds, and one 9; no site has two wards of one name.
WARDS = (
    "SELECT * FROM (VALUES (1, 'a', 'x', 4), (2, 'b', 'x', 6), (NULL, 'c', 'y', 7), (NULL, 'a', 'y', 9)) "
    "AS v(ward, name, site, beds)"
)
JOIN = "FROM visits AS v JOIN wards AS w ON"


@pytest.fixture(name="session", scope="module")
def _session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    folder = tmp_path_factory.mktemp("clinic")
    with duckdb.connect(str(folder / "clinic.duckdb")) as db:
        db.execute("CREATE TABLE visits AS SELECT 1 AS person, 1 AS ward, 'x' AS site")
        db.execute(f"CREATE TABLE wards AS {WARDS}")
    (folder / "clinic.yaml").write_text(POLICY)
    with closing(
        build_session(load_policy(folder / "clinic.yaml"), "a", None, (None, None), Noiseless())
    ) as opened:
        yield opened


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        (f"SELECT w.ward, MAX(w.beds) {JOIN} v.ward = w.ward GROUP BY w.ward", False),  # NULL is several rows
        (f"SELECT v.ward, MAX(w.beds) {JOIN} v.ward = w.ward GROUP BY v.ward", True),  # NULL meets nothing
        (f"SELECT w.site, w.name, MIN(w.beds) {JOIN} v.site = w.site GROUP BY 1, 2", True),
        (f"SELECT w.name, MIN(w.beds) {JOIN} v.site = w.site GROUP BY 1", False),
        (f"SELECT w.site, MIN(w.beds) {JOIN} v.site = w.site GROUP BY 1", False),
        (f"SELECT v.site, w.name, MIN(w.beds) {JOIN} v.site = w.site GROUP BY 1, 2", True),
        (f"SELECT v.ward, MAX(w.beds) {JOIN} v.ward = w.ward OR v.site = w.site GROUP BY v.ward", False),
        (f"SELECT v.ward, MAX(w.beds) {JOIN} v.ward >= w.ward GROUP BY v.ward", False),
        (f"SELECT v.ward, MAX(w.beds) {JOIN} v.site = w.site WHERE v.ward = w.ward GROUP BY v.ward", True),
        (
            "SELECT v.ward, MAX(w.beds) FROM visits v LEFT JOIN wards w ON v.ward = w.ward GROUP BY v.ward",
            False,
        ),
        (f"SELECT MAX(w.beds) {JOIN} v.ward = w.ward", False),
        (f"SELECT v.ward, MAX(w.beds) FILTER (v.site = 'x') {JOIN} v.ward = w.ward GROUP BY v.ward", False),
        (
            f"SELECT v.ward, ANY_VALUE(w.beds) FILTER (v.site = 'x') {JOIN} v.ward = w.ward GROUP BY v.ward",
            None,
        ),
        (f"SELECT v.ward, MAX(w.beds + v.ward) {JOIN} v.ward = w.ward GROUP BY v.ward", False),
        (f"SELECT v.ward, MAX(v.person) {JOIN} v.ward = w.ward GROUP BY v.ward", None),
        (f"SELECT v.ward, MAX(w.beds) {JOIN} v.ward = w.ward GROUP BY ROLLUP (v.ward)", False),
    ],
)
def test_a_value_is_free_where_the_key_tells_it(sql: str, told: bool | None, session: Session) -> None:
    if told is None:
        with pytest.raises(QueryRefused):
            session.explain(sql)
        return
    assert (session.explain(sql).epsilon == 0) is told


def test_it_is_there_for_groups_without_rows(session: Session) -> None:
    sql = f"SELECT v.ward, MAX(w.beds), COUNT(*) {JOIN} v.ward = w.ward GROUP BY v.ward ORDER BY 1"
    assert session.answer(sql).rows == ((1, 4, 1), (2, 6, 0))
