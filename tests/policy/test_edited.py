"""Numbers written into a policy's text: nothing else of it changes, or it is not written."""

from __future__ import annotations

import os
import stat
from datetime import date
from fractions import Fraction
from pathlib import Path

import pytest

from dpsql.errors import PolicyError
from dpsql.policy.edited import Change, changed, decimal_text, write_changes
from dpsql.policy.load import load_policy
from dpsql.policy.model import CalibratedDraw

TEXT = """\
# Ours.
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 9}
tables:
  orders:   # by day
    source: "orders.csv"
    unit_key: customer   # who
    # What is listed:
    columns:
      customer: {type: integer}
      # in euros
      amount: {type: float, lower: 0, upper: 5e2, step: 0.01}   # 500
      weight:
        type: float   # kilograms
        lower: 0
        upper: 70
  flow: {source: 'flow.csv', unit_key: customer, columns: {customer: {type: integer}, n: {type: integer, lower: -5, upper: 5}}}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 1}
# The end.
"""  # noqa: E501
ROOT = Path(__file__).parents[2]
DRAW, DAY = CalibratedDraw("draw-1", Fraction(1, 5), 3), date(2026, 1, 31)
CHANGES = (
    Change("orders", None, "max_rows_per_unit", Fraction(12)),
    Change("orders", "amount", "upper", Fraction(1234, 10)),
    Change("orders", "amount", "unit_total", Fraction(1000)),
    Change("orders", "weight", "upper", Fraction(80)),
    Change("orders", "weight", "unit_total", Fraction(3, 8)),
    Change("flow", "n", "lower", Fraction(-4)),
    Change("flow", None, "max_rows_per_unit", Fraction(2)),
)
WRITTEN = """\
# Ours.
version: 1
privacy: {unit: orders.customer, max_rows_per_unit: 9}
tables:
  orders:   # by day
    source: "orders.csv"
    unit_key: customer   # who
    max_rows_per_unit: 12
    # What is listed:
    columns:
      customer: {type: integer}
      # in euros
      amount: {type: float, lower: 0, upper: 123.4, unit_total: 1000, step: 0.01}   # 500
      weight:
        type: float   # kilograms
        lower: 0
        upper: 80
        unit_total: 0.375
  flow: {source: 'flow.csv', unit_key: customer, max_rows_per_unit: 2, columns: {customer: {type: integer}, n: {type: integer, lower: -4, upper: 5}}}
budgets:
  dataset: {epsilon: 10}
  default: {epsilon: 1}
# The end.

# Limits above were taken from these draws of `dpsql calibrate`; every account begins with their cost.
calibrated:
  draw-1: {epsilon: 0.2, histograms: 3, day: 2026-01-31}
"""  # noqa: E501


def written(folder: Path, text: str, *changes: Change, draw: CalibratedDraw = DRAW) -> str:
    file = folder / "policy.yaml"
    file.write_bytes(text.encode("utf-8"))
    policy = load_policy(file)
    after = write_changes(policy, file.read_bytes(), changes, draw, DAY)
    assert after == load_policy(file)
    assert [p.name for p in folder.iterdir()] == ["policy.yaml"]
    return file.read_bytes().decode("utf-8")


def test_numbers_are_written_and_comments_stay(tmp_path: Path) -> None:
    assert written(tmp_path, TEXT, *CHANGES) == WRITTEN


def test_the_next_draw_is_listed_behind_the_last(tmp_path: Path) -> None:
    again = CalibratedDraw("draw-2", Fraction(1), 1)
    text = written(tmp_path, WRITTEN, CHANGES[0], draw=again)
    assert text == WRITTEN + "  draw-2: {epsilon: 1, histograms: 1, day: 2026-01-31}\n"
    flow = TEXT + "calibrated: {draw-1: {epsilon: 1, histograms: 2}}\n"
    assert "calibrated: {draw-2: {epsilon: 1, histograms: 1, day: 2026-01-31}, draw-1:" in written(
        tmp_path, flow, CHANGES[0], draw=again
    )
    block = TEXT + "calibrated:\n  draw-1:\n    histograms: 2\n    epsilon: 1\n# end\n"
    assert "    epsilon: 1\n  draw-2: {" in written(tmp_path, block, CHANGES[0], draw=again)


