"""A server to sign in to, on loopback and behind its public URL."""

from collections.abc import Generator
from pathlib import Path

import pytest

from almanac.kernel.clock import FixedClock
from tests.integration.sign_in.world import PUBLIC, World


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Generator[World]:
    made = World(tmp_path, clock)
    yield made
    made.close()


@pytest.fixture
def public(tmp_path: Path, clock: FixedClock) -> Generator[World]:
    made = World(tmp_path / "public", clock, PUBLIC)
    yield made
    made.close()
