"""DynamoDB's request units, by its published rules: what an item measures, and what reading and writing it takes.

A read unit is 4 KB, a write unit 1 KB. Reads that are consistent take one, those of an index a half, transactional ones
two. A write is measured by the larger of the item before and after; in a transaction it takes twice as much. An index
is written where what it holds of the item changes, twice where the item moves in it, and never at the double price.
"""

from collections.abc import Mapping
from typing import Any

from almanac.platform.store.dynamodb.items import INDEX_KEYS, Image, put_image
from almanac.platform.store.port import Index, Item, Put
from almanac.platform.store.values import check_attributes

READ_BYTES, WRITE_BYTES = 4096, 1024


def item_bytes(image: Image | None) -> int:
    return sum(_length(name) + _value_bytes(value) for name, value in image.items()) if image else 0


def image_of(item: Item | Put) -> Image:
    """The item as DynamoDB holds it."""
    whole = item if isinstance(item, Put) else Put(item.key, item.attributes, None, item.expires_at, item.indexes)
    return put_image(whole, check_attributes(whole.attributes)[0])


def read_units(size: int) -> int:
    """Of one consistent read of `size` bytes: one also where nothing is found."""
    return max(1, -(-size // READ_BYTES))


def write_units(before: int, after: int) -> int:
    """Of one write outside a transaction: one also where nothing stood and nothing stands."""
    return max(1, -(-max(before, after) // WRITE_BYTES))


def index_units(index: Index, before: Image | None, after: Image | None) -> list[tuple[Image, int]]:
    """What a write takes in `index`: the image that names the place there, and the units."""
    old, new = _place(index, before), _place(index, after)
    if old == new:
        if old is None or before == after or after is None:
            return []
        return [(after, write_units(item_bytes(before), item_bytes(after)))]
    left = [(before, write_units(item_bytes(before), 0))] if before and old else []
    entered = [(after, write_units(0, item_bytes(after)))] if after and new else []
    return left + entered


def _place(index: Index, image: Image | None) -> tuple[Any, Any] | None:
    partition, sort = INDEX_KEYS[index]
    return (image[partition], image[sort]) if image and partition in image else None


def _value_bytes(value: Mapping[str, Any]) -> int:
    ((kind, held),) = value.items()
    match kind:
        case "S":
            return _length(held)
        case "N":
            return _number_bytes(held)
        case "B":
            return len(held)
        case "L":
            return 3 + sum(1 + _value_bytes(each) for each in held)
        case "M":
            return 3 + sum(1 + _length(name) + _value_bytes(each) for name, each in held.items())
        case _:
            return 1


def _number_bytes(text: str) -> int:
    """A byte for two significant digits, one more, and one for a sign."""
    digits = text.lstrip("-").lower().partition("e")[0].replace(".", "").strip("0")
    return (len(digits) + 1) // 2 + 1 + text.startswith("-")


def _length(text: str) -> int:
    return len(text.encode())
