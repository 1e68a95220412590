"""Small defects of sums under a unit total."""

from __future__ import annotations

from mutants.mutant import Mutant, one

TOTALS = ("tests/plan/test_totals.py",)
SUMS = ("tests/plan/test_bounded_sums.py", "-k", "unit_total")

MUTANTS: tuple[Mutant, ...] = (
    one(
        "a multiple of a clipped column may be larger than its share",
        "dpsql/rewrite/totals.py",
        "return _clipped(self.name(self._times(k, f)), self.name(k), self.grid.share)",
        "return self.name(self._times(k, f))",
        TOTALS,
    ),
    one(
        "what clipping takes off a column is multiplied, and not what it takes off the multiple",
        "dpsql/rewrite/aggregate.py",
        "return f\"({value.of(whole)} - {value.of(f'({whole} - {k})')})\" if whole else value.of(k)",
        'return f"(2 * {value.of(k)})" if whole else value.of(k)',
        SUMS,
    ),
    one(
        "multiples over rows that exclude each other reach what the lesser one does",
        "dpsql/plan/disjoint.py",
        "sensitivity=max(o.family.sensitivity for o in options))",
        "sensitivity=min(o.family.sensitivity for o in options))",
        TOTALS,
    ),
    one(
        "a multiple of a column reaches no more than the column",
        "dpsql/plan/totals.py",
        "max(int(total.limit * share), 1)",
        "max(total.limit, 1)",
        TOTALS,
    ),
    one(
        "a multiple of a column is checked as if it were the column",
        "dpsql/plan/cost.py",
        "return int(total.limit * share) * found.fan_out",
        "return int(total.limit) * found.fan_out",
        TOTALS,
    ),
)
