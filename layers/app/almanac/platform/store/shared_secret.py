"""Secrets that all processes of an installation share. The first process that needs one makes and stores it."""

from almanac.kernel.ids import RandomBytes
from almanac.platform.store.conditions import Absent
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Item, Put, Store

BYTES = 32


def shared_secret(store: Store, name: str, random_bytes: RandomBytes) -> bytes:
    """Return the secret called `name`: 32 random bytes, the same in every process."""
    key = Key(Partition.system("secrets"), sort_key(name))
    item = store.get(key)
    if item is not None:
        return _value(item)
    secret = random_bytes(BYTES)
    try:
        store.write([Put(key, {"value": secret}, Absent())])
    except ConditionFailed as faster:
        if faster.item is None:
            raise
        return _value(faster.item)
    return secret


def _value(item: Item) -> bytes:
    value = item.attributes["value"]
    if not isinstance(value, bytes):
        raise TypeError("a shared secret is kept as bytes")
    return value
