"""Documents found by exact words: fresh ones and those of the index in one order."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.engine import fresh
from almanac.search.engine.exact_search import (
    BEHIND,
    LOST_INDEX,
    NO_INDEX,
    NOT_WHOLE,
    ExactSearch,
    IndexUnavailable,
)
from almanac.search.port import Filters, Lookup, Place, Profile
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things


class LostIndex(MemoryIndex):
    is_lost = False

    def find_places(self, scope: Scope, profile: Profile, lookup: Lookup) -> Sequence[Place] | None:
        if self.is_lost:
            raise Unavailable("The index does not answer.")
        return super().find_places(scope, profile, lookup)


def whole(folder: Path) -> tuple[Things, LostIndex]:
    index = LostIndex()
    index.start_rebuild()
    index.finish_rebuild()
    return Things(folder, index), index


def find_exact(things: Things, *words: str, prefixes: tuple[str, ...] = (), size: int = 3, **filters: str) -> list[str]:
    lookup = Lookup(words=words, prefixes=prefixes, size=size, filters=Filters(kinds=("thing",)))
    return [place.id for place in ExactSearch(things.services).places(SCOPE, "documents", lookup)]


def test_fresh_and_indexed_documents_are_found_in_one_order(tmp_path: Path):
    things, _ = whole(tmp_path)
    for number in range(20):
        things.write(f"t{number:02}", "tea" if number % 2 else "cup")
        if number == 11:
            things.deliver()

    expected = [f"t{number:02}" for number in range(19, 0, -2)]
    assert find_exact(things, "tea") == find_exact(things, prefixes=("te",)) == expected
    things.deliver()
    assert find_exact(things, "tea") == expected


def test_what_changed_since_it_was_indexed_is_found_once(tmp_path: Path):
    things, _ = whole(tmp_path)
    things.write("a", "tea", at=1)
    things.write("b", "tea", at=2)
    things.deliver()
    things.write("a", "tea and milk", at=3)
    assert find_exact(things, "tea") == ["b", "a"]
    by_time = Lookup(words=("tea",), order="at", filters=Filters(kinds=("thing",)))
    search = ExactSearch(things.services)
    assert [one.id for one in search.latest(SCOPE, "documents", by_time).documents] == ["a", "b"]


def test_later_pages_begin_where_the_former_ended(tmp_path: Path):
    things, _ = whole(tmp_path)
    for number in range(9):
        things.write(f"t{number}", "tea")
        if number % 3:
            things.deliver()
    pages: list[str] = []
    after = None
    while True:
        lookup = Lookup(words=("tea",), after=after, size=2)
        page = list(islice(ExactSearch(things.services).places(SCOPE, "documents", lookup), 2))
        if not page:
            break
        pages += [place.id for place in page]
        after = page[-1]

    assert pages == [f"t{number}" for number in range(8, -1, -1)]


def test_long_fresh_texts_are_left_to_the_caller(tmp_path: Path):
    things, _ = whole(tmp_path)
    things.write("long", "tea " * 2000)
    things.write("short", "cup")

    assert find_exact(things, "cup") == ["short", "long"]
    things.deliver()
    assert find_exact(things, "cup") == ["short"]


def test_what_was_removed_is_not_found(tmp_path: Path):
    things, _ = whole(tmp_path)
    things.write("a", "tea")
    things.drop("a")
    assert find_exact(things, "tea") == []


def test_it_says_why_only_reading_every_document_would_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    things, index = whole(tmp_path)
    for number in range(3):
        things.write(f"t{number}", "tea")

    def search_refusal() -> str:
        with pytest.raises(IndexUnavailable) as refusal:
            find_exact(things, "tea")
        return str(refusal.value)

    with monkeypatch.context() as patched:
        patched.setattr(fresh, "MOST", 2)
        assert search_refusal() == BEHIND
    index.is_lost = True
    assert search_refusal() == LOST_INDEX
    things.open(MemoryIndex())
    assert search_refusal() == NOT_WHOLE
    things.open(None)
    assert search_refusal() == NO_INDEX
