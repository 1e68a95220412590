"""The ledger: what was spent by whom, durable before any data is touched, and the stored releases.

A ledger file holds the accounts of one or more datasets. Whatever policies use a dataset, everything adds up into one
dataset total, one total for each role and one for each analyst. A release is drawn once: the dataset pays when it is
drawn, each analyst pays the first time that analyst receives it, and repeats are free. Nothing is ever refunded,
reset or deleted.

Two who ask the same new question at the same moment both pay, for both may draw. The first to store its draw fixes the
release for everybody: `keep` hands the stored draw back, and the other one is never shown. So a key stands for one draw
for ever, later releases may read it by its key, and nobody receives more draws than were paid for. Only the last draws
before the power fails may be lost with it: they are paid again, and are no credit for anything.

Draws on one path of noise, which are one release at several epsilons, are together private for the largest of them.
Each account owes the difference to the largest that it has paid for, so that what an analyst pays depends on nothing
that others did. A draw is kept only beside those that it was made beside.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from dpsql.accounting import largest_payments as largest
from dpsql.accounting.accountants.accountant import Accountants
from dpsql.accounting.accountants.basic import DELTA, EPSILON
from dpsql.accounting.accountants.dp_accounting_export import exported
from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.ledger import balances as books
from dpsql.accounting.ledger import data_versions as versions
from dpsql.accounting.ledger import ledger_pages as pages
from dpsql.accounting.ledger import openings, spent
from dpsql.accounting.ledger import path_credit as paths
from dpsql.accounting.ledger import stored_releases as draws
from dpsql.accounting.ledger.booked_totals import Totals, cost_of
from dpsql.accounting.ledger.high_water_mark import Highest
from dpsql.accounting.ledger.recorded_sources import Active, Sources
from dpsql.accounting.ledger.verify import problems
from dpsql.accounting.storage.open_store import open_store
from dpsql.accounting.storage.protocol import Connection, Store
from dpsql.accounting.types import (
    DATASET,
    Account,
    Beside,
    Payment,
    Request,
    Standing,
    Step,
    Steps,
    StoredReleases,
    Unobserved,
)
from dpsql.errors import Uncopyable
from dpsql.policy.model import Policy
from dpsql.privacy import Charge, Cost
from dpsql.progress import Phase, Progress, untold

MAIN = "main"
T = TypeVar("T")


class Ledger(Uncopyable):
    """An open ledger, for one dataset and for the thread and the process that opened it; any number may be open on
    one file.

    Totals are integers (`totals`): each query is rounded up once, so a total is never less than the exact sum.
    Errors: LedgerUnavailable for whatever the file or its disk does and for a clock that was set back, InterfaceError
    for use after close, in another thread or after a fork.
    """

    __slots__ = ("_accountants", "_clock", "_database", "_dataset", "_mark", "_steps")

    def __init__(
        self, database: Store, mark: Highest, clock: Callable[[], float], steps: Steps, dataset: str
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
        """The ledger in that file, or at that address (`postgresql://...`); a missing one is created, a file with mode
        0600.

        `dataset` names the accounts to work with; with an empty name the ledger can be read as a whole and no more.
        `timeout` is how many seconds to wait for another process's lock. With `any_thread`, threads may use it in turn,
        one at a time. LedgerUnavailable for a ledger that cannot be opened, is none, was written by another version,
        or is an older copy than its mark says.
        """
        database, mark, highest = open_store(path, timeout, any_thread, create=bool(dataset))
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
        if self._dataset and not self.data_version():
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

    def charge(self, request: Request, charges: tuple[Charge, ...]) -> StoredReleases:
        """Charge a query's releases in one durable transaction and return those that are stored.

        Nothing is due for a stored release that the analyst has received before; the analyst's account pays for one
        that is stored and new to this analyst, and so does the role's where it is new to the role; the dataset's
        account pays for one that has to be drawn. A key named twice is paid once. A charge whose draw was never kept is
        lost: asking again pays again. Errors: BudgetExhausted where the sum exceeds the most for one query or the limit
        of an account, and nothing is written; LedgerUnavailable where the data has a newer version than the request.
        """
        wanted = draws.distinct(charges)
        free, unopened = self._database.read(lambda db: self._free(db, request, wanted))
        if free is not None:  # no row is ever taken back, so no lock is needed to believe it
            return StoredReleases(free)
        if unopened:
            self._open_accounts(request)
        return self._booked(lambda db, now: self._pay(db, request, wanted, now), lambda stored: stored.entry)

    def covers(self, request: Request, charges: tuple[Charge, ...]) -> bool:
        """Whether the analyst's own account has room for these charges; what others pay from is not looked at."""
        return self._database.read(lambda db: self._covers(db, request, draws.distinct(charges)))

    def pay_for_calibration(self, policy: Policy, request: Request, charge: Charge) -> openings.PaidDraw:
        """Charge a draw of the policy's limits to every account, durably: whoever sees the policy receives it.

        That is the dataset, each role and analyst that the policy names, and all that have paid before. BudgetExhausted
        where one of them, or a new analyst under `default`, has no room for it: then nothing is written.
        """
        return self._booked(
            lambda db, now: openings.pay_for_draw(
                db, self._dataset, policy, request, charge, self._accountants, now
            ),
            lambda paid: paid.last_entry,
        )

    def stored(self, key: str) -> bytes | None:
        """The draw that stands under a key, for the admin; None where there is none."""
        return self._database.read(lambda db: paths.stored_payload(db, self._dataset, key))

    def is_paid(self, key: str) -> bool:
        """Whether anybody has paid for the draw under a key, for the admin."""
        return self._database.read(lambda db: draws.is_paid(db, self._dataset, key))

    def keep_calibration(self, paid: openings.PaidDraw, payload: bytes) -> None:
        """Store what was drawn, durably; every account there is by now has paid for it and received it.

        DrawLost where one that began to pay after the draw's charge has no room for it.
        """
        self._booked(
            lambda db, now: openings.keep_draw(db, self._dataset, paid, payload, self._accountants, now),
            lambda paid: paid.last_entry,
        )

    def keep(self, stored: StoredReleases, key: str, payload: bytes, beside: int = 0) -> StoredReleases:
        """Store a drawn release and return the stored releases with the draw that stands under the key.

        Where another process has stored its own draw of the same release meanwhile, that one stands: answer
        from what is returned, never from the payload. A draw on a path of noise was made `beside` so many
        others; where there are more by now, nothing is stored, they come back without it, and it has to be drawn
        again beside those. Such a draw is durable by then; one that was made beside none may be lost where the
        machine stops, and is paid again. UnpaidRelease where the entry of `stored` did not pay for a draw.
        """
        self._steps.reached(Step.BEFORE_KEEP)
        # Two refinements of one draw lose more together than both paid, so that none may be shown and then forgotten.
        stands = self._database.write(
            lambda db: draws.keep(db, self._dataset, stored.entry, key, payload, int(self._clock()), beside),
            durable=beside > 0,
        )
        self._steps.reached(Step.AFTER_KEEP)
        return stored.holding(key, stands) if stands is not None else stored

    def hand_over(self, stored: StoredReleases, key: str) -> None:
        """Note that what was stored already is received, in its turn; nothing where `stored` did not pay for it."""
        self._database.write(lambda db: draws.hand_over(db, self._dataset, stored.entry, key), durable=False)

    def beside(self, charge: Charge) -> Beside:
        """The stored draws on a charge's path of noise that are nearest to it."""
        return self._database.read(lambda db: paths.beside(db, self._dataset, charge))

    def credit(self, request: Request, charge: Charge) -> tuple[Fraction, ...]:
        """What the analyst has paid for each event of a charge, by coarser draws on its path; empty for nothing."""
        account = request.own_account.name
        return self._database.read(lambda db: paths.credit(db, self._dataset, account, charge))

    def received(self, request: Request, keys: tuple[str, ...]) -> frozenset[str]:
        """Those of the keys whose draws the analyst has received, and gets again for nothing."""
        return self._database.read(lambda db: draws.received(db, self._dataset, request, keys))

    def received_fitted(self, request: Request, keys: tuple[str, ...]) -> frozenset[str]:
        """Those of the keys whose draws the analyst has received with an answer that was fitted to earlier draws."""
        return self._database.read(lambda db: draws.received_fitted(db, self._dataset, request, keys))

    def received_alike(self, request: Request, beginning: str) -> tuple[tuple[Charge, int], ...]:
        """What the analyst has received about the rows that this beginning names, each with its payment's number."""
        return self._database.read(lambda db: draws.received_alike(db, self._dataset, request, beginning))

    def standing(self, request: Request, account: Account | None = None) -> Standing:
        """The analyst's account, or another one for an admin, as it stands now, in the terms of the request's
        accountant."""
        paying = account if account is not None else request.own_account
        return self._database.read(
            lambda db: spent.standing(
                db, self._dataset, paying, request, self._accountants, books.moment(db, self._clock)
            )
        )

    def repeats_left(self, request: Request) -> int | None:
        """About how many more queries like the last one the analyst's own budget allows; None before the first."""
        return self._database.read(
            lambda db: spent.repeats_left(
                db, self._dataset, request, self._accountants, books.moment(db, self._clock)
            )
        )

    def spent(self, analyst: str) -> Cost:
        """What that analyst's queries requested, added up plainly, whatever the accountant makes of it.

        Of a partition's parts, the one that lost most counts.
        """
        return self._plain_sum(f"analyst {analyst}")

    def spent_dataset(self) -> Cost:
        """What the dataset's draws requested, added up plainly, over all analysts and policies."""
        return self._plain_sum(DATASET)

    def _plain_sum(self, account: str) -> Cost:
        totals = self.totals(account)
        return cost_of(totals.get(EPSILON), totals.get(DELTA))

    def totals(self, account: str) -> Totals:
        """The running totals of an account (`dataset`, `analyst alice`, `role sales`), at least those of any unit."""
        return self._database.read(lambda db: spent.balance(db, self._dataset, account).worst)

    def accounts(self) -> tuple[str, ...]:
        """The names of all accounts that have paid, for the admin alone."""
        return self._database.read(lambda db: openings.known_accounts(db, self._dataset))

    def largest_payments(self, count: int) -> tuple[largest.LargePayment, ...]:
        """The questions that were charged most, with their texts, for the admin alone; the log is read for them."""
        found = self._database.read(lambda db: largest.largest(db, self._dataset, count))
        return largest.with_texts(found, self.log() if found else (), self._dataset)

    def payments(self, analyst: str) -> tuple[Payment, ...]:
        """What that analyst's account has paid, query by query, and nothing of what others did."""
        return self._database.read(lambda db: books.payments(db, self._dataset, analyst))

    def data_version(self) -> int:
        """The current data version, counted from 1; only `refresh` changes it."""
        return self._database.read(lambda db: versions.data_version(db, self._dataset))

    def active(self) -> Active:
        """The current data version and what it is read from; for the admin alone."""
        return self._database.read(lambda db: versions.active(db, self._dataset))

    def first_seen(self, sources: Sources) -> Active:
        """Record, durably, what the current version is served from, unless that was done; what stands then."""
        return self._database.write(lambda db: versions.first_seen(db, self._dataset, sources))

    def accept(self, copies: Sources, version: int, who: str) -> None:
        """Record files as copies of what that version is read from, durably; LedgerUnavailable where it is over."""
        self._database.write(lambda db: versions.accept(db, self._dataset, copies, version, self._clock, who))

    def refresh(self, sources: Sources, who: str) -> int:
        """Begin a new data version that is read from these sources, durably, and return its number.

        Releases of earlier versions stay stored; what was spent stays spent.
        """
        return self._database.write(lambda db: self._refresh(db, sources, who))

    def note(self, who: str, what: str, body: chain.Body) -> None:
        """Write a line into the audit log; a line that was just written may be lost if the machine stops."""
        self._database.write(
            lambda db: chain.append(db, int(self._clock()), self._dataset, who, what, body), durable=False
        )

    def note_repeat(self, analyst: str, keys: tuple[str, ...], body: chain.Body) -> None:
        """Write into the audit log that the analyst got draws again for nothing; as `note` does."""

        def noted(db: Connection) -> None:
            line = chain.append(db, int(self._clock()), self._dataset, analyst, "stored", body)
            draws.count_repeat(db, self._dataset, analyst, keys, line)

        self._database.write(noted, durable=False)

    def log(self, after: int = 0) -> Iterator[chain.Line]:
        """The lines of the audit log behind a number, of all datasets; read a page at a time, for none ever changes."""
        while page := self._database.read(partial(pages.lines, after=after)):
            yield from page
            after = page[-1].id

    def last_line(self) -> chain.Line | None:
        """The last line of the audit log, or None."""
        return self._database.read(pages.last_line)

    def verify(self, progress: Progress = untold) -> tuple[str, ...]:
        """What is wrong with the ledger, in words; nothing where every line, total and draw is as it was written."""
        progress(Phase("checking the file"))
        return self._database.damage() + self._database.read(
            lambda db: tuple(problems(db, self._accountants, progress))
        )

    def export(self) -> Iterator[dict[str, object]]:
        """Every entry as an object for JSON, its events in the words of Google's dp_accounting; as `log` reads."""
        after = 0
        while page := self._database.read(partial(pages.entries, after=after)):
            yield from map(exported, page)
            after = page[-1].head.id

    def _free(
        self, db: Connection, request: Request, wanted: tuple[Charge, ...]
    ) -> tuple[tuple[tuple[str, bytes], ...] | None, bool]:
        """The draws where they are free, and else whether an account has yet to be opened."""
        versions.require_current(db, self._dataset, request)
        free = draws.free(db, self._dataset, request, wanted)
        return free, free is None and openings.unopened(db, self._dataset, request)

    def _found(self, db: Connection, request: Request, wanted: tuple[Charge, ...]) -> draws.Found:
        versions.require_current(db, self._dataset, request)
        return draws.found(db, self._dataset, request, wanted)

    def _booked(self, action: Callable[[Connection, int], T], last: Callable[[T], int | None]) -> T:
        """What an action gives that books entries at a moment, once they are durable; `last` is the last of them."""

        def booked(db: Connection) -> T:
            self._mark.require(books.last_entry(db), self._mark.read())
            made = action(db, books.moment(db, self._clock))
            self._steps.reached(Step.AFTER_INSERT)
            return made

        self._steps.reached(Step.BEFORE_BEGIN)
        made = self._database.write(booked)
        self._steps.reached(Step.AFTER_COMMIT)
        self._mark.raise_to(last(made) or 0)
        return made

    def _pay(self, db: Connection, request: Request, wanted: tuple[Charge, ...], now: int) -> StoredReleases:
        # A draw may have been kept since the accounts were opened: it is booked in the window of this charge.
        openings.open_accounts(db, self._dataset, request, self._accountants, now)
        priced = self._found(db, request, wanted)
        bill = books.bill(db, self._dataset, request, priced.dues, self._accountants)
        books.check_budgets(db, self._dataset, request, bill, self._accountants, now)
        entry, charged = books.book(db, self._dataset, request, bill, now)
        draws.hand_out(db, self._dataset, request, entry, priced.dues)
        return StoredReleases(priced.stored, charged, entry)

    def _covers(self, db: Connection, request: Request, wanted: tuple[Charge, ...]) -> bool:
        dues, now = self._found(db, request, wanted).dues, books.moment(db, self._clock)
        own, most = request.own_account, request.per_query
        cost = self._accountants.named(request.accountant).cost(dues.own_events)
        more = spent.added(dues.of(own, request), self._accountants)
        refusal = books.refused(db, self._dataset, own, request, more, self._accountants, now)
        return cost.epsilon <= most.epsilon and cost.delta <= most.delta and refusal is None

    def _open_accounts(self, request: Request) -> None:
        """Book, durably, what accounts begin with: also before a charge that is refused, in their first window."""
        self._booked(
            lambda db, now: openings.open_accounts(db, self._dataset, request, self._accountants, now), int
        )

    def _refresh(self, db: Connection, sources: Sources, who: str) -> int:
        version = versions.add_version(db, self._dataset, self._clock, who)
        versions.record(db, self._dataset, sources, version)
        return version
