"""Fields of JSON are total: whatever text a row holds, a field has a value of its type or none, by that row alone."""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.generated.source_files import engine_with
from dpsql.engines.sources.json_text import LONGEST
from dpsql.engines.sources.unread_values import unread_json
from dpsql.engines.sources.views import typed_tables
from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy
from dpsql.policy.model import Policy

FIELDS = {
    "f": "float, lower: -5, upper: 5",
    "i": "integer",
    "t": "text",
    "l": "text, values: [a, b]",
    "b": "boolean",
    "d": "date",
    "m": "timestamp",
    "o.p": "integer",
}
POLICY = """version: 1
privacy: {{unit: t.u, max_rows_per_unit: 9}}
tables:
  t: {{source: t.{suffix}, columns: {{u: {{type: integer}}, x: {{type: json, fields: {{{fields}}}}}}}}}
budgets: {{dataset: {{epsilon: 1000}}, default: {{epsilon: 1000, per_query: 1}}}}
"""
BROKEN = (
    "", " ", "{", '{"f":1', '{"f":1}x', "null", "[]", "5", '"f"', "nul", "{'f':1}", "{f:1}", "// c\n{}", '{"f":01}',
    '{"f":+1}', '{"f":.5}', '{"f":5.}', '{"f":0x10}', '{"t":"\\ud800"}', '{"t":"\\q"}', '{"t":"\x01"}', '\ufeff{"f":1}',
    "[" * 50_000 + "]" * 50_000, '{"f":' * 20_000 + "1" + "}" * 20_000, "[" * 100_000, '{"t": "a\tb"}', '{"t": "a',
)  # fmt: skip
# Field, the value as JSON has it, and what it is in the field's type.
VALUES = (
    ("f", "1", 1.0), ("f", "-0", 0.0), ("f", "-1.5e-3", -0.0015), ("f", "1e400", float("inf")), ("f", "1E5", 1e5),
    ("f", "12345678901234567890123", 1.2345678901234568e22), ("f", "NaN", None), ("f", "Infinity", None),
    ("f", "-inf", None), ("f", '"1"', None), ("f", "true", None), ("f", "null", None), ("f", "[1]", None),
    ("f", "{}", None),
    ("i", "7", 7), ("i", "7.0", 7), ("i", "7.5", None), ("i", "1e2", 100), ("i", "9223372036854775807", 2**63 - 1),
    ("i", "9223372036854775808", None), ("i", "-9223372036854775808", -(2**63)), ("i", "1e400", None),
    ("i", '"7"', None),
    ("t", '"a"', "a"), ("t", '""', ""), ("t", '"\\u0041\\n\\""', 'A\n"'), ("t", '"\\ud83d\\ude00"', "\U0001f600"),
    ("t", '"null"', "null"), ("t", "5", None), ("t", "true", None), ("t", '["a"]', None), ("t", '{"a": "b"}', None),
    ("l", '"a"', "a"), ("l", '"A"', "A"), ("b", "true", True), ("b", "false", False), ("b", '"true"', None),
    ("b", "1", None),
    ("d", '"2025-02-28"', date(2025, 2, 28)), ("d", '" 2025-02-28 "', date(2025, 2, 28)), ("d", '"2025-02-30"', None),
    ("d", '"28.02.2025"', None), ("d", "20250228", None), ("d", '"infinity"', None),
    ("m", '"2025-02-28"', "2025-02-28 00:00:00"),
    ("m", '"2025-02-28T10:30:00Z"', "2025-02-28 10:30:00"), ("m", '"2025-02-28 25:00:00"', None),
    ("m", "1740000000", None),
)  # fmt: skip


def policy_over(
    folder: Path, rows: list[str | None], kind: str = "VARCHAR", suffix: str = "duckdb"
) -> Policy:
    """A policy over a table of these texts, in their order."""
    fields = ", ".join(f"{name}: {{type: {written}}}" for name, written in FIELDS.items())
    (folder / "p.yaml").write_text(POLICY.format(fields=fields, suffix=suffix), encoding="utf-8")
    made = (
        f"CREATE TABLE t AS SELECT i AS u, CAST(v AS {kind}) AS x FROM (SELECT unnest($1::VARCHAR[]) AS v, "
    )
    with duckdb.connect(str(folder / "t.duckdb") if suffix == "duckdb" else ":memory:") as source:
        source.execute(made + "unnest(range($2::INTEGER)) AS i)", [rows, len(rows)])
        if suffix != "duckdb":
            source.execute(f"COPY t TO '{folder}/t.{suffix}'")
    return load_policy(folder / "p.yaml")


def columns(policy: Policy, *settings: str) -> dict[str, list[object]]:
    """The values of each field in the private engine, row by row."""
    names = [c.name for c in policy.tables[0].columns if c.field is not None]
    listed = ", ".join(f'"{name}"' for name in names)
    with closing(engine_with(policy, *settings)) as engine:
        rows = engine._connection.execute(f'SELECT {listed} FROM src.t ORDER BY "u"').fetchall()
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


