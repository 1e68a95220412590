"""Every line of a CSV file is read alone: beside any other line it is the row that it is by itself."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path

import duckdb
import pytest

from dpsql.engines.sources.lines import LONGEST, TextMistake
from dpsql.engines.sources.text_files import load_text
from dpsql.policy.model import Column, ColumnType
from dpsql.policy.table_sources import CsvFormat, Source, SourceKind
from engines.csv_files import GOOD, HEAD, OF_EACH, READ, kinds, rows

ODD = "(1, 0.5, {}, True, datetime.date(2025, 1, 31), datetime.datetime(2025, 1, 31, 10, 0))"
HOSTILE = {
    "a quote that is not closed": b'1,0.5,"one,true,2025-01-31,2025-01-31',
    "a quote alone": b'"',
    "a quote at the end": GOOD + b'"',
    "a quote in the middle": GOOD.replace(b"one", b'o"ne'),
    "text behind a quote": GOOD.replace(b"one", b'"one" '),
    "a quote that opens after a blank": GOOD.replace(b"one", b' "one"'),
    "three quotes": GOOD.replace(b"one", b'"""'),
    "the quotes that switched quoting off": b'1,0.5,",""',
    "another quote": b"'1,0.5,'one",
    "another delimiter": GOOD.replace(b",", b";"),
    "a field more": GOOD + b",",
    "a field less": GOOD.rpartition(b",")[0],
    "one field": b"1",
    "a comment": b"# " + GOOD + b",",
    "a carriage return": GOOD.replace(b"one", b"o\rne"),
    "carriage returns at the end": GOOD + b"\r\r",
    "NUL": GOOD.replace(b"one", b"o\0ne"),
    "no UTF-8": GOOD.replace(b"one", b"o\xffne"),
    "half of a character": GOOD[:-1] + b"\xe2\x82",
    "half of a surrogate pair": GOOD.replace(b"one", b"\xed\xa0\x80"),
    "UTF-16": GOOD.decode().encode("utf-16")[: -1],
    "blanks": b"     ",
    "a line of 5 MB": GOOD.replace(b"one", b"y" * 5_000_000),
    "a line just too long": GOOD.replace(b"one", b"y" * (LONGEST - len(GOOD) + 4)),
    "a long line of quotes": b'"' * 1_000_001,
    "10,000 delimiters": b"," * 10_000,
    "a million delimiters": b"," * 1_000_000,
}  # fmt: skip
WELL = {
    "a comma in quotes": (GOOD.replace(b"one", b'"o,ne"'), ODD.format("'o,ne'")),
    "a quote in quotes": (GOOD.replace(b"one", b'"o""ne"'), ODD.format("""'o"ne'""")),
    "nothing in quotes": (GOOD.replace(b"one", b'""'), ODD.format("''")),
    "nothing": (GOOD.replace(b"one", b""), ODD.format("None")),
    "a quoted number": (GOOD.replace(b"1,", b'"1",', 1), READ),
    "a byte order mark": (b"\xef\xbb\xbf" + GOOD, READ),
    "a carriage return at the end": (GOOD + b"\r", READ),
    "a line separator that is none here": (GOOD.replace(b"one", b"o\xe2\x80\xa8\xc2\x85\x0b\x0cne"),
        ODD.format(r"'o\u2028\x85\x0b\x0cne'")),
    "the header once more": (HEAD.strip(), "(None, None, 's', None, None, None)"),
    "words for numbers": (b"nan,nan,nan,nan,nan,nan", "(None, nan, 'nan', None, None, None)"),
    "infinities": (b"inf,-inf,inf,inf,inf,infinity", "(None, -inf, 'inf', None, None, None)"),
    "a number beyond the floats": (b"1e400,1e400,,,,", "(None, inf, None, None, None, None)"),
    "an integer beyond 64 bits": (b"9223372036854775808,1,,,,", "(None, 1.0, None, None, None, None)"),
    "years beyond": (b",,,,99999-01-01,99999-01-01", "(None, None, None, None, None, None)"),
    "days that are none": (b",,,,2025-02-29,2025-13-01 00:00:00", "(None, None, None, None, None, None)"),
    "an offset of time": (b",,,,,2025-01-01 10:00:00+02", "(None, None, None, None, None, None)"),
    "a line just short enough": (GOOD.replace(b"one", b"y" * (LONGEST - len(GOOD) + 3)),
        ODD.format(repr("y" * (LONGEST - len(GOOD) + 3)))),
}  # fmt: skip
AROUND = Counter({READ: 2, READ.replace("one", "two"): 1})
OTHERS = (GOOD, GOOD.replace(b"one", b"two"), GOOD)


