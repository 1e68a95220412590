"""What a Parquet file says of its values decides about no row: every condition counts as if it said nothing."""

from __future__ import annotations

import math
from pathlib import Path

import numpy
import pyarrow
import pytest
from pyarrow import parquet

from dpsql.audit.exact import by_key
from dpsql.audit.sensitivity import opened
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.stages.prepare import prepare

NAN, INFINITE = math.nan, math.inf
VALUES = {
    "with a number that is none": [1.0, 2.0, NAN],
    "of one number and none": [1.0, NAN],
    "with infinity": [1.0, INFINITE, NAN],
    "with infinity below": [-INFINITE, NAN],
    "of zeros": [-0.0, NAN, 0.0],
    "with negative nothing": [1.0, -NAN, None],
}
CONDITIONS = (
    "{x} > 400",
    "{x} >= 100",
    "NOT ({x} <= 400)",
    "{x} <> 1",
    "{x} = 1",
    "{x} = 0",
    "{x} BETWEEN 0.5 AND 5",
    "{x} IN (1, 3)",
    "{x} > 1 AND {x} < 700",
    "{x} + 1 > 400",
    "ABS({x}) > 400",
    "COALESCE({x}, 0) > 400",
    "{x} > 400 OR {x} IS NULL",
)
WRITTEN = {
    "whole": {},
    "parts": {"row_group_size": 16},
    "pages": {"write_page_index": True, "data_page_size": 64, "use_dictionary": False},
}
POLICY = """version: 1
privacy: {unit: t.u, max_rows_per_unit: 9, max_groups_per_unit: 9}
tables:
  t:
    source: t.parquet
    unit_key: u
    columns:
      u: {type: integer}
      COLUMNS
budgets: {dataset: {epsilon: 9, delta: 0.001}, default: {epsilon: 9, delta: 0.0001}}
"""
FLOATS = "x: {type: float, lower: 0, upper: 500, nullable: true}, y: {type: float, nullable: true}"


def policy_of(folder: Path, columns: str) -> Path:
    (folder / "policy.yaml").write_text(
        POLICY.replace("COLUMNS", columns.replace(", y:", "\n      y:")), "utf-8"
    )
    return folder / "policy.yaml"


def counts(folder: Path, values: list[float | None], statistics: bool, **written: object) -> dict[str, int]:
    folder.mkdir()
    columns = {"u": range(len(values)), "x": values, "y": values}
    kinds = {"u": pyarrow.int32(), "x": pyarrow.float64(), "y": pyarrow.float32()}
    table = pyarrow.table({name: pyarrow.array(column, kinds[name]) for name, column in columns.items()})
    parquet.write_table(table, folder / "t.parquet", write_statistics=statistics, **written)
    found = {}
    with opened(load_policy(policy_of(folder, FLOATS))) as state:
        for name in "xy":
            for condition in (c.format(x=name) for c in CONDITIONS):
                ((query,),) = prepare(f"SELECT COUNT(*) FROM t WHERE {condition}", None, state).queries
                ((found[condition],),) = by_key(state.engine.run(query)).values()
    return found


@pytest.mark.one_in(6)
@pytest.mark.parametrize("values", VALUES)
@pytest.mark.parametrize("written", WRITTEN)
def test_statistics_change_no_count_and_a_row_counts_for_itself(
    values: str, written: str, tmp_path: Path
) -> None:
    every = VALUES[values] * 20
    told = counts(tmp_path / "told", every, True, **WRITTEN[written])
    assert told == counts(tmp_path / "untold", every, False)
    for number in (450.0, NAN):
        more = counts(tmp_path / f"with {number}", [*every, number], True, **WRITTEN[written])
        assert all(0 <= more[condition] - told[condition] <= 1 for condition in told)


def former_statistics(text: str, least: str, most: str) -> bytes:
    """A file whose statistics of a column are written in the form that Parquet gave up: as signed bytes have them."""
    written = pyarrow.BufferOutputStream()
    table = pyarrow.table({"u": numpy.arange(4, dtype="int32"), "s": list(text)})
    parquet.write_table(table, written, use_dictionary=False, compression="none", write_page_index=False)
    whole = written.getvalue().to_pybytes()
    # Fields of a struct in Thrift's compact protocol: max_value, min_value and that these are exact; max and min.
    low, high = least.encode(), most.encode()
    now = (
        b"\x36\x00"
        + b"\x28"
        + bytes([len(high)])
        + high
        + b"\x18"
        + bytes([len(low)])
        + low
        + b"\x11\x11\x00"
    )
    then = b"\x18" + bytes([len(low)]) + low + b"\x18" + bytes([len(high)]) + high + b"\x16\x00\x41\x11\x00"
    before, found, after = whole.rpartition(now)
    assert found and len(now) == len(then)
    return before + then + after


