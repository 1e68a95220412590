"""Defects of other spellings of the same: an answer to another question than was asked."""

from __future__ import annotations

from mutants.mutant import one

EXPLAINED = ("tests/attacks/test_attacks.py", "-k", "explain")
ESCAPED = ("tests/answers/test_cases.py", "-k", "ESCAPE")
SERIES = ("tests/answers/test_recursive_series.py",)
READ = ("tests/sql/test_text_spellings.py",)

PIVOT = ("tests/sql/test_pivot.py",)
MUTANTS = (
    one(
        "a PIVOT that makes as many copies of an aggregate as fit in a text",
        "dpsql/sql/normalize/pivot.py",
        "    _check_size(found)\n",
        "",
        PIVOT,
    ),
    one(
        "a PIVOT by one of its lists alone",
        "dpsql/sql/normalize/pivot.py",
        "    only = exp.and_(*conditions, copy=False)\n",
        "    only = conditions[0]\n",
        PIVOT,
    ),
    one(
        "a series that counts itself ends early",
        "dpsql/sql/normalize/recursive_series.py",
        "exp.LTE: le,",
        "exp.LTE: lt,",
        SERIES,
    ),
    one(
        "a series that counts itself keeps the hours of a day",
        "dpsql/sql/normalize/recursive_series.py",
        "if isinstance(value, datetime) and kind is date:",
        "if isinstance(value, datetime) and kind is int:",
        SERIES,
    ),
    one(
        "NOT before LIKE with ESCAPE left out",
        "dpsql/sql/bind/binder.py",
        "return _negated(match, self._apply(",
        "return (self._apply(",
        ESCAPED,
    ),
    one(
        "a semicolon between dollars that ends a statement",
        "dpsql/sql/lex/text.py",
        "end = sql.find(piece.group(), at) if all_close else -1",
        "end = -1",
        READ,
    ),
    one(
        "a word beside a string between dollars",
        "dpsql/sql/lex/text.py",
        '    if around:\n        raise refuse_text(sql, start, "a string between dollars touches',
        '    if around and start < 0:\n        raise refuse_text(sql, start, "a string between dollars touches',
        READ,
    ),
    one(
        "an EXPLAIN VERBOSE that asks the question and pays for it",
        "dpsql/sql/lex/text.py",
        "asked = Explain.VERBOSE if explain.group(2) else",
        "asked = Explain.NO if explain.group(2) else",
        EXPLAINED,
    ),
    one(
        "an option beside VERBOSE is passed over",
        "dpsql/sql/lex/text.py",
        "    if explain.group(3) or explain.group(4):\n",
        "    if explain.group(3):\n",
        EXPLAINED,
    ),
    one(
        "EXPLAIN and EXPLAIN VERBOSE have one plan",
        "dpsql/sql/lex/text.py",
        '("", "EXPLAIN", "EXPLAIN VERBOSE")',
        '("", "EXPLAIN", "EXPLAIN")',
        ("tests/plan/test_planned_once.py",),
    ),
)
