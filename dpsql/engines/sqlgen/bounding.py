"""Contribution bounding as SQL: which rows of a unit are kept, by content alone.

Rows are ordered by a salted hash of every listed column and then by the columns themselves: a total order on content up
to equal rows, which are interchangeable. Most units own few rows. Only the rows of units above a limit are ever
ordered; they are listed once per data version, with their place in their unit's order, and kept beside the data. A
bounded sum is then the sum over all rows less the sum over the listed rows that are not kept, exactly, since both are
sums of integers.

No unit decides whether the list fits into memory: of a unit with more rows than `most_listed` the first ones alone are
listed, found in one pass that never holds more of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field, replace

from dpsql.algebra.canonical import digest
from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.expressions import Column
from dpsql.algebra.facts import Facts
from dpsql.algebra.functions import fact_rule
from dpsql.algebra.scan import quoted
from dpsql.algebra.types import SqlType
from dpsql.engines.base import LISTS, ROWS_AT_ONCE, InPasses, Statement, UnitList
from dpsql.engines.sqlgen.first import MOST_FIRST, first_rows
from dpsql.engines.sqlgen.grid import clipped, grid_sql
from dpsql.engines.sqlgen.relation import OFF, PLACE, SIZE, TOTAL, Rows, Tables, plain, source_of
from dpsql.engines.sqlgen.unit_aggregates import UNIT
from dpsql.plan.types import UnitTotal
from dpsql.policy.model import MAX_TEXT
from dpsql.slotted import dataclass

ORDER = '"#order"'
BIG = '"#big"'
MOST_ROWS, LEAST_ROWS = 10_000, 1_000
_GROUPED, _ORDERED = 2_500_000, 250_000
"""How many rows are held in a pass: grouped by units, and copied with all columns."""
_PASSES = 4
"""More passes are not made; what is held then grows with the rows, as all that DuckDB groups does."""
_MOST_BYTES = 2**26
_MOST_UNITS, _MOST_KEPT_BYTES = 2**14, 2**27
"""Of how many units that own most the rows are kept at most, and how much these take at most."""
_BYTES_OF_CHARACTER, _BYTES_OF_VALUE = 4, 16
_MOST_WRITTEN = 64
_NUMBER = '"#n"'
_TOTAL = quoted(f"{TOTAL}0")
_OFF = quoted(OFF)


@dataclass(frozen=True, slots=True)
class Table:
    """A private table whose rows are to be bounded; `salt` keys the choice of rows.

    `lists` are lists of it that were written before, by what is asked of them: most queries read the same ones.
    """

    info: TableInfo
    salt: str
    tables: Tables
    lists: dict[tuple[int, ...], UnitList] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def listed(self, by: tuple[int, ...], write: Callable[[], UnitList]) -> UnitList:
        """The list that was written for this, or what `write` writes of it now."""
        if by not in self.lists:
            if len(self.lists) >= _MOST_WRITTEN:
                self.lists.clear()
            self.lists[by] = write()
        return self.lists[by]

    @property
    def every(self) -> frozenset[str]:
        """The names of all listed columns, hidden ones included."""
        return frozenset(c.name for c in self.info.columns)

    @property
    def rows(self) -> str:
        """Every owned row with every listed column canonical."""
        return plain(self.info, self.every, self.tables, owned=True)

    @property
    def counted(self) -> str:
        """A query for the number of all rows; empty where each pass over units would join all rows to their owners."""
        joined = self.info.path is not None and self.info.prepared is None
        return "" if joined else f"SELECT count(*) FROM {source_of(self.info)}"

    @property
    def order(self) -> str:
        """The order in which a unit's rows are kept."""
        return ", ".join(self.order_terms)

    @property
    def order_terms(self) -> list[str]:
        """The terms of that order, one by one."""
        return content_terms([quoted(c.name) for c in self.info.columns], self.salt)


@dataclass(frozen=True, slots=True)
class Ranked(UnitList):
    """The units with more than `limit` rows in a prepared table, whose rows say themselves which they are.

    They stand for a list of `heavy`, and nothing is built for them. Of units with more rows than `most` only the first
    `keep` rows are on it.
    """

    rows: str = ""
    limit: int = 0
    keep: int = 0
    most: int | None = None

    @property
    def big(self) -> str:
        """The condition for the rows of units that are too big to be listed."""
        return _above(self.most, SIZE)


def content_order(columns: list[str], salt: str) -> str:
    """An ORDER BY list: salted hash of all columns, then each of them."""
    return ", ".join(content_terms(columns, salt))


def content_terms(columns: list[str], salt: str) -> list[str]:
    """The terms of `content_order`, one by one."""
    return [f"hash('{salt}', {', '.join(columns)})", *columns]


