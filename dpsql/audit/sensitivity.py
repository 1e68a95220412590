"""The privacy claim by running: no unit moves the exact integers of any release by more than its sensitivity.

Queries and databases are generated from a policy, and the rewritten SQL runs on neighbouring databases. A run of two
minutes and one of two hours are the same work in the same order, as far as the time goes.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import zip_longest
from pathlib import Path

from dpsql.audit.databases.parts_of_units import check_apart, parts_that_differ
from dpsql.audit.databases.prepared_copies import check_read, copy_of, with_copy
from dpsql.audit.databases.random_database import Database, Style, neighbour, random_database, stored
from dpsql.audit.exact import Found, Violated, by_key, found, moved
from dpsql.audit.largest_compared import check_largest
from dpsql.audit.made_up_inputs import with_released_inputs
from dpsql.audit.queries.generated_query import Query
from dpsql.audit.queries.random_query import random_query
from dpsql.audit.queries.schema_view import View, view
from dpsql.audit.report import Tried, Violation, dumped
from dpsql.engines.base import Engine, EngineFailed
from dpsql.engines.generated.source_files import engine_with
from dpsql.engines.public_engine import FinishEngine
from dpsql.errors import QueryRefused
from dpsql.mechanisms.sampler import ExactSampler
from dpsql.policy.model import ClippingMode, Policy
from dpsql.policy.table_sources import SourceKind
from dpsql.release.prepared_query import PreparedQuery
from dpsql.session import build_session
from dpsql.slotted import dataclass
from dpsql.stages.prepare import prepare
from dpsql.stages.state import State

QUERIES_OF_A_DATABASE = 12
NEIGHBOURS = 2
# One query in so many is planned on a neighbour too, and run again where rows are stored or computed otherwise.
_EVERY = 3
# How limits are found in the sessions over a database.
_MODES = (None, None, ClippingMode.PRIVATE)
_SETTINGS = (("PRAGMA disable_optimizer",), ("SET threads = 1",), ("SET threads = 4",), ())

# Without its optimizer DuckDB 2.0 does not plan every correlated subquery in the condition of an outer join.
_OWN_BUG = "INTERNAL Error"

Enough = Callable[[Tried], bool]


@dataclass(frozen=True, slots=True)
class Subject:
    """A policy to audit: what queries see of it, and how databases for it are made."""

    name: str
    policy: Policy
    view: View
    style: Style


def subject(policy: Policy, name: str, style: Style) -> Subject:
    """The policy to audit; of its sources only the public tables are read."""
    with closing(FinishEngine.open(policy)) as public:
        return Subject(name, policy, view(policy, public), style)


@contextmanager
def opened(policy: Policy, clipping: ClippingMode | None = None) -> Iterator[State]:
    """The state of a session over a stored database."""
    session = build_session(
        *(policy, policy.somebody, None, (None, None), ExactSampler()),
        clipping=clipping,
        empty_conditions=True,
    )
    with closing(session):
        yield session._state


def prepared(query: Query, state: State) -> PreparedQuery | QueryRefused:
    """The plan of a query, or the refusal."""
    try:
        return prepare(query.sql, query.params, state)
    except QueryRefused as refusal:
        return refusal


def check_neighbours(
    query: Query, one: State, others: Sequence[State], tried: Tried, parts: Sequence[frozenset[str]] = ()
) -> tuple[PreparedQuery, Found] | None:
    """Compares a query on a database and its neighbours; None where it is refused on all of them.

    `parts` are, for each neighbour, those in which the unit is that differs there. Raises Violated, and EngineFailed
    where the rewritten SQL cannot be run.
    """
    ready = prepared(query, one)
    if tried.executions % _EVERY == 0 and _kinds(one) == _kinds(others[0]):
        check_plan(ready, prepared(query, others[0]))
    tried.executions += len(others)
    if isinstance(ready, QueryRefused):
        tried.refused[ready.reason] += len(others)
        return None
    ready = with_released_inputs(ready, one.engine, one.public)
    left = found(ready, one.engine)
    tried.largest += check_largest(ready, left, one.engine)
    for other, differ in zip_longest(others, parts, fillvalue=None):
        assert other is not None
        right = found(ready, other.engine)
        tried.apart += check_apart(ready, left, right, differ) if differ is not None else 0
        for m in moved(ready, left, right):
            if m.by > m.claimed:
                raise Violated(f"{m.kind} moved by {m.by}, claimed at most {m.claimed}")
            tried.saw(m)
    return ready, left


def _kinds(state: State) -> tuple[SourceKind, ...]:
    """In what the tables are stored, which the rewritten SQL follows: rows that CSV does not hold are in Parquet."""
    return tuple(table.source.kind for table in state.context.policy.tables)


def check_plan(ready: PreparedQuery | QueryRefused, again: PreparedQuery | QueryRefused) -> None:
    """Plan, rewritten SQL, domain, description, charge or refusal are the same on a neighbour."""
    if isinstance(ready, QueryRefused) or isinstance(again, QueryRefused):
        if str(ready) != str(again):
            raise Violated("a refusal depends on private rows")
        return
    for part in ("plan", "queries", "columns", "charges"):
        if getattr(ready, part) != getattr(again, part):
            raise Violated(f"the {part} depends on private rows")


def check_again(ready: PreparedQuery, before: Found, engine: Engine) -> None:
    """The same integers for the same rows, however they are stored and computed."""
    for old, new in zip(before, found(ready, engine), strict=True):
        for x, y in zip(old, new, strict=True):
            if by_key(x) != by_key(y):
                raise Violated("the integers depend on how the rows are stored or computed")


@contextmanager
def elsewhere(database: Database, folder: Path, draw: random.Random) -> Iterator[Engine]:
    """Another engine over the same rows, stored in another order, and mostly with other settings."""
    setting, again = draw.choice(_SETTINGS), folder / "again"
    policy = with_copy(stored(database, again, draw), again)
    with closing(engine_with(policy, *setting, prepared=copy_of(policy))) as engine:
        yield engine


@contextmanager
def _over(database: Database, folder: Path, mode: ClippingMode | None) -> Iterator[State]:
    """The state of a session over a database, or over tables that were prepared from it if the policy has them."""
    with opened(with_copy(stored(database, folder), folder), mode) as state:
        check_read(state)
        yield state


def fuzz_database(subject: Subject, folder: Path, seed: int, tried: Tried, enough: Enough) -> None:
    """Many queries on one database and its neighbours, until a violation is found or it is enough.

    Whatever goes wrong is a violation, and so is a database that satisfies the policy and cannot be opened.
    """
    draw = random.Random(f"database {seed}")
    database = random_database(subject.policy, subject.view, subject.style, draw)
    nearby = tuple(neighbour(database, draw) for _ in range(NEIGHBOURS))
    parts = [parts_that_differ(database, n) for n in nearby]
    tried.databases += 1
    query: Query | None = None
    try:
        with _opened_side_by_side(database, nearby, folder, draw) as (one, others, again):
            usable = True
            for i in range(QUERIES_OF_A_DATABASE):
                if enough(tried):
                    return
                query = random_query(seed * QUERIES_OF_A_DATABASE + i, subject.view)
                repeated = again if usable and i % _EVERY == 0 else None
                usable &= check_query(query, one, others, repeated, tried, parts)
    except Exception as failure:
        tried.violations.append(_violation(subject, seed, database, nearby, query, failure))


@contextmanager
def _opened_side_by_side(
    database: Database, nearby: Sequence[Database], folder: Path, draw: random.Random
) -> Iterator[tuple[State, tuple[State, ...], Engine]]:
    """Sessions over a database and its neighbours, and another engine over the database."""
    mode = draw.choice(_MODES)
    with ExitStack() as stack:
        one = stack.enter_context(_over(database, folder / "one", mode))
        others = tuple(
            stack.enter_context(_over(n, folder / f"other{i}", mode)) for i, n in enumerate(nearby)
        )
        yield one, others, stack.enter_context(elsewhere(database, folder, draw))


def _violation(
    subject: Subject,
    seed: int,
    database: Database,
    nearby: Sequence[Database],
    query: Query | None,
    failure: Exception,
) -> Violation:
    what = str(failure) if isinstance(failure, Violated) else f"{type(failure).__name__}: {failure}"
    sql, params = (query.sql, query.params) if query is not None else ("", None)
    return Violation(what, sql, params, subject.name, seed, dumped(database), tuple(map(dumped, nearby)))


def check_query(
    query: Query,
    one: State,
    others: Sequence[State],
    again: Engine | None,
    tried: Tried,
    parts: Sequence[frozenset[str]] = (),
) -> bool:
    """Compares a query on neighbours, and on another engine over the same rows where there is one.

    False where DuckDB says of itself that it has a bug under the other engine's settings, which are none of ours; it
    answers nothing more.
    """
    result = check_neighbours(query, one, others, tried, parts)
    if result is None:
        return True
    tried.admitted(query)
    if again is not None:
        tried.repeats += 1
        try:
            check_again(*result, again)
        except EngineFailed as failure:
            if _OWN_BUG not in str(failure):
                raise
            return False
    return True


def fuzz(
    subjects: Sequence[Subject],
    folder: Path,
    seed: int,
    enough: Enough,
    tried: Tried | None = None,
    most_violations: int = 1,
) -> Tried:
    """Runs the fuzz over the policies in turn, one database after another, until it is enough.

    Everything is generated from `seed` and the numbers after it.
    """
    tried = tried if tried is not None else Tried()
    while not enough(tried) and len(tried.violations) < most_violations:
        at = folder / str(seed)
        fuzz_database(subjects[seed % len(subjects)], at, seed, tried, enough)
        shutil.rmtree(at)
        seed += 1
    return tried
