"""What one connection holds: policy, engines, ledger, limits and the plans it remembers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import field, replace
from datetime import UTC, datetime
from decimal import Decimal
from typing import NoReturn, TypeVar

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.ledger.recorded_sources import Sources
from dpsql.accounting.types import Request
from dpsql.algebra.catalog import Catalog
from dpsql.engines.base import Engine, PublicEngine
from dpsql.engines.open_engines import open_engines
from dpsql.engines.prepared.fitting import Unfit, fitting
from dpsql.engines.prepared.manifest import PreparedFile
from dpsql.engines.prepared.stored_rows import with_prepared
from dpsql.engines.sources.fingerprints import Stamps, sources_of, stamps
from dpsql.engines.sources.referenced_keys import open_catalog
from dpsql.errors import OperationalError, PolicyError, Problem, Uncopyable
from dpsql.mechanisms.sampler import Sampler
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.partitions import every_part, part_text
from dpsql.policy.model import Policy
from dpsql.policy.table_sources import SourceKind
from dpsql.privacy import FREE, Cost
from dpsql.release.types import BudgetReport, PartReport
from dpsql.slotted import dataclass
from dpsql.sql.own_stack import OwnStack
from dpsql.sql.system_tables.system_context import Client, SystemContext
from dpsql.stages.admin_log import log_failure
from dpsql.stages.arguments.own_limits import NO_LIMITS, under
from dpsql.stages.arguments.query_options import Options, Params
from dpsql.stages.deadline import Deadline

_MOST_REMEMBERED = 256
_LONGEST_NOTE = 4_000
_STAYS_SECONDS = 30
"""How long the thread that plans waits for the next query."""
# What a text says that asks about its session.
_OF_SESSION = ("current_", "pg_backend_pid")
_UNSATISFIED = "the data does not satisfy the policy; see `dpsql check`"
PREPARED = "dpsql prepare"
"""In whose name the admin's log says that prepared tables are not used."""
T = TypeVar("T")


class _Key:
    """A key whose hash is computed once; the analysts' options are made of fractions, which take long."""

    __slots__ = ("_hash", "_of")

    def __init__(self, of: object) -> None:
        self._of, self._hash = of, hash(of)

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Key) and self._hash == other._hash and self._of == other._of


