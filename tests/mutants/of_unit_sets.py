"""Defects of units that are counted as sets of bits."""

from __future__ import annotations

from mutants.mutant import one

SETS = ("tests/engines/test_unit_sets.py",)
SQL = "dpsql/engines/sqlgen/unit_sets.py"

MUTANTS = (
    one(
        "units of all rows where a condition is asked",
        SQL,
        "*([condition] if condition else [])",
        "*([condition] if False else [])",
        SETS,
    ),
    one(
        "no number of units where no row is left",
        SQL,
        'f"coalesce(bit_count({units}), 0)"',
        'f"bit_count({units})"',
        SETS,
    ),
    one("a unit beyond the ends is an error", SQL, "BETWEEN {ends[0]} AND {ends[1]}", "IS NOT NULL", SETS),
    one(
        "the ends of units are those of the table that names no owner",
        SQL,
        "    read = info if info.prepared is not None else root",
        "    read = info",
        SETS,
    ),
    one("texts as whole numbers", SQL, "or key.type is not SqlType.INTEGER", "", SETS),
    one(
        "a set for every unlisted text",
        "dpsql/engines/sqlgen/single.py",
        "if not self.task.additive or self.bounding.totals or self.task.over_keys",
        "if self.bounding.totals or self.task.over_keys",
        SETS,
    ),
    one(
        "the largest unit for the least",
        "dpsql/engines/private_engine.py",
        "zip(sets.variables, (least, largest), strict=True)",
        "zip(sets.variables, (largest, least), strict=True)",
        SETS,
    ),
    one(
        "sets that are large beside the rows",
        "dpsql/engines/base.py",
        "return bits <= _BITS_OF_ROW * rows and bits * self.sets <= _MOST_BITS",
        "return bits * self.sets <= _MOST_BITS",
        SETS,
    ),
    one(
        "more sets than fit into memory",
        "dpsql/engines/base.py",
        "return bits <= _BITS_OF_ROW * rows and bits * self.sets <= _MOST_BITS",
        "return bits <= _BITS_OF_ROW * rows and bits <= _MOST_BITS",
        SETS,
    ),
    one(
        "sets for private groups, of which there is any number",
        "dpsql/engines/sqlgen/task.py",
        "if self.groups is None or self.bounding.groups is not None",
        "if self.bounding.groups is not None",
        SETS,
    ),
    one(
        "one set for all groups",
        "dpsql/engines/sqlgen/task.py",
        " * (self.groups + nothing_listed)",
        "",
        SETS,
    ),
)
