"""Each parameter of each public function of a mechanism refuses what it must, with an error that names it."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import pytest

from dpsql import mechanisms
from dpsql.mechanisms import Guarantee
from dpsql.mechanisms.analysis.composition import renyi_of_zcdp
from dpsql.mechanisms.clipping.clipping_noise import laplace
from dpsql.mechanisms.clipping.root_bins import ROOT_BINS
from dpsql.mechanisms.clipping.unit_bins import Bins
from dpsql.privacy import Neighbours

PLUMBING = {
    "coins",
    "cube_sum",
    "exact_exp",
    "inversion",
    "laplace_sum",
    "noise_sum",
    "order_statistic",
    "interval_arithmetic",
}
PLUMBING |= {"parameters", "sampler", "weighted"}
# What mechanisms call with parameters that they have checked.
INNER = {"sample", "draw_one", "draw_geometric", "fewest_dtype", "add_noise", "tail_point", "clamped"}
INNER |= {
    "top_bin",
    "hidden_units",
    "median_of",
    "sensitivities",
    "rank_scores",
    "post_processing",
    "renyi_sequential",
}
INNER |= {
    "draw_part",
    "weights_of_sum",
    "atom_weight",
    "bounds_of",
    "checked_bins",
    "checked_noise",
    "checked_counts",
}
# Objects, and real and whole numbers of which every one will do.
UNCHECKED = {"coins", "laws", "x", "curve", "m"}

INTS, BITS, BOX = np.array([1, 2, 3]), np.array([[0, 1], [1, 1]]), np.array([[1, 2, 3]])
HALF, TINY, NAN, INF = Fraction(1, 2), Fraction(1, 10**6), float("nan"), float("inf")

GOOD = {
    "epsilon": 1, "delta": TINY, "rho": HALF, "sensitivity": 1, "squared_sensitivity": 2, "sigma_squared": 3,
    "slack": TINY, "order": 2, "divergence": 1, "orders": (2, 3), "rhos": (1, HALF), "guarantee": Guarantee(HALF),
    "guarantees": (Guarantee(HALF),), "curve": renyi_of_zcdp(1), "folds": 3, "parts_per_unit": 1, "values": INTS,
    "bits": BITS, "scores": INTS, "queries": INTS, "unit_counts": INTS, "released": BITS, "weights": (1, 2, 3),
    "widths": (1, 2, 3), "grid": INTS, "levels": (HALF,), "beta": 0.1, "q": HALF, "p": Fraction(1, 4), "n": 5,
    "k": 4, "t": 2, "m": 1, "x": 0.5, "place": 0, "cells": 2, "count": 1, "candidates": 3, "best": 1, "hits": 1,
    "threshold": 1, "share": HALF, "groups_per_unit": 1, "rows_per_unit": 1, "lower": 0, "upper": 9, "step": 1,
    "per_octave": 2, "proposed": 2, "distance": 1, "steps": 1, "scale": 2, "neighbours": "add_remove", "rows": 1,
    "size": 3, "coarse": INTS, "fine": INTS,
    "middle": Fraction(3, 2), "finer": 2,
    "monotone": False, "noise": "laplace", "score_range": 1,
    "groups": 1, "limit": 9, "shift": 8, "squared_cells": 4, "vectors": BITS, "sizes": INTS, "squared_sizes": INTS,
    "weight": 9, "bins": Bins(0, 2), "tau": 4, "square": 5, "hint": 2, "noisy_counts": INTS, "row_weight": 1,
    "budget": HALF,
    "histogram": laplace(1, Neighbours.ADD_REMOVE), "answer": laplace(1, Neighbours.ADD_REMOVE), "nonnegative": True,
}  # fmt: skip
OTHERS: dict[str, dict[str, object]] = {
    "cube.cube": {"values": BOX},
    "noisy_max.top_k": {"k": 2},
    "sparse_vector.above_threshold_error": {"queries": 5},
    "gaussian.classical_sigma_squared": {"epsilon": HALF},
    **{
        f"clipping_noise.{f}": {"neighbours": Neighbours.SUBSTITUTE}
        for f in ("laplace", "gaussian", "selection_range")
    },
    **{
        f"weighted_selection.{f}": {"neighbours": Neighbours.SUBSTITUTE}
        for f in ("weight_variance", "weight_threshold", "show_probability", "even_units")
    },
    "weighted_selection.select_by_weights": {"neighbours": Neighbours.SUBSTITUTE, "weights": INTS},
    "limit_curve.limit_curve": {"noisy_counts": np.zeros(ROOT_BINS, np.int64)},
}
LEFT_OUT = {
    "discrete_gaussian.discrete_gaussian": {"squared_sensitivity", "rho"},
    "discrete_gaussian.sigma_squared_for": {"rho"},
}

NO_NUMBER = (True, np.True_, "1", None, 0.5, NAN, INF)
ABOVE_ZERO, A_SHARE = (0, -1), (0, 1, -1, 2)
NO_ARRAY = (None, 3, [1, 2], "12", np.array([1.0, NAN]), np.array([True]), np.array(["1"]), np.array([None]))
BAD: dict[str, tuple[object, ...]] = {
    **dict.fromkeys(("epsilon", "rho", "squared_sensitivity", "sigma_squared", "scale"), NO_NUMBER + ABOVE_ZERO),
    **dict.fromkeys(("delta", "slack", "p"), (*NO_NUMBER, *A_SHARE)),
    "share": ("1", 0.5, NAN, True, Fraction(0), Fraction(1), Fraction(-1)),
    "beta": (True, "1", None, NAN, INF, *A_SHARE),
    "q": (*NO_NUMBER, -1, 2),
    "order": (*NO_NUMBER, *ABOVE_ZERO, 1),
    "divergence": (*NO_NUMBER, -1),
    "orders": ((0,), (1,), (0.5,), (True,)),
    "rhos": ((0,), (-1,), (NAN,), (True,)),
    "levels": ((), (2,), (-1,), (0.5,), (True,)),
    "guarantee": (HALF, None, (1, 0)),
    "guarantees": ((HALF,), (None,)),
    **dict.fromkeys(("lower", "upper"), ("1", None, 0.5, NAN, INF, True)),
    **dict.fromkeys(("n", "t", "place", "count", "distance", "steps", "size"), (*NO_NUMBER, -1)),
    **dict.fromkeys(("sensitivity", "folds", "parts_per_unit", "cells", "candidates"), (*NO_NUMBER, 0, -1)),
    **dict.fromkeys(("best", "hits", "groups_per_unit", "rows_per_unit"), (*NO_NUMBER, 0, -1)),
    **dict.fromkeys(("step", "per_octave", "proposed", "rows", "score_range"), (*NO_NUMBER, 0, -1)),
    "k": (*NO_NUMBER, -1),
    "threshold": NO_NUMBER,
    "widths": ((), (0,) * 3, (-1,) * 3, (1.0,) * 3, (True,) * 3, (NAN,) * 3, ("1",) * 3),
    "weights": ((), (0,) * 3, (-1,) * 3, (1.0,) * 3, (True,) * 3, (1, 2), np.array([1.0, 2.0, 3.0])),
    **dict.fromkeys(("values", "bits", "scores", "queries", "unit_counts", "released"), NO_ARRAY),
    "grid": (*NO_ARRAY, np.array([1]), np.array([1, 1]), np.array([[1, 2]])),
    "neighbours": ("other", None, 1, True),
    "monotone": (None, 1, "no", np.True_),
    "noise": ("gauss", None, 1), "coarse": NO_ARRAY, "fine": NO_ARRAY, "middle": (*NO_NUMBER, 1, 2),
    "finer": (0, -1, 0.5, 1, HALF, True, None, NAN, "2"), "budget": NO_NUMBER + ABOVE_ZERO,
    **dict.fromkeys(("groups", "tau", "row_weight", "square", "hint", "squared_cells"), (*NO_NUMBER, 0, -1)),
    "weight": (*NO_NUMBER, -1),
    "limit": (True, "1", 0.5, NAN, 0, -1), "shift": (*NO_NUMBER, -1), "nonnegative": (None, 1, "no", np.True_),
    **dict.fromkeys(("vectors", "sizes", "squared_sizes"), NO_ARRAY),
    "noisy_counts": ((0.5, 1, 2), np.array([1.0, 2.0, 3.0]), np.array([True] * 3), (1, 2), ("1", "2", "3")),
    **dict.fromkeys(("bins", "histogram", "answer"), (None, 3, (0, 2), "laplace")),
}  # fmt: skip
BAD_OF = {
    "gaussian.quantile": {"q": BAD["beta"]},
    "laplace.quantile": {"q": BAD["beta"]},
    "scaling.root_above": {"square": (*NO_NUMBER, -1)},
    "sparse_vector.above_threshold_error": {"queries": BAD["cells"]},
    "weighted_selection.select_by_weights": {"weights": (*NO_ARRAY, np.array([-1]))},
}
MAY_BE_NONE = {"share", "p", "epsilon", "rho", "delta", "sensitivity", "squared_sensitivity", "score_range"}
MAY_BE_NONE |= {"squared_cells", "rows_per_unit"}
WORDS = {
    "bits": "integers", "rhos": "rho", "orders": "order", "levels": "level|q must", "weights": "weight",
    "widths": "width|vectors", "unit_counts": "integers", "guarantees": "guarantee|Guarantee",
    "guarantee": "guarantee|Guarantee", "slack": "delta|slack", "noise": "noise must", "score_range": "score_range",
    "finer": "epsilon", "middle": "epsilon", "limit": "limit|bound", "histogram": "histogram must",
}  # fmt: skip


MODULES = [f.name for f in pkgutil.walk_packages(mechanisms.__path__, "dpsql.mechanisms.") if not f.ispkg]


def public() -> Iterator[tuple[str, Callable[..., object]]]:
    for path in MODULES:
        module, last = importlib.import_module(path), path.rpartition(".")[2]
        for name, value in vars(module).items():
            here = inspect.isfunction(value) and value.__module__ == module.__name__
            if here and last not in PLUMBING and name not in INNER and not name.startswith("_"):
                yield f"{last}.{name}", value


FUNCTIONS = dict(public())


def arguments(name: str) -> dict[str, object]:
    """What the function accepts: of ways that exclude each other, the first."""
    given = {p: GOOD[p] for p in inspect.signature(FUNCTIONS[name]).parameters if p in GOOD}
    given.update(OTHERS.get(name, {}))
    excluded = LEFT_OUT.get(name, set())
    if "sensitivity" in given and "score_range" in given:
        excluded = {"score_range"}
    if name.startswith("randomized_response.") and {"p", "epsilon"} <= set(given):
        excluded = {"p"}
    return {p: value for p, value in given.items() if p not in excluded}


def cases() -> Iterator[tuple[str, str]]:
    for name in FUNCTIONS:
        for parameter in arguments(name):
            if parameter not in UNCHECKED:
                yield name, parameter


def call(name: str, given: dict[str, object]) -> object:
    signature = inspect.signature(FUNCTIONS[name])
    positional = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    first = [given[p.name] for p in positional if p.name in given]
    rest = {p: value for p, value in given.items() if p not in {q.name for q in positional}}
    return FUNCTIONS[name](*first, **rest)


def test_what_is_left_out_exists() -> None:
    assert set(OTHERS) | set(LEFT_OUT) | set(BAD_OF) <= set(FUNCTIONS)
    assert {path.rpartition(".")[2] for path in MODULES} >= PLUMBING
    assert len(FUNCTIONS) > 80


@pytest.mark.parametrize("name", FUNCTIONS)
def test_good_parameters_are_taken(name: str) -> None:
    call(name, arguments(name))


@pytest.mark.one_in(6)
@pytest.mark.parametrize(("name", "parameter"), list(cases()), ids=str)
def test_bad_parameters_are_an_error_that_names_them(name: str, parameter: str) -> None:
    optional = parameter in MAY_BE_NONE and _has_default(name, parameter)
    for bad in BAD_OF.get(name, BAD).get(parameter, BAD[parameter]):
        if bad is None and optional:
            continue
        with pytest.raises((TypeError, ValueError), match=WORDS.get(parameter, parameter)):
            call(name, {**arguments(name), parameter: bad})


def _has_default(name: str, parameter: str) -> bool:
    return inspect.signature(FUNCTIONS[name]).parameters[parameter].default is None
