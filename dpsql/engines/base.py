"""The seams to the two engines: exact integers of private rows, ordinary SQL on what is public."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from dpsql.algebra.catalog import ColumnInfo, TableInfo
from dpsql.algebra.expressions import LiteralValue, ScalarParameter
from dpsql.algebra.relations import Released
from dpsql.errors import Problem
from dpsql.policy.model import Policy
from dpsql.slotted import dataclass

Key = tuple[LiteralValue, ...]
Value = LiteralValue | tuple[LiteralValue, ...]
Row = tuple[object, ...]

LISTS: Final = "lists"
"""The database, in memory, of the tables that are derived from private rows."""
ROWS_AT_ONCE: Final = 2**20
"""Of more rows what is grouped by their units is held for one part of the units after another."""
_HASHES: Final = 2**64
_BITS_OF_ROW: Final = 32
_MOST_BITS: Final = 2**27
_HOLE: Final = "\0"

PUBLIC_SECONDS = 60
"""How long the public engine may take to finish a query, or to read a fact of a public table."""
PLANNING_SECONDS = 10
"""How long it may take for one question of planning: text and public values alone are in play."""


class EngineFailed(Exception):
    """The private engine could not answer. Its text is for the admin's log alone, never for an analyst."""


class FinishFailed(Exception):
    """The public engine refused or could not finish; the reason speaks of text, policy and released values only."""


class FinishStopped(FinishFailed):
    """The public engine was stopped: a query took more time or memory than it may."""


class FinishLost(FinishFailed):
    """The public engine failed by an error of its own, and answers nothing from then on."""


