"""Small defects by which a row's JSON would make a query fail, or a field would be another than the policy declares."""

from __future__ import annotations

from mutants.mutant import Mutant, one

TEXT = ("tests/engines/test_json_text.py",)
MISTAKES = ("tests/policy/test_policy_mistakes.py", "-k", "json")
REFUSED = ("tests/answers/test_cases.py", "-k", "refusal and signals")
SOURCE = "dpsql/engines/sources/json_text.py"

MUTANTS: tuple[Mutant, ...] = (
    one(
        "a path is looked up in text that may be no JSON",
        SOURCE,
        'return f"TRY_CAST(CASE WHEN strlen({text}) <= {LONGEST} THEN {text} END AS JSON)"',
        'return f"(CASE WHEN strlen({text}) <= {LONGEST} THEN {text} END)"',
        TEXT,
    ),
    one(
        "a text of any length is read as JSON",
        SOURCE,
        "CASE WHEN strlen({text}) <= {LONGEST} THEN {text} END",
        "{text}",
        TEXT,
    ),
    one(
        "what no number is in JSON is one",
        SOURCE,
        r'_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?"',
        '_NUMBER = ".*"',
        TEXT,
    ),
    one(
        "a field that is not there is declared to be there",
        "dpsql/policy/rules/columns.py",
        "declared.nullable if declared else True",
        "declared.nullable if declared else False",
        ("tests/answers/test_cases.py", "-k", "json_fields"),
    ),
    one(
        "a pattern of names is a name",
        "dpsql/policy/json_paths.py",
        "_UNREADABLE = frozenset('\"\\\\*')",
        "_UNREADABLE = frozenset('\"\\\\')",
        MISTAKES,
    ),
    one(
        "JSON owns rows",
        "dpsql/policy/rules/declared_fields.py",
        "if table.unit_key is not None and (table.name, table.unit_key) in texts:",
        "if table.unit_key is None:",
        MISTAKES,
    ),
    one(
        "names within JSON are compared as columns are",
        "dpsql/sql/validate/unknown_columns.py",
        "and path == steps",
        "and path.lower() == steps.lower()",
        REFUSED,
    ),
    one(
        "an arrow takes less than DuckDB gives it",
        "dpsql/sql/lex/field_tokens.py",
        "if tight or self._text(0) in _TIGHT_BEHIND:",
        "if self._text(0) in _TIGHT_BEHIND:",
        REFUSED,
    ),
)
