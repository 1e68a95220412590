"""A query on its way to an answer: prepared, drawn, finished. The steps of a query hand these on."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field

from dpsql.engines.base import EngineQuery, OutputColumn, Row
from dpsql.plan.derivation import Beginning, Derivation
from dpsql.plan.types import Plan, Release
from dpsql.privacy import Charge
from dpsql.release.draw.noise import Noisy
from dpsql.release.types import Explanation, Interval95
from dpsql.slotted import dataclass
from dpsql.sql.lex.text import Explain
from dpsql.sql.public.cut_query import Query

_MOST_ROWS = 1_000
_MOST_BYTES = 1_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """The releases of a query with their noise.

    `payloads` are the draws in the order of the releases, as the ledger has them, where they stood there before and
    nothing else is read; None otherwise.
    """

    releases: tuple[Noisy, ...]
    payloads: tuple[bytes, ...] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Finished:
    """The rows of an answer, and the intervals of their cells, which are computed when asked for.

    `bias` says which limits may have moved the answer.
    """

    rows: Sequence[Row]
    intervals: Callable[[], tuple[tuple[Interval95 | None, ...], ...]]
    bias: tuple[str, ...] = ()


class Memory:
    """What was made of one prepared query before: its explanation, and its last answer with the draws that it is from.

    It saves work and decides nothing: charges, draws, sources and the log are looked up for every answer as if nothing
    were kept. Threads that share the query share it.
    """

    __slots__ = ("_last", "explanation")

    def __init__(self) -> None:
        self.explanation: Explanation | None = None
        self._last: tuple[Drawn, Finished] | None = None

    def drawn(self, payloads: tuple[bytes, ...]) -> Drawn | None:
        """The last draws, where they are these, byte by byte and in this order; or None."""
        last = self._last
        return last[0] if last is not None and last[0].payloads == payloads else None

    def finished(self, drawn: Drawn) -> Finished | None:
        """What was made of these very draws, or None."""
        last = self._last
        return last[1] if last is not None and last[0] is drawn else None

    def keep(self, drawn: Drawn, finished: Finished) -> None:
        """Keeps a small answer in the place of the one before; one with lists, which a host may change, is not kept."""
        payloads = drawn.payloads
        small = (
            len(finished.rows) <= _MOST_ROWS
            and payloads is not None
            and sum(map(len, payloads)) <= _MOST_BYTES
        )
        if small and _hashable(finished.rows):
            self._last = (drawn, finished)


def _hashable(rows: Sequence[Row]) -> bool:
    try:
        hash(rows)
    except TypeError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Averaged:
    """A release whose cells are the weighted mean of independent draws of it.

    `received` are the draws that the analyst has. `drawn` is the last one, as it is planned and charged: with `due` it
    is yet to be paid for, without it has been received too. Its charge stands among those of the query.
    """

    received: tuple[Charge, ...]
    drawn: Release
    due: bool

    def weights(self, last: Charge) -> tuple[int, ...]:
        """Whole numbers in proportion to the squares of the draws' epsilons, which are as the inverse variances."""
        squares = [c.cost.epsilon**2 for c in (*self.received, last)]
        whole = math.lcm(*(s.denominator for s in squares))
        return tuple(int(s * whole) for s in squares)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A release whose cells are fitted to its own draw and to earlier draws of the same rows.

    `received` are those draws, which the analyst has, and `releases` what they are draws of. `drawn` is the release as
    it is drawn and charged, `release` as it is fitted.
    """

    received: tuple[Charge, ...]
    releases: tuple[Release, ...]
    drawn: Release
    release: Release


@dataclass(frozen=True, slots=True)
class PreparedQuery:
    """A query that may run: what text and policy alone decide about it.

    `cut` is the query in two: questions about private rows, and the public query. For each release of the plan,
    `queries` are the engine queries of its parts, `charges` what it is charged as (None: it is public), `derivations`
    the earlier release that it is read from (None: it is not), `others` what it would be charged as under the same
    policy with or without windows, where that is another draw, `begins` how the texts of what may answer it begin,
    `averaged` of which draws it is the mean (None: it is one draw), and `fitted` which draws it, or the release that it
    is read from, is fitted to (None: it is as it was drawn).
    `columns` are those of the answer. With `schema_only` nothing else is asked for. `made_up` names the tables whose
    rows are made up for it: it is then no question about private rows. With `fresh` every release is drawn anew, with
    `combine` what is drawn may be fitted to earlier draws.
    `accuracy` is the 95 % error that was asked for. `partition` names the column whose values are parts of the budget,
    where there is one. `memory` is of this very query: a changed one begins anew.

    `withheld` says why rows that were asked for are left out, where the connection gives columns alone.
    `of_moment` says that it is another query at another moment.
    """

    cut: Query
    plan: Plan
    queries: tuple[tuple[EngineQuery, ...], ...] = ()
    charges: tuple[Charge | None, ...] = ()
    derivations: tuple[Derivation | None, ...] = ()
    others: tuple[Charge | None, ...] = ()
    begins: tuple[tuple[Beginning, ...], ...] = ()
    averaged: tuple[Averaged | None, ...] = ()
    fitted: tuple[Fitted | None, ...] = ()
    columns: tuple[OutputColumn, ...] = ()
    explain: Explain = Explain.NO
    schema_only: bool = False
    withheld: str = ""
    of_moment: bool = False
    fresh: bool = False
    combine: bool = False
    accuracy: float | None = None
    partition: str = ""
    made_up: tuple[str, ...] = ()
    memory: Memory = field(default_factory=Memory, init=False, repr=False, compare=False)

    @property
    def due(self) -> tuple[Charge, ...]:
        """What has to be paid for, unless it is stored."""
        return (*(c for c in self.charges if c is not None), *self.beside)

    @property
    def beside(self) -> tuple[Charge, ...]:
        """The draws that the analyst has received and that are read beside those of `charges`."""
        return tuple(c for of in (*self.averaged, *self.fitted) if of is not None for c in of.received)

    @property
    def keys(self) -> tuple[str, ...]:
        """The names of the draws that answer it, each once."""
        return tuple(dict.fromkeys(c.key for c in self.due))
