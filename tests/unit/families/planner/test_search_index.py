"""Listings, walks along them, and writing something together with its places."""

import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.families.planner.search.indexed_writes import IndexedChange, write_indexed
from almanac.families.planner.search.item_search import Query, candidates_of, search
from almanac.families.planner.search.postings import (
    ALL,
    IndexTerm,
    Postings,
    bounded_term,
    day_position,
    id_at,
    position_of,
    posting_key,
)
from almanac.families.planner.search.walks import IndexReader
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.store.conditions import Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, ConditionFailed, Put
from almanac.platform.store.sqlite.store import SqliteStore

SCOPE = Scope("acme", "web")
HEAD = Key(Partition.in_project(SCOPE, "heads"), sort_key("one"))
POSITION = "r" * 26


def open_store(folder: Path) -> SqliteStore:
    return SqliteStore(folder / "store.db", clock=SystemClock(), cursor_secret=b"c" * 16)


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return open_store(tmp_path)


def postings_of(*words: str) -> Postings:
    return Postings(POSITION, frozenset([ALL, *(IndexTerm("link", word) for word in words)]))


def is_posted(store: SqliteStore, word: str) -> bool:
    return store.get(posting_key(SCOPE, "notes", IndexTerm("link", word), POSITION)) is not None


def head_at(version: int) -> list[Change]:
    return [Put(HEAD, {"version": version}, Equals("version", version - 1) if version > 1 else None)]


def write(store: SqliteStore, version: int, before: Postings | None, after: Postings | None) -> None:
    write_indexed(store, SCOPE, head_at(version), IndexedChange("notes", HEAD, version - 1, before, after))


def test_positions_sort_the_newest_first_and_lead_back_to_ids():
    ids = [f"note_{letter}{'0' * 25}" for letter in "0az"]

    assert sorted(map(position_of, ids)) == [position_of(one) for one in reversed(ids)]
    assert [id_at(position_of(one), "note_") for one in ids] == ids
    assert position_of(ids[0], "2026-03-02") < position_of(ids[2], "2026-03-01") < day_position("2026-02-28")


def test_a_heading_takes_values_of_any_length():
    long = bounded_term("tag", "ä" * 5000)

    assert len(long.value) == 64
    assert bounded_term("tag", "ä" * 5000) == long
    assert bounded_term("tag", "work") == IndexTerm("tag", "work")


MANY = [f"w{number}" for number in range(300)]
OTHERS = [f"v{number}" for number in range(300)]


def test_what_fits_no_write_is_filed_all_the_same(store: SqliteStore):
    write(store, 1, None, postings_of(*MANY))
    assert all(is_posted(store, word) for word in MANY)

    write(store, 2, postings_of(*MANY), postings_of(*OTHERS))
    assert all(is_posted(store, word) for word in OTHERS)
    assert not any(is_posted(store, word) for word in MANY)


def test_a_refused_write_removes_no_place(store: SqliteStore):
    write(store, 1, None, postings_of(*MANY))

    with pytest.raises(ConditionFailed):
        write(store, 3, postings_of(*MANY), postings_of(*OTHERS))
    assert all(is_posted(store, word) for word in MANY)


class InterruptedStore(SqliteStore):
    """A store in which another writer does `meanwhile` before write number `turn`."""

    meanwhile: Callable[[], None]
    turn: int

    def write(self, changes: Sequence[Change]) -> None:
        self.turn -= 1
        if self.turn == 0:
            self.meanwhile()
        super().write(changes)


@pytest.mark.parametrize("turn", range(1, 12))
def test_no_place_is_lost_whenever_another_edit_comes_between(tmp_path: Path, turn: int):
    plain = open_store(tmp_path)
    write(plain, 1, None, postings_of(*MANY))
    slow = InterruptedStore(tmp_path / "store.db", clock=SystemClock(), cursor_secret=b"c" * 16)
    slow.turn = turn
    theirs: list[Postings] = []

    def meanwhile() -> None:
        at = plain.get(HEAD)
        assert at is not None
        version = at.attributes["version"]
        assert isinstance(version, int)
        before = postings_of(*MANY) if version == 1 else postings_of(*OTHERS)
        theirs.append(postings_of(*MANY, "new"))
        write(plain, version + 1, before, theirs[0])

    slow.meanwhile = meanwhile
    with suppress(ConditionFailed):
        write(slow, 2, postings_of(*MANY), postings_of(*OTHERS))

    # Either theirs came last, or ours was refused.
    stands = theirs[0] if theirs else postings_of(*OTHERS)
    keys = [posting_key(SCOPE, "notes", under, POSITION) for under in stands.terms]
    assert all(plain.get(key) is not None for key in keys)