def written(path: Path, *lines: bytes) -> Path:
    path.write_bytes(HEAD + b"".join(line + b"\n" for line in lines))
    return path


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", HOSTILE)
@pytest.mark.parametrize("place", [0, 3])
def test_a_malformed_line_is_left_out_alone(tmp_path: Path, case: str, place: int) -> None:
    lines = [*OTHERS[:place], HOSTILE[case], *OTHERS[place:]]
    assert rows(written(tmp_path / "t.csv", *lines)) == AROUND


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", WELL)
@pytest.mark.parametrize("place", [0, 3])
def test_an_odd_line_is_a_row_wherever_it_stands(tmp_path: Path, case: str, place: int) -> None:
    line, read = WELL[case]
    lines = [*OTHERS[:place], line, *OTHERS[place:]]
    assert rows(written(tmp_path / "t.csv", *lines)) == AROUND + Counter([read])


@pytest.mark.one_in(6)
@pytest.mark.parametrize("case", HOSTILE)
def test_a_malformed_line_changes_no_type_of_a_table_without_a_list(tmp_path: Path, case: str) -> None:
    path = written(tmp_path / "t.csv", *OTHERS, HOSTILE[case])
    assert list(kinds(path).values()) == ["BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN", "DATE", "TIMESTAMP"]
    assert rows(path, ()) == AROUND


def some_line(random: random.Random) -> bytes:
    """Bytes that mean something to a reader of CSV, and a few that do not; also well-formed lines."""
    if random.random() < 0.5:
        return b",".join(
            random.choice([b"1", b"", b"2.5", b"x", b'"a,b"', b"t", b"2025-01-01"]) for _ in range(6)
        )
    pieces = (b'"', b'"', b",", b",", b",", b"a", b"1", b" ", b"'", b"\\", b"\r", b"\0", b"\xff", b"\xc3", b"\xa9",
              b"\xef\xbb\xbf", b";", b"\t", b"-", b"2025-01-01", b"nan", b"true", b"#", b"\xf0\x9f\x98")  # fmt: skip
    return b"".join(random.choice(pieces) for _ in range(random.randint(0, 25)))


FORMS = (
    CsvFormat(),
    CsvFormat(escape="\\"),
    CsvFormat(quote="", escape=""),
    CsvFormat(delimiter=" ", quote="'", escape="'", null="a"),
    CsvFormat(delimiter="é", null="1", date="%d/%m/%Y", timestamp="%d/%m/%Y %H:%M"),
)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("form", FORMS, ids=range(len(FORMS)))
def test_a_file_is_the_sum_of_its_lines(tmp_path: Path, fuzz_seed: int, form: CsvFormat) -> None:
    """Reading A and the line x gives what reading A gives and what reading x gives; so does the whole at once."""
    drawn = random.Random(f"{fuzz_seed} {form}")
    head = form.delimiter.join("ixsbdt").encode() + b"\n"
    path, total, body = tmp_path / "t.csv", Counter[str](), b""
    for _ in range(60):
        line = some_line(drawn).replace(b",", form.delimiter.encode())
        path.write_bytes(head + line + b"\n")
        total += rows(path, form=form)
        body += line + b"\n"
    path.write_bytes(head + body)
    assert rows(path, form=form) == total
    assert total.total() > 2


@pytest.mark.slow
def test_a_large_file_is_the_sum_of_its_lines_over_many_blocks_packed_or_not(tmp_path: Path) -> None:
    drawn = random.Random(5)
    lines = [some_line(drawn) for _ in range(60)]
    filled = [b"1,1,%s,,," % (b"z" * drawn.randint(0, 300_000)) for _ in range(40)]
    alone: Counter[str] = Counter()
    for line in (*lines, *filled):
        alone += rows(written(tmp_path / "one.csv", line))
    many = [line for line in lines for _ in range(500)] + filled
    drawn.shuffle(many)
    path = written(tmp_path / "t.csv", *many)
    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()[: 10**6]) + gzip.compress(path.read_bytes()[10**6 :]))
    expected = Counter({r: n * (1 if "zz" in r else 500) for r, n in alone.items()})
    assert rows(path, threads=4) == rows(path, threads=1) == rows(packed) == expected


