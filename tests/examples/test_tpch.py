"""TPC-H at a small scale: which of its 22 queries are answered, and that none of the answers is wrong."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import duckdb
import pytest
from answers.noiseless import Noiseless

from dpsql.errors import QueryRefused
from dpsql.policy.load import load_policy
from dpsql.session import Session, build_session

HERE = Path(__file__).parents[2] / "examples" / "tpch"
EXACT = {2, 11, 16}
REFUSED = {
    10: "a row for each unit",
    18: "a row for each unit",
}


@pytest.fixture(scope="module")
def tpch() -> ModuleType:
    spec = importlib.util.spec_from_file_location("tpch_example", HERE / "run.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def folder(tpch: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found: Path = tpch.generated(0.01, tmp_path_factory.mktemp("tpch"))
    return found


@pytest.fixture(scope="module")
def session(folder: Path) -> Iterator[Session]:
    policy = load_policy(folder / "policy.yaml")
    # Limits are found with noise for many people; without noise and among few, those of the policy are as exact.
    opened = build_session(
        *(policy, "alice", None, (None, None), Noiseless()), clipping="fixed", empty_conditions=True
    )
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def plain(tpch: ModuleType, folder: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect()
    for table in tpch.TABLES:
        connection.execute(f"CREATE VIEW {table} AS FROM '{folder / f'{table}.parquet'}'")
    yield connection
    connection.close()


def text(number: int) -> str:
    return (HERE / "queries" / f"q{number:02}.sql").read_text(encoding="utf-8")


@pytest.mark.one_in(6)
@pytest.mark.parametrize("number", [n for n in range(1, 23) if n not in REFUSED])
def test_an_answer_without_noise_is_duckdbs(
    number: int, tpch: ModuleType, session: Session, plain: duckdb.DuckDBPyConnection
) -> None:
    answer, exact = session.answer(text(number)), plain.execute(text(number)).fetchall()
    assert (answer.released.epsilon == 0) == (number in EXACT)
    error = tpch.median_error(number, list(answer.rows), exact)
    if error is None:  # a market share of nothing, in data this small
        assert answer.rows and all(  # SUM over nothing is 0
            row[i] in (0, None) for row in (*answer.rows, *exact) for i in tpch.MEASURES[number]
        )
    else:
        assert error < 0.01  # the few customers who buy very much count with less
    if number in EXACT:
        assert tpch.alike(list(answer.rows), exact)


@pytest.mark.parametrize("number", REFUSED)
def test_lists_of_people_are_refused_for_nothing(number: int, session: Session) -> None:
    before = session.budget()
    with pytest.raises(QueryRefused, match=REFUSED[number]):
        session.answer(text(number))
    assert session.budget() == before


@pytest.mark.slow
def test_the_example_prints_what_became_of_every_query(
    tpch: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["run.py", "--scale", "0.01"])
    tpch.main()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[1:23]] == [f"Q{n}" for n in range(1, 23)]
    assert lines[23].startswith("exact and free 3, with noise 17, refused 2; with noise and within 10 %: ")
