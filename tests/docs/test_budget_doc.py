"""docs/budget.md says what is so: its policy loads and pays as it says, its example prints what it shows."""

from __future__ import annotations

import contextlib
import io
import re
import textwrap
from pathlib import Path

import duckdb
from pages import fenced, text_of

from dpsql.interfaces.cli import main
from dpsql.interfaces.cli.all_balances import balances
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
        owners = [one.account.owner for one in balances(tmp_path / "policy.yaml", tmp_path / "policy.ledger")]
        assert owners == ["dataset", "role sales", "alice", "bob"]
        budget = alice.budget()
        assert budget.ends is not None and budget.queries_left is not None and budget.queries_left >= 29


def test_the_questions_about_different_persons_are_charged_to_the_parts_that_the_page_names(
    tmp_path: Path,
) -> None:
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as db:
        db.execute("CREATE TABLE customers AS SELECT 1 AS id, 'DE' AS country, 30 AS age")
    head = "version: 1\nprivacy: {unit: customers.id, max_rows_per_unit: 1}\ntables:\n"
    tail = "budgets: {dataset: {epsilon: 9}, default: {epsilon: 9}}\n"
    policy = tmp_path / "policy.yaml"
    policy.write_text(head + textwrap.indent(fenced(TEXT, "yaml")[1], "  ") + tail, encoding="utf-8")
    rows = re.findall(r"^\| `(SELECT .*)` \| (.*) \|$", TEXT, flags=re.MULTILINE)
    session = build_session(load_policy(policy), "alice", None, (None, None), ExactSampler())
    with contextlib.closing(session) as alice:
        for sql, parts in rows:
            told = "every part" if parts == "all" else f"a part of the partition alone: country {parts}"
            assert f"charged to {told}" in "\n".join([*alice.explain(sql).notes, ""]), sql
    assert len(rows) == 7


def test_the_example_prints_what_the_page_shows() -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(fenced(TEXT, "python")[0], "docs/budget.md", "exec"), {})
    assert out.getvalue() == fenced(TEXT, "text")[0]


def test_every_accountant_stands_in_the_table() -> None:
    assert set(re.findall(r"^\| `(\w+)`", TEXT, flags=re.MULTILINE)) - {"accountant"} == set(AccountantName)


def test_every_command_that_is_shown_exists() -> None:
    group = main.commands["ledger"]
    assert set(re.findall(r"(?:^|`)dpsql ledger (\w+)", TEXT, flags=re.MULTILINE)) == set(group.commands)  # type: ignore[attr-defined]
