"""Tables whose rows may be owned by another thing than the policy's unit, by names and types alone.

Where `unit_key` holds visits in place of patients, each visit is protected as if it were a person: answers look right
and promise too little. No rule can find that in general: keys of visits and of patients are both integers.
"""

from __future__ import annotations

from collections.abc import Iterator

from dpsql.policy.model import Policy, Table
from dpsql.policy.naming.key_names import (
    UNITS,
    NamedColumn,
    NamedTable,
    TableKey,
    are_alike,
    holder_of,
    keys_of,
    matching,
    named_by,
    named_table,
    says_key,
    singular,
)
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A table, what its `unit_key` may really be, and what would be right if so."""

    table: str
    why: str
    instead: str

    def __str__(self) -> str:
        return f"tables.{self.table}.unit_key: {self.why}; {self.instead}"


def suspected_units(policy: Policy) -> tuple[Suspicion, ...]:
    """The private tables whose `unit_key` seems to name something else than the unit, from names and types alone."""
    unit = _unit_column(policy)
    if unit is None:
        return ()
    private = tuple(t for t in policy.tables if not t.public)
    named = tuple(map(named_table, private))
    owned = [(t, n) for t, n in zip(private, named, strict=True) if t.unit_key and t.name != unit.table]
    keys, led_to = keys_of(named), _led_to(private)
    suspicions = (
        _suspicion(table, of_table, unit, keys, led_to, _with_other_keys(private, of_table, table.unit_key))
        for table, of_table in owned
    )
    return tuple(s for s in suspicions if s is not None)


def _with_other_keys(
    private: tuple[Table, ...], named: NamedTable, key: str | None
) -> tuple[NamedTable, ...]:
    """The other private tables whose rows are not owned by the column that owns those of this one."""
    return tuple(named_table(t) for t in private if t.name != named.name and t.unit_key != key)


def _led_to(private: tuple[Table, ...]) -> tuple[NamedColumn, ...]:
    """The columns that the policy's paths lead to: unique keys, whatever they are called."""
    by_name = {t.name: t for t in private}
    paths = (t.unit_path for t in private if t.unit_path is not None)
    found = ((p.table, by_name[p.table].column(p.key)) for p in paths if p.table in by_name)
    return tuple(dict.fromkeys(NamedColumn(t, c.name, c.type) for t, c in found if c is not None))


def _unit_column(policy: Policy) -> NamedColumn | None:
    table, _, column = policy.privacy.unit.rpartition(".")
    owner = policy.table(table)
    listed = owner.column(column) if owner is not None and not owner.row_is_unit else None
    return NamedColumn(table, listed.name, listed.type) if listed is not None else None


def _suspicion(
    table: Table,
    named: NamedTable,
    unit: NamedColumn,
    keys: tuple[TableKey, ...],
    led_to: tuple[NamedColumn, ...],
    others_owned: tuple[NamedTable, ...],
) -> Suspicion | None:
    key = next(c for c in named.columns if c.name == table.unit_key)
    like = next(_named_like(unit, named, key), None)
    if named_by(key) == named_by(unit) or (key.name.lower() == unit.name.lower() and like is None):
        return None
    same = (k for k in led_to if k.table != table.name and k.name.lower() == key.name.lower())
    others = (*matching(key, keys), *(k for k in same if k.type is key.type))
    elsewhere = [k for k in others if (k.table, k.name) != (unit.table, unit.name)]
    if elsewhere:
        return _key_of_another(table, key, elsewhere[0], unit, like)
    if like is None and _may_be_alike(key, unit):
        return None
    holder = holder_of(key, others_owned)
    return _of_another_kind(table, key, unit, like, holder, own=named.key == key)


def _key_of_another(
    table: Table, key: NamedColumn, other: NamedColumn, unit: NamedColumn, like: NamedColumn | None
) -> Suspicion:
    one = " ".join(named_by(other))
    direct = f"`unit_key: {like.name}`, or, " if like is not None else ""
    return Suspicion(
        table.name,
        f"{key.name} looks like the key of {other.table}, not like {_full(unit)}: "
        f"each {one} would be protected as if it were a unit of its own",
        f"if so, write {direct}in its place, `unit_path: {{{key.name}: {_full(other)}}}`",
    )


def _may_be_alike(key: NamedColumn, unit: NamedColumn) -> bool:
    """Whether two names may be of one person: `cust` and `customer`, `buyer` and `customer`, or what names nothing."""
    what = named_by(key)
    same = are_alike(what, (*named_by(unit), *singular(unit.table)))
    return same or not says_key(key.name) or bool(UNITS & set(what))


def _of_another_kind(
    table: Table,
    key: NamedColumn,
    unit: NamedColumn,
    like: NamedColumn | None,
    holder: NamedColumn | None,
    *,
    own: bool,
) -> Suspicion | None:
    if UNITS & set(named_by(key)) and not own:
        return None
    one = "row" if own else " ".join(named_by(key))
    what = "looks like the key of the table's own rows, not like" if own else "does not look like"
    if like is not None:
        instead = f"if so, write `unit_key: {like.name}`"
    elif holder is not None:
        path = f"`unit_path: {{{key.name}: {_full(holder)}}}`"
        instead = f"if so, and if {holder.name} is unique in {holder.table}, write in its place {path}"
    else:
        instead = (
            "if so, list the private table that says whose it is, with its key unique, and write "
            f"`unit_path: {{{key.name}: that_table.{key.name}}}`"
        )
    return Suspicion(
        table.name,
        f"{key.name} {what} {_full(unit)}: each {one} would be protected as if it were a unit of its own",
        instead,
    )


def _named_like(unit: NamedColumn, named: NamedTable, key: NamedColumn) -> Iterator[NamedColumn]:
    whom = named_by(unit)
    own = (c for c in named.columns if c != key and c.type is unit.type)
    return (c for c in own if named_by(c) == whom or c.name.lower() == unit.name.lower())


def _full(column: NamedColumn) -> str:
    return f"{column.table}.{column.name}"
