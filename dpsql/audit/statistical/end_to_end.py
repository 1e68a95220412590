"""SQL through a session on two neighbouring databases: what an analyst receives, and nothing else, is the outcome.

Two tables are for the plain form, in which one unit differs and one answer is one draw. The others hold many disjoint
cells and one differing unit in each (or in each pair, or three, of them): a release noises its cells independently, so
that one answer holds as many draws, each of them of one unit's worst contribution.

A repeated question would find its stored release. Here a ledger of the audit's own names every run's releases anew, so
that each run is charged, runs on the private engine and draws, while the plan stays warm.
"""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.types import Beside, Request, StoredReleases
from dpsql.audit.statistical.confidence import Floats
from dpsql.audit.statistical.worst_pairs import ORDINARY, SELECTION, Scores, Trial
from dpsql.engines.base import Row
from dpsql.errors import Error
from dpsql.mechanisms.sampler import Sampler
from dpsql.policy.load import load_policy
from dpsql.privacy import Charge, Cost, Neighbours
from dpsql.session import Session, build_session
from dpsql.slotted import dataclass

CELLS = 48
BASE = 2
ALONE = 3
_HEAVY = 8
_MANY = Cost(Fraction(10**9), Fraction(999, 1000))
_DELTA = Fraction(1, 20)
_RUNS_PER_LEDGER = 15

_POLICY = """\
version: 1
privacy: {{unit: people.id, neighbours: {neighbours}}}
tables:
  people:
    source: people.csv
    unit_key: id
    one_row_per_unit: true
    columns:
      id: {{type: integer}}
      cell: {{type: integer, values: [{cells}]}}
      score: {{type: float, lower: 0, upper: 1, step: 0.5}}
      word: {{type: text}}
  single:
    source: single.csv
    unit_key: id
    one_row_per_unit: true
    columns:
      id: {{type: integer}}
  visits:
    source: visits.csv
    unit_key: id
    max_rows_per_unit: 6
    columns:
      id: {{type: integer}}
      cell: {{type: integer, values: [{cells}]}}
      amount: {{type: integer, lower: -2, upper: 3}}
  spread:
    source: spread.csv
    unit_key: id
    max_rows_per_unit: 3
    columns:
      id: {{type: integer}}
      cell: {{type: integer, values: [{cells}]}}
  rivals:
    source: rivals.csv
    unit_key: id
    max_rows_per_unit: 6
    columns:
      id: {{type: integer}}
      side: {{type: text, values: [left, right]}}
budgets:
  dataset: {{epsilon: 1000, delta: 0.99}}
  default: {{epsilon: 1000, delta: 0.99, per_query: {{epsilon: 1, delta: 0.05}}}}
accountant: approx
"""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an analyst sees of one execution: rows, or the class of the error."""

    rows: tuple[Row, ...] = ()
    error: str = ""

    @property
    def cells(self) -> dict[object, Row]:
        """The rest of each row by its first column."""
        return {row[0]: row[1:] for row in self.rows}


# The scores of an execution: one for each independent draw that it holds.
Read = Callable[[tuple[Outcome, ...]], list[float]]


class LedgerOfRuns(Ledger):
    """A ledger in which the releases of each run have keys of their own."""

    __slots__ = ("run",)
    run: int

    def charge(self, request: Request, charges: tuple[Charge, ...]) -> StoredReleases:
        """Charges the releases under their keys in this run."""
        stored = super().charge(request, tuple(map(self._in_this_run, charges)))
        payloads = tuple((key.removesuffix(self._mark_of_run), payload) for key, payload in stored.payloads)
        return replace(stored, payloads=payloads)

    def keep(self, stored: StoredReleases, key: str, payload: bytes, beside: int = 0) -> StoredReleases:
        """Stores a draw under its key in this run."""
        kept = super().keep(stored, key + self._mark_of_run, payload, beside)
        stands = kept.get(key + self._mark_of_run)
        return stored.holding(key, stands) if stands is not None else stored

    def beside(self, charge: Charge) -> Beside:
        """The draws on the charge's path in this run."""
        return super().beside(self._in_this_run(charge))

    def credit(self, request: Request, charge: Charge) -> tuple[Fraction, ...]:
        """What was paid on the charge's path in this run."""
        return super().credit(request, self._in_this_run(charge))

    def _in_this_run(self, charge: Charge) -> Charge:
        path = charge.path and charge.path + self._mark_of_run
        return replace(charge, key=charge.key + self._mark_of_run, path=path)

    @property
    def _mark_of_run(self) -> str:
        return f":{self.run}"


