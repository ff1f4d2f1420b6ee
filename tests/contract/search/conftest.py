"""Fixtures of the search index on every available technology. Tests of the others are skipped with the reason."""

import os
from collections.abc import Callable, Generator

import pytest

from almanac.kernel.caller import Scope
from almanac.search.opensearch.calls import Patience, connect
from almanac.search.opensearch.generations import Shape
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.settled_index import SettledIndex, next_scope
from tests.doubles.search_index import MemoryIndex
from tests.opensearch.shared_node import STARTING, some_node


def _at_once() -> None:
    """Return at once, because writes are visible already."""


def _in_memory(request: pytest.FixtureRequest) -> SettledIndex:
    return SettledIndex(MemoryIndex(), _at_once)


def _on_sqlite(request: pytest.FixtureRequest) -> SettledIndex:
    index = SqliteIndex(request.getfixturevalue("tmp_path") / "search")
    request.addfinalizer(index.close)
    return SettledIndex(index, _at_once)


def _on_opensearch(request: pytest.FixtureRequest) -> SettledIndex:
    name = f"contract-{os.getpid()}"
    transport = connect(request.getfixturevalue("opensearch_address"))

    def settle(seconds: float = 0) -> None:
        transport.perform_request("POST", f"/{name}.search-*/_refresh", timeout=60)

    # Several shards, so that nothing is found by asking the wrong one.
    shape = Shape(shards=3, replicas=0)
    return SettledIndex(OpenSearchIndex(transport, name, sleep=settle, patience=Patience(60, 60), shape=shape), settle)


INDEXES: dict[str, Callable[[pytest.FixtureRequest], SettledIndex]] = {
    "memory": _in_memory,
    "sqlite": _on_sqlite,
    "opensearch": _on_opensearch,
}
"""An empty index, or one that other tests share: each has a tenant of its own."""


@pytest.fixture(scope="session")
def opensearch_address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with some_node(tmp_path_factory) as address:
        yield address


@pytest.fixture(params=[pytest.param(name, marks=STARTING if name == "opensearch" else ()) for name in INDEXES])
def search_index(request: pytest.FixtureRequest) -> SettledIndex:
    return INDEXES[request.param](request)


@pytest.fixture
def scope() -> Scope:
    return next_scope()
