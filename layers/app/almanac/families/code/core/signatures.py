"""Numbers for the names in a file, used as an inverted index over all files."""

from collections.abc import Collection
from hashlib import blake2b

from almanac.platform.blobs.large_values import LARGE_BYTES

BYTES = 4
"""Size of a number in little endian: 31 bits of a hash, and one bit for whether the file defines the name."""
MOST = LARGE_BYTES // 2 // BYTES
"""Maximum names of a file. A file with more was generated."""


def signature_of(names: Collection[str], defined: Collection[str] = ()) -> bytes:
    """Return the sorted numbers of the names in a file. `defined` are the names that it defines."""
    numbers = {2 * number_of(name) for name in names}.difference(2 * number_of(name) for name in defined)
    numbers |= {2 * number_of(name) + 1 for name in defined}
    return b"".join(each.to_bytes(BYTES, "little") for each in sorted(numbers)[:MOST])


def number_of(name: str) -> int:
    """Return the hash of a name. Two names collide once in two thousand million times."""
    return int.from_bytes(blake2b(name.encode(errors="surrogatepass"), digest_size=BYTES).digest(), "little") >> 1
