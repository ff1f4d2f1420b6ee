"""Identifiers that sort by the time they were made (ULID: 48 bits of milliseconds, 80 random bits)."""

from collections.abc import Callable

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # Crockford base 32

RandomBytes = Callable[[int], bytes]


def new_reference(random_bytes: RandomBytes) -> str:
    """What an internal error is found by in the log: 12 random hexadecimal digits."""
    return random_bytes(6).hex()


def ulid(milliseconds: int, random_bytes: RandomBytes) -> str:
    """26 characters; `milliseconds` since 1970, `random_bytes` such as `os.urandom`."""
    number = (milliseconds << 80) | int.from_bytes(random_bytes(10), "big")
    return "".join(_ALPHABET[(number >> shift) & 31] for shift in range(125, -5, -5))
