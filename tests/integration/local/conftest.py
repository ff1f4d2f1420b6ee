"""One server for the tests that leave it as it is."""

from collections.abc import Generator
from pathlib import Path

import pytest

from tests.integration.local.server_process import Server, clockwork


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data") / "almanac"


@pytest.fixture(scope="module")
def server(folder: Path) -> Generator[Server]:
    with clockwork(folder) as server:
        yield server