class Plans:
    """What was planned before, the latest of it; sessions in several threads may share it."""

    __slots__ = ("_lock", "_made")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._made: OrderedDict[object, object] = OrderedDict()

    def find(self, key: object) -> object | None:
        """What was kept under that key, or None."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
            return self._made.get(key)

    def keep(self, key: object, made: object) -> None:
        """Keeps it, in the place of the one that has been unused for longest."""
        with self._lock:
            self._made[key] = made
            if len(self._made) > _MOST_REMEMBERED:
                self._made.popitem(last=False)


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Resources(Uncopyable):
    """Engines, the tables that they have, and the plans made over them; `prepared` is the file that is read, if any."""

    private: Engine
    public: PublicEngine
    tables: Catalog
    plans: Plans
    prepared: PreparedFile | None = None

    def close(self) -> None:
        """Gives both engines up."""
        with closing(self.private), closing(self.public):
            pass


def open_resources(policy: Policy, sources: Sources) -> Resources:
    """The resources of one session, over prepared tables where they fit. Raises PolicyError where the data is not as
    the policy says, and OperationalError where it changes meanwhile: an engine may keep a file open that is another
    one by now."""
    return _unchanged(policy, lambda: _over_prepared(policy, sources) or _over_sources(policy))


def open_sources(policy: Policy) -> Resources:
    """The same over the sources alone, whose values no bounds of the policy have clamped."""
    return _unchanged(policy, lambda: _over_sources(policy))


def _unchanged(policy: Policy, open_them: Callable[[], Resources]) -> Resources:
    before = stamps(policy)
    with ExitStack() as opened:
        resources = opened.enter_context(closing(open_them()))
        if stamps(policy) != before:
            raise OperationalError("the data is being changed; open a new connection")
        opened.pop_all()
    return resources


def _over_sources(policy: Policy) -> Resources:
    with ExitStack() as opened:
        engines = opened.enter_context(closing(open_engines(policy)))
        tables = open_catalog(policy, engines.public)
        wrong = engines.private.violations(policy, tables.tables)
        if wrong:
            # Whoever hands over all private rows may be told what is wrong with them; nobody else may.
            handed = all(t.public or t.source.kind is SourceKind.FRAME for t in policy.tables)
            raise PolicyError(wrong if handed else (Problem(str(policy.path), None, "", _UNSATISFIED),))
        opened.pop_all()
    return Resources(engines.private, engines.public, tables, Plans())


def prepared_at_present(policy: Policy, sources: Sources) -> PreparedFile | Unfit | None:
    """The prepared tables that a session opened now would read; None where the policy names no folder of them."""
    folder = policy.engine.prepared
    return fitting(policy, folder, sources) if folder is not None else None


def _over_prepared(policy: Policy, sources: Sources) -> Resources | None:
    """The same over prepared tables, whose facts were verified as they were written; None where there are none that
    fit, and the admin's log says why."""
    prepared = prepared_at_present(policy, sources)
    if prepared is None:
        return None
    if isinstance(prepared, PreparedFile):
        with ExitStack() as opened:
            try:
                engines = opened.enter_context(closing(open_engines(policy, prepared)))
            except PolicyError as error:  # the sources are tried next, and say what is wrong with them
                prepared = Unfit(str(error))
            else:
                tables = with_prepared(open_catalog(policy, engines.public), policy, prepared)
                if tables is not None:
                    opened.pop_all()
                    return Resources(engines.private, engines.public, tables, Plans(), prepared)
                prepared = Unfit("another dpsql would have written other tables")
    log_failure(policy, PREPARED, f"prepared tables are not used: {prepared.reason}")
    return None


