"""docs/prepare.md says what is so: its commands run on its policy, and the copy has the columns that it lists."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
import pytest
from click.testing import CliRunner
from pages import fenced, text_of

from dpsql.engines.prepared.folder import PreparedFolder, default_folder
from dpsql.interfaces.cli import main
from dpsql.policy.load import load_policy

TEXT = text_of("prepare.md")


def test_the_commands_do_what_the_page_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = (
        "SELECT i // 9 AS customer, i / 2.0 AS amount, 'north' AS region, i AS unlisted FROM range(900) t(i)"
    )
    duckdb.execute(f"COPY ({rows}) TO '{tmp_path / 'orders.parquet'}'")
    (tmp_path / "shop.yaml").write_text(fenced(TEXT, "yaml")[0], encoding="utf-8")
    commands = [line.partition("#")[0].split()[1:] for line in fenced(TEXT, "sh")[0].splitlines()]
    told = [("1 table is prepared, 900 rows", ""), ("the prepared tables fit", ""), ("are removed", "")]
    for command, (said, _) in zip(commands, told, strict=True):
        if command[-1] == "--remove":
            assert columns(tmp_path) == [*("customer", "amount", "region"), *listed()]
        ran = CliRunner().invoke(main, command, catch_exceptions=False)
        assert ran.exit_code == 0 and said in ran.output
    assert not (tmp_path / "shop.prepared").exists()


def columns(folder: Path) -> list[str]:
    """The columns of the copy."""
    policy = load_policy(folder / "shop.yaml")
    place = PreparedFolder.of(policy, default_folder(policy))
    with duckdb.connect(str(place.path / place.read().file), read_only=True) as connection:
        return [row[0] for row in connection.execute("DESCRIBE orders").fetchall()]


def listed() -> list[str]:
    """The columns of the table on the page that are not the policy's own."""
    names = re.findall(r"^\| `(#.*?)` \|", TEXT, flags=re.MULTILINE)
    return [name.replace("...", "amount" if "grid" in name else "region") for name in names]
