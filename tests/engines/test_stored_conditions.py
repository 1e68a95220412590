"""A condition that is asked of a stored column is true of the same rows as it is of the clamped one."""

from __future__ import annotations

import operator
from datetime import date
from itertools import product
from pathlib import Path

import duckdb
import pytest
from plan.opened import Table

from dpsql.algebra.catalog import ColumnInfo
from dpsql.algebra.expressions import Literal
from dpsql.algebra.facts import number_of
from dpsql.algebra.functions.spell import literal
from dpsql.algebra.relations import every_scan
from dpsql.algebra.scan import column_sql
from dpsql.algebra.types import SqlType
from dpsql.audit.sensitivity import opened
from dpsql.engines.sqlgen.stored_conditions import asked_of_stored
from dpsql.policy.load import load_policy
from dpsql.session import Session
from dpsql.stages.prepare import prepare

SIGNS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "="}
COLUMNS = {
    "i": ("integer, lower: -2, upper: 3", SqlType.INTEGER, range(-4, 6)),
    "f": ("float, lower: -0.5, upper: 1.5, step: 0.5", SqlType.DOUBLE, (-1.0, -0.5, -0.0, 0.0, 0.7, 1.5, 2.0)),
    "d": ("date, lower: 2025-01-02, upper: 2025-01-05", SqlType.DATE, [date(2025, 1, n) for n in range(1, 8)]),
}  # fmt: skip
STORED = {
    "i": "(-9223372036854775808), (-3), (-2), (-1), (0), (2), (3), (4), (9223372036854775807), (NULL)",
    "f": "('-inf'), ('-0.6'), ('-0.5'), ('-0.0'), ('0.0'), ('0.7'), ('1.5'), ('1.6'), ('inf'), ('nan'), (NULL)",
    "d": "('-infinity'), ('2025-01-01'), ('2025-01-02'), ('2025-01-04'), ('2025-01-05'), ('2025-01-06'), "
    "('infinity'), (NULL)",
}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    columns = {name: spec for name, (spec, _, _) in COLUMNS.items()} | {"k": "integer, values: [1, 2, 9]"}
    tags = ("tags", "CREATE TABLE tags AS SELECT 1 AS k, 5 AS w")
    return Table(columns, table="max_rows_per_unit: 2", public=tags).open(tmp_path_factory.mktemp("stored"))


def info(session: Session, name: str) -> ColumnInfo:
    table = session._state.context.catalog.table("t")
    assert table is not None
    column = table.column(name)
    assert column is not None
    return column


def asked(session: Session, condition: str, source: str = "t") -> tuple[str, ...]:
    """The conditions that a query's scan of `t` is asked."""
    plan = prepare(f"SELECT COUNT(*) FROM {source} WHERE {condition}", None, session._state).plan
    relation = plan.releases[0].question.relation
    table = session._state.context.catalog.table("t")
    assert table is not None
    owner = next(scan for scan in every_scan(relation) if scan.table == "t")
    return asked_of_stored(relation, owner, table).stored


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", COLUMNS)
def test_what_is_asked_of_a_stored_value_is_so_of_the_clamped_one(name: str, session: Session) -> None:
    _, kind, constants = COLUMNS[name]
    column, taken = info(session, name), 0
    assert column.fact.interval is not None
    with duckdb.connect(":memory:") as connection:
        connection.execute(
            f'CREATE TABLE t AS SELECT x::{kind.value} AS {name}, {name} AS "#stored {name}" '
            f"FROM (VALUES {STORED[name]}) v(x)"
        )
        for constant, sign in product(constants, SIGNS.values()):
            written = literal(Literal(constant, kind))
            found = asked(session, f"{name} {sign} {written}")
            at = number_of(constant)
            assert at is not None
            if not found:
                continue
            taken += 1
            clamped = f"({column_sql(column, f't.{name}')}) {sign} {written}"
            differ = f"SELECT {name} FROM t WHERE coalesce({clamped}, FALSE) <> coalesce({found[0]}, FALSE)"
            assert connection.execute(differ).fetchall() == [], (constant, sign)
    inside = sum(column.fact.interval.lo < number_of(c) < column.fact.interval.hi for c in constants)  # type: ignore[operator]
    assert taken == 5 * inside + 4


def test_a_bound_a_list_and_anything_computed_are_asked_of_the_clamped_column(session: Session) -> None:
    for condition in (
        "i >= -2",
        "i <= 3",
        "i > 3",
        "i < -2",
        "i = 3",
        "f >= -0.5",
        "k = 2",
        "i + 1 > 0",
        "i > f",
        "i <> 0",
    ):
        assert asked(session, condition) == (), condition
    assert asked(session, "i > 0 OR f > 0") == ()


def test_both_sides_of_a_join_are_asked_where_each_row_has_one_of_the_scan(session: Session) -> None:
    assert asked(session, "i > 0 AND w > 1", "t JOIN tags USING (k)") == ('t."#stored i" >= 1::BIGINT',)
    assert asked(session, "0 < i AND i < 2 AND k = 1", "tags JOIN t USING (k)") == (
        't."#stored i" >= 1::BIGINT',
        't."#stored i" <= 1::BIGINT',
    )
    assert asked(session, "i > 0", "t LEFT JOIN tags USING (k)") == ('t."#stored i" >= 1::BIGINT',)


KINDS = {
    "TINYINT": (-128, 127),
    "UTINYINT": (0, 255),
    "SMALLINT": (-(2**15), 2**15 - 1),
    "USMALLINT": (0, 2**16 - 1),
    "INTEGER": (-(2**31), 2**31 - 1),
    "UINTEGER": (0, 2**32 - 1),
    "BIGINT": (-(2**63), 2**63 - 1),
    "UBIGINT": (0, 2**64 - 1),
    "HUGEINT": (-(2**127), 2**127 - 1),
    "UHUGEINT": (0, 2**128 - 1),
}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KINDS)
def test_integers_are_compared_as_they_are_stored(kind: str, tmp_path: Path) -> None:
    """Also with what their type does not hold, and where it holds more than ours does."""
    least, most = KINDS[kind]
    stored = [None, least, least + 1, 0, 1, 7, most - 1, most]
    wide = f"integer, lower: {-(2**60)}, upper: {2**60}, nullable: true"
    policy = Table({"x": wide}, privacy="max_rows_per_unit: 9").store(tmp_path)
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(f"ALTER TABLE t ALTER x TYPE {kind}")
        rows = ", ".join(f"({u}, {_text(x)}::{kind})" for u, x in enumerate(stored))
        connection.execute(f"INSERT INTO t VALUES {rows}")
    ours = [max(min(x, 2**60), -(2**60)) for x in stored if x is not None]
    with opened(load_policy(policy)) as state:
        for constant, sign in product((-(2**59), -129, 0, 7, 256, 2**40), SIGNS):
            ready = prepare(f"SELECT COUNT(*) FROM t WHERE x {SIGNS[sign]} {constant}", None, state)
            ((query,),) = ready.queries
            assert '"#stored x"' in query.sql
            ((counted,),) = state.engine.run(query).values
            assert counted == sum(getattr(operator, sign)(x, constant) for x in ours), (constant, sign)


def _text(value: int | None) -> str:
    return "NULL" if value is None else f"'{value}'"
