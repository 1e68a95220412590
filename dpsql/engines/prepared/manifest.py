"""What a folder of prepared tables says of itself: from which sources, under which policy and by which dpsql."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Final

from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.slotted import dataclass

FORMAT: Final = 4
"""Counted up with every change in what the file holds or in what its columns mean."""


@dataclass(frozen=True, slots=True)
class PreparedTable:
    """A private table in the file: `statements` is a digest of the SQL that made it.

    Of units with more rows than `ranked_above` every row has its place; None where no unit is ranked.
    """

    name: str
    statements: str
    ranked_above: int | None


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A DuckDB file of prepared tables, as an engine opens it; the file itself holds `mark`.

    `lists` are the names of the lists that are in it.
    """

    path: Path
    mark: str
    tables: tuple[PreparedTable, ...]
    lists: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the tables were made from; `file` is the name of the DuckDB file, `size` its bytes, beside the manifest.

    `former` is the file of the run before, which connections may still read: empty where it was of other sources.
    """

    format: int
    dpsql: str
    policy: str
    sources: Sources
    file: str
    size: int
    mark: str
    tables: tuple[PreparedTable, ...]
    former: str = ""
    lists: tuple[str, ...] = ()

    @classmethod
    def read(cls, text: str) -> Manifest:
        """What `written` wrote; ValueError, KeyError or TypeError for anything else."""
        fields = json.loads(text)
        sources = Sources.read(json.dumps(fields.pop("sources")))
        tables = tuple(PreparedTable(**table) for table in fields.pop("tables"))
        lists = tuple(map(str, fields.pop("lists", ())))
        return cls(sources=sources, tables=tables, lists=lists, **fields)

    def written(self) -> str:
        """Compact JSON."""
        return json.dumps(asdict(self), separators=(",", ":"), ensure_ascii=True)
