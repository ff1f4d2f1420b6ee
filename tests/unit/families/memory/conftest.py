"""An app for every test of memory."""

from pathlib import Path

import pytest

from tests.project_app import ProjectApp


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)
