"""Identifiers that sort by creation time: 48 bits of milliseconds, then random bits."""

from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford base 32

RandomBytes = Callable[[int], bytes]


def new_reference(random_bytes: RandomBytes) -> str:
    """Return a reference by which operators find an internal error in the log: 12 random hexadecimal digits."""
    return random_bytes(6).hex()


def ulid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """Return a ULID of 26 characters from `milliseconds` since 1970 and a source of random bytes
    such as `os.urandom`.
    """
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))


def milliseconds_of(ulid_text: str) -> int:
    """Return the creation time of a ULID, in milliseconds since 1970. Raises ValueError for other text."""
    number = 0
    for character in ulid_text[:10]:
        number = number << 5 | _ALPHABET.index(character)
    return number


def time_ordered_uuid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """Return a UUID of version 7 (RFC 9562), for contracts that require that form of id."""
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
