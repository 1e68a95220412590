"""The ledger: what was spent by whom, durable before any data is touched, and the shelf of stored releases.

A ledger file holds the accounts of one or more datasets. Whatever policies use a dataset, everything adds up into one
dataset total, one total for each role and one for each analyst. A release is drawn once: the dataset pays when it is
drawn, each analyst pays the first time that analyst receives it, and repeats are free. Nothing is ever refunded,
reset or deleted.

Two who ask the same new question at the same moment both pay, for both may draw. The first to store its draw
fixes the release for everybody: `keep` hands the stored draw back, and the other one is never shown. So a key
stands for one draw for ever, later releases may read it by its key, and nobody receives more draws than were
paid for.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

from dpsql.accounting import books, draws, versions
from dpsql.accounting.accountant import Accountants
from dpsql.accounting.basic import DELTA, EPSILON
from dpsql.accounting.database import Connection, Database
from dpsql.accounting.mark import Mark
from dpsql.accounting.totals import Totals, cost_of
from dpsql.accounting.types import DATASET, Payment, Request, Shelf, Standing, Step, Steps, Unobserved
from dpsql.accounting.versions import Fingerprints
from dpsql.boundary import Uncopyable
from dpsql.privacy import Charge, Cost

MAIN = "main"


class Ledger(Uncopyable):
    """An open ledger, for one dataset and for the thread and the process that opened it; any number may be open on
    one file.

    Totals are integers (`totals`): each query is rounded up once, so a total is never less than the exact sum.
    Errors: LedgerUnavailable for whatever the file or its disk does and for a clock that was set back, InterfaceError
    for use after close, in another thread or after a fork.
    """

    __slots__ = ("_accountants", "_clock", "_database", "_dataset", "_mark", "_steps")

    def __init__(
        self, database: Database, mark: Mark, clock: Callable[[], float], steps: Steps, dataset: str
    ) -> None:
        self._database = database
        self._mark = mark
        self._clock = clock
        self._steps = steps
        self._dataset = dataset
        self._accountants = Accountants()

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        dataset: str = MAIN,
        timeout: float = 5.0,
        clock: Callable[[], float] = time.time,
        steps: Steps | None = None,
        any_thread: bool = False,
    ) -> Self:
        """The ledger in that file; a missing one is created with mode 0600.

        `timeout` is how many seconds to wait for another process's lock. With `any_thread`, threads may use it in turn,
        one at a time. LedgerUnavailable for a file that cannot be opened, is no ledger, was written by a newer
        version, or is an older copy than its mark says.
        """
        file = Path(path).absolute()
        mark = Mark(file.with_name(f"{file.name}-mark"))
        # Before the file: others may add entries, and raise the mark, while it is opened.
        highest = mark.read()
        if not file.exists():
            mark.require(0, highest)
        database = Database.open(file, timeout, any_thread)
        opened = cls(database, mark, clock, steps or Unobserved(), dataset)
        try:
            opened._check(highest)
        except BaseException:
            database.close()
            raise
        return opened

    def _check(self, highest: int) -> None:
        """Refuse an old copy, and begin a dataset that is new."""
        last = self._database.read(books.last_entry)
        self._mark.require(last, highest)
        self._mark.raise_to(last)
        if not self.data_version():
            self._database.write(self._begin)

    def _begin(self, db: Connection) -> None:
        if not versions.data_version(db, self._dataset):
            versions.add_version(db, self._dataset, self._clock, "creation")

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def charge(self, request: Request, charges: tuple[Charge, ...]) -> Shelf:
        """Charge a query's releases in one durable transaction and return those that are stored.

        Nothing is due for a stored release that the analyst has received before; the analyst's account pays
        for one that is stored and new to this analyst, and so does the role's where it is new to the role; the
        dataset's account pays for one that has to be drawn. A key named twice is paid once. A charge whose draw was
        never kept is lost: asking again pays again. Errors: BudgetExhausted where the sum exceeds the most for one
        query or the limit of an account, and nothing is written; LedgerUnavailable where the data has a newer version
        than the request.
        """
        wanted = draws.distinct(charges)
        found = self._database.read(lambda db: self._found(db, request, wanted))
        if not found.dues.unpaid:  # receipts are for ever, so no lock is needed to believe them
            return Shelf(found.stored)
        self._steps.reached(Step.BEFORE_BEGIN)
        shelf = self._database.write(lambda db: self._pay(db, request, wanted))
        self._steps.reached(Step.AFTER_COMMIT)
        self._mark.raise_to(shelf.entry or 0)
        return shelf

    def keep(self, shelf: Shelf, key: str, payload: bytes) -> Shelf:
        """Store a drawn release durably and return the shelf with the draw that stands under the key.

        Where another process has stored its own draw of the same release meanwhile, that one stands: answer
        from the returned shelf, never from the payload. UnpaidRelease where this shelf's entry did not pay
        for a draw.
        """
        self._steps.reached(Step.BEFORE_KEEP)
        stands = self._database.write(lambda db: draws.keep(db, self._dataset, shelf.entry, key, payload))
        self._steps.reached(Step.AFTER_KEEP)
        return shelf.holding(key, stands)

    def standing(self, request: Request) -> tuple[Standing, ...]:
        """The accounts that pay for the request, as they stand now, in the terms of its accountant."""
        return self._database.read(
            lambda db: tuple(
                books.standing(
                    db, self._dataset, account, request, self._accountants, books.moment(db, self._clock)
                )
                for account in request.accounts
            )
        )

    def spent(self, analyst: str) -> Cost:
        """What that analyst's queries were asked at, added up plainly, whatever the accountant makes of it."""
        return self._plain_sum(f"analyst {analyst}")

    def spent_dataset(self) -> Cost:
        """What the dataset's draws were asked at, added up plainly, over all analysts and policies."""
        return self._plain_sum(DATASET)

    def _plain_sum(self, account: str) -> Cost:
        totals = self._database.read(lambda db: books.balance(db, self._dataset, account))
        return cost_of(totals.get(EPSILON), totals.get(DELTA))

    def totals(self, account: str) -> Totals:
        """The running totals of an account: `dataset`, `analyst alice`, `role sales`."""
        return self._database.read(lambda db: books.balance(db, self._dataset, account))

    def last_paid(self, analyst: str) -> Cost | None:
        """What the last query that this analyst paid for cost, or None before the first."""
        return self._database.read(lambda db: _last_paid(db, analyst))

    def payments(self, analyst: str) -> tuple[Payment, ...]:
        """What that analyst's account has paid, query by query, and nothing of what others did."""
        return self._database.read(lambda db: books.payments(db, self._dataset, analyst))

    def data_version(self) -> int:
        """The current data version, counted from 1; only `refresh` changes it."""
        return self._database.read(lambda db: versions.data_version(db, self._dataset))

    def sources_changed(self, fingerprints: Fingerprints) -> tuple[str, ...]:
        """The names of the sources whose fingerprint is not the recorded one; for the admin alone.

        A source that is seen for the first time is recorded under the current data version.
        """
        known = self._database.read(lambda db: versions.recorded(db, self._dataset))
        if any(source not in known for source, _ in fingerprints):
            known = self._database.write(lambda db: versions.first_sight(db, self._dataset, fingerprints))
        return tuple(source for source, found in fingerprints if known[source] != found)

    def refresh(self, fingerprints: Fingerprints, who: str) -> int:
        """Begin a new data version with these fingerprints, durably, and return its number.

        Releases of earlier versions stay stored; what was spent stays spent.
        """
        return self._database.write(lambda db: self._refresh(db, fingerprints, who))

    def _found(self, db: Connection, request: Request, wanted: tuple[Charge, ...]) -> draws.Found:
        versions.require_current(db, self._dataset, request)
        return draws.found(db, self._dataset, request, wanted)

    def _pay(self, db: Connection, request: Request, wanted: tuple[Charge, ...]) -> Shelf:
        self._mark.require(books.last_entry(db), self._mark.read())
        now = books.moment(db, self._clock)
        found = self._found(db, request, wanted)
        books.check_budgets(db, self._dataset, request, found.dues, self._accountants, now)
        entry, charged = books.book(db, self._dataset, request, found.dues, self._accountants, now)
        draws.hand_out(db, self._dataset, request, entry, found.dues)
        self._steps.reached(Step.AFTER_INSERT)
        return Shelf(found.stored, charged, entry)

