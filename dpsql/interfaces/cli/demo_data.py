"""Two public data sets for the demonstration, read from installed packages and kept in the user's cache.

Only the packages' data files are opened: neither package is imported, and nothing is copied elsewhere.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from dpsql.engines.public_files import csv_to_parquet
from dpsql.errors import OperationalError
from dpsql.slotted import dataclass

POLICY_FILES = ("fair.yaml", "cdnow.yaml", "occupations.csv")


@dataclass(frozen=True, slots=True)
class DemoData:
    """A text file inside an installed package, its columns with DuckDB types, and the rows it must have."""

    package: str
    file: str
    target: str
    columns: tuple[tuple[str, str], ...]
    rows: int


FAIR = DemoData(
    package="statsmodels",
    file="statsmodels/datasets/fair/fair.csv",
    target="fair.parquet",
    columns=(
        ("rate_marriage", "INTEGER"),
        ("age", "DOUBLE"),
        ("yrs_married", "DOUBLE"),
        ("children", "DOUBLE"),
        ("religious", "INTEGER"),
        ("educ", "INTEGER"),
        ("occupation", "INTEGER"),
        ("occupation_husb", "INTEGER"),
        ("affairs", "DOUBLE"),
    ),
    rows=6_366,
)
CDNOW = DemoData(
    package="lifetimes",
    file="lifetimes/datasets/CDNOW_master.txt",
    target="cdnow.parquet",
    columns=(("customer_id", "INTEGER"), ("day", "DATE"), ("quantity", "INTEGER"), ("amount", "DOUBLE")),
    rows=69_659,
)


def prepare_demo_data(cache: Path | None = None) -> Path:
    """Put both data sets as Parquet, and the policies for them, into one folder, and return it.

    The folder is `cache`, or `dpsql` in the user's cache folder. Parquet files that are there are kept, so
    that a ledger's record of them stays valid. Raises OperationalError where a package is missing or holds
    other data.
    """
    folder = cache if cache is not None else user_cache() / "dpsql"
    folder.mkdir(parents=True, exist_ok=True)
    for data in (FAIR, CDNOW):
        if not (folder / data.target).exists():
            _convert(data, folder)
    for name in POLICY_FILES:
        _copy_if_changed(policies_folder() / name, folder / name)
    return folder


def user_cache() -> Path:
    """This user's folder for files that can be made again: XDG_CACHE_HOME or the platform's own."""
    if chosen := os.environ.get("XDG_CACHE_HOME"):
        return Path(chosen)
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local)
    return Path.home() / ".cache"


def policies_folder() -> Path:
    """Where the example policies are: inside an installed package, or at the top of a source checkout."""
    installed = Path(__file__).parent / "policies"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "policies"


def _convert(data: DemoData, folder: Path) -> None:
    """Write to a temporary folder first, so that an interrupted run leaves no half file behind."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        text = Path(scratch) / "data.csv"
        text.write_text(_as_csv(_package_file(data)), encoding="utf-8")
        parquet = Path(scratch) / data.target
        rows = csv_to_parquet(text, parquet, data.columns, "%Y%m%d")
        if rows != data.rows:
            raise OperationalError(f"{data.file} of {data.package} has {rows} rows and not {data.rows}")
        parquet.replace(folder / data.target)


def _package_file(data: DemoData) -> Path:
    try:
        path = Path(str(distribution(data.package).locate_file(data.file)))
    except PackageNotFoundError:
        path = None
    if path is None or not path.is_file():
        raise OperationalError(
            f"the demonstration reads {data.file} of the package {data.package}, which is not installed; "
            "`pip install statsmodels lifetimes` installs what it needs"
        )
    return path


def _as_csv(path: Path) -> str:
    """The file's text as CSV; a .txt file separates fields by runs of blanks."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return text
    return "".join(",".join(line.split()) + "\n" for line in text.splitlines())


def _copy_if_changed(source: Path, target: Path) -> None:
    if not target.exists() or target.read_bytes() != source.read_bytes():
        shutil.copyfile(source, target)
