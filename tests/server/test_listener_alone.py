"""The listener imports no engine, no parser and no policy; nothing of the server is imported by dpsql itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from dpsql.interfaces.server.processes import listener_command
from dpsql.interfaces.server.server_settings import ServerSettings

_HEAVY = {
    "duckdb",
    "sqlglot",
    "numpy",
    "pydantic",
    "click",
    "pyarrow",
    "psycopg",
    "dpsql.dbapi",
    "dpsql.session",
}


def test_what_faces_the_network_is_small(tmp_path: Path) -> None:
    command = listener_command(ServerSettings({}, ("127.0.0.1", 0), tmp_path, None, {}, 1))
    start = command.index("-c") + 1
    imported = "import_module(module).main(sys.argv[3])"
    assert imported in command[start]
    command[start] = command[start].replace(
        imported, "import_module(module); print(json.dumps(list(sys.modules)))"
    )
    modules = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert "dpsql.interfaces.server.listening.front_door" in modules and "ssl" in modules
    assert not [
        m for m in modules if m in _HEAVY or m.startswith(("dpsql.sql", "dpsql.engines", "dpsql.release"))
    ]


def test_dpsql_is_imported_without_its_server() -> None:
    text = "import sys; from dpsql import connect; print([m for m in sys.modules if 'interfaces' in m])"
    assert (
        subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )
