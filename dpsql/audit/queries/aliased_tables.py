"""Tables under aliases, and which columns of them a join may equate."""

from __future__ import annotations

from dpsql.audit.queries.schema_view import ColumnView, Scope, TableView, qualified
from dpsql.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Side:
    """A table under an alias, as one side of a join."""

    table: TableView
    alias: str

    @property
    def sql(self) -> str:
        """The table in a FROM clause."""
        return f"{self.table.sql} AS {self.alias}"

    @property
    def scope(self) -> Scope:
        """All its columns."""
        return qualified(self.table.rows, self.alias)


def joinable(private: Scope, public: Scope) -> list[tuple[ColumnView, ColumnView]]:
    """Pairs of a private and a public column that a join may equate: of one name, or else with values in common.

    Rows are generated with values of public text where private text has no list.
    """
    pairs = [(a, b) for a in private for b in public if a.kind == b.kind and a.name and b.name]
    return [(a, b) for a, b in pairs if a.name.lower() == b.name.lower()] or [
        (a, b) for a, b in pairs if _meet(a, b)
    ]


def _meet(mine: ColumnView, theirs: ColumnView) -> bool:
    """Whether a listed value of the private column, or any of a text without a list, stands in the public one."""
    if mine.kind == "text" and not mine.values:
        return not mine.public and bool(theirs.values)
    return bool(set(mine.values) & set(theirs.values)) and mine.kind in ("int", "text")
