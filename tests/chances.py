"""Judging how often something came about in real draws, so that chance alone never fails a test.

Noise has no seed, and there are thousands of tests: one that chance fails once in a thousand runs is seen to fail.
"""

from __future__ import annotations

from scipy import stats

ALARM = 1e-11


def is_share_between(low: float, high: float, hits: int, draws: int) -> bool:
    """Whether so many hits are no surprise at a chance from `low` to `high`: each side is wrong once in 10^11 times."""
    few = stats.binomtest(hits, draws, low, alternative="less").pvalue
    many = stats.binomtest(hits, draws, high, alternative="greater").pvalue
    return bool(few > ALARM and many > ALARM)
