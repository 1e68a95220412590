"""How the parts of a plan are written. What stands here is in stored keys: names change in the code, never here."""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import Final

from dpsql.algebra.encoding.encoder import Encoding, Field, Form, Forms, Members
from dpsql.algebra.encoding.written_relations import QUESTIONS
from dpsql.mechanisms.clipping.clipping_noise import Noise
from dpsql.mechanisms.clipping.unit_bins import Bins as UnitBins
from dpsql.plan.rollup.grouping_set_sums import Axis, GroupingSetSums, Share
from dpsql.plan.sums.cells import Family, Grid, Reach, Sum, Term
from dpsql.plan.types import (
    Bins,
    Bounding,
    Clipping,
    Histogram,
    Local,
    LocalColumn,
    Modes,
    Presence,
    Ranks,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
    Target,
    UnitTotal,
    Weights,
)
from dpsql.privacy import Cost, Mechanism, Neighbours

RELEASES: Final[Forms] = MappingProxyType(
    {
        **QUESTIONS,
        Bounding: Form("Bounding", ("table_cap", "rows", "totals", "groups")),
        UnitTotal: Form("UnitTotal", ("grid", "limit")),
        Grid: Form("Grid", ("arg", "step", "lo", "hi", "reach")),
        Reach: Form("Reach", ("share", "most")),
        Term: Form("Term", ("sum", "where", "arg", "grid", "other", "powers")),
        Family: Form(
            "Family",
            (
                *("terms", "cells", "sensitivity", "epsilon", "because"),
                *("mechanism", "widths", "variance", "delta"),
            ),
        ),
        Sums: Form("Sums", ("bounding", "families")),
        GroupingSetSums: Form("LevelSums", ("bounding", "families", "axes", Field("shares", "levels"))),
        Axis: Form("Axis", ("places", "size")),
        Share: Form("Share", ("axes", "share")),
        Histogram: Form(
            "Histogram",
            ("bounding", "terms", "cells", "clipping", "noise", Field("asked", "asked", "None")),
        ),
        Cost: Form("Cost", ("epsilon", "delta")),
        ScaledSums: Form("ScaledSums", ("bounding", "family", "clipping", "noise")),
        ScaledScores: Form(
            "ScaledScores",
            (*("bounding", "term", "clipping", "neighbours", "descending", "epsilon", "count", "mechanism"),),
        ),
        Clipping: Form(
            "Clipping", ("limit", "bins", "weight", "groups", Field("quotients", "quotients", "False"))
        ),
        UnitBins: Form("UnitBins", ("lowest", "highest")),
        Noise: Form("Noise", ("mechanism", "budget", "neighbours", "nonnegative")),
        Neighbours: Members(
            "Neighbours",
            {
                Neighbours.ADD_REMOVE: "ADD_REMOVE: 'add_remove'",
                Neighbours.SUBSTITUTE: "SUBSTITUTE: 'substitute'",
            },
        ),
        Presence: Form(
            "Presence",
            (
                "bounding",
                "groups",
                "epsilon",
                "delta",
                "counted",
                Field("weights", "weights", "None"),
                Field("rows", "rows", "None"),
            ),
        ),
        Weights: Form("Weights", ("rho", "tail", "neighbours")),
        Scores: Form(
            "Scores", ("bounding", "term", "descending", "score_range", "epsilon", "count", "mechanism")
        ),
        Local: Form("Local", ("bounding", "columns")),
        LocalColumn: Form("LocalColumn", ("mechanism", "values", "epsilon")),
        Bins: Form("Bins", ("grid", "width", "bits")),
        Target: Form("Target", ("level", "inside", "score_range", "epsilon")),
        Ranks: Form("Ranks", ("bounding", "bins", "where", "targets")),
        Modes: Form("Modes", ("bounding", "arg", "where", "values", "score_range", "epsilon")),
        Sum: Members(
            "Sum",
            {
                Sum.ROWS: "ROWS: 'rows'",
                Sum.VALUES: "VALUES: 'values'",
                Sum.TOTAL: "TOTAL: 'total'",
                Sum.SHIFTED: "SHIFTED: 'shifted'",
                Sum.SQUARES: "SQUARES: 'squares'",
                Sum.PRODUCT: "PRODUCT: 'product'",
                Sum.DISTINCT: "DISTINCT: 'distinct'",
                Sum.DISTINCT_TOTAL: "DISTINCT_TOTAL: 'distinct total'",
                Sum.UNITS: "UNITS: 'units'",
            },
        ),
        Mechanism: Members(
            "Mechanism",
            {
                Mechanism.DISCRETE_LAPLACE: "DISCRETE_LAPLACE: 'discrete_laplace'",
                Mechanism.TRUNCATED_GEOMETRIC: "TRUNCATED_GEOMETRIC: 'truncated_geometric'",
                Mechanism.PERMUTE_AND_FLIP: "PERMUTE_AND_FLIP: 'permute_and_flip'",
                Mechanism.EXPONENTIAL: "EXPONENTIAL: 'exponential'",
                Mechanism.RANDOMIZED_RESPONSE: "RANDOMIZED_RESPONSE: 'randomized_response'",
                Mechanism.K_RANDOMIZED_RESPONSE: "K_RANDOMIZED_RESPONSE: 'k_randomized_response'",
                Mechanism.RAPPOR: "RAPPOR: 'rappor'",
                Mechanism.CUBE: "CUBE: 'cube'",
                Mechanism.DISCRETE_GAUSSIAN: "DISCRETE_GAUSSIAN: 'discrete_gaussian'",
                Mechanism.LAPLACE_THRESHOLDING: "LAPLACE_THRESHOLDING: 'laplace_thresholding'",
                Mechanism.WEIGHTED_SELECTION: "WEIGHTED_SELECTION: 'weighted_selection'",
            },
        ),
    }
)


def canonical(value: object) -> str:
    """The canonical text of a question, of parts that answer it or of its groups: what keys are digests of."""
    return releases().text(value)


@cache
def releases() -> Encoding:
    """The encoding of questions, their parts and their groups."""
    return Encoding(RELEASES)
