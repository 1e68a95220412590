"""Which engine computes, as far as its answers may differ from those of another one on the same files."""

from __future__ import annotations

from typing import Final

import duckdb

CHOICE_OF_ROWS: Final = 1
"""Counted up with every change of ours in which rows are kept under a cap."""

READING: Final = 1
"""Counted up with every change of ours in what is read of a source: its types, its lines, the length of its texts."""


def engine_identity() -> str:
    """The engine in words. Caps keep rows in the order of DuckDB's `hash`, which another version may define anew."""
    return f"DuckDB {duckdb.__version__}, choice of rows {CHOICE_OF_ROWS}, reading {READING}"
