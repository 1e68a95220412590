"""What privacy costs in time, memory and accuracy: queries beside plain DuckDB on the same rows in one run.

python benchmarks/queries.py --rows 1e6

Every query is asked in turn by plain DuckDB and by dpsql, each over a Parquet file and over a table of a DuckDB file,
and by dpsql over tables that were prepared from the latter, so that whatever else the machine does hits all alike. Each
answer of dpsql is drawn anew and charged durably. The first query of a version of the data, which also lists the rows
of people with too many of them, has a line of its own.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import duckdb
from purchases import MAX_ROWS_PER_UNIT, Purchases, make_purchases

import dpsql
from dpsql.engines.prepare_tables import prepare_tables
from dpsql.engines.prepared.fitting import Unfit, fitting
from dpsql.engines.prepared.folder import default_folder
from dpsql.engines.sources.fingerprints import sources_of
from dpsql.policy.load import load_policy

Rows = tuple[tuple[object, ...], ...]
Ask = Callable[[str], Rows]
Clock = Callable[[], float]
WARM_UP = "SELECT COUNT(*) FROM purchases WHERE age > 60"
TITLES = {
    "per_row": "one row per person",
    "per_person": f"at most {MAX_ROWS_PER_UNIT} rows per person in a query",
    "per_table": f"at most {MAX_ROWS_PER_UNIT} rows per person in the table",
    "per_query": "limits found for each query",
}
_HELD, _MOST_HELD = "VmRSS", "VmHWM"


@dataclass(frozen=True, slots=True)
class Question:
    """A query and how many of its leading columns are keys; a query of keys alone is right or wrong.

    `first`: what the first run takes is told as well, since it leaves something that later ones read.
    """

    name: str
    sql: str
    keys: int
    first: bool = False

    def of_run(self, run: int) -> str:
        """The query of one run."""
        return self.sql.format(age=AGES + run, older=AGES + run + 9)


AGES = 18
"""The least age of the data: a question that names `{age}` or `{older}` asks of other rows in each run."""

QUESTIONS = (
    Question("COUNT(*)", "SELECT COUNT(*) FROM purchases", 0),
    Question("COUNT(*) with WHERE", "SELECT COUNT(*) FROM purchases WHERE age BETWEEN 30 AND 39", 0),
    Question(
        "COUNT, SUM, AVG by region",
        "SELECT region, COUNT(*), SUM(amount), AVG(amount) FROM purchases GROUP BY region",
        1,
    ),
    Question(
        "COUNT(*) with WHERE, other rows each time",
        "SELECT COUNT(*) FROM purchases WHERE age BETWEEN {age} AND {older}",
        0,
    ),
    Question(
        "COUNT, SUM by region with WHERE, other rows each time",
        "SELECT region, COUNT(*), SUM(amount) FROM purchases WHERE age BETWEEN {age} AND {older} GROUP BY region",
        1,
    ),
    Question("COUNT by product", "SELECT product, COUNT(*) FROM purchases GROUP BY product", 1, first=True),
    Question(
        "COUNT by product, other rows each time",
        "SELECT product, COUNT(*) FROM purchases WHERE age > {age} GROUP BY product",
        1,
    ),
    Question(
        "SUM(amount * quantity) with WHERE",
        "SELECT SUM(amount * quantity) FROM purchases "
        "WHERE age BETWEEN 30 AND 39 AND day >= DATE '2025-07-01'",
        0,
    ),
    Question("COUNT(DISTINCT user_id)", "SELECT COUNT(DISTINCT user_id) FROM purchases", 0),
    Question(
        "the top region",
        "SELECT region FROM purchases GROUP BY region ORDER BY COUNT(*) DESC LIMIT 1",
        1,
    ),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """Something that is asked: plain DuckDB over a file, or dpsql under a policy, beside the plain one of that file."""

    name: str
    path: Path
    beside: str = ""

    @contextmanager
    def opened(self) -> Iterator[Ask]:
        """A function that answers a query."""
        with self._private() if self.beside else self._plain() as ask:
            yield ask

    @contextmanager
    def _plain(self) -> Iterator[Ask]:
        """With as many threads as dpsql uses: DuckDB's own number."""
        with duckdb.connect(":memory:") as connection:
            connection.execute("SET enable_progress_bar = false")
            if self.path.suffix == ".parquet":
                connection.execute(f"CREATE VIEW purchases AS FROM read_parquet('{self.path}')")
            else:
                connection.execute(f"ATTACH '{self.path}' AS data (READ_ONLY)")
                connection.execute("USE data")
            yield lambda sql: tuple(connection.execute(sql).fetchall())

    @contextmanager
    def _private(self) -> Iterator[Ask]:
        with tempfile.TemporaryDirectory() as folder:
            ledger = Path(folder) / "benchmark.ledger"
            with dpsql.connect(self.path, analyst="benchmark", ledger=ledger, fresh=True) as connection:
                yield lambda sql: tuple(connection.execute(sql).fetchall())


