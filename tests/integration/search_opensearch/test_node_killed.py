"""kill -9 of the node under writers: nothing acknowledged is lost, and nothing that is old or gone comes back."""

import random
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.opensearch.calls import Patience, connect
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import LEGS, DocumentState, Filters, Removal
from tests.contract.search.index_samples import entry, question
from tests.opensearch.node import Node
from tests.opensearch.shared_node import require_node

ROUNDS = 20
WRITERS = 3
IDS = 40
"""Of each writer: each is written again and again, and now and then removed."""


class Last(Struct):
    """A document as its writer knows it: the last acknowledged version and the last tried one."""

    acknowledged: int = 0
    removed: bool = False
    tried: int = 0


class Writer:
    """Writes to a project of its own until it is not answered any more."""

    def __init__(self, index: OpenSearchIndex, number: int) -> None:
        self._index = index
        self._chance = random.Random(number)
        self.scope = Scope(f"tenant-{number}", "main")
        self.known = {f"d{place}": Last() for place in range(IDS)}
        self.acknowledged = 0

    def write(self, enough: threading.Event) -> None:
        try:
            while True:
                self._write_some()
                if self.acknowledged > 20:
                    enough.set()
        except Unavailable:
            enough.set()

    def _write_some(self) -> None:
        chosen = self._chance.sample(sorted(self.known), 5)
        for key in chosen:
            self.known[key].tried += 1
        removes = self._chance.random() < 0.3
        versions = {key: self.known[key].tried for key in chosen}
        if removes:
            self._index.remove(self.scope, [Removal(id=key, profile="talk", version=v) for key, v in versions.items()])
        else:
            self._index.index(self.scope, [entry(key, "ginger tea", version=v) for key, v in versions.items()])
        for key in chosen:
            self.known[key].acknowledged, self.known[key].removed = versions[key], removes
        self.acknowledged += 1

    def replay(self) -> None:
        """Write every earlier version again."""
        for version in (1, 2):
            before = [key for key, last in self.known.items() if last.tried > version]
            self._index.index(self.scope, [entry(key, "ginger tea", version=version) for key in before])


@pytest.fixture
def node(tmp_path: Path) -> Generator[Node]:
    require_node()
    node = Node(tmp_path)
    node.start()
    yield node
    node.stop()


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_killed_node_loses_nothing_it_acknowledged(node: Node) -> None:
    transport = connect(node.endpoint)
    index = OpenSearchIndex(transport, "killed", sleep=time.sleep, patience=Patience(60, 60))
    writers = [Writer(index, number) for number in range(WRITERS)]
    for _ in range(ROUNDS):
        _write_and_kill(node, writers)
        node.start()
        for writer in writers:
            writer.replay()
        transport.perform_request("POST", "/killed.search/_refresh", timeout=60)
        for writer in writers:
            _compare(writer, {each.id: each for each in index.list_states(writer.scope, "talk")})
            frame = index.candidates(writer.scope, "talk", question("ginger tea"), Filters(), LEGS, 100)
            assert set(frame.ids) == {
                key for key, last in writer.known.items() if last.acknowledged and not last.removed
            }


def _write_and_kill(node: Node, writers: Sequence[Writer]) -> None:
    """The end comes while all of them write, after some were acknowledged in this round."""
    enough = threading.Event()
    threads = [threading.Thread(target=writer.write, args=(enough,)) for writer in writers]
    for writer in writers:
        writer.acknowledged = 0
    for thread in threads:
        thread.start()
    assert enough.wait(60)
    node.kill()
    for thread in threads:
        thread.join()
    assert sum(writer.acknowledged for writer in writers) > 20


def _compare(writer: Writer, held: dict[str, DocumentState]) -> None:
    for key, last in writer.known.items():
        found = held.get(key, DocumentState(key, 0))
        assert found.version in {last.acknowledged, last.tried}, "an older version, or nothing"
        if found.version == last.acknowledged:
            assert found.removed == last.removed
        # Of a write that was not acknowledged, what happened is known now.
        last.acknowledged, last.removed = found.version, found.removed
