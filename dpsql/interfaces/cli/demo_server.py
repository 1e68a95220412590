"""The demonstration for PostgreSQL clients: both data sets, a login made for it, ledgers that are thrown away."""

from __future__ import annotations

import os
import secrets
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rich.console import Console

from dpsql.interfaces.cli.demo_data import prepare_demo_data
from dpsql.interfaces.cli.serve import run_listener
from dpsql.interfaces.cli.user import USERS_FILE
from dpsql.interfaces.server.logins.scram import verifier_of
from dpsql.interfaces.server.logins.users import User
from dpsql.interfaces.server.logins.users_file import change_users
from dpsql.interfaces.server.server_settings import Address, ServerSettings

_ADDRESS = ("127.0.0.1", 5439)


def serve_demo(
    console: Console, cache: Path | None, policies: Sequence[str], analyst: str, listen: Address = _ADDRESS
) -> int:
    """Serves until it is interrupted; the exit code. Raises OperationalError where the data is not installed."""
    with console.status("reading the two data sets"):
        folder = prepare_demo_data(cache)
    password = secrets.token_urlsafe(12)
    with tempfile.TemporaryDirectory() as temporary:
        users = Path(temporary) / USERS_FILE
        login = User(analyst, analyst, verifier_of(password))
        change_users(users, lambda empty: replace(empty, by_login={analyst: login}))
        databases = {Path(policy).stem: folder / policy for policy in policies}
        ledgers = {name: str(Path(temporary) / f"{name}.ledger") for name in databases}
        settings = ServerSettings(databases, listen, users, None, ledgers, len(os.sched_getaffinity(0)))
        host, port = listen
        for name in databases:
            command = f"PGPASSWORD={password} psql -h {host} -p {port} -U {analyst} {name}"
            console.print(command, soft_wrap=True, highlight=False)
        console.print("Ctrl-C ends it; the budgets of this run are thrown away.", highlight=False)
        return run_listener(settings)
