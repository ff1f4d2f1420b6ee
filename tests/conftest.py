"""Fixtures of many tests (the repository's path, a caller, a clock) and the settings of a test run."""

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
from tests.order import shuffle
from tests.signals import forget_inherited_signals
from tests.word_vectors import keep_word_vectors

# The time of an example depends on the load of the machine. Speed is tested elsewhere, in CPU time.
_untimed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True)
# Use the same examples each time, so that a change does not fail because of a defect that was there before.
settings.register_profile("same", _untimed, derandomize=True)
settings.register_profile("new", _untimed)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--shuffle", type=int, metavar="SEED", help="Run files, and the tests of each, in another order.")
    parser.addoption("--new-examples", action="store_true", help="Try properties with new examples.")


def pytest_configure(config: pytest.Config) -> None:
    forget_inherited_signals()
    settings.load_profile("new" if config.getoption("new_examples") else "same")
    keep_bytecode(config.rootpath / ".pytest_cache" / "bytecode")
    # A process without word vectors in the cache computes them, which takes 20 seconds of CPU and outlasts the test.
    cache = config.rootpath / ".pytest_cache" / "word_vectors"
    if not hasattr(config, "workerinput"):  # Workers of xdist have it. They start after this process wrote the vectors.
        keep_word_vectors(cache)
    os.environ["ALMANAC_CACHE"] = str(cache)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    seed: int | None = config.getoption("shuffle")
    if seed is not None:
        items[:] = shuffle(items, seed)


def pytest_collection_finish() -> None:
    """Exempt the collected tests from garbage collection.

    There are thousands, kept until the end. A collection that scans them takes longer than some tests allow.
    """
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
    """Derive random ids and tokens from the test's name, for tests that draw everything else from a seed."""
    monkeypatch.setattr(os, "urandom", random.Random(request.node.nodeid).randbytes)
