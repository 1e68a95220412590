"""The command lines of the server's two processes: fresh interpreters that import what they need and nothing else."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from dpsql.interfaces.server.server_settings import ServerSettings

_PACKAGE = Path(__file__).parents[2]
# Where packages stand bare, their own modules are not run: these import a parser and a database, which a listener that
# faces the network has no use for.
_START = """\
import json, sys
from importlib import import_module
from types import ModuleType
path, bare, module = map(json.loads, sys.argv[1:4])
sys.path[:] = path
for name, folder in bare:
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [folder]
import_module(module).main(sys.argv[4])
"""
_BARE = (("dpsql", str(_PACKAGE)), ("dpsql.policy", str(_PACKAGE / "policy")))


def listener_command(settings: ServerSettings) -> list[str]:
    """Starts the listener, with those two packages bare."""
    return _command("dpsql.interfaces.server.listening.listener", _BARE, settings)


def worker_command(settings: ServerSettings) -> list[str]:
    """Starts the worker."""
    return _command("dpsql.interfaces.server.working.worker", (), settings)


def _command(module: str, bare: tuple[tuple[str, str], ...], settings: ServerSettings) -> list[str]:
    path = [os.path.abspath(p) for p in sys.path]
    given = (*map(json.dumps, (path, bare, module)), settings.written())
    return [sys.executable, "-I", "-S", "-X", "utf8", "-c", _START, *given]
