"""Long answers are held as columns and are, value by value, the rows that DuckDB gives."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsql.engines import public_engine
from dpsql.engines.base import FinishStopped, ReleasedTable
from dpsql.engines.codecs.codec import Malformed, Most, Reply, TooLarge, decode, encode
from dpsql.engines.column_rows import ColumnRows, NumberColumn, NumberKind, TextColumn
from dpsql.engines.fetched_columns import FEW, Fetched, fetched
from dpsql.engines.public_engine import FinishEngine
from dpsql.policy.load import load_policy

POLICY = """
version: 1
privacy: {unit: visits.person, max_rows_per_unit: 1}
tables:
  visits: {source: long.duckdb, unit_key: person, columns: {person: {type: integer}}}
  items: {source: long.duckdb, public: true}
  few: {source: long.duckdb, public: true}
budgets:
  dataset: {epsilon: 1, delta: 1e-6}
  default: {epsilon: 1, delta: 1e-6, per_query: {epsilon: 1, delta: 1e-6}}
"""
ROWS = 3 * FEW
ITEMS = f"""
CREATE TABLE items AS SELECT
  r AS id, CAST(r % 2 = 0 AS BOOLEAN) AS even, CAST(r % 100 AS TINYINT) AS tiny, CAST(-r AS SMALLINT) AS small,
  CAST(r AS INTEGER) AS middle, CAST(r AS UINTEGER) AS unsigned, CAST(r / 7 AS FLOAT) AS single, r / 7 AS price,
  CASE WHEN r % 3 = 0 THEN 'nan'::DOUBLE WHEN r % 3 = 1 THEN NULL ELSE -'infinity'::DOUBLE END AS odd,
  'name ' || r AS label, CASE WHEN r % 5 > 0 THEN chr(CAST(8364 + r AS INTEGER)) END AS sign,
  DATE '0001-01-01' + CAST(r AS INTEGER) AS day, CASE WHEN r % 2 = 1 THEN DATE '9999-12-31' END AS last,
  TIMESTAMP '1969-12-31 23:59:59.999' + to_microseconds(r) AS moment,
  CASE WHEN r = {ROWS - 1} THEN DATE 'infinity' ELSE DATE '2000-01-01' END AS endless,
  CASE WHEN r = {ROWS - 1} THEN TIMESTAMP '20000-01-01' ELSE TIMESTAMP '2000-01-01' END AS late,
  CASE WHEN r = {ROWS - 1} THEN 'a' || chr(0) || 'b' ELSE 'a' END AS zero