@pytest.mark.parametrize(
    "text", [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n"), TEXT + "\n\n"]
)
def test_line_ends_and_marks_stay(tmp_path: Path, text: str) -> None:
    found = written(tmp_path, text, *CHANGES)
    assert found.removeprefix("\ufeff").replace("\r\n", "\n") == WRITTEN
    assert found.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("\r" in found) == ("\r" in text) and found.count("\n") in (
        found.count("\r\n"),
        WRITTEN.count("\n"),
    )


def test_the_file_keeps_its_mode(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(TEXT)
    os.chmod(tmp_path / "policy.yaml", 0o640)
    written(tmp_path, TEXT, CHANGES[0])
    assert stat.S_IMODE((tmp_path / "policy.yaml").stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("upper: 70", "upper:\n          70"),
        TEXT.replace("    unit_key: customer   # who\n", '    unit_key: "cust\\\n      omer"\n'),
        TEXT + "...\n",
    ],
)
def test_what_cannot_be_edited_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(text)
    policy, before = load_policy(file), file.read_bytes()
    try:
        write_changes(policy, before, CHANGES, DRAW, DAY)
    except PolicyError:
        assert file.read_bytes() == before
    else:
        assert load_policy(file) == changed(load_policy(file), (), DRAW) or file.read_bytes() != before
    assert [p.name for p in tmp_path.iterdir()] == ["policy.yaml"]


def test_a_file_that_changed_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(TEXT)
    policy, before = load_policy(file), file.read_bytes()
    file.write_text(TEXT + "# more\n")
    with pytest.raises(PolicyError, match="changed meanwhile"):
        write_changes(policy, before, CHANGES, DRAW, DAY)
    assert file.read_text() == TEXT + "# more\n"


def test_the_digest_follows_the_numbers_and_not_the_list(tmp_path: Path) -> None:
    file = tmp_path / "policy.yaml"
    file.write_text(TEXT)
    plain = load_policy(file).digest
    file.write_text(TEXT + "calibrated: {draw-1: {epsilon: 1, histograms: 2}}\n")
    assert load_policy(file).digest == plain
    file.write_text(TEXT.replace("upper: 70", "upper: 71"))
    assert load_policy(file).digest != plain


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(12), "12"),
        (Fraction(1, 8), "0.125"),
        (Fraction(-1, 100), "-0.01"),
        (Fraction(305, 10), "30.5"),
    ],
)
def test_numbers_are_plain_decimals(value: Fraction, text: str) -> None:
    assert decimal_text(value) == text


@pytest.mark.parametrize("name", sorted(p.name for p in (ROOT / "policies").glob("*.yaml")))
def test_the_policies_of_this_repository_can_be_edited(tmp_path: Path, name: str) -> None:
    """Every limit that a calibration may propose, all at once."""
    text = (ROOT / "policies" / name).read_text(encoding="utf-8")
    (tmp_path / "policy.yaml").write_text(text, encoding="utf-8")
    found = []
    for table in load_policy(tmp_path / "policy.yaml").tables:
        if not table.public and not table.one_row_per_unit and not table.row_is_unit:
            found.append(Change(table.name, None, "max_rows_per_unit", Fraction(77)))
        numbers = [c for c in table.columns if isinstance(c.upper, int | Fraction) and not table.public]
        for column in numbers:
            assert isinstance(column.upper, int | Fraction)
            found.append(Change(table.name, column.name, "upper", Fraction(column.upper) * 2))
            found.append(Change(table.name, column.name, "unit_total", Fraction(12345)))
    after = written(tmp_path, text, *found)
    assert after.count("12345") == sum(c.key == "unit_total" for c in found)
    comments = [line.partition("#")[2] for line in text.splitlines() if "#" in line]
    assert all(comment in after for comment in comments)
