"""The module's names are PEP 249's, and importing it is quick."""

from __future__ import annotations

import subprocess
import sys

import pytest

import dpsql
from dpsql import errors
from dpsql.release.render import type_codes as typecodes


def test_the_module_level_constants_are_those_of_pep_249():
    assert (dpsql.apilevel, dpsql.threadsafety, dpsql.paramstyle) == ("2.0", 1, "qmark")


@pytest.mark.parametrize(
    "name", [n for n, v in vars(errors).items() if isinstance(v, type) and issubclass(v, Exception)]
)
def test_every_error_class_is_a_name_of_the_module(name):
    assert getattr(dpsql, name) is getattr(errors, name)
    assert name in dpsql.__all__


@pytest.mark.parametrize(
    "name",
    ["Date", "Time", "Timestamp", "DateFromTicks", "TimeFromTicks", "TimestampFromTicks", "Binary",
     "STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"],
)  # fmt: skip
def test_type_objects_and_constructors_are_names_of_the_module(name):
    assert getattr(dpsql, name) is getattr(typecodes, name)


def loaded_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has after the code, those inside packages among them."""
    program = f"{code}; import sys; print(*sys.modules)"
    return set(
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout.split()
    )


def test_importing_the_package_loads_nothing_until_a_name_is_asked_for():
    assert {name for name in loaded_by("import dpsql") if name.startswith("dpsql")} == {"dpsql"}
    assert {name for name in loaded_by("from dpsql import QueryRefused") if name.startswith("dpsql")} == {
        "dpsql",
        "dpsql.errors",
        "dpsql.slotted",
    }


def test_connect_loads_what_answers_need_and_nothing_of_a_command_line_or_an_extra():
    loaded = loaded_by("from dpsql import connect")
    assert {"duckdb", "numpy", "pydantic", "sqlglot", "yaml"} <= loaded
    assert not loaded & {"click", "rich", "psycopg", "sqlalchemy", "pandas", "pyarrow", "scipy", "IPython"}


def test_every_public_name_is_there_and_listed_and_no_other():
    assert all(getattr(dpsql, name) is not None for name in dpsql.__all__)
    assert set(dpsql.__all__) <= set(dir(dpsql))
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        dpsql.nonsense  # noqa: B018
