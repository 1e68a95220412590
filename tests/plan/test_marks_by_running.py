"""Tests for other rows, by running them: what is accepted never lets one unit's rows decide another's mark."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from dpsql.session import Session
from plan.opened import Table
from plan.test_ownership_by_running import COLUMNS, OWNER, UNITS, accepted, fill, session

__all__ = ("session",)
WANTED = 9
KEYS = {"people": ("person",), "t": ("u", "k"), "items": ("of",), "pub": ("a",)}


def column(draw: random.Random, table: tuple[str, str]) -> str:
    alias, name = table
    return f'{alias}."{draw.choice(KEYS[name] if draw.random() < 0.7 else COLUMNS[name])}"'


def random_test(draw: random.Random, around: list[tuple[str, str]], depth: int) -> str:
    """EXISTS or IN over one table or two, maybe with a test inside of it, tied to any rows around it or to none."""
    own = [(f"i{depth}{j}", draw.choice(tuple(COLUMNS))) for j in range(draw.choice((1, 1, 2)))]
    text = f"{own[0][1]} AS {own[0][0]}"
    if len(own) > 1:
        word = draw.choice(("JOIN", "LEFT JOIN"))
        text += f" {word} {own[1][1]} AS {own[1][0]} ON {column(draw, own[0])} = {column(draw, own[1])}"
    where = [
        f"{column(draw, draw.choice(own))} = {column(draw, draw.choice(around))}"
        for _ in range(draw.choice((0, 1, 1, 2)))
    ]
    if depth < 2 and draw.random() < 0.6:
        where.append(random_test(draw, around + own if draw.random() < 0.6 else own, depth + 1))
    rows = f"FROM {text}" + (f" WHERE {' AND '.join(where)}" if where else "")
    word = draw.choice(("", "NOT "))
    if draw.random() < 0.5:
        return f"{word}EXISTS (SELECT 1 {rows})"
    return f"{column(draw, draw.choice(around))} {word}IN (SELECT {column(draw, draw.choice(own))} {rows})"


def marked(connection: duckdb.DuckDBPyConnection, table: str, test: str) -> Counter[object]:
    columns = ", ".join(f'a."{c}"' for c in COLUMNS[table])
    return Counter(
        connection.execute(f"SELECT a.{OWNER[table]}, {columns}, {test} FROM {table} AS a").fetchall()
    )


def test_removing_a_unit_changes_no_mark_of_another_units_rows(session: Session) -> None:
    draw, seen, refused = random.Random(20_250_102), Counter[str](), 0
    rows = duckdb.connect()
    while seen.total() < WANTED:
        table = draw.choice(tuple(OWNER))
        test = random_test(draw, [("a", table)], 0)
        if not accepted(session, f"{table} AS a WHERE {test}"):
            refused += 1
            continue
        seen[f"{test.count('SELECT')} deep"] += 1
        for _ in range(4):
            unit = draw.choice(UNITS)
            fill(rows, draw)
            before = marked(rows, table, test)
            for name, owner in OWNER.items():
                rows.execute(f"DELETE FROM {name} WHERE {owner} = {unit}")
            after = marked(rows, table, test)
            assert Counter({r: n for r, n in before.items() if r[0] != unit}) == after, test  # type: ignore[index]
    assert refused > WANTED and len(seen) == 3, seen
    rows.close()


@pytest.mark.parametrize(
    "where",
    [
        "EXISTS (SELECT 1 FROM pub WHERE pub.a = a.x AND EXISTS (SELECT 1 FROM t WHERE t.x = pub.a))",
        "a.x IN (SELECT pub.a FROM pub WHERE pub.a IN (SELECT x FROM t))",
        "EXISTS (SELECT 1 FROM pub WHERE EXISTS (SELECT 1 FROM t WHERE t.x = pub.a) AND pub.b = a.x)",
    ],
)
def test_private_rows_cannot_be_tested_beside_public_ones(where: str, session: Session) -> None:
    assert not accepted(session, f"t AS a WHERE {where}")


@pytest.mark.parametrize(
    "rows",
    [
        "SELECT u, CASE WHEN u = 7 THEN -f - f ELSE f END AS z FROM t UNION ALL SELECT u, f FROM t WHERE u < 0",
        "SELECT u, MEDIAN(CASE WHEN u = 7 THEN g ELSE f END) AS z FROM t GROUP BY u",
    ],
)
def test_one_units_zero_is_that_of_all(rows: str, tmp_path: Path) -> None:
    """DuckDB looks up marks once for values that are equal: as -0.0, one unit's zero would be found for all others."""
    bounds = "float, lower: -1, upper: 1, step: 0.5"
    table = Table(
        {"f": bounds, "g": bounds},
        [(7, 0.0, -5e-324), (7, 0.0, -5e-324), *((u, 0.0, 1.0) for u in range(8, 30))],
        privacy="max_rows_per_unit: 2",
        public=("names", "CREATE TABLE names AS SELECT unnest(['0.0', 'other']) AS name"),
    )
    session = table.open(tmp_path)
    counted = f"SELECT COUNT(*) FROM ({rows}) AS r WHERE"
    ((every,),) = session.answer(f"{counted} z = 0").rows
    ((found,),) = session.answer(
        f"{counted} EXISTS (SELECT 1 FROM names WHERE name = CAST(r.z AS VARCHAR))"
    ).rows
    ((other,),) = session.answer(f"{counted} CAST(z AS VARCHAR) = '-0.0'").rows
    assert every > 22 and (found, other) == (every, 0)
