"""Test the contract of every store: order, ranges, pages, cursors and indexes."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Key, Partition, sort_key, sort_prefix
from almanac.platform.store.port import Delete, Index, Put, Span, Store, Update
from tests.contract.backends import Place

_shelves = itertools.count(1)


def _fill(store: Store, shelf: Partition, sorts: Sequence[str]) -> None:
    for first in range(0, len(sorts), 100):
        store.write([Put(Key(shelf, sort), {"sort": sort}) for sort in sorts[first : first + 100]])


def _all(store: Store, shelf: Partition, limit: int, **narrowing: object) -> list[str]:
    """Every sort key, page by page."""
    found: list[str] = []
    cursor: str | None = None
    while True:
        page = store.query(shelf, limit=limit, cursor=cursor, **narrowing)  # type: ignore[arg-type]
        assert len(page.items) <= limit
        found += [item.key.sort for item in page.items]
        cursor = page.cursor
        if cursor is None:
            return found
        assert page.items, "a page that is not the last one has items"


ORDERED = [
    "#",
    "0",
    "A",
    "a",
    "a#1",
    "a#2",
    "a-b",
    "ab",
    "b",
    "é",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\U00010000",
    "\U0010ffff",
]


def test_items_come_in_the_order_of_their_code_points(store: Store, shelf: Partition):
    _fill(store, shelf, ORDERED[::-1])
    assert _all(store, shelf, 1000) == ORDERED
    assert _all(store, shelf, 1000, reverse=True) == ORDERED[::-1]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("limit", [1, 2, 7, 14, 15, 16])
def test_pages_hold_every_item_once(store: Store, shelf: Partition, limit: int, reverse: bool):
    _fill(store, shelf, ORDERED)
    assert _all(store, shelf, limit, reverse=reverse) == (ORDERED[::-1] if reverse else ORDERED)


@pytest.mark.parametrize("prefix", ["a", "a#", "\ud7ff", "\U0010ffff", "b", "nothing"])
@pytest.mark.parametrize("limit", [1, 1000])
def test_a_prefix_finds_what_begins_with_it(store: Store, shelf: Partition, prefix: str, limit: int):
    _fill(store, shelf, [*ORDERED, "\ud7ff!"])
    expected = [sort for sort in sorted([*ORDERED, "\ud7ff!"]) if sort.startswith(prefix)]
    assert _all(store, shelf, limit, prefix=prefix) == expected


def test_a_prefix_of_components_is_of_whole_components(store: Store, shelf: Partition):
    _fill(store, shelf, [sort_key("a", "1"), sort_key("ab", "1"), sort_key("a#", "1"), sort_key("a", "2", "x")])
    assert _all(store, shelf, 10, prefix=sort_prefix("a")) == ["a#1", "a#2#x"]
    assert _all(store, shelf, 10, prefix=sort_prefix()) == _all(store, shelf, 10)


@pytest.mark.parametrize("limit", [1, 2, 1000])
@pytest.mark.parametrize(
    ("start", "end"),
    [(None, None), ("a", None), (None, "a"), ("a", "ab"), ("a", "a"), ("b", "a"), ("", "a"), ("aa", "zz"), (None, "")],
)
def test_a_span_has_its_start_and_not_its_end(
    store: Store, shelf: Partition, start: str | None, end: str | None, limit: int
):
    _fill(store, shelf, ORDERED)
    expected = [sort for sort in ORDERED if (start is None or sort >= start) and (end is None or sort < end)]
    assert _all(store, shelf, limit, span=Span(start, end)) == expected
    assert _all(store, shelf, limit, span=Span(start, end), reverse=True) == expected[::-1]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    sorts=st.sets(st.text("ab#é\U0001f30d", min_size=1, max_size=3), max_size=20),
    start=st.none() | st.text("ab#é", max_size=3),
    end=st.none() | st.text("ab#é", max_size=3),
    expired=st.sets(st.integers(0, 19)),
    limit=st.integers(1, 6),
    reverse=st.booleans(),
    index=st.sampled_from([None, "gsi1", "gsi2"]),
)
def test_a_query_is_a_sorted_slice_of_what_is_live(
    store: Store,
    scope: Scope,
    clock: FixedClock,
    sorts: set[str],
    start: str | None,
    end: str | None,
    expired: set[int],
    limit: int,
    reverse: bool,
    index: Index | None,
):
    shelf = Partition.in_project(scope, str(next(_shelves)))
    ordered = sorted(sorts)
    for number, sort in enumerate(ordered):
        key = Key(shelf, sort)
        expires_at = now_ms(clock) if number in expired else None
        # Found by an index, an item lies in another partition.
        own = Key(Partition.in_project(scope, "own"), f"{shelf.text}{sort}") if index else key
        store.write([Put(own, {"sort": sort}, expires_at=expires_at, indexes={index: key} if index else {})])
    expected = [
        sort
        for number, sort in enumerate(ordered)
        if number not in expired and (start is None or sort >= start) and (end is None or sort < end)
    ]
    found = _all(store, shelf, limit, span=Span(start, end), reverse=reverse, index=index)
    own_sorts = [f"{shelf.text}{sort}" if index else sort for sort in expected]
    assert found == (own_sorts[::-1] if reverse else own_sorts)


def test_the_last_page_has_no_cursor_even_when_it_is_full(store: Store, shelf: Partition):
    _fill(store, shelf, ["a", "b"])
    assert store.query(shelf, limit=2).cursor is None
    assert store.query(shelf, limit=1).cursor is not None
    assert store.query(Partition.in_tenant(Scope("nobody", "x"), "none"), limit=1).cursor is None


def test_a_page_ends_at_about_a_megabyte_and_nothing_is_lost(store: Store, shelf: Partition):
    for number in range(8):
        store.write([Put(Key(shelf, sort_key(number)), {"text": "x" * 300_000})])
    page = store.query(shelf)
    assert 1 <= len(page.items) <= 4
    assert _all(store, shelf, 100) == [sort_key(number) for number in range(8)]


def test_items_written_behind_the_cursor_do_not_disturb_the_pages_after_it(store: Store, shelf: Partition):
    _fill(store, shelf, ["b", "d", "f"])
    page = store.query(shelf, limit=2)
    store.write([Put(Key(shelf, "a"), {}), Delete(Key(shelf, "d")), Put(Key(shelf, "e"), {})])
    assert [item.key.sort for item in store.query(shelf, limit=2, cursor=page.cursor).items] == ["e", "f"]


def test_a_cursor_serves_only_the_query_it_was_made_for(
    store: Store, shelf: Partition, scope: Scope, place: Place, clock: FixedClock
):
    others = [
        Partition.in_project(Scope(scope.tenant, "other"), "shelf"),
        Partition.in_project(Scope(f"{scope.tenant}x", scope.project), "shelf"),
        Partition.in_project(scope, "shelf2"),
    ]
    for partition in (shelf, *others):
        store.write([Put(Key(partition, sort), {}, indexes={"gsi1": Key(partition, sort)}) for sort in "abc"])
    cursor = store.query(shelf, limit=1).cursor
    assert cursor is not None
    for other in others:
        with pytest.raises(InvalidInput, match="cursor"):
            store.query(other, cursor=cursor)
    for narrowing in ({"prefix": "a"}, {"index": "gsi1"}, {"reverse": True}, {"span": Span("a")}):
        with pytest.raises(InvalidInput, match="cursor"):
            store.query(shelf, cursor=cursor, **narrowing)  # type: ignore[arg-type]
    flipped = ("B" if cursor[0] != "B" else "C") + cursor[1:]
    for wrong in ("", "x", "é", "=", cursor[:-4], flipped, f"{cursor}AAAA"):
        with pytest.raises(InvalidInput, match="cursor"):
            store.query(shelf, cursor=wrong)
    with pytest.raises(InvalidInput, match="cursor"):
        place.open(clock, secret=b"another secret, as long").query(shelf, cursor=cursor)
    assert [item.key.sort for item in store.query(shelf, cursor=cursor).items] == ["b", "c"]


@pytest.mark.parametrize("limit", [0, -1, 1001])
def test_a_limit_out_of_bounds_is_refused(store: Store, shelf: Partition, limit: int):
    with pytest.raises(InvalidInput):
        store.query(shelf, limit=limit)


def test_a_prefix_beside_a_span_is_refused(store: Store, shelf: Partition):
    with pytest.raises(InvalidInput):
        store.query(shelf, prefix="a", span=Span("a", "b"))


def test_an_index_holds_only_what_was_placed_in_it(store: Store, shelf: Partition, scope: Scope):
    by_day = Partition.in_project(scope, "by_day")
    store.write(
        [
            Put(Key(shelf, "a"), {}, indexes={"gsi1": Key(by_day, "2")}),
            Put(Key(shelf, "b"), {}, indexes={"gsi1": Key(by_day, "1"), "gsi2": Key(by_day, "3")}),
            Put(Key(shelf, "c"), {}),
        ]
    )
    assert _all(store, by_day, 10, index="gsi1") == ["b", "a"]
    assert _all(store, by_day, 10, index="gsi2") == ["b"]
    assert _all(store, by_day, 10) == _all(store, shelf, 10, index="gsi1") == []


def test_an_item_moves_in_its_index_and_leaves_it(store: Store, shelf: Partition):
    _fill(store, shelf, ["a", "b"])
    for place, expected in (("1", ["a"]), ("3", ["a"]), (None, [])):
        indexes = {"gsi1": Key(shelf, place)} if place else {}
        store.write([Update(Key(shelf, "a"), indexes=indexes)])  # type: ignore[arg-type]
        assert _all(store, shelf, 10, index="gsi1") == expected
    store.write([Update(Key(shelf, "b"), indexes={"gsi1": Key(shelf, "1")})])
    store.write([Delete(Key(shelf, "b"))])
    assert _all(store, shelf, 10, index="gsi1") == []


@pytest.mark.parametrize("limit", [1, 3, 10])
def test_items_with_the_same_index_key_are_paged_through_once_each(store: Store, shelf: Partition, limit: int):
    same = Key(shelf, "same")
    store.write([Put(Key(shelf, sort), {}, indexes={"gsi2": same}) for sort in "abcdefg"])
    assert sorted(_all(store, shelf, limit, index="gsi2")) == list("abcdefg")
    assert sorted(_all(store, shelf, limit, index="gsi2", reverse=True)) == list("abcdefg")
