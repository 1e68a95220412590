"""The `audit` command: tests a policy's guarantees and reports as text or JSON."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from pathlib import Path

import click
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dpsql.audit.full_audit import Report, audit
from dpsql.audit.report import TableDump, Tried, Violation
from dpsql.audit.statistical.statistical_audit import Evidence
from dpsql.errors import Interrupted
from dpsql.interfaces.cli.options import policy_argument
from dpsql.interfaces.cli.outcome import REFUSED, reported
from dpsql.interfaces.cli.terminal.spinner import spinner
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.policy.load import load_policy
from dpsql.policy.model import Isolation
from dpsql.progress import Phase, Progress

_REASONS = 5


def _number(context: click.Context, option: click.Parameter, value: float) -> float:
    """Refuses NaN, which click finds in every range."""
    if math.isnan(value):
        raise click.BadParameter("NaN is no number of minutes", context, option)
    return value


@click.command("audit")
@policy_argument
@click.option(
    "--minutes", type=click.FloatRange(0, 525_600, min_open=True), callback=_number, default=2.0, show_default=True,
    metavar="NUMBER",
    help="How long to try; 2 is useful, 120 is thorough.",
)  # fmt: skip
@click.option(
    "--seed", type=click.IntRange(min=0), metavar="NUMBER",
    help="Where the made-up databases and queries begin. Default: another place each time, which is shown.",
)  # fmt: skip
@click.option(
    "--inline", is_flag=True,
    help="Run the engines in this process and not in children of it: about twice as much is tried in the time.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON, every violation in full.")
def audit_command(policy: Path, minutes: float, seed: int | None, inline: bool, as_json: bool) -> None:
    """Try to break the privacy that POLICY promises.

    Queries over the policy's tables run on made-up databases that satisfy its declared facts and are full of odd
    values, and on neighbours of them, one unit apart: no released sum may move by more than its claimed sensitivity,
    and no plan, charge or refusal may change. Then each mechanism's noise is drawn again and again on the
    neighbours that are hardest to tell apart, and a lower bound of its epsilon computed from the outcomes.

    The private sources are never opened, and nothing is charged; public tables are read. Where POLICY names prepared
    tables (`engine: {prepared: FOLDER}`), each made-up database is prepared and queried as such.

    Exit codes: 0 nothing found; 1 a promise was broken, or the policy is refused.

    \b
    dpsql audit shop.yaml --minutes 10
    """
    with reported():
        loaded = load_policy(policy)
        start = time.time_ns() // 1_000_000 if seed is None else seed
        isolation = Isolation.INLINE if inline else Isolation.PROCESS
        with _violations_told() as seen, spinner("making databases up") as progress:
            report = audit(
                loaded,
                seconds=60 * minutes,
                seed=start,
                isolation=isolation,
                watch=partial(_tell, progress, seen),
                progress=progress,
            )
    if as_json:
        click.echo(json.dumps(as_dict(report), indent=2, ensure_ascii=False))
    else:
        _print(report, Console())
    if report.violated:
        raise SystemExit(REFUSED)


@contextmanager
def _violations_told() -> Iterator[list[Tried]]:
    """A block that puts down what it has tried; where it is interrupted, that is told, with every violation."""
    seen: list[Tried] = []
    try:
        yield seen
    except KeyboardInterrupt:
        tried = seen[-1] if seen else Tried()
        for violation in tried.violations:
            click.echo(f"\nviolation: {visible_lines(violation)}", err=True)
        counts = f"{tried.executions:,} executions, {len(tried.violations)} violations"
        if tried.violations:
            click.echo(f"\ninterrupted after {counts}", err=True)
            raise SystemExit(REFUSED) from None
        raise Interrupted(f"an audit charges nothing; {counts} so far") from None


def _tell(progress: Progress, seen: list[Tried], tried: Tried) -> None:
    seen[:] = [tried]
    violations = f", {len(tried.violations)} violations so far" if tried.violations else ""
    progress(Phase(f"trying queries on neighbours{violations}", tried.executions, None, "executions"))


def _print(report: Report, console: Console) -> None:
    tried = report.tried
    console.print(
        f"seed {report.seed}: {tried.executions:,} executions on {tried.databases:,} databases, {tried.repeats:,} "
        f"repeated elsewhere; {tried.refusals:,} refused",
        highlight=False,
    )
    for reason, count in tried.refused.most_common(_REASONS):
        console.print(Text(f"  {count:,} x {visible(reason)}"), soft_wrap=True)
    constructs = ", ".join(f"{name} {count:,}" for name, count in sorted(tried.constructs.items()))
    console.print(Text(f"constructs tried: {constructs}\n"))
    console.print(_nearest(tried))
    console.print(_evidence(report))
    for violation in tried.violations:
        console.print(Text(f"\nviolation: {visible_lines(violation)}", style="red"), soft_wrap=True)
    violations = len(tried.violations) + sum(e.violated for e in report.evidence)
    console.print(f"\n{violations} violation{'' if violations == 1 else 's'}", highlight=False)


def visible_lines(violation: Violation) -> str:
    """A violation for a terminal, without control characters."""
    return "\n".join(visible(line) for line in str(violation).split("\n"))


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for i, heading in enumerate(headings):
        table.add_column(heading, justify="right" if i else "left", overflow="fold")
    return table


def _nearest(tried: Tried) -> Table:
    """For every kind of release the largest change between neighbours, relative to its claimed sensitivity."""
    table = _table("released", "moved by", "claimed at most", "ratio")
    for kind, m in sorted(tried.nearest.items()):
        table.add_row(kind, f"{m.by:,}", f"{m.claimed:,}", f"{m.ratio:.3f}")
    return table


def _evidence(report: Report) -> Table:
    """For every mechanism the epsilon claimed, and the lower bound from its outcomes."""
    confidence = report.evidence[0].confidence if report.evidence else 0.0
    table = _table(
        "mechanism, and the event it is told by", "runs", "epsilon", f"at least ({confidence:.2%} sure)"
    )
    for e in report.evidence:
        bound = f"{e.lower_bound:.3f}" + (" VIOLATED" if e.violated else "")
        table.add_row(
            Text(f"{e.mechanism}: {e.event}"), f"{e.runs:,}", f"{float(e.claimed_epsilon):g}", bound
        )
    return table


def as_dict(report: Report) -> dict[str, object]:
    """The report for JSON, with every violation in full."""
    tried = report.tried
    return {
        "seed": report.seed,
        "violated": report.violated,
        "sensitivity": {
            "executions": tried.executions,
            "databases": tried.databases,
            "repeats": tried.repeats,
            "refused": dict(tried.refused.most_common()),
            "constructs": dict(sorted(tried.constructs.items())),
            "nearest": {
                kind: {"moved": m.by, "claimed": m.claimed, "ratio": m.ratio}
                for kind, m in sorted(tried.nearest.items())
            },
            "violations": [_violation(v) for v in tried.violations],
        },
        "statistical": {"runs": report.runs, "mechanisms": [_evidence_of(e) for e in report.evidence]},
    }


def _violation(v: Violation) -> dict[str, object]:
    params = [*v.params] if isinstance(v.params, tuple) else v.params
    return {
        "what": v.what,
        "seed": v.seed,
        "query": v.sql,
        "parameters": json.loads(json.dumps(params, default=_plain)),
        "database": [_dump(t) for t in v.one],
        "neighbours": [[_dump(t) for t in tables] for tables in v.others],
    }


def _dump(table: TableDump) -> dict[str, object]:
    return {"table": table.name, "columns": list(table.columns), "rows": [list(row) for row in table.rows]}


def _plain(value: object) -> str:
    if not isinstance(value, date):
        raise TypeError(f"no JSON for a {type(value).__name__}")
    return value.isoformat()


def _evidence_of(e: Evidence) -> dict[str, object]:
    return {
        "mechanism": e.mechanism,
        "claimed_epsilon": float(e.claimed_epsilon),
        "claimed_delta": float(e.claimed_delta),
        "runs": e.runs,
        "event": e.event,
        "lower_bound": e.lower_bound,
        "confidence": e.confidence,
        "violated": e.violated,
    }
