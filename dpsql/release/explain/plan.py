"""A plan in words and numbers: what each release costs, what runs, and what error to expect; nothing is spent."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from dpsql.accounting.accountants.losses import rho_of_all
from dpsql.engines.base import OutputColumn
from dpsql.mechanisms.partition.thresholding import laplace_threshold
from dpsql.mechanisms.selection.exponential import exponential_loss_bound, exponential_rho
from dpsql.mechanisms.selection.noisy_max import permute_and_flip_loss_bound
from dpsql.plan.prepared import PlanContext
from dpsql.plan.sums.noise_laws import adds_rho
from dpsql.plan.types import (
    Bounding,
    Local,
    LocalColumn,
    Modes,
    Part,
    Plan,
    Presence,
    Ranks,
    Release,
    Scores,
    Sums,
)
from dpsql.privacy import FREE, Mechanism
from dpsql.release.draw.local_responses import rates, standard_error
from dpsql.release.explain.order_statistics import chosen_reports
from dpsql.release.explain.sums import level_notes, sums_reports
from dpsql.release.types import Answer, ExpectedError, Explanation, ReleaseReport
from dpsql.release.uncertainty.intervals import half_width
from dpsql.sql.public.rollup_levels import Level

_RARELY = Fraction(1, 20)
_COLUMNS = (
    OutputColumn("output", "VARCHAR"),
    OutputColumn("mechanism", "VARCHAR"),
    OutputColumn("sensitivity", "DOUBLE"),
    OutputColumn("scale", "DOUBLE"),
    OutputColumn("epsilon", "DOUBLE"),
    OutputColumn("delta", "DOUBLE"),
    OutputColumn("expected_error", "DOUBLE"),
    OutputColumn("note", "VARCHAR"),
    OutputColumn("sql", "VARCHAR"),
)


def explanation(
    plan: Plan,
    choice: str,
    sql: dict[tuple[int, int], str],
    columns: tuple[ExpectedError, ...],
    levels: tuple[Level, ...] = (),
    charged: tuple[str, ...] = (),
) -> Explanation:
    """The explanation of a plan with the errors to expect.

    `choice` is what `noise_choice` says, and empty unless rho adds up. `sql` holds the engine SQL of each (release,
    part), and `levels` are the releases that are added up. `charged` says of each release whose budget it takes from,
    where there are several.
    """
    reports: list[ReleaseReport] = []
    for r, release in enumerate(plan.releases):
        for p, part in enumerate(release.parts):
            found = _part(release, part, sql[r, p])
            found = _with_rho(found, part) if choice else found
            reports += [_noted(report, charged[r]) for report in found] if charged else found
    events = tuple(e for release in plan.releases for e in release.events)
    cost = sum((e.cost for e in events), FREE)
    rho = rho_of_all(events) if choice else None
    notes = (*_notes(plan), *_choice_notes(plan, choice), *level_notes(plan, levels))
    return Explanation(cost.epsilon, cost.delta, tuple(reports), plan.public_query, notes, columns, rho)


def _with_rho(reports: list[ReleaseReport], part: Part) -> list[ReleaseReport]:
    """The first report of a part says what the part is in rho, beside the epsilons that it was asked at."""
    if not reports:
        return reports
    first, *others = reports
    all_ = f" for all {len(reports)} of them" if others else ""
    said = f"rho {float(rho_of_all(part.events)):.4g}{all_}"
    return [replace(first, note=f"{first.note}; {said}" if first.note else said), *others]


def _noted(report: ReleaseReport, more: str) -> ReleaseReport:
    return replace(report, note="; ".join(n for n in (report.note, more) if n))


def as_answer(found: Explanation) -> Answer:
    """What EXPLAIN returns: one row a measure, one for each selection, and one for each column of the answer."""
    rows = tuple(
        (
            r.output,
            r.mechanism,
            r.sensitivity,
            r.scale,
            float(r.epsilon),
            float(r.delta),
            r.expected_error,
            r.note,
            r.sql,
        )
        for r in found.releases
    )
    return Answer(_COLUMNS, (*rows, *(_column(c) for c in found.columns)))


def _column(c: ExpectedError) -> tuple[object, ...]:
    """A column of the answer, which costs nothing more."""
    return (f"column {c.column}", "post-processing", None, None, 0.0, 0.0, c.half_width, c.note, None)


def _part(release: Release, part: Part, sql: str) -> list[ReleaseReport]:
    if isinstance(part, Sums):
        return sums_reports(release, part, sql, _bounding(part.bounding))
    if isinstance(part, Ranks | Modes):
        return chosen_reports(release, part, sql, _bounding(part.bounding))
    if isinstance(part, Local):
        return [_response(i, c, sql) for i, c in enumerate(part.columns)]
    if isinstance(part, Scores):
        return [_selection(part, release, sql)]
    if isinstance(part, Presence):
        return [_presence(part, sql)] if not part.counted else _thresholded(part, release, sql)
    assert_never(part)


def _presence(part: Presence, sql: str) -> ReleaseReport:
    event = part.events[0]
    return ReleaseReport(
        "which groups exist",
        event.mechanism.value,
        float(event.sensitivity),
        float(event.sensitivity / event.cost.epsilon),
        event.cost.epsilon,
        event.cost.delta,
        sql,
        None,
        f"a unit touches at most {part.groups} groups; groups of few units are withheld",
    )


def _thresholded(part: Presence, release: Release, sql: str) -> list[ReleaseReport]:
    """One report for each number of units that the groups are released with."""
    event = part.events[0]
    tau = laplace_threshold(event.cost.epsilon, event.cost.delta, part.groups)
    note = f"a unit touches at most {part.groups} groups; groups of fewer than {tau} with noise are withheld"
    size, epsilon = float(part.groups), event.cost.epsilon
    return [
        ReleaseReport(
            e.measure.text or e.measure.aggregate.value,
            event.mechanism.value,
            size,
            size / float(epsilon),
            epsilon,
            event.cost.delta,
            sql,
            half_width(e, release),
            note,
        )
        for e in release.estimators
    ]


def _selection(part: Scores, release: Release, sql: str) -> ReleaseReport:
    return ReleaseReport(
        "the first group" if part.count == 1 else f"the first {part.count} groups",
        part.events[0].mechanism.value,
        float(part.score_range),
        float(part.score_range / part.each),
        part.epsilon,
        Fraction(0),
        sql,
        None,
        _selection_note(part, release),
    )


def _response(index: int, column: LocalColumn, sql: str) -> ReleaseReport:
    """The response of every row; `scale` is c where c sqrt(n) is the standard error of a count among n rows."""
    return ReleaseReport(
        f"response {index + 1} of each row",
        column.mechanism.value,
        1.0,
        standard_error(column),
        column.epsilon,
        Fraction(0),
        sql,
        None,
        _response_note(column),
    )


def _response_note(column: LocalColumn) -> str:
    lie, _ = rates(column)
    k = len(column.values)
    if column.mechanism is Mechanism.RANDOMIZED_RESPONSE:
        how = f"the other of 2 values with probability p = {lie:.4g}"
    elif column.mechanism is Mechanism.RAPPOR:
        how = f"{k} bits, each flipped with probability {lie:.4g}"
    else:
        how = f"each of the {k - 1} other values with probability {lie:.4g}"
    error = standard_error(column)
    return (
        f"{how}; among n rows an estimated count has a standard error of at most {error:.4g} sqrt(n), "
        f"an estimated mean {error:.4g} / sqrt(n)"
    )


def _selection_note(part: Scores, release: Release) -> str:
    notes = ["one group is chosen privately; no score is released"]
    if part.count > 1:
        notes = [f"{part.count} groups are chosen privately, one after another; no score is released"]
    domain = release.keys.domain
    if domain:
        notes.append(_loss_note(part, len(domain)))
    if part.mechanism is Mechanism.EXPONENTIAL:
        rho = exponential_rho(part.each) * part.count
        notes.append(
            f"where rho adds up it is {float(rho):.4g}, a quarter of what permute-and-flip would cost"
        )
    if not part.descending and domain is not None:
        notes.append("groups without rows are candidates, and have the least count")
    return "; ".join(n for n in (*notes, _bounding(part.bounding)) if n)


def _loss_note(part: Scores, groups: int) -> str:
    """How far the score of a chosen group can lie from the best one's, in the units of the score."""
    step = part.term.grid.step if part.term.grid is not None else Fraction(1)
    exponential = part.mechanism is Mechanism.EXPONENTIAL
    bound = exponential_loss_bound if exponential else permute_and_flip_loss_bound
    most = bound(_RARELY, candidates=groups, epsilon=part.each, score_range=part.score_range)
    return f"in 95 of 100 choices a chosen score is at most {float(most * step):.4g} from the best one left"