FROM range({ROWS}) AS t(r)
"""
HELD = "id, even, tiny, small, middle, unsigned, single, price, odd, label, sign, day, last, moment"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("long")
    with duckdb.connect(str(folder / "long.duckdb")) as made:
        made.execute(ITEMS)
        made.execute("CREATE TABLE visits AS SELECT 1 AS person")
        made.execute("CREATE TABLE few AS SELECT 1 AS a")
    (folder / "long.yaml").write_text(POLICY, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def engine(data: Path) -> Iterator[FinishEngine]:
    opened = FinishEngine.open(load_policy(data / "long.yaml"))
    yield opened
    opened.close()


def plain(data: Path, sql: str) -> list[tuple[object, ...]]:
    """The rows that DuckDB gives."""
    with duckdb.connect(str(data / "long.duckdb"), read_only=True) as opened:
        return opened.execute(sql).fetchall()


def test_every_value_is_the_one_that_rows_have(data: Path, engine: FinishEngine) -> None:
    sql = f"SELECT {HELD} FROM items"
    found = engine.finish(sql, ())
    assert isinstance(found, ColumnRows)
    assert repr(found) == repr(tuple(plain(data, sql)))  # types as well, and nan
    through = _through(found)
    assert isinstance(through, ColumnRows) and repr(through) == repr(found)


@pytest.mark.parametrize("column", ["id::HUGEINT", "id::DECIMAL(9, 2)", "[id]", "endless", "late", "zero"])
def test_what_columns_do_not_hold_comes_as_rows(column: str, data: Path, engine: FinishEngine) -> None:
    sql = f"SELECT id, {column} FROM items"
    found = engine.finish(sql, ())
    assert isinstance(found, tuple) and found == tuple(plain(data, sql))


def test_rows_come_in_their_order(data: Path, engine: FinishEngine) -> None:
    for sql in (
        "SELECT id FROM items ORDER BY label DESC",
        "SELECT label, id AS label FROM items ORDER BY id % 10, id LIMIT 2500",
        "SELECT a.id, b.a FROM items AS a, few AS b ORDER BY a.small",
        "SELECT id FROM items ORDER BY label LIMIT 1500 OFFSET 7",
    ):
        found = engine.finish(sql, ())
        assert isinstance(found, ColumnRows) and found == tuple(plain(data, sql)), sql


def test_few_rows_stay_rows(engine: FinishEngine) -> None:
    for count in (0, 1, FEW - 1):
        found = engine.finish(f"SELECT id FROM items ORDER BY id LIMIT {count}", ())
        assert isinstance(found, tuple) and found == tuple((i,) for i in range(count))
    found = engine.finish(f"SELECT id FROM items ORDER BY id LIMIT {FEW}", ())
    assert isinstance(found, ColumnRows) and found == tuple((i,) for i in range(FEW))


def test_a_long_released_table_gives_columns(engine: FinishEngine) -> None:
    table = ReleasedTable("r0", (("k0", "BIGINT"), ("a0", "DOUBLE")), [(i, i / 3) for i in range(FEW)])
    found = engine.finish("SELECT k0, a0 FROM released.r0", [table])
    assert isinstance(found, ColumnRows) and found == tuple((i, i / 3) for i in range(FEW))


def test_no_more_rows_are_read_than_an_answer_may_have(
    engine: FinishEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []

    def counted(result: duckdb.DuckDBPyConnection, most: int) -> Fetched:
        found = fetched(result, most)
        read.append(len(found.rows or ()))
        return found

    monkeypatch.setattr(public_engine, "MOST_ROWS", 2 * FEW)
    monkeypatch.setattr(public_engine, "fetched", counted)
    assert len(engine.finish(f"SELECT id FROM items LIMIT {2 * FEW}", ())) == 2 * FEW
    with pytest.raises(FinishStopped):
        engine.finish("SELECT a.id FROM items AS a, items AS b", ())
    assert read == [2 * FEW, 2 * FEW + 1]


COLUMNS = st.integers(1, 30).flatmap(
    lambda count: st.tuples(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=count, max_size=count),
        st.lists(st.floats(allow_nan=False), min_size=count, max_size=count),
        st.lists(
            st.text(st.characters(exclude_characters="\0", codec="utf-8")), min_size=count, max_size=count
        ),
        st.lists(st.booleans(), min_size=count, max_size=count),
    )
)


def _rows(numbers: list[int], doubles: list[float], texts: list[str], nulls: list[bool]) -> ColumnRows:
    marks, data = np.array(nulls), "".join(f"{t}\0" for t in texts).encode()
    return ColumnRows(
        (
            NumberColumn(NumberKind.INTEGER, np.array(numbers)),
            NumberColumn(NumberKind.DOUBLE, np.array(doubles), marks),
            TextColumn(data, 0, np.flatnonzero(np.frombuffer(data, np.uint8) == 0)),
        )
    )


def _through(rows: ColumnRows) -> object:
    coded = encode(Reply("ok", rows=rows))
    text = int.from_bytes(coded[:8], "little")
    return decode(coded[16 : 16 + text], coded[16 + text :]).rows


@given(COLUMNS, st.data())
@settings(max_examples=30)
def test_columns_behave_as_a_tuple_of_rows(
    columns: tuple[list[int], list[float], list[str], list[bool]], draw: st.DataObject
) -> None:
    rows = _rows(*columns)
    nulls = columns[3]
    same = tuple((n, None if null else d, t) for n, d, t, null in zip(*columns[:3], nulls, strict=True))
    assert rows == same and same == rows and hash(rows) == hash(same) and repr(rows) == repr(same)
    assert rows != same[:-1] and rows != list(same)
    start, stop = draw.draw(st.integers(-40, 40)), draw.draw(st.integers(-40, 40))
    assert tuple(rows[start:stop]) == same[start:stop] and tuple(rows[start:stop:3]) == same[start:stop:3]
    assert rows[-1] == same[-1] and rows[0] == same[0]
    assert tuple(rows[1:][1:]) == same[2:]
    with pytest.raises(IndexError):
        rows[len(same)]
    assert pickle.loads(pickle.dumps(rows)) == same
    assert _through(rows) == same and _through(rows.part(len(same) // 2, len(same))) == same[len(same) // 2 :]


DAYS = NumberColumn(NumberKind.DAYS, np.array([0, 2_932_896]), np.array([True, False]))
TEXTS = TextColumn(b"a\0\xc3\xa4\0", 0, np.array([1, 4]))


def test_columns_that_a_child_makes_up_are_refused() -> None:
    good = b'["ok",null,[2,"columns",[["days",16,true],["texts",5,false]]],null]'
    raw = bytes(8) + (2_932_896).to_bytes(8, "little") + b"\x80" + b"a\0\xc3\xa4\0"
    assert decode(good, raw).rows == ((None, "a"), (date.max, "ä")) == ColumnRows((DAYS, TEXTS))
    late = bytes(8) + (2_932_897).to_bytes(8, "little") + raw[16:]
    wrong = [
        *(
            (good, late),
            (good, raw[:-1]),
            (good, raw + b"\0"),
            (good, raw[:-5] + b"a\0\xc3\0\0"),
            (good, b""),
        ),
        *((good, raw[:-5] + b"aaaa\0"), (good, raw[:-5] + b"a\0b\0c"), (good, raw[:17] + bytes(5))),
        *(
            (good.replace(b"[2", head), raw)
            for head in (b"[3", b"[1", b"[-2", b"[2.0", b'["2"', b"[null", b"[9e99")
        ),
        *((good.replace(b"16", size), raw) for size in (b"15", b"24", b"-16", b"16.0", b'"16"', b"1e99")),
        *((good.replace(b"5,", size), raw) for size in (b"4,", b"6,", b"-5,", b"null,")),
        *((good.replace(b'"days"', kind), raw) for kind in (b'"weeks"', b'"texts"', b"1", b"[]", b"null")),
        (good.replace(b'"columns"', b'"rows"'), raw),
        (b'["ok",null,[2,"columns",[]],null]', b""),
        (b'["ok",null,[2,"columns",7],null]', b""),
        (b'["ok",null,[1,"columns",[["integer",8]]],null]', bytes(8)),
    ]
    for text, data in wrong:
        with pytest.raises(Malformed):
            decode(text, data)


def test_texts_of_columns_have_a_greatest_size_on_either_side() -> None:
    rows = ColumnRows((TextColumn(b"x" * 1000 + b"\0", 0, np.array([1000])),))
    with pytest.raises(TooLarge):
        encode(Reply("ok", rows=rows), Most(text=1000))
    text = b'["ok",null,[1,"columns",[["texts",1001,false]]],null]'
    assert decode(text, b"x" * 1000 + b"\0", Most(text=1001)).rows == rows
    with pytest.raises(Malformed):
        decode(text, b"x" * 1000 + b"\0", Most(text=1000))
    numbers = ColumnRows((NumberColumn(NumberKind.DOUBLE, np.full(11, math.pi)),))
    with pytest.raises(TooLarge):
        encode(Reply("ok", rows=numbers), Most(integers=10))
