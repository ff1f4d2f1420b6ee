"""All documents that have some exact words are found, the greatest id or the latest first, page by page."""

import os
import random
from collections.abc import Sequence
from itertools import starmap
from pathlib import Path
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.search.analysis.exact_words import exact_words_of
from almanac.search.opensearch.calls import Patience, connect
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import Entry, Filters, Lookup, Order, Place
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.index_samples import entry
from tests.contract.search.settled_index import SettledIndex, next_scope
from tests.opensearch.shared_node import STARTING

TEXTS = {
    "a": "Run `rm -rf build/` for C++ in src/app.py, see #123",
    "b": "deploy deployment redeploy",
    "c": "東京タワー Straße №5 🙂 a_b",
    "d": "x" * 40 + " \x00\x07 l'été",
    "e": "",
}


def document(id: str, text: str, *, at: int = 0, version: int = 1, **more: Any) -> Entry:
    words = tuple(sorted(exact_words_of([text])))
    return entry(id, text, profile="documents", at=at, version=version, words=words, **more)


@pytest.fixture
def search_index(search_index: SettledIndex) -> SettledIndex:
    search_index.index.start_rebuild()
    search_index.index.finish_rebuild()
    return search_index


def look_up(searched: SettledIndex, scope: Scope, *words: str, **more: Any) -> list[str]:
    places = searched.index.find_places(scope, "documents", Lookup(words=words, **more))
    assert places is not None
    return [place.id for place in places]


def every(searched: SettledIndex, scope: Scope, lookup: Lookup) -> list[Place]:
    pages: list[Place] = []
    while page := searched.index.find_places(scope, "documents", _behind(lookup, pages)):
        pages += page
        if len(page) < lookup.size:
            break
    return pages


def _behind(lookup: Lookup, pages: Sequence[Place]) -> Lookup:
    return Lookup(
        words=lookup.words,
        prefixes=lookup.prefixes,
        filters=lookup.filters,
        order=lookup.order,
        size=lookup.size,
        after=pages[-1] if pages else None,
    )


def test_documents_are_found_by_their_words_as_written(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *starmap(document, TEXTS.items()))

    assert look_up(search_index, scope) == ["e", "d", "c", "b", "a"]
    assert look_up(search_index, scope, "rm", "rf", "+") == look_up(search_index, scope, "123", "py") == ["a"]
    assert look_up(search_index, scope, "東", "🙂", "strasse", "no5") == ["c"]
    assert look_up(search_index, scope, "x" * 32) == look_up(search_index, scope, "\x00") == ["d"]
    assert look_up(search_index, scope, "rm", "deploy") == look_up(search_index, scope, "ployment") == []


def test_prefixes_begin_a_word(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, *starmap(document, TEXTS.items()))

    assert look_up(search_index, scope, prefixes=("deploym",)) == ["b"]
    assert look_up(search_index, scope, prefixes=("de", "redep")) == ["b"]
    assert look_up(search_index, scope, prefixes=("ploy",)) == []
    assert look_up(search_index, scope, "deploy", prefixes=("ru",)) == []
    assert look_up(search_index, scope, prefixes=("é",)) == look_up(search_index, scope, prefixes=("x" * 31,)) == ["d"]


def test_only_what_passes_is_found(search_index: SettledIndex, scope: Scope):
    search_index.write(
        scope,
        document("n1", "tea", kind="note", tags=("work",), fields={"parent": "p"}, at=5),
        document("n2", "tea", kind="note", tags=("work", "home"), fields={"parent": "q"}, at=10),
        document("j1", "tea", kind="journal", at=15),
    )

    assert look_up(search_index, scope, "tea", filters=Filters(kinds=("note",))) == ["n2", "n1"]
    assert look_up(search_index, scope, "tea", filters=Filters(tags=("home",))) == ["n2"]
    assert look_up(search_index, scope, "tea", filters=Filters(fields={"parent": "p"})) == ["n1"]
    assert look_up(search_index, scope, "tea", filters=Filters(since=10, until=15)) == ["n2"]


def test_of_a_document_the_last_version_counts(search_index: SettledIndex, scope: Scope):
    search_index.write(scope, document("a", "tea with milk"), document("b", "tea"))
    search_index.write(scope, document("a", "coffee with milk", version=2))
    search_index.write(scope, document("a", "old words"))
    search_index.remove(scope, "b", version=2, profile="documents")

    assert look_up(search_index, scope, "tea") == look_up(search_index, scope, "old") == []
    assert look_up(search_index, scope, "coffee") == look_up(search_index, scope, "milk") == ["a"]
    assert look_up(search_index, Scope(scope.tenant, "other"), "coffee") == []


@pytest.mark.parametrize("order", ["at", "id"])
def test_pages_follow_each_other_without_gaps(search_index: SettledIndex, scope: Scope, order: Order):
    shuffled = random.Random(4)
    documents = [
        document(f"d{number:03}", shuffled.choice(["tea", "tea cup", "cup"]), at=shuffled.randrange(9))
        for number in range(120)
    ]
    search_index.write(scope, *shuffled.sample(documents, len(documents)))
    lookup = Lookup(words=("tea",), order=order, size=7)

    places = every(search_index, scope, lookup)

    wanted = [Place(each.at, each.id) for each in documents if "tea" in each.words]
    assert places == sorted(wanted, key=lookup.sort_key, reverse=True)


def test_an_index_that_no_rebuild_has_made_answers_no_lookup(tmp_path: Path, scope: Scope):
    index = SqliteIndex(tmp_path / "search")
    index.index(scope, [document("a", "tea")])

    assert index.find_places(scope, "documents", Lookup(words=("tea",))) is None
    index.close()


@pytest.mark.parametrize("name", [pytest.param("lookups", marks=STARTING)])
def test_an_index_of_opensearch_answers_lookups_once_it_was_rebuilt(name: str, opensearch_address: str):
    transport, name = connect(opensearch_address), f"{name}-{os.getpid()}"
    index = OpenSearchIndex(transport, name, sleep=lambda _: None, patience=Patience(60, 60))
    scope = next_scope()
    index.index(scope, [document("a", "tea")])
    before = index.find_places(scope, "documents", Lookup())
    index.start_rebuild()
    index.finish_rebuild()
    after = index.find_places(scope, "documents", Lookup())
    transport.perform_request("DELETE", f"/{name}.search-000002")

    assert (before, after) == (None, [])
