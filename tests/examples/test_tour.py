"""The notebook runs cell by cell, and shows tables, plots and a refusal."""

from __future__ import annotations

import ast
import contextlib
import io
import json
from pathlib import Path

import pytest

NOTEBOOK = Path(__file__).parents[2] / "examples" / "tour.ipynb"
CELLS = [c for c in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]


def shown(source: str, names: dict[str, object]) -> tuple[str, object]:
    """What a cell prints, and the value of its last expression, as a notebook shows it."""
    tree, value = ast.parse(source), None
    last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, str(NOTEBOOK), "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), str(NOTEBOOK), "eval"), names)
    return printed.getvalue(), value


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, object]]:
    for needed in ("altair", "matplotlib", "pandas", "statsmodels"):
        pytest.importorskip(needed)
    names: dict[str, object] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setenv("MPLBACKEND", "Agg")
        return [shown("".join(cell["source"]), names) for cell in CELLS]


def test_every_cell_runs_and_shows_what_it_showed_when_it_was_stored(
    outcomes: list[tuple[str, object]],
) -> None:
    for cell, (printed, value) in zip(CELLS, outcomes, strict=True):
        stored = [output["output_type"] for output in cell["outputs"]]
        assert "error" not in stored
        assert ("stream" in stored) == bool(printed) and ("execute_result" in stored) == (value is not None)


def test_it_has_a_plan_an_answer_two_plots_a_refusal_and_a_budget(outcomes: list[tuple[str, object]]) -> None:
    printed = "".join(text for text, _ in outcomes)
    assert "rows of a private table. Aggregate them" in printed
    kinds = [type(value).__name__ for _, value in outcomes]
    assert {"Explanation", "Cursor", "VConcatChart", "Figure", "BudgetReport"} < set(kinds)
    pages = [value._repr_html_() for _, value in outcomes if hasattr(value, "_repr_html_")]
    assert any("discrete laplace" in page for page in pages) and any(
        "95 % intervals" in page for page in pages
    )


def test_the_same_question_is_free_and_an_accuracy_costs_less_than_the_most(
    outcomes: list[tuple[str, object]],
) -> None:
    assert [value for _, value in outcomes if isinstance(value, float)] == [0.0]
    (line,) = [text for text, _ in outcomes if text.startswith("charged epsilon")]
    assert 0 < float(line.split()[-1]) < 0.5
