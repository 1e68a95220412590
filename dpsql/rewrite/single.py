"""Bounding where one table owns the rows and every row of it is matched a known number of times.

Most units own few rows: only the rows of units above a limit are ever ordered. They are listed once per data version.
"""

from __future__ import annotations

from dataclasses import replace

from dpsql.algebra.expr import Call, Column
from dpsql.algebra.relation import Scan
from dpsql.algebra.types import SqlType
from dpsql.plan.types import UnitTotal
from dpsql.rewrite.aggregate import Side
from dpsql.rewrite.bounding import ORDER, content_order, excess, heavy, light, listed, on_grid
from dpsql.rewrite.per_unit import UNIT
from dpsql.rewrite.read import bounded_table, names_read
from dpsql.rewrite.relation import OFF, TOTAL, FromWhere, Rows, Writer, plain, reference
from dpsql.rewrite.task import Task, flat
from dpsql.scan import column_sql, quoted

_NUMBER = '"#n"'


class SingleOwner:
    """The rows of a task whose owner is a table, and what of them is to be taken off."""

    def __init__(self, task: Task, owner: Scan) -> None:
        assert task.found.fan_out is not None
        self.task = task
        self.owner = owner
        self.fan_out = task.found.fan_out
        self.table = bounded_table(owner, task.policy, task.catalog)
        self.info = self.table.info
        self.bounding = task.bounding
        self.names = names_read((*task.keys, *task.rows), owner.index)
        self.unchecked = self._unchecked()

    def sides(self) -> tuple[Side, tuple[Side, ...]]:
        """The rows to add up, and the rows among them that bounding drops, to be taken off again."""
        cap, limit = self.bounding.rows, self._listed_above()
        if cap is not None and limit == 0 and not self.bounding.table_cap:
            return self._numbered(self._plain(self.table.every), f"{_NUMBER} <= {cap}"), ()
        if self.task.additive:
            return self._side(self._plain(self.names, self.unchecked)), self._dropped(cap, limit)
        if cap is not None:
            return self._light_and_heavy(cap, limit), ()
        if limit is None:
            return self._side(self._plain(self.names)), ()
        units = heavy(self.table, limit)
        few = light(self._owned(self.names), units)
        columns = ", ".join([UNIT, *(quoted(n) for n in sorted(self.names))])
        kept = listed(units, f"{ORDER} <= {limit}")
        both = f"SELECT {columns} FROM ({few.sql}) UNION ALL SELECT {columns} FROM ({kept.sql})"
        return self._side(Rows(both, (units,))), ()

    def checked(self, index: int) -> str:
        """A key of the outer query; the value of an unchecked one is looked up in its column's list here."""
        key = self.task.keys[index]
        if not isinstance(key, Column) or key.scan != self.owner.index or key.name not in self.unchecked:
            return f"k{index}"
        info = self.info.column(key.name)
        assert info is not None
        return column_sql(info, f"k{index}")

    def _listed_above(self) -> int | None:
        """Units with more rows than this are listed; None where no row has to be dropped."""
        if self.bounding.rows is not None:
            return self.bounding.rows // self.fan_out
        return self.info.rows_per_unit if self.bounding.table_cap else None

    def _dropped(self, cap: int | None, limit: int | None) -> tuple[Side, ...]:
        if self.bounding.totals:
            return tuple(self._clipped_off(i, t) for i, t in enumerate(self.bounding.totals))
        if limit is None:
            return ()
        units = heavy(self.table, limit)
        if cap is None or isinstance(self.task.relation, Scan):
            beyond = [str(c) for c in (cap, self._table_cap()) if c is not None]
            return (self._side(listed(units, " OR ".join(f"{ORDER} > {c}" for c in beyond))),)
        return (self._numbered(listed(units), f"NOT ({self._is_kept(cap)})"),)

    def _clipped_off(self, at: int, total: UnitTotal) -> Side:
        """The rows of the units above a total, with what is clipped off its column."""
        side = self._side(listed(excess(self.table, total)))
        whole, off = (f"s{self.owner.index}.{quoted(name)}" for name in (f"{TOTAL}0", OFF))
        return replace(side, at=at, whole=whole, off=off)

    def _table_cap(self) -> int | None:
        return self.info.rows_per_unit if self.bounding.table_cap else None

    def _is_kept(self, cap: int) -> str:
        """The condition on a numbered row of a listed unit: rows beyond the table's cap come last in its order."""
        own = self._table_cap()
        return f"{_NUMBER} <= {cap}" + (f" AND {ORDER} <= {own}" if own is not None else "")

    def _light_and_heavy(self, cap: int, limit: int | None) -> Side:
        assert limit is not None
        units = heavy(self.table, limit)
        writer, few = self._from(light(self._owned(self.names), units))
        many = self._numbered(listed(units), self._is_kept(cap))
        columns = self._flat_columns(writer)
        both = f"FROM (SELECT {columns} {few.sql} UNION ALL SELECT {self._flat_names()} {many.source.sql})"
        return Side(FromWhere(both, (*few.lists, *many.source.lists)), flat, UNIT)

    def _numbered(self, rows: Rows, condition: str) -> Side:
        """The joined and filtered rows of each unit numbered in content order, and those that pass a condition."""
        writer, source = self._from(rows)
        prefix = f"s{self.owner.index}."
        if rows.lists:
            others = [reference(c) for c in self.task.in_reach if c.scan != self.owner.index]
            order, extra = ", ".join([prefix + ORDER, *others]), f", {prefix}{ORDER} AS {ORDER}"
        else:
            columns = [reference(c) for c in self.task.in_reach]
            order, extra = content_order(columns, self.table.salt), ""
        number = f"row_number() OVER (PARTITION BY {prefix}{UNIT} ORDER BY {order}) AS {_NUMBER}"
        numbered = f"SELECT {self._flat_columns(writer)}{extra}, {number} {source.sql}"
        return Side(FromWhere(f"FROM ({numbered}) WHERE {condition}", source.lists), flat, UNIT)

    def _flat(self) -> list[Column]:
        read = [c for c in self.task.in_reach if c.scan != self.owner.index or c.name in self.names]
        return [*read, *self.task.used_marks]

    def _flat_columns(self, writer: Writer) -> str:
        chosen = [f"{writer.reference(c)} AS {flat(c)}" for c in self._flat()]
        return ", ".join([f"s{self.owner.index}.{UNIT} AS {UNIT}", *chosen])

    def _flat_names(self) -> str:
        return ", ".join([UNIT, *(flat(c) for c in self._flat())])

    def _owned(self, names: frozenset[str], unchecked: frozenset[str] = frozenset()) -> str:
        return plain(self.info, names, self.task.catalog.tables, owned=True, unchecked=unchecked)

    def _plain(self, names: frozenset[str], unchecked: frozenset[str] = frozenset()) -> Rows:
        if self.bounding.totals:
            return Rows(on_grid(self.table, names, self.bounding.totals))
        return Rows(self._owned(names, unchecked))

    def _side(self, owned: Rows) -> Side:
        writer, source = self._from(owned)
        prefix = f"s{self.owner.index}."
        totals = tuple(prefix + quoted(f"{TOTAL}{i}") for i in range(len(self.bounding.totals)))
        return Side(source, writer.reference, prefix + UNIT, totals)

    def _from(self, owned: Rows) -> tuple[Writer, FromWhere]:
        """The relation over other rows of the owner; other private tables are read under their own caps."""
        task = self.task
        writer = Writer(task.base, task.catalog, lambda s: owned if s == self.owner else task.read(s))
        return writer, writer.from_where(task.relation)

    def _unchecked(self) -> frozenset[str]:
        """Text columns that are only grouped by: their values are checked once a group, not once a row."""
        if not self.task.additive or self.bounding.totals:
            return frozenset()
        read = names_read(self.task.rows, self.owner.index)
        bare = {k.name for k in self.task.keys if isinstance(k, Column) and k.scan == self.owner.index}
        inside = names_read(tuple(k for k in self.task.keys if isinstance(k, Call)), self.owner.index)
        texts = {c.name for c in self.info.columns if c.values is not None and c.type is SqlType.TEXT}
        return frozenset((bare & texts) - read - inside)
