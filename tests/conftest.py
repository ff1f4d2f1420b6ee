"""What many tests need: where the repository is, a caller, a clock that stands still; and how the suite is run."""

import gc
import os
import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from tests.bytecode import keep_bytecode
from tests.order import shuffled
from tests.signals import forget_inherited_signals
from tests.word_vectors import keep_word_vectors

# How long an example takes says more of the machine's load than of the code: what must be quick is counted elsewhere.
_untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
# The same examples each time: a change is not to be held up by what it did not do.
settings.register_profile("same", _untimed, derandomize=True)
settings.register_profile("new", _untimed)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="Run files, and the tests of each, in another order.")
    parser.addoption("--new-examples", action="store_true", help="Let properties hold for examples never tried before.")


def pytest_configure(config: pytest.Config) -> None:
    forget_inherited_signals()
    settings.load_profile("new" if config.getoption("new_examples") else "same")
    keep_bytecode(config.rootpath / ".pytest_cache" / "bytecode")
    # Processes that find no word vectors there make them, in 20 seconds of CPU that outlast the test.
    cache = config.rootpath / ".pytest_cache" / "word_vectors"
    if not hasattr(config, "workerinput"):  # what a worker of xdist has, which starts after this process wrote them
        keep_word_vectors(cache)
    os.environ["ALMANAC_CACHE"] = str(cache)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed: int | None = config.getoption("shuffle")
    if seed is not None:
        items[:] = shuffled(items, seed)


def pytest_collection_finish() -> None:
    """Thousands of tests stay to the end: to look through them takes longer than what is bounded in processor time may
    take."""
    gc.freeze()


@pytest.fixture(scope="session")
def repository() -> Path:
    return Path(__file__).parent.parent


@pytest.fixture
def caller() -> Caller:
    return Caller(Scope("tenant", "project"), actor="tester", key_id="key", default_timezone="America/New_York")


@pytest.fixture
def clock() -> FixedClock:
    """Wednesday, 2026-02-18 14:30 UTC, 09:30 in New York."""
    return FixedClock(datetime(2026, 2, 18, 14, 30, tzinfo=UTC))


@pytest.fixture
def same_ids(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids and tokens that follow from the test's name, for tests that draw the rest from a seed."""
    monkeypatch.setattr(os, "urandom", random.Random(request.node.nodeid).randbytes)
