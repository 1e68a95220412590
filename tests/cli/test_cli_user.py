"""dpsql user: logins added, changed, removed and listed, with passwords from a person or from stdin."""

from __future__ import annotations

from pathlib import Path

import pytest

from dpsql.interfaces.server.logins.scram import Verifier
from dpsql.interfaces.server.logins.users import Token
from dpsql.interfaces.server.logins.users_file import read_users

PASSWORD = "correct horse\n"


@pytest.fixture
def users(tmp_path: Path) -> str:
    return f"--users={tmp_path / 'users.yaml'}"


def read(users: str):
    return read_users(Path(users.partition("=")[2])).by_login


def test_a_login_is_added_with_its_analyst_and_roles(run, users: str) -> None:
    done = run(
        "user",
        "add",
        "alice",
        "--analyst",
        "sales",
        "--role",
        "admin",
        "--password-stdin",
        users,
        stdin=PASSWORD,
    )
    assert done.exit_code == 0 and done.output == ""
    alice = read(users)["alice"]
    assert (alice.login, alice.analyst, alice.roles) == ("alice", "sales", ("admin",))
    assert isinstance(alice.proof, Verifier)
    assert run("user", "list", users).stdout == "alice as sales, password, admin\n"


def test_a_password_that_is_asked_for_is_typed_twice(run, users: str) -> None:
    assert run("user", "add", "alice", users, stdin=PASSWORD + "another one\n" + PASSWORD * 2).exit_code == 0
    assert "alice" in read(users)


def test_a_token_is_shown_once_and_kept_as_its_digest(run, users: str) -> None:
    done = run("user", "add", "robot", "--token", users)
    token = done.stdout.strip()
    kept = read(users)["robot"].proof
    assert isinstance(kept, Token) and kept.fits(token) and len(token) > 40
    assert run("user", "list", users).stdout == "robot as robot, token\n"


def test_another_password_takes_the_place_of_the_first_and_leaves_the_rest(run, users: str) -> None:
    run("user", "add", "alice", "--analyst", "sales", "--password-stdin", users, stdin=PASSWORD)
    before = read(users)["alice"]
    assert run("user", "passwd", "alice", "--password-stdin", users, stdin="battery staple\n").exit_code == 0
    after = read(users)["alice"]
    assert after.proof != before.proof and after.analyst == "sales"


def test_a_login_is_removed(run, users: str) -> None:
    run("user", "add", "alice", "--token", users)
    assert run("user", "remove", "alice", users).exit_code == 0
    assert read(users) == {}


@pytest.mark.parametrize(
    ("arguments", "stdin", "sentence"),
    [
        (("add", "alice", "--password-stdin"), "short\n", "at least 8 characters"),
        (("add", "ALICE", "--token"), None, "there is a login alice already"),
        (("add", "dataset", "--token"), None, "not the name of a login"),
        (("add", "bob", "--analyst", " x", "--token"), None, "not the name of an analyst"),
        (("add", "bob", "--token", "--password-stdin"), None, "either a password or a token"),
        (("add", "bob", "--role", "boss", "--token"), None, "boss"),
        (("passwd", "bob", "--token"), None, "there is no login bob"),
        (("remove", "bob"), None, "there is no login bob"),
    ],
)
def test_what_cannot_be_done_is_said_and_changes_nothing(run, users, arguments, stdin, sentence) -> None:
    run("user", "add", "alice", "--password-stdin", users, stdin=PASSWORD)
    before = read(users)
    done = run("user", *arguments, users, stdin=stdin)
    assert done.exit_code != 0 and sentence in done.stderr
    assert read(users) == before


def test_a_file_that_others_may_read_is_not_changed(run, users: str) -> None:
    run("user", "add", "alice", "--token", users)
    Path(users.partition("=")[2]).chmod(0o644)
    done = run("user", "add", "bob", "--token", users)
    assert done.exit_code == 1 and "chmod 600" in done.stderr
