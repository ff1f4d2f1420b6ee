"""An app for every test of skills: one project with the tools of all families, and an index that follows."""

from pathlib import Path

import pytest

from tests.unit.families.memory.memory_app import MemoryApp


@pytest.fixture
def app(tmp_path: Path) -> MemoryApp:
    return MemoryApp(tmp_path)