<<<<<<< HEAD

def _distinct(charges: tuple[Charge, ...]) -> tuple[Charge, ...]:
    """Each key once; two different charges under one key are a bug."""
    by_key: dict[str, Charge] = {}
    for charge in charges:
        if by_key.setdefault(charge.key, charge) != charge:
            raise InternalError("two different releases of one query have the same key")
    return tuple(by_key.values())


def _due(db: Connection, request: Request, wanted: tuple[Charge, ...]) -> _Due:
    """What of the wanted releases is stored, and who still has to pay for which."""
    current = _data_version(db)
    if request.data_version != current:
        raise LedgerUnavailable(
            f"the data has version {current} by now, and this connection was opened at version "
            f"{request.data_version}; open a new connection"
        )
    found = tuple((charge, *_look_up(db, request.analyst, charge.key)) for charge in wanted)
    stored = tuple((charge.key, payload) for charge, payload, _ in found if payload is not None)
    unpaid = tuple(charge for charge, _, received in found if not received)
    drawn = tuple(charge for charge, payload, _ in found if payload is None)
    return _Due(stored, unpaid, drawn)


def _look_up(db: Connection, analyst: str, key: str) -> tuple[bytes | None, bool]:
    """The stored draw, and whether the analyst has received it."""
    row = db.execute(
        "SELECT payload, EXISTS (SELECT 1 FROM receipts AS r WHERE r.analyst = ? AND r.key = s.key) "
        "FROM shelf AS s WHERE s.key = ?",
        (analyst, key),
    ).fetchone()
    return (bytes(row[0]), bool(row[1])) if row is not None else (None, False)


