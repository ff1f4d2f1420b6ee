"""One node for all processes of a run: 800 MB and half a minute, once."""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.installation import installation_lock
from tests.opensearch import artefacts
from tests.opensearch.node import INSTALLED, Node

STARTING = [pytest.mark.timeout(600), pytest.mark.slow]
"""For tests one of which may be the first to need a node, while others keep the machine busy."""


@contextmanager
def some_node(factory: pytest.TempPathFactory) -> Generator[str]:
    """Yield the address of the node in ALMANAC_TEST_OPENSEARCH_URL, else of a node that the whole run shares."""
    named = os.environ.get("ALMANAC_TEST_OPENSEARCH_URL")
    if named:
        yield named
        return
    require_node()
    with share_node(_shared_folder(factory)) as address:
        yield address


@contextmanager
def node_if_any(factory: pytest.TempPathFactory) -> Generator[str | None]:
    """Yield the address of `some_node`, or None if no node can start. Fails in that case if CI is set."""
    named = os.environ.get("ALMANAC_TEST_OPENSEARCH_URL")
    if named or "CI" in os.environ or artefacts.missing_requirement(INSTALLED) is None:
        with some_node(factory) as address:
            yield address
    else:
        yield None


def require_node() -> None:
    """Skip tests that need a node if none can start, with the reason. Fails if CI is set."""
    reason = artefacts.missing_requirement(INSTALLED)
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    artefacts.install(INSTALLED)


def _shared_folder(factory: pytest.TempPathFactory) -> Path:
    """Return a folder that all processes of a run share."""
    own = factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "opensearch"


@contextmanager
def share_node(folder: Path) -> Generator[str]:
    """Yield the address of the folder's node. The first process starts it, and stops it after all others have left."""
    folder.mkdir(exist_ok=True)
    address = folder / "address"
    with (folder / "users").open("a") as users:
        with installation_lock(folder / "node"):
            node = None if address.exists() else _start_node(folder)
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield address.read_text()
        finally:
            fcntl.flock(users, fcntl.LOCK_UN)
            if node is not None:
                _stop_last(node, folder, users.fileno())


def _start_node(folder: Path) -> Node:
    node = Node(folder / "node-data")
    node.start()
    (folder / "address").write_text(node.endpoint)
    return node


def _stop_last(node: Node, folder: Path, users: int) -> None:
    """Wait for the other processes, because the node ends with the process that started it."""
    fcntl.flock(users, fcntl.LOCK_EX)
    with installation_lock(folder / "node"):
        node.stop()
        # A run that was interrupted may have taken its folder away.
        (folder / "address").unlink(missing_ok=True)
