"""Defects of conditions and measures that are taken for one another: a stored answer to another question."""

from __future__ import annotations

from mutants.mutant import one

CONDITIONS = ("tests/plan/test_one_spelling.py",)
RECEIVED = ("tests/answers/test_received.py", "tests/answers/test_received_conditions.py")
SPELLING = "dpsql/algebra/one_spelling.py"
ALIKE = "dpsql/plan/sums/alike.py"
MUTANTS = (
    one(
        "a subquery that no condition reads stays in a question",
        "dpsql/algebra/read_columns.py",
        "    if not every:\n",
        "    if every:\n",
        ("tests/answers/test_idle_marks.py",),
    ),
    one(
        "a comparison with its constant on the other side is its opposite",
        SPELLING,
        '        "le": "ge",\n        "ge": "le",\n        "is_distinct": "is_distinct",',
        '        "le": "gt",\n        "ge": "le",\n        "is_distinct": "is_distinct",',
        CONDITIONS,
    ),
    one(
        "what is not known to be true is false under NOT",
        SPELLING,
        '    if expr.op == "not":\n',
        '    if expr.op == "is_true":\n        return _alike(expr.args[0])\n    if expr.op == "not":\n',
        CONDITIONS,
    ),
    one(
        "NULL is equal to NULL in every row",
        SPELLING,
        " and isinstance(left, Literal) and left.value is not None",
        "",
        CONDITIONS,
    ),
    one(
        "no constant is smaller than itself, but it is in a condition",
        SPELLING,
        'return TRUE if call.op in ("eq", "le", "ge", "is_not_distinct") else call',
        "return TRUE",
        CONDITIONS,
    ),
    one(
        "what is below a number is at most that number",
        SPELLING,
        '{"lt": ("le", -1),',
        '{"lt": ("le", 0),',
        CONDITIONS,
    ),
    one(
        "what is below a number with a fraction is at most a whole number less",
        SPELLING,
        " or left.type is not right.type:\n",
        ":\n",
        CONDITIONS,
    ),
    one(
        "a day is before noon of the day before it",
        SPELLING,
        '"gt": "gt", "ge": "gt"})',
        '"gt": "gt", "ge": "ge"})',
        CONDITIONS,
    ),
    one(
        "a day is at noon where it is at midnight",
        SPELLING,
        "call.op if midnight else _LATER.get(call.op)",
        "call.op",
        CONDITIONS,
    ),
    one(
        "what is FALSE is what is TRUE",
        SPELLING,
        '(call.op == "eq") == (right == TRUE)',
        'call.op == "eq"',
        CONDITIONS,
    ),
    one(
        "what is distinct from a truth value is not equal to it",
        SPELLING,
        'call.op in ("eq", "ne"):',
        'call.op in ("eq", "ne", "is_distinct"):',
        CONDITIONS,
    ),
    one(
        "an OR of equalities and something else is a list of the former",
        SPELLING,
        "len(values) == len(alternatives) and ",
        "",
        CONDITIONS,
    ),
    one(
        "equalities of two values are a list for the first",
        SPELLING,
        " and len({v[0] for v in values}) == 1",
        "",
        CONDITIONS,
    ),
    one(
        "a NOT before NOT is left out, and so is one alone",
        SPELLING,
        'isinstance(inner, Call) and inner.op == "not":',
        'isinstance(inner, Call) and inner.op in ("not", "is_null"):',
        CONDITIONS,
    ),
    one(
        "a number of values is one of rows, NULL among them",
        ALIKE,
        "every = found.aggregate is Aggregate.COUNT and not null_in(found.arg, found.where, facts)",
        "every = found.aggregate is Aggregate.COUNT",
        RECEIVED,
    ),
    one(
        "the values of an average are all rows, NULL among them",
        ALIKE,
        "return _counting(measure, wanted.times, e.n) if every and",
        "return _counting(measure, wanted.times, e.n) if",
        RECEIVED,
    ),
    one(
        "a number of rows is the sum of any constant",
        ALIKE,
        "return combined((e.step / times, e.s1), (e.step * e.lo / times, e.n))",
        "return combined((e.step, e.s1), (e.step * e.lo, e.n))",
        RECEIVED,
    ),
    one(
        "the sum of a constant is a number of rows",
        ALIKE,
        "combined((times, rows)), (), 0",
        "combined((Fraction(1), rows)), (), 0",
        RECEIVED,
    ),
    one(
        "an average of one column is that of another",
        ALIKE,
        "alike = replace(has.measure, aggregate=wanted.measure.aggregate) == wanted.measure",
        "alike = wanted.measure.aggregate in MOMENTS",
        RECEIVED,
    ),
    one(
        "a deviation is read from an average",
        ALIKE,
        "return bool(e.s1 and e.s2)",
        "return bool(e.s1)",
        RECEIVED,
    ),
    one(
        "an average is read from a sum alone",
        ALIKE,
        "    if e.measure.aggregate is Aggregate.SUM or not e.n:\n        return False\n",
        "",
        RECEIVED,
    ),
)