def _admitted(db: Connection, request: Request, due: _Due) -> tuple[Amount, Amount]:
    """What the analyst and the dataset pay, as booked; BudgetExhausted if one of the limits forbids it."""
    rules = accountant(request.accountant)
    paid, drawn = rules.cost(_events(due.unpaid)), rules.cost(_events(due.drawn))
    if not rules.admits(FREE, paid, request.per_query):
        raise _exhausted(f"one query by {request.analyst}", FREE, paid, request.per_query)
    accounts = (
        (request.analyst, _analyst_total(db, request.analyst), rounded_up(paid), request.analyst_limit),
        ("dataset", _dataset_total(db), rounded_up(drawn), request.dataset_limit),
    )
    for account, spent, asked, limit in accounts:
        if not rules.admits(spent.cost, asked.cost, bookable(limit)):
            raise _exhausted(account, spent.cost, asked.cost, limit)
    return rounded_up(paid), rounded_up(drawn)


def _exhausted(account: str, spent: Cost, asked: Cost, limit: Cost) -> BudgetExhausted:
    return BudgetExhausted(
        account,
        asked_epsilon=asked.epsilon,
        left_epsilon=max(limit.epsilon - spent.epsilon, Fraction(0)),
        asked_delta=asked.delta,
        left_delta=max(limit.delta - spent.delta, Fraction(0)),
    )


def _events(charges: tuple[Charge, ...]) -> tuple[Event, ...]:
    return tuple(event for charge in charges for event in charge.events)


def _events_json(charge: Charge) -> str:
    """The events with exact costs, so that an outsider can recompute every total."""
    return json.dumps(
        [
            {
                "mechanism": str(event.mechanism),
                "sensitivity": event.sensitivity,
                "epsilon": str(event.cost.epsilon),
                "delta": str(event.cost.delta),
            }
            for event in charge.events
        ]
    )


def _insert_entry(db: Connection, request: Request, entry: int, at: int, paid: Amount, drawn: Amount) -> None:
    analyst = _analyst_total(db, request.analyst) + paid
    dataset = _dataset_total(db) + drawn
    db.execute(
        "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            *(entry, at, request.analyst),
            *(request.policy_digest, request.data_version, str(request.accountant)),
            *(paid.epsilon, paid.delta, drawn.epsilon, drawn.delta),
            *(analyst.epsilon, analyst.delta, dataset.epsilon, dataset.delta),
        ),
    )


def _insert_charges(db: Connection, request: Request, entry: int, due: _Due) -> None:
    """What the entry paid for; a stored release is received at once, a drawn one when it is kept."""
    for charge in due.unpaid:
        draws = charge in due.drawn
        db.execute(
            "INSERT INTO charges VALUES (?, ?, ?, ?, ?)",
            (entry, charge.key, charge.canonical, _events_json(charge), int(draws)),
        )
        if not draws:
            _receive(db, request.analyst, charge.key, entry)


