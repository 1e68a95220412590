"""The benchmark of planning times what planning is made of."""

from __future__ import annotations

import runpy
from pathlib import Path

import dpsql

PLANNING = Path(__file__).parents[2] / "benchmarks" / "planning.py"


def test_every_step_is_made_of_functions_of_planning_and_every_table_is_one_of_its_policy(
    tmp_path: Path,
) -> None:
    benchmark = runpy.run_path(str(PLANNING))
    shop = benchmark["make_shop"](tmp_path)
    with dpsql.connect(shop, analyst="benchmark") as connection, benchmark["clocked"]() as clock:
        spent = benchmark["_planned"](connection, benchmark["QUERIES"]["COUNT"], 1, clock)
    assert {*benchmark["STEPS"], "words"} == set(spent)
    assert spent["planning"] > sum(spent[step] for step in ("parse", "bind", "plan", "trial"))
