"""The command lines of the server's two processes: fresh interpreters that import what they need and nothing else."""

from __future__ import annotations

import json
import os
import sys

from dpsql.interfaces.server.server_settings import ServerSettings

_START = """\
import json, sys
from importlib import import_module
path, module = map(json.loads, sys.argv[1:3])
sys.path[:] = path
import_module(module).main(sys.argv[3])
"""


def listener_command(settings: ServerSettings) -> list[str]:
    """Starts the listener, which imports neither a parser nor a database: it faces the network."""
    return _command("dpsql.interfaces.server.listening.listener", settings)


def worker_command(settings: ServerSettings) -> list[str]:
    """Starts the worker."""
    return _command("dpsql.interfaces.server.working.worker", settings)


def _command(module: str, settings: ServerSettings) -> list[str]:
    path = [os.path.abspath(p) for p in sys.path]
    given = (*map(json.dumps, (path, module)), settings.written())
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *given]
