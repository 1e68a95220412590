"""From the questions of a query to a plan: releases with their mechanisms and exact shares of the budget."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dpsql.algebra.expressions import TRUE, Call, Column, Expr, Literal
from dpsql.algebra.local import LocalQuestion
from dpsql.algebra.ownership import ties
from dpsql.algebra.question import ORDERED, Aggregate, GroupingSetsQuestion, Measure, Question
from dpsql.algebra.relations import Scan
from dpsql.algebra.shape import Shape, shape, table_of
from dpsql.algebra.types import SqlType
from dpsql.errors import QueryRefused
from dpsql.plan.analyzed_question import AnalyzedQuestion, PlanContext
from dpsql.plan.choices.ranked_counts import check_choices, ordered
from dpsql.plan.choices.scaled_selection import scaled_scores
from dpsql.plan.choices.selection import scores
from dpsql.plan.contribution import contribution, to_groups
from dpsql.plan.keys.domains import keys
from dpsql.plan.keys.join_fan_out import check_matches
from dpsql.plan.keys.key_lengths import check_lengths
from dpsql.plan.keys.selection_by_weights import by_weights, even_size
from dpsql.plan.local_release import check_local, local_release
from dpsql.plan.rollup.grouping_set_sums import GroupingSetSums, by_grouping_set
from dpsql.plan.sums.clipping import clipped, wants_limits
from dpsql.plan.sums.family_choice import choose
from dpsql.plan.sums.noise_laws import Laws
from dpsql.plan.types import Estimator, Keys, Part, Plan, Presence, Release, ScaledSums, Sums, events_of
from dpsql.policy.model import ClippingMode, Policy
from dpsql.privacy import Cost, Mechanism

# The share of a release's epsilon that decides which private groups exist; their values get the rest.
_PRESENCE = Fraction(1, 3)
# The share of what is left that chooses the best groups, where their values are released as well.
_SELECTION = Fraction(1, 2)

# What the ledger counts in: a release costs a whole number of these.
EPSILON_UNIT = Fraction(1, 10**9)
DELTA_UNIT = Fraction(1, 10**18)
# What doubles go by steps of, such as FLOOR(x / 10) * 10, and what is made of such that does.
_ROUNDED = frozenset({"floor", "ceil", "trunc", "round", "decimal"})
_KEPT = frozenset({"add", "sub", "mul", "div", "neg", "abs", "coalesce", "nullif", "least", "greatest"})


def plan_releases(
    questions: tuple[Question, ...], public_query: str, requested: Cost, context: PlanContext
) -> Plan:
    """The plan of a query that may spend `requested` in all; the questions share it evenly. Raises QueryRefused."""
    paid = [_analyzed(q, context) for q in questions]
    check_choices(paid)
    priced = [p for p in paid if p.spends]
    private = [p for p in priced if p.keys.domain is None]
    if private and requested.delta == 0:
        raise QueryRefused(
            "grouping by private keys needs a delta, and this query has none",
            place=private[0].question.place,
            hint="List its values in the policy or with WHERE x IN (...), or ask with a delta under approx.",
        )
    shares = iter(_costs(requested, priced))
    costs = [next(shares) if p.spends else Cost(Fraction(0)) for p in paid]
    releases = [_release(p, cost) for p, cost in zip(paid, costs, strict=True)]
    for p, r in zip(paid, releases, strict=True):
        _check_mechanisms(p.question, r, context.policy)
    return Plan(tuple(_sharing_delta(paid, releases, costs, requested.delta)), public_query)


def _costs(requested: Cost, priced: list[AnalyzedQuestion]) -> list[Cost]:
    """What each question may spend, in whole units of the ledger. Raises QueryRefused where one gets nothing."""
    epsilons = _shares(requested.epsilon, len(priced), EPSILON_UNIT)
    deltas = _shares(requested.delta, len(priced), DELTA_UNIT)
    for p, epsilon, delta in zip(priced, epsilons, deltas, strict=True):
        if not epsilon or (p.keys.domain is None and not delta):
            raise QueryRefused(
                f"the query's {'delta' if epsilon else 'epsilon'} is too small to be shared by all that it asks for",
                place=p.question.place,
                hint=f"Ask for less, or with a larger {'delta' if epsilon else 'epsilon'}.",
            )
    return [Cost(e, d) for e, d in zip(epsilons, deltas, strict=True)]


def _check_mechanisms(question: Question, release: Release, policy: Policy) -> None:
    """Refuses what needs a mechanism that the policy does not name."""
    named = policy.privacy.mechanisms
    needed = {e.mechanism.value for e in release.events if named is not None and e.mechanism not in named}
    if needed:
        raise QueryRefused(
            f"the query needs the mechanism {min(needed)}, which the policy does not allow",
            place=question.place,
            hint="privacy.mechanisms in the policy says which are allowed.",
        )


def _sharing_delta(
    paid: list[AnalyzedQuestion], releases: list[Release], costs: list[Cost], delta: Fraction
) -> list[Release]:
    """Those that need a delta share all of it evenly; the others stay as they are."""
    spending = [any(e.cost.delta for e in r.events) for r in releases]
    if sum(spending) == sum(p.spends for p in paid):
        return releases
    deltas = iter(_shares(delta, sum(spending), DELTA_UNIT))
    return [
        _release(p, Cost(cost.epsilon, next(deltas))) if spends else r
        for p, r, cost, spends in zip(paid, releases, costs, spending, strict=True)
    ]


def _shares(total: Fraction, count: int, unit: Fraction) -> list[Fraction]:
    """Equal shares in whole ledger units, which rounding up cannot make dearer; the first takes what is left over."""
    if count == 0:
        return []
    each = (total / count / unit).__floor__() * unit
    return [total - each * (count - 1), *[each] * (count - 1)]


def _analyzed(question: Question, context: PlanContext) -> AnalyzedQuestion:
    shaped = shape(question.relation, context.catalog)
    if isinstance(question, LocalQuestion):
        check_local(question, context.policy, context.catalog)
        return AnalyzedQuestion(
            question, shaped, Keys((), (), ()), contribution(shaped, context.policy), context
        )
    check_matches(question, context.catalog)
    check_lengths(question)
    _check_unit_keys(question, shaped, context)
    derived = keys(question, shaped, context.catalog, context.evaluate)
    if derived.domain is None:
        _check_private_keys(question, shaped, context)
    cells = None if derived.domain is None else len(derived.domain)
    limits = to_groups(contribution(shaped, context.policy), question, cells, context.catalog)
    return AnalyzedQuestion(question, shaped, derived, limits, context)


def _check_unit_keys(question: Question, shaped: Shape, context: PlanContext) -> None:
    owner, columns = shaped.owner, [k for k in question.keys if isinstance(k, Column)]
    assert owner is not None
    if not columns:
        return
    tied = ties(question.relation, context.catalog)
    if any(tied.own(owner, k) for k in columns):
        raise QueryRefused(
            "grouping by the privacy unit makes a group of every person",
            place=question.place,
            hint="Group by something that many units share.",
        )


def _check_private_keys(question: Question, shaped: Shape, context: PlanContext) -> None:
    assert shaped.owner is not None
    owner = shaped.owner
    alone = isinstance(owner, Scan) and table_of(owner, context.catalog).row_is_unit
    if alone and shaped.rows_per_unit != 1:
        raise QueryRefused(
            "a join that multiplies rows cannot be grouped by private keys where every row is a unit of its own",
            place=question.place,
            hint="Join on a unique key of the public table, or group by columns with public values.",
        )
    if question.public_keys_only:
        raise QueryRefused(
            "the groups that this outer join lists come from a query that has not been answered yet",
            place=question.place,
            hint="Write JOIN, or take the groups from a public table.",
        )
    if any(k.type is SqlType.DOUBLE and not _is_stepped(k) for k in question.keys):
        raise QueryRefused(
            "grouping by a continuous value makes a group of every row",
            place=question.place,
            hint="Group by a rounded number, such as FLOOR(x / 10) * 10, or name values: WHERE x IN (...).",
        )


def _release(analyzed: AnalyzedQuestion, cost: Cost) -> Release:
    """The release of a question; that quotients alone are shown is no part of one whose limits are not found for it."""
    made = _released(analyzed, cost)
    of_quotients = any(isinstance(p, ScaledSums) and p.clipping.quotients for p in made.parts)
    if made.question.quotients and not of_quotients:
        return replace(made, question=replace(made.question, quotients=False))
    return made


def _released(analyzed: AnalyzedQuestion, cost: Cost) -> Release:
    question, context = analyzed.question, analyzed.context
    if not analyzed.spends:
        return Release(question, analyzed.keys, (), ())
    if isinstance(question, LocalQuestion):
        shares = _shares(cost.epsilon, len(question.keys), EPSILON_UNIT)
        return local_release(question, shares, context.policy, context.catalog)
    if (counted := _counted(analyzed, cost)) is not None and _shows_more(counted, analyzed, cost):
        return _thresholded(analyzed, counted)
    presence = _presence(analyzed, cost) if analyzed.keys.domain is None else None
    parts: tuple[Part, ...] = (presence,) if presence is not None else ()
    left = cost.epsilon - (presence.epsilon if presence is not None else 0)
    if question.top is not None:
        share = left * _SELECTION if question.measures else left
        chosen = scaled_scores(analyzed, share) or (scores(analyzed, share),)
        parts, left = (*parts, *chosen), left - share
    if not question.measures:
        return Release(question, analyzed.keys, parts, ())
    half = _shares(cost.delta, 2, DELTA_UNIT)[1]
    laws = Laws.of(context.policy, half if presence is not None else cost.delta, context.dominant)
    sums, estimators = _measured(analyzed, left, laws)
    sums = _by_grouping_set(analyzed, sums)
    spent = sum((e.cost.delta for e in events_of(sums)), Fraction(0))
    if presence is not None and spent:
        parts = (_presence(analyzed, Cost(cost.epsilon, cost.delta - spent)), *parts[1:])
    return Release(question, analyzed.keys, (*parts, *sums), estimators)


def _by_grouping_set(analyzed: AnalyzedQuestion, parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Sums by several grouping sets, with shares of the budget for sets where that has less noise."""
    question, groups = analyzed.question, analyzed.keys.domain
    if not isinstance(question, GroupingSetsQuestion) or groups is None or question.top is not None:
        return parts
    return tuple(
        by_grouping_set(p, question.grouping_sets, groups) if isinstance(p, Sums) else p for p in parts
    )


