"""A query after the cut."""

from __future__ import annotations

from dpsql.algebra.formula import Formula
from dpsql.algebra.question import Question
from dpsql.slotted import dataclass
from dpsql.sql.public.replay_query import ReplayQuery
from dpsql.sql.public.rollup_levels import Level
from dpsql.sql.public.row_provenance import Trace
from dpsql.sql.public.trivial_query import Plain


@dataclass(frozen=True, slots=True)
class Bounds:
    """The ends of a formula's 95 % interval, as columns `low` and `high` of a released table, or of a level's."""

    table: str
    formula: Formula
    low: str
    high: str


@dataclass(frozen=True, slots=True)
class Query:
    """A query after the cut: the distinct questions in the order of the text, and the SQL that finishes their answers.

    `public_query` reads released tables `released.r0`, `released.r1`, ... (one per question) with key columns k0, k1,
    ... and measure columns a0, a1, ..., and public tables by their names. `system` are the system tables that it reads,
    as released."dpsql.budget" and the like. `bounds` are columns of released tables that tell how sure others are, and
    `levels` the tables that are releases added up. `plain` says what that lists where it does nothing else, and
    `replay` how it runs on other results, where its columns are more than arithmetic on one released row. The groups of
    the questions at the places `counted` are counted or averaged again.
    """

    questions: tuple[Question, ...]
    public_query: str
    trace: Trace | None
    system: tuple[str, ...] = ()
    bounds: tuple[Bounds, ...] = ()
    levels: tuple[Level, ...] = ()
    plain: Plain | None = None
    replay: ReplayQuery | None = None
    counted: frozenset[int] = frozenset()
