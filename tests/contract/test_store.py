"""Test the contract of every store: single items and atomic writes."""

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import (
    Change,
    ConditionFailed,
    Delete,
    EarlyPut,
    Indexes,
    Item,
    OutboxPut,
    Put,
    Store,
    Update,
)
from almanac.platform.store.values import ITEM_BYTES, Value


def _refusal(store: Store, *changes: Change) -> ConditionFailed:
    with pytest.raises(ConditionFailed) as refused:
        store.write(changes)
    return refused.value


def test_nothing_stands_where_nothing_was_put(store: Store, shelf: Partition):
    assert store.get(Key(shelf, "a")) is None


def test_an_item_reads_back_whole(store: Store, shelf: Partition, now: int):
    attributes: dict[str, Value] = {
        "text": "Grüße, 世界 🌍",
        "empty": "",
        "nothing": None,
        "yes": True,
        "no": False,
        "bytes": b"\x00\xff",
        "no_bytes": b"",
        "list": [1, "a", None, [], {}],
        "dict": {"A.b": {"": [True, 1, 0.5, b"x"]}},
    }
    item = Item(Key(shelf, "a"), attributes, now + 1, {"gsi1": Key(shelf, "x"), "gsi2": Key(shelf, "y")})
    store.write([Put(item.key, attributes, expires_at=item.expires_at, indexes=item.indexes)])
    assert store.get(item.key) == item


@pytest.mark.parametrize(
    "number",
    [0, -1, 2**53 + 1, 2**63 - 1, -(2**63), 0.1, -0.1, 1 / 3, 1e-130, 9.9e125, 1e100, -1e19, 123456789.123456789, 5e-7],
)
def test_a_number_is_kept_to_the_last_bit(store: Store, shelf: Partition, number: int | float):
    store.write([Put(Key(shelf, "a"), {"n": number, "deep": [number]})])
    item = store.get(Key(shelf, "a"))
    assert item is not None
    assert [repr(item.attributes["n"]), item.attributes["deep"]] == [repr(number), [number]]


@pytest.mark.parametrize(("number", "read"), [(2.0, 2), (-0.0, 0), (1e18, 10**18), (-(2.0**63), -(2**63))])
def test_a_whole_number_reads_back_as_an_integer(store: Store, shelf: Partition, number: float, read: int):
    store.write([Put(Key(shelf, "a"), {"n": number})])
    item = store.get(Key(shelf, "a"))
    assert item is not None
    assert repr(item.attributes["n"]) == repr(read)


def test_a_put_replaces_the_whole_item(store: Store, shelf: Partition, now: int):
    key = Key(shelf, "a")
    store.write([Put(key, {"a": 1}, expires_at=now + 1, indexes={"gsi1": Key(shelf, "x")})])
    store.write([Put(key, {"b": 2})])
    assert store.get(key) == Item(key, {"b": 2})
    assert store.query(shelf, index="gsi1").items == ()


def test_a_deleted_item_is_gone_and_deleting_it_again_changes_nothing(store: Store, shelf: Partition):
    store.write([Put(Key(shelf, "a"), {}), Put(Key(shelf, "b"), {})])
    store.write([Delete(Key(shelf, "a"))])
    store.write([Delete(Key(shelf, "a"))])
    assert [item.key.sort for item in store.query(shelf).items] == ["b"]


def test_a_write_is_made_whole_or_not_at_all_up_to_a_hundred_changes(store: Store, shelf: Partition):
    changes = [Put(Key(shelf, sort_key(number)), {"n": number}, Absent()) for number in range(100)]
    store.write(changes[50:51])
    assert _refusal(store, *changes).change == 50
    assert len(store.query(shelf).items) == 1
    store.write([Delete(changes[50].key)])
    store.write(changes)
    assert [item.attributes["n"] for item in store.query(shelf).items] == list(range(100))


@pytest.mark.parametrize("count", [0, 101])
def test_a_write_of_no_changes_or_over_a_hundred_is_refused(store: Store, shelf: Partition, count: int):
    with pytest.raises(InvalidInput):
        store.write([Put(Key(shelf, sort_key(number)), {}) for number in range(count)])


def test_two_changes_of_one_key_are_refused(store: Store, shelf: Partition):
    with pytest.raises(InvalidInput):
        store.write([Put(Key(shelf, "a"), {}), Delete(Key(shelf, "a"))])


def test_an_update_sets_removes_and_adds(store: Store, shelf: Partition, now: int):
    key = Key(shelf, "a")
    placed: Indexes = {"gsi1": Key(shelf, "x")}
    store.write([Put(key, {"a": 1, "b": 2, "c": 3, "size": "reserved"}, expires_at=now + 9, indexes=placed)])
    store.write([Update(key, {"a": [1], "size": None}, ("b", "missing"), {"c": -5, "d": 7})])
    assert store.get(key) == Item(key, {"a": [1], "c": -2, "size": None, "d": 7}, now + 9, placed)


def test_an_update_moves_expiry_and_indexes_only_when_told(store: Store, shelf: Partition, now: int):
    key = Key(shelf, "a")
    store.write([Put(key, {}, expires_at=now + 9, indexes={"gsi1": Key(shelf, "x")})])
    store.write([Update(key, expires_at=now + 99)])
    assert store.get(key) == Item(key, {}, now + 99, {"gsi1": Key(shelf, "x")})
    store.write([Update(key, expires_at=None, indexes={"gsi2": Key(shelf, "y")})])
    assert store.get(key) == Item(key, {}, None, {"gsi2": Key(shelf, "y")})
    store.write([Update(key)])
    assert store.get(key) == Item(key, {}, None, {"gsi2": Key(shelf, "y")})


