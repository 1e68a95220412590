"""`--executions N` makes every fuzzer run longer, `--fuzz-seed S` elsewhere; `--kills N` kills servers more often."""

import gc
import os
import zlib
from collections.abc import Callable, Generator, Iterator

import pytest
from hypothesis import settings
from postgresql.server import CannotStart, Server, running

DEFAULT_SEED = 20_250_101
# How long an example takes depends on what else the machine does.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--executions", type=int, default=0, help="how many executions each fuzzer makes")
    parser.addoption("--every-case", action="store_true", help="take every case of a test with `one_in`")
    parser.addoption("--kills", type=int, default=1, help="how often the server's processes are killed")
    parser.addoption(
        "--messages", type=int, default=0, help="how many conversations the protocol's fuzzers hold"
    )
    parser.addoption("--fuzz-seed", type=int, default=DEFAULT_SEED, help="where the fuzzers begin")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One process more than there are cores: a test that waits for a disk or a child leaves its core to another."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Modules and tests stay to the end: the garbage collector looks through half a million objects no more."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of the cases of a test with `one_in(n)` all but the first and about one in n of the others are `slow`.

    Which ones follows from a case's name, so that they stay the same where others are added.
    """
    if config.getoption("--every-case", default=False):
        return
    seen: set[str] = set()
    for item in items:
        mark, name = item.get_closest_marker("one_in"), item.nodeid.partition("[")[0]
        if mark is not None and name in seen and zlib.crc32(item.nodeid.encode()) % mark.args[0]:
            item.add_marker(pytest.mark.slow)
        seen.add(name)


def pytest_configure() -> None:
    """Commands that tests start keep their compiled modules, as they do wherever they are installed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_unconfigure() -> None:
    gc.unfreeze()  # what ends with the process is freed as ever


@pytest.fixture(scope="session", autouse=True)
def state_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What commands keep for their user is kept in a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def fuzz_seed(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--fuzz-seed", default=DEFAULT_SEED))


@pytest.fixture(scope="session")
def executions(request: pytest.FixtureRequest) -> int:
    """How many executions were asked for; 0 for each fuzzer's own default."""
    return int(request.config.getoption("--executions", default=0))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Server]:
    """A PostgreSQL that this process started."""
    try:
        with running() as server:
            yield server
    except CannotStart as why:
        pytest.skip(f"PostgreSQL cannot be started here: {why}")


@pytest.fixture(scope="session")
def kills(request: pytest.FixtureRequest) -> int:
    """How often the server's processes are killed under load."""
    return int(request.config.getoption("--kills", default=1))


@pytest.fixture
def fresh_postgres(postgres_server: Server) -> Callable[[], str]:
    """The address of a database in which there is no ledger, emptied again with each call."""

    def emptied() -> str:
        postgres_server.empty()
        return postgres_server.url()

    return emptied
