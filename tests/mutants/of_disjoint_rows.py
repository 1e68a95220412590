"""Small defects of what is proven of conditions, and of the noise of what they tell apart."""

from __future__ import annotations

from mutants.mutant import one

PROOFS = ("tests/plan/test_exclusive.py",)
FAMILIES = ("tests/plan/test_disjoint.py",)
ANSWERS = ("tests/answers/test_cases.py", "-k", "families")

MUTANTS = (
    one(
        "the share of a condition that may be NULL taken for that of the rows that have it",
        "dpsql/plan/sums/cases.py",
        'apply("case", (arg.args[0], _ONE, _ZERO))',
        "cast(arg.args[0], SqlType.INTEGER)",
        (*ANSWERS, "--every-case"),
    ),
    one(
        "at least a constant taken for above it",
        "dpsql/plan/sums/exclusive.py",
        '"ge": -at}',
        '"ge": -2 * at}',
        PROOFS,
    ),
    one(
        "what is not true taken for false, though it may be NULL",
        "dpsql/plan/sums/exclusive.py",
        "return _Truth(t.true, t.false | t.null, 0)",
        "return _Truth(t.true, t.false, 0)",
        PROOFS,
    ),
    one(
        "a condition that may be true of some values taken to imply another",
        "dpsql/plan/sums/exclusive.py",
        "(truth.false | truth.null)",
        "truth.null",
        PROOFS,
    ),
    one(
        "conditions that two of three share nothing with taken to exclude each other",
        "dpsql/plan/sums/disjoint_rows.py",
        "if all(self._apart(options[i], options[j]) for j in g)",
        "if any(self._apart(options[i], options[j]) for j in g)",
        FAMILIES,
    ),
    one(
        "persons counted under two conditions as if they were rows",
        "dpsql/plan/sums/disjoint_rows.py",
        "return any(t.sum is Sum.UNITS for t in option.family.terms)",
        "return False",
        FAMILIES,
    ),
    one(
        "noise of one width for all cells",
        "dpsql/release/draw/noise.py",
        "    if len(set(family.widths)) > 1:\n",
        "    if False:\n",
        FAMILIES,
    ),
    one(
        "an earlier branch of a CASE forgotten",
        "dpsql/plan/sums/cases.py",
        "for when in whens[:at])",
        "for when in whens[:0])",
        ANSWERS,
    ),
    one(
        "ELSE 0 left out of an average",
        "dpsql/plan/sums/cases.py",
        "aggregate in _SUMS and value.value == 0",
        "value.value == 0",
        FAMILIES,
    ),
    one(
        "a row that satisfies two conditions not looked at",
        "dpsql/plan/verify/cost_rows.py",
        "        if all(more.left) and not",
        "        if len(more.true) < 2 and not",
        FAMILIES,
    ),
)
