"""The users file: only its owner reads it, it is written whole, and every mistake in it is named."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from dpsql.errors import PolicyError
from dpsql.interfaces.server.event_log import EventLog
from dpsql.interfaces.server.logins.scram import fake_verifier, verifier_of
from dpsql.interfaces.server.logins.users import Token, User, new_token, token_digest
from dpsql.interfaces.server.logins.users_file import change_users, read_users
from dpsql.interfaces.server.logins.users_watch import UsersWatch
from server.served import add_users

ALICE = User("alice", 'sales: "east" #1', verifier_of("correct horse"), ("admin",))
ROBOT = User("robot", "robot", Token(token_digest("dpsql_token")))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    add_users(tmp_path / "users.yaml", ALICE, ROBOT)
    return tmp_path / "users.yaml"


def test_what_is_written_is_read(file: Path) -> None:
    users = read_users(file)
    assert users.by_login == {"alice": ALICE, "robot": ROBOT}
    assert len(users.secret) == 32


def test_the_secret_stays_when_logins_change(file: Path) -> None:
    before = read_users(file).secret
    add_users(file, replace(ROBOT, login="other"))
    assert read_users(file).secret == before


def test_nobody_else_may_read_the_file(file: Path) -> None:
    assert file.stat().st_mode & 0o777 == 0o600
    assert [p.name for p in file.parent.iterdir()] == ["users.yaml"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644])
def test_a_file_that_others_may_read_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(PolicyError, match="chmod 600"):
        read_users(file)


def test_neither_passwords_nor_tokens_nor_secrets_are_printed(file: Path) -> None:
    users = read_users(file)
    shown = repr(users)
    assert "Verifier(" not in shown and "Token(" not in shown and "secret" not in shown
    assert "digest" not in repr(ROBOT.proof)


def test_a_token_is_kept_as_its_digest_alone(file: Path) -> None:
    token = new_token()
    add_users(file, User("new", "new", Token(token_digest(token))))
    assert token not in file.read_text()
    kept = read_users(file).by_login["new"].proof
    assert isinstance(kept, Token) and kept.fits(token) and not kept.fits(token + "x") and not kept.fits("")


def test_a_login_with_a_token_or_none_has_a_verifier_that_nothing_fits(file: Path) -> None:
    users = read_users(file)
    assert users.verifier("alice") == ALICE.proof
    assert users.verifier("robot") == fake_verifier(users.secret, "robot")
    assert users.verifier("nobody") == fake_verifier(users.secret, "nobody")


def test_a_change_that_fails_leaves_the_file_as_it_was(file: Path) -> None:
    before = file.read_text()

    def fail(users):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        change_users(file, fail)
    assert file.read_text() == before and len(list(file.parent.iterdir())) == 1


def test_changes_at_the_same_moment_are_all_kept(file: Path) -> None:
    names = [f"user{i}" for i in range(12)]
    threads = [threading.Thread(target=add_users, args=(file, replace(ROBOT, login=n))) for n in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(read_users(file).by_login) == {"alice", "robot", *names}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("version: 1", "version: 2"), "version: 1"),
        (("users:", "logins:"), "users"),
        (('"robot"', '"Alice"'), "too like the login alice"),
        (("roles: [admin]", "roles: [boss]"), "list of roles"),
        (("roles: [admin]", "rolls: [admin]"), "no such key: rolls"),
        (('token: "sha256:', 'token: "sha256:AAAA'), "32 bytes in base64"),
        (("SCRAM-SHA-256$4096", "SCRAM-SHA-256$1"), "4096 iterations"),
        (('analyst: "robot"', 'analyst: "dataset"'), "name of an analyst"),
        (("secret: ", "secret: x"), "32 bytes"),
        (("token: ", "password: "), "verifier"),
        (('{analyst: "robot"', "[robot"), "YAML"),
    ],
)
def test_a_mistake_is_named(file: Path, change: tuple[str, str], sentence: str) -> None:
    text = file.read_text()
    assert change[0] in text
    file.write_text(text.replace(*change))
    with pytest.raises(PolicyError, match=sentence) as caught:
        read_users(file)
    assert str(file) in str(caught.value)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(PolicyError, match="cannot be read"):
        read_users(tmp_path / "users.yaml")


def test_a_watch_sees_a_change_once_and_keeps_the_users_of_a_broken_file(file: Path, capsys) -> None:
    import sys

    watch = UsersWatch(file, EventLog(sys.stderr))
    assert not watch.look()
    add_users(file, replace(ROBOT, login="new"))
    assert watch.look() and not watch.look()
    file.chmod(0o644)
    assert not watch.look() and "new" in watch.users.by_login
    file.unlink()
    assert not watch.look() and "new" in watch.users.by_login
    assert capsys.readouterr().err.count("the former one stays") == 2
