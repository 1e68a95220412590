"""A column whose values are the keys of a public table is one with that list in the policy, whatever is asked of it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.open_engines import open_public
from dpsql.engines.sources import referenced_keys
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.errors import InternalError, OperationalError, PolicyError, QueryRefused
from dpsql.plan.keys.finite_values import MOST_GROUPS
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.load import load_policy
from dpsql.session import Session, check_data, refresh_sources, unlisted_values
from plan.opened import Table, domain, plan, release
from plan.test_groups_of_a_unit import ASKED, less, weaker

SHOPS = (
    "shops towns days",
    """
    CREATE TABLE shops AS SELECT * FROM (VALUES (5, 'five', 1), (1, 'one', 1), (3, 'three', 2)) v(shop, name, zone);
    CREATE TABLE towns AS SELECT * FROM (VALUES ('it''s', 1), ('', 2), ('Riga', 3)) v(town, size);
    CREATE TABLE days AS SELECT * FROM (VALUES (DATE '2024-02-29', 'leap'), (DATE '2025-01-01', 'new')) v(day, what)
    """,
)
LISTED = {
    "shop": "integer, values: [1, 3, 5]",
    "town": 'text, values: ["", "Riga", "it\'s"], nullable: true',
    "day": "date, values: [2024-02-29, 2025-01-01]",
    "x": "integer, lower: 0, upper: 9",
}
REFERENCED = {
    "shop": "integer, references: shops.shop",
    "town": "text, references: towns.town, nullable: true",
    "day": "date, references: days.DAY",
    "x": "integer, lower: 0, upper: 9",
}
ROWS = [
    (1, 1, "Riga", "2024-02-29", 3),
    (1, 3, "riga", "2024-02-28", 4),
    (2, 2, None, "2025-01-01", 5),
    (3, 5, "it's", "2025-01-01", 6),
    (3, 5, "", "9999-12-31", 7),
]
QUERIES = (
    "SELECT shop, COUNT(*) AS n, SUM(x) AS s FROM t GROUP BY shop",
    "SELECT town, COUNT(DISTINCT u) AS n FROM t GROUP BY town",
    "SELECT day, town, COUNT(*) AS n FROM t GROUP BY ALL",
    "SELECT COUNT(DISTINCT shop) AS n, COUNT(DISTINCT town) AS m FROM t",
    "SELECT MODE(shop) AS m FROM t",
    "SELECT LENGTH(town) AS l, COUNT(*) AS n FROM t GROUP BY 1",
    "SELECT name, COUNT(*) AS n FROM t JOIN shops USING (shop) GROUP BY name",
    "SELECT t.shop, name, AVG(x) AS a FROM t JOIN shops ON t.shop = shops.shop WHERE zone = 1 GROUP BY ALL",
    "SELECT name, COUNT(*) AS n FROM t LEFT JOIN shops ON t.shop = shops.shop GROUP BY name",
    "SELECT what, COUNT(DISTINCT u) AS n FROM t JOIN days d ON d.day = t.day GROUP BY what",
    "SELECT size, COUNT(*) AS n FROM t JOIN towns ON towns.town = t.town GROUP BY size",
    "SELECT COUNT(*) AS n FROM t WHERE shop IN (1, 3) AND town <> 'Riga'",
    "SELECT COUNT(*) AS n FROM t WHERE shop IN (SELECT shop FROM shops WHERE zone = 1)",
    "SELECT k, COUNT(*) AS n FROM (SELECT u, shop AS k, COUNT(*) AS c FROM t GROUP BY ALL) GROUP BY k",
    "SELECT shop, town, COUNT(*) AS n FROM t GROUP BY ROLLUP (shop, town)",
    "SELECT shop, COUNT(*) AS n FROM t GROUP BY shop ORDER BY COUNT(*) DESC LIMIT 1",
)
CAPS = ("max_rows_per_unit: 2", "neighbours: substitute, max_rows_per_unit: 3", "max_groups_per_unit: 2")


def opened(columns: dict[str, str], folder: Path, privacy: str, rows: Sequence[Sequence[object]]) -> Session:
    return Table(columns, rows, privacy=privacy, public=SHOPS).open(folder)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("privacy", CAPS)
def test_a_reference_is_planned_and_answered_as_the_list_of_its_keys(privacy: str, tmp_path: Path) -> None:
    with (
        closing(opened(LISTED, tmp_path / "listed", privacy, ROWS)) as listed,
        closing(opened(REFERENCED, tmp_path / "referenced", privacy, ROWS)) as referenced,
    ):
        answered = 0
        for sql in QUERIES:
            if "max_groups" in privacy and "DISTINCT u" not in sql:
                continue
            left, right = (plan(s, sql).releases for s in (listed, referenced))
            assert [(r.keys.domain, r.events) for r in left] == [(r.keys.domain, r.events) for r in right], (
                sql
            )
            assert not any(e.cost.delta for r in right for e in r.events), sql
            assert listed.answer(sql).rows == referenced.answer(sql).rows, sql
            answered += 1
        assert answered > 1


def test_what_is_no_key_is_null_and_shown_where_the_column_is_declared_nullable(tmp_path: Path) -> None:
    with closing(opened(REFERENCED, tmp_path, CAPS[0], ROWS)) as session:
        assert domain(session, "SELECT shop, COUNT(*) AS n FROM t GROUP BY shop") == [1, 3, 5]
        assert domain(session, "SELECT town, COUNT(*) AS n FROM t GROUP BY town") == [
            "",
            "Riga",
            "it's",
            None,
        ]
        (row,) = session.answer("SELECT COUNT(*) AS n, COUNT(shop) AS s, COUNT(town) AS t FROM t").rows
        assert row == (5, 4, 3)
        with pytest.raises(QueryRefused, match="2 is not in the list of shop"):
            session.answer("SELECT COUNT(*) AS n FROM t WHERE shop = 2")


# Every multiset of at most two rows of the unit that neighbours differ in: listed, unlisted and missing values.
UNIT = [
    rows
    for size in range(3)
    for rows in itertools.combinations_with_replacement(
        ((1, "Riga"), (3, "it's"), (2, "riga"), (5, None)), size
    )
]
MOVED = (
    "SELECT shop, COUNT(*) AS n FROM t GROUP BY shop",
    "SELECT town, COUNT(*) AS n FROM t GROUP BY town",
    "SELECT shop, COUNT(DISTINCT u) AS n FROM t GROUP BY shop",
    "SELECT COUNT(DISTINCT shop) AS n FROM t",
    "SELECT COUNT(DISTINCT town) AS n FROM t",
    "SELECT name, COUNT(DISTINCT u) AS n FROM t LEFT JOIN shops ON t.shop = shops.shop GROUP BY name",
)


@pytest.mark.slow
def test_in_every_small_world_nothing_moves_further_than_is_claimed(tmp_path: Path) -> None:
    found: dict[str, list[Counter[object]]] = {sql: [] for sql in MOVED}
    claimed: dict[tuple[str, str], int] = {}
    for at, rows in enumerate(UNIT):
        every = [(9, 1, "Riga", "2025-01-01", 1), *((1, shop, town, "2025-01-01", 1) for shop, town in rows)]
        for neighbours in ("add_remove", "substitute"):
            privacy = f"neighbours: {neighbours}, max_rows_per_unit: 2"
            with closing(opened(REFERENCED, tmp_path / f"{neighbours}{at}", privacy, every)) as session:
                for sql in MOVED:
                    (event,) = (e for r in plan(session, sql).releases for e in r.events)
                    claim = claimed.setdefault((neighbours, sql), event.sensitivity)
                    assert claim == event.sensitivity
                    if neighbours == "add_remove":  # what is counted without noise is the same
                        found[sql].append(Counter({row[:-1]: row[-1] for row in session.answer(sql).rows}))
    for (neighbours, sql), claim in claimed.items():
        answers = found[sql]
        others = answers[:1] if neighbours == "add_remove" else answers
        most = max(distance(a, b) for a in answers for b in others)
        assert most <= claim, sql
        assert most == claim or "DISTINCT" in sql, sql


FEW = (
    ("SELECT COUNT(DISTINCT shop) AS n FROM t", 3),
    ("SELECT COUNT(DISTINCT town) AS n FROM t", 3),
    ("SELECT shop, COUNT(DISTINCT day) AS n FROM t GROUP BY shop", 6),
    ("SELECT COUNT(DISTINCT (day, town)) AS n FROM t", 12),
)


@pytest.mark.parametrize(("sql", "most"), FEW)
def test_no_fewer_keys_are_claimed_than_there_are(sql: str, most: int, tmp_path: Path) -> None:
    """Where nothing limits rows; both routes have the number, one from the list and one from the table."""
    with closing(opened(REFERENCED, tmp_path, "max_groups_per_unit: 2", ROWS)) as session:
        made, context = plan(session, sql), session._state.context
        (event,) = (e for r in made.releases for e in r.events)
        assert event.sensitivity == most
        assert check_cost(made, ASKED, context) == ASKED
        claimed = replace(made, releases=tuple(weaker(r, less) for r in made.releases))
        with pytest.raises(InternalError, match="below the derived one"):
            check_cost(claimed, ASKED, context)


def distance(one: Counter[object], other: Counter[object]) -> int:
    return sum(abs(one[k] - other[k]) for k in {*one, *other})


def test_a_public_table_without_the_key_of_a_row_makes_it_null(tmp_path: Path) -> None:
    fewer = (SHOPS[0], f"{SHOPS[1]}; DELETE FROM shops WHERE shop = 5")
    table = Table(REFERENCED, ROWS, privacy=CAPS[0], public=fewer)
    with closing(table.open(tmp_path)) as session:
        assert session.answer("SELECT shop, COUNT(*) AS n FROM t GROUP BY shop").rows == ((1, 1), (3, 1))
    assert unlisted_values(load_policy(tmp_path / "policy.yaml")) == (
        "tables.t.columns.shop: 3 values are not among the keys shops.shop and read as NULL",
        "tables.t.columns.town: 1 value is not among the keys towns.town and read as NULL",
        "tables.t.columns.day: 2 values are not among the keys days.DAY and read as NULL",
    )


WRONG = (
    ("UPDATE shops SET shop = 1", "shops.shop is not unique: two rows have one value of it"),
    ("INSERT INTO shops VALUES (NULL, 'x', 1)", "shops.shop has NULLs, which are no keys"),
    ("ALTER TABLE shops ALTER shop TYPE VARCHAR", "the column is integer, but shops.shop is VARCHAR"),
    ("ALTER TABLE shops ALTER shop TYPE DOUBLE", "the column is integer, but shops.shop is DOUBLE"),
    ("DELETE FROM shops", "shops has no rows, so that no value would be listed"),
    ("ALTER TABLE shops RENAME shop TO other", "shops has no such column"),
    ("INSERT INTO shops SELECT i + 9, '', 1 FROM range(20000) r(i)",
     "shops has 20003 rows; the keys of at most 20000 can be referenced"),
    ("ALTER TABLE shops ALTER shop TYPE BIGINT; INSERT INTO shops VALUES (4611686018427387905, 'x', 1)",
     "shops.shop has a key beyond 2^62, the largest integer that can be listed"),
    ("INSERT INTO towns VALUES ('a' || chr(0), 1)", "towns.town holds a NUL character in one of its keys"),
    ("INSERT INTO towns VALUES (repeat('y', 1000000), 1)",
     "the keys of towns.town have more than 1000000 characters in all"),
    ("ALTER TABLE days ALTER day TYPE TIMESTAMP", "the column is date, but days.DAY is TIMESTAMP"),
    ("INSERT INTO days VALUES ('infinity', ''), ('9999-12-31', '')",
     "days.DAY is not unique: two rows have one value of it"),
)  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("sql", "message"), WRONG, ids=[m for _, m in WRONG])
def test_keys_that_are_no_list_are_told_to_the_admin(sql: str, message: str, tmp_path: Path) -> None:
    table = Table(REFERENCED, ROWS, privacy=CAPS[0], public=(SHOPS[0], f"{SHOPS[1]}; {sql}"))
    policy = load_policy(table.store(tmp_path))
    with pytest.raises(PolicyError) as told:
        check_data(policy)
    (problem,) = told.value.problems
    assert problem.message == message and problem.path.endswith(".references")


def test_a_changed_public_table_is_another_version_of_the_data(tmp_path: Path) -> None:
    table = Table(REFERENCED, ROWS, privacy=CAPS[0], public=SHOPS)
    path, sql = table.store(tmp_path), "SELECT shop, COUNT(*) AS n FROM t GROUP BY shop"
    with closing(table.open_stored(path)) as session:
        session.answer(sql)
        spent = session.budget().spent
        session.answer(sql)
        assert session.budget().spent == spent
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute("INSERT INTO shops VALUES (2, 'two', 2)")
    with pytest.raises(OperationalError, match="refresh"):
        table.open_stored(path)
    refresh_sources(path, None, "admin")
    with closing(table.open_stored(path)) as session:
        assert [row[0] for row in session.answer(sql).rows] == [1, 2, 3, 5]
        assert session.budget().spent.epsilon == 2 * spent.epsilon


KEYS = {"integer": "7 * i", "text": "'key ''' || i", "date": "DATE '2000-01-01' + i::INTEGER"}
ENGINE = {"integer": "BIGINT", "text": "VARCHAR", "date": "DATE"}


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", KEYS)
def test_many_keys_are_looked_up_as_few_are(kind: str, tmp_path: Path) -> None:
    made = f"CREATE TABLE keys AS SELECT {KEYS[kind]} AS k, 'n' || i AS name, i % 40 AS zone FROM range(2000) r(i)"
    inserted = (
        f"{made}; ALTER TABLE t ALTER k TYPE {ENGINE[kind]}; INSERT INTO t SELECT i % 50, k.k FROM range(100) r(i) "
        f"JOIN (SELECT {KEYS[kind]} AS k, i AS n FROM range(0, 20000, 199) r(i)) k ON k.n = r.i * 199; "
        "INSERT INTO t VALUES (1, NULL)"
    )
    table = Table({"k": f"{kind}, references: keys.k, nullable: true"}, [(0, None)], privacy="max_rows_per_unit: 9",
                  public=("keys", inserted))  # fmt: skip
    with closing(table.open(tmp_path)) as session:
        counted = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
        assert len(domain(session, counted) or ()) == 2001
        rows = session.answer(counted).rows
        assert sorted(n for _, n in rows) == [*[0] * 1989, *[1] * 11, 91]
        # As many rows as the product of keys and table are not listed: a key picks one row of it.
        joined = "FROM t JOIN keys ON keys.k = t.k {} GROUP BY ALL"
        assert MOST_GROUPS < 2000 * 2000
        pairs = domain(session, f"SELECT t.k, name, COUNT(*) AS n {joined.format('')}")
        assert pairs is not None and len(pairs) == 2000
        few = domain(session, f"SELECT t.k, COUNT(*) AS n {joined.format('WHERE zone = 3')}")
        assert few is not None and len(few) == 50


def test_a_table_without_a_key_is_not_picked_by_an_equality(tmp_path: Path) -> None:
    made = (
        "CREATE TABLE keys AS SELECT i AS k, i % 2 AS z FROM range(0, 4000, 2) r(i); "
        "CREATE TABLE twice AS SELECT 2 * (i // 2) AS k, i AS c FROM range(1200) r(i)"
    )
    table = Table({"k": "integer, references: keys.k"}, [(1, 0)], privacy="max_rows_per_unit: 1",
                  public=("keys twice", made))  # fmt: skip
    with closing(table.open(tmp_path)) as session:
        sql = "SELECT {} COUNT(*) AS n FROM t JOIN twice ON twice.k = t.k GROUP BY ALL"
        # A row of `twice` picks one key, though a key does not pick one row of it.
        pairs = domain(session, sql.format("t.k, c,"))
        assert pairs is not None and len(pairs) == 1200
        assert release(session, sql.format("c + t.k % 2 AS p,")).keys.domain is not None


PLACES = (
    "COPY (SELECT * FROM shops) TO '{folder}/shops.parquet'",
    "COPY (SELECT * FROM shops) TO '{folder}/shops.csv' (HEADER)",
    "CREATE VIEW listed AS SELECT shop, name FROM shops",
)
SOURCES = (
    "shops.parquet, public: true",
    "shops.csv, public: true",
    "data.duckdb, public: true, view: row_wise",
)


@pytest.mark.parametrize(
    ("sql", "source"), [*zip(PLACES, SOURCES, strict=True)], ids=["parquet", "csv", "view"]
)
def test_the_table_may_be_a_file_or_a_view(sql: str, source: str, tmp_path: Path) -> None:
    table = Table(REFERENCED, ROWS, privacy=CAPS[0], public=SHOPS)
    path = table.store(tmp_path)
    with duckdb.connect(str(tmp_path / "data.duckdb")) as connection:
        connection.execute(sql.format(folder=tmp_path))
    text = path.read_text().replace("references: shops.shop", "references: listed.shop")
    path.write_text(text.replace("  shops:", f"  listed: {{source: {source}}}\n  shops:"))
    with closing(table.open_stored(path)) as session:
        assert domain(session, "SELECT shop, COUNT(*) AS n FROM t GROUP BY shop") == [1, 3, 5]
        assert session.answer("SELECT shop, COUNT(*) AS n FROM t GROUP BY shop").rows == (
            (1, 1),
            (3, 1),
            (5, 2),
        )


def test_texts_are_keys_byte_by_byte_and_of_any_length(tmp_path: Path) -> None:
    long = "z" * 9000
    made = (
        "CREATE TABLE towns (town VARCHAR COLLATE NOCASE); INSERT INTO towns VALUES ('Riga'), ('riga'), ('e\u0301'), "
        f"('{long}')"
    )
    rows = [(1, "RIGA"), (1, "riga"), (2, "\u00e9"), (2, "e\u0301"), (3, long), (3, long + "z")]
    table = Table({"town": "text, references: towns.town"}, rows, privacy=CAPS[0], public=("towns", made))
    with closing(table.open(tmp_path)) as session:
        rows = session.answer("SELECT town, COUNT(*) AS n FROM t GROUP BY town").rows
        assert sorted(rows) == [("Riga", 0), ("e\u0301", 1), ("riga", 1), (long, 1)]


def test_the_keys_are_the_same_in_child_processes(tmp_path: Path) -> None:
    policy = load_policy(Table(REFERENCED, ROWS, privacy=CAPS[0], public=SHOPS).store(tmp_path))
    found = []
    for isolation in ("inline", "process"):
        engine = replace(policy.engine, isolation=type(policy.engine.isolation)(isolation))
        with closing(open_public(replace(policy, engine=engine))) as public:
            found.append([c.values for c in open_catalog(policy, public).tables["t"].columns])
    assert found[0] == found[1] and found[0][1:3] == [(1, 3, 5), ("", "Riga", "it's")]


def test_at_the_limit_keys_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(referenced_keys, "MOST_KEYS", 3)
    policy = load_policy(Table(REFERENCED, ROWS, privacy=CAPS[0], public=SHOPS).store(tmp_path))
    with closing(open_public(policy)) as public:
        open_catalog(policy, public)
        monkeypatch.setattr(referenced_keys, "MOST_KEYS", 2)
        with pytest.raises(PolicyError, match="at most 2"):
            open_catalog(policy, public)


def test_an_analyst_sees_the_keys_and_where_they_are_from(tmp_path: Path) -> None:
    with closing(opened(REFERENCED, tmp_path, CAPS[0], ROWS)) as session:
        sql = (
            "SELECT column_name, nullable, value_list FROM dpsql.columns WHERE table_name = 't' ORDER BY ALL"
        )
        assert session.answer(sql).rows == (
            ("day", False, '["2024-02-29", "2025-01-01"]'),
            ("shop", False, "[1, 3, 5]"),
            ("town", True, '["", "Riga", "it\'s"]'),
            ("u", False, None),
            ("x", False, None),
        )
        table = next(t for t in session.tables() if t.name == "t")
        assert [c.comment for c in table.columns][1] == "one of the keys shops.shop"
        assert [(k.columns, k.table, k.referred) for k in table.foreign_keys] == [
            (("shop",), "shops", ("shop",)), (("town",), "towns", ("town",)), (("day",), "days", ("DAY",)),
        ]  # fmt: skip
