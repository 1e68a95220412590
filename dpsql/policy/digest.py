"""What identifies the privacy-relevant content of a policy; budgets may change without changing it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import date
from enum import Enum
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from dpsql.errors import InternalError
from dpsql.policy.model import AccountantName, Column, JsonField, Privacy, Reference, Table, UnitPath
from dpsql.policy.rules.tables import SourceText
from dpsql.policy.table_sources import CsvFormat, SourceKind
from dpsql.privacy import Neighbours
from dpsql.slotted import dataclass

# The default of a key that is always written.
_NOTHING: Final = object()


@dataclass(frozen=True, slots=True)
class _Key:
    """An attribute, the value at which it is left out, and its name in the digest if that is another."""

    attribute: str
    left_out: object = _NOTHING
    name: str = ""


# Stored keys hold the digest: what is written stays as it is when attributes are renamed or get other defaults. A key
# that a later version adds is left out where it changes nothing, so that policies without it keep their digest.
_WRITTEN: Final[Mapping[type, tuple[_Key, ...]]] = MappingProxyType(
    {
        Privacy: (
            _Key("unit"),
            _Key("neighbours", Neighbours.ADD_REMOVE),
            _Key("max_rows_per_unit", None),
            _Key("mechanisms", None),
            _Key("max_groups_per_unit", None),
        ),
        # Its source is written as kind and text.
        Table: (
            _Key("name"),
            _Key("public", False),
            _Key("unit_key", None),
            _Key("row_is_unit", False),
            _Key("one_row_per_unit", False),
            _Key("max_rows_per_unit", None),
            _Key("columns", ()),
            _Key("unit_path", None),
            _Key("view", None),
        ),
        UnitPath: (_Key("column"), _Key("table"), _Key("key")),
        Column: (
            _Key("name"),
            _Key("type"),
            _Key("lower", None),
            _Key("upper", None),
            _Key("values", None),
            _Key("step", None),
            _Key("unit_total", None),
            _Key("nullable", False),
            _Key("hidden", False),
            _Key("partition", False),
            _Key("max_length", None),
            _Key("references", None),
            _Key("field", None),
        ),
        JsonField: (_Key("column"), _Key("steps")),
        Reference: (_Key("table"), _Key("column")),
    }
)
_ELSEWHERE: Final[Mapping[type, frozenset[str]]] = MappingProxyType(
    # What a release is made of, which its key says, shows how its limits were found.
    {Table: frozenset({"source"}), Privacy: frozenset({"clipping"})}
)


def digest(
    privacy: Privacy, tables: tuple[Table, ...], sources: tuple[SourceText, ...], accountant: AccountantName
) -> str:
    """SHA-256, in hex, of the canonical JSON of everything but the budgets and the policy's path.

    Values at their defaults are left out, so that writing a default out, or a key that later versions add, changes
    nothing. Tables are in the order of their names, columns in the policy's. Raises InternalError for an attribute
    that the table does not list: it could change without a new digest.
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
    """The table, with its source as kind and relative path, so that the folder can be moved.

    Of a CSV file's format only what differs from the default for its suffix.
    """
    read = table.source.format.beside(CsvFormat.of_file(table.source.path))
    form = {"format": read} if table.source.kind is SourceKind.CSV and read else {}
    return {"source": [table.source.kind.value, source], **form, **_object(table)}


def _object(value: Any) -> dict[str, object]:
    """The keys of one of our classes that are not left out."""
    kind = type(value)
    keys = _WRITTEN.get(kind, ())
    if {f.name for f in fields(kind)} != {k.attribute for k in keys} | _ELSEWHERE.get(kind, frozenset()):
        raise InternalError(f"the digest of a policy does not say how all of {kind.__name__} is written")
    given = ((k, getattr(value, k.attribute)) for k in keys)
    return {k.name or k.attribute: _canonical(v) for k, v in given if v != k.left_out}


def _canonical(value: object) -> object:
    """A value as JSON has it; members of enumerations are the policy's own words."""
    if isinstance(value, Privacy | UnitPath | Column | JsonField | Reference):
        return _object(value)
    if isinstance(value, tuple):
        return [_canonical(v) for v in value]
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, date):
        return value.isoformat()
    if value is None or isinstance(value, bool | int | str):
        return value
    raise InternalError(f"the digest of a policy does not say how a {type(value).__name__} is written")
