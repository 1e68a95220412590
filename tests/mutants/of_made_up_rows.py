"""Defects of made-up rows: taken for released ones, or for the data; and of the dataset that is made of them."""

from __future__ import annotations

from mutants.mutant import one

ROWS = ("tests/system/test_rows_mock.py",)
DATASET = ("tests/system/test_mock_dataset.py",)
STAGE = "dpsql/stages/made_up/made_up_rows.py"
TABLES = "dpsql/algebra/made_up/made_up_tables.py"

MUTANTS = (
    one(
        "made-up columns under the names of the text",
        STAGE,
        "replace(c, name=c.name + SUFFIX)",
        "replace(c, name=c.name)",
        ROWS,
    ),
    one(
        "an aggregate of made-up rows",
        STAGE,
        "not asks_for_responses(tree) and returns_rows(tree, catalog)",
        "not asks_for_responses(tree)",
        ROWS,
    ),
    one(
        "responses of made-up rows",
        STAGE,
        "not asks_for_responses(tree) and returns_rows(tree, catalog)",
        "returns_rows(tree, catalog)",
        ROWS,
    ),
    one(
        "a made-up dataset under the name of the data",
        "dpsql/policy/mock_policy.py",
        '    return f"{policy.dataset.name}-mock"',
        "    return policy.dataset.name",
        DATASET,
    ),
    one(
        "a unit with more made-up rows than its cap",
        TABLES,
        "if most is not None and taken[places[at].unit] >= most:",
        "if most is not None and taken[places[at].unit] > most:",
        DATASET,
    ),
    one(
        "parts of the partition by the row",
        TABLES,
        "lambda row, home: domain.at(home.unit % parts)",
        "lambda row, home: domain.at(row % parts)",
        DATASET,
    ),
)
