"""The story of a query: from text to an answer. The verbs are functions of `stages/`, frozen values in and out."""

from __future__ import annotations

from dpsql.release.explain.plan import as_answer
from dpsql.release.types import Answer, Description, Explanation
from dpsql.stages.arguments.query_options import Params
from dpsql.stages.charges import charge_releases, failing_after
from dpsql.stages.describe import Types, describe_query
from dpsql.stages.draw import draw_releases
from dpsql.stages.explain import explain_query
from dpsql.stages.finish import finish, report
from dpsql.stages.made_up.made_up_rows import made_up_answer
from dpsql.stages.prepare import prepare
from dpsql.stages.reuse import reuse_received
from dpsql.stages.state import State
from dpsql.stages.what_fits import telling_what_fits


def answer(sql: str, params: Params, s: State) -> Answer:
    """The private answer to a query, charged before any data is touched. Raises dpsql.Error only."""
    query = prepare(sql, params, s)  # parse, cut, plan, verify the cost: text and policy alone decide
    query = reuse_received(query, s)  # releases that this analyst holds may answer it
    if query.explain:
        return as_answer(explain_query(query, s), query.explain)
    if query.schema_only:  # LIMIT 0: names and types are public
        return Answer(query.columns, (), withheld=query.withheld)
    if query.made_up:  # rows that the policy alone has made: free, and no release
        return made_up_answer(query, s)
    with telling_what_fits(sql, params, s):  # where the analyst's own budget is used up
        stored = charge_releases(query, sql, s)  # durable; stored releases are found, the rest is paid
    with failing_after(stored, query, s):  # one fixed sentence for whatever goes wrong from here
        drawn = draw_releases(query, stored, s)  # exact integers meet their noise, at the deadline
        done = finish(query, drawn, s)  # ordinary SQL on released tables
    return report(query, stored, done, s)


def describe(sql: str, params: Params, types: Types, s: State) -> Description:
    """The columns and the placeholders of a query; planned, never run, never charged."""
    return describe_query(sql, params, types, s)


def explain(sql: str, params: Params, s: State) -> Explanation:
    """The plan of a query; nothing is charged and no private row is read."""
    return explain_query(reuse_received(prepare(sql, params, s), s), s)
