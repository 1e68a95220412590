"""Exact mechanisms of differential privacy on integers: noise, selection, and selection of private keys.

One file each, with what it requires, what it guarantees and why; all randomness comes from `coins`.
"""

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.composition import Guarantee
from dpsql.mechanisms.cube import cube
from dpsql.mechanisms.discrete_gaussian import discrete_gaussian
from dpsql.mechanisms.discrete_laplace import (
    discrete_laplace,
    geometric_mechanism,
    interval_half_width,
    tail,
    variance,
)
from dpsql.mechanisms.exponential import exponential_mechanism
from dpsql.mechanisms.k_randomized_response import k_randomized_response
from dpsql.mechanisms.noisy_max import permute_and_flip
from dpsql.mechanisms.partition_selection import keep_probability, select_partitions, threshold
from dpsql.mechanisms.randomized_response import randomized_response, two_coin_response
from dpsql.mechanisms.rappor import rappor
from dpsql.mechanisms.sampler import ExactSampler, Sampler

__all__ = [
    "Coins",
    "ExactSampler",
    "Guarantee",
    "Sampler",
    "cube",
    "discrete_gaussian",
    "discrete_laplace",
    "exponential_mechanism",
    "geometric_mechanism",
    "interval_half_width",
    "k_randomized_response",
    "keep_probability",
    "permute_and_flip",
    "randomized_response",
    "rappor",
    "select_partitions",
    "tail",
    "threshold",
    "two_coin_response",
    "variance",
]
