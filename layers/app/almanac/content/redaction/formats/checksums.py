"""Checksums that providers put into their tokens."""

from zlib import crc32

_BASE62 = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CHECKED = 6


def github_checksum_holds(body: bytes) -> bool:
    """Whether the last 6 characters are the CRC-32 of those before them, in base 62, as GitHub and npm have it."""
    return _base62(crc32(body[:-_CHECKED])) == body[-_CHECKED:]


def _base62(number: int) -> bytes:
    digits = b""
    while number:
        number, digit = divmod(number, 62)
        digits = _BASE62[digit : digit + 1] + digits
    return digits.rjust(_CHECKED, b"0")