def test_no_place_is_removed_that_an_edit_on_its_way_has_written(tmp_path: Path):
    plain = open_store(tmp_path)
    write(plain, 1, None, postings_of(*MANY))
    slow = InterruptedStore(tmp_path / "store.db", clock=SystemClock(), cursor_secret=b"c" * 16)
    # Four writes before the edit itself, which removes some places; the others are removed in three more.
    slow.turn = 6
    again = [posting_key(SCOPE, "notes", IndexTerm("link", word), POSITION) for word in MANY]

    def meanwhile() -> None:
        for key in again:
            plain.write([Put(key, {"revision": 3})])

    slow.meanwhile = meanwhile

    write(slow, 2, postings_of(*MANY), postings_of(*OTHERS))

    assert slow.turn <= 0
    assert all(plain.get(key) is not None for key in again)


def test_an_edit_that_comes_too_late_stops_writing_places(tmp_path: Path):
    plain = open_store(tmp_path)
    write(plain, 1, None, postings_of("a"))
    slow = InterruptedStore(tmp_path / "store.db", clock=SystemClock(), cursor_secret=b"c" * 16)
    slow.turn = 2
    slow.meanwhile = lambda: write(plain, 2, postings_of("a"), postings_of("b"))

    with pytest.raises(ConditionFailed):
        write(slow, 2, postings_of("a"), postings_of(*OTHERS))

    assert sum(is_posted(plain, word) for word in OTHERS) == 99


ids = st.integers(0, 60)
postings = st.fixed_dictionaries({tag: st.sets(ids) for tag in ("alpha", "alphabet", "beta")})


@settings(max_examples=40, deadline=None)
@given(postings, st.sets(st.sampled_from(["alpha", "alphabet", "beta", "absent"])), st.integers(1, 7))
def test_a_listing_has_what_stands_under_all_terms(where: dict[str, set[int]], asked: set[str], limit: int):
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        for number in range(61):
            terms = [IndexTerm("tag", tag) for tag, held in where.items() if number in held]
            places = [posting_key(SCOPE, "notes", term, f"{number:026d}") for term in (ALL, *terms)]
            store.write([Put(place, {"revision": 1}) for place in places])
        wanted = [number for number in range(61) if all(number in where.get(tag, ()) for tag in asked)]
        terms = tuple(IndexTerm("tag", tag) for tag in sorted(asked))

        found: list[str] = []
        reached: str | None = "0"
        while reached is not None:
            query = Query(terms=terms, start=reached)
            page = search(candidates_of(IndexReader(store, SCOPE, "notes"), query), query, limit, list)
            found += page.entries
            reached = page.next_position
        store.close()

    assert found == [f"{number:026d}" for number in wanted]


def test_a_dense_term_and_a_rare_one_meet_in_few_reads(store: SqliteStore):
    positions = [f"{number:026d}" for number in range(3000)]
    often, seldom = IndexTerm("tag", "often"), IndexTerm("tag", "seldom")
    for some in _hundreds(positions):
        store.write([Put(posting_key(SCOPE, "notes", often, one), {"revision": 1}) for one in some])
    for one in positions[::1000]:
        store.write([Put(posting_key(SCOPE, "notes", seldom, one), {"revision": 1})])
    reader, query = IndexReader(store, SCOPE, "notes"), Query(terms=(seldom, often))

    found = search(candidates_of(reader, query), query, 10, list)

    assert found.entries == positions[::1000]
    assert reader.queries <= 8


def _hundreds(positions: list[str]) -> list[list[str]]:
    return [positions[start : start + 100] for start in range(0, len(positions), 100)]
