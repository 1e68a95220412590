"""What comes out of the pipeline: an answer with its release report, an explanation, a budget report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Generic, TypeVar

from dpsql.engines.base import OutputColumn, Row
from dpsql.errors import guarded
from dpsql.privacy import FREE, Cost
from dpsql.release.interval import Interval95 as Interval95
from dpsql.release.interval import Span as Span
from dpsql.release.render.chart import chart
from dpsql.release.render.notebook import answer_html, budget_html

if TYPE_CHECKING:
    import altair

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """One mechanism of a plan: what it protects, what it costs, what runs, and the error to expect.

    `sensitivity` and `scale` are in the units of the SQL (a sum of euros: euros). `expected_error` is the half width
    of the 95 % interval of the named output, in the same units, or None where it has no single number.
    `sql` is the rewritten SQL that runs on the private engine.
    """

    output: str
    mechanism: str
    sensitivity: float
    scale: float
    epsilon: Fraction
    delta: Fraction
    sql: str
    expected_error: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """How sure a column of the answer will be: the half width of its 95 % interval in each row.

    `half_width` is 0 for a column without noise, and None where it depends on more than the plan; `note` says on what.
    """

    column: str
    half_width: float | None
    note: str = ""

    def __str__(self) -> str:
        return self.note if self.half_width is None or self.note else f"±{self.half_width:.4g}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A plan before it runs: the cost of the whole query and of each of its releases; free.

    `columns` says of each column of the answer what 95 % error to expect. `rho` is what the query is in the terms of
    zero-concentrated privacy, rounded up, where the policy's accountant is zcdp or rdp; None elsewhere. `bias` has a
    note for each limit that may move the answer; how many people a limit made smaller is known with the answer only.
    """

    epsilon: Fraction
    delta: Fraction
    releases: tuple[ReleaseReport, ...]
    rest: str
    notes: tuple[str, ...] = ()
    columns: tuple[ExpectedError, ...] = ()
    rho: Fraction | None = None
    bias: tuple[str, ...] = ()

    def __str__(self) -> str:
        rho = f", rho {float(self.rho):.4g}" if self.rho is not None else ""
        lines = [f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}{rho}"]
        for r in self.releases:
            error = f", 95 % error ±{r.expected_error:.4g}" if r.expected_error is not None else ""
            lines.append(
                f"  {r.output}: {r.mechanism}, sensitivity {r.sensitivity:g}, scale {r.scale:.4g}, "
                f"epsilon {float(r.epsilon):g}, delta {float(r.delta):g}{error}"
            )
            lines += [f"    note: {r.note}"] if r.note else []
            lines.append(f"    {r.sql}")
        lines += [f"  column {c.column}: 95 % error {c}" for c in self.columns]
        lines += [f"  note: {note}" for note in (*self.bias, *self.notes)]
        return "\n".join([*lines, f"  then, on released tables: {self.rest}"])


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
    _shown: tuple[tuple[OutputColumn, ...], tuple[Row, ...]] = field(default=((), ()), repr=False)
    made_up: bool = False

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

    @guarded
    def plot(self) -> altair.VConcatChart:
        """The answer as bars with 95 % error bars, a panel for each noisy column, above what may have biased it.

        Needs altair.
        """
        columns, rows = self._shown
        return chart([c.name for c in columns], rows, self.intervals, self.bias)


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer: columns fixed by text and policy, rows made of released and public values only."""

    columns: tuple[OutputColumn, ...]
    rows: tuple[Row, ...]
    released: Released = Released(FREE)

    def _repr_html_(self) -> str:
        names, report = [c.name for c in self.columns], self.released
        return answer_html(names, self.rows, report.intervals, report.cost, report.bias)


@dataclass(frozen=True, slots=True)
class Description:
    """What a statement would give, before it runs and before the values of its placeholders are known.

    `columns` are those of its answer; `parameters` the type of each placeholder by its name, as DuckDB calls it, in the
    order of the text. With `positional` they are `?`, named "1", "2", ...
    """

    columns: tuple[OutputColumn, ...]
    parameters: tuple[tuple[str, str], ...] = ()
    positional: bool = False


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

    def _repr_html_(self) -> str:
        return budget_html(self.limit, self.remaining, self.queries_left)
