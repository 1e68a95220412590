"""Who owns the rows of a join, by running it: what is accepted never lets one unit's rows change another's."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.algebra.shape import shape
from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session
from plan.opened import plan

POLICY = """version: 1
privacy: {unit: people.person, max_rows_per_unit: 5}
accountant: pure
tables:
  people: {source: data.duckdb, one_row_per_unit: true, columns: {person: {type: integer}, born: {type: integer}}}
  t: {source: data.duckdb, unit_key: u, columns: {u: {type: integer}, k: {type: integer}, x: {type: integer}}}
  items: {source: data.duckdb, unit_path: {of: t.k}, columns: {of: {type: integer}, y: {type: integer}}}
  pub: {source: data.duckdb, public: true}
budgets: {dataset: {epsilon: 1000}, default: {epsilon: 1000, per_query: 1}}
"""
COLUMNS = {"people": ("person", "born"), "t": ("u", "k", "x"), "items": ("of", "y"), "pub": ("a", "b")}
OWNER = {"people": "person", "t": "u", "items": "owner"}
ROWS = {"people": 1, "t": 5, "items": 6}
UNITS = (1, 2, 3)
WANTED = 60


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Session:
    folder = tmp_path_factory.mktemp("owners")
    with closing(database(random.Random(0), str(folder / "data.duckdb"))):
        pass
    (folder / "policy.yaml").write_text(POLICY, encoding="utf-8")
    return build_session(load_policy(Path(folder / "policy.yaml")), "a", None, (None, None), Noiseless())


def database(draw: random.Random, path: str = ":memory:") -> duckdb.DuckDBPyConnection:
    """A database with what `fill` draws."""
    connection = duckdb.connect(path)
    fill(connection, draw)
    return connection


def fill(connection: duckdb.DuckDBPyConnection, draw: random.Random) -> None:
    """Few rows over few values, so that everything meets everything; `owner` is what the path leads to."""
    people = [(u, draw.randint(1, 3)) for u in UNITS]
    rows = [(draw.choice(UNITS), k, draw.randint(1, 3)) for k in range(1, 6)]
    owners = {k: u for u, k, _ in rows}
    items = [(k, draw.randint(1, 3), owners[k]) for k in draw.choices(range(1, 6), k=6)]
    for name, columns, values in (
        ("people", "person INTEGER, born INTEGER", people),
        ("t", "u INTEGER, k INTEGER, x INTEGER", rows),
        ("items", '"of" INTEGER, y INTEGER, owner INTEGER', items),
        ("pub", "a INTEGER, b INTEGER", [(1, 2), (2, 2), (3, 1)]),
    ):
        connection.execute(f"CREATE OR REPLACE TABLE {name} ({columns})")
        connection.execute(f"INSERT INTO {name} VALUES {', '.join(map(str, values))}")


def random_from(draw: random.Random) -> tuple[str, list[tuple[str, str]]]:
    """A FROM and WHERE over two to four sources joined by equalities of any columns, and the sources by alias."""
    tables = [draw.choice(tuple(COLUMNS)) for _ in range(draw.choice((2, 2, 3, 3, 4)))]
    sources = [(f"s{i}", t) for i, t in enumerate(tables)]
    text = f"{tables[0]} AS s0"
    for i in range(1, len(tables)):
        word = draw.choice(("JOIN", "JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"))
        others = (draw.choice((i, None)) for _ in range(draw.choice((0, 0, 1, 2))))
        on = " AND ".join(equality(draw, sources[: i + 1], at) for at in (i, *others))
        text += f" {word} {tables[i]} AS s{i} ON {on}"
    where = [equality(draw, sources, None) for _ in range(draw.choice((0, 0, 1, 2)))]
    return text + (f" WHERE {' AND '.join(where)}" if where else ""), sources


def equality(draw: random.Random, sources: list[tuple[str, str]], last: int | None) -> str:
    """Mostly between columns that lead to an owner."""
    a, b = draw.choice(sources), draw.choice(sources) if last is None else sources[last]
    if last and draw.random() < 0.8:
        a = draw.choice(sources[:last])
    keys = {"people": ("person",), "t": ("u", "k"), "items": ("of",), "pub": ("a",)}
    lists = keys if draw.random() < 0.7 else COLUMNS
    return f'{a[0]}."{draw.choice(lists[a[1]])}" = {b[0]}."{draw.choice(lists[b[1]])}"'


def accepted(session: Session, text: str) -> bool:
    try:
        session.explain(f"SELECT COUNT(*) FROM {text}")
    except QueryRefused:
        return False
    return True


def owned_rows(
    connection: duckdb.DuckDBPyConnection, text: str, sources: list[tuple[str, str]]
) -> Counter[object]:
    """The joined rows, each with the owners of its private sources first."""
    owners = ", ".join(f"{a}.{OWNER[t]}" for a, t in sources if t in OWNER)
    columns = ", ".join(f'{a}."{c}"' for a, t in sources for c in COLUMNS[t])
    rows = connection.execute(f"SELECT [{owners}], {columns} FROM {text}").fetchall()
    return Counter((tuple(r[0]), r[1:]) for r in rows)


def test_removing_a_unit_takes_its_rows_away_and_touches_no_others(session: Session) -> None:
    draw, seen, refused = random.Random(20_250_101), 0, 0
    rows = duckdb.connect()
    while seen < WANTED:
        text, sources = random_from(draw)
        if not any(t in OWNER for _, t in sources):
            continue
        if not accepted(session, text):
            refused += 1
            continue
        seen += 1
        unit = draw.choice(UNITS)
        fill(rows, draw)
        before = owned_rows(rows, text, sources)
        for table, owner in OWNER.items():
            rows.execute(f"DELETE FROM {table} WHERE {owner} = {unit}")
        after = owned_rows(rows, text, sources)
        own = Counter({row: n for row, n in before.items() if unit in row[0]})  # type: ignore[index]
        assert all(set(row[0]) <= {unit, None} for row in own), text  # type: ignore[index]
        assert before - own == after, text
    assert refused > WANTED
    rows.close()
    session.close()


def test_no_unit_owns_more_joined_rows_than_its_tables_and_their_keys_allow(tmp_path: Path) -> None:
    caps = POLICY.replace("unit_key: u,", "unit_key: u, max_rows_per_unit: 5,")
    caps = caps.replace("unit_path: {of: t.k},", "unit_path: {of: t.k}, max_rows_per_unit: 6,")
    (tmp_path / "policy.yaml").write_text(caps.replace(", max_rows_per_unit: 5}", "}", 1), encoding="utf-8")
    draw, seen, reached, saved = random.Random(7), 0, 0, 0
    databases = [database(draw, str(tmp_path / "data.duckdb")), *(database(draw) for _ in range(3))]
    databases.pop(0).close()
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        while seen < WANTED // 2:
            text, sources = random_from(draw)
            private = [t for _, t in sources if t in OWNER]
            if len(private) < 2 or not accepted(session, text):
                continue
            seen += 1
            (only,) = plan(session, f"SELECT COUNT(*) FROM {text}").releases
            claimed = shape(only.question.relation, session._state.context.catalog).rows_per_unit
            most = max(most_owned(connection, text, sources) for connection in databases)
            assert claimed is not None and most <= claimed, text
            reached += most == claimed
            saved += private.count("t") + private.count("items") > 1 and claimed <= ROWS["items"]
    assert reached and saved
    for connection in databases:
        connection.close()


def most_owned(connection: duckdb.DuckDBPyConnection, text: str, sources: list[tuple[str, str]]) -> int:
    """The most joined rows that one unit owns."""
    rows = owned_rows(connection, text, sources)
    counts = Counter(u for owners, _ in rows.elements() for u in set(owners) - {None})  # type: ignore[misc]
    return max(counts.values(), default=0)
