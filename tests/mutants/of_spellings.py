"""Defects of other spellings of the same: an answer to another question than was asked."""

from __future__ import annotations

from mutants.mutant import one

EXPLAINED = ("tests/attacks/test_attacks.py", "-k", "explain")
ESCAPED = ("tests/answers/test_cases.py", "-k", "ESCAPE")
SERIES = ("tests/answers/test_recursive_series.py",)
READ = ("tests/sql/test_text_spellings.py",)

PIVOT = ("tests/sql/test_pivot.py",)
PARTS = ("tests/bi/test_statements.py", "-k", "split")
LISTED = ("tests/answers/test_cases.py", "-k", "refused and WITH and PIVOT")
TOPS = ("tests/sql/test_text_spellings.py",)
BOUND = ("tests/answers/test_bound_lists.py",)
PUBLIC = ("tests/system/test_public_schema.py",)
DISTINCT = ("tests/answers/test_cases.py", "-k", "refused and DISTINCT and OVER")
ANSWERED = "tests/answers/test_cases.py"
RELEASED = ("tests/answers/test_released_functions.py",)
MUTANTS = (
    one(
        "an aggregate of released results alone is no aggregate on private rows",
        "dpsql/sql/ast/aggregate_calls.py",
        "if function.aggregates}",
        "if not function.names}",
        RELEASED,
    ),
    one(
        "a function of released results alone is one of the values of a condition",
        "dpsql/sql/bind/binder.py",
        "        if function is None:\n            raise unsupported(node)\n",
        "        if function is None:\n            return self._sub(node.expressions[0])\n",
        RELEASED,
    ),
    one(
        "operators of bits bind as loosely as ||",
        "dpsql/sql/validate/precedence.py",
        "    (exp.DPipe,),\n    BITS,\n",
        "    (exp.DPipe, *BITS),\n",
        ("tests/sql/test_gate_cases.py",),
    ),
    one(
        "a comparison with ANY binds as other comparisons do",
        "dpsql/sql/validate/precedence.py",
        "        level = _QUANTIFIED\n",
        "        pass\n",
        ("tests/sql/test_gate_cases.py",),
    ),
    one(
        "a text that is repeated is taken to be as long as one",
        "dpsql/sql/validate/made_texts.py",
        '        "repeat": _repeated,\n',
        "",
        RELEASED,
    ),
    one(
        "an empty text takes no room in a list, nor do quotes around one",
        "dpsql/sql/validate/made_texts.py",
        "return sum(2 * part + 6 for part in parts)",
        "return sum(parts)",
        RELEASED,
    ),
    one(
        "two lists that are added are as long as a number",
        "dpsql/sql/validate/text_lengths.py",
        "isinstance(node, exp.Add) and self._lengths.adds_lists",
        "isinstance(node, exp.Add) and False",
        RELEASED,
    ),
    one(
        "a place of FORMAT is as wide as its text says",
        "dpsql/sql/validate/made_texts.py",
        "[0-9]{4}|",
        "[0-9]{9}|",
        (ANSWERED, "-k", "refused and FORMAT"),
    ),
    one(
        "what was changed in a tree keeps its words where it is described",
        "dpsql/sql/parse/described_text.py",
        "words is not None and written == node and",
        "words is not None and written is not None and",
        (ANSWERED, "-k", "ceiling and nvl"),
    ),
    one(
        "HAVING takes the name of a column for the column where SELECT gives it to something else",
        "dpsql/sql/aggregation/release.py",
        "self._joined.scope.find(node) is None or (in_having(node) and self._key(node) is None)",
        "self._joined.scope.find(node) is None",
        (ANSWERED, "-k", "HAVING and quantity"),
    ),
    one(
        "HAVING over one person's rows takes the name of a column for the column",
        "dpsql/sql/aggregation/per_unit.py",
        "name in self._aliases and in_having(node)",
        "False",
        (ANSWERED, "-k", "HAVING and quantity"),
    ),
    one(
        "the time of day of a text that is compared with a date makes no date of it",
        "dpsql/algebra/functions/coerce.py",
        "return moment.date() if moment is not None else None",
        "return moment.date() if moment is not None and not moment.hour else None",
        (ANSWERED, "-k", "day and BETWEEN and 999999999"),
    ),
    one(
        "the opposite of a comparison leaves out what is equal",
        "dpsql/algebra/one_spelling.py",
        '        "lt": "ge",\n',
        '        "lt": "gt",\n',
        ("tests/plan/test_one_spelling.py",),
    ),
    one(
        "a measure under another condition is read from what was received",
        "dpsql/plan/sums/alike.py",
        "    if has.where != wanted.where:\n        return None\n",
        "",
        ("tests/answers/test_received.py",),
    ),
    one(
        "a table without a schema is read for one of the policy's own schema public",
        "dpsql/algebra/system_tables.py",
        "    return (MAIN,) if taken else (MAIN, PUBLIC)",
        "    return (MAIN, PUBLIC)",
        PUBLIC,
    ),
    one(
        "what is different in each group is added up to what is different in all",
        "dpsql/sql/normalize/whole_partitions.py",
        " and not isinstance(call.this, exp.Distinct)",
        "",
        DISTINCT,
    ),
    one(
        "a window over rows in an order is one of the whole partition",
        "dpsql/sql/normalize/whole_partitions.py",
        'for key in ("order", "spec", "alias")',
        'for key in ("spec", "alias")',
        DISTINCT,
    ),
    one(
        "an option of a call that its node has is lost where it is bound",
        "dpsql/sql/validate/function_names.py",
        '        exp.RegexpLike: ("this", "expression", "flag"),',
        '        exp.RegexpLike: ("this", "expression"),',
        ("tests/bi/test_statements.py", "-k", "aggregate and N"),
    ),
    one(
        "pieces of time are moved from the day at which DuckDB's calendar begins",
        "dpsql/sql/bind/time_buckets.py",
        " if begins.type is SqlType.DATE else 1) - FIRST_MONDAY",
        " if begins.type is SqlType.DATE else 1)",
        ("tests/sql/test_time_buckets.py",),
    ),
    one(
        "the name of any database stands for the one that is there",
        "dpsql/sql/normalize/spellings.py",
        'if n.text("catalog").lower() == database.lower()]',
        'if n.text("catalog")]',
        PUBLIC,
    ),
    one(
        "no value is another one than any in an array without values",
        "dpsql/sql/normalize/written_lists.py",
        "exp.Boolean(this=not is_any)",
        "exp.Boolean(this=is_any)",
        BOUND,
    ),
    one(
        "a text in braces is a list wherever it is bound",
        "dpsql/sql/normalize/bound_lists.py",
        "    return {listed.placeholder.name: _refused(listed.placeholder) for listed in found if listed is not None}",
        "    return {m.name: _refused(m) for m in all_of(tree, exp.Placeholder)} if any(found) else {}",
        BOUND,
    ),
    one(
        "a PIVOT of a query takes the values of the table whose name the query has",
        "dpsql/sql/normalize/pivot.py",
        " and (source.db or source.name.lower() not in queries)",
        "",
        LISTED,
    ),
    one(
        "the rows of VALUES end with the first",
        "dpsql/sql/lex/values_body.py",
        "        if behind is None:\n            return end if _BEHIND_ROWS.match(code, end) else None\n",
        "        return end\n",
        (ANSWERED, "-k", "VALUES"),
    ),
    one(
        "a TOP limits the query around its own",
        "dpsql/sql/lex/top_clause.py",
        "around.pop() if around[1:] else _Query())",
        "around.pop() if around[2:] else _Query())",
        TOPS,
    ),
    one(
        "places behind a TOP are those of another text",
        "dpsql/sql/lex/text.py",
        "offset - start - inserted + 1",
        "offset - start + 1",
        TOPS,
    ),
    one(
        "a part that a text may lack is known to be there",
        "dpsql/algebra/functions/text/strings.py",
        "    return Fact(_S, True)\n",
        "    return Fact(_S, False)\n",
        ("tests/functions/test_totality.py", "-k", "split_element"),
    ),
    one(
        "a subscript counts from 0",
        "dpsql/sql/dialect.py",
        "        dialect.INDEX_OFFSET = 0 ",
        "        dialect.INDEX_OFFSET = 1 ",
        PARTS,
    ),
    one(
        "a PIVOT that makes as many copies of an aggregate as fit in a text",
        "dpsql/sql/normalize/pivot.py",
        "    _check_size(pivots)\n",
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
    one(
        "BETWEEN SYMMETRIC that is read as BETWEEN",
        "dpsql/sql/normalize/spellings.py",
        'low=node.args["high"].copy(), high=node.args["low"].copy()',
        'low=node.args["low"].copy(), high=node.args["high"].copy()',
        ("tests/answers/test_cases.py", "-k", "SYMMETRIC"),
    ),
    one(
        "a comparison with any value of a list that is one with all of them",
        "dpsql/sql/normalize/quantified_comparisons.py",
        "(exp.Or if is_any else exp.And)",
        "(exp.And)",
        ("tests/sql/test_rules.py",),
    ),
    one(
        "pieces of moments that are counted from another beginning than the call's",
        "dpsql/sql/normalize/foreign/time_pieces.py",
        "    if not 0 < int(width.name) <= _COUNTED[unit] or _COUNTED[unit] % int(width.name):\n",
        "    if not 0 < int(width.name) <= _COUNTED[unit]:\n",
        ("tests/answers/test_cases.py", "-k", "DATEADD"),
    ),
    one(
        "a number that is not whole makes a whole number of steps",
        "dpsql/sql/bind/moment_arithmetic.py",
        "        return count.value.is_integer()\n",
        "        return True\n",
        ("tests/answers/test_cases.py", "-k", "INTERVAL"),
    ),
    one(
        "a month that is not complete counts as one",
        "dpsql/sql/normalize/foreign/ages.py",
        "CASE WHEN STRFTIME(x, f) < STRFTIME(y, f) THEN 1 ELSE 0 END",
        "CASE WHEN STRFTIME(x, f) < STRFTIME(y, f) THEN 0 ELSE 0 END",
        ("tests/answers/test_cases.py", "-k", "AGE"),
    ),
    one(
        "NOT LIKE ANY is read as LIKE ANY",
        "dpsql/sql/normalize/foreign/several_patterns.py",
        '    return _NOT if like.args.get("negate") or isinstance(like.parent, exp.Not) else None\n',
        "    return None\n",
        ("tests/sql/test_gate_cases.py",),
    ),
    one(
        "a moment with an offset from UTC is taken for one in UTC",
        "dpsql/sql/normalize/foreign/constant_moments.py",
        "    return exp.Literal.string(str(at.replace(tzinfo=None)))\n",
        "    return exp.Literal.string(found[1])\n",
        ("tests/docs/test_dialects_doc.py",),
    ),
)
