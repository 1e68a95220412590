"""docs/budget.md says what is so: its policy loads and pays as it says, its example prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

from pages import fenced, text_of

from dpsql.cli import main
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.load import load_policy
from dpsql.policy.model import AccountantName, Window
from dpsql.session import build_session

TEXT = text_of("budget.md")


def test_the_policy_pays_as_the_page_says(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text(fenced(TEXT, "yaml")[0], encoding="utf-8")
    (tmp_path / "orders.csv").write_text("customer,region\n1,north\n2,south\n", encoding="utf-8")
    policy = load_policy(tmp_path / "policy.yaml")
    assert policy.dataset.window is Window.MONTHLY and policy.dataset.name == "shop"
    with contextlib.closing(build_session(policy, "Alice", None, (None, None), ExactSampler())) as alice:
        alice.answer("SELECT region, COUNT(*) FROM orders GROUP BY region")
        owners = [one.account.owner for one in alice._state.ledger.standing(alice._state.request)]
        assert owners == ["alice", "role sales", "dataset"]
        budget = alice.budget()
        assert budget.ends is not None and budget.queries_left is not None and budget.queries_left >= 29


def test_the_example_prints_what_the_page_shows() -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(fenced(TEXT, "python")[0], "docs/budget.md", "exec"), {})
    assert out.getvalue() == fenced(TEXT, "text")[0]


def test_every_accountant_stands_in_the_table() -> None:
    assert set(re.findall(r"^\| `(\w+)`", TEXT, flags=re.MULTILINE)) - {"accountant"} == set(AccountantName)


def test_every_command_that_is_shown_exists() -> None:
    group = main.commands["ledger"]
    assert set(re.findall(r"^dpsql ledger (\w+)", TEXT, flags=re.MULTILINE)) == set(group.commands)  # type: ignore[attr-defined]
