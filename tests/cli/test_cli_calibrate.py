"""The calibrate command, as an admin uses it."""

from __future__ import annotations

import errno
import re
from pathlib import Path

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.errors import PolicyError, Problem
from dpsql.interfaces.cli import calibrate_command as command
from dpsql.policy.load import load_policy

POLICY = """\
version: 1
privacy: {unit: orders.customer}   # who
tables:
  orders:
    source: shop.duckdb
    unit_key: customer
    max_rows_per_unit: 30   # a guess
    columns:
      customer: {type: integer}
      amount: {type: float, lower: 0, upper: 5000, step: 0.01}
budgets:
  dataset: {epsilon: 10, delta: 1e-6}
  default: {epsilon: 2, delta: 1e-6, per_query: 0.5}
accountant: zcdp
"""


@pytest.fixture(autouse=True)
def noiseless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts as they are: of a hundred noisy ones, one passes for many people now and then, and other limits follow."""
    monkeypatch.setattr(command, "ExactSampler", Noiseless)


@pytest.fixture
def policy(tmp_path: Path) -> Path:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as db:
        db.execute(
            "CREATE TABLE orders AS SELECT range % 3000 AS customer, 20.0::DOUBLE AS amount FROM range(9000)"
        )
    (tmp_path / "shop.yaml").write_text(POLICY)
    return tmp_path / "shop.yaml"


def test_curves_and_a_proposal_are_printed_and_nothing_is_written(run, policy):
    result = run("calibrate", str(policy), "--epsilon", "1.5")
    assert result.exit_code == 0 and policy.read_text() == POLICY
    assert "orders.max_rows_per_unit: rows of a person; now 30" in result.stdout
    assert (
        "orders.amount.unit_total: a person's total, values without their signs; not limited now"
        in result.stdout
    )
    for heading in ("limit", "above", "noise", "lost in 1", "lost in 10", "lost in 100"):
        assert heading in result.stdout
    proposed = result.stdout.partition("# proposed for 10 groups\n")[2]
    amount = r"      amount: \{upper: [\d.]+, unit_total: [\d.]+\}\n"
    assert re.search(r"  orders:\n    max_rows_per_unit: \d+\n    columns:\n" + amount, proposed)
    assert "calibrated:\n  draw-" in proposed and "{epsilon: 1.5, histograms: 3, day: " in proposed
    assert "paid by every account: epsilon 1.5, 0.5 for each of its histograms (3)" in result.stderr
    assert "epsilon 0.5, the policy's per_query" in result.stderr


def test_a_looser_limit_is_told_with_what_it_gains_or_why_it_is_not_proposed(run, policy):
    """3,000 persons lose what is above 15: much in each of 10 groups, less than a larger bound's noise in 1,000."""
    policy.write_text(POLICY.replace("upper: 5000", "upper: 15"))
    only = ("--only", "orders.amount.upper")
    few = run("calibrate", str(policy), "--epsilon", "1.5", *only)
    assert re.search(
        r"looser, since an answer of 10 groups would be off by about [\d.]+ instead of 8\d\d", few.stdout
    )
    assert "{upper: " in few.stdout
    (draw,) = re.findall(r"draw-\w+", few.stdout)
    many = run("calibrate", str(policy), "--draw", draw, "--groups", "1000")
    assert re.search(
        r"stays as it is: [\d.]+ would be looser, and an answer of 1000 groups off by about [\d.]+ instead of [\d.]+, "
        "which is no clear gain",
        many.stdout,
    )
    assert "# no other limit is proposed" in many.stdout


def test_write_edits_the_policy_and_says_what_follows(run, policy):
    result = run("calibrate", str(policy), "--epsilon", "1.5", "--write")
    text = policy.read_text()
    assert (
        result.exit_code == 0
        and "stored answers are not found any more and are paid for again" in result.stderr
    )
    (rows,) = re.findall(r"max_rows_per_unit: (\d+)   # a guess", text)
    assert int(rows) == 4 and "{unit: orders.customer}   # who" in text
    loaded = load_policy(policy)
    assert [(float(d.epsilon), d.histograms) for d in loaded.calibrated] == [(1.5, 3)]
    budget = run("budget", str(policy), "--analyst", "dora")
    assert budget.stdout.splitlines()[2].startswith("spent,1.5,")
    assert run("ledger", "verify", str(policy.with_suffix(".ledger"))).exit_code == 0


