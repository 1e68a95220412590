"""`--samples N` makes the statistical tests of this folder larger: the same tests, more draws."""

import pytest

DEFAULT_SAMPLES = 200_000


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--samples", type=int, default=DEFAULT_SAMPLES, help="draws of each statistical test")


@pytest.fixture
def samples(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--samples", default=DEFAULT_SAMPLES))
