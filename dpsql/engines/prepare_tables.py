"""Makes prepared tables: every private table of a policy once more, as queries read it, in one DuckDB file.

One file for all tables, since they are one state of the data, which queries join: either all are replaced or none.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import duckdb

from dpsql.accounting.accountants.dominance import dominates_addition
from dpsql.algebra.catalog import Catalog
from dpsql.algebra.scan import text_literal
from dpsql.algebra.system_tables import VERSION
from dpsql.engines.base import PublicEngine
from dpsql.engines.declared_facts import violations
from dpsql.engines.duckdb_settings import Limits, connect, count_progress, lock
from dpsql.engines.open_engines import open_public
from dpsql.engines.prepared.attached import begin_file
from dpsql.engines.prepared.folder import PreparedFolder
from dpsql.engines.prepared.kept_lists import KeptList, keep_lists, lists_of
from dpsql.engines.prepared.manifest import FORMAT, Manifest, PreparedFile, PreparedTable
from dpsql.engines.prepared.stored_rows import SIZES, Filling, filling, with_prepared
from dpsql.engines.private_engine import make_tables
from dpsql.engines.sources.fingerprints import sources_of, stamps
from dpsql.engines.sources.parquet import parquet_files
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.engines.sqlgen.relation import PREPARED, SIZE, prepared_of
from dpsql.errors import OperationalError, PolicyError
from dpsql.mechanisms.coins import Coins
from dpsql.plan.analyzed_question import PlanContext
from dpsql.policy.model import Policy
from dpsql.progress import Phase, Progress, untold
from dpsql.slotted import dataclass

_SECONDS = 30 * 86_400
_MARK_BYTES = 16


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was made: how many tables, of how many rows in all, and the bytes of their file. For the admin alone."""

    folder: Path
    tables: int
    rows: int
    bytes: int


def prepare_tables(policy: Policy, folder: Path, progress: Progress = untold) -> Prepared:
    """Prepares all private tables of a policy in a folder, in the place of those that were there before.

    The file before stays for connections that read it, if it is of the same sources; older ones are removed. Nothing
    is replaced before all is written and durable. Raises PolicyError where the data is not as the policy says or the
    folder cannot be used, and OperationalError where the sources change meanwhile or the disk is full.
    """
    noted, sources = stamps(policy), sources_of(policy)
    with closing(open_public(policy)) as public:
        tables = open_catalog(policy, public)
        work = _work(policy, tables, public)
    place, mark = PreparedFolder.of(policy, folder), Coins().random_bytes(_MARK_BYTES).hex()
    place.prepare(policy)
    try:
        with place.one_run(), place.workshop(mark) as workshop:
            file = workshop / "tables.duckdb"
            lists, rows = _write(policy, work, file, mark, progress)
            if stamps(policy) != noted or sources_of(policy) != sources:
                raise OperationalError("the data is being changed; try again")
            size, name, former = file.stat().st_size, place.data(mark).name, place.replaced_by(sources)
            manifest = Manifest(
                FORMAT, VERSION, policy.digest, sources, name, size, mark, work.made, former, lists
            )
            place.publish(file, manifest)
    except (duckdb.Error, OSError) as error:
        reason = str(error).partition("\n")[0]
        raise OperationalError(f"the tables cannot be prepared: {reason}") from None
    return Prepared(folder, len(work.made), rows, size)


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be written: tables, as they are read from the sources, and lists."""

    sources: Catalog
    fillings: tuple[Filling, ...]
    lists: tuple[KeptList, ...]

    @property
    def made(self) -> tuple[PreparedTable, ...]:
        return tuple(f.table for f in self.fillings)


def _work(policy: Policy, tables: Catalog, public: PublicEngine) -> _Work:
    fillings = tuple(filling(t, policy, tables.tables) for t in tables.tables.values() if not t.public)
    prepared = with_prepared(tables, policy, PreparedFile(Path(), "", tuple(f.table for f in fillings)))
    assert prepared is not None
    clipping = policy.privacy.clipping
    context = PlanContext(policy, prepared, public.evaluate, dominates_addition(policy), clipping)
    return _Work(tables, fillings, lists_of(context))


def _write(
    policy: Policy, work: _Work, file: Path, mark: str, progress: Progress
) -> tuple[tuple[str, ...], int]:
    """Writes everything into a new file; the names of the lists in it, and how many rows its tables have."""
    limits = Limits(_SECONDS, policy.engine.memory, policy.engine.threads, file.with_name("spill"))
    with closing(connect(limits)) as connection:
        make_tables(connection, policy)
        connection.execute(f"ATTACH {text_literal(file)} AS {PREPARED} (TYPE duckdb)")
        count_progress(connection)
        percent = partial(_percent, connection)
        reach = [*parquet_files(policy), file, file.with_name(f"{file.name}.wal")]
        lock(connection, limits, reach, counted=True)
        progress(Phase("verifying the declared facts", percent=percent))
        wrong = violations(connection, policy, work.sources.tables)
        if wrong:
            raise PolicyError(wrong)
        begin_file(connection, mark)
        rows = sum(_fill(connection, f, progress, percent) for f in work.fillings)
        lists = keep_lists(connection, work.lists, lambda told: progress(Phase(told, percent=percent)))
        progress(_on_rows("writing the file", rows, percent))
        connection.execute(f"CHECKPOINT {PREPARED}")
        connection.execute(f"DETACH {PREPARED}")
        progress(Phase("putting the file in its place"))
    return lists, rows


def _fill(
    connection: duckdb.DuckDBPyConnection, made: Filling, progress: Progress, percent: Callable[[], float]
) -> int:
    """Fills one table; the number of its rows."""
    name, known = made.table.name, None
    for statement in made.types:
        connection.execute(statement)
    if made.sizes is not None:
        progress(Phase(f"{name}: counting the rows of each unit", percent=percent))
        connection.execute(made.sizes)
        known = _number(connection, f"SELECT coalesce(sum({SIZE}), 0) FROM {SIZES}")
    progress(_on_rows(f"{name}: copying", known, percent))
    if made.span is not None:
        connection.execute(made.span)
    connection.execute(made.rows)
    if made.rest is not None:
        progress(_on_rows(f"{name}: ranking the rows of large units", known, percent))
        connection.execute(made.rest)
    return _number(connection, f"SELECT count(*) FROM {prepared_of(name)}")


def _on_rows(name: str, rows: int | None, percent: Callable[[], float]) -> Phase:
    """A phase whose rows are counted where they are known."""
    return Phase(name, 0, rows, "rows" if rows is not None else "", percent)


def _percent(connection: duckdb.DuckDBPyConnection) -> float:
    """How far the statement is that runs; -1 where that is not known, or the connection is closed by now."""
    try:
        return float(connection.query_progress())
    except duckdb.Error:
        return -1.0


def _number(connection: duckdb.DuckDBPyConnection, sql: str) -> int:
    return int(connection.execute(sql).fetchall()[0][0])
