"""Opening a session: a policy, its data, a ledger and one analyst, checked before anybody is served."""

from __future__ import annotations

import ctypes
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import MappingProxyType

from dpsql import pipeline
from dpsql.accounting.accountants.dominance import dominates_addition
from dpsql.accounting.calibration_charges import opening_charges
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.types import Request
from dpsql.engines.open_engines import open_engines, open_public
from dpsql.engines.sources.data_version import accept_copies, begin_version, recorded, require_recorded
from dpsql.engines.sources.fingerprints import sources_of, stamps
from dpsql.engines.sources.frames import HandedFrames, handed_frames
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.engines.sources.unread_values import unlisted
from dpsql.errors import (
    BudgetExhausted,
    Error,
    InterfaceError,
    InternalError,
    OperationalError,
    PolicyError,
    Problem,
    QueryFailed,
    QueryRefused,
    Uncopyable,
    Warning,
    WrongType,
    failing_as,
    guarded,
    sealed,
)
from dpsql.mechanisms.sampler import ExactSampler, Sampler
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.calibration import Calibration, unit_histograms
from dpsql.policy.load import load_policy
from dpsql.policy.model import Budget, CalibratedDraw, Policy, Window
from dpsql.policy.naming.suspected_units import suspected_units
from dpsql.privacy import FREE
from dpsql.progress import Progress, untold
from dpsql.release.types import Answer, BudgetReport, Description, Explanation
from dpsql.sql.system_tables.reports import TableReport, table_reports
from dpsql.sql.system_tables.system_context import Client
from dpsql.stages.admin_log import check_log, log_failure, log_for_admin
from dpsql.stages.arguments.analyst_account import account_of
from dpsql.stages.arguments.query_options import of_connection
from dpsql.stages.calibrate import WHO, Ground, calibrated, stored_calibration
from dpsql.stages.deadline import Deadline
from dpsql.stages.state import Resources, State, open_resources, open_sources

# Who called `dpsql.connect`: above this module stand the guards of `open_session` and of `connect`, and `connect`.
_CALLER = 5