def released_by_grouping_set(question: GroupingSetsQuestion, cost: Cost, context: PlanContext) -> bool:
    """Whether some grouping sets of a question have shares of its budget."""
    release = _release(_analyzed(question, context), cost)
    return any(isinstance(p, GroupingSetSums) for p in release.parts)


def _counted(analyzed: AnalyzedQuestion, cost: Cost) -> Presence | None:
    """Private groups that are asked for with their numbers of units, or of rows, and nothing else: one noise says both.

    None where something else is asked for, and where rows have limits that are found for the query. Under fixed limits
    rows are not counted so: what was stored of such a question before stays its answer.
    """
    question, named = analyzed.question, analyzed.context.policy.privacy.mechanisms
    if analyzed.keys.domain is not None or question.top is not None or not question.measures:
        return None
    if named is not None and Mechanism.LAPLACE_THRESHOLDING not in named:
        return None
    by_units = replace(_by_units(analyzed, cost), epsilon=cost.epsilon, counted=True)
    if all(_is_of_units(m, analyzed) for m in question.measures):
        return by_units
    of_rows = all(m.aggregate is Aggregate.COUNT_ROWS and m.where == TRUE for m in question.measures)
    limits, factor = analyzed.contribution, analyzed.context.factor
    fixed = analyzed.context.clipping is ClippingMode.FIXED
    if fixed or not of_rows or limits.rows is None or wants_limits(analyzed, question.measures):
        return None
    groups = 1 if limits.together else limits.rows
    return replace(by_units, bounding=limits.bounding, groups=groups * factor, rows=limits.rows * factor)


