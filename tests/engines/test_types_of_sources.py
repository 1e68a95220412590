"""Whatever a source's type can hold: no value of it makes a query fail, and none makes one unit of two."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet
import pytest
from answers.noiseless import Noiseless

from dpsql.engines.source_types import ACCEPTED
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import ColumnType
from dpsql.session import build_session

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


@pytest.mark.parametrize(
    ("type_", "raw"), [(t, raw.upper()) for t in ColumnType for raw in sorted(ACCEPTED[t])]
)
def test_no_value_of_an_accepted_type_makes_a_query_fail(type_: ColumnType, raw: str, tmp_path: Path) -> None:
    ends = ", ".join(f"CAST('{v}' AS {WRITTEN.get(raw, raw)})" for v in ENDS[raw])
    rows = f"SELECT 1::BIGINT AS u, unnest([{ends}]) AS x"
    counted = ("COUNT(*)", "COUNT(*) FILTER (WHERE x = x OR x IS NULL)", "COUNT(*) FILTER (WHERE x IN (x))")
    every, equal, listed = _answers(tmp_path, ("integer", type_), rows, *counted)
    assert every == equal == len(ENDS[raw]) and isinstance(listed, int)


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


def test_text_that_cannot_be_decoded_is_found_before_a_query_reads_it(tmp_path: Path) -> None:
    raw = pyarrow.array([b"a", b"\xff\xfe", None], type=pyarrow.binary())
    validity, ends, values = raw.buffers()
    text = pyarrow.StringArray.from_buffers(3, ends, values, validity)
    pyarrow.parquet.write_table(pyarrow.table({"u": [1, 2, 3], "x": text}), tmp_path / "t.parquet")
    written = POLICY.format(key="integer", type="text").replace("t.duckdb", "t.parquet")
    (tmp_path / "policy.yaml").write_text(written, encoding="utf-8")
    with pytest.raises(PolicyError, match="the data does not satisfy the policy"):
        build_session(load_policy(tmp_path / "policy.yaml"), "a", None, (None, None), Noiseless())
