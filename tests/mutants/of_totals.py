"""Small defects of sums under a unit total."""

from __future__ import annotations

from mutants.mutant import Mutant, one

TOTALS = ("tests/plan/test_totals.py",)
SUMS = ("tests/plan/test_bounded_sums.py", "-k", "unit_total")

MUTANTS: tuple[Mutant, ...] = (
    one(
        "a multiple of a clipped column may be larger than its share",
        "dpsql/engines/sqlgen/inherited_totals.py",
        "return _clipped(self.name(value), self.name(k), self.grid.reach[at].share)",
        "return self.name(value)",
        TOTALS,
    ),
    one(
        "what clipping takes off a column is multiplied, and not what it takes off the multiple",
        "dpsql/engines/sqlgen/inherited_totals.py",
        "lost = f\"({self._part(at, whole)} - {self._part(at, f'({whole} - {off})')})\"",
        "lost = self._part(at, off)",
        SUMS,
    ),
    one(
        "a unit spends all of its totals in one of the sums that exclude each other",
        "dpsql/plan/sums/disjoint_rows.py",
        "return sum(max(r.most for r in reach) for reach in by_total)",
        "return max(sum(r.most for r in g.reach) for g in grids)",
        TOTALS,
    ),
    one(
        "a multiple of a column reaches no more than the column",
        "dpsql/plan/sums/unit_totals.py",
        "max(int(p.total.limit * s), 1)",
        "max(p.total.limit, 1)",
        TOTALS,
    ),
    one(
        "a multiple of a column is checked as if it were the column",
        "dpsql/plan/verify/cost.py",
        "sum(int(total.limit * share) for total, share in every)",
        "sum(int(total.limit) for total, share in every)",
        TOTALS,
    ),
    one(
        "a row that is a unit is not clipped to its total",
        "dpsql/engines/sqlgen/bounding.py",
        "    if table.info.row_is_unit:",
        "    if False:",
        SUMS,
    ),
    one(
        "a value of two columns is clipped in one of them only",
        "dpsql/engines/sqlgen/single.py",
        "for i, t in enumerate(totals)]",
        "for i, t in enumerate(totals[:1])]",
        ("tests/plan/test_bounded_sums.py", "-k", "two_columns"),
    ),
)