@dataclass(slots=True, repr=False, eq=False)
class State(Uncopyable):
    """The parts of an open session.

    Queries are planned on `stack`; `clock` gives the present moment, which is read once a query. `plans` are of texts,
    `received` of releases that were charged before. `mine` is what keys of plans hold of the session.
    """

    context: PlanContext
    engine: Engine
    public: PublicEngine
    ledger: Ledger
    request: Request
    options: Options
    sampler: Sampler
    sources: Sources
    stamps: Stamps
    stack: OwnStack = field(default_factory=lambda: OwnStack(_STAYS_SECONDS))
    clock: Callable[[], datetime] = lambda: datetime.now(UTC).replace(tzinfo=None)
    deadline: Deadline = field(default_factory=Deadline)
    plans: Plans = field(default_factory=Plans)
    received: Plans = field(default_factory=Plans)
    client: Client = Client()
    mine: tuple[Request, Options, _Key] | None = field(default=None, init=False)

    def budget(self) -> BudgetReport:
        """What the analyst was granted, has spent, and has left; nothing of what the role or the dataset has left.

        Whether a new question lowers what they have depends on what others asked.
        """
        own = self.ledger.standing(self.request)
        parts = tuple(
            PartReport(part_text(part), own.spent_in(part), own.remaining_in(part))
            for part in every_part(self.context.catalog)
        )
        more = self.ledger.repeats_left(self.request)
        return BudgetReport(own.account.limit, own.spent, own.remaining, own.ends, more, parts)

    @property
    def system(self) -> SystemContext:
        """What the tables about the system are made of."""
        unit = self.context.policy.privacy.unit
        return SystemContext(self.context.catalog, self.public, unit, self.ledger, self.request, self.client)

    def limited_by(self, options: Options) -> State:
        """The state in which a query is planned that has limits of its own."""
        if options.limits == NO_LIMITS:
            return self
        return replace(self, context=under(options.limits, self.context), options=options)

    def remembered(
        self,
        what: str,
        sql: str,
        params: Params,
        make: Callable[[], T],
        keep: Callable[[T], bool] = lambda made: True,
    ) -> T:
        """What `make` made for this text and these values before, if it was to be kept.

        A query about the session that asks is made anew.
        """
        key = _plan_key(what, sql, params)
        return make() if key is None else self.memo(key, make, keep)

    def memo(self, key: object, make: Callable[[], T], keep: Callable[[T], bool] = lambda made: True) -> T:
        """What `make` made under a key that says all that it depends on but the session itself."""
        key = _Key((key, self._mine()))
        memory = self.plans.find(key)
        if memory is not None:
            return memory  # type: ignore[return-value]
        made = make()
        if keep(made):
            self.plans.keep(key, made)
        return made

    def _mine(self) -> _Key:
        """Who asks, and how: a part of each key, whose hash is computed again only where either is another object."""
        last = self.mine
        if last is None or last[0] is not self.request or last[1] is not self.options:
            last = self.mine = (self.request, self.options, _Key((self.request, self.options)))
        return last[2]

    def note(self, what: str, sql: str, cost: Cost = FREE, why: str = "", keys: tuple[str, ...] = ()) -> None:
        """A line in the ledger's audit log; where it cannot be written, the admin's log says so.

        `keys` name the releases that were answered from.
        """
        body = {
            "sql": sql[:_LONGEST_NOTE] if isinstance(sql, str) else "not a text",
            "epsilon": str(cost.epsilon),
            "delta": str(cost.delta),
            "why": why[:_LONGEST_NOTE],
            "keys": list(keys),
        }
        try:
            if what == "stored":
                self.ledger.note_repeat(self.request.analyst, keys, body)
            else:
                self.ledger.note(self.request.analyst, what, body)
        except OperationalError as error:
            self.log_failure(f"the audit log could not be written: {error}")

    def check_sources(self) -> None:
        """Fails closed where the sources are not those that the session began with.

        Only where a file was touched since is anything read of it.
        """
        if stamps(self.context.policy) == self.stamps:
            return
        try:
            changed = sources_of(self.context.policy) != self.sources
        except PolicyError as error:
            self.log_failure(str(error))
            changed = True
        if changed:
            self._fail("a source changed without `dpsql refresh`")

    @contextmanager
    def sources_read(self) -> Iterator[None]:
        """A block that reads the sources; it fails where one of them was touched meanwhile, or is another by now."""
        before = stamps(self.context.policy)
        yield
        if stamps(self.context.policy) != before:
            self._fail("a source was touched while a query read it")
        self.check_sources()

    def _fail(self, why: str) -> NoReturn:
        self.log_failure(why)
        raise OperationalError("the data is being changed; open a new connection")

    def log_failure(self, text: str) -> None:
        """Writes to the admin's logger, and to the file that the policy names; a full disk changes nothing else."""
        log_failure(self.context.policy, self.request.analyst, text)


def _plan_key(what: str, sql: str, params: Params) -> object | None:
    if not isinstance(sql, str) or any(word in sql.lower() for word in _OF_SESSION):
        return None
    if params is None:
        return (what, sql)
    try:
        items = params.items() if isinstance(params, Mapping) else enumerate(params)
        return (what, sql, frozenset((name, _value_key(value)) for name, value in items))
    except TypeError:  # what cannot be hashed, or is no parameters at all, is for the binder to refuse
        return None


def _value_key(value: object) -> object:
    """What tells values apart that are equal to Python: 1, 1.0 and True; those of a list one by one."""
    if isinstance(value, list | tuple):
        return (type(value), tuple(map(_value_key, value)))
    return (type(value), value, _spelling(value))


def _spelling(value: object) -> str | None:
    """What tells equal numbers apart: 0.0 and -0.0, 1.0 and 1.00."""
    return repr(value) if isinstance(value, float | Decimal) else None
