"""What a key names, as far as names tell: `visit_id` a visit, `id` of the table `patients` a patient.

Names and types alone are looked at, never data. A name is a hint and no proof: what follows from it is a warning or a
proposal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from dpsql.policy.model import ColumnType, Table
from dpsql.slotted import dataclass

Words = tuple[str, ...]

# The last word of a name says that the column is a key, not what of.
_KEY_WORDS = frozenset(
    {"id", "ids", "key", "no", "nr", "num", "number", "code", "uuid", "guid", "pk", "fk", "sk", "ref"}
)
_ENDINGS = ("key", "id", "no", "nr")
# Prefixes that all tables of a model have in front of their names.
_TABLE_PREFIXES = frozenset({"dim", "fact", "fct", "tbl", "stg", "raw", "vw"})
_SINGULAR = {"people": "person", "staff": "employee", "children": "child", "men": "man", "women": "woman"}
_WORD = re.compile(r"[^\W\d_]+|\d+")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

UNITS = frozenset(
    {
        "account", "applicant", "author", "borrower", "buyer", "child", "citizen", "client", "consumer", "contact",
        "customer", "donor", "driver", "employee", "family", "guest", "holder", "household", "individual", "learner",
        "man", "member", "owner", "participant", "passenger", "patient", "payer", "person", "player", "pupil",
        "resident", "respondent", "rider", "seller", "student", "subject", "subscriber", "taxpayer", "tenant", "unit",
        "user", "visitor", "voter", "woman", "worker",
    }
)  # fmt: skip
"""Words for whom a policy may protect. Two of them may be two words for one person."""


@dataclass(frozen=True, slots=True)
class NamedColumn:
    """A column of a table, by name and type; no type where a policy has none for it."""

    table: str
    name: str
    type: ColumnType | None


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table, by its name and its columns."""

    name: str
    columns: tuple[NamedColumn, ...]

    @property
    def key(self) -> NamedColumn | None:
        """The column that names the table's own rows by its name, as `visits.visit_id` or `visits.id`; or None."""
        own = singular(self.name)
        keys = [(c, named_by(c)) for c in self.columns if says_key(c.name)]
        exact = (c for c, named in keys if _ends_with(own, named))
        return next(exact, next((c for c, named in keys if _shortens(named, own)), None))


@dataclass(frozen=True, slots=True)
class TableKey:
    """A table's own key: what the table's name says that its rows are, what the key's name says, and the key."""

    table: Words
    named: Words
    key: NamedColumn


def named_table(table: Table) -> NamedTable:
    """A policy's table by its names and types; fields of JSON are no keys."""
    columns = (c for c in table.columns if c.field is None)
    return NamedTable(table.name, tuple(NamedColumn(table.name, c.name, c.type) for c in columns))


def words(name: str) -> Words:
    """The words of a name in lower case: `VisitId` and `visit_id` are (visit, id)."""
    return tuple(w.lower() for w in _WORD.findall(_CAMEL.sub("_", name)))


def singular(name: str) -> Words:
    """What one row of a table is, by the table's name: (visit,) for `visits` or `clinic.dim_visits`."""
    parts = words(name.rpartition(".")[2])
    kept = parts[1:] if len(parts) > 1 and parts[0] in _TABLE_PREFIXES else parts
    return tuple(map(_one, kept))


def named_by(column: NamedColumn) -> Words:
    """What a column names one of, if it is a key: (visit,) for `visit_id`, and for `id` what its table has rows of."""
    rest = _without_key(words(column.name))
    return tuple(map(_one, rest)) or singular(column.table)


def says_key(name: str) -> bool:
    """Whether a column's name says that it is a key: its last word or that word's end does."""
    parts = words(name)
    return bool(parts) and _without_key(parts) != parts


def are_alike(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether two names may be of one thing: they share a word, or one has a word's beginning, as `cust`."""
    others = tuple(other)
    return any(a.startswith(b) or b.startswith(a) for a in one for b in others)


def keys_of(tables: Sequence[NamedTable]) -> tuple[TableKey, ...]:
    """The keys of those tables that have one by their names."""
    keys = ((t, t.key) for t in tables)
    return tuple(TableKey(singular(t.name), named_by(key), key) for t, key in keys if key is not None)


def matching(wanted: NamedColumn, keys: Sequence[TableKey]) -> tuple[NamedColumn, ...]:
    """The keys of other tables that a column has the name and the type of."""
    same = named_by(wanted)
    if not says_key(wanted.name) or not _without_key(words(wanted.name)):
        return ()
    alike = (k for k in keys if same == k.named or _ends_with(k.table, same))
    return tuple(k.key for k in alike if k.key.table != wanted.table and k.key.type is wanted.type)


def holder_of(wanted: NamedColumn, tables: Sequence[NamedTable]) -> NamedColumn | None:
    """The column of that name and type in the one other table that has it; None where none has it, or several have."""
    others = (c for t in tables if t.name != wanted.table for c in t.columns)
    found = [c for c in others if c.name.lower() == wanted.name.lower() and c.type is wanted.type]
    return found[0] if len(found) == 1 else None


def _ends_with(table: Words, named: Words) -> bool:
    """Whether the words are a table's last ones: (visit,) of (clinic, visit)."""
    return bool(named) and table[-len(named) :] == named


def _shortens(named: Words, table: Words) -> bool:
    """Whether the words are a table's with the last one cut short, as `cust` of `customer`."""
    if not named or len(named) != len(table) or named[:-1] != table[:-1]:
        return False
    short, whole = named[-1], table[-1]
    return whole.startswith(short) and 3 <= len(short) <= min(4, len(whole) - 2)


def _without_key(found: Words) -> Words:
    """The words without the one that says key, and without the letter that TPC-H's columns begin with."""
    if len(found) > 1 and len(found[0]) == 1:
        found = found[1:]
    if not found:
        return found
    *before, last = found
    if last in _KEY_WORDS:
        return tuple(before)
    ending = next((e for e in _ENDINGS if last.endswith(e) and len(last) > len(e) + 2), None)
    return (*before, last.removesuffix(ending)) if ending == "key" or (ending and not before) else found


def _one(word: str) -> str:
    """A word in the singular, as far as English endings tell."""
    if word in _SINGULAR:
        return _SINGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    plural = word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3
    return word[:-1] if plural else word
