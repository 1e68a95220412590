"""Bounded sums are those of a query that numbers every row of every unit, written here a second time."""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pytest

from dpsql.algebra.canonical import digest
from dpsql.audit.exact import by_key
from dpsql.engines.generated.source_files import engine_with
from dpsql.engines.sqlgen import bounding
from dpsql.plan.types import Grid
from dpsql.session import Session
from dpsql.stages.prepare import prepare
from plan.opened import Table, release

COLUMNS = {
    "k": "text, values: [a, b, c], nullable: true",
    "x": "integer, lower: -4, upper: 9",
    "y": "integer, lower: 0, upper: 99",
    "name": "text",
}
# `tags` has two rows for a, and one each for b and for none of the groups of `t`.
PUBLIC = (
    "tags",
    "CREATE TABLE tags AS SELECT * FROM "
    "(VALUES ('a', 'p', 1), ('a', 'q', 2), ('b', 'p', 3), ('z', 'q', 4)) v(k, tag, w)",
)


@dataclass(frozen=True)
class Direct:
    """A query as dpsql is asked, and its parts for the query that is written here."""

    select: str
    source: str = "t"
    where: str = "true"
    group: str = ""
    fan_out: int = 1
    public: tuple[str, ...] = ()

    @property
    def sql(self) -> str:
        return f"SELECT {self.select} FROM {self.source} WHERE {self.where} {self.group}"


COUNTS = "k, COUNT(*) AS n, SUM(x) AS s, COUNT(k) AS present"
QUERIES = (
    Direct(COUNTS, group="GROUP BY k"),
    Direct("COUNT(*) AS n, SUM(x) AS s, COUNT(*) FILTER (WHERE y < 50) AS low"),
    Direct(COUNTS, where="x > 0 AND y % 3 <> 0", group="GROUP BY k"),
    Direct("COUNT(*) AS n", where="x > 0 AND y < 90"),
    Direct("COUNT(*) AS n", "t JOIN tags USING (k)", where="x > 0 AND w < 4", fan_out=2, public=("k", "tag", "w")),
    Direct("k, COUNT(DISTINCT u) AS units, COUNT(DISTINCT name) AS names", group="GROUP BY k"),
    Direct("COUNT(DISTINCT name) AS names, COUNT(*) AS n", where="x > -2"),
    Direct("tag, COUNT(*) AS n, SUM(x + w) AS s", "t JOIN tags USING (k)", group="GROUP BY tag", fan_out=2,
           public=("k", "tag", "w")),
    Direct("COUNT(*) AS n, SUM(y) AS s, COUNT(tag) AS tags", "t LEFT JOIN tags USING (k)", where="y > 20", fan_out=2,
           public=("k", "tag", "w")),
    Direct("tag, COUNT(DISTINCT name) AS names", "t JOIN tags USING (k)", where="w < 3", group="GROUP BY tag",
           fan_out=2, public=("k", "tag", "w")),
)  # fmt: skip
CAPS = ((None, 1), (None, 3), (2, None), (2, 1), (2, 3), (5, 3), (5, 6))


def rows(seed: int) -> list[tuple[object, ...]]:
    """Few units with many rows, ties, duplicates, values out of bounds and rows without an owner."""
    draw = random.Random(seed)
    found: list[tuple[object, ...]] = []
    for unit in range(1, 8):
        kinds = [_row(unit, draw) for _ in range(draw.choice((1, 2, 4, 11)))]
        found += kinds + draw.choices(kinds, k=draw.choice((0, 3)))
    found += [_row(None, draw) for _ in range(3)]
    draw.shuffle(found)
    return found


def _row(unit: int | None, draw: random.Random) -> tuple[object, ...]:
    key = draw.choice(("a", "b", "c", "other", None))
    return unit, key, draw.randint(-8, 12), draw.randint(0, 99), draw.choice(("ann", "bob", "", "y" * 50))


def table(seed: int, table_cap: int | None, dataset_cap: int | None) -> Table:
    privacy = f"max_rows_per_unit: {dataset_cap}" if dataset_cap else ""
    own = f"max_rows_per_unit: {table_cap}" if table_cap else ""
    return Table(COLUMNS, rows(seed), privacy=privacy, table=own, public=PUBLIC)


def canonical(found: Table) -> duckdb.DuckDBPyConnection:
    """The rows as a query sees them: owned, clamped, unlisted values NULL."""
    connection = duckdb.connect(":memory:")
    connection.execute("CREATE TABLE t (u BIGINT, k VARCHAR, x BIGINT, y BIGINT, name VARCHAR)")
    for u, k, x, y, name in found.rows:
        if u is not None:
            values = [u, k if k in ("a", "b", "c") else None, min(max(x, -4), 9), y, name]  # type: ignore[type-var]
            connection.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?)", values)
    connection.execute(PUBLIC[1])
    return connection


