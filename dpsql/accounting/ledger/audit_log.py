"""The audit log: append-only lines, each with a hash over itself and the hash before, so that none can be changed or
taken out of the middle unnoticed.

No line holds anything of the data: texts are the analysts' own, costs and refusals follow from text and policy, and a
draw is named by the hash of what was released. Whoever may write the file could also write a new chain from the start;
who wants to notice that keeps a copy of a recent hash elsewhere.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from dpsql.accounting.storage.protocol import Connection
from dpsql.slotted import dataclass

GENESIS = "0" * 64
Body = Mapping[str, object]
_COMPACT = json.JSONEncoder(separators=(",", ":"))
_SORTED = json.JSONEncoder(sort_keys=True)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the log: when (seconds since 1970), who, what was done, and its particulars as JSON."""

    id: int
    time: int
    dataset: str
    who: str
    what: str
    body: str
    hash: str


def append(db: Connection, time: int, dataset: str, who: str, what: str, body: Body) -> int:
    """Write the next line and return its number."""
    row = db.execute("SELECT id, hash FROM log ORDER BY id DESC LIMIT 1").fetchone()
    last, before = row if row is not None else (0, GENESIS)
    text = _SORTED.encode(body)
    fields = (last + 1, time, dataset, who, what, text)
    db.execute("INSERT INTO log VALUES (?, ?, ?, ?, ?, ?, ?)", (*fields, chained(before, fields)))
    return int(fields[0])


def chained(before: str, fields: tuple[int, int, str, str, str, str]) -> str:
    """SHA-256, in hex, of the hash before and the fields of a line."""
    return digest((before, *fields))


def digest(content: object) -> str:
    """SHA-256, in hex, of the content as compact JSON."""
    return hashlib.sha256(_COMPACT.encode(content).encode("ascii")).hexdigest()