def _is_of_units(measure: Measure, analyzed: AnalyzedQuestion) -> bool:
    """Whether a measure is the number of units: of rows it is where each unit has one."""
    if measure.where != TRUE:
        return False
    if measure.aggregate is Aggregate.COUNT_ROWS:
        limits = analyzed.contribution
        return limits.rows == 1 and limits.counted_bounding == limits.bounding
    return measure.aggregate is Aggregate.COUNT_UNITS


def _thresholded(analyzed: AnalyzedQuestion, part: Presence) -> Release:
    """The noisy numbers of units, or of rows, of the groups in which they reach a threshold."""
    measures = analyzed.question.measures
    estimators = tuple(Estimator(m, n=((0, Fraction(1)),)) for m in measures)
    return Release(analyzed.question, analyzed.keys, (part,), estimators)


def _shows_more(counted: Presence, analyzed: AnalyzedQuestion, cost: Cost) -> bool:
    """Whether one noise is to say both which groups there are and their numbers.

    Otherwise numbers have noise at 2/3 of the epsilon: a selection by weights has to show groups at 2/3 of the size.
    """
    apart = _presence(analyzed, cost)
    if apart.weights is None:
        return counted.rows is None or even_size(apart) >= even_size(counted)
    return even_size(apart) > (1 - _PRESENCE) * even_size(counted)


