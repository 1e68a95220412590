"""The benchmark of limits found for the query runs, and the aims are kept for 300 and 3,000 people."""

from __future__ import annotations

import importlib
from pathlib import Path

import numpy as np
import pytest

from dpsql.mechanisms import ExactSampler
from dpsql.privacy import Neighbours

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
RUNS = 100


@pytest.mark.one_in(8)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("neighbours", list(Neighbours))
@pytest.mark.parametrize("groups", [1, 20])
def test_the_error_is_near_that_of_the_best_limit(
    noise: str, neighbours: Neighbours, groups: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    clipping = importlib.import_module("clipping")
    monkeypatch.setattr(clipping, "PEOPLE", (300, 3_000))
    spent, sampler = clipping.budgets(noise, neighbours), ExactSampler()
    found = [clipping.ratios(kind, groups, spent, RUNS, sampler) for kind in clipping.kinds(groups, spent)]
    assert len(found) == 10
    assert clipping.geometric([float(np.median(f)) for f in found]) <= 2.5
    assert clipping.geometric([float(np.quantile(f, 0.99)) for f in found]) <= 10
    assert sum(int((f > clipping.FAR).sum()) for f in found) <= 10  # one is expected of 1,000


def test_a_line_for_each_kind_and_a_summary(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    clipping = importlib.import_module("clipping")
    monkeypatch.setattr(clipping, "PEOPLE", (300,))
    monkeypatch.setattr("sys.argv", ["clipping.py", "--runs", "3"])
    clipping.main()
    assert capsys.readouterr().out.count("\n") == 2 + 5 + 1
