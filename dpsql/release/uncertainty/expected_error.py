"""How sure an answer will be, from the plan alone: the error of each column, and the least epsilon for a wanted one.

So what is charged depends on text and policy alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from dpsql.algebra.formula import Formula, Measured, measures_of
from dpsql.algebra.question import Aggregate
from dpsql.errors import QueryRefused
from dpsql.plan.releases import EPSILON_UNIT
from dpsql.plan.types import Plan, Release, ScaledScores, Scores
from dpsql.privacy import Cost
from dpsql.release.estimate.rollup import level_name, shown
from dpsql.release.plain_numbers import four_digits
from dpsql.release.types import ExpectedError
from dpsql.release.uncertainty.intervals import error_of, half_width, is_chosen, mean_error
from dpsql.release.uncertainty.replay import Replay, widths
from dpsql.sql.public.noise_dependence import Depends
from dpsql.sql.public.row_provenance import Trace

_CHOSEN = "chosen by rank or count; each release says how many it may be off"
_EXACT = "exact"
_ALIKE = 1e-6
_ALIKE_ROWS = "made of several released rows, which nothing in the answer tells apart"
_AFTERWARDS = "depends on the answer, which comes with its intervals"
_UNTRACED = "made of several released rows, or by other functions than arithmetic"
_TRIES = 60
_MORE = Fraction(51, 50)
# Costs with few digits: questions of nearly the same accuracy then are the same release.
_DIGITS = 3


def expected_errors(
    names: Sequence[str], trace: Trace | None, releases: Sequence[Release], replay: Replay | None = None
) -> tuple[ExpectedError, ...]:
    """For each column of an answer, the half width of its 95 % interval, or in words what it depends on.

    `replay` is there where the public query is more than formulas of one released row, and can be replayed.
    """
    errors = _traced(names, trace, releases)
    if replay is None:
        return errors
    others = _of_many_rows(names, replay)
    return tuple(o if t.note == _UNTRACED else t for t, o in zip(errors, others, strict=True))


def _of_many_rows(names: Sequence[str], replay: Replay) -> list[ExpectedError]:
    """The errors of columns that are made of several released rows."""
    groups = [r.keys.domain for r in replay.releases]
    public = [g for g in groups if g is not None]
    sure = widths(replay, public) if len(public) == len(groups) else None
    return [
        _of_kind(name, kind, [row.get(i) for row in sure.values()] if sure is not None else None)
        for i, (name, kind) in enumerate(zip(names, replay.query.columns, strict=True))
    ]


def _of_kind(name: str, kind: Depends, widths: Sequence[float | None] | None) -> ExpectedError:
    """The error of a column that depends on noise in that way; `widths` are its half widths where groups are public."""
    if kind is Depends.EXACT:
        return ExpectedError(name, 0.0, _EXACT)
    if kind is Depends.UNTOLD:
        return ExpectedError(name, None, _CHOSEN)
    if kind is Depends.NOISY or widths is None:
        return ExpectedError(name, None, _AFTERWARDS)
    numbers = [w for w in widths if w is not None]
    if not numbers:
        return ExpectedError(name, None, _ALIKE_ROWS)
    alike = max(numbers) - min(numbers) <= _ALIKE * max(numbers)
    return ExpectedError(name, max(numbers), "" if alike else f"at most ±{four_digits(max(numbers))}")


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


def _of_all(name: str, errors: list[ExpectedError], tables: list[Release]) -> ExpectedError:
    """The error of a column at several levels: the largest of them, and in words each."""
    if len(set(errors)) == 1:
        return errors[0]
    widths = [e.half_width for e in errors if e.half_width is not None]
    worded = (f"{e} {level_name(t)}" for e, t in zip(errors, tables, strict=True))
    return ExpectedError(name, max(widths) if len(widths) == len(errors) else None, "; ".join(worded))


def _of(name: str, formula: Formula | None, release: Release) -> ExpectedError:
    if release.local is not None:
        return ExpectedError(name, None, "each row has noise of its own")
    if formula is None:
        return ExpectedError(name, None, _UNTRACED)
    if not measures_of(formula):
        chosen = any(isinstance(p, Scores | ScaledScores) for p in release.parts)
        return (
            ExpectedError(name, None, "of a group chosen privately")
            if chosen
            else ExpectedError(name, 0.0, _EXACT)
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
                name, None, f"about ±{four_digits(mean_error(e, release))} / n for a group of n values"
            )
    return ExpectedError(name, None, _AFTERWARDS)


def least_cost(
    wanted: float,
    most: Cost,
    plan_at: Callable[[Cost], Plan],
    error_of_plan: Callable[[Plan], float | None],
) -> tuple[Cost, Plan]:
    """The least cost, at most `most`, whose plan promises the wanted error, and the plan: an epsilon of three digits.

    `wanted` bounds the half width of the 95 % interval of every count, every sum and every weighted sum of these that
    the query returns; `error_of_plan` is the `largest_error` of a plan. Raises QueryRefused where no such column is
    there, or where `most` is not enough.
    """
    plan = plan_at(most)
    if not any(r.parts for r in plan.releases):
        return most, plan
    error = error_of_plan(plan)
    if error is None:
        raise QueryRefused(
            "no column of the query has an error that is known before it runs, so that none can be asked for",
            hint="An accuracy is one of counts and sums. Leave it out, and look at the intervals of the answer.",
        )
    if error > wanted:
        raise QueryRefused(
            f"an error of at most {wanted:g} needs more than epsilon {float(most.epsilon):g}, which gives {error:.4g}",
            hint="Ask for less accuracy, for fewer columns, or with a larger epsilon.",
        )
    return _searched(wanted, most, (plan, error), plan_at, error_of_plan)


def _searched(
    wanted: float,
    most: Cost,
    reached: tuple[Plan, float],
    plan_at: Callable[[Cost], Plan],
    error_of_plan: Callable[[Plan], float | None],
) -> tuple[Cost, Plan]:
    """The least cost that is enough, at most a fiftieth above one that is not; `reached` is what `most` promises.

    An error is nearly in proportion to 1 / epsilon, but for whole numbers and where other noise becomes better.
    """
    (found, error), low, high = reached, EPSILON_UNIT, most.epsilon
    epsilon = high * Fraction(error) / Fraction(wanted)
    for _ in range(_TRIES):
        if not low < (tried := _few_digits(epsilon)) < high:
            tried = _few_digits(Fraction(math.sqrt(low * high)))
        if high <= low * _MORE or not low < tried < high:
            break
        plan = plan_at(Cost(tried, most.delta))
        there = error_of_plan(plan)
        ratio = _MORE if there is None else Fraction(there) / Fraction(wanted)
        if ratio <= 1:
            found, high, epsilon = plan, tried, tried * min(ratio, 1 / _MORE)
        else:
            low, epsilon = tried, tried * max(ratio, _MORE)
    return Cost(high, most.delta), found


def largest_error(plan: Plan, trace: Trace | None, replay: Replay | None) -> float | None:
    """The largest error among the columns of which one is known; among all that is released where none is traced."""
    columns = trace.formulas if trace is not None else replay.query.columns if replay is not None else ()
    errors = expected_errors([""] * len(columns), trace, plan.releases, replay)
    widths = [e.half_width for e in errors if e.half_width is not None and e.note != _EXACT]
    if trace is None and not widths:
        released = [half_width(e, r) for r in plan.releases for e in r.estimators]
        widths = [w for w in released if w is not None]
    return max(widths, default=None)


def _few_digits(epsilon: Fraction) -> Fraction:
    """Rounded up."""
    if epsilon <= 0:
        return EPSILON_UNIT
    unit = max(Fraction(10) ** (math.floor(math.log10(epsilon)) + 1 - _DIGITS), EPSILON_UNIT)
    return math.ceil(epsilon / unit) * unit
