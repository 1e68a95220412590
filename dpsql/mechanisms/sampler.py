"""What draws noise for a release: a Sampler; ExactSampler is the one that protects data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn, Protocol

import numpy as np

from dpsql.mechanisms.coins import Booleans, Coins, IntegerArray
from dpsql.mechanisms.exact.random_order import random_order
from dpsql.mechanisms.local.k_randomized_response import k_randomized_response
from dpsql.mechanisms.local.randomized_response import randomized_response
from dpsql.mechanisms.local.rappor import rappor
from dpsql.mechanisms.noise.cube import cube
from dpsql.mechanisms.noise.discrete_gaussian import discrete_gaussian
from dpsql.mechanisms.noise.discrete_laplace import DiscreteLaplace, Laws, discrete_laplace
from dpsql.mechanisms.noise.noise_path import between, coarsen
from dpsql.mechanisms.noise.refinement import refine
from dpsql.mechanisms.parameters import Rational
from dpsql.mechanisms.partition.partition_selection import select_partitions
from dpsql.mechanisms.partition.thresholding import NoisyGroups, laplace_thresholding
from dpsql.mechanisms.partition.weighted_selection import select_by_weights
from dpsql.mechanisms.selection.exponential import exponential_mechanism
from dpsql.mechanisms.selection.noisy_max import permute_and_flip
from dpsql.privacy import Neighbours

CACHED_LAWS = 256


class Sampler(Protocol):
    """Every mechanism a release may use; each method has the contract of the function of its name."""

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: Rational) -> IntegerArray:
        """The values plus discrete Laplace noise."""

    def refine(
        self, values: np.ndarray, coarse: np.ndarray, *, sensitivity: int, epsilon: Rational, finer: Rational
    ) -> IntegerArray:
        """The values with discrete Laplace noise at `finer`, given their release at `epsilon`."""

    def coarsen(
        self, fine: np.ndarray, *, sensitivity: int, epsilon: Rational, finer: Rational
    ) -> IntegerArray:
        """A release at `epsilon` from one at `finer`."""

    def between(
        self,
        coarse: np.ndarray,
        fine: np.ndarray,
        *,
        sensitivity: int,
        epsilon: Rational,
        middle: Rational,
        finer: Rational,
    ) -> IntegerArray:
        """A release at `middle` from those at `epsilon` and at `finer`."""

    def cube(
        self, values: np.ndarray, *, sensitivity: int, epsilon: Rational, widths: Sequence[int]
    ) -> IntegerArray:
        """The vectors along the last axis plus noise of the cube mechanism."""

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: Rational, rho: Rational
    ) -> IntegerArray:
        """The values plus discrete Gaussian noise."""

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: Rational, delta: Rational, groups_per_unit: int
    ) -> Booleans:
        """Which groups of private keys are kept."""

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: Rational,
        delta: Rational,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        """Which groups of private keys are released, and their noisy numbers of units, or of rows of units."""

    def select_by_weights(
        self,
        weights: np.ndarray,
        *,
        rho: Rational,
        delta: Rational,
        groups_per_unit: int,
        neighbours: Neighbours,
    ) -> Booleans:
        """Which groups of private keys are shown, by the weights that their units give them."""

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: Rational, score_range: int) -> int:
        """The index of a candidate, all of them counting alike."""

    def exponential_mechanism(
        self, scores: np.ndarray, *, epsilon: Rational, score_range: int, weights: Sequence[int] | None = None
    ) -> int:
        """The index of a candidate, by weight."""

    def randomized_response(self, bits: np.ndarray, *, epsilon: Rational) -> IntegerArray:
        """Each bit, flipped or not."""

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: Rational) -> IntegerArray:
        """Each value out of k, kept or replaced."""

    def rappor(self, values: np.ndarray, *, k: int, epsilon: Rational) -> np.ndarray:
        """k noisy bits for each value."""

    def random_order(self, size: int) -> np.ndarray:
        """The places of so many rows, in random order."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExactSampler:
    """The mechanisms on the operating system's randomness, with the tables of recent noise laws kept.

    Safe to share between threads and across a fork. It shows nothing of itself and can be neither copied nor pickled.
    """

    coins: Coins = field(default_factory=Coins)
    _laws: Laws = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_laws", lru_cache(maxsize=CACHED_LAWS)(DiscreteLaplace.of))

    def discrete_laplace(self, values: np.ndarray, *, sensitivity: int, epsilon: Rational) -> IntegerArray:
        return discrete_laplace(
            values, sensitivity=sensitivity, epsilon=epsilon, coins=self.coins, laws=self._laws
        )

    def refine(
        self, values: np.ndarray, coarse: np.ndarray, *, sensitivity: int, epsilon: Rational, finer: Rational
    ) -> IntegerArray:
        return refine(values, coarse, sensitivity=sensitivity, epsilon=epsilon, finer=finer, coins=self.coins)

    def coarsen(
        self, fine: np.ndarray, *, sensitivity: int, epsilon: Rational, finer: Rational
    ) -> IntegerArray:
        return coarsen(fine, sensitivity=sensitivity, epsilon=epsilon, finer=finer, coins=self.coins)

    def between(
        self,
        coarse: np.ndarray,
        fine: np.ndarray,
        *,
        sensitivity: int,
        epsilon: Rational,
        middle: Rational,
        finer: Rational,
    ) -> IntegerArray:
        return between(
            *(coarse, fine),
            sensitivity=sensitivity,
            epsilon=epsilon,
            middle=middle,
            finer=finer,
            coins=self.coins,
        )

    def cube(
        self, values: np.ndarray, *, sensitivity: int, epsilon: Rational, widths: Sequence[int]
    ) -> IntegerArray:
        return cube(
            values, sensitivity=sensitivity, epsilon=epsilon, widths=widths, coins=self.coins, laws=self._laws
        )

    def discrete_gaussian(
        self, values: np.ndarray, *, squared_sensitivity: Rational, rho: Rational
    ) -> IntegerArray:
        return discrete_gaussian(
            values, squared_sensitivity=squared_sensitivity, rho=rho, coins=self.coins, laws=self._laws
        )

    def select_partitions(
        self, unit_counts: np.ndarray, *, epsilon: Rational, delta: Rational, groups_per_unit: int
    ) -> Booleans:
        return select_partitions(
            unit_counts,
            epsilon=epsilon,
            delta=delta,
            groups_per_unit=groups_per_unit,
            coins=self.coins,
            laws=self._laws,
        )

    def laplace_thresholding(
        self,
        unit_counts: np.ndarray,
        *,
        epsilon: Rational,
        delta: Rational,
        groups_per_unit: int,
        rows_per_unit: int | None = None,
    ) -> NoisyGroups:
        return laplace_thresholding(
            unit_counts,
            epsilon=epsilon,
            delta=delta,
            groups_per_unit=groups_per_unit,
            rows_per_unit=rows_per_unit,
            coins=self.coins,
            laws=self._laws,
        )

    def select_by_weights(
        self,
        weights: np.ndarray,
        *,
        rho: Rational,
        delta: Rational,
        groups_per_unit: int,
        neighbours: Neighbours,
    ) -> Booleans:
        return select_by_weights(
            weights,
            rho=rho,
            delta=delta,
            groups_per_unit=groups_per_unit,
            neighbours=neighbours,
            coins=self.coins,
            laws=self._laws,
        )

    def permute_and_flip(self, scores: np.ndarray, *, epsilon: Rational, score_range: int) -> int:
        return permute_and_flip(scores, epsilon=epsilon, score_range=score_range, coins=self.coins)

    def exponential_mechanism(
        self, scores: np.ndarray, *, epsilon: Rational, score_range: int, weights: Sequence[int] | None = None
    ) -> int:
        return exponential_mechanism(
            scores, epsilon=epsilon, score_range=score_range, weights=weights, coins=self.coins
        )

    def randomized_response(self, bits: np.ndarray, *, epsilon: Rational) -> IntegerArray:
        return randomized_response(bits, epsilon=epsilon, coins=self.coins)

    def k_randomized_response(self, values: np.ndarray, *, k: int, epsilon: Rational) -> IntegerArray:
        return k_randomized_response(values, k=k, epsilon=epsilon, coins=self.coins)

    def rappor(self, values: np.ndarray, *, k: int, epsilon: Rational) -> np.ndarray:
        return rappor(values, k=k, epsilon=epsilon, coins=self.coins)

    def random_order(self, size: int) -> np.ndarray:
        return random_order(size, coins=self.coins)

    def __repr__(self) -> str:
        return "ExactSampler()"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a sampler can be neither copied nor pickled; make another one")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__reduce_ex__(0)

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(0)
