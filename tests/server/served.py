"""A server that was really started, with a shop behind it."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
from answers.shop import make_shop

from dpsql.interfaces.server.logins.scram import verifier_of
from dpsql.interfaces.server.logins.users import Token, User, token_digest
from dpsql.interfaces.server.logins.users_file import change_users
from dpsql.interfaces.server.processes import listener_command
from dpsql.interfaces.server.server_settings import ServerSettings, TlsFiles

CERTIFICATES = Path(__file__).parent / "certificates"
PASSWORD = "correct horse"
TOKEN = "dpsql_0123456789"
_COMMAND = [sys.executable, "-c", "from dpsql.interfaces.cli import main; main()", "serve"]
Event = dict[str, Any]


class Served:
    """A running server: where it is, and what it logged."""

    def __init__(self, folder: Path, process: subprocess.Popen[str]) -> None:
        self.folder = folder
        self.process = process
        self.events: list[Event] = []
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        self.port = int(self.logged("listening")["port"])

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.events.append(json.loads(line) if line.startswith("{") else {"event": "text", "text": line})

    def of(self, event: str) -> list[Event]:
        return [e for e in self.events if e["event"] == event]

    def logged(self, event: str, count: int = 1, seconds: float = 20) -> Event:
        """The event, once it was logged that often."""
        until = time.monotonic() + seconds
        while len(self.of(event)) < count:
            assert time.monotonic() < until and self.process.poll() is None, (event, self.events)
            time.sleep(0.01)
        return self.of(event)[count - 1]

    def address(
        self, user: str = "alice", password: str = PASSWORD, database: str = "shop", **more: object
    ) -> str:
        """What libpq connects with."""
        given = {
            "host": "localhost", "hostaddr": "127.0.0.1", "port": self.port, "user": user, "password": password,
            "dbname": database, "connect_timeout": 20, "gssencmode": "disable", **more,
        }  # fmt: skip
        return " ".join(f"{key}='{value}'" for key, value in given.items())

    def connect(self, user: str = "alice", **more: Any) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.address(user, **more), autocommit=True)

    def worker(self) -> int:
        """The process id of the worker."""
        return int(self.of("worker started")[-1]["pid"])

    def memory(self) -> int:
        """The listener's memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) * 1024

    def end(self) -> int:
        """Stops the server as an admin would; its exit code."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(30)
        self._reading.join(10)
        return code


def add_users(file: Path, *users: User) -> None:
    """Writes logins into a users file."""
    change_users(file, lambda had: replace(had, by_login={**had.by_login, **{u.login: u for u in users}}))


def logins() -> tuple[User, ...]:
    """The logins of every test; making a verifier takes some milliseconds."""
    verifier = verifier_of(PASSWORD)
    return (
        *(User(name, name, verifier) for name in ("alice", "bob", "carol", "dave", "certified")),
        User("robot", "robot", Token(token_digest(TOKEN))),
    )


def prepare(folder: Path) -> None:
    """A folder with a shop, a slow one, and logins."""
    make_shop(folder)
    shop = (folder / "shop.yaml").read_text(encoding="utf-8")
    (folder / "slow.yaml").write_text(f"{shop}\nengine: {{deadline: 1.5}}\n", encoding="utf-8")
    add_users(folder / "users.yaml", *logins())


def by_command(folder: Path, policies: tuple[str, ...]) -> list[str]:
    """The command that an admin starts a server with."""
    files = [str(folder / f"{policy}.yaml") for policy in policies]
    return [*_COMMAND, *files, "--listen", "127.0.0.1:0"]


def directly(folder: Path, policies: tuple[str, ...], tls: bool = False, port: int = 0) -> list[str]:
    """What that command becomes once it has checked everything; it starts a second sooner."""
    names = ("server.pem", "server.key", "authority.pem")
    files = TlsFiles(*(CERTIFICATES / name for name in names)) if tls else None
    databases = {policy: folder / f"{policy}.yaml" for policy in policies}
    settings = ServerSettings(databases, ("127.0.0.1", port), folder / "users.yaml", files, {}, 2)
    return listener_command(settings)


@contextmanager
def serving(folder: Path, command: list[str], databases: int = 1) -> Iterator[Served]:
    """A server over a prepared folder, until the block ends; it has opened that many databases."""
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            served = Served(folder, process)
            served.logged("database open", databases)
            yield served
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
