"""Bounding where one table owns the rows and every row of it is matched a known number of times.

Most units own few rows: only the rows of units above a limit are ever ordered. They are listed once per data version.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import Call, Column, columns_of
from dpsql.algebra.read_columns import expressions
from dpsql.algebra.relations import Relation, Scan
from dpsql.algebra.scan import column_sql, quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.base import UnitList
from dpsql.engines.sqlgen.aggregate import Side
from dpsql.engines.sqlgen.bounding import (
    BIG,
    ORDER,
    Ranked,
    big,
    content_order,
    content_terms,
    excess,
    first_places,
    heavy,
    light,
    listed,
    most_listed,
    on_grid,
)
from dpsql.engines.sqlgen.clamps import NO_CLAMPS, Clamp, clamps_of
from dpsql.engines.sqlgen.first import MOST_FIRST, first_rows
from dpsql.engines.sqlgen.read import bounded_table, names_read
from dpsql.engines.sqlgen.relation import (
    OFF,
    PLACE,
    SIZE,
    TOTAL,
    Around,
    FromWhere,
    Rows,
    owned_view,
    plain,
    reference,
)
from dpsql.engines.sqlgen.stored_conditions import asked_of_stored
from dpsql.engines.sqlgen.task import Task, flat
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import Sum, Term, UnitTotal

_NUMBER = '"#n"'
# For more, finding the place of the last row that is kept and reading the rows again takes less.
_FEW_TERMS = 2


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
        # DuckDB groups a text by its dictionary: where nothing but rows is counted that takes less than codes do.
        counted = self.info.prepared is not None and all(t == Term(Sum.ROWS) for t in task.terms)
        self.as_codes = frozenset[str]() if counted else self.unchecked
        self.asked = asked_of_stored(task.relation, owner, self.info)
        asked = (*task.keys, *expressions(self.asked.relation), *task.summed)
        self.few_names = names_read(
            asked, owner.index
        )  # of rows that have passed the conditions on what is stored
        self._written: dict[int, Around] = {}

    def sides(self) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
        """The rows to add up, and the rows that are among them too often, to be taken off again."""
        if self.task.of_largest is not None:
            return (self._side(listed(self.task.of_largest)),), ()
        cap, limit = self.bounding.rows, self._listed_above()
        if cap is not None and limit == 0 and not self.bounding.table_cap:
            return (self._all_numbered(cap),), ()
        if not self.task.listed:
            return (self._every(),), ()
        if self.task.additive:
            return self._under_totals() if self.bounding.totals else self._less_dropped(cap, limit)
        if cap is not None:
            return (self._light_and_heavy(cap, limit),), ()
        if limit is None:
            return (self._side(self._plain(self.names)),), ()
        return (self._side(self.task.read(self.owner)),), ()

    @property
    def counted(self) -> str:
        """A query for the number of rows before any is dropped; empty where rows are joined to find their owners."""
        return f"SELECT count(*) {self._every().source.sql}" if self.table.counted else ""

    def _every(self) -> Side:
        """All rows: of no unit one has to be dropped, and of none anything is clipped off."""
        if self.bounding.totals:
            return self._side(self._plain(self.names))
        return self._side(Rows(self._owned(self.few_names, self.as_codes)), self.asked.relation)

    def checked(self, index: int) -> str:
        """A key of the outer query; the value of an unchecked one is looked up in its column's list here."""
        key = self.task.keys[index]
        if not isinstance(key, Column) or key.scan != self.owner.index or key.name not in self.unchecked:
            return f"k{index}"
        info = self.info.column(key.name)
        assert info is not None
        if self.info.prepared is not None:
            return f"CAST(k{index} AS VARCHAR)"
        return column_sql(info, f"k{index}")

    def _listed_above(self) -> int | None:
        """Units with more rows than this are listed; None where no row has to be dropped."""
        if self.bounding.rows is not None:
            return self.bounding.rows // self.fan_out
        return self._table_cap()

    def _all_numbered(self, cap: int) -> Side:
        """Where a row may be joined to more rows than the cap, those of every unit are numbered."""
        most = most_listed(self.info, cap)
        if most is None:
            return self._numbered(self._plain(self.table.every), f"{_NUMBER} <= {cap}", placed=False)
        units = heavy(self.table, most, cap)
        few = light(self._owned(self.table.every), units)
        numbered = self._numbered(few, f"{_NUMBER} <= {cap}", placed=False)
        in_reach = content_terms([flat(c) for c in self.task.in_reach], self.table.salt)
        return self._united(numbered, self._first_of_big(units, cap, in_reach))

    def _less_dropped(self, cap: int | None, limit: int | None) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
        """All rows less those that are dropped; of a unit that is too big to be listed all, and what it keeps is added.

        Few units are listed, and mostly none is too big: a join of all rows with these would take longer than all else.
        """
        if limit is None:
            return (self._side(self._viewed(), self.asked.relation),), ()
        units, own = heavy(self.table, limit, self._keep(cap)), self._table_cap()
        rows = self._owned(self.names, self.as_codes)
        viewed = self._viewed()
        every = self._side(Rows(viewed.sql, (*viewed.lists, units)), self.asked.relation)
        of_big = self._of_big(big(rows, units), self.asked.relation)
        if cap is None or isinstance(self.task.relation, Scan):
            most = min(c for c in (cap, own) if c is not None)
            if isinstance(units, Ranked):
                return (self._side(first_places(rows, units, most), self.asked.relation),), ()
            kept = self._of_big(listed(units, f"{BIG} AND {ORDER} <= {most}"))
            return (every, kept), (of_big, self._side(listed(units, f"NOT {BIG} AND {ORDER} > {most}")))
        if self.task.counts_rows:
            return self._less_counted(cap, units, every, of_big)
        if isinstance(units, Ranked) and cap <= MOST_FIRST and self.fan_out == 1 and not self._others():
            if own is None and self._adds_little():
                return (every,), (self._behind_first(cap),)
            return (every,), (self._beyond_places(cap, units),)
        dropped = self._numbered(listed(units, f"NOT {BIG}"), f"NOT ({self._is_kept(cap)})")
        return (every, *self._kept_of_big(units, cap)), (of_big, dropped)

    def _less_counted(
        self, cap: int, units: UnitList, every: Side, of_big: Side
    ) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
        """Where rows are counted in one group, how many are dropped follows from each unit's number: none is chosen."""
        own = self._table_cap()
        if own is None and isinstance(units, Ranked):
            return (every,), (replace(self._side(self._large(units), self.asked.relation), beyond=cap),)
        if own is None:
            light_too = self._side(listed(units, f"NOT {BIG}"))
            return (every,), (replace(light_too, beyond=cap), replace(of_big, beyond=cap))
        kept = self._side(listed(units, f"{ORDER} <= {own}"))
        dropped = self._side(listed(units, f"NOT {BIG} AND {ORDER} > {own}"))
        of_own = self._of_big(listed(units, BIG))
        return (every, of_own), (of_big, dropped, replace(kept, beyond=cap))

    def _large(self, units: Ranked) -> Rows:
        """All rows of the units of a prepared table that would be listed."""
        return self._stored(f"t.{SIZE} > {units.limit}")

    def _behind_first(self, cap: int) -> Side:
        """The rows of a prepared table that have a place, of which each unit's first do not count."""
        placed = self._side(self._stored(f"t.{PLACE} > 0"), self.asked.relation)
        return replace(placed, behind=cap, place=f"s{self.owner.index}.{PLACE}")

    def _stored(self, condition: str) -> Rows:
        """The rows of a prepared table that pass one more condition on what is stored."""
        return Rows(self._owned(self.few_names, self.as_codes, more=(condition,)))

    def _beyond_places(self, cap: int, units: Ranked) -> Side:
        """The rows of large units behind the place of their last row that is kept, where each stands once at most.

        That place is found while at most `cap` places of a unit are held, however many rows it has.
        """
        around, found = self._from(self._large(units), self.asked.relation)
        columns = f"{self._flat_columns(around, self.few_names)}, s{self.owner.index}.{PLACE} AS {PLACE}"
        source = FromWhere(f"FROM (SELECT {columns} {found.sql})", found.lists)
        last, more = f"list_max(min({PLACE}, {cap}))", f" HAVING count(*) > {cap}"
        if (own := self._table_cap()) is not None:
            last, more = f"least({last}, {own})", ""
        places = f"SELECT {UNIT}, {last} AS l {source.sql} GROUP BY {UNIT}{more}"
        beyond = (
            f"SELECT r.* {source.sql} AS r JOIN ({places}) AS p ON r.{UNIT} = p.{UNIT} WHERE r.{PLACE} > p.l"
        )
        return Side(FromWhere(f"FROM ({beyond})", source.lists), flat, UNIT)

    def _adds_little(self) -> bool:
        """Whether so little is asked of one group that a unit's first integers are best held beside its sums."""
        task = self.task
        return not task.every_key and not task.by_unit and len(task.terms) <= _FEW_TERMS

    def _kept_of_big(self, units: UnitList, cap: int) -> tuple[Side, ...]:
        """The joined and filtered rows that are kept of big units, of those that a table's cap keeps if it has one."""
        if self._table_cap() is not None:
            return (replace(self._numbered(listed(units, BIG), self._is_kept(cap)), big=True),)
        if most_listed(self.info, cap) is None:
            return ()
        own = content_terms([flat(c) for c in self._own()], self.table.salt)
        return (self._first_of_big(units, cap, [*own, *(flat(c) for c in self._others())]),)

    def _under_totals(self) -> tuple[tuple[Side, ...], tuple[Side, ...]]:
        """All rows less what is clipped off; of big units all is taken off, and what they keep added again."""
        totals = () if self.info.row_is_unit else self.bounding.totals  # of a row alone it is clipped already
        clipped = [self._clipped_off(i, t) for i, t in enumerate(totals)]
        return (self._side(self._plain(self.names)), *(f[0] for f in clipped)), tuple(
            s for f in clipped for s in f[1:]
        )

    def _clipped_off(self, at: int, total: UnitTotal) -> tuple[Side, Side, Side]:
        """What big units keep of a column with a total, what they have of it, and what is clipped off other units."""
        units = excess(self.table, total)
        whole, off = (f"s{self.owner.index}.{quoted(name)}" for name in (f"{TOTAL}0", OFF))
        kept = f"({whole} - {off})"
        names = self.names | {c.name for c in columns_of(total.grid.arg)}
        every = big(on_grid(self.table, names, (total,)), units)
        return (
            replace(self._of_big(listed(units, BIG)), at=at, whole=kept, off=kept),
            replace(self._of_big(every), at=at, whole=whole, off=whole),
            replace(self._side(listed(units, f"NOT {BIG}")), at=at, whole=whole, off=off),
        )

    def _keep(self, cap: int | None) -> int:
        """How many rows of a unit can be kept, before filters and joins where the table has a cap."""
        keep = cap if (own := self._table_cap()) is None else own
        assert keep is not None
        return keep

    def _table_cap(self) -> int | None:
        return self.info.rows_per_unit if self.bounding.table_cap else None

    def _is_kept(self, cap: int) -> str:
        """The condition on a numbered row of a listed unit: rows beyond the table's cap come last in its order."""
        own = self._table_cap()
        return f"{_NUMBER} <= {cap}" + (f" AND {ORDER} <= {own}" if own is not None else "")

    def _light_and_heavy(self, cap: int, limit: int | None) -> Side:
        assert limit is not None
        units = heavy(self.table, limit, self._keep(cap))
        few = self._flattened(light(self._owned(self.names), units), self.asked.relation)
        if isinstance(self.task.relation, Scan):
            most = min(c for c in (cap, self._table_cap()) if c is not None)
            return self._united(few, self._flattened(listed(units, f"{ORDER} <= {most}")))
        many = self._numbered(listed(units, f"NOT {BIG}"), self._is_kept(cap))
        return self._united(few, many, *self._kept_of_big(units, cap))

    def _flattened(self, rows: Rows, relation: Relation | None = None) -> Side:
        around, source = self._from(rows, relation)
        named = FromWhere(
            f"FROM (SELECT {self._flat_columns(around, self.names)} {source.sql})", source.lists
        )
        return Side(named, flat, UNIT)

    def _united(self, *sides: Side) -> Side:
        """The rows of sides that have their columns flat as one side."""
        names = ", ".join([UNIT, *(flat(c) for c in self._flat(self.names))])
        every = " UNION ALL ".join(f"SELECT {names} {side.source.sql}" for side in sides)
        lists = tuple(dict.fromkeys(x for side in sides for x in side.source.lists))
        return Side(FromWhere(f"FROM ({every})", lists), flat, UNIT)

    def _first_of_big(self, units: UnitList, cap: int, order: list[str]) -> Side:
        """The first joined and filtered rows of the big units in an order of content, none of them listed."""
        around, source = self._from(big(self._owned(self.table.every), units), self.asked.relation)
        every = dict.fromkeys([*self._own(), *self._others(), *self.task.used_marks])
        chosen = [f"{around.reference(c)} AS {flat(c)}" for c in every]
        rows = f"SELECT {', '.join([f's{self.owner.index}.{UNIT} AS {UNIT}', *chosen])} {source.sql}"
        first = first_rows([UNIT, *(flat(c) for c in self._flat(self.names))], order, cap, rows)
        return Side(FromWhere(f"FROM ({first})", source.lists), flat, UNIT, big=True)

    def _own(self) -> list[Column]:
        return [Column(self.owner.index, c.name, c.type) for c in self.info.columns]

    def _others(self) -> list[Column]:
        return [c for c in self.task.in_reach if c.scan != self.owner.index]

    def _numbered(self, rows: Rows, condition: str, *, placed: bool = True) -> Side:
        """The joined and filtered rows of each unit numbered in content order, and those that pass a condition.

        `placed`: the rows are listed, each with its place in that order.
        """
        around, source = self._from(rows)
        prefix = f"s{self.owner.index}."
        if placed:
            others = [reference(c) for c in self._others()]
            order, extra = ", ".join([prefix + ORDER, *others]), f", {prefix}{ORDER} AS {ORDER}"
        else:
            columns = [reference(c) for c in self.task.in_reach]
            order, extra = content_order(columns, self.table.salt), ""
        number = f"row_number() OVER (PARTITION BY {prefix}{UNIT} ORDER BY {order}) AS {_NUMBER}"
        numbered = f"SELECT {self._flat_columns(around, self.names)}{extra}, {number} {source.sql}"
        return Side(FromWhere(f"FROM ({numbered}) WHERE {condition}", source.lists), flat, UNIT)

    def _flat(self, names: frozenset[str]) -> list[Column]:
        read = [c for c in self.task.in_reach if c.scan != self.owner.index or c.name in names]
        return [*read, *self.task.used_marks]

    def _flat_columns(self, around: Around, names: frozenset[str]) -> str:
        chosen = [f"{around.reference(c)} AS {flat(c)}" for c in self._flat(names)]
        return ", ".join([f"s{self.owner.index}.{UNIT} AS {UNIT}", *chosen])

    def _owned(
        self,
        names: frozenset[str],
        unchecked: frozenset[str] = frozenset(),
        view: str = "",
        clamps: Mapping[str, Clamp] = NO_CLAMPS,
        more: tuple[str, ...] = (),
    ) -> str:
        read = {name: clamp.read for name, clamp in clamps.items()}
        return plain(
            *(self.info, names, self.task.catalog.tables),
            owned=True,
            unchecked=unchecked,
            passing=(*self.asked.stored, *more),
            view=view,
            read=read,
        )

    def _viewed(self) -> Rows:
        """All owned rows, out of a view where there is one, and clamped where that is needed."""
        view = owned_view(self.info, self.task.catalog.tables)
        limits = self.task.policy.table(self.info.name)
        assert limits is not None
        clamps = clamps_of(limits, self.info, self.few_names)
        lists = (*((view,) if view is not None else ()), *clamps.values())
        named = view.view if view is not None else ""
        return Rows(self._owned(self.few_names, self.as_codes, named, clamps), lists)

    def _plain(self, names: frozenset[str]) -> Rows:
        if self.bounding.totals:
            return Rows(on_grid(self.table, names, self.bounding.totals))
        return Rows(self._owned(names))

    def _side(self, owned: Rows, relation: Relation | None = None, big: bool = False) -> Side:
        around, source = self._from(owned, relation)
        prefix = f"s{self.owner.index}."
        totals = tuple(prefix + quoted(f"{TOTAL}{i}") for i in range(len(self.bounding.totals)))
        grids = self._grids() if relation is not None else frozenset[tuple[Column, Fraction]]()
        return Side(source, around.reference, prefix + UNIT, totals, big=big, grids=grids)

    def _grids(self) -> frozenset[tuple[Column, Fraction]]:
        """The columns of the owner's rows, as they are stored, whose integers stand beside them."""
        stored = self.info.prepared.grids if self.info.prepared is not None else ()
        return frozenset((Column(self.owner.index, name, SqlType.DOUBLE), step) for name, step in stored)

    def _of_big(self, owned: Rows, relation: Relation | None = None) -> Side:
        """The same for rows of units that are too big to be listed whole."""
        return self._side(owned, relation, big=True)

    def _from(self, owned: Rows, relation: Relation | None = None) -> tuple[Around, FromWhere]:
        """The relation over other rows of the owner; other private tables are read under their own caps.

        Another `relation` is one without the conditions that those rows have passed already.
        """
        wanted = self.task.relation if relation is None else relation
        around = self._written.get(id(wanted))
        if around is None:
            around = self._written[id(wanted)] = Around(
                wanted, self.owner, self.task.base, self.task.catalog, self.task.read
            )
        return around, around.over(owned)

    def _unchecked(self) -> frozenset[str]:
        """Text columns that are only grouped by: their values are checked once a group, not once a row."""
        if not self.task.additive or self.bounding.totals or self.task.over_keys:
            return frozenset()
        read = names_read(self.task.rows, self.owner.index)
        bare = {k.name for k in self.task.keys if isinstance(k, Column) and k.scan == self.owner.index}
        inside = names_read(tuple(k for k in self.task.keys if isinstance(k, Call)), self.owner.index)
        texts = {c.name for c in self.info.columns if c.values is not None and c.type is SqlType.TEXT}
        return frozenset((bare & texts) - read - inside)