def test_line_feeds_at_every_place_of_a_block_end_lines(tmp_path: Path) -> None:
    """Blocks are cut anywhere: within a line, before and behind its feed, between the bytes of a character."""
    for before in (-4, -1, 0, 1):
        length = 2**20 - len(HEAD) - before
        lines = (
            b"1,1,".ljust(length - 5, b"y") + b",,,",
            "é".encode() * 3 + b",,,,,",
            b"\xef\xbb\xbf2,1,,,,\r",
        )
        found = rows(written(tmp_path / "t.csv", *lines))
        assert found.total() == 3 and found["(2, 1.0, None, None, None, None)"] == 1


def test_a_quote_that_a_later_line_closes_holds_nothing_together(tmp_path: Path) -> None:
    opened, closed = GOOD.replace(b"one", b'"one'), GOOD.replace(b"one", b'one"')
    assert rows(written(tmp_path / "t.csv", opened, *OTHERS, closed)) == AROUND


def test_what_stands_at_the_end_of_a_long_line_is_no_line(tmp_path: Path) -> None:
    long = b"y" * (2 * 2**20 - len(HEAD)) + GOOD
    assert rows(written(tmp_path / "t.csv", long, GOOD)) == Counter([READ])


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n", b"\n\n\n"])
def test_the_end_of_a_file_and_blank_lines_are_no_rows(tmp_path: Path, end: bytes) -> None:
    (tmp_path / "t.csv").write_bytes(HEAD + b"\n" + GOOD + b"\r\n\r\n\xef\xbb\xbf\n" + GOOD + end)
    assert rows(tmp_path / "t.csv") == Counter({READ: 2})


def test_a_row_without_a_value_that_is_needed_is_left_out(tmp_path: Path) -> None:
    strict = (Column("i", ColumnType.INTEGER), Column("s", ColumnType.TEXT))
    path = written(tmp_path / "t.csv", b"1,,a,,,", b"x,,b,,,", b",,c,,,", b"2,,,,,", b'3,,"",,,')
    assert rows(path, strict) == Counter(["(1, 'a')", "(3, '')"])


def test_columns_are_found_by_name_and_others_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(',B," a "\nx,1,2\n"x,",3,4\n')
    columns = (Column("A", ColumnType.INTEGER), Column("b", ColumnType.INTEGER), Column("c", ColumnType.TEXT))
    assert rows(tmp_path / "t.csv", columns) == Counter(["(2, 1)", "(4, 3)"])
    assert kinds(tmp_path / "t.csv") == {"B": "BIGINT", "a": "BIGINT"}


def test_without_a_header_every_line_is_a_row_and_none_is_alike_where_nobody_is(tmp_path: Path) -> None:
    columns = (Column("i", ColumnType.INTEGER), Column("s", ColumnType.TEXT))
    path, form = tmp_path / "t.csv", CsvFormat(header=False)
    path.write_bytes(b"\xef\xbb\xbf1,a\n2,b\n")
    assert rows(path, columns, form) == Counter(["(1, 'a')", "(2, 'b')"])
    path.write_bytes(b"")
    assert rows(path, columns, form) == Counter()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "does not name the columns"),
        (b"\na,b\n", "does not name the columns"),
        (b'a,"b\n1,2\n', "does not name the columns"),
        (b"a,\xff\n1,2\n", "does not name the columns"),
        (b"a,b, A\n1,2,3\n", "names the column a twice"),
        (b",\n1,2\n", "none of the columns"),
    ],
)
def test_a_header_that_is_none_is_a_mistake(tmp_path: Path, text: bytes, message: str) -> None:
    (tmp_path / "t.csv").write_bytes(text)
    with pytest.raises(TextMistake, match=message):
        kinds(tmp_path / "t.csv")


def test_a_damaged_archive_is_a_failure_of_the_file(tmp_path: Path) -> None:
    packed = gzip.compress(HEAD + GOOD * 1000)
    for damaged in (packed[:-20], b"no archive", packed[:40] + b"\0\0\0" + packed[43:]):
        (tmp_path / "t.csv.gz").write_bytes(damaged)
        with pytest.raises(OSError):
            rows(tmp_path / "t.csv.gz")


def test_nothing_is_sniffed(tmp_path: Path) -> None:
    """No statement but the few that split texts reads anything: DuckDB may open no file at all."""
    source = Source(SourceKind.CSV, written(tmp_path / "t.csv", *OTHERS), "t")
    with duckdb.connect() as connection:
        connection.execute("SET enable_external_access = false")
        for n, columns in enumerate((OF_EACH, ())):
            table, _ = load_text(connection, f"t{n}", source, columns)
            assert Counter(map(repr, connection.execute(f"FROM {table}").fetchall())) == AROUND
