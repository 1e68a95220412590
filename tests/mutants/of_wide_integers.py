"""Small defects of how integers are stored: of sums near 2^62 it must not show whether they fit 64 bits."""

from __future__ import annotations

from mutants.mutant import one

ROUNDED = ("tests/plan/test_perform.py", "-k", "however_cells_are_stored")
STORED = ("tests/plan/test_perform.py", "-k", "by_their_own_size")

MUTANTS = (
    one(
        "noisy cells in the form of the exact ones",
        "dpsql/release/draw/noise.py",
        "    return by_size(_drawn(family, cells, sampler))\n",
        "    return _drawn(family, cells, sampler)\n",
        STORED,
    ),
    one(
        "stored cells in the form that they were written in",
        "dpsql/release/draw/noise.py",
        "by_size(flat).reshape(",
        "flat.reshape(",
        STORED,
    ),
    one(
        "whole numbers rounded in 64 bits",
        "dpsql/release/estimate/measures.py",
        "    return numerators.tolist(), denominator\n",
        "    return list(numerators), denominator\n",
        ROUNDED,
    ),
)
