"""One project with the tools of all families."""

from pathlib import Path

import pytest

from tests.unit.families.context.projects import Projects
from tests.unit.families.memory.memory_app import MemoryApp


@pytest.fixture
def app(tmp_path: Path) -> MemoryApp:
    return MemoryApp(tmp_path)


@pytest.fixture
def projects(app: MemoryApp) -> Projects:
    return Projects(app)
