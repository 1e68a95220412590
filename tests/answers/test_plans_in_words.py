"""What a plan says to people names what is released as the analyst wrote it, by no name that dpsql made up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from answers.noiseless import Noiseless
from answers.shop import make_shop
from answers.test_cases import ANSWERED, Sessions
from dpsql.policy.load import load_policy
from dpsql.release.plain_numbers import four_digits
from dpsql.session import Session, build_session

# Names of released tables, their columns, units of the engine's SQL, and the formulas of stored keys.
INTERNAL = re.compile(
    r"\breleased\.|\b[rka]\d+\b|__|\bScan\b|\bMeasure\b|Fraction\(|hi - lo|spends exactly|\|x\|",
    re.IGNORECASE,
)
OWN_NAMES = re.compile(r"\b[rka]\d+\b", re.IGNORECASE)
EVERY = 18
BY_REGION = "SELECT region, COUNT(*) AS n FROM orders {} GROUP BY region"
TWICE = (
    f"SELECT * FROM ({BY_REGION.format('')}) AS x JOIN ({BY_REGION.format('WHERE paid')}) AS y USING (region)"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_shop(tmp_path_factory.mktemp("words"))


@pytest.fixture(scope="module")
def shop(folder: Path) -> Iterator[Session]:
    with closing(
        build_session(load_policy(folder / "shop.yaml"), "eve", None, (None, None), Noiseless())
    ) as s:
        yield s


def test_no_name_of_ours_stands_in_what_is_said_of_a_plan(folder: Path) -> None:

    with ExitStack() as stack:
        sessions = Sessions(folder, stack)
        for case in ANSWERED[::EVERY]:
            if OWN_NAMES.search(case.sql):
                continue
            plan = sessions[case.policy].explain(case.sql, case.params)
            said = INTERNAL.search(plan.text())
            assert said is None, (case.sql, said)


def test_two_releases_of_one_name_are_told_apart_by_their_places(shop: Session) -> None:
    first, second = (note.split(" has ")[0] for note in shop.explain(TWICE).notes)
    assert first == "COUNT(*) by region (number 1, of the SELECT at line 1, column 23)"
    assert second.startswith("COUNT(*) by region (number 2, of the SELECT at line 1, column ")


def test_levels_are_called_by_their_keys(shop: Session) -> None:
    plan = shop.explain("SELECT region, paid, COUNT(*) AS n FROM orders GROUP BY ROLLUP (region, paid)")
    said = "\n".join(plan.notes)
    assert "the level by region adds up groups of COUNT(*) by region, paid" in said
    assert "the level in all adds up groups" in said


def test_sql_and_scales_are_told_where_they_are_asked_for(shop: Session) -> None:
    plan = shop.explain("SELECT region, COUNT(*) AS n FROM orders GROUP BY region")
    assert str(plan) == plan.text()
    assert "SELECT" not in plan.text() and "scale" not in plan.text()
    rest = plan.text(sql=True)
    assert rest.startswith(plan.text())
    assert plan.releases[0].sql in rest and plan.rest in rest
    assert f"scale {plan.releases[0].scale:.4g}" in rest


def test_lines_fit_the_width_that_is_asked_for(shop: Session) -> None:
    long = "SUM(CASE WHEN amount > 10 THEN amount WHEN amount > 5 THEN 2 ELSE 0 END)"
    plan = shop.explain(f"SELECT region, {long} AS s, AVG(amount) AS a FROM orders GROUP BY region")
    assert max(map(len, plan.text(width=80).split("\n"))) <= 80
    head = plan.text().split("\n")[2]
    assert head.split() == ["released", "mechanism", "sensitivity", "epsilon", "95", "%", "error"]


def test_a_notebook_shows_the_table_and_sql_where_it_is_asked_for(shop: Session) -> None:
    plan = shop.explain('SELECT region, COUNT(*) AS "<b>" FROM orders GROUP BY region')
    page = plan._repr_html_()
    assert page == plan.html()
    assert "<th>sensitivity</th>" in page and "discrete laplace" in page and "SELECT" not in page
    assert "&lt;b&gt;" in page and "<b>" not in page
    assert "SELECT" in plan.html(sql=True) and "<b>" not in plan.html(sql=True)


def test_a_note_is_said_once_for_all_that_it_is_true_of(shop: Session) -> None:
    plan = shop.explain("SELECT COUNT(*), SUM(amount), AVG(amount) FROM orders")
    shared = [line for line in plan.text().split("\n") if "share this noise" in line]
    assert shared == ["note: 3 measures share this noise"]
    quotients = [line for line in plan.text().split("\n") if "a quotient" in line]
    assert quotients == ["note: AVG(amount): a quotient: its error falls as its group grows"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT region, COUNT(*) AS n FROM orders GROUP BY region",
        "SELECT product, COUNT(*) AS n FROM orders GROUP BY product",
        "SELECT SUM(amount) AS s, COUNT(DISTINCT customer) AS n FROM orders",
    ],
)
def test_a_limit_is_said_once_and_of_persons(shop: Session, sql: str) -> None:
    plan = shop.explain(sql)
    notes = [line for line in plan.text().split("\n") if line.startswith("note: ")]
    assert plan.bias and {f"note: {note}" for note in plan.bias} <= set(notes)
    bare = [note.rsplit(": ", 1)[-1].split(";")[0] for note in notes]
    assert len(set(bare)) == len(bare), notes
    assert not any("unit" in note or "own cap" in note for note in notes)
    assert plan.text().count("rho ") <= 1 or len(plan.releases) > 1


def test_errors_of_columns_are_folded_beside_their_names(shop: Session) -> None:
    plan = shop.explain("SELECT region, paid, AVG(amount) AS mean FROM orders GROUP BY ROLLUP (region, paid)")
    lines = plan.text(width=60).split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("mean "))
    assert lines[at + 1].startswith(" " * len("column of the answer  ")) and lines[at + 1].strip()
    assert max(map(len, lines[at:])) <= 60


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0.0, "0"), (0.023456, "0.02346"), (-718.84, "-718.8"), (999.96, "1,000"), (1797.4, "1,797"),
        (-78526.0, "-78,530"), (4.659e6, "4,659,000"), (9.9e14, "990,000,000,000,000"), (1e15, "1e+15"),
        (math.inf, "inf"), (math.nan, "nan"),
    ],
)  # fmt: skip
def test_numbers_for_people_have_four_digits_and_no_exponent(number: float, shown: str) -> None:
    assert four_digits(number) == shown
