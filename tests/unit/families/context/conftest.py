"""One project with the tools of all families."""

from pathlib import Path

import pytest

from tests.project_app import ProjectApp
from tests.unit.families.context.projects import Projects


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


@pytest.fixture
def projects(app: ProjectApp) -> Projects:
    return Projects(app)