def largest(table: Table) -> UnitList:
    """The rows of the units that own most, as many as are kept for any question about a table.

    Nothing that is shown depends on which they are. Of those that come next one at least is listed, as not `kept`.
    """
    return table.listed((), lambda: _largest(table))


def _largest(table: Table) -> UnitList:
    most = min(ROWS_AT_ONCE, max(_MOST_KEPT_BYTES // _bytes_of_row(table.info), 1))
    owners = plain(table.info, frozenset(), table.tables, owned=True)
    numbers = f"SELECT {UNIT} AS u, count(*) AS n FROM ({owners}) WHERE"
    most_rows = f"ORDER BY n DESC LIMIT {_MOST_UNITS}"
    before = "OVER (ORDER BY n DESC ROWS UNBOUNDED PRECEDING)"
    kept = f"sum(n) {before} <= {most} AND count(*) {before} < {_MOST_UNITS}"
    name = _named(numbers, most_rows, kept, table.rows)
    counted = InPasses.written(
        sizes_table(name),
        lambda u: f"{numbers} {u} GROUP BY {UNIT} {most_rows}",
        *(UNIT, table.counted),
        each=_GROUPED,
        most=_PASSES,
    )
    units = f"SELECT *, {kept} AS kept FROM (FROM {sizes_table(name)} {most_rows})"
    columns = ", ".join([UNIT, *(quoted(c.name) for c in table.info.columns)])
    made = (
        counted,
        f"CREATE OR REPLACE TABLE {units_table(name)} AS {units}",
        InPasses.written(
            rows_table(name),
            lambda u: f"SELECT {columns} FROM ({_of(table.rows, name, 'kept')}) WHERE {u}",
            UNIT,
            table.counted and f"SELECT coalesce(sum(n), 0) FROM {units_table(name)} WHERE kept",
            each=_ORDERED,
            most=_PASSES,
        ),
        f"CHECKPOINT {LISTS}",
    )
    return UnitList(name, made, tuple(_dropped(t(name)) for t in (sizes_table, units_table, rows_table)))


def largest_of(size: str, counted: str, rows: str, more: str) -> UnitList:
    """The largest size of the units of `rows`, and a table that is made of it: `more` selects it from o."""
    most = f"SELECT coalesce(max({size}), 0) AS o FROM ({rows}) WHERE"
    name = _named(most, more)
    largest = InPasses.written(
        sizes_table(name), lambda u: f"{most} {u}", UNIT, counted, each=_GROUPED, most=_PASSES
    )
    of_all = f"SELECT max(o) AS o FROM {sizes_table(name)}"
    made = f"CREATE OR REPLACE TABLE {units_table(name)} AS {more} FROM ({of_all})"
    return UnitList(name, (largest, made), tuple(_dropped(t(name)) for t in (sizes_table, units_table)))


def most_listed(info: TableInfo, keep: int = 0) -> int | None:
    """How many rows of a unit are listed beside each other, from the policy alone: 10,000, or fewer of long texts.

    At least as many as are kept. None where those are more than are found in one pass: then all rows are listed.
    """
    most = max(min(MOST_ROWS, _MOST_BYTES // _bytes_of_row(info)), LEAST_ROWS, keep)
    return most if most <= MOST_FIRST else None


def _bytes_of_row(info: TableInfo) -> int:
    """The most that a row takes, more or less."""
    texts = [c.fact.longest for c in info.columns if c.type is SqlType.TEXT and c.values is None]
    characters = sum(MAX_TEXT if longest is None else longest for longest in texts)
    return characters * _BYTES_OF_CHARACTER + len(info.columns) * _BYTES_OF_VALUE


def heavy(table: Table, limit: int, keep: int) -> UnitList:
    """The rows of the units that own more than `limit`, each with its place in its unit's order.

    Of a unit with more than `most_listed` they are the first `keep` rows, and `#big` is true.
    """
    return table.listed((limit, keep), lambda: _heavy(table, limit, keep))


def _heavy(table: Table, limit: int, keep: int) -> UnitList:
    prepared, most = table.info.prepared, most_listed(table.info, max(limit, keep))
    if prepared is not None and prepared.ranked_above is not None and prepared.ranked_above <= limit:
        name = f"ranked {table.info.name}"
        return Ranked(name, (), rows=table.rows, limit=limit, keep=keep, most=most)
    rows, terms = table.rows, table.order_terms
    content = ", ".join(terms)
    place = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {content})"
    owners = plain(table.info, frozenset(), table.tables, owned=True)
    chosen = _Chosen(f"{_above(most)} AS big, count(*) AS n", owners, f"count(*) > {limit}")
    name = _named(chosen.of("TRUE"), content, str(keep))
    ranked = f"SELECT t.*, {place} AS {ORDER}, FALSE AS {BIG} FROM ({_of(rows, name, 'NOT big')}) AS t"
    counted = f"SELECT coalesce(sum(n), 0) FROM {units_table(name)} WHERE NOT big"
    made: list[Statement] = [
        InPasses.written(
            rows_table(name),
            lambda u: f"SELECT * FROM ({ranked}) WHERE {u}",
            UNIT,
            table.counted and counted,
            each=_ORDERED,
            most=_PASSES,
        )
    ]
    if most is not None:
        every = [quoted(c.name) for c in table.info.columns]
        first = first_rows([UNIT, *every], terms, keep, _of(rows, name, "big"))
        made.append(f"INSERT INTO {rows_table(name)} BY NAME SELECT t.*, TRUE AS {BIG} FROM ({first}) AS t")
    return _list(name, table, chosen, *made)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """The units that are listed: what is told of each, of which rows, and which they are."""

    told: str
    rows: str
    having: str

    def of(self, units: str) -> str:
        """SELECT u, ...: those that meet a condition."""
        rows = f"FROM ({self.rows}) WHERE {units} GROUP BY {UNIT} HAVING {self.having}"
        return f"SELECT {UNIT} AS u, {self.told} {rows}"


def _above(most: int | None, count: str = "count(*)") -> str:
    return f"{count} > {most}" if most is not None else "FALSE"


def _of(rows: str, name: str, which: str) -> str:
    """The rows of the units of a kind of the list of that name."""
    units = f"SELECT u FROM {units_table(name)} WHERE {which}"
    return f"SELECT t.* FROM ({rows}) AS t SEMI JOIN ({units}) AS h ON t.{UNIT} = h.u"


def on_grid(table: Table, names: frozenset[str], totals: tuple[UnitTotal, ...]) -> str:
    """The table's rows with columns `#total0`, ...: the grid integers of the columns that have unit totals."""
    values = (f"{_clipped_column(table, t)} AS {quoted(f'{TOTAL}{i}')}" for i, t in enumerate(totals))
    every = names | {t.grid.arg.name for t in totals if isinstance(t.grid.arg, Column)}
    return f"SELECT *, {', '.join(values)} FROM ({plain(table.info, every, table.tables, owned=True)})"


def _clipped_column(table: Table, total: UnitTotal) -> str:
    """A column's integer; of a row that is a unit no more than the total, which no other row takes part of."""
    grid, column, most = total.grid, total.grid.arg, total.limit
    assert isinstance(column, Column)
    info = table.info.column(column.name)
    assert info is not None
    value = grid_sql(grid, Facts({column: info.fact}, fact_rule), lambda c: quoted(c.name))
    if table.info.row_is_unit:
        grid = replace(grid, lo=max(min(grid.lo, most), -most), hi=max(min(grid.hi, most), -most))
    return clipped(value, grid)


def excess(table: Table, total: UnitTotal) -> UnitList:
    """The rows of the units whose |x| add up to more than the total; `#off` is what is clipped off `#total0`.

    Each row keeps at most what is left of its unit's total after the rows before it in the unit's order. Of a unit with
    more than `most_listed` rows of which x is not 0, only the first so many keep anything: they alone are listed, and
    `#big` is true.
    """
    rows = on_grid(table, table.every, (total,))
    size = f"abs({_TOTAL}::HUGEINT)"
    most = most_listed(table.info)
    assert most is not None
    many = _above(most, f"count_if({_TOTAL} <> 0)")
    chosen = _Chosen(f"{many} AS big", rows, f"sum({size}) > {total.limit}")
    name = _named(chosen.of("TRUE"), table.order, _OFF)
    every = [UNIT, *(quoted(c.name) for c in table.info.columns), _TOTAL]
    first = first_rows(every, table.order_terms, most, f"{_of(rows, name, 'big')} WHERE {_TOTAL} <> 0")
    both = f"{_of(rows, name, 'NOT big')} UNION ALL BY NAME SELECT * EXCLUDE ({ORDER}), TRUE AS {BIG} FROM ({first})"
    window = f"PARTITION BY {UNIT} ORDER BY {table.order} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"
    left = f"greatest({total.limit} - coalesce(sum({size}) OVER ({window}), 0), 0)"
    clip = f"CAST(sign({_TOTAL}) * ({size} - least({size}, {left})) AS BIGINT)"
    off = f"CASE WHEN {_TOTAL} IS NOT NULL THEN {clip} END AS {_OFF}"
    named = f"SELECT * REPLACE (coalesce({BIG}, FALSE) AS {BIG}) FROM ({both})"
    made = f"CREATE OR REPLACE TABLE {rows_table(name)} AS SELECT t.*, {off} FROM ({named}) AS t"
    return _list(name, table, chosen, made)


def listed(units: UnitList, where: str = "") -> Rows:
    """The rows of a list, or those of them that pass a condition."""
    condition = f" WHERE {where}" if where else ""
    if not isinstance(units, Ranked):
        return Rows(f"SELECT * FROM {rows_table(units.name)}{condition}", (units,))
    above = f"{SIZE} > {units.limit} AND (NOT {units.big} OR {PLACE} <= {units.keep})"
    rows = f"SELECT *, {PLACE} AS {ORDER}, {units.big} AS {BIG} FROM ({units.rows}) WHERE {above}"
    return Rows(f"SELECT * FROM ({rows}){condition}")


def light(rows: str, units: UnitList) -> Rows:
    """The rows of the units that are not listed."""
    if isinstance(units, Ranked):
        return Rows(f"SELECT * FROM ({rows}) WHERE {SIZE} <= {units.limit}")
    kept = f"SELECT t.* FROM ({rows}) AS t ANTI JOIN {units_table(units.name)} AS h"
    return Rows(f"{kept} ON t.{UNIT} = h.u", (units,))


def big(rows: str, units: UnitList) -> Rows:
    """The rows of the listed units of which only the first rows are listed: nothing is read where there is none."""
    if isinstance(units, Ranked):
        return Rows(f"SELECT * FROM ({rows}) WHERE {units.big}")
    return Rows(_of(rows, units.name, "big"), (units,))


def first_places(rows: str, units: Ranked, most: int) -> Rows:
    """The rows of all units, of the listed ones the first `most` alone."""
    light = f"{SIZE} <= {units.limit} OR " if most < units.limit else ""  # else its places say the same
    return Rows(f"SELECT * FROM ({rows}) WHERE {light}{PLACE} <= {most}")


def cut_to(cap: int, rows: str, names: str, order: str) -> str:
    """SELECT names from the rows, of each unit the first `cap` in an order; only units above it are ordered."""
    number = f"row_number() OVER (PARTITION BY {UNIT} ORDER BY {order}) AS {_NUMBER}"
    return (
        f"WITH j AS MATERIALIZED ({rows}), "
        f"h AS MATERIALIZED (SELECT {UNIT} AS u FROM j GROUP BY {UNIT} HAVING count(*) > {cap}) "
        f"SELECT {names} FROM j ANTI JOIN h ON j.{UNIT} = h.u UNION ALL SELECT {names} FROM "
        f"(SELECT j.*, {number} FROM j SEMI JOIN h ON j.{UNIT} = h.u) WHERE {_NUMBER} <= {cap}"
    )


def contributions(
    sql: str, without_big: str = "", without_units: str = "", *, sizes: Sequence[str] = ()
) -> UnitList:
    """What each unit adds to its groups, for all parts of a release that read it, and what its rows add up to.

    It is made by shorter SQL, if that is given, where no unit is too big to be listed whole, or none is listed. `sizes`
    are what a row adds to the columns t0, t1, ... of the units' sizes.
    """
    name = _named(sql, *sizes)
    columns = ", ".join([UNIT, *(f"sum({size}) AS t{i}" for i, size in enumerate(sizes))])
    summed = f"CREATE OR REPLACE TABLE {sizes_table(name)} AS SELECT {columns} FROM {units_table(name)} GROUP BY {UNIT}"
    after = (summed,) if sizes else ()
    made, shorter, shortest = (
        (f"CREATE OR REPLACE TABLE {units_table(name)} AS {text}", *after) if text else ()
        for text in (sql, without_big, without_units)
    )
    undone = tuple(_dropped(table(name)) for table in (units_table, sizes_table))
    return UnitList(name, made, undone, passing=True, without_big=shorter, without_units=shortest)


def _named(*parts: str) -> str:
    return digest(*parts)[:24]


def _list(name: str, table: Table, units: _Chosen, *rows: Statement) -> UnitList:
    """Both tables of a list; what a statement that failed has left is replaced."""
    chosen = InPasses.written(units_table(name), units.of, UNIT, table.counted, each=_GROUPED, most=_PASSES)
    dropped = tuple(_dropped(t(name)) for t in (units_table, rows_table))
    return UnitList(
        name,
        (chosen, *rows),
        dropped,
        counts=f"SELECT count(*), count(*) FILTER (WHERE big) FROM {units_table(name)}",
    )


def _dropped(table: str) -> str:
    return f"DROP TABLE IF EXISTS {table}"


def units_table(name: str) -> str:
    """The table of the units of a list."""
    return f'{LISTS}."units_{name}"'


def sizes_table(name: str) -> str:
    """The table of what the rows of each unit add up to."""
    return f'{LISTS}."sizes_{name}"'


def rows_table(name: str) -> str:
    """The table of the rows of a list's units."""
    return f'{LISTS}."rows_{name}"'
