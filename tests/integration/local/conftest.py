"""Servers for the tests of one module."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.integration.local.server_process import ALMANAC, Server, clockwork, run_server


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "almanac"


@pytest.fixture(scope="module")
def server(folder: Path) -> Generator[Server]:
    with clockwork(folder) as server:
        yield server


@pytest.fixture(scope="module")
def full(folder: Path) -> Generator[Server]:
    """With every family."""
    with run_server([ALMANAC, "serve", "--port", "0", "--data", folder]) as server:
        yield server


@pytest.fixture
def at(full: Server, folder: Path) -> list[str]:
    """The options of a command that talks to the server with every family."""
    return ["--url", full.url, "--data", str(folder)]
