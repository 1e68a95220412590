"""What is said of a query before it runs: its cost, each mechanism, the errors to expect, what may move the answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from dpsql.errors import guarded
from dpsql.release.plain_numbers import four_digits
from dpsql.release.render.plan_table import aligned, described, tables_html, wrapped
from dpsql.slotted import dataclass

_MOST_NAMED = 6
_CAP = re.compile("rows? of a person are read from")
TABLE_CAP = "the table's own cap on rows holds"
"""What a release says of a cap whose number the notes on bias have."""
LARGEST_LIMIT = "told for the largest limit that can be found: mostly it is far less"
"""What a release says whose numbers are the most that they can be."""


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
        return self.note if self.half_width is None or self.note else f"±{four_digits(self.half_width)}"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A plan before it runs: the cost of the whole query and of each of its releases; free.

    `columns` says of each column of the answer what 95 % error to expect. `rho` is what the query is in the terms of
    zero-concentrated privacy, rounded up, where the policy's accountant is zcdp or rdp; None elsewhere. `bias` has a
    note for each limit that may move the answer; how many people a limit made smaller is known with the answer only.
    `rest` is the SQL that makes the answer of what was released.
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
        return self.text()

    @guarded
    def text(self, *, sql: bool = False, width: int | None = None) -> str:
        """The plan for people: what it costs, a table of what is released, errors, bias and notes.

        With `sql`, also the scale of each noise and the SQL that runs. Lines are as long as they are, or have at most
        `width` characters; SQL and words are never cut.
        """
        lines = [self._cost()]
        if self.releases:
            lines += ["", *aligned(self.release_rows(), width)]
        if self.columns:
            lines += ["", *described(self._column_rows(), width)]
        notes = [f"note: {note}" for note in self._all_notes()]
        lines += ["", *(line for note in notes for line in wrapped(note, width, "  "))] if notes else []
        lines += [line for text in self._sql() for line in ("", text)] if sql else []
        return "\n".join(lines)

    @guarded
    def html(self, *, sql: bool = False) -> str:
        """The same as `text`, as HTML."""
        rows = (self.release_rows() if self.releases else (), self._column_rows() if self.columns else ())
        tables = [table for table in rows if table]
        return tables_html(tables, (self._cost(), *self._all_notes()), tuple(self._sql()) if sql else ())

    def _repr_html_(self) -> str:
        return self.html()

    def release_rows(self) -> tuple[tuple[str, ...], ...]:
        """What is released, a row for each mechanism below a row of headings; a delta only where one is spent."""
        delta = any(r.delta for r in self.releases)
        head = (
            "released",
            "mechanism",
            "sensitivity",
            "epsilon",
            *(("delta",) if delta else ()),
            "95 % error",
        )
        return (head, *(_release_row(r, with_delta=delta) for r in self.releases))

    def _column_rows(self) -> tuple[tuple[str, ...], ...]:
        return (("column of the answer", "95 % error"), *((c.column, str(c)) for c in self.columns))

    def _cost(self) -> str:
        rho = f", rho {float(self.rho):.4g}" if self.rho is not None else ""
        return f"epsilon {float(self.epsilon):g}, delta {float(self.delta):g}{rho}"

    def _all_notes(self) -> Iterator[str]:
        """What is said of releases, each clause once, then what may move the answer, then the other notes.

        A clause that the notes on bias or the line of the cost have as well is left to them.
        """
        said: dict[str, list[str]] = {}
        for release in self.releases:
            for clause in filter(None, release.note.split("; ")):
                if not self._has(clause):
                    said.setdefault(clause, []).append(release.output)
        for clause, outputs in said.items():
            of_all = len(outputs) == len(self.releases)
            yield clause if of_all else f"{_shortened(outputs)}: {clause}"
        yield from self.bias
        yield from self.notes

    def _has(self, clause: str) -> bool:
        if clause == TABLE_CAP:
            return any(_CAP.search(note) for note in self.bias)
        in_bias = any(f"; {clause};" in f"; {note.replace(': ', '; ')};" for note in self.bias)
        return in_bias or self._cost().endswith(f", {clause}")

    def _sql(self) -> Iterator[str]:
        """Each SQL that runs, below the names and scales of what is made of it."""
        by_text: dict[str, list[str]] = {}
        for r in self.releases:
            by_text.setdefault(r.sql, []).append(f"-- {r.output}: scale {r.scale:.4g}")
        yield from ("\n".join([*names, text]) for text, names in by_text.items())
        yield f"-- then, on released tables\n{self.rest}"


def _shortened(names: Sequence[str]) -> str:
    """Each name once, and not too many of them."""
    different = list(dict.fromkeys(names))
    more = len(different) - _MOST_NAMED
    return ", ".join([*different[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])])


def _release_row(report: ReleaseReport, *, with_delta: bool) -> tuple[str, ...]:
    most = "at most " if LARGEST_LIMIT in report.note.split("; ") else ""
    error = "" if report.expected_error is None else f"{most}± {four_digits(report.expected_error)}"
    delta = (f"{float(report.delta):g}",) if with_delta else ()
    numbers = (f"{report.sensitivity:,g}", f"{float(report.epsilon):g}", *delta)
    return (report.output, report.mechanism.replace("_", " "), *numbers, error)
