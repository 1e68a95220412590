"""Superset: what its engine specification says, and, in a long run, a dashboard in a real browser."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
import types
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine.url import make_url

import dpsql
from dpsql.interfaces import shared_connections as shared

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples" / "superset"
PATIENCE = 600


@pytest.fixture(name="spec")
def _spec() -> Any:
    pytest.importorskip("superset", reason="Superset is not installed in this environment")
    entry = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["entry-points"]
    module, _, name = entry["superset.db_engine_specs"]["dpsql"].partition(":")
    return getattr(importlib.import_module(module), name)


@pytest.mark.filterwarnings("default")
def test_dates_become_literals_of_their_columns_type(spec: Any) -> None:
    moment = datetime(2025, 2, 3, 4, 5, 6)
    assert spec.convert_dttm("DATE", moment) == "DATE '2025-02-03'"
    assert spec.convert_dttm("TIMESTAMP", moment) == "TIMESTAMP '2025-02-03 04:05:06.000000'"
    assert spec.convert_dttm("BIGINT", moment) is None


@pytest.mark.filterwarnings("default")
def test_rows_are_empty_unless_the_url_says_more(spec: Any) -> None:
    url, arguments = spec.adjust_engine_params(make_url("dpsql:///shop.yaml?analyst=a"), {})
    assert dict(url.query) == {"analyst": "a", "rows": "empty"} and arguments == {}
    url, _ = spec.adjust_engine_params(make_url("dpsql:///shop.yaml?analyst=a&rows=refuse"), {})
    assert url.query["rows"] == "refuse"


@pytest.mark.filterwarnings("default")
def test_an_impersonated_user_is_an_analyst(spec: Any) -> None:
    url = spec.get_url_for_impersonation(make_url("dpsql:///shop.yaml?analyst=a"), True, "bob")
    assert url.query["analyst"] == "bob" and url.username is None
    same = make_url("dpsql:///shop.yaml?analyst=a")
    assert spec.get_url_for_impersonation(same, False, "bob") == same


@pytest.mark.filterwarnings("default")
def test_an_error_is_its_sentence(spec: Any) -> None:
    refused = dpsql.QueryRefused("no rows", hint="Aggregate them.")
    assert spec.extract_error_message(refused) == "no rows. Aggregate them."
    assert spec.extract_error_message("a text") == "a text"
    assert spec._time_grain_expressions["P1M"] == "DATE_TRUNC('month', {col})"


GRAINS = ("second", "minute", "hour", "day", "week", "month", "quarter", "year")


@pytest.fixture(name="stub")
def _stub(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The specification over the part of Superset's base class that fetches, where Superset is not installed."""

    class BaseEngineSpec:
        @classmethod
        def fetch_data(cls, cursor: Any, limit: int | None = None) -> list[Any]:
            return list(cursor.fetchall() if limit is None else cursor.fetchmany(limit))

    grains = {name.upper(): name for name in GRAINS}
    for name, names in {
        "superset": {},
        "superset.constants": {"TimeGrain": grains},
        "superset.db_engine_specs": {},
        "superset.db_engine_specs.base": {"BaseEngineSpec": BaseEngineSpec},
    }.items():
        module = types.ModuleType(name)
        vars(module).update(names)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "dpsql.interfaces.sqlalchemy.superset", raising=False)
    yield importlib.import_module("dpsql.interfaces.sqlalchemy.superset").DpsqlEngineSpec
    sys.modules.pop("dpsql.interfaces.sqlalchemy.superset", None)