@pytest.mark.parametrize("suffix", ["duckdb", "parquet"])
def test_a_value_is_read_as_its_type_says(tmp_path: Path, suffix: str) -> None:
    texts: list[str | None] = [
        json.dumps({"x": 0})[:-1] + f', "{name}": {value}}}' for name, value, _ in VALUES
    ]
    read = columns(policy_over(tmp_path, texts, suffix=suffix))
    for row, (name, value, wanted) in enumerate(VALUES):
        found = read[f"x->>'{name}'"][row]
        assert (str(found) if name == "m" and found is not None else found) == wanted, (name, value)
        assert [
            v for n, v in read.items() if n != f"x->>'{name}'" for v in v[row : row + 1] if v is not None
        ] == []


@pytest.mark.parametrize("kind", ["VARCHAR", "JSON"])
def test_an_object_with_a_name_twice_and_a_field_of_an_object(tmp_path: Path, kind: str) -> None:
    texts: list[str | None] = [
        '{"i": 1, "i": 2}',
        '{"o": {"p": 3}}',
        '{"o": [{"p": 3}]}',
        '{"o.p": 4}',
        '{"I": 5}',
        None,
    ]
    read = columns(policy_over(tmp_path, texts, kind))
    assert read["x->>'i'"] == [1, None, None, None, None, None]
    assert read["x->'o'->>'p'"] == [None, 3, None, None, None, None]


def test_text_that_is_no_json_has_no_field(tmp_path: Path) -> None:
    long = '{"f": 1, "t": "' + "x" * LONGEST + '"}'
    texts = [*BROKEN, long, None]
    assert all(set(values) == {None} for values in columns(policy_over(tmp_path, [*texts])).values())


def broken_texts(draw: random.Random) -> Iterator[str]:
    """JSON with some of its characters left out, doubled, exchanged or made up."""
    for _ in range(120):
        whole = {
            n: draw.choice([1, -2.5, "a", "2025-01-01", True, None, [1], {"p": 7}, 1e300])
            for n in ("f", "i", "o", "t", "b")
        }
        text = list(json.dumps(whole))
        for _ in range(draw.choice((0, 1, 1, 2, 5))):
            at = draw.randrange(len(text))
            text[at : at + draw.choice((0, 1, 1, 3))] = draw.choice(
                ("", "{", "}", '"', "\\", "0", "-", "e", "é", "\x7f", "[", ",")
            )
        yield "".join(text)


@pytest.mark.one_in(18)
@pytest.mark.parametrize("seed", range(3))
def test_no_text_makes_a_field_fail_or_changes_that_of_another_row(tmp_path: Path, seed: int) -> None:
    """With and without the optimiser, alone and among others, and whatever is asked of the field."""
    draw = random.Random(seed)
    texts: list[str | None] = [*broken_texts(draw), *BROKEN, None]
    draw.shuffle(texts)
    whole = policy_over(tmp_path, texts)
    read = columns(whole)
    assert read == columns(whole, "PRAGMA disable_optimizer")
    asked = [
        f'count_if("{n}" = {v}) + count_if("{n}" IN ({v}, {v})) + count_if(NOT "{n}" < {v}) + count(DISTINCT "{n}")'
        for n, v in zip(
            read,
            ("1", "7", "'a'", "'a'", "true", "DATE '2025-01-01'", "TIMESTAMP '2025-01-01'", "7"),
            strict=True,
        )
    ]
    conditions = [f'"{n}" IS NOT NULL' for n in read]
    for settings in ((), ("PRAGMA disable_optimizer",)):
        with closing(engine_with(whole, *settings)) as engine:
            for one, where in itertools.product(asked, conditions):
                engine._connection.execute(f"SELECT {one} FROM src.t WHERE {where}").fetchall()
    half = texts[::2]
    (tmp_path / "half").mkdir()
    assert columns(policy_over(tmp_path / "half", half)) == {n: values[::2] for n, values in read.items()}


def test_a_source_without_the_text_or_of_another_type_is_said_so(tmp_path: Path) -> None:
    policy = policy_over(tmp_path, ["{}"])
    for made, message in (
        ("SELECT 1 AS u, 5 AS x", "the source has INTEGER, which is no JSON text"),
        ("SELECT 1 AS u, {'f': 1} AS x", "the source has STRUCT"),
        ("SELECT 1 AS u, 'a' AS y", "the source has no column x"),
    ):
        with duckdb.connect(str(tmp_path / "t.duckdb")) as source:
            source.execute(f"CREATE OR REPLACE TABLE t AS {made}")
        with duckdb.connect() as connection, pytest.raises(PolicyError, match=re.escape(message)) as caught:
            typed_tables(connection, policy, policy.tables)
        assert {p.path for p in caught.value.problems} == {f"tables.t.columns.x.fields.{n}" for n in FIELDS}


def test_the_admin_hears_of_what_is_not_read(tmp_path: Path) -> None:
    texts: list[str | None] = [
        '{"f": "1", "i": null}',
        '{"f": 1, "i": 1.5}',
        "{",
        "",
        None,
        '{"o": {"p": "x"}}',
    ]
    assert unread_json(policy_over(tmp_path, texts)) == (
        "tables.t.columns.x: 2 texts are no JSON, so that no field of them is read",
        "tables.t.columns.x.fields.f: 1 value is not of its type and read as NULL",
        "tables.t.columns.x.fields.i: 1 value is not of its type and read as NULL",
        "tables.t.columns.x.fields.o.p: 1 value is not of its type and read as NULL",
    )