def directly(query: Direct, salt: str, caps: tuple[int | None, int | None]) -> str:
    """The bounded query with windows over all rows of all units."""
    table_cap, cap = caps
    columns = "u, k, x, y, name"
    own = f"row_number() OVER (PARTITION BY u ORDER BY hash('{salt}', {columns}), {columns})"
    base = f"(SELECT * FROM (SELECT *, {own} AS own FROM t) WHERE own <= {table_cap or 10**9}) AS t"
    source = query.source.replace("t ", f"{base} ", 1) if " " in query.source else base
    if cap is None:
        return f"SELECT {query.select} FROM {source} WHERE {query.where} {query.group}"
    public = [f"tags.{c}" for c in query.public]
    order = ", ".join(["own", *public])
    if cap < query.fan_out and table_cap is None:
        everything = ", ".join([f"t.{c}" for c in sorted(columns.split(", "))] + public)
        order = f"hash('{salt}', {everything}), {everything}"
    number = f"row_number() OVER (PARTITION BY u ORDER BY {order})"
    numbered = f"SELECT *, {number} AS number FROM {source} WHERE {query.where}"
    return f"SELECT {query.select} FROM ({numbered}) WHERE number <= {cap} {query.group}"


def compared(answer: tuple[tuple[object, ...], ...], direct: list[tuple[object, ...]], grouped: bool) -> None:
    """Equal, with 0 for the sums of groups that the direct query does not have."""
    if not grouped:
        assert [tuple(v or 0 for v in row) for row in direct] == list(answer)
        return
    known = {row[0]: tuple(v or 0 for v in row[1:]) for row in direct}
    for key, *values in answer:
        assert tuple(values) == known.pop(key, (0,) * len(values)), key
    assert not known


def salt(session: Session) -> str:
    return digest(session.policy.digest, "t")[:16]


@pytest.fixture(params=[None, 1, 3], ids=["listed", "one listed", "three listed"])
def listed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int | None:
    """Of how many rows of a unit all are listed, if not of as many as usual."""
    most: int | None = request.param
    if most is not None:
        monkeypatch.setattr(bounding, "MOST_ROWS", most)
        monkeypatch.setattr(bounding, "LEAST_ROWS", most)
    return most


@pytest.mark.one_in(32)
@pytest.mark.parametrize("caps", CAPS, ids=str)
def test_the_difference_form_keeps_the_rows_that_a_direct_query_keeps(
    tmp_path: Path, caps: tuple[int | None, int | None], listed: int | None
) -> None:
    found = table(CAPS.index(caps), *caps)
    # Engines of other sessions keep lists of as many rows as usual.
    session, plain = found.open(tmp_path, alone=listed is not None), canonical(found)
    for query in QUERIES:
        direct = plain.execute(directly(query, salt(session), caps)).fetchall()
        compared(session.answer(query.sql).rows, direct, bool(query.group))


def test_the_bounds_of_these_cases_bite() -> None:
    sizes: dict[object, int] = defaultdict(int)
    for row in rows(0):
        sizes[row[0]] += 1
    assert sum(n > 6 for u, n in sizes.items() if u is not None) >= 1
    assert sum(1 < n <= 6 for n in sizes.values()) >= 2


TOTAL = 11


def clipped(
    found: Table, session: Session, column: str = "x", total: int = TOTAL, most: int | None = None
) -> list[tuple[object, int, int, int]]:
    """(k, what is left of a column, x, y) for every row, unit by unit in content order: a Python model.

    Of a unit above the total with more than `most` values besides 0, only the first so many count.
    """
    plain = canonical(found)
    columns = "u, k, x, y, name"
    order = f"u, hash('{salt(session)}', {columns}), {columns}"
    left: dict[int, int] = defaultdict(lambda: total)
    seen: dict[int, int] = defaultdict(int)
    kept = []
    every = plain.execute(f"SELECT u, k, {column}, x, y FROM t ORDER BY {order}").fetchall()
    for u, k, v, x, y in every:
        size = min(abs(v), left[u])
        seen[u] += v != 0
        values = [abs(other) for unit, _, other, _, _ in every if unit == u and other]
        if most is not None and sum(values) > total and len(values) > most and seen[u] > most:
            size = 0
        left[u] -= size
        kept.append((k, size if v > 0 else -size, x, y))
    return kept


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(4))
def test_a_unit_total_clips_each_value_to_what_is_left_of_its_unit_s_total(
    tmp_path: Path, seed: int, listed: int | None
) -> None:
    found = replace(
        table(seed + 20, None, None), columns=COLUMNS | {"x": "integer, lower: -4, upper: 9, unit_total: 11"}
    )
    session = found.open(tmp_path)
    kept = clipped(found, session, most=listed)
    assert session.answer("SELECT SUM(x) FROM t").rows == ((sum(v for _, v, _, _ in kept),),)
    by_group = {k: sum(v for g, v, _, _ in kept if g == k) for k in ("a", "b", "c", None)}
    assert dict(session.answer("SELECT k, SUM(x) FROM t GROUP BY k").rows) == by_group  # type: ignore[arg-type]
    some = session.answer(
        "SELECT SUM(CASE WHEN k = 'a' THEN x ELSE 0 END), SUM(x) FILTER (WHERE k = 'b') FROM t"
    )
    assert some.rows == ((by_group["a"], by_group["b"]),)
    exact = session.answer(
        "SELECT SUM(x * y), SUM(CASE WHEN k = 'a' THEN x * y WHEN k = 'b' THEN -x END) FROM t"
    )
    mixed = sum(v * y if k == "a" else -v if k == "b" else 0 for k, v, _, y in kept)
    assert exact.rows == ((sum(v * y for _, v, _, y in kept), mixed),)
    (family,) = release(session, "SELECT SUM(x * (1 - y / 300.0)) FROM t").families
    grid = family.terms[0].grid
    assert grid is not None
    values = (counted(v, 1 - y / 300.0, grid) for _, v, _, y in kept)
    ((thirds,),) = session.answer("SELECT SUM(x * (1 - y / 300.0)) FROM t").rows
    assert thirds == float(sum(values) * grid.step)


