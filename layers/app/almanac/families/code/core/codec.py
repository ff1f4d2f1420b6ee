"""The stored forms of a file beside its record: its text, the parts that search finds, and its summary for the graph.

Compressed as msgpack, since a repository is mostly text that repeats itself.
"""

import zlib
from typing import TypeVar

import msgspec
from msgspec import Struct

from almanac.platform.blobs.large_values import LARGEST_BYTES

T = TypeVar("T")

SETTINGS = "settings"
"""The kind of a part of values that stand outside of definitions: constants of one line, keys of configuration."""
VALUES = "values"
"""The kind of a part of values that are set within a definition: search finds them where values are asked for."""

_LEVEL = 3
"""Half the time of the usual level for a few hundredths more bytes."""


class Part(Struct, frozen=True, array_like=True):
    """A part of a file that search finds: a definition, or a piece of the text between definitions.

    `name` is unique in its file and stays while the text around it changes. `title` and `text` are searched. Lines
    count from 1, `end` included. `symbol` is the qualified name of the definition, "" without one; `kind` says what it
    is. `sets` are names of values that stand in it.
    """

    name: str
    title: str
    text: str
    start: int
    end: int
    symbol: str
    kind: str
    sets: tuple[str, ...] = ()


def packed(value: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), _LEVEL)


def unpacked(data: bytes, kind: type[T]) -> T:
    """Raises ValueError for what was not packed so, or would grow beyond what an item may hold."""
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(data, LARGEST_BYTES)
    except zlib.error as damaged:
        raise ValueError("not compressed as expected") from damaged
    if inflate.unconsumed_tail or not inflate.eof:
        raise ValueError("too large, or cut off")
    return msgspec.msgpack.decode(plain, type=kind)
