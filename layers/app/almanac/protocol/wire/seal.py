"""State that travels through the client. A changed or moved state is refused when it comes back."""

import base64
import hmac
from typing import Any, Final

import msgspec

from almanac.kernel.clock import Clock
from almanac.protocol.message.rpc import INVALID_PARAMS, RpcError

LIFETIME_SECONDS: Final = 600

_encode = msgspec.json.Encoder(order="deterministic").encode


class Seal:
    """HMAC-SHA256 over a state, its expiry and the call it is bound to. All processes of a server share one
    `secret`."""

    def __init__(self, secret: bytes, clock: Clock) -> None:
        self._secret = secret
        self._clock = clock

    def close(self, state: Any, bound_to: object) -> str:
        """Seal `state`, a JSON value, as text that only the same call of the same caller can return, within ten
        minutes."""
        payload = _encode([int(self._clock.now().timestamp()) + LIFETIME_SECONDS, state])
        return f"{_text(payload)}.{_text(self._mac(payload, bound_to))}"

    def open(self, sealed: str, bound_to: object) -> Any:
        """Return the state in `sealed`. RpcError INVALID_PARAMS if it was changed, moved to another call, or is too
        old."""
        head = sealed.partition(".")[0]
        payload = _bytes(head)
        # Compare texts instead of bytes: base64 can spell the same bytes in several ways.
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
