"""dpsql serve: what keeps it from starting, and what it becomes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from answers.shop import make_shop

CERTIFICATES = Path(__file__).parents[1] / "server" / "certificates"
TLS = ("--tls-cert", str(CERTIFICATES / "server.pem"), "--tls-key", str(CERTIFICATES / "server.key"))


class Became(Exception):
    """The command line that the command would have become."""


@pytest.fixture
def shop(tmp_path: Path, run, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with policies and a login; the command raises what it would become."""

    def become(path: str, arguments: list[str]) -> None:
        raise Became(path, arguments)

    monkeypatch.setattr(os, "execv", become)
    run("user", "add", "alice", "--token", "--users", str(make_shop(tmp_path) / "users.yaml"))
    return tmp_path


def test_it_becomes_a_listener_with_everything_it_was_told(run, shop: Path) -> None:
    with pytest.raises(Became) as became:
        run(
            "serve",
            str(shop / "shop.yaml"),
            str(shop / "pure.yaml"),
            "--listen",
            "[::1]:7000",
            "--engines",
            "3",
        )
    path, arguments = became.value.args
    assert path == sys.executable and '"dpsql.interfaces.server.listening.listener"' in arguments
    assert json.loads(arguments[-1]) == {
        "databases": {"shop": str(shop / "shop.yaml"), "pure": str(shop / "pure.yaml")},
        "listen": ["::1", 7000],
        "users": str(shop / "users.yaml"),
        "tls": None,
        "ledgers": {},
        "engines": 3,
    }


def test_a_certificate_and_a_ledger_are_passed_on(run, shop: Path) -> None:
    with pytest.raises(Became) as became:
        run(
            "serve",
            str(shop / "shop.yaml"),
            "--listen",
            "0.0.0.0:0",
            "--ledger",
            "postgresql://ledger/x",
            *TLS,
        )
    settings = json.loads(became.value.args[1][-1])
    assert settings["tls"] == [TLS[1], TLS[3], None]
    assert settings["ledgers"] == {"shop": "postgresql://ledger/x"}


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("shop.yaml", "--listen", "0.0.0.0:5439"), "needs a certificate"),
        (("shop.yaml", "--listen", "[::]:5439"), "needs a certificate"),
        (("shop.yaml", "--listen", "5439"), "HOST:PORT"),
        (("shop.yaml", "--listen", "nowhere.invalid:5439"), "not an address"),
        (("shop.yaml", *TLS[:2]), "both --tls-cert and --tls-key"),
        (("shop.yaml", *TLS[:3], "missing.key"), "cannot be used"),
        (("shop.yaml", "--ledger", "postgresql://me:secret@ledger/x"), "PGPASSFILE"),
        (("shop.yaml", "other/shop.yaml"), "would both be the database shop"),
        (("shop.yaml", "broken.yaml"), "broken.yaml"),
        (("shop.yaml", "--users", "nobody.yaml"), "cannot be read"),
        ((), "Missing argument"),
    ],
)
def test_what_keeps_it_from_starting_is_said(run, shop: Path, monkeypatch, arguments, sentence: str) -> None:
    monkeypatch.chdir(shop)
    (shop / "other").mkdir()
    (shop / "other" / "shop.yaml").write_bytes((shop / "shop.yaml").read_bytes())
    (shop / "broken.yaml").write_text("version: 1\n")
    done = run("serve", *arguments)
    assert done.exit_code in (1, 2) and sentence in done.stderr and "secret" not in done.stderr


def test_users_that_others_may_read_keep_it_from_starting(run, shop: Path) -> None:
    (shop / "users.yaml").chmod(0o644)
    assert "chmod 600" in run("serve", str(shop / "shop.yaml")).stderr


@pytest.mark.slow
def test_the_demonstration_is_served_and_leaves_no_ledger(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    text = (
        "import sys; from pathlib import Path; from rich.console import Console;"
        "from dpsql.interfaces.cli.demo import serve_demo;"
        "policies = ('fair.yaml', 'cdnow.yaml');"
        f"sys.exit(serve_demo(Console(), Path({str(tmp_path)!r}), policies, 'demo', ('127.0.0.1', {port})))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        lines = [process.stdout.readline() for _ in range(2)]
        assert "listening" in process.stderr.readline()
        for line in lines:
            found = re.fullmatch(r"PGPASSWORD=(\S+) psql -h (\S+) -p (\d+) -U (\w+) (\w+)\n", line)
            assert found is not None, line
            password, host, given, user, database = found.groups()
            address = f"host={host} port={given} user={user} password={password} dbname={database}"
            with psycopg.connect(address, connect_timeout=20) as connection:
                row = connection.execute("SELECT epsilon_remaining > 1 FROM dpsql.budget").fetchone()
            assert row == (True,)
        process.send_signal(signal.SIGTERM)
        process.stderr.read()
        assert process.wait(20) == 0
    assert not list(tmp_path.glob("*.ledger"))
