"""An aggregate for each row around it is released for the groups alone that rows around it can ask for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from dpsql.session import Session
from plan.opened import Table, plan

PARTS = (
    "parts",
    "CREATE TABLE parts AS SELECT * FROM "
    "(VALUES (1, 'a', 5), (2, 'a', NULL), (3, 'b', 5), (4, NULL, 7)) v(p, brand, size)",
)
COLUMNS = {"p": "integer, lower: 1, upper: 9, nullable: true", "x": "integer, lower: 0, upper: 9"}
ROWS = [(u, p, (3 * u + (p or 0)) % 10) for u in range(12) for p in (1, 2, 3, 4, None, 6)]
AVERAGE = "(SELECT AVG(x) FROM t i WHERE i.p = parts.p)"
COUNT = "(SELECT COUNT(*) FROM t i WHERE i.p = parts.p AND i.x > 7)"

# What is asked, and the groups that it is asked for.
ASKED = [
    (f"t, parts WHERE t.p = parts.p AND x < {AVERAGE}", [1, 2, 3, 4]),
    (f"t, parts WHERE t.p = parts.p AND x < {AVERAGE} AND brand = 'a'", [1, 2]),
    (f"t, parts WHERE t.p = parts.p AND brand = 'a' AND size > 4 AND x < {AVERAGE}", [1]),
    (f"t, parts WHERE t.p = parts.p AND (brand = 'a' OR size = 7) AND x < {AVERAGE}", [1, 2, 4]),
    (f"t JOIN parts ON t.p = parts.p WHERE x < {AVERAGE} AND brand IS NULL", [4]),
    (f"t JOIN parts ON t.p = parts.p WHERE {COUNT} = 2 AND brand <> 'b'", [1, 2]),
    (f"t JOIN parts ON t.p = parts.p WHERE NOT ({COUNT} > 2) AND NOT brand = 'b'", [1, 2]),
    (f"t LEFT JOIN parts ON t.p = parts.p WHERE x < {AVERAGE} AND size = 5", [1, 3]),
    (f"t LEFT JOIN parts ON t.p = parts.p WHERE {COUNT} = 0 AND size IS NULL", [2]),
    # What is no condition of its own, or is one on other rows, leaves no group out.
    (f"t, parts WHERE t.p = parts.p AND (brand = 'a' OR x < {AVERAGE})", [1, 2, 3, 4]),
    (f"t JOIN parts ON t.p = parts.p WHERE brand = 'a' OR x < {AVERAGE}", [1, 2, 3, 4]),
    (f"t, parts WHERE t.p = parts.p AND (brand = 'a' OR x > 3) AND x < {AVERAGE}", [1, 2, 3, 4]),
    (f"t, parts WHERE t.p = parts.p AND x > 3 AND x < {AVERAGE}", [1, 2, 3, 4]),
    (f"t, parts, parts o WHERE t.p = parts.p AND o.p = parts.p AND o.brand = 'a' AND x < {AVERAGE}", [1, 2, 3, 4]),
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("asked")


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    table = Table(COLUMNS, ROWS, table="max_rows_per_unit: 6", public=PARTS)
    with closing(table.open(folder)) as opened:
        yield opened


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("asked", "groups"), ASKED)
def test_the_groups_are_those_that_rows_can_ask_for(
    session: Session, folder: Path, asked: str, groups: list[int]
) -> None:
    sql = f"SELECT COUNT(*) AS n, SUM(x) AS s FROM {asked}"
    released = plan(session, sql).releases[0]
    assert sorted(key for (key,) in released.keys.domain or ()) == groups  # type: ignore[type-var]
    with duckdb.connect(str(folder / "data.duckdb"), read_only=True) as plain:
        assert session.answer(sql).rows == tuple(plain.execute(sql).fetchall())
