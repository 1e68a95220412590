"""docs/python.md has every public name, no other one, and its examples run."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import duckdb
import pytest
from pages import fenced, text_of

import dpsql
import dpsql.shared

TEXT = text_of("python.md")
SPANS = set(re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))
WORDS = {word for span in SPANS for word in re.findall(r"\w+", span)}
DOCUMENTED = (
    dpsql.Connection,
    dpsql.Cursor,
    dpsql.Released,
    dpsql.Interval95,
    dpsql.Span,
    dpsql.Explanation,
    dpsql.ReleaseReport,
    dpsql.ExpectedError,
    dpsql.Description,
    dpsql.BudgetReport,
    dpsql.PartReport,
    dpsql.TableReport,
    dpsql.ColumnReport,
    dpsql.ForeignKey,
)


def members(thing: type) -> set[str]:
    """The public names of a class, but for the errors that PEP 249 puts there."""
    return {n for n in dir(thing) if not n.startswith("_") and not isinstance(getattr(thing, n, None), type)}


def test_every_name_of_the_module_stands_on_the_page() -> None:
    assert set(dpsql.__all__) - WORDS == set()
    assert "dpsql.shared.connect" in SPANS


@pytest.mark.parametrize("thing", DOCUMENTED, ids=lambda thing: thing.__name__)
def test_every_name_of_a_class_stands_where_the_class_is_described(thing: type) -> None:
    described = "\n".join(block for block in re.split(r"\n## ", TEXT) if thing.__name__ in block)
    assert {n for n in members(thing) if not re.search(rf"`[^`\n]*\b{n}\b", described)} == set()


def test_every_argument_of_connect_stands_in_its_table() -> None:
    table = TEXT.split("## Connecting")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", "\n".join(re.findall(r"^\| (`.*?) \|", table, flags=re.MULTILINE))))
    assert named == set(inspect.signature(dpsql.connect).parameters)
    assert named - {"fresh", "tables"} == set(inspect.signature(dpsql.shared.connect).parameters)


def test_every_error_with_attributes_has_them_in_its_row() -> None:
    attributes = {
        dpsql.QueryRefused("why"): ("kind", "line", "column"),
        dpsql.BudgetExhausted("alice"): (),
        dpsql.PolicyError(()): (),
    }
    for error, more in attributes.items():
        (row,) = re.findall(rf"^\| `{type(error).__name__}` .*$", TEXT, flags=re.MULTILINE)
        assert {n for n in (*vars(error), *more) if f"`{n}`" not in row} == set()


def test_no_attribute_is_named_that_nothing_has() -> None:
    known = {name for thing in DOCUMENTED for name in members(thing)} | set(dpsql.__all__)
    errors = (dpsql.QueryRefused("why"), dpsql.BudgetExhausted("alice"), dpsql.PolicyError(()))
    known |= {name for error in errors for name in dir(error)}
    for thing in (dpsql.connect, *(m for t in DOCUMENTED for m in vars(t).values() if inspect.isfunction(m))):
        known |= set(inspect.signature(thing).parameters)
    called = set(re.findall(r"`(\w+)\(", TEXT))
    first_column = re.findall(r"^\| (`[^|]*`) \|", TEXT, flags=re.MULTILINE)
    named = {name for cell in first_column for name in re.findall(r"`(\w+)", cell)}
    assert (called | named) - known == {"print"}


def test_the_examples_run_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("pandas")
    (tmp_path / "shop.yaml").write_text(fenced(TEXT, "yaml")[0], encoding="utf-8")
    rows = (
        "SELECT range % 400 AS customer, ['north', 'south', 'east'][1 + range % 3] AS region, "
        "(range % 80)::DOUBLE AS amount FROM range(1600)"
    )
    duckdb.execute(f"COPY ({rows}) TO '{tmp_path / 'orders.parquet'}'")
    monkeypatch.chdir(tmp_path)
    exec(compile("\n".join(fenced(TEXT, "python")), "docs/python.md", "exec"), {})
    said = capsys.readouterr().out
    assert "released" in said and "Interval95(" in said and "\nleft: epsilon 2.5, delta 0\n" in said
    assert "rows of a private table" in said
    (columns,) = re.findall(r"# (\['region'.*\])", TEXT)
    assert said.rstrip().endswith(columns)
