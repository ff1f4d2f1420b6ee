"""Packed postings of one term in one block of places. Each document takes four bytes, for its place in the block and
its count.

The postings are in no order, and each place occurs once. Packing needs no numpy, so a process that only writes never
loads it.
"""

import sys
from array import array
from collections.abc import Collection

from almanac.search.sqlite.files.schema import BLOCK_BITS

BLOCK_PLACES = 1 << BLOCK_BITS
_PLACE = BLOCK_PLACES - 1
MAX_COUNT = (1 << (32 - BLOCK_BITS)) - 1
TYPECODE = "I"  # four bytes wherever Python runs


def pack_posting(place: int, count: int) -> bytes:
    """Return the posting of one document, by its place in the collection and the count of the term. Counts above 4
    million become 4 million."""
    return (min(count, MAX_COUNT) << BLOCK_BITS | place & _PLACE).to_bytes(4, "little")


def without(body: bytes, places: Collection[int]) -> bytes:
    """Return the postings without those of `places` in the collection, which all lie in its block."""
    dropped = {place & _PLACE for place in places}
    numbers = array(TYPECODE, body)
    if sys.byteorder == "big":
        numbers.byteswap()
    kept = array(TYPECODE, [number for number in numbers if number & _PLACE not in dropped])
    if sys.byteorder == "big":
        kept.byteswap()
    return kept.tobytes()