@dataclass(frozen=True, slots=True)
class Question:
    """A query asked `times` times in each run, and how to score its outcomes: `draws` scores for each run.

    `appears`: the event is the likelier with the units, which then are in the first database.
    """

    mechanism: str
    event: str
    sql: str
    read: Read
    cut: float | None
    draws: int = CELLS
    times: int = 1
    level: float = ORDINARY
    delta: Fraction = Fraction(0)
    neighbours: Neighbours = Neighbours.ADD_REMOVE
    appears: bool = False


def end_to_end(folder: Path) -> tuple[Trial, ...]:
    """Every kind of release as an analyst receives it, at epsilon 1; databases are made in `folder` and removed."""
    return tuple(
        Trial(q.mechanism, f"{q.sql}: {q.event}", _asked(q, folder), q.cut, q.level, delta=q.delta)
        for q in _questions()
    )


def executions_per_run() -> float:
    """How many queries are executed for one run a side of all questions; those in cells need a part of one."""
    return sum(2 * q.times / q.draws for q in _questions())


def _questions() -> tuple[Question, ...]:
    """On the first database each cell's unit is missing, unless the event is that something appears."""
    many = "SELECT cell, {} FROM {} GROUP BY cell"
    bad_cast = f"CASE WHEN count(*) > {ALONE} THEN 'more' ELSE '1' END"
    return (
        Question("COUNT", f"at most {ALONE}", "SELECT count(*) FROM single",
                 _once(lambda outcome: _number(outcome.rows[0][0]) if outcome.rows else math.inf), ALONE, draws=1),
        Question("COUNT", f"at most {BASE}", many.format("count(*)", "people"), _values, BASE),
        Question("COUNT, six rows a unit", f"at most {BASE + 1}", many.format("count(*)", "visits"), _values,
                 BASE + 1, level=SELECTION),
        Question("SUM, six rows a unit", f"at most {BASE + 3}", many.format("sum(amount)", "visits"), _values,
                 BASE + 3, level=SELECTION),
        Question("AVG, COUNT and SUM", "sum and count are no larger",
                 many.format("avg(score), count(score), sum(score)", "people"), _in_cells(_excess, math.inf), 0),
        Question("AVG", "at most a chosen value", many.format("avg(amount)", "visits"), _values, None),
        Question("COUNT DISTINCT", f"at most {BASE} in three cells at once",
                 many.format("count(DISTINCT id)", "spread"), _threes, BASE, draws=CELLS // 3, level=SELECTION),
        Question("private keys", "the key is there", "SELECT word FROM people GROUP BY word", _present, 0,
                 delta=_DELTA, appears=True),
        Question("BOOL_OR, six rows a unit", "it is true", many.format("bool_or(amount = 3)", "visits"),
                 _in_cells(lambda row: float(row[0] is not True), 1), 0, level=SELECTION, appears=True),
        Question("selection", "left is chosen",
                 "SELECT side FROM rivals GROUP BY side ORDER BY count(*) DESC LIMIT 1",
                 _once(lambda outcome: float(outcome.rows != (("left",),))), 0, draws=1, level=SELECTION),
        Question("a stored answer", f"at most {BASE} twice", many.format("count(*)", "people"), _values, BASE,
                 times=2),
        Question("a missing row", "it is missing",
                 f"SELECT cell FROM people GROUP BY cell HAVING count(*) > {BASE}",
                 _in_cells(lambda row: 1.0, 0), 0),
        Question("an error", "it is not raised", f"SELECT CAST({bad_cast} AS INTEGER) FROM single",
                 _once(lambda outcome: float(bool(outcome.error))), 0, draws=1),
        Question("COUNT, substitute", f"at most {BASE}, and more in the cell before",
                 many.format("count(*)", "people"), _moved, BASE, draws=CELLS // 2, level=SELECTION,
                 neighbours=Neighbours.SUBSTITUTE),
    )  # fmt: skip


def _asked(question: Question, folder: Path) -> Scores:
    """The scores of at least so many draws on the first or the second database, each run drawing afresh."""

    def scores(sampler: Sampler, first: bool, runs: int) -> Floats:
        found: list[float] = []
        present = first if question.appears else not first
        with _session(folder, question.neighbours, present, sampler) as (session, home):
            for run in range(-(-runs // question.draws)):
                _begin(session, home, run)
                found += question.read(tuple(_ask(session, question.sql) for _ in range(question.times)))
        return np.array(found, dtype=np.float64)

    return scores


def _ask(session: Session, sql: str) -> Outcome:
    try:
        return Outcome(tuple(session.answer(sql).rows))
    except Error as error:
        return Outcome(error=type(error).__name__)


def _begin(session: Session, home: Path, run: int) -> None:
    """Begins a run; every so often in a new ledger, for deltas add up to 1 soon."""
    state = session._state
    if run % _RUNS_PER_LEDGER == 0:
        state.ledger.close()
        state.ledger = LedgerOfRuns.open(home / f"{run}.ledger")
    assert isinstance(state.ledger, LedgerOfRuns)
    state.ledger.run = run


@contextmanager
def _session(
    folder: Path, neighbours: Neighbours, present: bool, sampler: Sampler
) -> Iterator[tuple[Session, Path]]:
    """A session on a database with or without the units, and its folder."""
    with tempfile.TemporaryDirectory(dir=folder, prefix="audit-") as made:
        home = Path(made)
        for name, content in _tables(present, neighbours).items():
            (home / f"{name}.csv").write_text(content, encoding="utf-8")
        policy = home / "policy.yaml"
        cells = ", ".join(str(c) for c in range(CELLS))
        policy.write_text(_POLICY.format(neighbours=neighbours.value, cells=cells), encoding="utf-8")
        session = build_session(load_policy(policy), "auditor", None, (None, None), sampler)
        state = session._state
        state.request = replace(state.request, analyst_limit=_MANY, dataset_limit=_MANY)
        try:
            yield session, home
        finally:
            session.close()


def _tables(present: bool, neighbours: Neighbours) -> dict[str, str]:
    """The tables as CSV. Under substitute a missing unit's row stands in the cell before its own instead."""
    moving = neighbours is Neighbours.SUBSTITUTE
    there = present or moving
    some, cells, threes = range(BASE), range(CELLS), range(0, CELLS, 3)
    if moving:
        units = [(c, c if present else c - 1, 0.5, f"w{c}") for c in cells[1::2]]
    else:
        units = [(c, c, 0.5, f"w{c}") for c in cells if present]
    heavy = [(c, c, 3) for c in cells for _ in range(_HEAVY)] if there else []
    wide = [(c, c + i) for c in threes for i in range(3)] if there else []
    return {
        "people": _csv(
            "id,cell,score,word",
            [(1000 + 2 * c + i, c, float(i), "of many") for c in cells for i in some] + units,
        ),
        "single": _csv("id", [(1000 + i,) for i in range(ALONE)] + ([(0,)] if there else [])),
        "visits": _csv("id,cell,amount", [(1000 + 2 * c + i, c, 1) for c in cells for i in some] + heavy),
        "spread": _csv("id,cell", [(1000 + 2 * c + i, c) for c in cells for i in some] + wide),
        "rivals": _csv("id,side", [(1000, "left")] + ([(0, "right")] * _HEAVY if there else [])),
    }


def _csv(header: str, rows: Sequence[Sequence[object]]) -> str:
    return "".join(f"{line}\n" for line in (header, *(",".join(map(str, row)) for row in rows)))


def _once(score: Callable[[Outcome], float]) -> Read:
    """One score of the one outcome."""
    return lambda outcomes: [score(outcomes[0])]


def _in_cells(score: Callable[[Row], float], missing: float) -> Read:
    """A score of each cell's row."""

    def read(outcomes: tuple[Outcome, ...]) -> list[float]:
        (outcome,) = outcomes
        table = outcome.cells
        return [score(table[c]) if c in table else missing for c in range(CELLS)]

    return read


def _values(outcomes: tuple[Outcome, ...]) -> list[float]:
    """The largest value of each cell over all times it was asked for."""
    tables = [outcome.cells for outcome in outcomes]
    return [max(_number(t[c][0]) if c in t else math.inf for t in tables) for c in range(CELLS)]


def _excess(row: Row) -> float:
    """The larger of two excesses: of the sum over the sum, of the count over the count, without the unit.

    The average is their quotient and adds nothing.
    """
    _, count, total = row
    return max(_number(total) - 1, _number(count) - BASE)


def _threes(outcomes: tuple[Outcome, ...]) -> list[float]:
    values = _values(outcomes)
    return [max(values[c : c + 3]) for c in range(0, CELLS, 3)]


def _moved(outcomes: tuple[Outcome, ...]) -> list[float]:
    """Small where the unit stands in the even cell of a pair rather than in the odd one."""
    values = _values(outcomes)
    return [max(values[c + 1], 2 * BASE + 1 - values[c]) for c in range(0, CELLS, 2)]


def _present(outcomes: tuple[Outcome, ...]) -> list[float]:
    (outcome,) = outcomes
    return [float(f"w{c}" not in outcome.cells) for c in range(CELLS)]


def _number(value: object) -> float:
    """A number as it was answered; NULL and whatever else is no number as infinity."""
    return float(value) if isinstance(value, int | float | Decimal) else math.inf