def test_former_statistics_of_texts_are_refused(tmp_path: Path) -> None:
    """They say that é is below a: a condition would be asked of what others' texts make of that."""
    (tmp_path / "t.parquet").write_bytes(former_statistics("abéé", "a", "é"))
    text = policy_of(tmp_path, "s: {type: text, nullable: true}")
    refused = pytest.raises(PolicyError, match=r"t\.parquet has statistics of s that were written in a form")
    with refused, opened(load_policy(text)):
        pass
    with opened(load_policy(_without_s(tmp_path))) as state:
        ((query,),) = prepare("SELECT COUNT(*) FROM t", None, state).queries
        assert list(by_key(state.engine.run(query)).values()) == [(4,)]


def _without_s(folder: Path) -> Path:
    text = (folder / "policy.yaml").read_text("utf-8")
    (folder / "other.yaml").write_text(
        "".join(line for line in text.splitlines(True) if " s: " not in line), "utf-8"
    )
    return folder / "other.yaml"


def not_all_utf8(folder: Path, texts: list[bytes], keys: list[bytes]) -> dict[str, list[object]]:
    """What a table of such texts and keys gives."""
    folder.mkdir()
    columns = {
        name: pyarrow.array(values, pyarrow.binary()).view(pyarrow.string())
        for name, values in {"s": texts, "u": keys}.items()
    }
    parquet.write_table(pyarrow.table(columns), folder / "t.parquet")
    text = POLICY.replace("u: {type: integer}", "u: {type: text}").replace(
        "COLUMNS", "s: {type: text, nullable: true}"
    )
    (folder / "policy.yaml").write_text(text, "utf-8")
    with opened(load_policy(folder / "policy.yaml")) as state:
        return {
            sql: sorted(by_key(state.engine.run(query)).values())  # type: ignore[type-var]
            for sql in (
                "SELECT COUNT(*) FROM t",
                "SELECT COUNT(*) FROM t WHERE s = 'a'",
                "SELECT COUNT(*) FROM t WHERE LENGTH(s) < 9",
                "SELECT COUNT(DISTINCT u) FROM t",
            )
            for query in prepare(sql, None, state).queries[0]
        }


def test_a_text_that_is_no_utf8_fails_nobody_and_is_nobody_s_key(tmp_path: Path) -> None:
    """Read with ? for each byte that no text can have, two keys would be one, and one more row two people's."""
    found = not_all_utf8(tmp_path / "texts", [b"a", b"\xff\xfe", b"a"], [b"k", b"l", b"m"])
    assert list(found.values()) == [[(3,)], [(2,)], [(3,)], [(3,)]]
    found = not_all_utf8(tmp_path / "keys", [b"a", b"a", b"b", b"a"], [b"k", b"\xff", b"\xfe", b"what?"])
    assert list(found.values()) == [[(1,)], [(1,)], [(1,)], [(1,)]]


OF_MOMENTS = (
    "SELECT COUNT(m) FROM t",
    "SELECT COUNT(*) FROM t WHERE m > TIMESTAMP '2010-01-01'",
    "SELECT SUM(YEAR(m)) FROM t",
)


def found_in_moments(
    folder: Path, values: list[int | None], unit: str, *, twelve_bytes: bool
) -> list[object]:
    folder.mkdir()
    kept = pyarrow.array(values, pyarrow.int64()).view(pyarrow.timestamp(unit))
    table = pyarrow.table({"u": pyarrow.array(range(len(values)), pyarrow.int64()), "m": kept})
    parquet.write_table(table, folder / "t.parquet", use_deprecated_int96_timestamps=twelve_bytes)
    columns = "m: {type: timestamp, nullable: true, lower: 2000-01-01 00:00:00, upper: 9999-12-31 23:59:59}"
    (folder / "policy.yaml").write_text(POLICY.replace("COLUMNS", columns), "utf-8")
    with opened(load_policy(folder / "policy.yaml")) as state:
        queries = [prepare(sql, None, state).queries[0][0] for sql in OF_MOMENTS]
        return [value for q in queries for (value,) in by_key(state.engine.run(q)).values()]


@pytest.mark.parametrize("twelve_bytes", [True, False])
def test_a_moment_too_far_for_duckdb_fails_nobody(tmp_path: Path, twelve_bytes: bool) -> None:
    """It is the nearest end of time; of twelve bytes, so is one that nanoseconds cannot count to."""
    near = [0, 1_700_000_000_123_456, None, 253_402_214_400_000_000, -62_135_596_800_000_000]
    told = found_in_moments(tmp_path / "near", near, "us", twelve_bytes=twelve_bytes)
    assert told == [4, 2, 2000 + 2023 + 9999 + 2000]
    told = found_in_moments(tmp_path / "far", [*near, -(2**63)], "us", twelve_bytes=twelve_bytes)
    later, year = (3, 9999) if twelve_bytes else (2, 2000)
    assert told == [5, later, 2000 + 2023 + 9999 + 2000 + year]


def test_moments_in_milliseconds_are_refused(tmp_path: Path) -> None:
    """DuckDB reads no file that has one beyond its own, so that one person's would end all queries."""
    with pytest.raises(PolicyError, match=r"t\.parquet has m in milliseconds"):
        found_in_moments(tmp_path / "file", [0], "ms", twelve_bytes=False)
