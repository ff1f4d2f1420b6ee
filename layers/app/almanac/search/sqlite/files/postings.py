"""Postings of one term in one block of places, packed: four bytes a document, place in the block and count.

They stand in no order, and no place stands twice. Packing needs no numpy, which a process that only writes never loads.
"""

import sys
from array import array
from collections.abc import Collection

from almanac.search.sqlite.files.schema import BLOCK_BITS

BLOCK_PLACES = 1 << BLOCK_BITS
_PLACE = BLOCK_PLACES - 1
MAX_COUNT = (1 << (32 - BLOCK_BITS)) - 1
TYPECODE = "I"  # four bytes wherever Python runs


def packed(place: int, count: int) -> bytes:
    """One document: its place in the collection, how often it has the term (more than 4 million count as that)."""
    return (min(count, MAX_COUNT) << BLOCK_BITS | place & _PLACE).to_bytes(4, "little")


def without(body: bytes, places: Collection[int]) -> bytes:
    """The postings but those of `places` in the collection, all of which lie in its block."""
    dropped = {place & _PLACE for place in places}
    numbers = array(TYPECODE, body)
    if sys.byteorder == "big":
        numbers.byteswap()
    kept = array(TYPECODE, [number for number in numbers if number & _PLACE not in dropped])
    if sys.byteorder == "big":
        kept.byteswap()
    return kept.tobytes()
