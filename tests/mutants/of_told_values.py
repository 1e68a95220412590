"""Defects of values that the keys of a group tell: taken from a public table where private rows decide."""

from __future__ import annotations

from mutants.mutant import one

TOLD = ("tests/sql/test_told_by_keys.py",)
PASS = "dpsql/sql/aggregation/told_by_keys.py"

MUTANTS = (
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
)
