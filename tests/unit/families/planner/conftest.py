"""An app for every test of the planner."""

from pathlib import Path

import pytest

from tests.project_app import ProjectApp, planner_app


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return planner_app(tmp_path)
