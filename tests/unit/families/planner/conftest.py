"""A house for every test of the planner."""

from pathlib import Path

import pytest

from tests.unit.families.planner.houses import House


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path)
