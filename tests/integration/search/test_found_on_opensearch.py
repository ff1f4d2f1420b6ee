"""Test that searches find writes at once and removed things no more on OpenSearch, whose searches lag behind."""

import os
import random
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from almanac.kernel.clock import SystemClock
from almanac.search.opensearch.calls import Patience, connect
from almanac.search.opensearch.index import OpenSearchIndex
from tests.doubles.searched_things import SCOPE, Things
from tests.integration.search.test_found_at_once import WORDS
from tests.opensearch.shared_node import STARTING, some_node
from tests.unit.search.samples import is_sound

pytestmark = STARTING


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    with some_node(tmp_path_factory) as address:
        yield address


def open_things(folder: Path, address: str, name: str) -> Things:
    transport = connect(address)
    index = OpenSearchIndex(transport, name, sleep=time.sleep, patience=Patience(60, 60))
    return Things(folder, index, clock=SystemClock())


@pytest.mark.parametrize("tries", [40, pytest.param(1000, marks=[pytest.mark.soak, pytest.mark.timeout(900)])])
def test_what_was_written_is_found_by_the_next_search(tmp_path: Path, address: str, tries: int) -> None:
    chance, name = random.Random(13), f"at-once-{os.getpid()}-{tries}"
    writing, searching = open_things(tmp_path, address, name), open_things(tmp_path, address, name)
    for number in range(tries):
        thing, text = f"t{number}", " ".join(chance.choices(WORDS, k=8))
        writing.write(thing, f"{text} number{number}")
        if number % 2:
            writing.deliver()
        assert thing in searching.search_ids(f"number{number} {text}"), number
        if number % 5 == 4:
            writing.drop(thing)
            if number % 10 == 4:
                writing.deliver()
            assert thing not in searching.search_ids(f"number{number} {text}"), number
    writing.deliver()
    assert len(writing.fresh()) < tries / 2 + 100
    assert writing.reports == []


def test_the_index_agrees_with_the_store_once_it_is_seen(tmp_path: Path, address: str) -> None:
    things = open_things(tmp_path, address, f"agrees-{os.getpid()}")
    for number in range(30):
        things.write(f"t{number}", "a yellow boat")
    things.drop("t7")
    things.deliver()
    visible = things.index.visible_after_ms if things.index is not None else 0
    begun = time.monotonic()
    while things.upkeep.status(SCOPE)[0].documents < 29:
        assert time.monotonic() - begun < 60 + visible / 1000
    found = things.upkeep.verify(SCOPE, lambda _: None)
    assert (is_sound(found), found.documents, found.fresh) == (True, 29, 0), found
