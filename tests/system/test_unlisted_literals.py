"""A constant that is not on the public list of its column is told before anything is spent."""

from __future__ import annotations

from pathlib import Path

import pytest
from answers.noiseless import Noiseless
from plan.opened import Table

from dpsql.errors import InterfaceError, Place, QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

COLUMNS = {
    "kind": "text, values: [routine, emergency, urgent]",
    "level": "integer, values: [1, 2, 3]",
    "paid": "boolean",
    "note": "text",
    "age": "integer, lower: 0, upper: 99",
}
PUBLIC = (
    "kinds",
    "CREATE TABLE kinds AS SELECT * FROM (VALUES ('routine', 'a'), ('other', 'b')) v(kind, code)",
)
ROWS = [
    (1, "routine", 1, True, "Emergency", 5),
    (2, "emergency", 2, False, "x", 7),
    (3, "unlisted", 3, True, "y", 9),
]
TABLE = Table(COLUMNS, ROWS, privacy="max_rows_per_unit: 3", public=PUBLIC)
CLAUSE = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(empty_conditions = true) "


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    return TABLE.open(tmp_path_factory.mktemp("unlisted"))


TOLD = (
    "SELECT COUNT(*) FROM t WHERE kind = 'Emergency'",
    "SELECT COUNT(*) FROM t WHERE 'Emergency' <> kind",
    "SELECT COUNT(*) FROM t WHERE kind IN ('routine', 'Emergency')",
    "SELECT COUNT(*) FROM t WHERE kind IS DISTINCT FROM 'Emergency'",
    "SELECT COUNT(*) FILTER (WHERE kind = 'Emergency') FROM t",
    "SELECT SUM(CASE kind WHEN 'Emergency' THEN 1 ELSE 0 END) FROM t",
    "SELECT kind = 'Emergency' AS e, COUNT(*) FROM t GROUP BY 1",
    "SELECT COUNT(*) FROM (SELECT u, kind AS k, COUNT(*) AS n FROM t GROUP BY u, kind) WHERE k = 'Emergency'",
    "SELECT COUNT(*) FROM (SELECT u, kind AS k, ROW_NUMBER() OVER (PARTITION BY u ORDER BY age) AS r FROM t) "
    "WHERE k = 'Emergency' AND r = 1",
    "SELECT COUNT(*) FROM t WHERE EXISTS (SELECT 1 FROM t AS s WHERE s.u = t.u AND s.kind = 'Emergency')",
    "SELECT kind FROM t GROUP BY kind ORDER BY COUNT_IF(kind = 'Emergency') DESC LIMIT 1",
)


@pytest.mark.parametrize("query", TOLD)
def test_a_misspelled_constant_is_refused_with_the_value_that_is_meant(session: Session, query: str) -> None:
    with pytest.raises(QueryRefused) as refused:
        session.answer(query)
    assert refused.value.reason == "'Emergency' is not in the list of kind"
    assert refused.value.hint is not None and refused.value.hint.startswith("Did you mean 'emergency'?")
    assert session.budget().spent.epsilon == 0


def test_a_constant_that_is_like_none_is_told_the_list(session: Session) -> None:
    for query, told in (
        ("SELECT COUNT(*) FROM t WHERE kind = 'zzz'", "It has 'routine', 'emergency', 'urgent'."),
        ("SELECT COUNT(*) FROM t WHERE level = 7", "It has 1, 2, 3."),
    ):
        with pytest.raises(QueryRefused) as refused:
            session.answer(query)
        assert refused.value.hint is not None and refused.value.hint.startswith(told)
    with pytest.raises(QueryRefused, match="'emergenci' is not in the list"):
        session.answer("SELECT COUNT(*) FROM t WHERE kind = ?", ["emergenci"])


