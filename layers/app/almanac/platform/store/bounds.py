"""Limits of store requests, the same for every technology. They are checked before a request is sent."""

from collections.abc import Mapping, Sequence

from msgspec import UnsetType

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.conditions import Absent, And, Condition, Equals, Greater, Less, Or
from almanac.platform.store.keys import PARTITION_BYTES, SORT_BYTES, Key
from almanac.platform.store.port import (
    INDEXES,
    MAX_CHANGES,
    MAX_KEYS,
    MAX_WRITE_BYTES,
    Change,
    EarlyPut,
    Indexes,
    Put,
    Update,
)
from almanac.platform.store.values import ITEM_BYTES, Value, check_attributes, check_name, scalar

MAX_INSTANT = 10**15

_OWN_BYTES = 64
"""Bytes reserved for key names, the expiry and the mark of an event, which DynamoDB also counts."""
_MOST_KEY_BYTES = _OWN_BYTES + (1 + len(INDEXES)) * (PARTITION_BYTES + SORT_BYTES)


def check_write(changes: Sequence[Change]) -> list[tuple[Change, dict[str, Value]]]:
    """Return the changes, each with its attributes in the form in which they will be read back.

    Raises InvalidInput for too many changes, too large ones, two changes of one key, and invalid values.
    """
    if not 1 <= len(changes) <= MAX_CHANGES:
        raise InvalidInput(f"A write has 1 to {MAX_CHANGES} changes, not {len(changes)}.", "Write in several steps.")
    if len(changes) > 1 and len({change.key for change in changes}) < len(changes):
        raise InvalidInput("Two changes of one write have the same key.", "Join them into one change.")
    total = 0
    result: list[tuple[Change, dict[str, Value]]] = []
    for change in changes:
        if isinstance(change, EarlyPut) and change.condition != Absent():
            raise InvalidInput("An early put has another condition than Absent.", "Put it as a new item, or not early.")
        attributes, size = _check_change(change)
        total += size
        result.append((change, attributes))
    if total > MAX_WRITE_BYTES:
        raise InvalidInput(f"The write has {total} bytes, over {MAX_WRITE_BYTES}.", "Write in several steps.")
    return result


def check_key(key: Key) -> None:
    check_sort(key.sort)
    if not key.sort:
        raise InvalidInput("The sort key is empty.", "Build it with sort_key.")


def check_sort(text: str) -> None:
    """Raise InvalidInput for a sort key, a prefix or a bound of a span of over 1024 bytes."""
    if len(text) * 4 > SORT_BYTES and len(text.encode()) > SORT_BYTES:
        raise InvalidInput(f"The sort key is over {SORT_BYTES} bytes.", "Shorten the names it is made of.")


def check_keys(keys: Sequence[Key]) -> None:
    if not 1 <= len(keys) <= MAX_KEYS or len(set(keys)) < len(keys):
        raise InvalidInput(
            f"1 to {MAX_KEYS} different keys are read at once.", "Leave out duplicates, or read in several steps."
        )
    for key in keys:
        check_key(key)


def check_size(key: Key, indexes: Indexes, attribute_bytes: int) -> None:
    """Raise InvalidInput for an item that is too large for some technology."""
    if attribute_bytes <= ITEM_BYTES - _MOST_KEY_BYTES:
        return
    places = (key, *indexes.values())
    size = attribute_bytes + _OWN_BYTES + sum(len((place.partition.text + place.sort).encode()) for place in places)
    if size > ITEM_BYTES:
        raise InvalidInput(
            f"The item has {size} bytes, over {ITEM_BYTES}.",
            "Put large values into blobs and store their names.",
            code="item_too_large",
        )


def _check_change(change: Change) -> tuple[dict[str, Value], int]:
    check_key(change.key)
    if change.condition is not None:
        _check_condition(change.condition)
    if isinstance(change, Put):
        attributes, size = check_attributes(change.attributes)
    elif isinstance(change, Update):
        attributes, size = check_attributes(change.set)
        _check_update(change, attributes)
    else:
        return {}, 0
    _check_placing(change.expires_at, change.indexes)
    check_size(change.key, {} if isinstance(change.indexes, UnsetType) else change.indexes, size)
    return attributes, size


def _check_update(change: Update, attributes: Mapping[str, Value]) -> None:
    names = [*attributes, *change.remove, *change.add]
    if len(set(names)) < len(names):
        raise InvalidInput("An update names an attribute twice.", "An attribute is set, removed or added to.")
    for name in change.remove:
        check_name(name)
    for name, number in check_attributes(change.add)[0].items():
        if not isinstance(number, int) or isinstance(number, bool):
            raise InvalidInput(f"{name} is added {number!r}.", "Only whole numbers are added.", path=name)


def _check_placing(expires_at: int | UnsetType | None, indexes: Indexes | UnsetType) -> None:
    if isinstance(expires_at, int) and not 0 <= expires_at <= MAX_INSTANT:
        raise InvalidInput(f"expires_at is {expires_at}.", "Give milliseconds since 1970.", path="expires_at")
    if not isinstance(indexes, UnsetType):
        for index, key in indexes.items():
            if index not in INDEXES:
                raise InvalidInput(f"There is no index {index!r}.", f"Indexes are {', '.join(INDEXES)}.")
            check_key(key)


def _check_condition(condition: Condition) -> None:
    match condition:
        case And(conditions) | Or(conditions):
            for each in conditions:
                _check_condition(each)
        case Equals(attribute, value) | Less(attribute, value) | Greater(attribute, value):
            check_name(attribute)
            scalar(value, attribute)
        case _:
            if (attribute := getattr(condition, "attribute", None)) is not None:
                check_name(attribute)
