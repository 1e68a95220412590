"""The users file: read where nobody else can, and written whole or not at all."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import stat
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NoReturn

from dpsql.errors import Place, PolicyError, Problem
from dpsql.interfaces.server.logins.scram import Verifier, read_verifier
from dpsql.interfaces.server.logins.users import ROLES, Token, User, Users
from dpsql.policy.names import analyst_name_mistake, fold_name
from dpsql.policy.scalars import Leaf
from dpsql.policy.yaml_positions import Entry, Items, Mapping, Node, parse

_SECRET = 32
_MOST_BYTES = 10_000_000
_HEAD = "# Who may log in to `dpsql serve`. Change it with `dpsql user`; nobody but the server may read it.\n"
_KEYS = ("analyst", "password", "token", "roles")


def no_users() -> Users:
    """A file without a login, with a secret of its own."""
    return Users(secrets.token_bytes(_SECRET), {})


def read_users(path: Path) -> Users:
    """The users in a file. Raises PolicyError with every mistake, and where others than its owner may read it."""
    tree, problems = parse(_text(path), path)
    reading = _Reading(path, list(problems))
    users = reading.users(tree)
    if reading.problems:
        raise PolicyError(tuple(reading.problems))
    return users


def _text(path: Path) -> str:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            _check_mode(path, os.fstat(descriptor))
            data = file.read(_MOST_BYTES)
        return data.decode("utf-8")
    except UnicodeDecodeError:
        _fail(path, None, "not UTF-8 text")
    except OSError as error:
        _fail(path, None, f"the users file cannot be read: {(error.strerror or str(error)).lower()}")


def _check_mode(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        _fail(path, None, "the users file is no file")
    if found.st_mode & 0o077:
        _fail(path, None, f"others may read or write the users file; run: chmod 600 {path}")


class _Reading:
    """Reads the tree of a users file, noting every mistake."""

    def __init__(self, path: Path, problems: list[Problem]) -> None:
        self._path = path
        self.problems = problems

    def users(self, tree: Mapping) -> Users:
        secret, listed = tree.get("secret"), tree.get("users")
        unknown = [entry for entry in tree.entries if entry.key not in ("version", "secret", "users")]
        for entry in unknown:
            self._add(entry.place, entry.key, "no such key; there are version, secret and users")
        if tree.get("version") is None or self._word(tree, "version") != "1":
            self._add(tree.place, "version", "a users file begins with `version: 1`")
        found = listed.value.entries if listed is not None and isinstance(listed.value, Mapping) else ()
        if listed is None or not isinstance(listed.value, Mapping):
            self._add(tree.place, "users", "a mapping of logins is needed, `users: {}` without any")
        users = [user for entry in found if (user := self._user(entry)) is not None]
        self._check_unlike(found)
        return Users(self._bytes(secret, tree.place, "secret", _SECRET), {u.login: u for u in users})

    def _check_unlike(self, found: tuple[Entry, ...]) -> None:
        """Two logins that differ in case alone, or look alike, would be taken for one another."""
        seen: dict[str, str] = {}
        for entry in found:
            other = seen.setdefault(fold_name(entry.key), entry.key)
            if other != entry.key:
                self._add(entry.place, f"users.{entry.key}", f"too like the login {other}")

    def _user(self, entry: Entry) -> User | None:
        path, node = f"users.{entry.key}", entry.value
        if mistake := analyst_name_mistake(entry.key):
            self._add(entry.place, path, mistake)
        if not isinstance(node, Mapping):
            self._add(entry.place, path, "a login has an analyst, and a password or a token")
            return None
        for key in node.entries:
            if key.key not in _KEYS:
                self._add(key.place, path, f"no such key: {key.key}; there are {', '.join(_KEYS)}")
        analyst = self._word(node, "analyst")
        if analyst is None or analyst_name_mistake(analyst):
            self._add(entry.place, f"{path}.analyst", "the name of an analyst is needed")
        proof = self._proof(node, entry.place, path)
        if analyst is None or proof is None:
            return None
        return User(entry.key, analyst, proof, self._roles(node, path))

    def _proof(self, node: Mapping, place: Place, path: str) -> Verifier | Token | None:
        password, token = self._word(node, "password"), node.get("token")
        if (password is None) == (token is None):
            self._add(place, path, "a login has either a password or a token")
            return None
        if password is None:
            return Token(self._bytes(token, place, f"{path}.token", 32))
        try:
            return read_verifier(password)
        except ValueError as error:
            self._add(place, f"{path}.password", str(error))
            return None

    def _roles(self, node: Mapping, path: str) -> tuple[str, ...]:
        entry = node.get("roles")
        if entry is None:
            return ()
        items = entry.value.items if isinstance(entry.value, Items) else (entry.value,)
        roles = tuple(item.text if isinstance(item, Leaf) else "" for item in items)
        for role in roles:
            if role not in ROLES:
                self._add(
                    entry.place, f"{path}.roles", f"a list of roles is needed; there is {', '.join(ROLES)}"
                )
        return roles

    def _bytes(self, entry: Entry | None, place: Place, path: str, size: int) -> bytes:
        """The bytes of a value in base64, after its label where it has one."""
        written = entry.value.text if entry is not None and isinstance(entry.value, Leaf) else ""
        try:
            value = b64decode(written.removeprefix("sha256:"), validate=True)
        except (NotBase64, ValueError):
            value = b""
        if len(value) != size:
            self._add(place, path, f"{size} bytes in base64 are needed; `dpsql user` writes them")
        return value

    def _word(self, node: Mapping, key: str) -> str | None:
        entry = node.get(key)
        value: Node | None = entry.value if entry is not None else None
        return value.text if isinstance(value, Leaf) else None

    def _add(self, place: Place, path: str, message: str) -> None:
        self.problems.append(Problem(str(self._path), place, path, message))


def change_users(path: Path, change: Callable[[Users], Users]) -> None:
    """Writes the file anew with a change; changes at the same moment wait for each other.

    `change` gets what is there, or no login where there is no file. Raises PolicyError.
    """
    with _locked(path):
        users = read_users(path) if os.path.lexists(path) else no_users()
        _write(path, written(change(users)))


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Alone among those that change files of this folder."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as error:
        _fail(path, None, f"its folder cannot be used: {(error.strerror or str(error)).lower()}")
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        descriptor = os.open(
            beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
        )
        try:
            with open(descriptor, "w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(descriptor)
            os.replace(beside, path)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise
        _sync(path.parent)
    except OSError as error:
        _fail(path, None, f"the users file cannot be written: {(error.strerror or str(error)).lower()}")


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def written(users: Users) -> str:
    """The text of a users file, each login on a line of its own."""
    head = f'{_HEAD}version: 1\nsecret: "{_base64(users.secret)}"\n'
    if not users.by_login:
        return f"{head}users: {{}}\n"
    return head + "users:\n" + "".join(map(_line, users.by_login.values()))


def _line(user: User) -> str:
    match user.proof:
        case Verifier():
            proof = f"password: {json.dumps(user.proof.written())}"
        case Token():
            proof = f'token: "sha256:{_base64(user.proof.digest)}"'
    roles = f", roles: [{', '.join(user.roles)}]" if user.roles else ""
    return f"  {_quoted(user.login)}: {{analyst: {_quoted(user.analyst)}, {proof}{roles}}}\n"


def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)


def _base64(value: bytes) -> str:
    return b64encode(value).decode()


def _fail(path: Path, place: Place | None, message: str) -> NoReturn:
    raise PolicyError((Problem(str(path), place, "", message),))
