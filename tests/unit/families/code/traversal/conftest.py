"""The graph of a project for every test of traversals."""

import pytest

from tests.unit.families.code.repository import Repository
from tests.unit.families.code.traversal.graph_app import GraphApp


@pytest.fixture
def graph(repository: Repository) -> GraphApp:
    return GraphApp(repository)