def _bounding(bounding: Bounding) -> str:
    if bounding.rows is not None:
        return f"at most {bounding.rows} rows of a unit are counted"
    if bounding.totals:
        return "a unit's values are clipped to its total"
    if bounding.groups is not None:
        return f"a unit is counted in at most {bounding.groups} groups, with all of its rows there"
    return "the table's own cap on rows holds" if bounding.table_cap else ""


def noise_choice(context: PlanContext) -> str:
    """Which noise the budget calls for, where the accountant adds up rho; empty elsewhere."""
    if not adds_rho(context.policy):
        return ""
    if context.policy.privacy.mechanisms is not None:
        return (
            "privacy.mechanisms says which noise competes; at epsilon, Gaussian noise has rho = epsilon^2 / 2"
        )
    if context.dominant:
        return (
            "Gaussian noise competes: at rho = epsilon^2 / 2 a query, the budgets admit whatever they would if "
            "epsilons were added up"
        )
    return (
        "counts and sums have pure noise: Gaussian noise, at rho = epsilon^2 / 2 a query, would use up a budget "
        "sooner than epsilons that are added up"
    )


def _choice_notes(plan: Plan, choice: str) -> tuple[str, ...]:
    return (choice,) if choice and any(r.families for r in plan.releases) else ()


def _notes(plan: Plan) -> tuple[str, ...]:
    notes = []
    for i, release in enumerate(plan.releases):
        domain = release.keys.domain
        if release.local is not None:
            notes.append(f"released.r{i} has a row for each row of the table, in random order")
            continue
        if not release.parts:
            notes.append(f"released.r{i} is a list of public values: free")
        if release.keys.exprs and domain is not None:
            of, whole = f"released.r{i} has", f"all {len(domain)} groups of a public domain, empty ones too"
            chosen = release.question.top
            few = "" if chosen is None else f"{min(chosen.count, len(domain))} of "
            notes.append(f"{of} {few}{whole}")
        if release.question.sorted:
            notes.append(
                f"released.r{i} is released whole and sorted: less noise than choosing its best groups"
            )
    return tuple(notes)
