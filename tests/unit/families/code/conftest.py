"""A repository for every test of the code family."""

from pathlib import Path

import pytest

from tests.unit.families.code.repository import Repository


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)
