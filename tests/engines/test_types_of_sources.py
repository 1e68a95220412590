"""Whatever a source's type can hold: no value of it makes a query fail, and none makes one unit of two."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

import duckdb
import pyarrow
import pytest
from answers.noiseless import Noiseless
from pyarrow import parquet

from dpsql.engines.sources.column_types import ACCEPTED
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.session import Session, build_session

POLICY = """version: 1
privacy: {{unit: t.u, max_rows_per_unit: 9}}
accountant: pure
tables:
  t: {{source: t.duckdb, unit_key: u, columns: {{u: {{type: {key}}}, x: {{type: {type}, nullable: true}}}}}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
INTEGERS = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}
MOMENTS = ("infinity", "-infinity", "290309-12-22 (BC)", "294247-01-10 04:00:54")
# The ends of each type, as texts that it is cast from.
ENDS = {
    **{t: (str(-(2**bits)), str(2**bits - 1)) for t, bits in INTEGERS.items()},
    **{f"U{t}": ("0", str(2 ** (bits + 1) - 1)) for t, bits in INTEGERS.items()},
    "FLOAT": ("nan", "inf", "-inf", "3.4e38", "-0.0"),
    "DOUBLE": ("nan", "inf", "-inf", "1.7e308", "-0.0"),
    "DECIMAL": ("9" * 15 + ".999", "-" + "9" * 15 + ".999"),
    "VARCHAR": ("", "x" * 100_000),
    "UUID": ("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"),
    "ENUM": ("a", ""),
    "BOOLEAN": ("true", "false"),
    "DATE": ("infinity", "-infinity", "5877642-06-25 (BC)", "5881580-07-10"),
    "TIMESTAMP": MOMENTS,
    "TIMESTAMP_S": MOMENTS,
    "TIMESTAMP_MS": MOMENTS,
    "TIMESTAMP_NS": ("infinity", "-infinity", "1677-09-22 00:12:44", "2262-04-11 23:47:16"),
    "TIMESTAMPTZ_NS": ("infinity", "-infinity", "1677-09-22 00:12:44+00", "2262-04-11 23:47:16+00"),
    "TIMESTAMP WITH TIME ZONE": (
        "infinity",
        "-infinity",
        "290309-12-22 (BC) 00:00:00+00",
        "2025-01-01 00:00:00+02",
    ),
}
WRITTEN = {"DECIMAL": "DECIMAL(18, 3)", "ENUM": "ENUM('a', '')"}
BEYOND = {
    ColumnType.FLOAT: ("DOUBLE", "nan", "inf", "-inf"),
    ColumnType.DATE: ("DATE", "infinity", "9999-12-31", "5881580-07-10", "-infinity", "0001-01-01"),
    ColumnType.TIMESTAMP: ("TIMESTAMP", "infinity", "290000-01-01", "-infinity", "290309-12-22 (BC)"),
}


def _answers(folder: Path, types: tuple[str, str], made: str, *queries: str) -> list[object]:
    """One value of each query, over the rows of a table that is made so."""
    with duckdb.connect(str(folder / "t.duckdb")) as source:
        source.execute(f"CREATE TABLE t AS {made}")
    (folder / "policy.yaml").write_text(POLICY.format(key=types[0], type=types[1]), encoding="utf-8")
    policy = load_policy(folder / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        return [session.answer(f"SELECT {q} FROM t").rows[0][0] for q in queries]


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("type_", "raw"), [(t, raw.upper()) for t in ColumnType for raw in sorted(ACCEPTED[t])]
)
def test_no_value_of_an_accepted_type_makes_a_query_fail(type_: ColumnType, raw: str, tmp_path: Path) -> None:
    ends = ", ".join(f"CAST('{v}' AS {WRITTEN.get(raw, raw)})" for v in ENDS[raw])
    rows = f"SELECT 1::BIGINT AS u, unnest([{ends}]) AS x"
    counted = ("COUNT(*)", "COUNT(*) FILTER (WHERE x = x OR x IS NULL)", "COUNT(*) FILTER (WHERE x IN (x))")
    every, equal, listed = _answers(tmp_path, ("integer", type_), rows, *counted)
    assert every == equal == len(ENDS[raw]) and isinstance(listed, int)


