"""Small defects of what comes in: keys from an engine, names and numbers from a caller."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

COMPLETE = ("tests/plan/test_complete.py",)
NAMES = ("tests/policy/test_policy_names.py",)
NUMBERS = ("tests/policy/test_decimals.py", "-k", "digits_of_an_exponent")

RELEASED = ("tests/plan/test_released_inputs.py",)

MUTANTS = (
    one(
        "a public query is run again for what is drawn",
        "dpsql/algebra/released_values.py",
        "return node.held if node.held is not None else input_columns",
        "return input_columns",
        RELEASED,
    ),
    one(
        "a finer answer is paid as a difference though a public query gives other rows",
        "dpsql/stages/charges.py",
        """    text += "".join(_public_rows(release, s)) if text else ""\n""",
        "",
        RELEASED,
    ),
    one(
        "a value of a public query that is no number is the largest one",
        "dpsql/algebra/released_values.py",
        'f"CASE WHEN isnan({value}) THEN NULL {inside} END"',
        'f"CASE {inside} END"',
        RELEASED,
    ),
    one(
        "a key outside of a complete domain is dropped in silence",
        "dpsql/release/draw/domain_check.py",
        "        if strange:\n",
        "        if not groups:\n",
        COMPLETE,
    ),
    one(
        "what is counted beside groups is dropped in silence where it has no place",
        "dpsql/release/draw/domain_check.py",
        "        yield -1, part.bins.grid.arg, starts(part.bins)[:-1].tolist()\n",
        "        return\n",
        COMPLETE,
    ),
    one(
        "a group that an engine gives twice counts once",
        "dpsql/release/draw/domain_check.py",
        "    if len(given) < len(exact.keys):\n",
        "    if len(given) > len(exact.keys):\n",
        COMPLETE,
    ),
    Mutant(
        "a part is drawn before the next is looked at",
        (
            Edit(
                "dpsql/release/draw/perform.py",
                "for part in others if not isinstance(part, Histogram)}",
                "for part in others if part not in others}",
            ),
            Edit(
                "dpsql/release/draw/perform.py",
                "exact = found[part]",
                "exact = checked_result(release, part, run)",
            ),
        ),
        COMPLETE,
    ),
    one(
        "rows whose key is no group are left for the release to drop",
        "dpsql/engines/sqlgen/grouped_terms.py",
        '    where = f" WHERE {present}" if present else ""\n',
        '    where = ""\n',
        COMPLETE,
    ),
    one(
        "what a key makes of an unlisted value is none of its values",
        "dpsql/plan/keys/domains.py",
        "unlisted=fact.nullable)",
        "unlisted=False)",
        COMPLETE,
    ),
    one(
        "a list of one truth value lets the other pass",
        "dpsql/algebra/scan.py",
        "or len(set(column.values)) < _BOTH)",
        "or not column.values)",
        COMPLETE,
    ),
    one(
        "a name in decomposed characters is a second one",
        "dpsql/policy/names.py",
        "    if name != composed:\n",
        "    if not composed:\n",
        NAMES,
    ),
    one(
        "a name with an outer blank is a second one",
        "dpsql/policy/names.py",
        "    if name != name.strip() or _BLANK.search(name):\n",
        "    if _BLANK.search(name):\n",
        NAMES,
    ),
    one(
        "a name with a character that nobody sees is a second one",
        "dpsql/policy/names.py",
        "in _UNSEEN for c in name) or _IGNORED.search(name):",
        "in _UNSEEN for c in name):",
        NAMES,
    ),
    one(
        "a connection takes any name",
        "dpsql/stages/arguments/analyst_account.py",
        "    if mistake := analyst_name_mistake(analyst):\n",
        '    if mistake := analyst_name_mistake("alice"):\n',
        ("tests/dbapi/test_arguments.py", "-k", "looks_like"),
    ),
    one(
        "a failure inside shows its own text where it is a TypeError",
        "dpsql/errors.py",
        "            if error.__traceback__ is not None and error.__traceback__.tb_next is None:\n",
        "            if error.__traceback__ is not None:\n",
        ("tests/process/test_signatures.py", "-k", "from_inside"),
    ),
    one(
        "the digits of an exponent are not counted",
        "dpsql/policy/exact_decimals.py",
        "(len(power) > len(str(MOST_EXPONENT)) or int(power) > MOST_EXPONENT)",
        "int(power) < 0",
        NUMBERS,
    ),
    one(
        "a number that is no text may have any size",
        "dpsql/policy/exact_decimals.py",
        "    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:\n",
        "    if max(value.numerator.bit_length(), value.denominator.bit_length()) < 0:\n",
        ("tests/policy/test_decimals.py", "-k", "hostile_value"),
    ),
    one(
        "lengths of time are multiplied by the engine, which fails beyond 32 bits of seconds",
        "dpsql/algebra/functions/dates/steps.py",
        'if micros else f"{count} * {step}"',
        'if micros < 0 else f"{count} * {step}"',
        ("tests/attacks/test_attacks.py", "-k", "INTERVAL and 3000000000"),
    ),
    one(
        "an empty text stands nowhere in an empty one",
        "dpsql/algebra/functions/text/strings.py",
        "return replace(fact, interval=interval(0, 1)) if facts[0].longest == 0 else fact",
        "return fact",
        ("tests/attacks/test_attacks.py", "-k", "STRPOS and 9223372036854775807"),
    ),
    one(
        "an hour of a date is compared by DuckDB's optimiser",
        "dpsql/algebra/functions/dates/parts.py",
        "return Signature((_S, _moment(args[1], finer)), _TIME)",
        "return Signature((_S, _moment(args[1])), _TIME)",
        ("tests/answers/test_cases.py", "-k", "on_the_day"),
    ),
)