def _keep(db: Connection, entry: int | None, key: str, payload: bytes) -> bytes:
    """Store the draw unless one is stored, and return the one that stands; it is received by whoever paid."""
    paid = db.execute(
        "SELECT e.analyst FROM charges AS c JOIN entries AS e ON e.id = c.entry "
        "WHERE c.entry = ? AND c.key = ? AND c.drawn = 1",
        (entry, key),
    ).fetchone()
    if paid is None:
        raise UnpaidRelease("a release was to be stored that no charge had paid for")
    db.execute("INSERT INTO shelf VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING", (key, entry, payload))
    _receive(db, paid[0], key, entry)
    (stands,) = db.execute("SELECT payload FROM shelf WHERE key = ?", (key,)).fetchone()
    return bytes(stands)


def _receive(db: Connection, analyst: str, key: str, entry: int | None) -> None:
    db.execute(
        "INSERT INTO receipts VALUES (?, ?, ?) ON CONFLICT (analyst, key) DO NOTHING", (analyst, key, entry)
    )


def _analyst_total(db: Connection, analyst: str) -> Amount:
    row = db.execute(
        "SELECT analyst_epsilon, analyst_delta FROM entries WHERE analyst = ? ORDER BY id DESC LIMIT 1",
        (analyst,),
    ).fetchone()
    return Amount(*row) if row is not None else Amount()


def _dataset_total(db: Connection) -> Amount:
    row = db.execute("SELECT dataset_epsilon, dataset_delta FROM entries ORDER BY id DESC LIMIT 1").fetchone()
    return Amount(*row) if row is not None else Amount()


def _last_paid(db: Connection, analyst: str) -> Cost | None:
    row = db.execute(
        "SELECT paid_epsilon, paid_delta FROM entries WHERE analyst = ? AND (paid_epsilon > 0 OR paid_delta > 0) "
        "ORDER BY id DESC LIMIT 1",
        (analyst,),
    ).fetchone()
    return Amount(*row).cost if row is not None else None


def _payments(db: Connection, analyst: str) -> tuple[Payment, ...]:
    rows = db.execute(
        "SELECT e.id, e.time, e.paid_epsilon, e.paid_delta, c.canonical, EXISTS "
        "(SELECT 1 FROM receipts AS r WHERE r.analyst = e.analyst AND r.key = c.key) "
        "FROM entries AS e JOIN charges AS c ON c.entry = e.id WHERE e.analyst = ? ORDER BY e.id, c.canonical",
        (analyst,),
    ).fetchall()
    found = []
    for _, charges in groupby(rows, key=itemgetter(0)):
        charged = tuple(charges)
        _, at, epsilon, delta, *_ = charged[0]
        texts, received = tuple(c[4] for c in charged), all(c[5] for c in charged)
        found.append(Payment(int(at), Amount(epsilon, delta).cost, texts, received))
    return tuple(found)


def _last_entry(db: Connection) -> int:
    (last,) = db.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()
    return int(last)


def _data_version(db: Connection) -> int:
    (version,) = db.execute("SELECT max(version) FROM versions").fetchone()
    return int(version)


def _add_version(db: Connection, version: int, clock: Callable[[], float], who: str) -> None:
    db.execute("INSERT INTO versions VALUES (?, ?, ?)", (version, int(clock()), who))


def _fingerprints(db: Connection) -> dict[str, str]:
    """The latest recorded fingerprint of each source."""
    # Rows come by version, and in a dict a later one replaces an earlier one.
    return dict(db.execute("SELECT source, fingerprint FROM fingerprints ORDER BY version"))


def _record(db: Connection, fingerprints: Fingerprints, version: int) -> None:
    for source, fingerprint in dict(fingerprints).items():
        db.execute(
            "INSERT INTO fingerprints VALUES (?, ?, ?)",
            (source, version, fingerprint),
        )


def _first_sight(db: Connection, fingerprints: Fingerprints) -> dict[str, str]:
    recorded = _fingerprints(db)
    new = tuple(pair for pair in fingerprints if pair[0] not in recorded)
    _record(db, new, _data_version(db))
    return recorded | dict(new)


def _refresh(db: Connection, fingerprints: Fingerprints, clock: Callable[[], float], who: str) -> int:
    version = _data_version(db) + 1
    _add_version(db, version, clock, who)
    _record(db, fingerprints, version)
    return version
=======
    def _refresh(self, db: Connection, fingerprints: Fingerprints, who: str) -> int:
        version = versions.add_version(db, self._dataset, self._clock, who)
        versions.record(db, self._dataset, fingerprints, version)
        return version
>>>>>>> main
