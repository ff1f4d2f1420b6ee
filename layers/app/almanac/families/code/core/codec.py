"""Stored forms of a file besides its record: its text, its searchable parts, and its summary for the graph.

They are compressed msgpack, since source text is repetitive.
"""

import zlib
from typing import TypeVar

import msgspec
from msgspec import Struct

from almanac.platform.blobs.large_values import LARGEST_BYTES

T = TypeVar("T")

SETTINGS = "settings"
"""Kind of a part with values outside of definitions, such as one-line constants and configuration keys."""
VALUES = "values"
"""Kind of a part with values set within a definition. Search finds it for queries about values."""

_LEVEL = 3
"""Takes half the time of the default level for a few percent more bytes."""


class Part(Struct, frozen=True, array_like=True):
    """A searchable part of a file: a definition, or a piece of the text between definitions.

    `name` is unique in its file and stays while the text around it changes. `title` and `text` are searched. Lines
    count from 1, `end` included. `symbol` is the qualified name of the definition, "" without one. `sets` are names of
    values in the part.
    """

    name: str
    title: str
    text: str
    start: int
    end: int
    symbol: str
    kind: str
    sets: tuple[str, ...] = ()


def pack(value: object) -> bytes:
    return zlib.compress(msgspec.msgpack.encode(value), _LEVEL)


def unpack(data: bytes, kind: type[T]) -> T:
    """Decompress and decode a value. Raises ValueError for damaged data, or data that would grow beyond the limit of an
    item."""
    inflate = zlib.decompressobj()
    try:
        plain = inflate.decompress(data, LARGEST_BYTES)
    except zlib.error as damaged:
        raise ValueError("not compressed as expected") from damaged
    if inflate.unconsumed_tail or not inflate.eof:
        raise ValueError("too large, or cut off")
    return msgspec.msgpack.decode(plain, type=kind)
