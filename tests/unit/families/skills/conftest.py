"""An app for every test of skills: one project with the tools of all families, and an index that follows."""

from pathlib import Path

import pytest

from tests.project_app import ProjectApp


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)
