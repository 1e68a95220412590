"""Small defects by which one unit's rows or texts decide whether, or when, a query is answered."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

HEAVY = ("tests/attacks/test_heavy_units.py", "-m", "not slow")
SUMS = ("tests/plan/test_bounded_sums.py",)
REGEX = ("tests/functions/test_regex.py",)

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "the rows of a heavy unit are listed as a whole",
        (
            Edit(
                "dpsql/engines/sqlgen/bounding.py",
                "MOST_ROWS, LEAST_ROWS = 10_000, 1_000",
                "MOST_ROWS, LEAST_ROWS = 999_999, 999_999",
            ),
        ),
        HEAVY,
    ),
    one(
        "a unit that is too big to be listed counts with all of its rows",
        "dpsql/engines/sqlgen/single.py",
        "every = self._side(but_big(self._owned(self.names, self.unchecked), units))",
        "every = self._side(Rows(self._owned(self.names, self.unchecked), (units,)))",
        SUMS,
    ),
    one(
        "big units are ordered by their table's columns where all columns in reach decide",
        "dpsql/engines/sqlgen/single.py",
        "in_reach = content_terms([flat(c) for c in self.task.in_reach], self.table.salt)",
        "in_reach = content_terms([flat(c) for c in self._own()], self.table.salt)",
        SUMS,
    ),
    one(
        "the first rows are those of the least hash, whatever they hold",
        "dpsql/engines/sqlgen/first.py",
        "dict.fromkeys([*order, *columns])",
        "dict.fromkeys([*order[:1], *columns[::-1]])",
        ("tests/plan/test_first_rows.py",),
    ),
    one(
        "every match of any pattern is replaced in any text",
        "dpsql/algebra/functions/text/splitting.py",
        "if not once and (",
        "if once and (",
        REGEX,
    ),
    one(
        "a loop beside | is taken for one that every match passes",
        "dpsql/algebra/functions/text/regex.py",
        "self.tangled |= len(sizes) > 1 and self.loops > loops",
        "self.tangled |= False",
        REGEX,
    ),
    one(
        "the length of any text is a range for a sum",
        "dpsql/plan/sums/grids.py",
        "return not _lengths(arg, shape) or interval ==",
        "return True or interval ==",
        ("tests/plan/test_lengths.py",),
    ),
)
