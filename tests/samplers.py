"""Stand-ins for the sampler: what they draw follows from three choices of their own."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from dpsql.mechanisms.partition.thresholding import NoisyGroups


class StandIn(ABC):
    """A Sampler that draws all noise in one way, keeps groups in one way, and answers row by row as it is."""

    @abstractmethod
    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: object) -> np.ndarray:
        """The values with what stands for noise of every law."""

    @abstractmethod
    def kept(self, groups: np.ndarray) -> np.ndarray:
        """Which groups are kept, by how many units they have, or by their weights."""

    @abstractmethod
    def best(self, scores: np.ndarray) -> int:
        """The place that is chosen."""

    def refine(self, values: np.ndarray, coarse: np.ndarray, **law: object) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=1, epsilon=1)

    def coarsen(self, fine: np.ndarray, **law: object) -> np.ndarray:
        return self.discrete_laplace(fine, sensitivity=1, epsilon=1)

    def between(self, coarse: np.ndarray, fine: np.ndarray, **law: object) -> np.ndarray:
        return self.discrete_laplace(fine, sensitivity=1, epsilon=1)

    def cube(self, values: np.ndarray, *, sensitivity: int, epsilon: object, widths: object) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=sensitivity, epsilon=epsilon)

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: object, rho: object
    ) -> np.ndarray:
        return self.discrete_laplace(values, sensitivity=1, epsilon=rho)

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: object, delta: object, groups_per_unit: int
    ) -> np.ndarray:
        return self.kept(unit_counts)

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: object,
        delta: object,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        kept = np.flatnonzero(self.kept(unit_counts))
        return NoisyGroups(kept, unit_counts[kept])

    def select_by_weights(
        self, weights: np.ndarray, *, rho: object, delta: object, groups_per_unit: int, neighbours: object
    ) -> np.ndarray:
        return self.kept(weights)

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: object, score_range: int) -> int:
        return self.best(scores)

    def exponential_mechanism(
        self, scores: np.ndarray, *, epsilon: object, score_range: int, weights: object = None
    ) -> int:
        return self.best(scores)

    def randomized_response(self, bits: np.ndarray, *, epsilon: object) -> np.ndarray:
        return bits

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return values

    def rappor(self, values: np.ndarray, *, k: int, epsilon: object) -> np.ndarray:
        return (values[..., None] == np.arange(k)).astype(np.int8)

    def random_order(self, size: int) -> np.ndarray:
        return np.arange(size)
