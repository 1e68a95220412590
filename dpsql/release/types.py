"""What comes out of the pipeline: an answer with its release report, an explanation, a budget report."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from dpsql.engines.base import OutputColumn, Row
from dpsql.errors import guarded
from dpsql.privacy import FREE, Cost
from dpsql.release.explanation import ExpectedError as ExpectedError
from dpsql.release.explanation import Explanation as Explanation
from dpsql.release.explanation import ReleaseReport as ReleaseReport
from dpsql.release.interval import Interval95 as Interval95
from dpsql.release.interval import Span as Span
from dpsql.release.render.chart import chart
from dpsql.release.render.interval_columns import with_interval_columns
from dpsql.release.render.notebook import answer_html, budget_html
from dpsql.slotted import dataclass

if TYPE_CHECKING:
    import altair

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Known(Generic[T]):
    """A value that need not be computed any more."""

    value: T

    def __call__(self) -> T:
        return self.value


def _nothing_released() -> Explanation:
    return Explanation(Fraction(0), Fraction(0), (), "")


@dataclass(frozen=True, slots=True)
class Released:
    """What an answer released and what it was charged.

    `epsilon` and `delta` are what this analyst was charged for this execution (0 for a stored answer). With `made_up`
    nothing was released: the policy alone says what is in the rows.
    `releases` is the plan's report. `intervals` is one tuple per row of the answer with an Interval95, or None where a
    cell carries no noise of its own. Both are computed when asked for, from the plan and the noisy cells: neither needs
    the session, and the report outlives it. A copy or a pickle has them computed.
    """

    cost: Cost
    _explanation: Callable[[], Explanation] = field(default=_nothing_released, repr=False)
    _intervals: Callable[[], tuple[tuple[Interval95 | None, ...], ...]] = field(default=tuple, repr=False)
    _shown: tuple[tuple[OutputColumn, ...], Sequence[Row]] = field(default=((), ()), repr=False)
    made_up: bool = False

    @guarded
    def __str__(self) -> str:
        """The charge and the notes, a line each."""
        return "\n".join((f"charged {self.cost}", *(f"note: {note}" for note in self.notes)))

    @property
    def epsilon(self) -> Fraction:
        """What was charged for this execution."""
        return self.cost.epsilon

    @property
    def delta(self) -> Fraction:
        """What was charged for this execution."""
        return self.cost.delta

    def __reduce__(self) -> tuple[type[Released], tuple[object, ...]]:
        return Released, (
            self.cost,
            _Known(self._explanation()),
            _Known(self.intervals),
            self._shown,
            self.made_up,
        )

    @property
    @guarded
    def releases(self) -> tuple[ReleaseReport, ...]:
        """What was released, mechanism by mechanism."""
        return self._explanation().releases

    @property
    @guarded
    def notes(self) -> tuple[str, ...]:
        """What is to be known about the answer: first what may have biased it, as `bias`."""
        explained = self._explanation()
        return (*explained.bias, *explained.notes)

    @property
    @guarded
    def bias(self) -> tuple[str, ...]:
        """A note for each limit that may have biased the answer; none depends on more than what was released."""
        return self._explanation().bias

    @property
    @guarded
    def intervals(self) -> tuple[tuple[Interval95 | None, ...], ...]:
        """The 95 % interval of each cell of the answer, row by row."""
        return self._intervals()

    @property
    @guarded
    def noisy(self) -> tuple[int, ...]:
        """The places of the columns whose cells may have an interval; the plan says so, and no row."""
        by_plan = {i for i, c in enumerate(self._explanation().columns) if c.half_width != 0}
        by_cell = {i for row in self.intervals for i, interval in enumerate(row) if interval is not None}
        return tuple(sorted(by_plan | by_cell))

    @guarded
    def plot(self) -> altair.VConcatChart:
        """The answer as bars with 95 % error bars, a panel for each noisy column, above what may have biased it.

        Needs altair.
        """
        columns, rows = self._shown
        return chart([c.name for c in columns], rows, self.intervals, self.bias)


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer: columns fixed by text and policy, rows made of released and public values only.

    The rows are a tuple, or equal to one and held as columns where they are many.

    `withheld` says why there is no row where rows of a private table were asked for.
    """

    columns: tuple[OutputColumn, ...]
    rows: Sequence[Row]
    released: Released = Released(FREE)
    withheld: str = ""

    def with_intervals(self) -> tuple[tuple[OutputColumn, ...], tuple[Row, ...]]:
        """Columns and rows with the ends of the 95 % intervals as columns of their own."""
        report = self.released
        return with_interval_columns(self.columns, self.rows, report.intervals, report.noisy)

    def _repr_html_(self) -> str:
        names, report = [c.name for c in self.columns], self.released
        said = report.notes if report.made_up else report.bias
        return answer_html(names, self.rows, report.intervals, report.cost, said)


@dataclass(frozen=True, slots=True)
class Description:
    """What a statement would give, before it runs and before the values of its placeholders are known.

    `columns` are those of its answer; `parameters` the type of each placeholder by its name, as DuckDB calls it, in the
    order of the text. With `positional` they are `?`, named "1", "2", ...
    """

    columns: tuple[OutputColumn, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    positional: bool = False


def part_name(value: str | None) -> str:
    """The value of a part for people, None for the part of what is on no list."""
    return "NULL or not listed" if value is None else value or "''"


@dataclass(frozen=True, slots=True)
class PartReport:
    """What is spent and left of a budget for the persons in one part of the policy's partition.

    `part` is the value that they have; None stands for NULL and for all values that are not listed.
    """

    part: str | None
    spent: Cost
    remaining: Cost


@dataclass(frozen=True, slots=True)
class BudgetReport:
    """An analyst's budget: what was granted, what is spent, what is left, and nothing of what the role or
    the dataset has left.

    Where the policy has a partition, `parts` say it part by part, and the rest of the part that lost most.

    All three speak of the budget's window, which ends at `ends` (UTC), or never. `queries_left` is about how many more
    queries like the last one fit, each drawn anew; None before the first.
    """

    limit: Cost
    spent: Cost
    remaining: Cost
    ends: datetime | None = None
    queries_left: int | None = None
    parts: tuple[PartReport, ...] = ()

    def __str__(self) -> str:
        """The amounts for people, a line each, and how long and for how many queries the rest is there."""
        amounts = (("granted", self.limit), ("spent", self.spent), ("left", self.remaining))
        lines = [f"{name}: {cost}" for name, cost in amounts]
        lines += [f"left for {part_name(one.part)}: {one.remaining}" for one in self.parts]
        if self.queries_left is not None:
            lines.append(f"about {self.queries_left:,} more queries like the last one fit")
        if self.ends is not None:
            lines.append(f"it begins anew at {self.ends:%Y-%m-%d %H:%M} UTC")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return budget_html(self.limit, self.remaining, self.queries_left)
