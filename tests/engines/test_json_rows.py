"""JSON files: an object is read by itself, by the declared types, whatever stands beside it."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from datetime import date, datetime
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.sources.json_rows import DEEPEST, elements
from dpsql.engines.sources.lines import LONGEST, TextMistake
from dpsql.engines.sources.text_files import load_text
from dpsql.policy.model import Column, ColumnType, JsonField
from dpsql.policy.table_sources import Source, SourceKind

TYPES = {
    "i": ColumnType.INTEGER,
    "x": ColumnType.FLOAT,
    "s": ColumnType.TEXT,
    "b": ColumnType.BOOLEAN,
    "d": ColumnType.DATE,
    "t": ColumnType.TIMESTAMP,
}
OF_EACH = tuple(Column(name, kind, nullable=True) for name, kind in TYPES.items())
GOOD = b'{"i": 1, "x": 0.5, "s": "one", "b": true, "d": "2025-01-31", "t": "2025-01-31T10:00:00"}'
READ = repr((1, 0.5, "one", True, date(2025, 1, 31), datetime(2025, 1, 31, 10)))
KINDS = {"t.json": SourceKind.JSON, "t.jsonl": SourceKind.JSON_LINES}


def rows(path: Path, columns: tuple[Column, ...] = OF_EACH) -> Counter[str]:
    """The rows as Python spells them, each with how often it is there."""
    kind = KINDS[path.name.removesuffix(".gz")]
    with duckdb.connect() as connection:
        table, _ = load_text(connection, "t", Source(kind, path, "t"), columns)
        return Counter(map(repr, connection.execute(f"FROM {table}").fetchall()))


def written(folder: Path, name: str, objects: list[bytes]) -> Path:
    path = folder / name
    path.write_bytes(b"\n".join(objects) if name == "t.jsonl" else b"[" + b",\n".join(objects) + b"]\n")
    return path


def values(folder: Path, column: str, texts: list[str]) -> list[object]:
    """Each text of JSON as a value of a column, in order."""
    objects = [f'{{"n": {n}, "{column}": {text}}}'.encode() for n, text in enumerate(texts)]
    listed = (Column("n", ColumnType.INTEGER), Column(column, TYPES[column], nullable=True))
    found = []
    for name in KINDS:
        kind, path = KINDS[name], written(folder, name, objects)
        with duckdb.connect() as connection:
            table, _ = load_text(connection, "t", Source(kind, path, "t"), listed)
            found.append(
                [v for (v,) in connection.execute(f"SELECT {column} FROM {table} ORDER BY n").fetchall()]
            )
    assert found[0] == found[1]
    return found[0]


HUGE, DIGITS = "9" * 400, "1" * 100_000
CASES = {
    "i": {
        "12": 12, "-3": -3, "5.0": 5, "0": 0, "-0": 0, "9223372036854775807": 2**63 - 1,
        "9223372036854775808": None, HUGE: None, DIGITS: None, "5.5": None, "1e3": None, '"12"': None, "true": None,
        "null": None, "[1]": None, '{"a": 1}': None, '""': None,
    },
    "x": {
        "12": 12.0, "1e-3": 0.001, "-2.5E1": -25.0, '"1"': None, "true": None, "[0.5]": None, "null": None,
        "0.1": 0.1, "12345678901234567890": 12345678901234567890.0,
    },
    "s": {
        '"a"': "a", '""': "", '"12"': "12", r'"a\nb\t\"\\"': 'a\nb\t"\\', r'"\u00e9\ud83d\ude00"': "é😀",
        r'"\ud800"': None, r'"a\u0000b"': None, "12": None, "true": None, '["a"]': None, '{"s": "a"}': None,
        "null": None, '" null "': " null ", r'"\u001e\u001f\u001d"': "\x1e\x1f\x1d",
    },
    "b": {"true": True, "false": False, "1": None, '"true"': None, "null": None, "[]": None},
    "d": {'"2025-12-31"': date(2025, 12, 31), '" 2025-12-31 "': date(2025, 12, 31), '"2025-02-30"': None,
          '"infinity"': None, "20251231": None, '"31.12.2025"': None},
    "t": {'"2025-12-31 23:59:59.5"': datetime(2025, 12, 31, 23, 59, 59, 500_000), '"2025-12-31T10:00Z"':
          datetime(2025, 12, 31, 10), '"2025-12-31T10:00+02:00"': None, "1767139200": None, '"now"': None},
}  # fmt: skip


@pytest.mark.parametrize("column", CASES)
def test_a_value_fits_its_type_or_is_null(column: str, tmp_path: Path) -> None:
    cases = CASES[column]
    assert values(tmp_path, column, list(cases)) == list(cases.values())


MALFORMED = {
    "no object": b"[1]",
    "a number": b"7",
    "a word": b"null",
    "nan": b'{"i": 1, "x": NaN}',
    "infinity": b'{"i": 1, "x": -Infinity}',
    "an unlisted nan": b'{"i": 1, "y": NaN}',
    "a comma too many": b'{"i": 1,}',
    "single quotes": b"{'i': 1}",
    "bytes that are no text": b'{"i": 1, "s": "\xff"}',
    "a text that ends amid a letter": b'{"i": 1, "s": "\xe2"}',
    "a control character in a text": b'{"i": 1, "s": "a\x01b"}',
    "the same name twice": b'{"i": 1, "i": 1}',
    "the same name in another case": b'{"i": 1, "I": 2}',
    "a leading zero": b'{"i": 007}',
    "too deep": b'{"i": 1, "y": ' + b"[" * DEEPEST + b"]" * DEEPEST + b"}",
    "far too deep": b'{"i": 1, "y": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    "too long": b'{"i": 1, "y": "' + b"x" * LONGEST + b'"}',
    "text behind it": b'{"i": 1} {"i": 2}',
}
SOUND = {
    "unlisted names twice": b'{"i": 1, "y": 1, "y": 2}',
    "brackets in a text": b'{"i": 1, "y": "]}[{\\"," }',
    "deep enough": b'{"i": 1, "y": ' + b"[" * (DEEPEST - 1) + b"]" * (DEEPEST - 1) + b"}",
    "many texts with brackets": b'{"i": 1, "y": "' + b"[" * 500 + b'"}',
    "another case": b'{"I": 1}',
    "an empty name": b'{"": 2, "i": 1}',
}


@pytest.mark.parametrize(
    ("value", "read"),
    [
        ('{"a": 1.50, "b": {"c": [true, null]}}', '{"a": 1.50, "b": {"c": [true, null]}}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ('["x", "\\ud800"]', '["x", "\\ud800"]'),
        ('"{\\"a\\": 1}"', '{"a": 1}'),
        ("1e999", None),
        ("true", None),
        ("null", None),
    ],
)
def test_a_column_of_json_keeps_what_is_within_the_object(
    value: str, read: str | None, tmp_path: Path
) -> None:
    text = Column("pl", ColumnType.TEXT, nullable=True, field=JsonField("pl", ()))
    for name in KINDS:
        path = written(tmp_path, name, [f'{{"pl": {value}}}'.encode()])
        assert rows(path, (text,)) == Counter({repr((read,)): 1})


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_object_is_left_out_and_changes_no_other(kind: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, [GOOD, MALFORMED[kind], GOOD])
    assert rows(path) == Counter({READ: 2})


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("kind", SOUND)
def test_what_is_not_listed_does_not_matter(kind: str, name: str, tmp_path: Path) -> None:
    path = written(tmp_path, name, [GOOD, SOUND[kind]])
    assert rows(path) == Counter({READ: 1, repr((1, None, None, None, None, None)): 1})


def test_an_object_without_a_value_that_is_needed_is_left_out(tmp_path: Path) -> None:
    needed = (Column("i", ColumnType.INTEGER), *OF_EACH[1:])
    path = written(tmp_path, "t.json", [GOOD, b"{}", b'{"i": null}', b'{"i": "1"}'])
    assert rows(path, needed) == Counter({READ: 1})


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.one_in(9)
@pytest.mark.parametrize("seed", range(4))
def test_reading_rows_together_is_reading_each_alone(name: str, seed: int, tmp_path: Path) -> None:
    drawn = random.Random(seed)
    pieces = [text for cases in CASES.values() for text in cases]
    objects = [GOOD, *MALFORMED.values(), *SOUND.values()]
    for _ in range(40):
        fields = (
            f'"{drawn.choice([*TYPES, "y"])}": {drawn.choice(pieces)}' for _ in range(drawn.randint(0, 4))
        )
        objects.append(f"{{{', '.join(fields)}}}".encode())
    drawn.shuffle(objects)
    alone = Counter[str]()
    for one in objects[:12]:
        alone += rows(written(tmp_path, name, [one]))
    assert rows(written(tmp_path, name, objects[:12])) == alone
    swapped = objects[12:] + objects[:12]
    assert rows(written(tmp_path, name, objects)) == rows(written(tmp_path, name, swapped))


@pytest.mark.parametrize(
    "text", ["", "{}", "7", "[", "[1", '["a', "[1]]", "[1] 2", "[[1]", '{"a": 1}\n{"a": 2}']
)
def test_an_array_that_does_not_close_is_refused(text: str) -> None:
    with pytest.raises(TextMistake, match="is not one JSON array of objects"):
        list(elements(text))


def test_an_array_falls_into_its_elements() -> None:
    texts = ["1", '"a,]"', "[2, [3]]", '{"a": [1, 2], "b": "\\"}"}', "", "null"]
    assert list(elements(f" [{', '.join(texts)}] \n")) == texts
    assert list(elements("[]")) == list(elements(" [ \n ] ")) == []


def test_files_of_many_rows_are_read_in_pieces(tmp_path: Path) -> None:
    there = [{"i": n, "s": "x" * (n % 50)} for n in range(25_000)]
    for name, text in (("t.json", json.dumps(there)), ("t.jsonl", "\n".join(map(json.dumps, there)))):
        path = tmp_path / f"{name}.gz"
        path.write_bytes(gzip.compress(text.encode()))
        with duckdb.connect() as connection:
            table, _ = load_text(connection, "t", Source(KINDS[name], path, "t"), OF_EACH)
            counted = connection.execute(f"SELECT count(*), sum(i), sum(length(s)) FROM {table}").fetchall()
        assert counted == [(25_000, sum(r["i"] for r in there), sum(len(r["s"]) for r in there))]


def test_a_packed_file_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.json.gz"
    path.write_bytes(gzip.compress(b"[" + GOOD + b"]")[:-12])
    with pytest.raises(OSError, match="damaged or cut off"):
        rows(path)
