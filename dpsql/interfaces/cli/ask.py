"""The analyst's commands: query, explain, budget."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Unpack

import click

from dpsql.dbapi import Connection
from dpsql.interfaces.cli import terminal
from dpsql.interfaces.cli.all_balances import dataset_balance
from dpsql.interfaces.cli.answer_files import BINARY, format_of, write_sheet
from dpsql.interfaces.cli.answer_formats import Sheet, sheet_of, with_intervals
from dpsql.interfaces.cli.options import (
    FORMATS,
    Asking,
    analyst_option,
    format_option,
    is_terminal,
    ledger_option,
    no_history_option,
    opened,
    param_option,
    policy_argument,
    print_answer,
    print_charge,
    print_sheet,
    query_options,
    style_for,
    text_of,
)
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.own_files.question_log import QuestionLog, question_log
from dpsql.interfaces.cli.parameter_values import parameters
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.privacy import FREE
from dpsql.release.interrupted_charge import charge_told
from dpsql.release.types import BudgetReport, Explanation, Released, part_name
from dpsql.stages.arguments.call_arguments import Parameters

_EXPLAIN = re.compile(r"\s*EXPLAIN\b(\s*(?:VERBOSE\b|\(\s*VERBOSE\b))?", re.IGNORECASE)


@click.command()
@policy_argument
@click.argument("sql")
@query_options
@click.option(
    "--format", "style", type=click.Choice((*FORMATS, *BINARY)),
    help="How to print or write rows. Default: table on a terminal, csv otherwise; of a file, by its ending.",
)  # fmt: skip
@click.option(
    "--output", "-o", type=click.Path(dir_okay=False, writable=True, path_type=Path), metavar="FILE",
    help="Write rows to a file instead of stdout; it is replaced if it is there.",
)  # fmt: skip
@click.option(
    "--intervals", is_flag=True,
    help="For csv, parquet and arrow: the ends of each 95 % interval as columns x_low and x_high.",
)  # fmt: skip
@param_option
@no_history_option
def query(
    policy: Path,
    sql: str,
    style: str | None,
    output: Path | None,
    intervals: bool,
    params: tuple[str, ...],
    no_history: bool,
    **asking: Unpack[Asking],
) -> None:
    """Answer SQL under POLICY and charge the analyst's budget.

    SQL is one query, or - to read it from stdin. On a terminal each noisy number stands with its 95 %
    interval, as in 1,234 ± 56, and the limits that may have biased the answer stand below it. The same question
    asked again gets the same answer for nothing.

    \b
    dpsql query shop.yaml "SELECT region, AVG(amount) FROM orders GROUP BY region" --analyst alice
    dpsql query shop.yaml "SELECT COUNT(*) FROM orders WHERE day >= ?" --param 2025-03-01 --analyst alice
    dpsql query shop.yaml "SELECT day, COUNT(*) FROM orders GROUP BY day" --output days.parquet --intervals
    """
    with reported():
        style = format_of(style, output, intervals=intervals)
    text, values = text_of(sql), parameters(params)
    with reported(text), opened(policy, **asking) as connection:
        if output is None and is_plan_for_people(text, style):
            print_plan(connection.explain(text, values), with_sql=asks_for_sql(text))
            return
        log = question_log(policy, asking["analyst"], kept=not no_history)
        sheet = asked_sheet(connection, text, values, log)
        shown = with_intervals(sheet) if intervals else sheet
        if output is None or style is None:
            print_answer(shown, style)
        else:
            write_sheet(shown, style, output)
            print_charge(sheet)


@click.command()
@policy_argument
@click.argument("sql")
@query_options
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", help="Default: text.")
@click.option(
    "--sql", "with_sql", is_flag=True, help="Also the scale of each noise and the SQL that would run."
)
@param_option
def explain(
    policy: Path, sql: str, style: str, with_sql: bool, params: tuple[str, ...], **asking: Unpack[Asking]
) -> None:
    """Show what SQL would release, its cost and its error; free.

    For each release: the mechanism, its sensitivity, its share of epsilon and the error to expect (half of the
    95 % interval); then the error of each column of the answer, and what may move the answer besides noise. With
    --sql also the SQL that would run on the private data and on what is released; JSON has it always.
    """
    text, values = text_of(sql), parameters(params)
    with reported(text), opened(policy, **asking) as connection:
        plan = connection.explain(text, values)
        if style == "json":
            click.echo(plan_as_json(plan))
        else:
            print_plan(plan, with_sql=with_sql)


def asked_sheet(connection: Connection, sql: str, values: Parameters | None, log: QuestionLog) -> Sheet:
    """The answer to a query, which is noted in the log. Raises Interrupted, with what has been charged by then."""
    with log.noting(sql) as asked:
        with charge_told(lambda: connection.budget().spent, asked.interrupted), spinner("answering"):
            sheet = sheet_of(connection.execute(sql, values))
        asked.charged(sheet.released.cost)
    return sheet


def is_plan_for_people(sql: str, style: str | None) -> bool:
    """Whether the text is an EXPLAIN whose plan is to be read by people, not by programs that want its rows."""
    return style_for(style) == "table" and _EXPLAIN.match(sql) is not None


def asks_for_sql(sql: str) -> bool:
    """Whether an EXPLAIN is one that shows the SQL that would run, as EXPLAIN VERBOSE does."""
    asked = _EXPLAIN.match(sql)
    return asked is not None and asked.group(1) is not None


def print_plan(plan: Explanation, *, with_sql: bool) -> None:
    """A plan to stdout: as wide as a terminal, or with whole lines in a pipe."""
    width = terminal.terminal_width() if is_terminal() else None
    lines = plan.text(sql=with_sql, width=width).split("\n")
    click.echo("\n".join(map(visible, lines)))


@click.command()
@policy_argument
@analyst_option
@ledger_option
@format_option
@click.option("--dataset", "of_dataset", is_flag=True, help="Of all analysts together instead; for admins.")
def budget(
    policy: Path, analyst: str, ledger: str | Path | None, style: str | None, of_dataset: bool
) -> None:
    """Show what the analyst was granted, has spent and has left.

    What the dataset has left tells what others asked, and is for admins, with --dataset. `dpsql ledger summary` has
    every account.
    """
    if of_dataset:
        with reported():
            report = dataset_balance(policy, ledger)
        print_budget(report, style)
        return
    with reported(), opened(policy, analyst=analyst, ledger=ledger) as connection:
        print_budget(connection.budget(), style)


def print_budget(report: BudgetReport, style: str | None) -> None:
    """A budget report as a sheet; queries left and the window's end go to stderr."""
    print_sheet(budget_sheet(report), style)
    if report.queries_left is not None:
        click.echo(f"About {report.queries_left:,} more queries like the last one fit.", err=True)
    if report.ends is not None:
        click.echo(
            f"The budget begins anew at {report.ends:%Y-%m-%d %H:%M} UTC: what it promises, it promises for each "
            "window, and several windows add up.",
            err=True,
        )


def budget_sheet(report: BudgetReport) -> Sheet:
    """A budget report as three rows of epsilon and delta, and one for each part of the policy's partition."""
    lines = (("limit", report.limit), ("spent", report.spent), ("remaining", report.remaining))
    rows = tuple((name, float(cost.epsilon), float(cost.delta)) for name, cost in lines)
    parts = tuple(
        (f"remaining for {part_name(p.part)}", float(p.remaining.epsilon), float(p.remaining.delta))
        for p in report.parts
    )
    return Sheet(
        ("budget", "epsilon", "delta"), ("VARCHAR", "DOUBLE", "DOUBLE"), rows + parts, Released(FREE)
    )


def plan_as_json(plan: Explanation) -> str:
    """A plan as one JSON object; exact costs become numbers."""
    return json.dumps(asdict(plan), default=float, ensure_ascii=False, indent=2)
