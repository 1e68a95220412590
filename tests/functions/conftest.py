"""Engines that the tests of the function table share; the long runs of this folder wait for `-m slow`."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from edges import Engine
from function_cases import COLUMNS
from ordinary_rows import ROWS


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


@pytest.fixture(scope="session")
def ordinary(engines: tuple[Engine, Engine]) -> Engine:
    """The engine with a table of ordinary values."""
    engine = engines[0]
    columns = {c: c.type for c in COLUMNS.values()}
    engine.fill("ordinary", columns, [tuple(row[c.name] for c in columns) for row in ROWS])
    return engine