@pytest.mark.parametrize("type_", ColumnType, ids=str)
def test_a_parquet_file_without_any_value_of_a_column_is_read(type_: ColumnType, tmp_path: Path) -> None:
    """Its writer knew no type: one person's value, or its absence, must not decide whether anybody is served."""
    parquet.write_table(pyarrow.table({"u": [1, 2, 3], "x": pyarrow.nulls(3)}), tmp_path / "t.parquet")
    text = POLICY.format(key="integer", type=type_).replace("t.duckdb", "t.parquet")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    with closing(build_session(policy, "a", None, (None, None), Noiseless())) as session:
        assert session.answer("SELECT COUNT(*), COUNT(x) FROM t").rows == ((3, 0),)


@pytest.mark.parametrize("type_", BEYOND, ids=str)
def test_keys_that_are_clamped_to_one_value_are_not_one_unit(type_: ColumnType, tmp_path: Path) -> None:
    raw, *keys = BEYOND[type_]
    values = ", ".join(f"CAST('{v}' AS {raw})" for v in keys)
    rows = f"SELECT unnest([{values}]) AS u, 1::BIGINT AS x FROM range(5)"
    inside = sum(k in ("9999-12-31", "0001-01-01") for k in keys)
    assert _answers(tmp_path, (type_, "integer"), rows, "COUNT(*)", "COUNT(DISTINCT u)") == [
        5 * inside,
        inside,
    ]


def test_a_date_that_no_timestamp_can_be_is_no_key_either(tmp_path: Path) -> None:
    rows = "SELECT unnest([DATE '2025-01-01', DATE '20000-01-01', 'infinity'::DATE]) AS u, 1::BIGINT AS x"
    assert _answers(tmp_path, ("timestamp", "integer"), rows, "COUNT(*)") == [1]


UUIDS = ("00000000-0000-0000-0000-000000000000", "6ba7b810-9dad-11d1-80b4-00c04fd430c8")
COLOURS = ("red", "green")
OF_SOURCES = {
    "UUID in DuckDB": ("t.duckdb", "UUID", UUIDS),
    "ENUM in DuckDB": ("t.duckdb", "ENUM('red', 'green')", COLOURS),
    "UUID in Parquet": ("t.parquet", "UUID", UUIDS),
    "ENUM in Parquet": ("t.parquet", "ENUM('red', 'green')", COLOURS),
}
HOSTILE = (
    "no uuid", "", "RED", "red ", "\u00e9", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "6ba7b8109dad11d180b400c04fd430c8",
    "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "x" * 900,
)  # fmt: skip
# Conditions on x, which is NULL in one row of four, and of how many rows each is true; None: of all where {} is empty.
ASKED = {
    "x = {}": 0,
    "{} = x": 0,
    "x IN ({}, 'other')": 0,
    "x <> {}": 3,
    "x NOT IN ({}, 'other')": 3,
    "CASE WHEN u = 1 THEN {} ELSE x END = x": 2,
    "COALESCE(x, {}) = {}": 1,
    "NULLIF(x, {}) IS NULL": 1,
    "x LIKE {}": 0,
    "x || {} = x": None,
    "x < {} OR x >= {}": 3,
    "x BETWEEN {} AND {}": 0,
    "x IS DISTINCT FROM {}": 4,
}


@pytest.fixture(scope="module", name="typed")
def _typed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Session]:
    """A session over a table whose text column has another type in its source; two rows have each value, one NULL."""

    @cache
    def opened(source: str) -> Session:
        folder, (name, kind, values) = tmp_path_factory.mktemp("typed"), OF_SOURCES[source]
        listed = f"['{values[0]}', '{values[1]}', '{values[1]}', NULL]"
        rows = f"SELECT i + 1 AS u, CAST({listed}[i + 1] AS {kind}) AS x FROM range(4) r(i)"
        with duckdb.connect(str(folder / "t.duckdb")) as connection:
            connection.execute(f"CREATE TABLE t AS {rows}")
            if name == "t.parquet":
                connection.execute(f"COPY t TO '{folder / name}'")
        (folder / "policy.yaml").write_text(
            POLICY.format(key="integer", type="text").replace("t.duckdb", name), encoding="utf-8"
        )
        return build_session(load_policy(folder / "policy.yaml"), "a", None, (None, None), Noiseless())

    return opened