def test_a_row_that_is_a_unit_has_the_whole_unit_total(tmp_path: Path) -> None:
    totals = {
        "x": "integer, lower: -40, upper: 90, nullable: true, unit_total: 11",
        "y": "integer, lower: 20, upper: 99, unit_total: 11",
    }
    values = [(i, "ab"[i % 2], None if i % 5 == 0 else i - 50, i, "") for i in range(110)]
    session = Table(COLUMNS | totals, values, every_row=True).open(tmp_path)
    xs = [(k, max(min(x, 11), -11)) for _, k, x, _, _ in values if x is not None]
    assert session.answer("SELECT SUM(x) FROM t").rows == ((sum(x for _, x in xs),),)
    by_group = {k: sum(x for g, x in xs if g == k) for k in ("a", "b")}
    answer = dict(session.answer("SELECT k, SUM(x) FROM t GROUP BY k").rows)  # type: ignore[arg-type]
    assert {k: answer[k] for k in by_group} == by_group
    assert session.answer("SELECT SUM(y) FROM t").rows == ((11 * len(values),),)


def counted(k: int, factor: float, grid: Grid) -> int:
    """What a row counts with in a multiple of a column: the nearest integer, but no more than its share."""
    (reach,) = grid.reach
    found = k * factor * float(1 / grid.step)
    nearest, most = int(abs(found) + 0.5), int(reach.share * abs(k))
    return min(nearest, most) * (1 if found > 0 else -1)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("seed", range(3))
def test_a_sum_of_multiples_of_two_columns_clips_each_of_them_to_its_own_total(
    tmp_path: Path, seed: int, listed: int | None
) -> None:
    totals = {
        "x": "integer, lower: -4, upper: 9, unit_total: 11",
        "y": "integer, lower: 0, upper: 99, unit_total: 130",
    }
    found = replace(table(seed + 30, None, None), columns=COLUMNS | totals)
    session = found.open(tmp_path)
    both = list(
        zip(clipped(found, session, most=listed), clipped(found, session, "y", 130, listed), strict=True)
    )
    assert any(a != x for (_, a, x, _), _ in both) and any(b != y for _, (_, b, _, y) in both)
    for argument, value in (
        ("3 * x - y", lambda a, b, y: 3 * a - b),
        ("x * y - y / 4.0 + x", lambda a, b, y: a * (y + 1) - b / 4),
    ):
        answer = dict(session.answer(f"SELECT k, SUM({argument}) FROM t GROUP BY k").rows)  # type: ignore[arg-type]
        for key in ("a", "b", "c", None):
            expected = sum(value(a, b, y) for (k, a, _, y), (_, b, _, _) in both if k == key)  # type: ignore[no-untyped-call]
            assert answer[key] == pytest.approx(expected, abs=len(both) * 2**-12)


@pytest.mark.one_in(8)
@pytest.mark.parametrize("caps", [(None, 3), (2, None), (5, 3)], ids=str)
def test_the_order_of_the_rows_of_a_source_changes_nothing(
    tmp_path: Path, caps: tuple[int | None, int | None]
) -> None:
    found = table(7, *caps)
    turned = replace(found, rows=list(reversed(found.rows)))
    one, other = found.open(tmp_path / "one"), turned.open(tmp_path / "other")
    for query in QUERIES:
        assert one.answer(query.sql).rows == other.answer(query.sql).rows


def test_one_thread_and_four_find_the_same_integers_on_rows_of_many_row_groups(tmp_path: Path) -> None:
    made = (
        "INSERT INTO t SELECT i % 40000 * (i % 3), ['a', 'b', 'c', NULL][1 + i % 4], i % 14 - 4, i % 100, "
        "(i % 9)::TEXT FROM range(200000) AS r(i)"
    )
    found = Table(COLUMNS, privacy="max_rows_per_unit: 4", table="max_rows_per_unit: 6", public=("", made))
    session = found.open(tmp_path)
    one, four = (engine_with(session.policy, f"SET threads = {n}") for n in (1, 4))
    for query in (QUERIES[2], QUERIES[3]):
        for engine_query in prepare(query.sql, None, session._state).queries[0]:
            assert by_key(one.run(engine_query)) == by_key(four.run(engine_query))
    one.close()
    four.close()