def test_the_second_draw_is_refused_where_no_room_is_left(run, policy):
    assert run("calibrate", str(policy), "--epsilon", "1.5", "--write").exit_code == 0
    before = policy.read_text()
    result = run("calibrate", str(policy), "--epsilon", "1.5", "--write")
    assert result.exit_code == 3 and result.stdout == "" and policy.read_text() == before
    assert "an analyst under budgets.default does not cover the draw: asked epsilon " in result.stderr
    assert "every account pays for a calibration" in result.stderr
    with Ledger.open(policy.with_suffix(".ledger")) as book:
        assert float(book.spent_dataset().epsilon) == 1.5


def test_only_some_limits(run, policy):
    result = run(
        "calibrate", str(policy), "--epsilon", "1", "--only", "orders.amount.unit_total", "--groups", "1"
    )
    assert "max_rows" not in result.stdout and "1 for each of its histograms (1)" in result.stderr
    assert "# proposed for 1 group\n" in result.stdout
    unknown = run("calibrate", str(policy), "--epsilon", "1", "--only", "orders.amuont")
    assert (
        unknown.exit_code == 2
        and "there is no limit orders.amuont; did you mean `orders.amount" in unknown.stderr
    )


def test_where_noise_hides_everybody_nothing_is_proposed(run, policy):
    picture = policy.with_suffix(".png")
    result = run("calibrate", str(policy), "--epsilon", "0.001", "--write", "--plot", str(picture))
    assert result.exit_code == 0 and policy.read_text() == POLICY
    assert "there is nothing to plot" in result.stderr and not picture.exists()
    assert result.stdout.count("noise hides all persons") == 3
    assert "# no other limit is proposed" in result.stdout and "nothing is written" in result.stderr
    (name,) = set(re.findall("draw-[0-9a-f]{16}", result.stderr))
    assert f"{name} is paid for: `--draw {name}` gives it again for nothing" in result.stderr
    assert run("calibrate", str(policy), "--draw", name).exit_code == 0


def test_a_closed_pipe_takes_neither_the_name_of_the_draw_nor_what_is_written(run, policy, monkeypatch):
    def closed(*of: object) -> None:
        raise BrokenPipeError(errno.EPIPE, "")

    monkeypatch.setattr(command, "_print", closed)
    result = run("calibrate", str(policy), "--epsilon", "1.5", "--write")
    assert result.exit_code == 1
    (draw,) = load_policy(policy).calibrated
    assert f"{draw.name} is paid for" in result.stderr


def test_what_cannot_be_written_after_all_is_still_proposed(run, policy, monkeypatch):
    def unfit(*of: object) -> None:
        raise PolicyError((Problem(str(policy), None, "", "it was changed meanwhile"),))

    monkeypatch.setattr(command, "write_changes", unfit)
    result = run("calibrate", str(policy), "--epsilon", "1.5", "--write")
    assert result.exit_code == 1 and "it was changed meanwhile" in result.stderr
    assert "# proposed for 10 groups\n" in result.stdout


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "lots", "1e-10", "2000", ""])
def test_an_epsilon_that_is_none_is_wrong_usage(run, policy, epsilon):
    result = run("calibrate", str(policy), "--epsilon", epsilon)
    assert result.exit_code == 2 and "--epsilon" in result.stderr
    assert not policy.with_suffix(".ledger").exists()


def test_epsilon_or_a_draw_must_be_given(run, policy):
    for given in ((), ("--epsilon", "1", "--draw", "draw-1"), ("--draw", "draw-1", "--only", "orders")):
        result = run("calibrate", str(policy), *given)
        assert result.exit_code == 2 and "give --epsilon for a new draw" in result.stderr


def test_a_draw_is_looked_at_again_for_nothing(run, policy):
    first = run("calibrate", str(policy), "--epsilon", "1.5")
    (name,) = re.findall("draw-[0-9a-f]{16}", first.stdout)
    again = run("calibrate", str(policy), "--draw", name)
    assert again.exit_code == 0 and again.stdout == first.stdout
    for groups in ("10", "1", "100"):  # the second time it is listed already
        assert run("calibrate", str(policy), "--draw", name, "--groups", groups, "--write").exit_code == 0
    assert [d.name for d in load_policy(policy).calibrated] == [name]
    with Ledger.open(policy.with_suffix(".ledger")) as book:
        assert float(book.spent_dataset().epsilon) == 1.5
    unknown = run("calibrate", str(policy), "--draw", "draw-0")
    assert unknown.exit_code == 2 and "no draw of a calibration called draw-0" in unknown.stderr