@pytest.mark.one_in(12)
@pytest.mark.parametrize("constant", HOSTILE, ids=lambda t: ascii(t[:20]))
@pytest.mark.parametrize("source", OF_SOURCES)
def test_a_constant_that_the_type_of_a_source_does_not_have_is_compared_as_text(
    source: str, constant: str, typed: Callable[[str], Session]
) -> None:
    session = typed(source)
    written = [condition.replace("{}", f"'{constant}'") for condition in ASKED]
    wanted = [3 * (constant == "") if true is None else true for true in ASKED.values()]
    for condition, true in zip(written, wanted, strict=True):
        assert session.answer(f"SELECT COUNT(*) FROM t WHERE {condition}").rows == ((true,),), condition
    filtered = ", ".join(f"COUNT(*) FILTER (WHERE {condition})" for condition in written)
    assert session.answer(f"SELECT {filtered} FROM t").rows == (tuple(wanted),)


BESIDE = """version: 1
privacy: {unit: t.u, max_rows_per_unit: 9}
accountant: pure
tables:
  t: {source: t.duckdb, unit_key: u, columns: {u: {type: integer}, x: {type: text, nullable: true}}}
  p: {source: SOURCE, public: true}
budgets: {dataset: {epsilon: 1000}, default: {epsilon: 1000, per_query: 1}}
"""
# p has each of two values once, as y; x has the first once, the second twice, and is NULL once.
JOINED = {
    "SELECT COUNT(*) FROM t JOIN p ON t.x = p.y WHERE p.y = {}": ((0,),),
    "SELECT COUNT(*) FROM t JOIN p ON t.x = p.y AND p.y <> {}": ((3,),),
    "SELECT COUNT(*) FROM t JOIN p ON t.x = p.y WHERE CASE WHEN t.u = 1 THEN {} ELSE t.x END = p.y": ((2,),),
    "SELECT COUNT(*) FROM t JOIN p ON t.x = p.y AND p.y IN ({}, 'other')": ((0,),),
    "SELECT CASE WHEN p.y = {} THEN 1 ELSE 0 END AS k, COUNT(*) FROM t JOIN p ON t.x = p.y GROUP BY k": (
        (0, 3),
    ),
    "SELECT COUNT(*) FROM t JOIN p ON t.x = p.y GROUP BY p.y ORDER BY 1": ((1,), (2,)),
}


@pytest.fixture(scope="module", name="beside")
def _beside(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Session]:
    """A session over such a table and a public one, whose column is of the same type and is not listed."""

    @cache
    def opened(source: str) -> Session:
        folder, (name, kind, values) = tmp_path_factory.mktemp("beside"), OF_SOURCES[source]
        with duckdb.connect(str(folder / "t.duckdb")) as connection:
            listed = f"['{values[0]}', '{values[1]}', '{values[1]}', NULL]"
            connection.execute(
                f"CREATE TABLE t AS SELECT i + 1 AS u, {listed}[i + 1] AS x FROM range(4) r(i)"
            )
            connection.execute(
                f"CREATE TABLE p AS SELECT unnest(['{values[0]}', '{values[1]}'])::{kind} AS y"
            )
            connection.execute(f"COPY p TO '{folder / 'p.parquet'}'")
        path = folder / "policy.yaml"
        path.write_text(BESIDE.replace("SOURCE", name.replace("t.parquet", "p.parquet")), encoding="utf-8")
        return build_session(load_policy(path), "a", None, (None, None), Noiseless())

    return opened


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("source", "query"),
    [pytest.param(s, q, id=f"{s}-{i}") for s in OF_SOURCES for i, q in enumerate(JOINED)],
)
def test_an_unlisted_public_column_is_text_beside_private_text(
    source: str, query: str, beside: Callable[[str], Session]
) -> None:
    for constant in ("no uuid", "", "RED", "{6ba7b810-9dad-11d1-80b4-00c04fd430c8}"):
        assert beside(source).answer(query.replace("{}", f"'{constant}'")).rows == JOINED[query]


def test_a_damaged_page_is_found_before_a_query_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    texts = [f"text {i * 7919 % 1000}" for i in range(1000)]
    table = pyarrow.table({"u": list(range(1000)), "x": texts})
    parquet.write_table(table, path, use_dictionary=False)
    column = parquet.ParquetFile(path).metadata.row_group(0).column(1)
    middle = column.data_page_offset + column.total_compressed_size // 2
    data = bytearray(path.read_bytes())
    data[middle : middle + 40] = bytes(40)
    path.write_bytes(data)
    policy = tmp_path / "policy.yaml"
    policy.write_text(
        POLICY.format(key="integer", type="text").replace("t.duckdb", "t.parquet"), encoding="utf-8"
    )
    with pytest.raises(PolicyError, match="the data does not satisfy the policy"):
        build_session(load_policy(policy), "a", None, (None, None), Noiseless())