def _presence(analyzed: AnalyzedQuestion, cost: Cost) -> Presence:
    """How groups are selected: by weights where that shows smaller ones, otherwise by their numbers of units."""
    plain = _by_units(analyzed, cost)
    weighted = by_weights(plain, analyzed.question, analyzed.context, DELTA_UNIT)
    named = analyzed.context.policy.privacy.mechanisms
    only = named is not None and Mechanism.TRUNCATED_GEOMETRIC not in named
    if weighted is not None and (only or even_size(weighted) < even_size(plain)):
        return weighted
    return plain


def _by_units(analyzed: AnalyzedQuestion, cost: Cost) -> Presence:
    """Units are counted in each group; a unit touches at most g = min(m, max_groups_per_unit) groups, or one where all
    of its rows are together, and twice that if replaced."""
    question, limits = analyzed.question, analyzed.contribution
    groups = limits.most_groups(question) * analyzed.context.factor
    share = _PRESENCE if question.measures or question.top is not None else Fraction(1)
    return Presence(limits.counted_bounding, groups, cost.epsilon * share, cost.delta)


def _measured(
    p: AnalyzedQuestion, epsilon: Fraction, laws: Laws
) -> tuple[tuple[Part, ...], tuple[Estimator, ...]]:
    """The parts and estimators that answer every measure of a question for `epsilon` in all, with noise that `laws`
    allow. Raises QueryRefused.

    Every choice gets the share of one measure; what is left goes to the sums, which divide it among their families.
    """
    measures = p.question.measures
    chosen = [i for i, m in enumerate(measures) if m.aggregate in ORDERED]
    summed = [i for i in range(len(measures)) if i not in set(chosen)]
    share = epsilon / len(measures)
    sums: tuple[Part, ...] = ()
    answered: dict[int, Estimator] = {}
    if summed:
        question = replace(p.question, measures=tuple(measures[i] for i in summed))
        of_sums, left = replace(p, question=question), epsilon - share * len(chosen)
        sums, estimators = clipped(of_sums, left, laws) or choose(of_sums, left, laws)
        answered = dict(zip(summed, estimators, strict=True))
    cells = sum(len(f.cells) for part in sums if isinstance(part, Sums | ScaledSums) for f in part.families)
    choices, more = ordered(p, dict.fromkeys(chosen, share), cells)
    answered |= more
    return (*sums, *choices), tuple(answered[i] for i in range(len(measures)))


def _is_stepped(expr: Expr) -> bool:
    """Whether a double is made of rounded values, whole numbers and constants alone, so that many rows share it."""
    if isinstance(expr, Literal) or expr.type in (SqlType.INTEGER, SqlType.NULL):
        return True
    if not isinstance(expr, Call):
        return False
    if expr.op in _ROUNDED:
        return True
    if expr.op == "cast":
        return _is_stepped(expr.args[0])
    if expr.op == "case":
        return all(map(_is_stepped, (*expr.args[1::2], expr.args[-1])))
    return expr.op in _KEPT and all(map(_is_stepped, expr.args))
