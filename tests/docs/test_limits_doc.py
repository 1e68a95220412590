"""docs/limits.md says what is so: its policy loads, its command runs, and writes what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import duckdb
from click.testing import CliRunner
from pages import fenced, text_of

from dpsql.interfaces.cli import main
from dpsql.policy.load import load_policy

TEXT = text_of("limits.md")
(POLICY,) = fenced(TEXT, "yaml")
(COMMAND,) = fenced(TEXT, "sh")
LIMITS, LISTED = fenced(TEXT, "text")
# 6,000 persons of 14 to 16 rows, one of 175 euros and others of 70: far from the ends of bins.
ORDERS = """
CREATE TABLE orders AS SELECT p AS customer, 'north' AS region, (CASE r WHEN 0 THEN 175 ELSE 70 END)::DOUBLE AS amount
FROM range(6000) AS p(p), range(16) AS r(r) WHERE r < 14 + p % 3"""


def test_the_session_of_the_page(tmp_path: Path) -> None:
    """Of another draw the name and the day are others; with so many persons the limits are not, but once in 170.

    Five draws in a row have other ones once in 1e11 runs.
    """
    wanted = set(_masked(LIMITS + LISTED).splitlines())
    assert any(wanted <= _session(tmp_path / str(draw)) for draw in range(5))


def _session(folder: Path) -> set[str]:
    """The lines that the command writes."""
    folder.mkdir()
    (folder / "shop.yaml").write_text(POLICY)
    with duckdb.connect(str(folder / "orders.duckdb")) as db:
        db.execute(ORDERS)
    program, *arguments = COMMAND.split()
    assert program == "dpsql"
    arguments[arguments.index("shop.yaml")] = str(folder / "shop.yaml")
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    assert load_policy(folder / "shop.yaml").calibrated[0].histograms == 3
    return set(_masked((folder / "shop.yaml").read_text()).splitlines())


def _masked(text: str) -> str:
    """The text without what another draw has otherwise."""
    return re.sub("draw-[0-9a-f]{16}", "draw", re.sub("day: [0-9-]{10}", "day", text))


def test_the_options_of_the_page_exist() -> None:
    options = {name for param in main.commands["calibrate"].params for name in param.opts}
    assert set(re.findall(r"`(--[a-z]+)", TEXT)) <= options
