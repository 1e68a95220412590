"""How sure each column of an answer will be, told before anything is spent: from the plan alone."""

from __future__ import annotations

from collections.abc import Sequence

from dpsql.algebra.formula import Formula, Measured, measures_of
from dpsql.algebra.question import Aggregate
from dpsql.plan.types import Release, Scores
from dpsql.release.estimate.rollup import level_name, shown
from dpsql.release.types import ExpectedError
from dpsql.release.uncertainty.intervals import error_of, is_chosen, mean_error
from dpsql.release.uncertainty.replay import Again, widths
from dpsql.sql.public.noise_dependence import Depends
from dpsql.sql.public.row_provenance import Trace

_CHOSEN = "chosen by rank or count; each release says how many it may be off"
_ALIKE = 1e-6
_ALIKE_ROWS = "made of several released rows, which nothing in the answer tells apart"
_AFTERWARDS = "depends on the answer, which comes with its intervals"
_UNTRACED = "made of several released rows, or by other functions than arithmetic"


def expected_errors(
    names: Sequence[str], trace: Trace | None, releases: Sequence[Release], again: Again | None = None
) -> tuple[ExpectedError, ...]:
    """For each column of an answer, the half width of its 95 % interval, or in words what it depends on.

    `again` is there where the rest is more than formulas of one released row, and is known otherwise.
    """
    told = _traced(names, trace, releases)
    if again is None:
        return told
    others = _of_many_rows(names, again)
    return tuple(o if t.note == _UNTRACED else t for t, o in zip(told, others, strict=True))


def _of_many_rows(names: Sequence[str], again: Again) -> list[ExpectedError]:
    """The errors of columns that are made of several released rows."""
    groups = [r.keys.domain for r in again.releases]
    public = [g for g in groups if g is not None]
    known = widths(again, public) if len(public) == len(groups) else None
    return [
        _of_kind(name, kind, [row.get(i) for row in known.values()] if known is not None else None)
        for i, (name, kind) in enumerate(zip(names, again.redraw.columns, strict=True))
    ]


def _of_kind(name: str, kind: Depends, found: Sequence[float | None] | None) -> ExpectedError:
    """The error of a column that depends on noise in that way; `found` are its half widths where groups are public."""
    if kind is Depends.EXACT:
        return ExpectedError(name, 0.0, "exact")
    if kind is Depends.UNTOLD:
        return ExpectedError(name, None, _CHOSEN)
    if kind is Depends.NOISY or found is None:
        return ExpectedError(name, None, _AFTERWARDS)
    known = [w for w in found if w is not None]
    if not known:
        return ExpectedError(name, None, _ALIKE_ROWS)
    alike = max(known) - min(known) <= _ALIKE * max(known)
    return ExpectedError(name, max(known), "" if alike else f"at most ±{max(known):.4g}")


def _traced(
    names: Sequence[str], trace: Trace | None, releases: Sequence[Release]
) -> tuple[ExpectedError, ...]:
    if trace is None:
        return tuple(ExpectedError(name, None, _UNTRACED) for name in names)
    tables = [shown(releases, s.kept, s.release) for s in trace.sources]
    return tuple(
        _of_all(n, [_of(n, f, table) for table in tables], tables)
        for n, f in zip(names, trace.formulas, strict=True)
    )


def _of_all(name: str, found: list[ExpectedError], tables: list[Release]) -> ExpectedError:
    """The error of a column at several levels: the largest of them, and in words each."""
    if len(set(found)) == 1:
        return found[0]
    widths = [e.half_width for e in found if e.half_width is not None]
    told = (f"{e} {level_name(t)}" for e, t in zip(found, tables, strict=True))
    return ExpectedError(name, max(widths) if len(widths) == len(found) else None, "; ".join(told))


def _of(name: str, formula: Formula | None, release: Release) -> ExpectedError:
    if release.local is not None:
        return ExpectedError(name, None, "each row has noise of its own")
    if formula is None:
        return ExpectedError(name, None, _UNTRACED)
    if not measures_of(formula):
        chosen = any(isinstance(p, Scores) for p in release.parts)
        return (
            ExpectedError(name, None, "of a group chosen privately")
            if chosen
            else ExpectedError(name, 0.0, "exact")
        )
    if is_chosen(formula, release):
        return ExpectedError(name, None, _CHOSEN)
    width = error_of(formula, release)
    if width is not None:
        return ExpectedError(name, width)
    if isinstance(formula, Measured):
        e = release.estimators[formula.index]
        if e.measure.aggregate is Aggregate.AVG:
            return ExpectedError(
                name, None, f"about ±{mean_error(e, release):.4g} / n for a group of n values"
            )
    return ExpectedError(name, None, _AFTERWARDS)
