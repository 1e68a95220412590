"""A machine that loses its power at any moment: no charge is lost, and no draw that another one was made beside."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_builders import charge, on_path, request
from simulated_disk import Recorded, recorded

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import StoredReleases
from dpsql.privacy import Charge

# So many pages in the log, and they are carried over into the file.
PAGES = 30


@dataclass(frozen=True, slots=True)
class Shown:
    """A draw as an analyst saw it, after so many changes of the disk, made for that beside so many others."""

    at: int
    analyst: str
    charge: Charge
    payload: bytes
    beside: int


@dataclass(slots=True)
class Story:
    """What happened to a ledger, and what its disk was told meanwhile."""

    disk: Recorded
    charged: list[tuple[int, int]] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)

    def ask(self, ledger: Ledger, analyst: str, wanted: Charge) -> None:
        """Charge, note, draw and show; a draw tells which one it is."""
        of = request(analyst)
        stored = ledger.charge(of, (wanted,))
        self.charged.append((len(self.disk.changes), stored.entry or 0))
        ledger.note(analyst, "paid" if stored.entry else "stored", {"key": wanted.key})
        beside = 0
        if stored.get(wanted.key) is None:
            beside = ledger.beside(wanted).count
            stored = ledger.keep(stored, wanted.key, f"draw {stored.entry}".encode(), beside)
        payload = stored.get(wanted.key)
        assert payload is not None
        self.shown.append(Shown(len(self.disk.changes), analyst, wanted, payload, beside))

    def until(self, at: int) -> tuple[int, tuple[Shown, ...]]:
        """The last entry that was paid by then, and what was shown."""
        last = max((entry for moment, entry in self.charged if moment <= at), default=0)
        return last, tuple(shown for shown in self.shown if shown.at <= at)


def told(folder: Path, seed: int, questions: int) -> Story:
    """Two analysts ask at random, through ledgers that are closed and opened again now and then."""
    choices = random.Random(seed)
    path = folder / "shop.ledger"
    with recorded(path) as disk:
        story = Story(disk)
        for _ in range(2):
            with closing(opened(path)) as one, closing(opened(path)) as other:
                for _ in range(questions // 2):
                    ledger, analyst = choices.choice((one, other)), choices.choice(("alice", "bob"))
                    story.ask(ledger, analyst, any_charge(choices))
    return story


def opened(path: Path) -> Ledger:
    ledger = Ledger.open(path)
    ledger._database._db.execute(f"PRAGMA wal_autocheckpoint = {PAGES}")  # type: ignore[attr-defined]
    return ledger


def any_charge(choices: random.Random) -> Charge:
    """A draw of its own, or one of five on one of three paths."""
    epsilon, name = choices.choice(("0.1", "0.2", "0.3", "0.4", "0.5")), choices.randrange(3)
    if choices.random() < 0.4:
        return charge(f"alone {name} {epsilon}", epsilon)
    return on_path(f"on {name} {epsilon}", epsilon, path=str(name))


def loss(shown: tuple[Shown, ...], held: dict[str, bytes]) -> Fraction:
    """The most that one unit loses by draws: on a path the largest epsilon, where none of it was forgotten."""
    draws = {(s.charge, s.payload) for s in shown}
    whole, on_paths = Fraction(0), defaultdict[str, list[Fraction]](list)
    for drawn, payload in draws:
        epsilon = drawn.cost.epsilon
        if drawn.path and held.get(drawn.key) == payload:
            on_paths[drawn.path].append(epsilon)
        else:
            whole += epsilon
    return whole + sum(map(max, on_paths.values()))


def survives(story: Story, at: int, lost: random.Random | None, folder: Path) -> int:
    """The power fails after so many changes, and comes back; how many of the draws that were shown are gone."""
    entry, shown = story.until(at)
    with Ledger.open(story.disk.after_power_loss(at, lost, folder)) as ledger:
        assert ledger.verify() == ()
        assert sum(1 for _ in ledger.export()) >= entry
        held = {s.charge.key: ledger.stored(s.charge.key) for s in shown}
        kept = [held[s.charge.key] == s.payload for s in shown]
        assert all(k for k, s in zip(kept, shown, strict=True) if s.beside)
        drawn = [k for k, s in zip(kept, shown, strict=True) if first_shown(s, shown)]
        assert drawn == sorted(drawn, reverse=True), "a draw is gone, and a later one is not"
        paid_for(ledger, shown)
        gone = {(s.analyst, s.charge): s for k, s in zip(kept, shown, strict=True) if not k}
        again = tuple(asked_again(ledger, s, at) for s in gone.values())
        paid_for(ledger, (*shown, *again))
        assert ledger.verify() == ()
    return len(gone)


def first_shown(one: Shown, shown: tuple[Shown, ...]) -> bool:
    return next(s for s in shown if s.payload == one.payload) is one


def asked_again(ledger: Ledger, gone: Shown, at: int) -> Shown:
    """A draw that is gone is paid for as if it had never been; the new one is another draw."""
    stored = ledger.charge(request(gone.analyst), (gone.charge,))
    draw = stored.get(gone.charge.key)
    assert stored.charged.epsilon > 0 or ledger.credit(request(gone.analyst), gone.charge)
    if draw is None:
        beside = ledger.beside(gone.charge).count
        draw = ledger.keep(stored, gone.charge.key, b"again", beside).get(gone.charge.key)
    assert draw is not None
    assert draw != gone.payload
    return Shown(at, gone.analyst, gone.charge, draw, 0)


def paid_for(ledger: Ledger, shown: tuple[Shown, ...]) -> None:
    """Each account has paid for all that was shown to it, and the dataset for everything."""
    held = {s.charge.key: ledger.stored(s.charge.key) or b"" for s in shown}
    assert ledger.spent_dataset().epsilon >= loss(shown, held)
    for analyst in ("alice", "bob"):
        own = tuple(s for s in shown if s.analyst == analyst)
        assert ledger.spent(analyst).epsilon >= loss(own, held)


def moments(story: Story) -> Iterator[int]:
    """After each answer, and at the end."""
    yield from sorted({shown.at for shown in story.shown})


def test_whatever_was_shown_when_the_power_fails_is_paid_for(tmp_path: Path) -> None:
    story = told(tmp_path, 1, 18)
    choices = random.Random(2)
    gone = [survives(story, at, None, tmp_path / f"{n}") for n, at in enumerate(moments(story))]
    assert max(gone) > 0, "no draw was ever lost, so nothing was tried"
    for n in range(12):
        survives(story, choices.randrange(len(story.disk.changes)), choices, tmp_path / f"any {n}")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 5))
def test_at_every_write_and_whatever_part_of_it_was_flushed(tmp_path: Path, seed: int) -> None:
    story, choices = told(tmp_path, seed, 20), random.Random(seed)
    for at in range(len(story.disk.changes) + 1):
        for n, lost in enumerate((None, choices, choices)):
            survives(story, at, lost, tmp_path / f"{at} {n}")


def test_a_question_flushes_its_charge_and_a_draw_only_beside_others(tmp_path: Path) -> None:
    path = tmp_path / "shop.ledger"
    flushes = []
    with recorded(path) as disk, Ledger.open(path) as ledger:
        for wanted in (charge("alone"), on_path("first", "1"), on_path("finer", "2")):
            before = len(disk.changes)
            stored = ledger.charge(request(), (wanted,))
            paid = len(disk.changes)
            beside = ledger.beside(wanted).count
            stored = ledger.keep(stored, wanted.key, b"draw", beside)
            assert isinstance(stored, StoredReleases)
            flushes.append((disk.flushes(before) - disk.flushes(paid), disk.flushes(paid)))
    assert flushes == [(1, 0), (1, 0), (1, 1)]
