"""Tools of data people: each sends one query for one question, pays once, and shows a refusal's whole sentence."""

from __future__ import annotations

import importlib
import os
import runpy
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

import dpsql
from dpsql import shared

EXAMPLES = Path(__file__).parents[2] / "examples" / "bi"
SQL = "SELECT region, COUNT(*) AS n, AVG(amount) AS mean FROM orders WHERE quantity > {} GROUP BY region"
REFUSED = "SELECT amount FROM orders"
SENTENCE = (
    "line 1, column 8: the query would return rows of a private table. Aggregate them: COUNT, SUM, AVG, with or "
    'without GROUP BY. A connection with rows="mock" shows made-up rows.'
)
Read = Callable[..., object]


def needed(name: str) -> object:
    """A tool, or the reason why its test is skipped."""
    return pytest.importorskip(name, reason=f"{name} is not installed here: pip install {name}")


def pandas_raw(sql: str, connection: dpsql.Connection, url: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return needed("pandas").read_sql(sql, connection)  # type: ignore[attr-defined]


def pandas_engine(sql: str, connection: dpsql.Connection, url: str) -> object:
    return needed("pandas").read_sql(sql, sa.create_engine(url))  # type: ignore[attr-defined]


def pandas_url(sql: str, connection: dpsql.Connection, url: str) -> object:
    return needed("pandas").read_sql(sql, url)  # type: ignore[attr-defined]


def pandas_chunks(sql: str, connection: dpsql.Connection, url: str) -> object:
    pandas = needed("pandas")
    return pandas.concat(list(pandas.read_sql_query(sql, sa.create_engine(url), chunksize=3)))  # type: ignore[attr-defined]


def polars_raw(sql: str, connection: dpsql.Connection, url: str) -> object:
    return needed("polars").read_database(sql, connection)  # type: ignore[attr-defined]


def polars_cursor(sql: str, connection: dpsql.Connection, url: str) -> object:
    return needed("polars").read_database(sql, connection.cursor())  # type: ignore[attr-defined]


def polars_engine(sql: str, connection: dpsql.Connection, url: str) -> object:
    return needed("polars").read_database(sql, sa.create_engine(url))  # type: ignore[attr-defined]


def polars_session(sql: str, connection: dpsql.Connection, url: str) -> object:
    with sa.create_engine(url).connect() as opened:
        return needed("polars").read_database(sql, opened)  # type: ignore[attr-defined]


def arrow(sql: str, connection: dpsql.Connection, url: str) -> object:
    needed("pyarrow")
    return connection.execute(sql).to_arrow_table().to_pandas() if pytest.importorskip("pandas") else None


READERS: tuple[Read, ...] = (
    pandas_raw, pandas_engine, pandas_url, pandas_chunks, polars_raw, polars_cursor, polars_engine, polars_session,
    arrow,
)  # fmt: skip


@pytest.fixture(name="sent")
def _sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The queries that reached a cursor."""
    sent: list[str] = []
    execute = dpsql.Cursor.execute

    def watched(self: dpsql.Cursor, sql: str, params: object = None) -> dpsql.Cursor:
        sent.append(sql)
        return execute(self, sql, params)  # type: ignore[arg-type]

    monkeypatch.setattr(dpsql.Cursor, "execute", watched)
    return sent


@pytest.fixture(name="connection")
def _connection(shop: Path, tmp_path: Path) -> Iterator[dpsql.Connection]:
    with shared.connect(shop / "shop.yaml", analyst="alice", ledger=tmp_path / "test.ledger") as connection:
        yield connection


@pytest.mark.one_in(6)
@pytest.mark.parametrize("read", READERS)
def test_a_frame_is_read_with_one_query_and_one_charge(
    read: Read, connection: dpsql.Connection, url: Callable[..., str], sent: list[str]
) -> None:
    frame = read(SQL.format(1), connection, url())
    assert list(frame.columns) == ["region", "n", "mean"]  # type: ignore[attr-defined]
    assert len(frame) == 4 and sent == [SQL.format(1)]  # type: ignore[arg-type]
    assert connection.budget().spent.epsilon == 1
    assert len(connection.execute("SELECT * FROM dpsql.history").fetchall()) == 1


@pytest.mark.parametrize("read", READERS)
def test_a_refused_frame_says_the_whole_sentence(
    read: Read, connection: dpsql.Connection, url: Callable[..., str], sent: list[str]
) -> None:
    with pytest.raises(Exception) as caught:  # each tool has errors of its own
        read(REFUSED, connection, url())
    assert SENTENCE in str(caught.value) and dpsql.sentence(caught.value) == SENTENCE
    assert sent == [REFUSED] and connection.budget().spent.epsilon == 0


def test_an_error_of_another_kind_keeps_its_own_text() -> None:
    inner = ValueError("inside")
    inner.__context__ = outer = KeyError("outside")
    outer.__context__ = inner
    assert dpsql.sentence(inner) == "inside"


def test_the_frames_of_the_example_cost_one_charge_each(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], sent: list[str], tmp_path: Path
) -> None:
    for name in ("pandas", "polars", "pyarrow"):
        needed(name)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    example = runpy.run_path(str(EXAMPLES / "frames.py"))
    example["main"](tmp_path)
    out = capsys.readouterr().out
    assert f"refused: {SENTENCE}" in out and out.count("avg(amount) of orders") == 5 and len(sent) == 7


@pytest.fixture(name="environment")
def _environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The policy of the example shop, under the name by which the examples find it."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    policy: Path = importlib.import_module("shop").make_shop(tmp_path)
    monkeypatch.setenv("SHOP", str(policy))
    return policy


def spent(policy: Path) -> float:
    """What alice has spent beside that policy."""
    with dpsql.connect(policy, analyst="alice") as connection:
        return float(connection.budget().spent.epsilon)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_page_of_streamlit_asks_once_and_shows_a_refusal_as_a_sentence(
    environment: Path, sent: list[str]
) -> None:
    needed("streamlit")
    testing = importlib.import_module("streamlit.testing.v1")
    page = testing.AppTest.from_file(str(EXAMPLES / "streamlit_app.py")).run(timeout=60)
    assert not page.exception and len(page.dataframe) == 1 and len(sent) == 2
    assert spent(environment) == 2
    page.run(timeout=60)
    assert len(sent) == 2  # kept by Streamlit itself
    page.text_input[0].set_value(REFUSED).run(timeout=60)
    assert not page.exception and [e.value for e in page.error] == [SENTENCE]
    assert spent(environment) == 2


@pytest.mark.slow
def test_a_notebook_of_marimo_asks_once(environment: Path) -> None:
    needed("marimo")
    ran = subprocess.run(
        [sys.executable, str(EXAMPLES / "marimo_app.py")],
        capture_output=True, text=True, timeout=120, check=True, env=dict(os.environ),
    )  # fmt: skip
    assert ran.stdout.count("Austria") == 1
    assert spent(environment) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_a_notebook_of_jupyter_asks_once_for_each_cell(environment: Path) -> None:
    for name in ("nbclient", "sql", "ipykernel"):
        needed(name)
    nbformat, nbclient = importlib.import_module("nbformat"), importlib.import_module("nbclient")
    notebook = nbformat.read(EXAMPLES / "jupysql.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = str([cell.outputs for cell in notebook.cells if cell.cell_type == "code"])
    assert "one of bags, books" in shown or "quantity" in shown
    assert spent(environment) == 1
