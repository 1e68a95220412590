"""The admin's commands about logins of the server: add, passwd, remove, list."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import click

from dpsql.interfaces.cli.outcome import reported
from dpsql.interfaces.cli.terminal.visible import visible
from dpsql.interfaces.server.logins.scram import verifier_of
from dpsql.interfaces.server.logins.users import ROLES, Proof, Token, User, Users, new_token, token_digest
from dpsql.interfaces.server.logins.users_file import change_users, read_users
from dpsql.policy.names import analyst_name_mistake, fold_name

USERS_FILE = "users.yaml"
_SHORTEST = 8
F = TypeVar("F", bound=Callable[..., object])

users_option = click.option(
    "--users", "file", type=click.Path(dir_okay=False, path_type=Path), default=USERS_FILE, metavar="FILE",
    help=f"The users file. Default: {USERS_FILE} in this folder.",
)  # fmt: skip
login_argument = click.argument("login")


def proof_options(command: F) -> F:
    """The options that say what a login proves itself with."""
    stdin = click.option("--password-stdin", is_flag=True, help="Read the password from stdin; do not ask.")
    token = click.option(
        "--token", is_flag=True,
        help="Make a token and print it once. Tokens are accepted inside TLS alone.",
    )  # fmt: skip
    return stdin(token(command))


@click.group()
def user() -> None:
    """Say who may log in to `dpsql serve`.

    A running server sees changes within seconds.
    """


@user.command()
@login_argument
@users_option
@click.option("--analyst", metavar="NAME", help="Who asks and pays. Default: the login's own name.")
@click.option("--role", "roles", multiple=True, type=click.Choice(ROLES), help="What else the login may do.")
@proof_options
def add(
    login: str, file: Path, analyst: str | None, roles: tuple[str, ...], password_stdin: bool, token: bool
) -> None:
    """Add LOGIN, with a password that is asked for, or with a token.

    \b
    dpsql user add alice --users users.yaml
    """
    _check_name(login, "a login")
    _check_name(analyst or login, "an analyst")
    proof, told = _proof(password_stdin, token)
    new = User(login, analyst or login, proof, tuple(dict.fromkeys(roles)))

    def added(users: Users) -> Users:
        if like := next((known for known in users.by_login if fold_name(known) == fold_name(login)), None):
            raise click.ClickException(f"there is a login {like} already; `dpsql user passwd` changes it")
        return replace(users, by_login={**users.by_login, login: new})

    _change(file, added, told)


@user.command()
@login_argument
@users_option
@proof_options
def passwd(login: str, file: Path, password_stdin: bool, token: bool) -> None:
    """Give LOGIN another password, or another token. Its open sessions go on."""
    with reported():
        _known(read_users(file), login)
    proof, told = _proof(password_stdin, token)
    _change(file, lambda users: _with(users, replace(_known(users, login), proof=proof)), told)


@user.command()
@login_argument
@users_option
def remove(login: str, file: Path) -> None:
    """Remove LOGIN; a running server ends its sessions."""

    def removed(users: Users) -> Users:
        _known(users, login)
        return replace(users, by_login={k: v for k, v in users.by_login.items() if k != login})

    _change(file, removed)


@user.command("list")
@users_option
def list_users(file: Path) -> None:
    """List every login, the analyst it stands for, how it logs in, and its roles."""
    with reported():
        users = read_users(file)
    for each in users.by_login.values():
        how = "token" if isinstance(each.proof, Token) else "password"
        words = (f"{visible(each.login)} as {visible(each.analyst)}", how, *each.roles)
        click.echo(", ".join(words))


def _proof(password_stdin: bool, token: bool) -> tuple[Proof, str | None]:
    """What the login will prove itself with, and the token to tell once."""
    if token and password_stdin:
        raise click.UsageError("a login has either a password or a token")
    if token:
        made = new_token()
        return Token(token_digest(made)), made
    return verifier_of(_password(password_stdin)), None


def _password(from_stdin: bool) -> str:
    if from_stdin:
        password = sys.stdin.readline().rstrip("\r\n")
    else:
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    if len(password) < _SHORTEST:
        raise click.ClickException(f"a password has at least {_SHORTEST} characters")
    return password


def _check_name(name: str, what: str) -> None:
    if mistake := analyst_name_mistake(name):
        raise click.UsageError(f"not the name of {what}: {mistake}")


def _known(users: Users, login: str) -> User:
    known = users.by_login.get(login)
    if known is None:
        raise click.ClickException(f"there is no login {visible(login)}; `dpsql user list` names them")
    return known


def _with(users: Users, changed: User) -> Users:
    return replace(users, by_login={**users.by_login, changed.login: changed})


def _change(file: Path, change: Callable[[Users], Users], told: str | None = None) -> None:
    with reported():
        change_users(file, change)
    if told is not None:
        click.echo(told)
        click.echo("this token is shown once; connect with it as the password, inside TLS", err=True)
