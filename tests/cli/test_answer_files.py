"""Answers in files: Parquet, Arrow and text, by the format or by the file's ending; what cannot be is said before."""

from __future__ import annotations

import builtins
import json
from fractions import Fraction

import pyarrow
import pyarrow.parquet
import pytest

from dpsql.engines.base import OutputColumn
from dpsql.privacy import Cost
from dpsql.release.types import Answer, ExpectedError, Explanation, Interval95, Released

ANSWER = Answer(
    (OutputColumn("region", "VARCHAR"), OutputColumn("n", "BIGINT")),
    (("north", 1234),),
    Released(
        Cost(Fraction(1, 2)),
        lambda: Explanation(
            Fraction(1, 2),
            Fraction(0),
            (),
            "",
            columns=(ExpectedError("region", 0.0), ExpectedError("n", 56.0)),
        ),
        lambda: ((None, Interval95(1178, 1290)),),
    ),
)


def read(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path)
    with pyarrow.ipc.open_file(path) as file:
        return file.read_all()


@pytest.mark.parametrize(
    ("name", "options"),
    [("a.parquet", ()), ("a.arrow", ()), ("a.feather", ()), ("a.arrow", ("--format", "arrow"))],
)
def test_columns_keep_their_types_in_files_of_columns(session, run, tmp_path, name, options):
    session.script.append(ANSWER)
    result = run("query", "p.yaml", "q", "--output", str(tmp_path / name), *options)
    assert result.exit_code == 0 and result.stdout == "" and "charged epsilon 0.5" in result.stderr
    table = read(tmp_path / name)
    assert table.schema == pyarrow.schema([("region", pyarrow.string()), ("n", pyarrow.int64())])
    assert table.to_pylist() == [{"region": "north", "n": 1234}]


def test_intervals_are_columns_where_they_are_asked_for(session, run, tmp_path):
    session.script += [ANSWER, ANSWER]
    run("query", "p.yaml", "q", "--output", str(tmp_path / "a.parquet"), "--intervals")
    assert read(tmp_path / "a.parquet").to_pylist() == [
        {"region": "north", "n": 1234, "n_low": 1178.0, "n_high": 1290.0}
    ]
    assert (
        run("query", "p.yaml", "q", "--intervals").stdout == "region,n,n_low,n_high\nnorth,1234,1178,1290\n"
    )


@pytest.mark.parametrize(
    ("name", "sign"), [("a.csv", "region,n\n"), ("a.txt", "region,n\n"), ("a.md", "| ---: |")]
)
def test_text_is_written_by_the_ending_of_the_file(session, run, tmp_path, name, sign):
    session.script.append(ANSWER)
    (tmp_path / name).write_text("what was there before")
    assert run("query", "p.yaml", "q", "-o", str(tmp_path / name)).exit_code == 0
    assert sign in (tmp_path / name).read_text() and "before" not in (tmp_path / name).read_text()


def test_json_in_a_file_is_what_is_printed(session, run, tmp_path):
    session.script += [ANSWER, ANSWER]
    run("query", "p.yaml", "q", "-o", str(tmp_path / "a.json"))
    printed = run("query", "p.yaml", "q", "--format", "json").stdout
    assert json.loads((tmp_path / "a.json").read_text()) == json.loads(printed)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--format", "parquet"), "give --output FILE"),
        (("--format", "table", "--output", "a.txt"), "a table is for a terminal"),
        (("--output", "nowhere/a.csv"), "there is no folder"),
        (
            ("--output", "a.xlsx"),
            "no format has the ending of a.xlsx; there is .csv, .txt, .parquet, .arrow,",
        ),
        (("--format", "json", "--intervals"), "json has intervals anyway"),
    ],
)
def test_what_cannot_be_is_wrong_usage_before_anything_is_asked(session, run, options, why):
    result = run("query", "p.yaml", "q", *options)
    assert result.exit_code == 2 and why in " ".join(result.stderr.split())
    assert session.opened == {}


def test_a_missing_library_is_named_before_anything_is_asked(session, run, tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "pyarrow":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    result = run("query", "p.yaml", "q", "--output", str(tmp_path / "a.parquet"))
    assert result.exit_code == 2 and "pip install 'dpsql[arrow]'" in result.stderr
    assert session.opened == {}


def test_a_type_that_a_file_has_not_is_said_and_the_answer_is_there_again(session, run, tmp_path):
    session.script.append(Answer((OutputColumn("m", "MAP(INTEGER, INTEGER)"),), (({1: 2},),)))
    result = run("query", "p.yaml", "q", "--output", str(tmp_path / "a.parquet"))
    assert result.exit_code == 1 and "has no Arrow type" in result.stderr


def test_a_file_that_cannot_be_written_is_said(session, run, tmp_path):
    session.script.append(ANSWER)
    (tmp_path / "a.csv").mkdir()
    assert run("query", "p.yaml", "q", "--output", str(tmp_path / "a.csv")).exit_code == 2
    assert session.opened == {}
