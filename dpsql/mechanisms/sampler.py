"""What draws noise for a release: a Sampler; ExactSampler is the one that protects data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Concatenate, NoReturn, ParamSpec, Protocol, TypeVar

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
from dpsql.slotted import dataclass

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


P = ParamSpec("P")
R = TypeVar("R")


def _drawn(mechanism: Callable[P, R]) -> Callable[Concatenate[ExactSampler, P], R]:
    """A mechanism as a method that draws from the sampler's coins."""

    def method(self: ExactSampler, /, *args: P.args, **given: P.kwargs) -> R:
        given.update(coins=self.coins)
        return mechanism(*args, **given)

    return method


def _by_laws(mechanism: Callable[P, R]) -> Callable[Concatenate[ExactSampler, P], R]:
    """The same of a mechanism that keeps tables of laws."""

    def method(self: ExactSampler, /, *args: P.args, **given: P.kwargs) -> R:
        given.update(coins=self.coins, laws=self._laws)
        return mechanism(*args, **given)

    return method


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExactSampler:
    """The mechanisms on the operating system's randomness, with the tables of recent noise laws kept.

    Safe to share between threads and across a fork. It shows nothing of itself and can be neither copied nor pickled.
    """

    coins: Coins = field(default_factory=Coins)
    _laws: Laws = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_laws", lru_cache(maxsize=CACHED_LAWS)(DiscreteLaplace.of))

    discrete_laplace = _by_laws(discrete_laplace)
    refine = _drawn(refine)
    coarsen = _drawn(coarsen)
    between = _drawn(between)
    cube = _by_laws(cube)
    discrete_gaussian = _by_laws(discrete_gaussian)
    select_partitions = _by_laws(select_partitions)
    laplace_thresholding = _by_laws(laplace_thresholding)
    select_by_weights = _by_laws(select_by_weights)
    permute_and_flip = _drawn(permute_and_flip)
    exponential_mechanism = _drawn(exponential_mechanism)
    randomized_response = _drawn(randomized_response)
    k_randomized_response = _drawn(k_randomized_response)
    rappor = _drawn(rappor)
    random_order = _drawn(random_order)

    def __repr__(self) -> str:
        return "ExactSampler()"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("a sampler can be neither copied nor pickled; make another one")

    def __deepcopy__(self, memo: object) -> NoReturn:
        self.__reduce_ex__(0)

    def __copy__(self) -> NoReturn:
        self.__reduce_ex__(0)
