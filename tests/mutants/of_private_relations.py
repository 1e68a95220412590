"""Small defects of joins, tests and aggregates inside one unit."""

from __future__ import annotations

from mutants.mutant import one

OWNERS = ("tests/plan/test_ownership_by_running.py",)
PRIVATE_RELATIONS = ("tests/answers/test_cases.py", "-k", "private_relations")
MARKS = ("tests/plan/test_marks_by_running.py",)
WINDOWS = ("tests/plan/test_windows_by_running.py",)
FED = ("tests/plan/test_fed_values.py",)
GROUPS = ("tests/plan/test_bounded_groups.py",)
COLLATIONS = ("tests/engines/test_collations.py",)

MUTANTS = (
    one(
        "a subquery with several rows fails after its charge",
        "dpsql/sql/one_row.py",
        "for node in tree.find_all(exp.Subquery) if questions else ():",
        "for node in ():",
        ("tests/answers/test_cases.py", "-k", "refusal"),
    ),
    one(
        "the order of storage decides between rows that a window's order leaves equal",
        "dpsql/rewrite/windows.py",
        '            order, frame = [*order, *content], "ROWS BETWEEN UNBOUNDED',
        '            frame = "ROWS BETWEEN UNBOUNDED',
        WINDOWS,
    ),
    one(
        "the order of storage decides which rows a frame of rows has",
        "dpsql/rewrite/windows.py",
        "        order, frame = [*order, *content], _frame(window.frame)\n",
        "        frame = _frame(window.frame)\n",
        WINDOWS,
    ),
    one(
        "the order of storage decides which of a row's equals is the last one",
        "dpsql/rewrite/windows.py",
        "    order = [*_written(window, computed), *content] if _within_equals(window) else []\n",
        "    order = []\n",
        WINDOWS,
    ),
    one(
        "two windows order equal rows differently, as they are stored",
        "dpsql/rewrite/windows.py",
        "    if len(node.windows) > 1:\n",
        "    if not node.windows:\n",
        WINDOWS,
    ),
    one(
        "a distance from a value of the order overflows and says so",
        "dpsql/sql/frames.py",
        "if moved is not None and not (",
        "if moved is None and not (",
        ("tests/answers/test_cases.py", "-k", "refusal"),
    ),
    one(
        "months before a moment are taken for a distance that keeps their order",
        "dpsql/sql/frames.py",
        "    SqlType.TIMESTAMP: lambda v: _far_interval(v, 0),\n",
        "    SqlType.TIMESTAMP: lambda v: _far_interval(v, 9),\n",
        ("tests/answers/test_cases.py", "-k", "refusal"),
    ),
    one(
        "two spellings of zero are two rows to a window",
        "dpsql/rewrite/windows.py",
        'f"{one_zero(e, emit(e))} AS {name}"',
        'f"{emit(e)} AS {name}"',
        WINDOWS,
    ),
    one(
        "a window goes beyond the rows of one unit",
        "dpsql/rewrite/windows.py",
        "', '.join([UNIT, *(computed[k] for k in window.partition)])",
        "', '.join([\"1\", *(computed[k] for k in window.partition)])",
        WINDOWS,
    ),
    one(
        "a window does not ask for the key of the unit",
        "dpsql/sql/windows.py",
        "        if not any(owner.is_unit(p) for p in partition):\n",
        "        if owner is None:\n",
        ("tests/attacks/test_attacks.py", "-k", "windows"),
    ),
    one(
        "numbers within groups of a unit's rows number the unit's rows",
        "dpsql/algebra/of_unit.py",
        "return not self.partition and isinstance",
        "return isinstance",
        WINDOWS,
    ),
    one(
        "a mark on public rows looks at the private rows of everybody",
        "dpsql/algebra/ownership.py",
        "    if not around:\n        raise NotOneUnit(inner[0].index)\n",
        "    if not around:\n        return\n",
        MARKS,
    ),
    one(
        "what an outer join's other side computes is there without a match",
        "dpsql/sql/from_clause.py",
        "    if not side or not other.private:\n",
        "    if side in (side, other.private):\n",
        PRIVATE_RELATIONS,
    ),
    one(
        "a collation of the source decides who owns a row",
        "dpsql/engines/views.py",
        'return f"{value} COLLATE C"',
        "return value",
        COLLATIONS,
    ),
    one(
        "an outer join's condition ties the rows of its left side",
        "dpsql/algebra/ownership.py",
        "    for source in sources(join.right):\n        left.add(source)\n",
        "    left.equal(join.on)\n    for source in sources(join.right):\n        left.add(source)\n",
        OWNERS,
    ),
    one(
        "an outer join of two units",
        "dpsql/algebra/ownership.py",
        "    _check(matched, [*outer, *inner])\n",
        "",
        OWNERS,
    ),
    one(
        "every foreign key to a table leads to one owner",
        "dpsql/algebra/ownership.py",
        "token = (reference, self.root(column))",
        "token = reference",
        OWNERS,
    ),
    one(
        "a table beside the owner is read without its cap",
        "dpsql/rewrite/read.py",
        "if known.max_rows_per_unit is None or known.one_row_per_unit:",
        "if known.name:",
        PRIVATE_RELATIONS,
    ),
    one(
        "no NULL group for the side that an outer join fills with NULL",
        "dpsql/plan/keys.py",
        "null = (info.null_group or column.scan in self.outer) and fact.nullable",
        "null = info.null_group and fact.nullable",
        PRIVATE_RELATIONS,
    ),
    one(
        "a join on a part of a released table's key multiplies nothing",
        "dpsql/algebra/shape.py",
        "if source.key is None or not source.key <= keys:",
        "if source.key is None or not source.key & keys:",
        FED,
    ),
    one(
        "rows of a released table with one key are fed twice",
        "dpsql/fed.py",
        "    if node.unique is not None:\n        first",
        "    if node.unique == ():\n        first",
        FED,
    ),
    one(
        "a released value is fed outside of its range",
        "dpsql/fed.py",
        "    inside = min(max(number, interval.lo), interval.hi)\n",
        "    inside = max(number, interval.lo)\n",
        FED,
    ),
    one(
        "a release that reads a released table is named without its draw",
        "dpsql/prepare.py",
        " | {i for node in query.feeds for i in node.reads}",
        "",
        FED,
    ),
    one(
        "a unit is counted in one group more than the cap",
        "dpsql/rewrite/groups.py",
        'f"WHERE {_NUMBER} <= {cap})',
        'f"WHERE {_NUMBER} <= {cap + 1})',
        GROUPS,
    ),
    one(
        "units just above the cap on groups are not listed",
        "dpsql/rewrite/groups.py",
        "HAVING count(*) > {cap})",
        "HAVING count(*) > {cap + 1})",
        GROUPS,
    ),
    one(
        "the groups of all units are numbered together",
        "dpsql/rewrite/groups.py",
        "OVER (PARTITION BY {UNIT} ORDER BY",
        "OVER (ORDER BY",
        GROUPS,
    ),
    one(
        "counts of rows are claimed to heed the cap on groups",
        "dpsql/plan/bounds.py",
        "        return self.rows\n",
        "        return self.most_groups(question) if self.groups else self.rows\n",
        GROUPS,
    ),
    one(
        "what the cap on groups leaves is not recomputed",
        "dpsql/plan/cost.py",
        "_require(part.groups >= factor * min(_limits(rows, part.bounding.groups)))",
        "_limits(rows, part.bounding.groups)",
        GROUPS,
    ),
)