@pytest.mark.parametrize(
    ("old", "new", "gone"),
    [
        ("", "", ""),
        ("lower: 0, upper: 5000, step: 0.01", "nullable: true", "amount.unit_total amount.upper"),
        (
            "{type: float, lower: 0, upper: 5000, step: 0.01}",
            "{type: date}",
            "amount.unit_total amount.upper",
        ),
        ("max_rows_per_unit: 30", "one_row_per_unit: true", "amount.unit_total max_rows_per_unit"),
        ("orders", "sales", "amount.unit_total amount.upper max_rows_per_unit"),
    ],
)
def test_limits_of_a_draw_that_the_policy_does_not_have_any_more_are_left_out(run, policy, old, new, gone):
    (name,) = set(re.findall("draw-[0-9a-f]{16}", run("calibrate", str(policy), "--epsilon", "1.5").stdout))
    policy.write_text(POLICY.replace(old, new))
    result = run("calibrate", str(policy), "--draw", name)
    assert result.exit_code == 0
    left_out = re.findall(
        r"^orders\.(\S+): left out, since the policy has no such limit", result.stderr, re.M
    )
    assert sorted(left_out) == gone.split()
    for limit in ("amount.unit_total", "amount.upper", "max_rows_per_unit"):
        assert (f"orders.{limit}:" in result.stdout) == (limit not in left_out)
    assert ("# no other limit is proposed" in result.stdout) == (len(left_out) == 3)


@pytest.mark.parametrize("name", ["", "draw-ü", "draw-1\n", "Draw-1", "\udce9", "a" * 65])
def test_a_name_that_no_draw_has_is_wrong_usage(run, policy, name):
    result = run("calibrate", str(policy), "--draw", name)
    assert result.exit_code == 2 and "a draw is called as draw-5f1c0a9be2d34c77 is" in result.stderr
    assert not policy.with_suffix(".ledger").exists()


def test_a_draw_of_another_ledger_is_not_known(run, policy):
    policy.write_text(POLICY + "calibrated: {draw-1: {epsilon: 0.1, histograms: 1}}\n")
    assert run("query", str(policy), "--analyst", "dora", "SELECT count(*) FROM orders").exit_code == 0
    assert run("calibrate", str(policy), "--draw", "draw-1").exit_code == 2


@pytest.mark.slow
def test_the_plot_shows_every_curve(run, policy, tmp_path):
    pytest.importorskip("matplotlib")
    result = run("calibrate", str(policy), "--epsilon", "1", "--plot", str(tmp_path / "curves.svg"))
    drawn = (tmp_path / "curves.svg").read_text()
    assert result.exit_code == 0 and drawn.startswith("<?xml") and drawn.count("axes_") >= 3


def test_what_cannot_be_written_is_told_before_anything_is_paid(run, policy, tmp_path, monkeypatch):
    (tmp_path / "there.png").write_text("")
    for name in ("there.png", "curves.gif", "nowhere/curves.png"):
        assert run("calibrate", str(policy), "--epsilon", "1", "--plot", str(tmp_path / name)).exit_code == 2
    with monkeypatch.context() as patched:
        patched.setattr(command.os, "access", lambda *of: of[0] != policy.parent)
        result = run("calibrate", str(policy), "--epsilon", "1", "--write")
    assert result.exit_code == 2 and "shop.yaml cannot be written" in result.stderr
    monkeypatch.setattr("dpsql.release.calibration.drawing.find_spec", lambda name: None)
    missing = run("calibrate", str(policy), "--epsilon", "1", "--plot", str(tmp_path / "a.png"))
    assert missing.exit_code == 2 and "dpsql[plot]" in missing.stderr
    assert not policy.with_suffix(".ledger").exists()


def test_check_warns_of_a_budget_that_a_draw_uses_up(run, policy):
    policy.write_text(POLICY + "calibrated: {draw-1: {epsilon: 2, histograms: 1}}\n")
    assert (
        "budgets.default: begins with epsilon 2 of the draws under calibrated"
        in run("check", str(policy)).stderr
    )
