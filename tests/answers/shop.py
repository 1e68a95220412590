"""The shop of tests/cases/answers/data as a folder with its data and its policies."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb

DATA = Path(__file__).parents[1] / "cases" / "answers" / "data"


def make_shop(folder: Path) -> Path:
    """Writes shop.duckdb and every policy of the shop to a folder, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    with duckdb.connect(str(folder / "shop.duckdb")) as connection:
        connection.execute((DATA / "shop.sql").read_text(encoding="utf-8"))
    for policy in DATA.glob("*.yaml"):
        shutil.copy(policy, folder)
    return folder
