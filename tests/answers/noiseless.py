"""Sessions whose sampler adds no noise, so that an answer is a fact about the plan and not about chance."""

from __future__ import annotations

import numpy as np

from dpsql.mechanisms.partition.thresholding import NoisyGroups
from dpsql.mechanisms.partition.weighted_selection import key_weight


class Noiseless:
    """A Sampler that adds nothing; groups of private keys are kept where they have `least` units or more.

    By weights: where they have the weight of so many units that are each in two groups.
    """

    def __init__(self, least: int = 1) -> None:
        self.least = least
        self.asked: list[str] = []

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        self.asked.append("discrete_laplace")
        return values

    def refine(self, values: np.ndarray, coarse: np.ndarray, **law: object) -> np.ndarray:
        self.asked.append("refine")
        return values

    def coarsen(self, fine: np.ndarray, **law: object) -> np.ndarray:
        self.asked.append("coarsen")
        return fine

    def between(self, coarse: np.ndarray, fine: np.ndarray, **law: object) -> np.ndarray:
        self.asked.append("between")
        return fine

    def cube(self, values: np.ndarray, *, sensitivity: int, epsilon: object, widths: object) -> np.ndarray:
        self.asked.append("cube")
        return values

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: object, rho: object
    ) -> np.ndarray:
        self.asked.append("discrete_gaussian")
        return values

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: object, delta: object, groups_per_unit: int
    ) -> np.ndarray:
        self.asked.append("select_partitions")
        return unit_counts >= self.least

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: object,
        delta: object,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        self.asked.append("laplace_thresholding")
        kept = np.flatnonzero(unit_counts >= self.least)
        return NoisyGroups(kept, unit_counts[kept])

    def select_by_weights(
        self, weights: np.ndarray, *, rho: object, delta: object, groups_per_unit: int, neighbours: object
    ) -> np.ndarray:
        self.asked.append("select_by_weights")
        return weights >= self.least * key_weight(2)

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: object, score_range: int) -> int:
        self.asked.append("permute_and_flip")
        return int(np.argmax(scores))

    def exponential_mechanism(
        self, scores: np.ndarray, *, epsilon: object, score_range: int, weights: object = None
    ) -> int:
        self.asked.append("exponential_mechanism")
        return int(np.argmax(scores))

    def randomized_response(self, bits: np.ndarray, *, epsilon: object) -> np.ndarray:
        self.asked.append("local")
        return bits

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        self.asked.append("local")
        return values

    def rappor(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        self.asked.append("local")
        return (values[..., None] == np.arange(k)).astype(np.int8)

    def random_order(self, size: int) -> np.ndarray:
        return np.arange(size)
