"""PEP 249 on top of a session: connections and cursors, and nothing that knows about privacy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, Literal, NoReturn, Self, overload

from dpsql import errors
from dpsql.engines.base import OutputColumn, Row
from dpsql.engines.column_rows import ColumnRows
from dpsql.errors import (
    InterfaceError,
    NotSupportedError,
    ProgrammingError,
    Uncopyable,
    WrongType,
    guarded,
    sealed,
)
from dpsql.release.render.arrow import to_arrow, to_frame, to_polars
from dpsql.release.render.type_codes import Described, described
from dpsql.release.render.waiting_line import waiting_line
from dpsql.release.types import Answer, BudgetReport, Description, Explanation, Released
from dpsql.session import Session, open_session, refresh_sources
from dpsql.sql.system_tables.reports import TableReport
from dpsql.stages.arguments.call_arguments import (
    Parameters,
    checked_count,
    checked_parameters,
    checked_text,
    checked_types,
)

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped]
    import polars
    import pyarrow  # type: ignore[import-untyped]

apilevel = "2.0"
threadsafety = 1
paramstyle = "qmark"


@guarded
def connect(
    policy: str | Path,
    *,
    analyst: str,
    ledger: str | Path | None = None,
    epsilon: object = None,
    delta: object = None,
    rows: str = "refuse",
    accuracy: object = None,
    fresh: object = False,
    clipping: object = None,
    empty_conditions: object = False,
    combine: object = False,
    tables: Mapping[str, object] | None = None,
) -> Connection:
    """A connection that answers `analyst`'s queries under a policy.

    `policy` is the YAML file, `ledger` the file that charges are kept in (default: beside the policy).
    `epsilon` and `delta` are for each query (default: the policy's `per_query`): an int, a Fraction, a
    Decimal, a text such as "0.5", or a float, which is read as it is printed. `rows` says what becomes of a
    query that would return rows of a private table: "refuse" it, or, for BI tools that only want the names and
    types of columns, answer it free with a `description` and no row ("empty"), or with rows that are made up from
    the policy alone ("mock"), whose columns and notes say so. `accuracy` is the 95 % error that every count and sum
    of an answer may have, in its own units: each query then costs the least epsilon that promises it, and is
    refused where `epsilon` is not enough. With `fresh=True` every query draws anew and is charged in full, whatever
    is stored. `clipping` says how the limits of what one unit adds to a sum are found (default: the policy's):
    "fixed" takes the policy's, "private" finds them for each query at a fifth of its epsilon, "auto" decides by the
    query. A constant that is not on the list of the column that it is compared with is refused, as a misspelling,
    unless `empty_conditions=True` or `rows="empty"`. With `combine=True` a new answer is fitted by least squares to
    what `analyst` has received of the same rows; answers that were given stay. `tables` hands over a frame of pyarrow,
    pandas or polars for every table whose source is `frame` in the policy: `tables={"orders": frame}`. It is copied,
    so that what becomes of the frame later changes nothing; with other content than before it is refused until
    `dpsql.refresh`. Raises `PolicyError` with every mistake in the policy, `LedgerUnavailable`, `InterfaceError` or
    `ProgrammingError` for wrong arguments. A `dpsql.Warning` names a table whose `unit_key` seems to be another key.
    """
    session = open_session(
        policy,
        analyst=analyst,
        ledger=ledger,
        epsilon=epsilon,
        delta=delta,
        rows=rows,
        accuracy=accuracy,
        fresh=fresh,
        clipping=clipping,
        empty_conditions=empty_conditions,
        combine=combine,
        tables=tables,
    )
    return Connection(session)


@guarded
def refresh(
    policy: str | Path,
    *,
    tables: Mapping[str, object] | None = None,
    ledger: str | Path | None = None,
    by: str = "python",
) -> int:
    """Records that the data behind a policy has changed, as `dpsql refresh` does; the number of its new version.

    From then on every question is charged again. `tables` are the frames of the tables whose source is `frame`, as
    they are from now on, `by` is who says so, for the audit log. Raises `PolicyError`, `LedgerUnavailable`,
    `InterfaceError` and `OperationalError`.
    """
    return refresh_sources(policy, ledger, by, tables)


@sealed
class Connection(Uncopyable):
    """A PEP 249 connection; made by `connect`. Threads may share the module, not a connection."""

    __slots__ = ("__weakref__", "_session")

    Warning = errors.Warning
    Error = errors.Error
    InterfaceError = errors.InterfaceError
    DatabaseError = errors.DatabaseError
    DataError = errors.DataError
    OperationalError = errors.OperationalError
    IntegrityError = errors.IntegrityError
    InternalError = errors.InternalError
    ProgrammingError = errors.ProgrammingError
    NotSupportedError = errors.NotSupportedError

    def __init__(self, session: Session) -> None:
        self._session: Session | None = session

    def cursor(self) -> Cursor:
        """A new cursor; cursors of one connection share its session and budget."""
        self._open_session()
        return Cursor(self)

    def execute(self, sql: str, params: Parameters | None = None) -> Cursor:
        """A new cursor on which the query has been executed."""
        return self.cursor().execute(sql, params)

    def explain(self, sql: str, params: Parameters | None = None) -> Explanation:
        """The plan of a query before it runs: releases, sensitivities, cost, expected error; free."""
        session = self._open_session()
        return session.explain(checked_text(sql), checked_parameters(params))

    def describe(
        self,
        sql: str,
        params: Parameters | None = None,
        types: Mapping[str, str] = MappingProxyType({}),
    ) -> Description:
        """The columns that a query would give, and the types of its placeholders; it is not run and costs nothing.

        With `params` it is planned with these values. Without, placeholders get the types in `types`, by name and as
        DuckDB calls them, or else those of what they are compared with; text where nothing says more.
        """
        session = self._open_session()
        return session.describe(checked_text(sql), checked_parameters(params), checked_types(types))

    def budget(self) -> BudgetReport:
        """What this analyst was granted, has spent and has left."""
        return self._open_session().budget()

    def tables(self) -> tuple[TableReport, ...]:
        """The tables that a query may name, with columns and keys, as the policy has them; free."""
        return self._open_session().tables()

    def commit(self) -> None:
        """Nothing: every charge is durable before its answer is given."""
        self._open_session()

    def rollback(self) -> None:
        """Nothing: a release cannot be undone."""
        self._open_session()

    def close(self) -> None:
        """Close the session and with it every cursor; closing twice is allowed."""
        if self._session is not None:
            self._session.close()
            self._session = None

    def __enter__(self) -> Self:
        self._open_session()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<dpsql.Connection, {'closed' if self._closed else 'open'}>"

    def _open_session(self) -> Session:
        if self._session is None:
            raise InterfaceError("the connection is closed")
        return self._session

    @property
    def _closed(self) -> bool:
        return self._session is None


@sealed
class Cursor(Uncopyable):
    """A PEP 249 cursor; made by `Connection.cursor`. Its rows are released and public values only."""

    __slots__ = ("__weakref__", "_answer", "_arraysize", "_closed", "_connection", "_fetchable", "_next")

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._answer: Answer | None = None
        self._fetchable: Sequence[Row] | None = None
        self._next = 0
        self._arraysize = 1
        self._closed = False

    @property
    def connection(self) -> Connection:
        """The connection that made this cursor."""
        return self._connection

    @property
    def description(self) -> tuple[Described, ...] | None:
        """Seven values for each column of the last answer (its type is DuckDB's name of it); None without columns."""
        self._open_session()
        columns = self._answer.columns if self._answer is not None else ()
        return tuple(described(c.name, c.type) for c in columns) or None

    @property
    def columns(self) -> tuple[OutputColumn, ...]:
        """Names and types of the columns of the last answer; none without one."""
        self._open_session()
        return self._answer.columns if self._answer is not None else ()

    @property
    def rows(self) -> Sequence[Row]:
        """All rows of the last answer, fetched or not: a tuple, or what equals one and is held as columns."""
        return self._result().rows

    @property
    def rowcount(self) -> int:
        """How many rows the last answer has, or -1 without one."""
        self._open_session()
        return -1 if self._answer is None or not self._answer.columns else len(self._answer.rows)

    @property
    def arraysize(self) -> int:
        """How many rows `fetchmany` gives when it is not told; 1 to begin with."""
        return self._arraysize

    @arraysize.setter
    def arraysize(self, size: int) -> None:
        self._open_session()
        self._arraysize = checked_count(size, least=1)

    @property
    def release(self) -> Released:
        """What the last answer released and was charged, with the 95 % interval of each cell."""
        return self._result().released

    @property
    def withheld(self) -> str:
        """Why the last answer leaves out rows of a private table (`rows="empty"`); an empty text where it does not."""
        return self._result().withheld

    def execute(self, sql: str, params: Parameters | None = None) -> Self:
        """Answer a query; `params` is a sequence for `?` or a mapping for `$name`. Gives the cursor itself.

        A query that fails leaves the cursor without an answer. In a notebook, one that takes longer than two seconds
        shows the time that has passed, and an interrupted one what was charged. Raises `QueryRefused`,
        `BudgetExhausted`, `LedgerUnavailable`, `QueryFailed`, or `ProgrammingError` for parameters of the wrong kind.
        """
        session = self._open_session()
        self._forget()
        text, values = checked_text(sql), checked_parameters(params)
        with waiting_line(lambda: session.budget().spent):
            self._answer = session.answer(text, values)
        return self

    def executemany(self, sql: str, params: Sequence[Parameters]) -> NoReturn:
        """Refused: only queries are answered, and each set of parameters is a query of its own."""
        self._open_session()
        self._forget()
        raise NotSupportedError(
            "executemany is not for queries: each set of parameters is a query of its own "
            "with a charge of its own; call execute for each"
        )

    def fetchone(self) -> Row | None:
        """The next row, or None after the last."""
        rows = self._take(1)
        return rows[0] if rows else None

    def fetchmany(self, size: int | None = None) -> list[Row]:
        """The next `size` rows (default: `arraysize`), fewer at the end."""
        self._result()
        return self._take(self._arraysize if size is None else checked_count(size, least=0))

    def fetchall(self) -> list[Row]:
        """All rows that have not been fetched."""
        return self._take(len(self._result().rows))

    def to_arrow_table(self, *, intervals: bool = False) -> pyarrow.Table:
        """The whole answer as an Arrow table (needs pyarrow); HUGEINT becomes decimal128(38, 0).

        With `intervals`, two columns more behind each column x with noise: the ends `x_low` and `x_high` of its 95 %
        intervals.
        """
        return to_arrow(*self._columns_and_rows(intervals))

    def fetch_arrow_table(self) -> pyarrow.Table:
        """The same as `to_arrow_table`, under its older name."""
        return self.to_arrow_table()

    def df(self) -> pandas.DataFrame:
        """The whole answer as a pandas frame (needs pandas)."""
        return to_frame(*self._columns_and_rows(False))

    @overload
    def frame(
        self, library: Literal["pandas"] = "pandas", *, intervals: bool = False
    ) -> pandas.DataFrame: ...
    @overload
    def frame(self, library: Literal["polars"], *, intervals: bool = False) -> polars.DataFrame: ...
    def frame(
        self, library: str = "pandas", *, intervals: bool = False
    ) -> pandas.DataFrame | polars.DataFrame:
        """The whole answer as a frame of pandas or polars, whichever `library` names (and which it needs).

        `intervals` is what it is for `to_arrow_table`. Raises `InterfaceError` where the library is missing, and
        `NotSupportedError` for an answer that polars cannot hold.
        """
        if library not in ("pandas", "polars"):
            raise ProgrammingError('library must be "pandas" or "polars"')
        answer = self._columns_and_rows(intervals)
        return to_frame(*answer) if library == "pandas" else to_polars(*answer)

    def setinputsizes(self, sizes: Sequence[object]) -> None:
        """Nothing: parameters need no sizes."""
        self._open_session()

    def setoutputsize(self, size: int, column: int | None = None) -> None:
        """Nothing: no column is ever cut off."""
        self._open_session()

    def close(self) -> None:
        """Close the cursor and drop its answer; closing twice is allowed."""
        self._closed = True
        self._forget()

    @guarded
    def _repr_html_(self) -> str | None:
        return self._answer._repr_html_() if self._answer is not None and not self._closed else None

    def __iter__(self) -> Iterator[Row]:
        return iter(self.fetchone, None)

    def __enter__(self) -> Self:
        self._open_session()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<dpsql.Cursor, {'closed' if self._closed or self._connection._closed else 'open'}>"

    def _open_session(self) -> Session:
        if self._closed:
            raise InterfaceError("the cursor is closed")
        return self._connection._open_session()

    def _result(self) -> Answer:
        self._open_session()
        if self._answer is None:
            raise ProgrammingError("there is no answer to fetch from; execute a query first")
        return self._answer

    def _forget(self) -> None:
        self._answer, self._fetchable, self._next = None, None, 0

    def _columns_and_rows(self, intervals: object) -> tuple[tuple[OutputColumn, ...], Sequence[Row]]:
        answer = self._result()
        if not isinstance(intervals, bool):
            raise WrongType("intervals must be True or False")
        return answer.with_intervals() if intervals else (answer.columns, answer.rows)

    def _take(self, count: int) -> list[Row]:
        held = self._result().rows
        if self._fetchable is None:  # what is held as columns becomes rows once, and not fetch by fetch
            self._fetchable = tuple(held) if isinstance(held, ColumnRows) else held
        first, self._next = self._next, min(self._next + count, len(self._fetchable))
        return list(self._fetchable[first : self._next])
