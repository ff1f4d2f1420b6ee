"""An app for every test of the planner."""

from pathlib import Path

import pytest

from tests.unit.families.planner.planner_app import PlannerApp


@pytest.fixture
def app(tmp_path: Path) -> PlannerApp:
    return PlannerApp(tmp_path)
