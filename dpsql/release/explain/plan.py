"""A query in words and numbers: what each release costs, what runs, and what error to expect; nothing is spent."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from dpsql.accounting.accountants.losses import rho_of_all
from dpsql.accounting.ledger.path_credit import Credit, owed
from dpsql.engines.base import EngineQuery, OutputColumn
from dpsql.plan.analyzed_question import PlanContext
from dpsql.plan.partitions import part_text
from dpsql.plan.sums.noise_laws import adds_rho
from dpsql.plan.types import (
    Histogram,
    Local,
    Modes,
    Part,
    Plan,
    Presence,
    Ranks,
    Release,
    ScaledScores,
    ScaledSums,
    Scores,
    Sums,
)
from dpsql.privacy import FREE, Charge, Confined
from dpsql.release.draw.thresholds import at_most
from dpsql.release.estimate.rollup import level_name
from dpsql.release.explain.choices import chosen_reports
from dpsql.release.explain.limit_sentences import (
    histogram_report,
    scaled_choice_report,
    scaled_reports,
    under_found_limits,
)
from dpsql.release.explain.mechanisms import presence_reports, response_report, selection_report
from dpsql.release.explain.release_names import release_names
from dpsql.release.explain.sums import level_notes, sums_reports
from dpsql.release.explain.wide_values import wide_notes
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.types import Answer, Explanation, ReleaseReport, part_name
from dpsql.release.uncertainty.expected_error import expected_errors
from dpsql.release.uncertainty.replay import Replay
from dpsql.sql.lex.text import Explain

_MOST_NAMED = 8
_COUNTED = "; what counts or averages groups has the empty ones, too, and HAVING COUNT(*) > n leaves them out"
_NUMBERS = ("sensitivity", "scale", "epsilon", "delta", "expected_error")
_EXPLAIN_COLUMNS = tuple(
    OutputColumn(name, "DOUBLE" if name in _NUMBERS else "VARCHAR")
    for name in ("output", "mechanism", *_NUMBERS, "note", "sql")
)


def explain_plan(
    query: PreparedQuery,
    noise: str,
    replay: Replay | None,
    credits: Sequence[Credit] = (),
    bias: Sequence[str] = (),
    *,
    answered: bool = False,
) -> Explanation:
    """The explanation of a query, at what is left to pay.

    `noise` is what `noise_choice` says, and empty unless rho adds up. `replay` is what the public query is replayed on
    where its columns are made of several released rows. `credits` are what the analyst has paid of each release by
    coarser ones; none where nothing is paid. `bias` is what may have moved an answer. Which noise the budget calls
    for, and how wide some values are, is no note of what is `answered`: it is said of every query alike.
    """
    plan, cut = query.plan, query.cut
    free = [
        d is not None or (a is not None and not a.due)
        for d, a in zip(query.derivations, query.averaged, strict=True)
    ]
    drawn = [c for c, paid in zip(query.charges, free, strict=True) if c is not None and not paid]
    cost = sum((c.cost for c in drawn), FREE)
    charged = [_charged(query.partition, *of) for of in zip(query.charges, free, strict=True)]
    names = release_names(plan.releases)
    refined = list(_refined(query.charges, credits, names)) if credits else []
    every_note = (
        *_notes(plan, names, cut.counted),
        *((noise,) if noise and not answered and any(r.families for r in plan.releases) else ()),
        *level_notes(plan, cut.levels, names),
        *(() if answered else wide_notes(plan.releases)),
        *_derived(query, names),
        *_averaged(query, names),
        *_fitted(query, names),
        *(f"{name} is {note}" for name, note in zip(names, charged, strict=True) if note),
        *(note for note, _ in refined),
    )
    releases = [at_most(r) for r in plan.releases]
    errors = expected_errors([c.name for c in query.columns], cut.trace, releases, replay)
    errors = tuple(under_found_limits(e, plan.releases) for e in errors)
    return Explanation(
        cost.epsilon - sum(saved for _, saved in refined),
        cost.delta,
        tuple(_reports(query, charged, with_rho=bool(noise))),
        plan.public_query,
        every_note,
        errors if plan.releases else (),
        rho_of_all(e for c in drawn for e in c.events) if noise else None,
        tuple(bias),
    )


def _reports(query: PreparedQuery, charged: Sequence[str], *, with_rho: bool) -> Iterator[ReleaseReport]:
    for release, queries, note in zip(query.plan.releases, query.queries, charged, strict=True):
        for part, engine_query in zip(release.parts, queries, strict=True):
            reports = _of_part(release, part)
            for i, report in enumerate(reports):
                rho = ""
                if with_rho and i == 0:  # the first says what the whole part is in rho
                    of_all = f" for all {len(reports)} of them" if len(reports) > 1 else ""
                    rho = f"rho {float(rho_of_all(part.events)):.4g}{of_all}"
                yield replace(
                    report,
                    sql=_sql_of(engine_query),
                    note="; ".join(n for n in (report.note, rho, note) if n),
                )


def _sql_of(query: EngineQuery) -> str:
    """The SQL of a part, after what is computed for it and the other parts of its release."""
    made = (s for units in query.lists if units.passing for s in units.statements if isinstance(s, str))
    return "; ".join([*made, query.sql])


def _of_part(release: Release, part: Part) -> list[ReleaseReport]:
    if isinstance(part, Sums):
        return sums_reports(release, part)
    if isinstance(part, Histogram):
        return [histogram_report(part)]
    if isinstance(part, ScaledSums):
        return scaled_reports(release, part)
    if isinstance(part, ScaledScores):
        return [scaled_choice_report(release, part)]
    if isinstance(part, Ranks | Modes):
        return chosen_reports(release, part)
    if isinstance(part, Local):
        return [response_report(i, c) for i, c in enumerate(part.columns)]
    if isinstance(part, Scores):
        return [selection_report(release, part)]
    if isinstance(part, Presence):
        return presence_reports(release, part)
    assert_never(part)


def _derived(query: PreparedQuery, names: Sequence[str]) -> Iterator[str]:
    """A note on each release that is read from an earlier one, which costs nothing."""
    for name, charge, derivation in zip(names, query.charges, query.derivations, strict=True):
        if charge is None or derivation is None:
            continue
        source = f"by adding up {derivation.copies} groups of" if derivation.copies > 1 else "from"
        yield (
            f"{name} is read {source} what you received before, drawn at epsilon "
            f"{float(charge.cost.epsilon):g}: free; OPTIONS(fresh = true) pays for a new draw"
        )


def _averaged(query: PreparedQuery, names: Sequence[str]) -> Iterator[str]:
    """A note on each release that is a mean of several draws."""
    for name, charge, mean in zip(names, query.charges, query.averaged, strict=True):
        if charge is None or mean is None:
            continue
        received = " and ".join(f"{float(c.cost.epsilon):g}" for c in mean.received)
        last = f"{float(charge.cost.epsilon):g}"
        if mean.due:
            yield (
                f"{name} is the mean of what you received at epsilon {received} and of a new draw at {last}, "
                "which is all that it costs: together they are as sure as one draw at what you ask"
            )
        else:
            both = f"{received} and {last}" if received else last
            yield f"{name} is what you received at epsilon {both}: free"


def _fitted(query: PreparedQuery, names: Sequence[str]) -> Iterator[str]:
    """A note on each release that is fitted to earlier draws."""
    for name, fit in zip(names, query.fitted, strict=True):
        if fit is not None:
            each = zip(fit.releases, fit.received, strict=True)
            received = " and ".join(f"{level_name(r)} at epsilon {float(c.cost.epsilon):g}" for r, c in each)
            yield (
                f"{name} is fitted by least squares to a draw of its own and to what you had received of the same "
                f"rows {received}: less noise at the same cost"
            )


def _refined(
    charges: Sequence[Charge | None], credits: Sequence[Credit], names: Sequence[str]
) -> Iterator[tuple[str, Fraction]]:
    """A note on each release that is finer than what was received of it, and the epsilon that it costs less."""
    for name, charge, credit in zip(names, charges, credits, strict=True):
        if charge is None or not credit:
            continue
        left = sum((e.cost.epsilon for e in owed(charge.events, credit)), Fraction(0))
        note = (
            f"{name} refines the answer that you received at epsilon {float(sum(credit)):g}: it costs "
            f"{float(left):g} instead of {float(charge.cost.epsilon):g}"
        )
        yield note, charge.cost.epsilon - left


def _charged(column: str, charge: Charge | None, free: bool) -> str:
    """Whose budget a release takes from, where `column` is the policy's partition; nothing for what is free."""
    if not column or charge is None or free:
        return ""
    if charge.confined is None:
        return f"charged to every part of the partition: nothing confines it to some values of {column}"
    return f"charged to a part of the partition alone: {column} {_listed(charge.confined)}"


