"""Every mistake is reported, at its line and column, with what would be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from dpsql.errors import PolicyError
from dpsql.policy.load import load_policy

Mistakes = Callable[[str], list[str]]

CASES = Path(__file__).parent / "mistakes"


@dataclass(frozen=True)
class Case:
    """One edit of the good policy, and the message's lines that it brings about."""

    old: str
    new: str
    lines: list[str]


def cases(name: str = "*") -> list[Case]:
    """Cases of mistakes/*.txt: `-` lines are replaced by `+` lines, or deleted; `!` lines are expected."""
    files = sorted(CASES.glob(f"{name}.txt"))
    assert files, f"no cases named {name}"
    blocks = [block for file in files for block in file.read_text("utf-8").split("\n\n")]
    return [case(block.splitlines()) for block in blocks]


def case(block: list[str]) -> Case:
    assert all(line[:2] in ("- ", "+ ", "! ") for line in block), block
    old, new, lines = ([line[2:] for line in block if line[0] == mark] for mark in "-+!")
    end = "" if new else "\n"
    return Case("\n".join(old) + end, "\n".join(new), lines)


@pytest.mark.parametrize("case", cases(), ids=lambda c: c.new or c.old)
def test_a_mistake_is_reported_at_its_place(mistakes: Mistakes, shop: str, case: Case) -> None:
    assert case.old in shop
    assert mistakes(shop.replace(case.old, case.new, 1)) == case.lines


@pytest.mark.parametrize("case", [*cases("writing"), *cases("names")], ids=lambda c: c.new or c.old)
def test_the_pure_python_parser_reports_the_same(
    mistakes: Mistakes, shop: str, monkeypatch: pytest.MonkeyPatch, case: Case
) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    assert mistakes(shop.replace(case.old, case.new, 1)) == case.lines


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(mistakes: Mistakes, shop: str) -> None:
    """A mistake of shape hides no mistake of another part, neither within a table nor across the file."""
    edits = (
        ("add_remove ", "add-remove "),
        ("upper: 90", "upper: 9"),
        ("hidden: true", "hiden: true"),
        ("    max_rows_per_unit: 10\n", "    max_rows_per_unit: ten\n"),
        ("lower: 2025-01-01", "lower: 2026-01-01"),
        ("delta: 1e-6", "delta: 7"),
        ("per_query: 0.1", "per_query: 3"),
        ("accountant: approx", "accountant: pure"),
    )
    text = shop
    for old, new in edits:
        assert old in text
        text = text.replace(old, new, 1)
    assert [line.split(": ", 2)[0:2] for line in mistakes(text)] == [
        ["5:15", "privacy.neighbours"],
        ["14:39", "tables.customers.columns.age"],
        ["16:29", "tables.customers.columns.email.hiden"],
        ["20:24", "tables.orders.max_rows_per_unit"],
        ["24:36", "tables.orders.columns.day"],
        ["30:33", "budgets.dataset.delta"],
        ["31:32", "budgets.default.delta"],
        ["31:49", "budgets.default.per_query"],
        ["33:33", "budgets.analysts.alice.delta"],
    ]


EMPTY = " the policy is empty; `dpsql init` writes a skeleton"
MAPPING = "a policy is a mapping that begins with `version: 1`"


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [EMPTY]),
        (" \n", [EMPTY]),
        ("# nothing\n", [EMPTY]),
        ("--- \n...\n", ["2:1: " + MAPPING]),
        ("a", ["1:1: " + MAPPING]),
        ("- 1", ["1:1: " + MAPPING]),
        ("*x", ["1:1: " + MAPPING]),
        ("a: 1\n---\nb: 2", ["2:1: a second document begins here; a policy is one document"]),
        ("a: [", ["2:1: not valid YAML: did not find expected node content"]),
        ("a: \x01", [" not valid YAML: it holds a character that YAML does not allow"]),
        ("a: 1\nb: \ud800", ["2:1: this line is not UTF-8 text"]),
        ("[" * 900, ["1:22: nested more than 20 levels deep"]),
        ("? " * 100_000, ["1:43: nested more than 20 levels deep"]),
        ("a: " + "x" * 1_000_000, [" the policy is longer than 1000000 bytes"]),
        (
            "tables: []\nprivacy: 3\nbudgets:\nversion: 1",
            [
                "1:1: tables: must be a mapping, as {name: {...}}",
                "2:10: privacy: must be a mapping, as {unit: table.column}",
                "3:1: budgets: must be a mapping, "
                "as {dataset: {epsilon: 10, delta: 1e-6}, default: {epsilon: 1}}",
            ],
        ),
        (
            "{}",
            [
                "1:1: `version` is missing: write `version: 1`",
                "1:1: `privacy` is missing: write `privacy: {unit: table.column}`",
                "1:1: `tables` is missing: list the tables that queries may read",
                "1:1: `budgets` is missing: "
                "write `budgets: {dataset: {epsilon: ...}, default: {epsilon: ...}}`",
            ],
        ),
    ],
)
def test_a_text_that_is_no_policy_is_refused(mistakes: Mistakes, text: str, lines: list[str]) -> None:
    assert mistakes(text) == lines


def test_nesting_that_the_parser_itself_refuses_is_refused(mistakes: Mistakes) -> None:
    (line,) = mistakes("[" * 100_000)  # at the 22nd, or where PyYAML since 6.0.4 has looked to
    assert line.endswith(": nested more than 20 levels deep")


def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path, reason in (
        ("nope.yaml", "no such file or directory"),
        (".", "is a directory"),
        ("a\0b", "embedded null byte"),
    ):
        with pytest.raises(PolicyError) as caught:
            load_policy(path)
        assert [p.message for p in caught.value.problems] == [f"the policy cannot be read: {reason}"]
