"""Exact mechanisms of differential privacy on integers: noise, selection, and selection of private keys.

One file each, with what it requires, what it guarantees and why; all randomness comes from `coins`.
"""

from dpsql.mechanisms.coins import Coins
from dpsql.mechanisms.discrete_laplace import discrete_laplace, interval_half_width, tail, variance
from dpsql.mechanisms.exponential import exponential_mechanism
from dpsql.mechanisms.noisy_max import permute_and_flip
from dpsql.mechanisms.partition_selection import keep_probability, select_partitions, threshold
from dpsql.mechanisms.sampler import ExactSampler, Sampler

__all__ = [
    "Coins",
    "ExactSampler",
    "Sampler",
    "discrete_laplace",
    "exponential_mechanism",
    "interval_half_width",
    "keep_probability",
    "permute_and_flip",
    "select_partitions",
    "tail",
    "threshold",
    "variance",
]
