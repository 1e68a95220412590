"""The command that serves policies to PostgreSQL clients."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterable
from pathlib import Path
from types import FrameType
from urllib.parse import urlsplit

import click

from dpsql.accounting.storage.open_store import is_address
from dpsql.interfaces.cli.options import ledger_option
from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.user import USERS_FILE
from dpsql.interfaces.server.listening.certificates import open_tls
from dpsql.interfaces.server.logins.users_file import read_users
from dpsql.interfaces.server.processes import listener_command
from dpsql.interfaces.server.server_settings import Address, ServerSettings, TlsFiles
from dpsql.policy.load import load_policy
from dpsql.policy.names import name_mistake
from dpsql.policy.naming.suspected_units import suspected_units

ADDRESS = "127.0.0.1:5439"


class ListenAddress(click.ParamType):  # type: ignore[type-arg]  # click before 8.4 takes none
    """HOST:PORT, with brackets around a host of IPv6."""

    name = "address"

    def convert(
        self, value: str | Address, param: click.Parameter | None, ctx: click.Context | None
    ) -> Address:
        """Host and port; a usage error for anything else."""
        if isinstance(value, tuple):
            return value
        host, _, port = value.rpartition(":")
        if not host or not port.isdecimal() or int(port) > 65_535:
            self.fail("an address is HOST:PORT, such as 127.0.0.1:5439 or [::1]:5439", param, ctx)
        return host.removeprefix("[").removesuffix("]"), int(port)


@click.command()
@click.argument("policies", nargs=-1, required=True, type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--listen", type=ListenAddress(), default=ADDRESS, metavar="HOST:PORT",
    help=f"Where clients connect to. Default: {ADDRESS}.",
)  # fmt: skip
@click.option(
    "--users", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help=f"Who may log in; `dpsql user` writes it. Default: {USERS_FILE} beside the first policy.",
)  # fmt: skip
@click.option(
    "--tls-cert", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The server's certificate, with those between it and its authority.",
)  # fmt: skip
@click.option(
    "--tls-key", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The certificate's key, without a passphrase.",
)  # fmt: skip
@click.option(
    "--tls-client-ca", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="Accept certificates of this authority in the place of a password: the common name is the login.",
)  # fmt: skip
@ledger_option
@click.option(
    "--engines", type=click.IntRange(1, 64), metavar="N",
    help="How many calls run at once, each on engines of its own. Default: the number of cores.",
)  # fmt: skip
def serve(
    policies: tuple[Path, ...],
    listen: Address,
    users: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    tls_client_ca: Path | None,
    ledger: str | Path | None,
    engines: int | None,
) -> None:
    """Serve POLICIES to PostgreSQL clients.

    Each policy is a database, named by its file. Every client logs in with a user of the users file. Off this
    host a certificate is needed. The signal TERM finishes what runs and ends the server, HUP reads policies, users
    and certificate again. The log goes to stderr, one JSON object a line.

    \b
    dpsql user add alice --users users.yaml
    dpsql serve shop.yaml --users users.yaml
    psql "host=127.0.0.1 port=5439 user=alice dbname=shop"
    """
    with reported():
        databases = _databases(policies)
        settings = ServerSettings(
            databases=databases,
            listen=listen,
            users=(users or policies[0].with_name(USERS_FILE)).absolute(),
            tls=_tls(tls_cert, tls_key, tls_client_ca),
            ledgers=dict.fromkeys(databases, place) if (place := _ledger(ledger)) is not None else {},
            engines=engines or len(os.sched_getaffinity(0)),
        )
        read_users(settings.users)
    command = listener_command(settings)
    os.execv(command[0], command)


def _databases(policies: Iterable[Path]) -> dict[str, Path]:
    """The policies by the names of their databases, each without a mistake."""
    databases: dict[str, Path] = {}
    for policy in policies:
        for suspicion in suspected_units(load_policy(policy)):
            click.echo(f"warning: {policy}: {suspicion}", err=True)
        name = policy.stem
        if mistake := name_mistake(name):
            raise click.UsageError(f"{policy} cannot name a database: {mistake}")
        if name in databases:
            raise click.UsageError(f"{policy} and {databases[name]} would both be the database {name}")
        databases[name] = policy.absolute()
    return databases


def _tls(certificate: Path | None, key: Path | None, client_authority: Path | None) -> TlsFiles | None:
    if certificate is None or key is None:
        if certificate or key or client_authority:
            raise click.UsageError("TLS needs both --tls-cert and --tls-key")
        return None
    absolute = client_authority.absolute() if client_authority is not None else None
    files = TlsFiles(certificate.absolute(), key.absolute(), absolute)
    open_tls(files)
    return files


def _ledger(place: str | Path | None) -> str | None:
    """The ledger's place; a password in it would be seen by every user of this host."""
    if place is None:
        return None
    if not is_address(place):
        return str(Path(place).absolute())
    if urlsplit(str(place)).password is not None:
        raise click.UsageError(
            "the ledger's address holds a password; put it into a file that PGPASSFILE names"
        )
    return str(place)


def run_listener(settings: ServerSettings) -> int:
    """Serves until the listener ends, and gives its exit code. Signals reach it and are not acted upon here."""
    with subprocess.Popen(listener_command(settings)) as process:

        def pass_on(number: int, frame: FrameType | None) -> None:
            process.send_signal(number)

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a terminal sends it to both
        signal.signal(signal.SIGTERM, pass_on)
        return process.wait()
