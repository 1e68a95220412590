"""What identifies the privacy-relevant content of a policy; budgets may change without changing it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from datetime import date
from enum import Enum
from fractions import Fraction

from dpsql.policy.model import AccountantName, CsvFormat, Privacy, SourceKind, Table
from dpsql.policy.rules import SourceText


def digest(
    privacy: Privacy, tables: tuple[Table, ...], sources: tuple[SourceText, ...], accountant: AccountantName
) -> str:
    """SHA-256, in hex, of the canonical JSON of everything but the budgets and the policy's own place.

    A value left at its default is left out, so that a key given as its default, and a key that later versions
    add, change nothing. Tables stand in the order of their names, columns in the policy's.
    """
    written = {s.table: s.text for s in sources}
    content = {
        "privacy": _canonical(privacy),
        "accountant": accountant.value,
        "tables": {t.name: _table(t, written[t.name]) for t in tables},
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _table(table: Table, source: str) -> object:
    """The table with its source as kind and text: moving the whole folder moves no content.

    Of a CSV file's format what is not usual for its suffix.
    """
    given = {f.name: getattr(table, f.name) for f in dataclasses.fields(table) if f.name != "source"}
    read = table.source.format.beside(CsvFormat.of_file(table.source.path))
    given["format"] = read if table.source.kind is SourceKind.CSV else None
    return {"source": [table.source.kind.value, source], **{k: _canonical(v) for k, v in given.items() if v}}


def _canonical(value: object) -> object:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        pairs = [(f, getattr(value, f.name)) for f in dataclasses.fields(value)]
        return {f.name: _canonical(v) for f, v in pairs if v != f.default}
    if isinstance(value, tuple):
        return [_canonical(v) for v in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    return value.isoformat() if isinstance(value, date) else value