@sealed
class Session(Uncopyable):
    """One analyst's open session, for the thread and the process that opened it.

    With `any_thread` threads may use it in turn. Raises dpsql.Error only; InterfaceError after close, in another
    thread, after a fork, and for a call during a call.
    """

    __slots__ = ("_calls", "_closed", "_frames", "_process", "_state", "_thread", "policy")

    def __init__(
        self, policy: Policy, state: State, *, any_thread: bool = False, frames: HandedFrames | None = None
    ) -> None:
        self.policy = policy
        self._frames = frames
        self._state = state
        self._process = os.getpid()
        self._thread = None if any_thread else threading.get_ident()
        self._calls: dict[str, object] = {}
        self._closed = False

    def answer(self, sql: str, params: Sequence[object] | Mapping[str, object] | None = None) -> Answer:
        """The private answer to a query."""
        with self._in_use() as state, _noted(sql, state):
            return pipeline.answer(sql, params, state)

    def explain(self, sql: str, params: Sequence[object] | Mapping[str, object] | None = None) -> Explanation:
        """The plan of a query; free."""
        with self._in_use() as state:
            return pipeline.explain(sql, params, state)

    def describe(
        self,
        sql: str,
        params: Sequence[object] | Mapping[str, object] | None = None,
        types: Mapping[str, str] = MappingProxyType({}),
    ) -> Description:
        """What a query would give, and the types of its placeholders; it is not run and costs nothing."""
        with self._in_use() as state:
            return pipeline.describe(sql, params, types, state)

    def budget(self) -> BudgetReport:
        """What the analyst was granted, has spent, and has left of it."""
        with self._in_use() as state:
            return state.budget()

    def tables(self) -> tuple[TableReport, ...]:
        """The tables that a query may name; free, and answered from policy and public tables alone."""
        with self._in_use() as state:
            return table_reports(state.system)

    def close(self) -> None:
        """Closes the engines and the ledger; a second call does nothing, a forked child leaves its parent's alone."""
        if self._closed or os.getpid() != self._process:
            self._closed = True
            return
        with self._alone(), failing_as(_broken, self._state.log_failure, (Error,)), ExitStack() as closing:
            self._closed = True
            if self._frames is not None:
                closing.callback(self._frames.close)
            for part in (self._state.ledger, self._state.public, self._state.engine, self._state.stack):
                closing.callback(part.close)

    @contextmanager
    def _in_use(self) -> Iterator[State]:
        """The state, for one call; anything unexpected becomes InternalError."""
        if self._closed:
            raise InterfaceError("the session is closed")
        if os.getpid() != self._process:
            raise InterfaceError("the connection was opened before a fork; open another in the child process")
        if self._thread not in (None, threading.get_ident()):
            raise InterfaceError("the connection belongs to the thread that opened it; open another one here")
        with self._alone(), failing_as(_broken, self._state.log_failure, (Error,)):
            yield self._state

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps two queries apart, whose released tables would stand under the same names.

        The planning of one that was interrupted may still go on: it is waited for.
        """
        mine = object()
        try:  # a dict, not a lock: no interrupt can come between taking it and knowing that it was taken
            if self._calls.setdefault("now", mine) is not mine:
                raise InterfaceError(
                    "the connection is in the middle of another query; open another for this one"
                )
            self._state.stack.settle()
            yield
        finally:
            if self._calls.get("now") is mine:
                del self._calls["now"]

    def __repr__(self) -> str:
        return "Session()"

    def __del__(self) -> None:
        # The engines' threads live in the parent only: taking an engine apart in a forked child ends in a crash.
        if os.getpid() != self._process:
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._state))


@contextmanager
def _noted(sql: str, state: State) -> Iterator[None]:
    """Writes refusals and failures into the audit log; what is answered is noted where it is charged."""
    try:
        yield
    except (QueryRefused, BudgetExhausted) as refusal:
        state.note("refused", sql, why=str(refusal))
        raise
    except QueryFailed as failure:
        state.note("failed", sql, why=str(failure))
        raise


def _broken() -> Error:
    return InternalError(InternalError.SENTENCE)


@guarded
def open_session(
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
) -> Session:
    """A session of an analyst under a policy.

    `ledger` is a path (default: beside the policy file). `epsilon` and `delta` are for each query (default: the
    policy's per_query, which is also the most). `rows`: what becomes of a query that would return rows of a private
    table, "refuse", "empty", for its columns and no row, or "mock", for made-up rows. `accuracy` is the 95 % error
    that every count and sum may have: each query then costs the least epsilon that promises it. With `fresh`, every
    query draws anew and is charged in full, whatever is stored. `clipping`: how the limits of what one unit adds
    are found, "auto", "fixed" or "private" (default: the policy's). `empty_conditions`: whether a listed column may
    be compared with a constant that is not on its list. `combine`: whether new answers are fitted to earlier ones.
    `tables`: the frames of the tables whose source is `frame`; they are copied. Warns of tables that seem to be owned
    by another thing than the unit. Raises PolicyError, LedgerUnavailable, InterfaceError and ProgrammingError, and
    OperationalError for whatever else stands in the way.
    """
    check_places(policy, ledger)
    with failing_as(_unopened, log_for_admin, (Error,)):
        loaded = load_policy(policy)
        suspected = suspected_units(loaded)
    for suspicion in suspected:
        try:
            warnings.warn(str(suspicion), Warning, stacklevel=_CALLER)
        except Warning:  # where the host turns warnings into errors
            raise PolicyError((Problem(str(loaded.path), None, "", str(suspicion)),)) from None
    with failing_as(_unopened, partial(log_failure, loaded, str(analyst)), (Error,)), ExitStack() as opened:
        frames = opened.enter_context(closing(handed_frames(loaded, tables)))
        session = build_session(
            *(frames.policy, analyst, ledger, (epsilon, delta), ExactSampler(), rows, accuracy),
            fresh=fresh,
            clipping=clipping,
            empty_conditions=empty_conditions,
            combine=combine,
            frames=frames,
        )
        opened.pop_all()
    return session


def _unopened() -> Error:
    return OperationalError("the connection could not be opened; the admin's log says why")


def build_session(
    policy: Policy,
    analyst: str,
    ledger: str | Path | None,
    wanted: tuple[object, object],
    sampler: Sampler,
    rows: str = "refuse",
    accuracy: object = None,
    *,
    fresh: object = False,
    clipping: object = None,
    empty_conditions: object = False,
    combine: object = False,
    look: Callable[[Policy], Sources] = sources_of,
    resources: Callable[[Policy, Sources], Resources] = open_resources,
    any_thread: bool = False,
    client: Client | None = None,
    frames: HandedFrames | None = None,
) -> Session:
    """A session over a loaded policy, with the sampler that is to draw its noise; it closes the resources it is given.

    `look` says what the sources are by now, `resources` gives engines over them. To a `client` of PostgreSQL's the
    catalogs are PostgreSQL's in every detail. `frames` are closed with it.
    """
    name, budget = account_of(policy, analyst)
    options = of_connection(
        *(budget.per_query, *wanted, rows, accuracy, fresh, clipping or policy.privacy.clipping),
        *(empty_conditions, combine),
    )
    options = replace(options, database=client.database if client is not None else None)
    with ExitStack() as opened:
        check_log(policy)
        book = Ledger.open(_ledger_of(policy, ledger), dataset=policy.dataset.name, any_thread=any_thread)
        opened.callback(book.close)
        log, noted, active = partial(log_failure, policy, name), stamps(policy), book.active()
        sources = look(policy)
        require_recorded(active, sources, log)
        data = opened.enter_context(closing(resources(policy, sources)))
        request = _request(policy, name, budget, recorded(policy, book, active, sources, log).version)
        context = PlanContext(
            policy, data.tables, data.public.evaluate, dominates_addition(policy), policy.privacy.clipping
        )
        seconds = policy.engine.deadline
        state = State(
            context,
            data.private,
            data.public,
            book,
            request,
            options,
            sampler,
            sources,
            noted,
            deadline=Deadline(float(seconds) if seconds is not None else None),
            plans=data.plans,
            client=client or Client(),
        )
        opened.pop_all()
    return Session(policy, state, any_thread=any_thread, frames=frames)


def _request(policy: Policy, analyst: str, budget: Budget, data_version: int) -> Request:
    """Who asks, and every account that pays."""
    role = policy.role(analyst)
    return Request(
        analyst,
        budget.limit,
        budget.per_query,
        policy.dataset.limit,
        policy.digest,
        data_version,
        policy.accountant,
        budget.window,
        policy.dataset.window,
        role.name if role else None,
        role.budget.limit if role else FREE,
        role.budget.window if role else Window.NEVER,
        opening_charges(policy),
    )


def check_data(policy: Policy) -> tuple[Problem, ...]:
    """Every declared fact that the data does not satisfy, for the admin. Raises PolicyError for unreadable sources."""
    sources_of(policy)
    with closing(open_engines(policy)) as engines:
        return engines.private.violations(policy, open_catalog(policy, engines.public).tables)


def unlisted_values(policy: Policy) -> tuple[str, ...]:
    """How many values of private columns are not on their lists, for the admin. Raises PolicyError."""
    with closing(open_public(policy)) as public:
        return unlisted(policy, open_catalog(policy, public).tables)


def calibrate_policy(
    policy: Policy,
    ledger: str | Path | None,
    epsilon: Fraction,
    only: tuple[str, ...],
    sampler: Sampler,
    progress: Progress = untold,
    kept: Callable[[CalibratedDraw], None] = lambda draw: None,
) -> Calibration:
    """Noisy histograms for the policy's limits, or for those that are named, which every account has paid for.

    Together they cost epsilon; `kept` is told of the draw once it is stored. Raises PolicyError, LedgerUnavailable,
    InterfaceError where nothing can be found, and BudgetExhausted: then nothing was charged. QueryFailed after it.
    """
    log = partial(log_failure, policy, WHO)
    with ExitStack() as opened:
        check_log(policy)
        book = opened.enter_context(Ledger.open(_ledger_of(policy, ledger), dataset=policy.dataset.name))
        noted, active, sources = stamps(policy), book.active(), sources_of(policy)
        require_recorded(active, sources, log)
        data = opened.enter_context(closing(open_sources(policy)))
        version = recorded(policy, book, active, sources, log).version
        ground = Ground(policy, data.tables, data.private, book, version, noted, sampler)
        return calibrated(unit_histograms(policy, data.tables, only), epsilon, ground, progress, kept)


def calibration_again(policy: Policy, ledger: str | Path | None, name: str) -> Calibration:
    """A draw that every account has paid for, as the ledger stored it. Raises LedgerUnavailable and InterfaceError."""
    with Ledger.open(_ledger_of(policy, ledger), dataset=policy.dataset.name) as book:
        return stored_calibration(name, book)


def refresh_sources(
    policy: str | Path, ledger: str | Path | None, who: str, tables: Mapping[str, object] | None = None
) -> int:
    """Records that the sources, `tables` the frames among them, have changed; returns the new data version."""
    with closing(handed_frames(load_policy(policy), tables)) as frames:
        loaded = frames.policy
        with Ledger.open(_ledger_of(loaded, ledger), dataset=loaded.dataset.name) as book:
            return begin_version(loaded, book, who)


def accept_sources(policy: str | Path, ledger: str | Path | None, who: str) -> int:
    """Records moved or restored files as what they were before; returns how many. Raises PolicyError for others."""
    loaded = load_policy(policy)
    with Ledger.open(_ledger_of(loaded, ledger), dataset=loaded.dataset.name) as book:
        return accept_copies(loaded, book, who)


def _ledger_of(policy: Policy, given: str | Path | None) -> str | Path:
    return given if given is not None else default_ledger(policy.path)


def default_ledger(policy: Path) -> Path:
    """The ledger beside a policy file."""
    return policy.with_suffix(".ledger")


def check_places(policy: object, ledger: object) -> None:
    """Raises WrongType where a policy or a ledger is no name of a file, or of a ledger's server."""
    for name, place in (("policy", policy), ("ledger", ledger)):
        if not isinstance(place, str | os.PathLike) and (place is not None or name == "policy"):
            raise WrongType(f"{name} is a path (str or pathlib.Path), not {type(place).__name__}")
