"""Defects of values that the keys of a group tell: taken from a public table where private rows decide."""

from __future__ import annotations

from mutants.mutant import one

TOLD = ("tests/sql/test_told_by_keys.py",)
PASS = "dpsql/sql/aggregation/told_by_keys.py"

MUTANTS = (
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
)
