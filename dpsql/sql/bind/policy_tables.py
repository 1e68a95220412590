"""Tables of the policy as sources of a FROM clause."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from dpsql.algebra.catalog import Catalog, TableInfo
from dpsql.algebra.expressions import Column
from dpsql.algebra.relations import Scan
from dpsql.algebra.system_tables import CATALOG as DPSQL
from dpsql.algebra.system_tables import MAIN, SYSTEM_TABLES, system_name
from dpsql.errors import QueryRefused, Refusal
from dpsql.slotted import dataclass
from dpsql.sql.ast.positions import place_of
from dpsql.sql.ast.traversal import all_of
from dpsql.sql.bind.from_state import Table
from dpsql.sql.bind.scope import Output, Source
from dpsql.sql.bind.selects import renamed_outputs
from dpsql.sql.dialect import Node
from dpsql.sql.system_tables.declarations import listed_name

_LEAST_ALIKE: Final = 0.8


@dataclass(frozen=True, slots=True)
class SystemTable:
    """A table about the system, by its qualified name in lower case: public, and without facts to plan with."""

    name: str


def find_table(item: exp.Table, catalog: Catalog) -> TableInfo | SystemTable:
    """The table that a source names. Raises QueryRefused."""
    schema = item.args.get("db")
    if item.args.get("catalog") is not None:
        known = catalog.named(item.db, item.name) or catalog.named("", item.name)
        hint = f"Write {known.name}." if known is not None else ""
        raise QueryRefused("a table may not be qualified by a catalog", place=place_of(item), hint=hint)
    system = system_name(schema.name, item.name) if schema is not None else None
    if system is not None:
        return SystemTable(system)
    table = catalog.named(item.db, item.name)
    if table is None:
        name = f"{schema.name}.{item.name}" if schema is not None else item.name
        names = _names(item, catalog)
        hint = _nearest(name, names)
        hint += f"There is: {', '.join(names)}."
        if listed_name(schema.name if schema is not None else "", item.name) is not None:
            hint = "Tables about the system are read in statements that read no other table."
        reason = f'there is no table "{name}"'
        raise QueryRefused(reason, place=place_of(item), hint=hint, kind=Refusal.NO_TABLE)
    return table


def _names(item: exp.Table, catalog: Catalog) -> list[str]:
    """What a table may be called where this one stands."""
    if item.db.lower() == DPSQL:
        return sorted(name for name in SYSTEM_TABLES if name.startswith(f"{DPSQL}."))
    tables = sorted(t.name for t in catalog.tables.values())
    return [*dict.fromkeys(c.alias for c in all_of(item.root(), exp.CTE)), *tables] if not item.db else tables


def base_table(item: Node, info: TableInfo, index: int) -> Table:
    """A table as typed rows under its alias; `index` numbers the source."""
    scan = Scan(info.name, index)
    outputs = tuple(Output(c.name, Column(scan.index, c.name, c.type)) for c in info.columns if not c.hidden)
    hidden = tuple(c.name for c in info.columns if c.hidden)
    outputs = renamed_outputs(outputs, item)
    schema = item.args["db"].name if item.args.get("db") is not None else MAIN
    return Table(scan, Source(item.alias or item.name, outputs, hidden, schema), not info.public)


def _nearest(name: str, names: Sequence[str]) -> str:
    """The name that is meant, where one is much like it."""
    written = {n.lower(): n for n in names}
    near = difflib.get_close_matches(name.lower(), written, n=1, cutoff=_LEAST_ALIKE)
    return f'Did you mean "{written[near[0]]}"? ' if near else ""
