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
        "sums of many groups as 64 bits",
        "dpsql/engines/sqlgen/grouped_terms.py",
        "if all(t.sum in _COUNTS for t in task.terms):",
        "if task.terms:",
        ("tests/engines/test_wide_sums.py",),
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
