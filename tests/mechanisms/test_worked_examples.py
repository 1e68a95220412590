"""The worked examples in the docstrings of the mechanisms are executed."""

import doctest
import importlib
import pkgutil

import pytest

from dpsql import mechanisms

MODULES = [found.name for found in pkgutil.iter_modules(mechanisms.__path__)]


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_examples_of_each_file_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(f"dpsql.mechanisms.{name}")).failed == 0


def test_there_are_worked_examples() -> None:
    found = (
        doctest.testmod(importlib.import_module(f"dpsql.mechanisms.{name}")).attempted for name in MODULES
    )
    assert sum(found) >= 10
