"""The admin's command that says who spent what."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from dpsql.accounting.largest_payments import LargePayment
from dpsql.accounting.ledger.ledger import Ledger
from dpsql.accounting.spending_summary import AccountSummary, SpendingSummary, spending_summary
from dpsql.interfaces.cli.answer_formats import Sheet
from dpsql.interfaces.cli.options import (
    existing_ledger,
    policy_argument,
    policys_ledger_argument,
    print_sheet,
)
from dpsql.interfaces.cli.outcome import reported
from dpsql.policy.load import load_policy
from dpsql.privacy import FREE, Cost
from dpsql.release.types import Released

_LONGEST = 100
_NO_TEXT = "(no question: drawn for the policy's limits, or its line was lost)"


@click.command()
@policy_argument
@policys_ledger_argument
@click.option(
    "--largest",
    default=10,
    type=click.IntRange(0, 1000),
    metavar="N",
    help="How many questions. Default: 10.",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object, with the questions at full length.")
def summary(policy: Path, place: str | Path | None, largest: int, as_json: bool) -> None:
    """Show who spent what under POLICY: every account in its window, and the questions that cost most.

    PLACE is the ledger; default: DPSQL_LEDGER, or else beside the policy. Analysts and roles who have paid and are not
    in the policy any more are listed too, with what they are granted now. No analyst may see this: it tells what others
    asked.
    """
    with reported():
        loaded = load_policy(policy)
        with Ledger.open(existing_ledger(place, policy), dataset=loaded.dataset.name) as book:
            found = spending_summary(loaded, book, largest)
    if as_json:
        click.echo(json.dumps(_as_json(found), ensure_ascii=False, indent=2))
        return
    print_sheet(_accounts(found), "table")
    if found.largest:
        click.echo("\nThe questions that were charged most:")
        print_sheet(_questions(found), "table")


def _accounts(found: SpendingSummary) -> Sheet:
    names = ("account", "epsilon", "delta", "window ends", "note")
    return Sheet(names, ("VARCHAR",) * len(names), tuple(map(_account_row, found.accounts)), Released(FREE))


def _account_row(one: AccountSummary) -> tuple[str, ...]:
    spent, limit = one.standing.spent, _granted(one)
    amounts = ((spent.epsilon, limit.epsilon), (spent.delta, limit.delta))
    written = (f"{float(lost):g} of {float(most):g}" for lost, most in amounts)
    return (one.standing.account.owner, *written, _ends(one) or "never", one.note)


def _questions(found: SpendingSummary) -> Sheet:
    names, types = (
        ("when", "analyst", "epsilon", "delta", "question"),
        ("VARCHAR", "VARCHAR", "DOUBLE", "DOUBLE", "VARCHAR"),
    )
    rows = (
        (_moment(p.time), p.analyst, float(p.cost.epsilon), float(p.cost.delta), _short(p.sql))
        for p in found.largest
    )
    return Sheet(names, types, tuple(rows), Released(FREE))


def _as_json(found: SpendingSummary) -> dict[str, object]:
    return {
        "accounts": [_account_json(one) for one in found.accounts],
        "largest": [_question_json(payment) for payment in found.largest],
    }


def _account_json(one: AccountSummary) -> dict[str, object]:
    standing = one.standing
    costs = {"spent": standing.spent, "granted": _granted(one)}
    written = {name: {"epsilon": float(c.epsilon), "delta": float(c.delta)} for name, c in costs.items()}
    window = {"window": str(standing.account.window), "ends": _ends(one), "note": one.note or None}
    return {"account": standing.account.name, **written, **window}


def _question_json(payment: LargePayment) -> dict[str, object]:
    cost = {"epsilon": float(payment.cost.epsilon), "delta": float(payment.cost.delta)}
    return {"time": _moment(payment.time), "analyst": payment.analyst, **cost, "sql": payment.sql}


def _granted(one: AccountSummary) -> Cost:
    """What the policy grants: without a budget nothing, not even the delta that losses are converted at."""
    limit = one.standing.account.limit
    return limit if limit.epsilon else FREE


def _ends(one: AccountSummary) -> str | None:
    return one.standing.ends.isoformat(sep=" ", timespec="minutes") if one.standing.ends is not None else None


def _moment(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M")


def _short(sql: str | None) -> str:
    text = " ".join(sql.split()) if sql is not None else _NO_TEXT
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
