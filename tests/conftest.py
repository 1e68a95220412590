"""`--executions N` makes every fuzzer run longer, and `--fuzz-seed S` elsewhere: the same code, more queries."""

import pytest

DEFAULT_SEED = 20_250_101


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--executions", type=int, default=0, help="how many executions each fuzzer makes")
    parser.addoption("--fuzz-seed", type=int, default=DEFAULT_SEED, help="where the fuzzers begin")


@pytest.fixture(scope="session")
def fuzz_seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-seed", default=DEFAULT_SEED))


@pytest.fixture(scope="session")
def executions(request: pytest.FixtureRequest) -> int:
    """How many executions were asked for; 0 for each fuzzer's own default."""
    return int(request.config.getoption("--executions", default=0))
