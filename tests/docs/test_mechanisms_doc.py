"""docs/mechanisms.md says what is so: its examples print what it shows, and it has every mechanism and no other."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import math
import pkgutil
import re
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import pytest

from dpsql import mechanisms

DOCUMENT = Path(__file__).parents[2] / "docs" / "mechanisms.md"
TEXT = DOCUMENT.read_text(encoding="utf-8")
MODULES: dict[str, ModuleType] = {
    found.name.rpartition(".")[2]: importlib.import_module(found.name)
    for found in pkgutil.walk_packages(mechanisms.__path__, "dpsql.mechanisms.")
    if not found.ispkg
}
SECTION = re.compile(r"^###? [^·\n]+ · ([^\n]+)$", flags=re.MULTILINE)
NAME = re.compile(r"`([A-Za-z_]\w*)(?:\([^`]*\))?`")
TABLES = {"composition", "global_sensitivity"}
# What mechanisms share among themselves, on parameters that they have checked.
INNER = {"sample", "draw_one", "draw_geometric", "fewest_dtype", "add_noise", "tail_point", "clamped"}
INNER |= {"median_of", "sensitivities", "rank_scores", "exact_quantile"}
INNER |= {
    "draw_part",
    "weights_of_sum",
    "atom_weight",
    "bounds_of",
    "checked_bins",
    "checked_noise",
    "checked_counts",
    "top_bin",
    "hidden_units",
}


def sections() -> dict[str, str]:
    """The text of each section that names modules in its heading, by those names."""
    found = list(SECTION.finditer(TEXT))
    ends = [*(m.start() for m in found), TEXT.index("## What they stand on")]
    return {m.group(1): TEXT[m.end() : end] for m, (_, end) in zip(found, pairwise(ends), strict=True)}


SECTIONS = sections()
OF_MODULE = {name: body for heading, body in SECTIONS.items() for name in NAME.findall(heading)}
FOUNDATIONS = TEXT[TEXT.index("## What they stand on") :]


def functions(module: str) -> set[str]:
    """The public functions that a module defines."""
    own = inspect.getmembers(MODULES[module], inspect.isfunction)
    return {n for n, f in own if f.__module__ == MODULES[module].__name__ and not n.startswith("_")}


def test_the_examples_print_what_the_page_shows() -> None:
    names: dict[str, object] = {}
    printed = ""
    for kind, body in re.findall(r"```(\w+)\n(.*?)```", TEXT, flags=re.DOTALL):
        if kind == "text":
            assert body == printed
            printed = ""
            continue
        assert not printed, "what an example prints is shown"
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(body, str(DOCUMENT), "exec"), names)
        printed = out.getvalue()
    assert not printed


def test_every_module_has_a_section_or_a_line_among_the_foundations() -> None:
    founding = set(re.findall(r"^\| `(\w+)` \|", FOUNDATIONS, flags=re.MULTILINE))
    assert founding.isdisjoint(OF_MODULE)
    assert founding | set(OF_MODULE) == set(MODULES)


@pytest.mark.parametrize("heading", [h for h in SECTIONS if not TABLES & set(NAME.findall(h))])
def test_each_mechanism_has_its_formula_guarantee_accuracy_and_example(heading: str) -> None:
    body = SECTIONS[heading]
    assert "\n$$" in body
    for word in ("Requires", "Guarantees", "Accuracy", "When"):
        assert body.count(f"- **{word}**: ") == 1
    assert "```python" in body and "```text" in body


@pytest.mark.parametrize("module", OF_MODULE)
def test_each_section_names_every_function_of_its_module(module: str) -> None:
    words = set(re.findall(r"\w+", OF_MODULE[module]))
    assert functions(module) - INNER <= words


def test_every_exported_name_is_mentioned() -> None:
    assert set(mechanisms.__all__) <= set(re.findall(r"\w+", TEXT))


def test_no_name_is_dead() -> None:
    known = set(MODULES) | set(mechanisms.__all__) | {"add_remove", "substitute", "int", "Fraction"}
    known |= {name for module in MODULES for name in functions(module)}
    assert set(NAME.findall(TEXT)) <= known
    parameters = {p for m in MODULES for n in functions(m) for p in _parameters(m, n)}
    assert set(re.findall(r"`(\w+)=\w*`", TEXT)) <= parameters


def _parameters(module: str, name: str) -> set[str]:
    return set(inspect.signature(vars(MODULES[module])[name]).parameters)


def test_every_path_that_is_named_exists() -> None:
    paths = re.findall(r"`([\w/]+/[\w.]*)`", TEXT) + re.findall(r"\]\((\S+)\)", TEXT)
    assert paths
    for path in paths:
        assert (DOCUMENT.parent / path).exists() or (DOCUMENT.parents[1] / path).exists(), path


@pytest.mark.parametrize("epsilon", [1, 2, 3])
def test_the_k_ary_form_errs_less_up_to_the_number_of_values_that_the_page_says(epsilon: int) -> None:
    k_ary, rappor = MODULES["k_randomized_response"], MODULES["rappor"]
    half = math.exp(epsilon / 2)
    turning = int(half**3 + half**2 + half + 2)
    better, worse = (k_ary.variance(0, 100, k=k, epsilon=epsilon) for k in (turning, turning + 1))
    assert better < rappor.variance(100, epsilon=epsilon) < worse
