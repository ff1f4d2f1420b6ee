from pathlib import Path

import pytest

from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import Things


@pytest.fixture
def things(tmp_path: Path) -> Things:
    return Things(tmp_path, MemoryIndex())