def test_an_update_of_nothing_fails_and_makes_nothing(store: Store, shelf: Partition):
    assert _refusal(store, Update(Key(shelf, "a"), {"a": 1})).item is None
    assert _refusal(store, Put(Key(shelf, "b"), {}), Update(Key(shelf, "a"), add={"n": 1})).change == 1
    assert store.query(shelf).items == ()


@pytest.mark.parametrize("alone", [True, False], ids=["alone", "with others"])
def test_a_number_is_not_added_to_text(store: Store, shelf: Partition, alone: bool):
    key = Key(shelf, "a")
    store.write([Put(key, {"n": "5"})])
    with pytest.raises(InvalidInput):
        store.write([Update(key, add={"n": 1}), *([] if alone else [Put(Key(shelf, "b"), {})])])
    assert store.query(shelf).items == (Item(key, {"n": "5"}),)


def test_an_item_has_at_most_400_kilobytes(store: Store, shelf: Partition):
    key = Key(shelf, "a")
    overhead = len(shelf.text) + len("a") + len("text") + 64
    largest = "x" * (ITEM_BYTES - overhead)
    store.write([Put(key, {"text": largest}, expires_at=10**15, indexes={})])
    assert store.get(key) is not None
    with pytest.raises(InvalidInput) as refused:
        store.write([Put(key, {"text": largest + "x"})])
    assert refused.value.code == "item_too_large"
    with pytest.raises(InvalidInput):
        store.write([Update(key, {"more": "x" * 100})])


def test_a_write_has_at_most_four_megabytes(store: Store, shelf: Partition):
    with pytest.raises(InvalidInput):
        store.write([Put(Key(shelf, sort_key(number)), {"text": "x" * 400_000}) for number in range(11)])
    assert store.query(shelf).items == ()


@pytest.mark.parametrize("read", ["get_many", "snapshot"])
def test_many_keys_are_answered_in_the_order_asked_for(store: Store, shelf: Partition, read: str):
    read_keys = getattr(store, read)
    keys = [Key(shelf, sort_key(number)) for number in range(100)]
    store.write([Put(key, {"sort": key.sort}) for key in keys[::2]])
    shuffled = keys[::-1]
    assert [item and item.key for item in read_keys(shuffled)] == [
        key if number % 2 == 0 else None for number, key in reversed(list(enumerate(keys)))
    ]
    for wrong in ([], [*keys, Key(shelf, "more")], [keys[0], keys[0]]):
        with pytest.raises(InvalidInput):
            read_keys(wrong)


def test_many_large_items_are_read_at_once(store: Store, shelf: Partition):
    keys = [Key(shelf, sort_key(number)) for number in range(50)]
    for key in keys:
        store.write([Put(key, {"text": "x" * 390_000})])
    assert [item.key for item in store.get_many(keys) if item] == keys


def test_an_event_is_an_item_too(store: Store, shelf: Partition):
    store.write([OutboxPut(Key(shelf, "a"), {"kind": "claimed"}, Absent())])
    assert store.get(Key(shelf, "a")) == Item(Key(shelf, "a"), {"kind": "claimed"})
    assert _refusal(store, OutboxPut(Key(shelf, "a"), {}, Absent())).change == 0


def test_an_early_put_stands_with_the_rest_of_its_write_or_not_at_all(store: Store, shelf: Partition):
    one, two, other = Key(shelf, "one"), Key(shelf, "two"), Key(shelf, "other")
    early = [EarlyPut(one, {"n": 1}, Absent()), Put(other, {"of": "one"}), EarlyPut(two, {"n": 2}, Absent())]
    store.write(early)
    assert [item and item.attributes for item in store.get_many([one, other, two])] == [
        {"n": 1},
        {"of": "one"},
        {"n": 2},
    ]

    three = Key(shelf, "three")
    refused = _refusal(store, EarlyPut(three, {"n": 3}, Absent()), Put(other, {}), Put(two, {}, Absent()))
    assert (refused.change, refused.item) == (2, Item(two, {"n": 2}))
    assert store.get(three) is None

    refused = _refusal(store, Put(other, {"of": "three"}), EarlyPut(three, {}, Absent()), EarlyPut(one, {}, Absent()))
    assert (refused.change, refused.item) == (2, Item(one, {"n": 1}))
    assert store.get_many([three, other]) == (None, Item(other, {"of": "one"}))

    assert _refusal(store, EarlyPut(one, {}, Absent())).change == 0
    store.write([EarlyPut(three, {}, Absent())])
    with pytest.raises(InvalidInput):
        store.write([EarlyPut(Key(shelf, "four"), {}), Put(other, {})])


@pytest.mark.parametrize("sort", ["", "x" * 1025, "é" * 513])
def test_a_sort_key_out_of_bounds_is_refused(store: Store, shelf: Partition, sort: str):
    with pytest.raises(InvalidInput):
        store.get(Key(shelf, sort))
    with pytest.raises(InvalidInput):
        store.write([Put(Key(shelf, sort), {})])


def test_tenants_with_the_same_keys_do_not_meet(store: Store, scope: Scope):
    other = Partition.in_project(Scope(scope.tenant, "other"), "shelf")
    own = Partition.in_project(scope, "shelf")
    store.write([Put(Key(own, "a"), {"of": "own"}, indexes={"gsi1": Key(own, "i")})])
    store.write([Put(Key(other, "a"), {"of": "other"}, indexes={"gsi1": Key(other, "i")})])
    assert [item.attributes["of"] for item in store.query(own).items] == ["own"]
    assert [item.attributes["of"] for item in store.query(own, index="gsi1").items] == ["own"]
