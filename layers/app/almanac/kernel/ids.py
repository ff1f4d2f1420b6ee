"""Identifiers that sort by the time they were made: 48 bits of milliseconds, the rest random."""

from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford base 32

RandomBytes = Callable[[int], bytes]


def new_reference(random_bytes: RandomBytes) -> str:
    """Return a reference by which operators find an internal error in the log: 12 random hexadecimal digits."""
    return random_bytes(6).hex()


def ulid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """26 characters; `milliseconds` since 1970, `random_bytes` such as `os.urandom`."""
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))


def milliseconds_of(ulid_text: str) -> int:
    """The milliseconds since 1970 at which a ULID was made. Raises ValueError for other text."""
    number = 0
    for character in ulid_text[:10]:
        number = number << 5 | _ALPHABET.index(character)
    return number


def time_ordered_uuid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """A UUID of version 7 (RFC 9562), for ids that a contract wants in that form."""
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
