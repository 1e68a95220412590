"""The limits under which accounts pay: noted, with who runs the process, each time they are not the last ones."""

from __future__ import annotations

import getpass
import json

from dpsql.accounting.ledger import audit_log as chain
from dpsql.accounting.storage.protocol import Connection
from dpsql.accounting.types import Account, Request


def note_grants(
    db: Connection, dataset: str, request: Request, entry: int, now: int
) -> tuple[tuple[object, ...], ...]:
    """Write down every limit of the request that differs from what the same policy granted last; the rows of that."""
    noted = []
    for account in request.accounts:
        terms, before = _terms(account), _last(db, dataset, request.policy_digest, account.name)
        if terms != before:
            row = (dataset, request.policy_digest, account.name, entry, terms)
            db.execute("INSERT INTO grants VALUES (?, ?, ?, ?, ?)", row)
            noted.append(row)
            body = {"account": account.name, "granted": terms, "before": before or "nothing"}
            chain.append(db, now, dataset, system_user(), "grant", body)
    return tuple(sorted(noted))


def _terms(account: Account) -> str:
    limit = account.limit
    terms = {"epsilon": str(limit.epsilon), "delta": str(limit.delta), "window": str(account.window)}
    return json.dumps(terms)


def _last(db: Connection, dataset: str, policy: str, account: str) -> str | None:
    row = db.execute(
        "SELECT terms FROM grants WHERE dataset = ? AND policy_digest = ? AND account = ? ORDER BY entry DESC LIMIT 1",
        (dataset, policy, account),
    ).fetchone()
    return str(row[0]) if row is not None else None


def system_user() -> str:
    """Who runs this process, as the operating system calls them."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a container's user may have no name
        return "a user without a name"
