"""The demonstration's data: read from installed packages, typed, complete, kept."""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from dpsql.engines.public_files import csv_to_parquet, exact_rows
from dpsql.errors import OperationalError
from dpsql.interfaces.cli import demo_data
from dpsql.interfaces.cli.demo_data import CDNOW, FAIR, DemoData, prepare_demo_data, user_cache


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare_demo_data(tmp_path_factory.mktemp("cache"))


@pytest.mark.parametrize("data", [FAIR, CDNOW], ids=lambda data: data.package)
def test_every_column_has_the_stated_type_and_no_null(folder: Path, data: DemoData) -> None:
    file = (("t", folder / data.target),)
    described = exact_rows(file, "SELECT column_name, column_type FROM (DESCRIBE t)")
    assert described == data.columns
    complete = " AND ".join(f"{name} IS NOT NULL" for name, _ in data.columns)
    assert exact_rows(file, f"SELECT count(*) FROM t WHERE {complete}") == ((data.rows,),)


def test_purchases_are_those_of_the_published_study(folder: Path) -> None:
    """23,570 customers from January 1997 to June 1998 (Fader and Hardie 2001)."""
    study = "SELECT count(DISTINCT customer_id), min(day)::TEXT, max(day)::TEXT FROM t"
    assert exact_rows((("t", folder / "cdnow.parquet"),), study) == ((23_570, "1997-01-01", "1998-06-30"),)


def test_the_public_table_names_every_occupation_of_the_survey(folder: Path) -> None:
    files = (("fair", folder / "fair.parquet"), ("o", folder / "occupations.csv"))
    missing = "SELECT count(*) FROM fair WHERE occupation NOT IN (SELECT code FROM o)"
    assert exact_rows(files, missing) == ((0,),)


def test_a_second_call_keeps_the_data_and_renews_a_changed_policy(tmp_path: Path) -> None:
    prepare_demo_data(tmp_path)
    before = (tmp_path / "fair.parquet").stat().st_mtime_ns
    (tmp_path / "fair.yaml").write_text("version: 0\n")
    prepare_demo_data(tmp_path)
    assert (tmp_path / "fair.parquet").stat().st_mtime_ns == before
    assert (tmp_path / "fair.yaml").read_bytes() == (demo_data.policies_folder() / "fair.yaml").read_bytes()
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_preparing_imports_neither_package(folder: Path) -> None:
    assert "lifetimes" not in sys.modules
    assert "statsmodels" not in sys.modules


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> object:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(demo_data, "distribution", missing)
    with pytest.raises(OperationalError, match="pip install statsmodels lifetimes"):
        prepare_demo_data(tmp_path)


def test_a_package_with_other_data_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("a,b,c,d,e,f,g,h,i\n" + "1,2,3,4,5,6,7,8,9\n" * 3)
    monkeypatch.setattr(demo_data, "_package_file", lambda data: other)
    with pytest.raises(OperationalError, match="has 3 rows and not 6366"):
        prepare_demo_data(tmp_path / "cache")
    assert not list((tmp_path / "cache").iterdir())


def test_the_cache_folder_is_the_one_the_user_chose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert user_cache() == tmp_path


def test_paths_with_quotes_are_no_sql(tmp_path: Path) -> None:
    odd = tmp_path / "it's here"
    odd.mkdir()
    (odd / "a.csv").write_text("x\n1\n2\n")
    assert csv_to_parquet(odd / "a.csv", odd / "a.parquet", (("x", "INTEGER"),), "%Y-%m-%d") == 2
    assert exact_rows((("t", odd / "a.parquet"),), "SELECT sum(x)::INTEGER FROM t") == ((3,),)
