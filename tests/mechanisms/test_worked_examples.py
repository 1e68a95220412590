"""The worked examples in the docstrings of the mechanisms are executed."""

import doctest
import importlib
import pkgutil

import pytest

from dpsql import mechanisms

MODULES = [f.name for f in pkgutil.walk_packages(mechanisms.__path__, "dpsql.mechanisms.") if not f.ispkg]


@pytest.mark.parametrize("name", MODULES)
def test_the_worked_examples_of_each_file_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_worked_examples() -> None:
    found = (doctest.testmod(importlib.import_module(name)).attempted for name in MODULES)
    assert sum(found) >= 10 and len(MODULES) > 30
