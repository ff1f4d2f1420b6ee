"""Items in DynamoDB's format, in one table. Its own attributes are in upper case, those of records in lower case.

PK, SK                            the key
GSI1PK, GSI1SK, GSI2PK, GSI2SK    the keys in the two sparse indexes
EXPIRES, TTL                      expiry in milliseconds, and in seconds for DynamoDB's own deletion
FEED                              true for events, which the stream carries on
"""

from collections.abc import Mapping
from typing import Any

from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import Index, Indexes, Item, OutboxPut, Put
from almanac.platform.store.values import Value

Image = dict[str, dict[str, Any]]
"""Attribute name -> {type: value}, as in the DynamoDB API and in its streams."""

INDEX_KEYS: dict[Index, tuple[str, str]] = {"gsi1": ("GSI1PK", "GSI1SK"), "gsi2": ("GSI2PK", "GSI2SK")}


def key_image(key: Key) -> Image:
    return {"PK": {"S": key.partition.text}, "SK": {"S": key.sort}}


def put_image(put: Put, attributes: Mapping[str, Value]) -> Image:
    """Return the whole item that a Put or an OutboxPut writes. `attributes` must be checked."""
    image = key_image(put.key) | {name: encode(value) for name, value in attributes.items()}
    image |= index_attributes(put.indexes)
    if put.expires_at is not None:
        image |= expiry_attributes(put.expires_at)
    if isinstance(put, OutboxPut):
        image["FEED"] = {"BOOL": True}
    return image


def index_attributes(indexes: Indexes) -> Image:
    """Return the attributes that put an item into its indexes."""
    image: Image = {}
    for index, key in indexes.items():
        partition, sort = INDEX_KEYS[index]
        image[partition] = {"S": key.partition.text}
        image[sort] = {"S": key.sort}
    return image


def expiry_attributes(expires_at: int) -> Image:
    # DynamoDB's deletion counts whole seconds. Rounding up keeps an item until it has expired for us, too.
    return {"EXPIRES": {"N": str(expires_at)}, "TTL": {"N": str(-(-expires_at // 1000))}}


def item_of(image: Image) -> Item:
    """Return the item in an image from a read or from the stream."""
    indexes: dict[Index, Key] = {}
    for index, (partition, sort) in INDEX_KEYS.items():
        if partition in image:
            indexes[index] = Key(Partition.as_stored(image[partition]["S"]), image[sort]["S"])
    attributes = {name: decode(value) for name, value in image.items() if not name[0].isupper()}
    key = Key(Partition.as_stored(image["PK"]["S"]), image["SK"]["S"])
    return Item(key, attributes, int(image["EXPIRES"]["N"]) if "EXPIRES" in image else None, indexes)


def encode(value: Value) -> dict[str, Any]:
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": repr(value)}  # the shortest text that reads back as the same number
        case None:
            return {"NULL": True}
        case bytes():
            return {"B": value}
        case list():
            return {"L": [encode(each) for each in value]}
        case dict():
            return {"M": {name: encode(each) for name, each in value.items()}}


def decode(value: dict[str, Any]) -> Value:
    ((kind, held),) = value.items()
    match kind:
        case "N":
            return _number(held)
        case "NULL":
            return None
        case "L":
            return [decode(each) for each in held]
        case "M":
            return {name: decode(each) for name, each in held.items()}
        case _:
            return held


def _number(text: str) -> int | float:
    if text.isdigit() and len(text) < 19:
        return int(text)
    number = float(text)
    if not number.is_integer() or abs(number) > 2**63:
        return number
    # Between 2^53 and 2^63 a float cannot hold every whole number, so the digits are parsed.
    exact = int(text) if text.lstrip("-").isdigit() else int(number)
    return exact if -(2**63) <= exact < 2**63 else number
