"""Exact mechanisms of differential privacy on integers: noise, selection, and selection of private keys.

One file each, with what it requires, what it guarantees and why; all randomness comes from `coins`. Every function
raises ValueError or TypeError for parameters out of range.
"""

from dpsql.mechanisms.analysis.composition import Guarantee
from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.exact.random_order import random_order
from dpsql.mechanisms.local.k_randomized_response import k_randomized_response
from dpsql.mechanisms.local.randomized_response import randomized_response, two_coin_response
from dpsql.mechanisms.local.rappor import rappor
from dpsql.mechanisms.noise.cube import cube
from dpsql.mechanisms.noise.discrete_gaussian import discrete_gaussian
from dpsql.mechanisms.noise.discrete_laplace import (
    discrete_laplace,
    geometric_mechanism,
    interval_half_width,
    tail,
    variance,
)
from dpsql.mechanisms.noise.noise_path import between, coarsen
from dpsql.mechanisms.noise.propose_test_release import propose_test_release
from dpsql.mechanisms.noise.refinement import refine
from dpsql.mechanisms.noise.smooth_sensitivity import smooth_median
from dpsql.mechanisms.partition.partition_selection import keep_probability, select_partitions, threshold
from dpsql.mechanisms.partition.thresholding import gaussian_thresholding, laplace_thresholding
from dpsql.mechanisms.partition.weighted_selection import select_by_weights
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.mechanisms.selection.exponential import exponential_mechanism
from dpsql.mechanisms.selection.noisy_max import permute_and_flip, report_noisy_max, top_k
from dpsql.mechanisms.selection.quantile import quantile, quantiles
from dpsql.mechanisms.selection.sparse_vector import above_threshold, sparse_vector

__all__ = [
    "Coins",
    "ExactSampler",
    "Guarantee",
    "Sampler",
    "above_threshold",
    "between",
    "coarsen",
    "cube",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_mechanism",
    "gaussian_thresholding",
    "geometric_mechanism",
    "interval_half_width",
    "k_randomized_response",
    "keep_probability",
    "laplace_thresholding",
    "permute_and_flip",
    "propose_test_release",
    "quantile",
    "quantiles",
    "random_order",
    "randomized_response",
    "rappor",
    "refine",
    "report_noisy_max",
    "select_by_weights",
    "select_partitions",
    "smooth_median",
    "sparse_vector",
    "tail",
    "threshold",
    "top_k",
    "two_coin_response",
    "variance",
]