@pytest.mark.parametrize(
    "condition",
    [
        "kind = 'emergency'",
        "kind <> ''",
        "kind <> ' '",
        "kind IS NOT DISTINCT FROM NULL",
        "note = 'Emergency'",
        "LOWER(kind) = 'EMERGENCY'",
        "kind LIKE 'Emer%'",
        "age = 777",
        "paid = TRUE",
        "level IN (1, 3)",
        "kind IN (SELECT kind FROM kinds WHERE kind <> 'nothing')",
    ],
)
def test_other_comparisons_are_answered(session: Session, condition: str) -> None:
    assert session.explain(f"SELECT COUNT(*) FROM t WHERE {condition}").epsilon == 1


def test_who_allows_it_is_answered_as_the_rows_are_where_what_is_not_listed_is_null(tmp_path: Path) -> None:
    policy = load_policy(TABLE.store(tmp_path))
    for more in ({"empty_conditions": True}, {"rows": "empty"}):
        opened = build_session(policy, "alice", None, (None, None), Noiseless(), **more)  # type: ignore[arg-type]
        assert opened.answer("SELECT COUNT(*) AS n FROM t WHERE kind = 'Emergency'").rows == ((0,),)
        assert opened.answer("SELECT COUNT(*) AS n FROM t WHERE kind <> 'Emergency'").rows == ((2,),)
        assert opened.answer("SELECT COUNT(*) AS n FROM t WHERE kind = 'unlisted'").rows == ((0,),)


def test_a_query_can_allow_it_itself_or_take_it_back(session: Session, tmp_path: Path) -> None:
    condition = "COUNT(*) AS n FROM t WHERE kind <> 'Emergency'"
    assert session.answer(CLAUSE + condition).rows == ((2,),)
    policy = load_policy(TABLE.store(tmp_path))
    opened = build_session(
        *(policy, "alice", None, (None, None), Noiseless()),  # type: ignore[arg-type]
        empty_conditions=True,
    )
    with pytest.raises(QueryRefused):
        opened.answer(CLAUSE.replace("true", "false") + condition)


def test_the_argument_is_true_or_false(tmp_path: Path) -> None:
    with pytest.raises(InterfaceError, match="empty_conditions must be True or False"):
        build_session(
            *(load_policy(TABLE.store(tmp_path)), "alice", None, (None, None), Noiseless()),  # type: ignore[arg-type]
            empty_conditions="yes",
        )


@pytest.mark.parametrize(
    ("query", "place"),
    [
        ("SELECT COUNT(*) FROM t\nWHERE age > 3 AND kind = 'o''clock'", Place(2, 26)),
        ("EXPLAIN SELECT COUNT(*) FROM t WHERE kind = 'zzz'", Place(1, 45)),
        ("SELECT COUNT(*) FROM t WHERE kind IN ('zzz', 'zzz')", Place(1, 8)),
        ("SELECT COUNT(*) FROM t WHERE level = 7", Place(1, 8)),
    ],
)
def test_a_constant_has_its_own_place_where_the_text_has_it_once(
    session: Session, query: str, place: Place
) -> None:
    with pytest.raises(QueryRefused) as refused:
        session.answer(query)
    assert refused.value.place == place


@pytest.mark.parametrize(
    ("query", "column"),
    [
        ("SELECT COUNT(*) FROM t WHERE note = NULL", 35),
        ("SELECT COUNT(*) FROM t WHERE note <>null AND age > 3", 35),
        ("SELECT kind, COUNT(*) FILTER (WHERE age != NULL) FROM t GROUP BY kind", 41),
    ],
)
def test_a_comparison_with_null_is_refused_where_it_stands(session: Session, query: str, column: int) -> None:
    with pytest.raises(QueryRefused) as refused:
        session.answer(query)
    assert refused.value.reason == "a comparison with NULL is true of no row"
    assert refused.value.place == Place(1, column)
    assert session.answer(query.replace("SELECT ", CLAUSE, 1)).rows


def test_null_as_a_parameter_or_in_a_list_is_compared(session: Session) -> None:
    assert session.answer("SELECT COUNT(*) FROM t WHERE note = ?", [None]).rows == ((0,),)
    assert session.answer("SELECT COUNT(*) FROM t WHERE note IN ('x', NULL)").rows == ((1,),)
