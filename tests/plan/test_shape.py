"""How many rows one unit can own after a join is read from the public tables, and from nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpsql.algebra.shape import shape
from dpsql.session import Session
from plan.opened import Table, plan

COLUMNS = {"a": "integer", "b": "integer", "word": "text, values: [x, y]"}
CAP = 3
PUBLIC = (
    "uniq triple other mutual_a mutual_b bare",
    """
    CREATE TABLE uniq AS SELECT * FROM (VALUES (1, 10), (2, 20), (3, 30)) v(a, ten);
    CREATE TABLE triple AS SELECT * FROM (VALUES (1, 'p'), (1, 'q'), (1, 'r'), (2, 'p'), (NULL, 'p'), (NULL, 'q'),
        (NULL, 'r'), (NULL, 's')) v(a, tag);
    CREATE TABLE other AS SELECT * FROM (VALUES (10, 1), (10, 2), (20, 1)) v(ten, z);
    CREATE TABLE mutual_a AS SELECT range AS p, range AS q FROM range(4);
    CREATE TABLE mutual_b AS SELECT range AS q, range AS r FROM range(5);
    CREATE TABLE bare AS SELECT 1 AS one FROM range(0)
    """,
)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    table = Table(COLUMNS, table=f"max_rows_per_unit: {CAP}", public=PUBLIC)
    return table.open(tmp_path_factory.mktemp("shape"))


@pytest.mark.parametrize(
    ("source", "fan_out"),
    [
        ("t", 1),
        ("t WHERE a > 3", 1),
        ("t JOIN uniq USING (a)", 1),
        ("t LEFT JOIN uniq USING (a)", 1),
        ("t JOIN triple USING (a)", 3),
        ("t LEFT JOIN triple USING (a)", 3),
        ("triple JOIN t USING (a)", 3),
        ("t JOIN triple ON t.a = triple.a AND triple.tag = 'p'", 1),
        ("t JOIN triple USING (a) WHERE tag = 'p'", 1),
        ("t JOIN triple ON t.a + 1 = triple.a", 3),
        ("t JOIN triple ON t.a > triple.a", 8),
        ("t JOIN triple ON t.a = triple.a OR t.b = triple.a", 8),
        ("t CROSS JOIN uniq", 3),
        ("t, uniq WHERE t.a = uniq.a", 1),
        ("t JOIN uniq USING (a) JOIN other USING (ten)", 2),
        ("t JOIN uniq ON t.a = uniq.a JOIN triple ON uniq.a = triple.a", 3),
        ("t JOIN triple USING (a) JOIN other ON t.b = other.ten", 6),
        ("t JOIN mutual_a ON t.a = mutual_a.p JOIN mutual_b ON mutual_a.q = mutual_b.q", 1),
        ("t CROSS JOIN bare", 1),
        ("t JOIN triple AS one USING (a) JOIN triple AS two USING (a)", 9),
    ],
)
def test_the_fan_out_of_a_join_is_the_most_rows_that_one_row_meets(
    session: Session, source: str, fan_out: int
) -> None:
    (only,) = plan(session, f"SELECT COUNT(*) FROM {source}").releases
    found = shape(only.question.relation, session._state.context.catalog)
    assert (found.fan_out, found.rows_per_unit) == (fan_out, CAP * fan_out)
    assert only.families[0].sensitivity == CAP * fan_out


def test_public_tables_that_fix_each_other_s_keys_fix_nothing(session: Session) -> None:
    source = "t CROSS JOIN mutual_a JOIN mutual_b ON mutual_a.q = mutual_b.q"
    before = "t JOIN mutual_b ON mutual_b.r = mutual_b.r JOIN mutual_a ON mutual_a.q = mutual_b.q"
    both_ways = "t, mutual_a, mutual_b WHERE mutual_a.q = mutual_b.q AND mutual_b.q = mutual_a.q"
    found = [
        plan(session, f"SELECT COUNT(*) FROM {s}").releases[0].families[0]
        for s in (source, before, both_ways)
    ]
    assert [f.sensitivity for f in found] == [CAP * 4, CAP * 5, CAP * 4]


def test_a_filter_below_a_left_join_fixes_a_key_only_on_its_own_side(session: Session) -> None:
    kept = plan(session, "SELECT COUNT(*) FROM t LEFT JOIN triple ON t.a = triple.a AND tag = 'p'").releases[
        0
    ]
    above = plan(session, "SELECT COUNT(*) FROM t LEFT JOIN triple USING (a) WHERE tag = 'p'").releases[0]
    assert kept.families[0].sensitivity == CAP
    assert above.families[0].sensitivity in (CAP, 3 * CAP)


def test_facts_of_a_filtered_relation_are_narrowed_and_those_at_the_scan_are_not(tmp_path: Path) -> None:
    session = Table(
        {"x": "integer, lower: 0, upper: 9, nullable: true"}, privacy="max_rows_per_unit: 2"
    ).open(tmp_path)
    (only,) = plan(session, "SELECT SUM(x) FROM t WHERE x > 5").releases
    found = shape(only.question.relation, session._state.context.catalog)
    (column,) = [c for c in found.base if c.name == "x"]
    assert (found.base[column].interval.lo, found.base[column].nullable) == (0, True)
    assert (found.columns[column].interval.lo, found.columns[column].nullable) == (6, False)
