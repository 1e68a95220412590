"""Planning a cut query: releases and their cost, checked by another route, engine SQL, and the names of the draws."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from dpsql.algebra.canonical import spelled
from dpsql.algebra.question import Question
from dpsql.algebra.shape import shape
from dpsql.engines.base import EngineQuery, ReleasedTable
from dpsql.engines.sqlgen.engine_query import engine_queries
from dpsql.errors import QueryRefused
from dpsql.plan.choices.selection import worth_selecting
from dpsql.plan.derivation import beginnings
from dpsql.plan.keys.domains import declared
from dpsql.plan.releases import plan_releases, released_by_grouping_set
from dpsql.plan.rollup.grouping_set_sums import adds_up
from dpsql.plan.types import Plan, Release
from dpsql.plan.verify.cost import check_cost
from dpsql.policy.model import ClippingMode
from dpsql.privacy import Cost
from dpsql.release.prepared_query import PreparedQuery
from dpsql.release.uncertainty.expected_error import largest_error, least_cost
from dpsql.sql.public.cut_query import Query
from dpsql.sql.public.planner_hints import Advice
from dpsql.stages.arguments.own_limits import NO_LIMITS
from dpsql.stages.arguments.query_options import Options
from dpsql.stages.charges import charges_of
from dpsql.stages.dry_run import accepted, described
from dpsql.stages.replay_inputs import replay_on
from dpsql.stages.state import State

# Plans with more groups are made again rather than remembered.
_FEW_GROUPS = 20_000


def plan_query(cut: Query, options: Options, s: State) -> PreparedQuery:
    """The query with its releases, engine queries and charges. The same questions are planned once."""
    if options.accuracy is not None or not cut.questions:
        return _planned(cut, options, s)
    key = (
        *("questions", spelled(cut.questions)),
        *(str(options.cost.epsilon), str(options.cost.delta), options.clipping.value),
    )
    planned = s.memo(key, lambda: _planned(cut, options, s), lambda made: has_few_groups(made.plan.releases))
    return replace(planned, cut=cut, plan=replace(planned.plan, public_query=cut.public_query))


def has_few_groups(releases: Sequence[Release]) -> bool:
    """Whether releases list so few public groups that they are remembered."""
    return sum(len(r.keys.domain) for r in releases if r.keys.domain is not None) <= _FEW_GROUPS


def _planned(cut: Query, options: Options, s: State) -> PreparedQuery:
    plan, cost = _least_plan(cut, options, s)
    check_cost(plan, cost, s.context)
    queries = tuple(queries_of(r, s) for r in plan.releases)
    charged = charges_of(plan, queries, s)
    partition = s.context.catalog.partition
    return PreparedQuery(
        cut,
        plan,
        queries,
        charges=tuple(c for c, _ in charged),
        derivations=(None,) * len(plan.releases),
        averaged=(None,) * len(plan.releases),
        fitted=(None,) * len(plan.releases),
        others=tuple(o for _, o in charged),
        # What was received under the policy's limits is no answer to a question that has limits of its own.
        begins=tuple(() if options.limits != NO_LIMITS else beginnings(r) for r in plan.releases),
        accuracy=options.accuracy,
        partition=partition.name if partition is not None else "",
    )


def _least_plan(cut: Query, options: Options, s: State) -> tuple[Plan, Cost]:
    """The plan and what it may cost: all that was asked, or the least that promises the wanted error."""

    # What is promised beforehand keeps to limits that are known beforehand.
    mode = options.clipping if options.accuracy is None else ClippingMode.FIXED
    context = replace(s.context, clipping=mode)

    def plan_at(cost: Cost) -> Plan:
        return plan_releases(cut.questions, cut.public_query, cost, context)

    def error(plan: Plan) -> float | None:
        return largest_error(plan, cut.trace, replay_on(cut, plan.releases, s))

    if options.accuracy is None or not cut.questions:
        return plan_at(options.cost), options.cost
    cost, plan = least_cost(options.accuracy, options.cost, plan_at, error)
    return plan, cost


def queries_of(release: Release, s: State) -> tuple[EngineQuery, ...]:
    """One engine query for each part of a release."""
    return engine_queries(release, s.context.policy, s.context.catalog)


def advice(cost: Cost, s: State) -> Advice:
    """What the cut may ask of the planner."""
    policy, catalog = s.context.policy, s.context.catalog
    return Advice(
        lambda q: worth_selecting(q, policy, catalog),
        lambda q: adds_up(q, policy, catalog),
        lambda q: released_by_grouping_set(q, cost, s.context),
        lambda text, questions: _columns_of(text, questions, s),
    )


def _columns_of(text: str, questions: Sequence[Question], s: State) -> list[tuple[str, str]]:
    """The names and types of the columns of a public query over what questions will release."""
    tables = [ReleasedTable(f"r{i}", _columns_to_be(q, s), ()) for i, q in enumerate(questions)]
    return accepted(
        lambda: described(text, tables, s.public),
        QueryRefused(
            "a query beside private rows is not accepted by DuckDB on the released results",
            hint="Give every computed column of a subquery an alias, and refer to it by that; "
            "check its GROUP BY, and the types of its functions' arguments.",
        ),
    )


def _columns_to_be(question: Question, s: State) -> tuple[tuple[str, str], ...]:
    """The columns of the released table of a question that is yet to be planned."""
    base = shape(question.relation, s.context.catalog).base_facts()
    keys = [(f"k{i}", declared(k, base.of(k))) for i, k in enumerate(question.keys)]
    return (("i", "BIGINT"), *keys, *((f"a{i}", m.sql_type) for i, m in enumerate(question.measures)))
