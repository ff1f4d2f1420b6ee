"""Signed page cursors. Only the query that made a cursor accepts it."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from functools import cached_property
from hashlib import sha256

import msgspec

from almanac.kernel.errors import InvalidInput

_TAG_BYTES = 16
_packed = msgspec.msgpack.Encoder()
_position = msgspec.msgpack.Decoder(tuple[str, ...])


class Cursors:
    """Makes and reads cursors.

    `secret` has at least 16 bytes, and is the same in every process that serves the same callers. It may be a function,
    which is called when the first cursor is made or read.
    """

    def __init__(self, secret: bytes | Callable[[], bytes]) -> None:
        self._open = secret if callable(secret) else lambda: secret

    @cached_property
    def _secret(self) -> bytes:
        secret = self._open()
        if len(secret) < 16:
            raise ValueError("the cursor secret has at least 16 bytes")
        return secret

    def seal(self, query: tuple[str | bool | None, ...], position: tuple[str, ...]) -> str:
        """Return a URL-safe cursor for `position`. It is bound to `query`: partition, index, filters and direction."""
        body = _packed.encode(position)
        return urlsafe_b64encode(self._tag(query, body) + body).decode().rstrip("=")

    def open(self, query: tuple[str | bool | None, ...], cursor: str) -> tuple[str, ...]:
        """Return the position in a cursor of this query. Raises InvalidInput with path `cursor` for any other text."""
        try:
            raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
        except ValueError:
            raw = b""
        tag, body = raw[:_TAG_BYTES], raw[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(query, body)):
            raise InvalidInput(
                "The cursor does not belong to this query.",
                "Pass the cursor of the page before with the same arguments, or leave it out to start again.",
                path="cursor",
            )
        return _position.decode(body)

    def _tag(self, query: tuple[str | bool | None, ...], body: bytes) -> bytes:
        return hmac.digest(self._secret, _packed.encode((query, body)), sha256)[:_TAG_BYTES]
