"""What keys, caps, bounds and lists do to the rows there are, in exact numbers; for an admin's terminal alone.

Nothing is charged for these numbers. They depend on every single person: whoever passes one on, in a policy or a mail,
releases it. Only the command line imports this module: a contract of the import linter says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing

import duckdb

from dpsql.algebra.catalog import TableInfo
from dpsql.algebra.scan import column_sql, quoted
from dpsql.engines.duckdb_settings import Limits, connect, count_progress
from dpsql.engines.open_engines import open_public
from dpsql.engines.private_engine import make_tables
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.engines.sqlgen.relation import SOURCE, owned_from, unit_sql
from dpsql.errors import PolicyError, Problem
from dpsql.policy.model import Column, Policy, Table
from dpsql.progress import Phase, Progress, untold
from dpsql.slotted import dataclass

_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class ExactCount:
    """Where in the policy something stands, and what it does to the rows there are, as a sentence."""

    at: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.at}: {self.sentence}"


def exact_counts(policy: Policy, progress: Progress = untold) -> tuple[ExactCount, ...]:
    """What holds of the private rows, in exact numbers. Raises PolicyError for sources that do not fit the policy."""
    with closing(open_public(policy)) as public:
        tables = open_catalog(policy, public).tables
    with connect(Limits(_SECONDS)) as connection:
        make_tables(connection, policy)
        count_progress(connection)
        look = _Look(connection, policy, tables)
        try:
            return tuple(count for table, what in look.parts(progress) for count in look.at(table, what))
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
        finally:  # the connection is closed next, and must not be asked any more
            progress(Phase("counting exactly"))
        raise PolicyError((Problem(str(policy.path), None, "tables", f"rows cannot be counted: {reason}"),))


@dataclass(frozen=True, slots=True)
class _Look:
    """A connection to the policy's tables, and what is asked of one."""

    connection: duckdb.DuckDBPyConnection
    policy: Policy
    tables: Mapping[str, TableInfo]

    def parts(self, progress: Progress) -> Iterator[tuple[Table, Column | None]]:
        """What is looked at, one after another: the rows of each private table, and each of its columns."""
        parts = [(t, column) for t in self.policy.tables if not t.public for column in (None, *t.columns)]
        for number, (table, column) in enumerate(parts, 1):
            what = f"counting exactly, {number} of {len(parts)} columns and tables"
            progress(Phase(what, percent=self.connection.query_progress))
            yield table, column

    def at(self, table: Table, column: Column | None) -> Iterator[ExactCount]:
        """All that is told of a column of a private table; without one, of the rows and who owns them."""
        info = self.tables[table.name.lower()]
        unit = unit_sql(info, self.tables)
        if column is not None:
            yield from self._values(table, info, column, unit)
        elif unit is not None:
            yield from self._owners(table, info, unit)
            yield from self._rows_of_units(table, info, unit)

    def _owners(self, table: Table, info: TableInfo, unit: str) -> Iterator[ExactCount]:
        at, owned = f"tables.{table.name}", f"{owned_from(info, self.tables)} WHERE {unit} IS NOT NULL"
        every = self._one(f"SELECT count(*) FROM {SOURCE}.{quoted(table.name)}")[0]
        kept = self._one(f"SELECT count(*) {owned}")[0]
        yield ExactCount(at, f"{every - kept} of {every} rows have no owner and are left out")
        people, _, key = self.policy.privacy.unit.rpartition(".")
        listed = self.tables[people.lower()]
        if listed.name == info.name or (column := listed.column(key)) is None:
            return
        known = f"SELECT {column_sql(column, f'k.{quoted(column.name)}')} FROM {SOURCE}.{quoted(listed.name)} AS k"
        strange = f"SELECT count(*), count(DISTINCT {unit}) {owned} AND {unit} NOT IN (SELECT v FROM ({known}) AS s(v) "
        rows, keys = self._one(f"{strange}WHERE v IS NOT NULL)")
        yield ExactCount(
            at,
            f"{rows} of {kept} rows, of {keys} keys, have a key that is not in {people}; each counts as a unit",
        )

    def _rows_of_units(self, table: Table, info: TableInfo, unit: str) -> Iterator[ExactCount]:
        at = f"tables.{table.name}"
        owned = (
            f"SELECT count(*) AS n {owned_from(info, self.tables)} WHERE {unit} IS NOT NULL GROUP BY {unit}"
        )
        units, most, several = self._one(
            f"SELECT count(*), coalesce(max(n), 0), count_if(n > 1) FROM ({owned})"
        )
        told = f"{several} of {units} units have more than one row, the busiest {most}"
        if not table.one_row_per_unit:
            holds = "would not hold" if several else "would hold, for much less noise"
            yield ExactCount(f"{at}.one_row_per_unit", f"{holds}: {told}")
        kept = "n"
        for place, cap in ((at, table.max_rows_per_unit), ("privacy", self.policy.privacy.max_rows_per_unit)):
            if cap is None:
                continue
            cut = f"coalesce(sum(greatest({kept} - {cap}, 0)), 0), coalesce(sum({kept}), 0), count_if({kept} > {cap})"
            rows, of, busy = self._one(f"SELECT {cut} FROM ({owned})")
            which = "" if place == at else f" of all of {table.name}"
            yield ExactCount(
                f"{place}.max_rows_per_unit",
                f"{cap} cuts {rows} of {of} rows{which}, those of {busy} of {units} units",
            )
            kept = f"least({kept}, {cap})"

    def _values(
        self, table: Table, info: TableInfo, column: Column, unit: str | None
    ) -> Iterator[ExactCount]:
        known, raw = info.column(column.name), f"t.{quoted(column.name)}"
        assert known is not None
        at, read = f"tables.{table.name}.columns.{column.path}", column_sql(known, raw)
        every = f"FROM {SOURCE}.{quoted(table.name)} AS t"
        if column.is_listed:
            lost, of = self._one(
                f"SELECT count_if({raw} IS NOT NULL AND ({read}) IS NULL), count({raw}) {every}"
            )
            where = f"among the keys {column.references}" if column.references is not None else "on the list"
            yield ExactCount(at, f"{lost} of {of} values are not {where} and read as NULL")
        if column.lower is not None:
            below, above, of = self._one(
                f"SELECT count_if({raw} < ({read})), count_if({raw} > ({read})), count({raw}) {every}"
            )
            yield ExactCount(
                at, f"of {of} values {below} are moved up to `lower` and {above} down to `upper`"
            )
        if column.unit_total is not None:
            yield self._total(info, column, f"abs(({read})::DOUBLE)", unit, at)

    def _total(self, info: TableInfo, column: Column, size: str, unit: str | None, at: str) -> ExactCount:
        assert column.unit_total is not None
        most = float(column.unit_total)
        grouped = "" if unit is None else f" WHERE {unit} IS NOT NULL GROUP BY {unit}"
        value = size if unit is None else f"sum({size})"
        sums = f"SELECT {value} AS s {owned_from(info, self.tables)}{grouped}"
        over, units, lost = self._one(
            f"SELECT count_if(s > {most!r}), count(*), coalesce(sum(greatest(s - {most!r}, 0)) / nullif(sum(s), 0), 0) "
            f"FROM ({sums})"
        )
        return ExactCount(
            f"{at}.unit_total", f"{most:g} cuts {over} of {units} units, and {lost:.1%} of the sum of all"
        )

    def _one(self, sql: str) -> tuple[int, ...]:
        """The only row of a query."""
        row: tuple[int, ...] = self.connection.execute(sql).fetchall()[0]
        return row
