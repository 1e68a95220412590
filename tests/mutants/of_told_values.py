"""Defects of values that the keys of a group tell: taken from a public table where private rows decide."""

from __future__ import annotations

from mutants.mutant import one

TOLD = ("tests/sql/test_told_by_keys.py",)
BY_RELEASES = ("tests/sql/test_told_by_releases.py",)
RELEASES = "dpsql/sql/aggregation/told_by_releases.py"
PASS = "dpsql/sql/aggregation/told_by_keys.py"

MUTANTS = (
    one(
        "the best of two groups for nothing",
        "dpsql/plan/analyzed_question.py",
        "len(domain) > 1",
        "len(domain) > 2",
        ("tests/answers/test_cases.py", "-k", "selection"),
    ),
    one(
        "a column of a public table that several rows share tells them apart",
        "dpsql/engines/public_engine.py",
        "any(self.fan_out(table, (name,)) <= 1",
        "any(self.fan_out(table, (name,)) >= 1",
        ("tests/engines/test_fan_out.py",),
    ),
    one(
        "a key of several rows that tells a value",
        PASS,
        "catalog.public.fan_out(info.name, names) <= 1",
        "catalog.public.fan_out(info.name, names) >= 1",
        TOLD,
    ),
    one(
        "the NULL of several rows taken for a key",
        PASS,
        "for c in info.columns if not c.fact.nullable}",
        "for c in info.columns}",
        TOLD,
    ),
    one(
        "any comparison taken for equality with a key",
        PASS,
        'isinstance(part, Call) and part.op == "eq"',
        "isinstance(part, Call) and len(part.args) == 2",
        TOLD,
    ),
    one(
        "an outer join with a condition of its own is taken for one that every row of a group passes",
        RELEASES,
        "elif len(pairs) < len(on):",
        "elif not on:",
        BY_RELEASES,
    ),
    one(
        "a released row is told by some of what tells it apart",
        RELEASES,
        "if node.key <= pairs.keys():",
        "if node.key & pairs.keys() or not node.key:",
        BY_RELEASES,
    ),
    one(
        "a released row is told by any comparison",
        RELEASES,
        'isinstance(part, Call) and part.op in ("eq", "is_not_distinct")',
        "isinstance(part, Call) and len(part.args) == 2",
        BY_RELEASES,
    ),
    one(
        "a column of a told row need not be grouped by",
        RELEASES,
        "if column is node and found not in self.told:",
        "if column is node and found in self.keys:",
        BY_RELEASES,
    ),
    one(
        "a group of NULL has the row of NULL, which equality never meets",
        RELEASES,
        "same = exp.NullSafeEQ if",
        "same = exp.NullSafeEQ if True or",
        BY_RELEASES,
    ),
    one(
        "a released value of any size is added up",
        "dpsql/plan/sums/grids.py",
        "c.scan in released and _is_wide",
        "c.scan in () and _is_wide",
        BY_RELEASES,
    ),
    one(
        "a bound text that is no value is compared with",
        "dpsql/stages/prepare.py",
        "    write_bound_texts(statement.tree, values)\n",
        "",
        ("tests/answers/test_unreadable_texts.py",),
    ),
    one(
        "a number or day that no row has is compared with as NULL",
        "dpsql/algebra/functions/casts.py",
        "        check_held(str(expr.value), to)\n",
        "",
        ("tests/answers/test_unreadable_texts.py",),
    ),
    one(
        "an infinite day is taken for the last of the year 9999",
        "dpsql/sql/bind/mark_joins.py",
        " or value.type.value in ungiven",
        "",
        ("tests/answers/test_unreadable_texts.py",),
    ),
    one(
        "texts that are no values are compared with on the connections of tools",
        "dpsql/stages/prepare.py",
        "    check_texts(nodes, lambda text: _public(text, s))\n",
        "    if options.checks_literals:\n        check_texts(nodes, lambda text: _public(text, s))\n",
        ("tests/answers/test_unreadable_texts.py",),
    ),
    one(
        "the start of the next unit is left out of what a moment's floor says",
        "dpsql/algebra/functions/narrow.py",
        "truncated(unit, start + _LONGEST[unit])",
        "start",
        ("tests/plan/test_narrowed_times.py",),
    ),
    one(
        "a constant that is computed is taken for its greatest value",
        "dpsql/algebra/functions/narrow.py",
        'columns = _bounded(columns, side, "ge" if op == "eq" else op, other.lo)',
        'columns = _bounded(columns, side, "ge" if op == "eq" else op, other.hi)',
        ("tests/plan/test_narrowed_times.py",),
    ),
    one(
        "a released sum of a subquery that is asked to be NULL, which it never is",
        "dpsql/sql/split/public_checks.py",
        "    check_null_tests(tree, questions)\n",
        "",
        ("tests/answers/test_cases.py", "-k", "refused and region and AS and t and IS"),
    ),
    one(
        "a column that may be NULL is told to be none",
        "dpsql/sql/aggregation/told_by_facts.py",
        "is_number(value) and never_null(test.this)",
        "is_number(value)",
        ("tests/answers/test_cases.py", "-k", "MAX"),
    ),
)
