"""Test the contract of every store: conditions, refusals and expiry."""

import pytest

from almanac.kernel.clock import FixedClock
from almanac.platform.store.conditions import Absent, Condition, Equals, Greater, Less, Present, holds
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Check, ConditionFailed, Delete, Item, Put, Store, Update
from almanac.platform.store.values import Value


def _refusal(store: Store, *changes: Change) -> ConditionFailed:
    with pytest.raises(ConditionFailed) as refused:
        store.write(changes)
    return refused.value


CONDITIONS: list[Condition] = [
    Absent(),
    Present(),
    Absent("n"),
    Present("n"),
    Absent("missing"),
    Present("missing"),
    Present("none"),
    Equals("n", 5),
    Equals("n", 5.0),
    Equals("n", "5"),
    Equals("flag", True),
    Equals("flag", 1),
    Equals("n", True),
    Equals("none", None),
    Equals("missing", None),
    Equals("text", "b"),
    Equals("bytes", b"b"),
    Equals("bytes", "b"),
    Less("n", 6),
    Less("n", 5),
    Less("n", 5.5),
    Less("n", "9"),
    Less("missing", 9),
    Less("text", "ba"),
    Less("text", "b"),
    Less("text", "\U00010000"),
    Less("bytes", b"c"),
    Less("list", 9),
    Greater("n", 4),
    Greater("n", 5),
    Greater("text", "\uffff"),
    Greater("text", "a"),
    Greater("bytes", b"ab"),
    Equals("n", 5) & Equals("text", "b"),
    Equals("n", 5) & Equals("text", "c"),
    Equals("n", 6) | Equals("text", "b"),
    Equals("n", 6) | Equals("text", "c"),
    Absent() | Less("n", 6),
    Absent() | Less("n", 5),
    (Absent("missing") & Present("n")) | (Present("missing") & Absent("n")),
    Present() & (Absent("missing") | Equals("missing", 1)),
]
STANDING: list[dict[str, Value] | None] = [
    None,
    {},
    {"n": 5, "flag": True, "none": None, "text": "b", "bytes": b"b", "list": [1]},
    {"n": 4.5, "flag": False, "text": "\U0001f30d", "missing": 1},
]


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
def test_a_condition_means_the_same_for_every_kind_of_change(
    store: Store, shelf: Partition, now: int, condition: Condition
):
    for number, attributes in enumerate(STANDING):
        key = Key(shelf, sort_key(number))
        expected = holds(condition, attributes)
        for change in (Check(key, condition), Put(key, attributes or {}, condition), Delete(key, condition)):
            _stand(store, key, attributes, now)
            if expected:
                store.write([change])
            else:
                refused = _refusal(store, change)
                assert (refused.item and refused.item.attributes) == attributes
        _stand(store, key, attributes, now)
        if expected and attributes is not None:
            store.write([Update(key, {"touched": True}, condition=condition)])
        else:
            _refusal(store, Update(key, {"touched": True}, condition=condition))


def _stand(store: Store, key: Key, attributes: dict[str, Value] | None, now: int) -> None:
    """Put the item. For None, put an expired item, which must count as absent."""
    expired: dict[str, Value] = {"n": 5, "flag": True, "none": None, "text": "b", "bytes": b"b", "missing": 1}
    store.write(
        [Put(key, expired if attributes is None else attributes, expires_at=now if attributes is None else None)]
    )


def test_an_item_is_there_until_the_millisecond_it_expires(store: Store, shelf: Partition, clock: FixedClock, now: int):
    key = Key(shelf, "a")
    store.write([Put(key, {}, expires_at=now + 1, indexes={"gsi1": key})])
    assert store.get(key) == Item(key, {}, now + 1, {"gsi1": key})
    store.write([Put(key, {}, expires_at=now, indexes={"gsi1": key})])
    assert store.get(key) is None
    assert store.snapshot([key]) == store.get_many([key]) == (None,)
    assert store.query(shelf).items == store.query(shelf, index="gsi1").items == ()
    clock.instant = clock.instant.replace(hour=11)
    assert store.get(key) is not None


def test_an_expired_item_leaves_nothing_to_an_update_or_a_put(store: Store, shelf: Partition, now: int):
    key = Key(shelf, "a")
    store.write([Put(key, {"old": 1}, expires_at=now)])
    assert _refusal(store, Update(key, {"new": 1}, expires_at=None)).item is None
    store.write([Put(key, {"new": 1}, Absent())])
    assert store.get(key) == Item(key, {"new": 1})


def test_a_failed_condition_says_which_change_and_what_stands_there(store: Store, shelf: Partition):
    keys = [Key(shelf, sort_key(number)) for number in range(4)]
    store.write([Put(keys[2], {"holder": "ann"}, indexes={"gsi2": keys[0]})])
    changes = [Put(keys[0], {}, Absent()), Delete(keys[1]), Put(keys[2], {}, Absent()), Check(keys[3], Present())]
    refused = _refusal(store, *changes)
    assert (refused.change, refused.item) == (2, Item(keys[2], {"holder": "ann"}, indexes={"gsi2": keys[0]}))
    assert [item.key for item in store.query(shelf).items] == [keys[2]]


def test_of_two_writers_with_the_same_version_the_second_is_told(store: Store, shelf: Partition):
    key = Key(shelf, "a")
    store.write([Put(key, {"version": 1})])
    store.write([Put(key, {"version": 2, "by": "ann"}, Equals("version", 1))])
    refused = _refusal(store, Put(key, {"version": 2, "by": "bob"}, Equals("version", 1)))
    assert refused.item == Item(key, {"version": 2, "by": "ann"})