def _listed(confined: Confined) -> str:
    values = map(part_text, confined.parts)
    names = [part_name(v) for v in sorted(values, key=lambda v: (v is None, v))]
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(names[:_MOST_NAMED]) + more


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
        "counts and sums have pure noise, as Laplace's: with budgets of this size Gaussian noise, at "
        "rho = epsilon^2 / 2 a query, would let fewer queries through"
    )


def _notes(plan: Plan, names: Sequence[str], counted: Container[int]) -> Iterator[str]:
    for place, (name, release) in enumerate(zip(names, plan.releases, strict=True)):
        domain, top = release.keys.domain, release.question.top
        if release.local is not None:
            yield f"{name} has a response, in random order"
            continue
        if not release.parts:
            yield f"{name} are a list of public values: free"
        if release.keys.exprs and domain is not None:
            few = "" if top is None else f"{min(top.count, len(domain))} of "
            again = _COUNTED if place in counted else ""
            yield f"{name} has {few}all {len(domain)} groups of a public list, empty ones too{again}"
        if release.question.sorted:
            yield f"{name} is released whole and sorted: less noise than choosing its best groups"


def explain_columns(asked: Explain) -> tuple[OutputColumn, ...]:
    """What EXPLAIN gives, and EXPLAIN VERBOSE with the SQL that would run as its last column."""
    return _EXPLAIN_COLUMNS if asked is Explain.VERBOSE else _EXPLAIN_COLUMNS[:-1]


def as_answer(explanation: Explanation, asked: Explain) -> Answer:
    """What EXPLAIN returns: a row for each mechanism, and one for each column of the answer, which costs no more."""
    rows = [
        (
            *(r.output, r.mechanism, r.sensitivity, r.scale, float(r.epsilon), float(r.delta)),
            *(r.expected_error, r.note, r.sql),
        )
        for r in explanation.releases
    ]
    columns = [
        (f"column {c.column}", "post-processing", None, None, 0.0, 0.0, c.half_width, c.note, None)
        for c in explanation.columns
    ]
    shown = explain_columns(asked)
    return Answer(shown, tuple(row[: len(shown)] for row in (*rows, *columns)))
