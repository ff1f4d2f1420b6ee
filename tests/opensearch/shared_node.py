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
    """The address of the node that ALMANAC_TEST_OPENSEARCH_URL names, else of one that is shared by all of a run."""
    named = os.environ.get("ALMANAC_TEST_OPENSEARCH_URL")
    if named:
        yield named
        return
    require_node()
    with share_node(_shared_folder(factory)) as address:
        yield address


@contextmanager
def node_if_any(factory: pytest.TempPathFactory) -> Generator[str | None]:
    """As `some_node`; None where none can be started, which fails where CI is set."""
    named = os.environ.get("ALMANAC_TEST_OPENSEARCH_URL")
    if named or "CI" in os.environ or artefacts.missing_requirement(INSTALLED) is None:
        with some_node(factory) as address:
            yield address
    else:
        yield None


def require_node() -> None:
    """Skips what needs a node where none can be started, with the reason; where CI is set it fails."""
    reason = artefacts.missing_requirement(INSTALLED)
    if reason is not None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    artefacts.install(INSTALLED)


def _shared_folder(factory: pytest.TempPathFactory) -> Path:
    """The same for all processes of a run."""
    own = factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "opensearch"


@contextmanager
def share_node(folder: Path) -> Generator[str]:
    """The address of the node of `folder`. Who comes first starts it, and stops it after all others."""
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
    """A node ends with who started it, so he waits for the others."""
    fcntl.flock(users, fcntl.LOCK_EX)
    with installation_lock(folder / "node"):
        node.stop()
        # A run that was interrupted may have taken its folder away.
        (folder / "address").unlink(missing_ok=True)
