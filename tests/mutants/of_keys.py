"""Defects of the text that keys are digests of: two draws under one key, or a question under another than before."""

from __future__ import annotations

from mutants.mutant import Edit, Mutant, one

ENCODING = ("tests/stored/test_encoding.py", "-k", "not plans and not begins")
KEYS = ("tests/stored/test_keys.py",)
LEDGER = ("tests/stored/test_ledger.py",)
ANSWERED = ("tests/answers/test_cases.py", "--every-case", "-k")
DIGEST = ("tests/policy/test_digest.py",)

MUTANTS = (
    one(
        "a field of an aggregate that is no part of its key",
        "dpsql/algebra/encoding/written_relations.py",
        '"Measure", ("aggregate", "arg", "where", "other", "level"), unwritten=("place", "text")',
        '"Measure", ("aggregate", "arg", "other", "level"), unwritten=("where", "place", "text")',
        ENCODING,
    ),
    one(
        "the limit of a bounding that is no part of its key",
        "dpsql/plan/forms.py",
        'Form("Bounding", ("table_cap", "rows", "totals", "groups"))',
        'Form("Bounding", ("table_cap", "rows", "totals"), ("groups",))',
        ENCODING,
    ),
    one(
        "a member under another name",
        "dpsql/algebra/encoding/written_relations.py",
        " Aggregate.AVG: \"AVG: 'avg'\"",
        " Aggregate.AVG: \"MEAN: 'avg'\"",
        KEYS,
    ),
    one(
        "fields in another order",
        "dpsql/algebra/encoding/written_relations.py",
        'Form("Scan", ("table", "index"))',
        'Form("Scan", ("index", "table"))',
        LEDGER,
    ),
    one(
        "whatever is derived from a class is written as the class",
        "dpsql/algebra/encoding/encoder.py",
        "        return self._writers[type(value)](value)\n",
        "        kinds = [k for k in type(value).__mro__ if k in self._writers]\n"
        "        return self._writers[kinds[0] if kinds else type(value)](value)\n",
        ENCODING,
    ),
    one(
        "what has no written form is written by repr",
        "dpsql/algebra/encoding/encoder.py",
        '        raise InternalError(f"there is no written form for {key!r}")\n',
        "        return repr\n",
        ENCODING,
    ),
    one(
        "long tuples are written by Python whatever they hold",
        "dpsql/algebra/encoding/encoder.py",
        "        if len(value) > _FEW and _is_plain(value):\n",
        "        if len(value) > _FEW:\n",
        ENCODING,
    ),
    one(
        "a field that came later is written at its default",
        "dpsql/algebra/encoding/encoder.py",
        "if t != f.left_out]",
        "if t != f.name]",
        ENCODING,
    ),
    one(
        "a field that came later is left out at any value",
        "dpsql/algebra/encoding/encoder.py",
        "if t != f.left_out]",
        "if f.left_out is None]",
        ENCODING,
    ),
    one(
        "conditions in the order of the query",
        "dpsql/algebra/encoding/written_expressions.py",
        "    return tuple(by_text[t] for t in sorted(by_text))\n",
        "    return tuple(by_text.values())\n",
        ENCODING,
    ),
    one(
        "questions with levels are read back as plain ones",
        "dpsql/algebra/encoding/reading.py",
        "    return question if type(question) is Question else None\n",
        "    return question if isinstance(question, Question) else None\n",
        KEYS,
    ),
    one(
        "a beginning that is no beginning",
        "dpsql/algebra/encoding/encoder.py",
        '        return f"{form.name}({first}{names[len(known)]}="\n',
        '        return f"{form.name}({first}{names[len(known)]}:"\n',
        LEDGER,
    ),
    one(
        "a parameter is written as its class says",
        "dpsql/sql/ast/literals.py",
        "        return Literal(str.__str__(value), SqlType.TEXT)\n",
        "        return Literal(str(value), SqlType.TEXT)\n",
        ENCODING,
    ),
    Mutant(
        "a bound that is no part of a policy's digest",
        (
            Edit("dpsql/policy/digest.py", '            _Key("unit_total", None),\n', ""),
            Edit(
                "dpsql/policy/digest.py",
                "    if {f.name for f in fields(kind)} != ",
                "    if {f.name for f in fields(kind)} < ",
            ),
        ),
        DIGEST,
    ),
    one(
        "a part of a policy that nobody said how to write is left out of its digest",
        "dpsql/policy/digest.py",
        "    if {f.name for f in fields(kind)} != ",
        "    if {f.name for f in fields(kind)} < ",
        DIGEST,
    ),
    one(
        "a default under another value",
        "dpsql/policy/digest.py",
        '_Key("neighbours", Neighbours.ADD_REMOVE)',
        '_Key("neighbours", Neighbours.SUBSTITUTE)',
        DIGEST,
    ),
    one(
        "rows without an owner are read",
        "dpsql/engines/sqlgen/relation.py",
        'conditions += [f"{unit} IS NOT NULL"] if info.prepared is None and not view else []',
        "conditions += []",
        ("tests/answers/test_keys_that_may_be_null.py",),
    ),
    one(
        "no column is NULL, because the key of an owner is not",
        "dpsql/algebra/catalog.py",
        "    if column.name not in owning:",
        "    if False:",
        ("tests/answers/test_keys_that_may_be_null.py",),
    ),
    one(
        "a plan of one moment is found again at another",
        "dpsql/stages/prepare.py",
        "return not query.of_moment and has_few_groups",
        "return has_few_groups",
        ("tests/answers/test_stored_answers.py", "-k", "present"),
    ),
    one(
        "values of another column are the groups",
        "dpsql/plan/keys/written_values.py",
        "if not isinstance(part, Call) or expr not in part.args:",
        "if not isinstance(part, Call):",
        (*ANSWERED, "private_keys"),
    ),
    one(
        "the values that a negated or a greater one names are the groups",
        "dpsql/plan/keys/written_values.py",
        'if part.op == "eq" or (part.op == "in" and part.args[0] == expr):',
        "if True:",
        (*ANSWERED, "private_keys"),
    ),
    one(
        "the values beside the column itself in its list are the groups",
        "dpsql/plan/keys/written_values.py",
        "others = part.args[1:] if part.args[0] == expr else part.args[:1]",
        "others = tuple(a for a in part.args if a != expr)",
        (*ANSWERED, "private_keys"),
    ),
    one(
        "a number that no row can have ends the query after its charge",
        "dpsql/plan/keys/written_values.py",
        "    if interval is None:",
        "    if True:",
        (*ANSWERED, "private_keys"),
    ),
    one(
        "what ON names is told of groups that nothing matches",
        "dpsql/sql/aggregation/told_by_keys.py",
        "joins=not joined.outer_public",
        "joins=True",
        (*ANSWERED, "joins and product"),
    ),
    one(
        "a value that WHERE names is told to be there",
        "dpsql/plan/keys/domains.py",
        "if values is None or not (counted or values == (None,)):",
        "if values is None:",
        (*ANSWERED, "private_keys"),
    ),
    one(
        "moments moved by hours are listed as if their days did not change",
        "dpsql/plan/keys/finite_values.py",
        "len(steps) == 1 and steps[0].micros == 0",
        "len(steps) == 1",
        ("tests/plan/test_keys.py", "-k", "moved"),
    ),
    one(
        "rows without a match are counted where a column is NULL",
        "dpsql/sql/bind/outer_joins.py",
        'op in ("is_true", "is_false") and',
        'op in ("is_true", "is_false", "is_null") and',
        (*ANSWERED, "refused and JOIN"),
    ),
    one(
        "a CASE whose first branch adds nothing adds nothing",
        "dpsql/sql/bind/outer_joins.py",
        "    yield case.args[-1]\n",
        "",
        (*ANSWERED, "refused and JOIN"),
    ),
)
