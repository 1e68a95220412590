"""The shop of tests/cases/answers/data as a folder with its data and its policies."""

from __future__ import annotations

import shutil
import tempfile
from functools import cache
from pathlib import Path

import duckdb

DATA = Path(__file__).parents[1] / "cases" / "answers" / "data"


def make_shop(folder: Path) -> Path:
    """Writes shop.duckdb and every policy of the shop to a folder, and returns it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "shop.duckdb").write_bytes(_database())
    for policy in DATA.glob("*.yaml"):
        shutil.copy(policy, folder)
    return folder


@cache
def _database() -> bytes:
    """The data as a file of DuckDB, made once in a process."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "shop.duckdb"
        with duckdb.connect(str(file)) as connection:
            connection.execute((DATA / "shop.sql").read_text(encoding="utf-8"))
        return file.read_bytes()