@dataclass(frozen=True, slots=True)
class InPasses:
    """A statement that makes a table of units' rows: of `before`, a condition on the unit, and `after`.

    Where the rows are many it is run in passes over parts of the units, so that less is held at once. The parts are
    ranges of a hash of the unit: all rows of a unit are in one of them. Ranges, not remainders: the engine finds rows
    in tables of its own by the low bits of the same hash, which would be alike in a pass.

    What it gives for a unit follows from the rows of that unit alone, or is added up by what reads the table. `unit` is
    the value by which units are told apart, as they are grouped. `counted` is a query for the number of rows, about
    `each` of which are held in a pass, or more where that would take more passes than `most`; without it all are read
    at once. Each pass reads all rows, if only their units.
    """

    table: str
    before: str
    after: str
    unit: str
    counted: str
    each: int
    most: int

    @classmethod
    def written(
        cls, table: str, write: Callable[[str], str], unit: str, counted: str, *, each: int, most: int
    ) -> InPasses:
        """The statement whose SELECT `write` gives around a condition, which stands in it once."""
        before, after = write(_HOLE).split(_HOLE)
        return cls(table, before, after, unit, counted, each, most)

    @property
    def whole(self) -> str:
        """All in one pass."""
        return self._created("TRUE")

    def statements(self, rows: int) -> Iterator[str]:
        """The statements where so many rows are read. What a run that failed has left is replaced."""
        passes = min(-(-rows // self.each), self.most)
        if passes <= 1:
            yield self.whole
            return
        for at in range(passes):
            units = part_of_units(self.unit, at, passes)
            yield self._inserted(units) if at else self._created(units)
            yield f"CHECKPOINT {LISTS}"  # what is in memory is compressed by this alone

    def _created(self, units: str) -> str:
        return f"CREATE OR REPLACE TABLE {self.table} AS {self.before}{units}{self.after}"

    def _inserted(self, units: str) -> str:
        return f"INSERT INTO {self.table} {self.before}{units}{self.after}"


@dataclass(frozen=True, slots=True)
class Either:
    """The first statement where a query finds no row, otherwise the second."""

    query: str
    none: str
    some: str


@dataclass(frozen=True, slots=True)
class Weighing:
    """Makes a table of the weight of each group, from pairs of a unit and a group that may stand any number of times.

    `before` and `after` are a SELECT of u, k0, ... around a condition on the unit. `by_sql` makes the same table where
    units are no whole numbers, or the pairs are more than numbers hold.
    """

    keys: int
    before: str
    after: str
    by_sql: InPasses

    def pairs(self, units: str = "TRUE") -> str:
        """The SELECT under a condition on the unit."""
        return f"{self.before}{units}{self.after}"


Statement = str | InPasses | Either | Weighing


def part_of_units(unit: str, at: int, of: int) -> str:
    """The condition for the units of one of several parts: each unit is in one."""
    least, end = (i * _HASHES // of for i in (at, at + 1))
    return f"hash({unit}) BETWEEN {least}::UBIGINT AND {end - 1}::UBIGINT"


@dataclass(frozen=True, slots=True)
class UnitList:
    """Tables derived from private rows that queries read, built once per data version; `name` identifies them.

    `undone` are the statements that give them up again. Of those that are `passing`, which are for the parts of one
    release, an engine keeps the last alone. With `most_rows`, one is given up after a query that gave more rows.
    `counts` gives the number of units, and of those that are too big to be listed whole; empty where a list does not
    say. `without_big` and `without_units` are shorter statements for the same tables, where no other list of the query
    has a big unit, or any unit; empty where there are none. What is `lasting` holds no rows and is never given up:
    there are no more than the policy has tables and columns.
    """

    name: str
    statements: tuple[Statement, ...] = field(hash=False)
    undone: tuple[str, ...] = field(default=(), hash=False)
    passing: bool = field(default=False, hash=False)
    most_rows: int | None = field(default=None, hash=False)
    counts: str = field(default="", hash=False)
    without_big: tuple[Statement, ...] = field(default=(), hash=False)
    without_units: tuple[Statement, ...] = field(default=(), hash=False)
    lasting: bool = field(default=False, hash=False)


@dataclass(frozen=True, slots=True)
class UnitSets:
    """Other SQL for the same integers, where units are whole numbers that lie close together.

    It counts them by sets of bits, at most `sets` at once, between the two ends that `variables` of the engine name.
    `ends` is a query for the number of rows, and for the least and the largest unit.
    """

    sql: str
    ends: str
    variables: tuple[str, str]
    sets: int

    def fit(self, rows: int, least: int, largest: int) -> bool:
        """Whether sets are small beside the rows, and as many as there are at once fit into memory."""
        bits = largest - least + 1
        return bits <= _BITS_OF_ROW * rows and bits * self.sets <= _MOST_BITS


@dataclass(frozen=True, slots=True)
class EngineQuery:
    """SQL written from our own tree: `keys` key columns, then an integer column for each of `terms`.

    Or two BIGINT columns (high, low) for each of them, all alike, high * 2**62 + low: quicker of many rows.

    `parameters` are the values of earlier releases that it reads, `tables` the tables made of them; `values` are those
    values by the names of their parameters, once they are known: one, or those of a column row by row. `without_big`
    and `without_units` are shorter SQL for the same integers where no list has a unit too big to be listed whole, or
    any unit; empty where there is none. `in_parts` is longer SQL for the same integers that holds less, for more rows
    than ROWS_AT_ONCE; `counted` is a query for their number. `by_sets` is used in the place of both where it fits.

    `of_largest` asks the same of the units that own most alone, where it is enough; None where there is no such query.
    `of_many`: of no more rows than ROWS_AT_ONCE nothing is found. `unscaled` asks for the same sums as if no unit were
    above a threshold, where it is known what those above it add; otherwise None. `from_first`: the row whose key is
    NULL has as its first integer the least key that counts, which is found also where it has no row.
    """

    sql: str
    keys: int
    terms: int
    lists: tuple[UnitList, ...] = ()
    parameters: tuple[ScalarParameter, ...] = ()
    tables: tuple[Released, ...] = ()
    values: tuple[tuple[str, Value], ...] = ()
    without_big: str = ""
    without_units: str = ""
    in_parts: str = ""
    counted: str = ""
    by_sets: UnitSets | None = None
    of_largest: EngineQuery | None = None
    of_many: bool = False
    unscaled: EngineQuery | None = None
    from_first: bool = False

    def nothing(self) -> Exact:
        """What is found where there are no rows."""
        return Exact((), np.zeros((0, self.terms), dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Exact:
    """What a query found: the key of each group and an array (groups x terms) of exact Python or 64-bit integers."""

    keys: tuple[Key, ...]
    values: npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class OutputColumn:
    """A column of an answer: its name as the query gives it and its DuckDB type, both fixed by text and policy.

    `pg_type` is the name that PostgreSQL has for its type in an answer from PostgreSQL's catalogs, such as oid, name,
    int2vector or _text; empty for any other column, whose type follows from DuckDB's. `table` is the number that
    catalogs have for the table of which it is a column as it stands, `place` its place there; 0 for what is computed.
    `objects` are the numbers of objects by the names that are its values, for a type such as regclass.
    """

    name: str
    type: str
    pg_type: str = ""
    table: int = 0
    place: int = 0
    objects: Mapping[str, int] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """A released table: its name, its columns with declared types, and its rows."""

    name: str
    columns: tuple[tuple[str, str], ...]
    rows: Sequence[Sequence[object]]


class Engine(Protocol):
    """An engine with the private rows in its reach."""

    def run(self, query: EngineQuery, seconds: float | None = None) -> Exact:
        """The exact answer of a query, fully read, in at most `seconds` or the engine's own limit.

        Raises EngineFailed and nothing else.
        """

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""


class PrivateEngine(Engine, Protocol):
    """The engine of a session, which also checks what the policy declares."""

    def violations(self, policy: Policy, tables: Mapping[str, TableInfo]) -> tuple[Problem, ...]:
        """The declared facts that the data does not satisfy, for the admin."""


class PublicEngine(Protocol):
    """An engine that has never seen a private row: public tables, and the released tables of the query at hand."""

    def columns(self, table: str) -> tuple[ColumnInfo, ...]:
        """The columns of a public table in the types of expressions, with facts read from its rows."""

    def fan_out(self, table: str, columns: tuple[str, ...]) -> int:
        """The most rows of a public table that agree on all these columns; its number of rows for no columns."""

    def evaluate(self, sql: str) -> list[tuple[LiteralValue, ...]]:
        """The rows of a query on public values that we wrote. Raises FinishFailed."""

    def select_statements(self, text: str) -> int:
        """How many SELECT statements the engine's parser sees; ValueError for anything else."""

    def describe(
        self, text: str, params: Sequence[object] | Mapping[str, object]
    ) -> tuple[OutputColumn, ...]:
        """The columns that the engine gives to a query on the policy's tables. Raises FinishFailed."""

    def check(self, public_query: str, tables: Iterable[ReleasedTable]) -> tuple[str, ...]:
        """The types of the finished query's columns. It is run where tables have rows. Raises FinishFailed."""

    def finish(self, public_query: str, tables: Iterable[ReleasedTable]) -> Sequence[Row]:
        """The rows of the finished query, a tuple or `ColumnRows`, which equals one. Raises FinishFailed."""

    def close(self) -> None:
        """Gives the engine up; a second call does nothing."""