def test_a_raw_table_says_why_it_has_no_rows_and_a_dataset_learns_its_columns(
    stub: Any, shop: Path, tmp_path: Path
) -> None:
    policy, ledger = shop / "shop.yaml", tmp_path / "a.ledger"
    with shared.connect(policy, analyst="chart", ledger=ledger, rows="empty") as opened:
        cursor = opened.execute("SELECT amount FROM orders LIMIT 10000")
        for limit in (None, 1001):
            with pytest.raises(dpsql.QueryRefused, match="rows of a private table") as refused:
                stub.fetch_data(cursor, limit)
            assert stub.extract_error_message(refused.value) == cursor.withheld
        assert stub.fetch_data(cursor, 1) == [] and len(cursor.description or ()) == 1
        free = opened.execute("SELECT amount FROM orders LIMIT 0")
        assert stub.fetch_data(free) == [] and free.withheld == ""
        counted = opened.execute("SELECT COUNT(*) FROM orders")
        assert len(stub.fetch_data(counted)) == 1 and counted.withheld == ""


@pytest.fixture(name="python", scope="module")
def _python() -> str:
    """A Python with Superset, dpsql and playwright: this one, or the one that is named."""
    python = os.environ.get("SUPERSET_PYTHON", sys.executable)
    found = subprocess.run(
        [python, "-c", "import superset, playwright, dpsql"],
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    if found.returncode or not (shutil.which("chromium") or "CHROMIUM" in os.environ):
        pytest.skip("needs a Python with Superset and playwright (SUPERSET_PYTHON) and a Chromium")
    return python


@pytest.fixture(name="server")
def _server(python: str, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server of Superset on the example's dashboard, made anew, and the policy's path."""
    environment = dict(
        os.environ,
        DPSQL_SUPERSET_HOME=str(tmp_path),
        SUPERSET_CONFIG_PATH=str(EXAMPLES / "superset_config.py"),
        FLASK_APP="superset",
        PYTHONPATH=str(ROOT),
    )

    def run(*words: str) -> None:
        subprocess.run([python, *words], env=environment, capture_output=True, timeout=PATIENCE, check=True)

    superset = str(Path(python).with_name("superset"))
    admin = [
        "--username",
        "admin",
        "--firstname",
        "a",
        "--lastname",
        "b",
        "--email",
        "a@example.org",
        "--password",
        "admin",
    ]
    for step in (["db", "upgrade"], ["fab", "create-admin", *admin], ["init"]):
        run(superset, *step)
    run(str(EXAMPLES / "setup.py"), str(tmp_path / "shop"))
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (tmp_path / "server.log").open("wb") as log:
        served = subprocess.Popen(
            [python, superset, "run", "-p", str(port), "--with-threads"],
            env=environment,
            stdout=log,
            stderr=log,
        )
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}", tmp_path / "shop" / "shop.yaml"
        finally:
            served.terminate()
            served.wait(timeout=60)


def _wait_for(port: int) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with closing(socket.socket()) as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(1)
    pytest.fail("the server did not start")


@pytest.mark.slow
def test_a_dashboard_of_six_charts_costs_six_charges_once(
    python: str, server: tuple[str, Path], tmp_path: Path
) -> None:
    url, policy = server
    assert charges(policy) == []  # datasets were read and probed
    seen = []
    for turn in range(2):
        ran = subprocess.run(
            [python, str(EXAMPLES / "look.py"), url, str(tmp_path / f"{turn}.png")],
            capture_output=True, text=True, timeout=PATIENCE, check=True,
        )  # fmt: skip
        assert "charts 200 200 200 200 200 200\nerrors 0\n" in ran.stdout
        assert "no rows []" in ran.stdout and "{'country': 'Austria', 'orders': " in ran.stdout
        refused = re.search("refused (.*)", ran.stdout)
        assert refused is not None and "line " in refused[1] and "column " in refused[1]
        seen.append(charges(policy))
    assert len(seen[0]) == 6 + 1  # the charts, and the query in SQL Lab
    assert seen[1] == seen[0]


def charges(policy: Path) -> list[tuple[object, ...]]:
    """What was paid by the analyst that Superset is."""
    with dpsql.connect(policy, analyst="superset") as connection:
        return connection.execute("SELECT question, epsilon FROM dpsql.history").fetchall()