def main() -> None:
    """Make the data where it is missing, then print one table for each policy."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=float, default=1e6, help="rows of the table (default 1e6)")
    parser.add_argument("--runs", type=int, default=15, help="fresh draws of each query (default 15)")
    parser.add_argument("--policies", nargs="*", choices=TITLES, default=list(TITLES), help="default: all")
    parser.add_argument(
        "--no-memory", action="store_true", help="leave out peak memory, which takes a process for each"
    )
    parser.add_argument(
        "--processor", action="store_true", help="processor time of all threads, for a machine that is shared"
    )
    options = parser.parse_args()
    rows = int(options.rows)
    data = make_purchases(rows)
    print(f"{rows:,} rows, {rows // 10:,} people, medians of {options.runs} interleaved runs\n")
    for policy in options.policies:
        print(f"### {TITLES[policy]}\n")
        clock = time.process_time if options.processor else time.perf_counter
        asked = subjects(data, policy)
        _times(asked, options.runs, clock)
        if not options.no_memory:
            _peaks(asked)
        print(flush=True)


def subjects(data: Purchases, policy: str) -> tuple[Subject, ...]:
    """What is asked under a policy: plain DuckDB over either file first, then dpsql."""
    return (
        Subject("DuckDB, Parquet", data.parquet),
        Subject("DuckDB, table", data.data),
        Subject("dpsql, Parquet", data.of_parquet[policy], beside="DuckDB, Parquet"),
        Subject("dpsql, table", getattr(data, policy), beside="DuckDB, table"),
        Subject("dpsql, prepared", prepared(getattr(data, policy)), beside="DuckDB, table"),
    )


def prepared(policy: Path) -> Path:
    """The same policy over prepared tables, which are made where they are missing or do not fit any more."""
    copy = policy.with_name(f"{policy.stem}_prepared.yaml")
    copy.write_text(f"{policy.read_text()}engine: {{prepared: {copy.stem}}}\n")
    loaded = load_policy(copy)
    if isinstance(fitting(loaded, default_folder(loaded), sources_of(loaded)), Unfit):
        began = time.perf_counter()
        made = prepare_tables(loaded, default_folder(loaded))
        print(
            f"{made.rows:,} rows prepared in {time.perf_counter() - began:.1f} s, {made.bytes / 1e6:,.0f} MB\n"
        )
    return copy


def _times(asked: Sequence[Subject], runs: int, clock: Clock) -> None:
    private = [s for s in asked if s.beside]
    heads = [f"{s.name} ms" for s in asked] + [f"ratio, {s.name}" for s in private]
    print(f"| query | {' | '.join(heads)} | median error |")
    print("| --- |" + " ---: |" * (len(heads) + 1))
    with ExitStack() as stack:
        asks = {s.name: stack.enter_context(s.opened()) for s in asked}
        first = {s.name: _timed(clock, asks[s.name], WARM_UP)[0] for s in asked}
        for question in QUESTIONS:
            print(_line(question, asked, asks, runs, clock), flush=True)
    cells = [*(f"{first[s.name] * 1e3:,.1f}" for s in asked), *(f"{_ratio(s, first):.1f}" for s in private)]
    print(f"| the first query | {' | '.join(cells)} | |")


def _peaks(asked: Sequence[Subject]) -> None:
    memory = {s.name: peak_memory(s) for s in asked}
    ratios = [f"{_ratio(s, memory):.2f}" for s in asked if s.beside]
    print(f"| peak memory, MB | {' | '.join([*(f'{m:,.0f}' for m in memory.values()), *ratios])} | |")


def _line(
    question: Question, asked: Sequence[Subject], asks: Mapping[str, Ask], runs: int, clock: Clock
) -> str:
    seconds: dict[str, list[float]] = {s.name: [] for s in asked}
    errors: list[float] = []
    for run in range(runs):
        exact: Rows = ()
        for subject in asked:
            spent, rows = _timed(clock, asks[subject.name], question.of_run(run))
            seconds[subject.name].append(spent)
            if subject.beside:
                errors += _errors(question, rows, exact)
            else:
                exact = rows
    error = f"{statistics.median(errors):.2%}" if errors else "no group shown"
    lines = [_cells(question.name, asked, {n: statistics.median(s) for n, s in seconds.items()}, error)]
    if question.first:
        lines.append(
            _cells(f"{question.name}, the first time", asked, {n: s[0] for n, s in seconds.items()}, "")
        )
    return "\n".join(lines)


def _cells(name: str, asked: Sequence[Subject], spent: Mapping[str, float], error: str) -> str:
    ratios = [f"{_ratio(s, spent):.2f}" for s in asked if s.beside]
    return f"| {name} | {' | '.join([*(f'{s * 1e3:.1f}' for s in spent.values()), *ratios])} | {error} |"


def _ratio(subject: Subject, of: Mapping[str, float]) -> float:
    return of[subject.name] / max(of[subject.beside], 1e-9)


def _errors(question: Question, rows: Rows, exact: Rows) -> list[float]:
    """The relative error of each number that is shown; for keys alone 0 or 1."""
    keys = question.keys
    if len(exact[0]) == keys:
        return [float(rows != exact)]
    wanted = {row[:keys]: row[keys:] for row in exact}
    return [
        abs(float(str(got)) / float(str(true)) - 1)
        for row in rows
        for got, true in zip(row[keys:], wanted[row[:keys]], strict=True)
        if got is not None
    ]


def peak_memory(subject: Subject) -> float:
    """The most memory, in MB, that asking a subject every query once adds to a process of its own (Linux)."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_asked_once, subject).result()


def _asked_once(subject: Subject) -> float:
    assert dpsql.connect  # naming it imports its modules, whose memory is not counted
    before = _memory(_HELD)
    with subject.opened() as ask:
        for question in QUESTIONS:
            ask(question.of_run(0))
    return _memory(_MOST_HELD) - before


def _memory(name: str) -> float:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kibibytes = next(line.split()[1] for line in status.splitlines() if line.startswith(name))
    return int(kibibytes) * 1024 / 1e6


def _timed(clock: Clock, ask: Ask, sql: str) -> tuple[float, Rows]:
    begin = clock()
    rows = ask(sql)
    return clock() - begin, rows


if __name__ == "__main__":
    main()
