"""Engines that the tests of the function table share; the long runs of this folder wait for `-m slow`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from edges import Engine


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("markexpr"):
        return
    for item in items:
        if item.path.parent == Path(__file__).parent and item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="a long run of the test above; choose it with -m slow"))


@pytest.fixture(scope="session")
def engines() -> Iterator[tuple[Engine, Engine]]:
    """One engine with its optimiser and one without."""
    both = (Engine(optimised=True), Engine(optimised=False))
    yield both
    for engine in both:
        engine.connection.close()
