"""State that travels through the client and comes back unchanged, or is refused."""

import base64
import hmac
from typing import Any, Final

import msgspec

from almanac.kernel.clock import Clock
from almanac.protocol.message.rpc import INVALID_PARAMS, RpcError

LIFETIME_SECONDS: Final = 600

_encode = msgspec.json.Encoder(order="deterministic").encode


class Seal:
    """HMAC-SHA256 over the state, its expiry and what it is bound to. One `secret` for all processes of a server."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock

    def close(self, state: Any, bound_to: object) -> str:
        """`state`, a JSON value, as text that only this call of this caller can bring back, for ten minutes."""
        payload = _encode([int(self._clock.now().timestamp()) + LIFETIME_SECONDS, state])
        return f"{_text(payload)}.{_text(self._mac(payload, bound_to))}"

    def open(self, sealed: str, bound_to: object) -> Any:
        """The state in `sealed`. RpcError INVALID_PARAMS where it was changed, moved to another call, or is too old."""
        head = sealed.partition(".")[0]
        payload = _bytes(head)
        # Texts are compared, not bytes: base64 has more than one spelling for the same bytes.
        if not hmac.compare_digest(f"{_text(payload)}.{_text(self._mac(payload, bound_to))}".encode(), sealed.encode()):
            raise RpcError(INVALID_PARAMS, "The requestState does not belong to this call. Start the call again.")
        expiry, state = msgspec.json.decode(payload)
        if expiry < self._clock.now().timestamp():
            raise RpcError(INVALID_PARAMS, "The requestState has expired. Start the call again.")
        return state

    def _mac(self, payload: bytes, bound_to: object) -> bytes:
        return hmac.digest(self._secret, _encode(bound_to) + b"\n" + payload, "sha256")


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode()


def _bytes(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text.encode())
    except ValueError:
        return b""
