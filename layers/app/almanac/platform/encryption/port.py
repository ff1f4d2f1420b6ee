"""The sealing port: small secrets, unreadable at rest, each bound to the place where it belongs."""

from collections.abc import Mapping
from typing import Protocol

from almanac.kernel.errors import InvalidInput

MAX_SECRET_BYTES = 4096


class Sealer(Protocol):
    """`context` says where a secret belongs, e.g. its tenant and account: it is not secret itself, and what was sealed
    in one context does not open in another. Every method raises Unavailable when the backing service does not answer.
    """

    def seal(self, secret: bytes, context: Mapping[str, str]) -> bytes:
        """Raises InvalidInput for a secret of more than 4096 bytes."""
        ...

    def open(self, sealed: bytes, context: Mapping[str, str]) -> bytes:
        """Raises Forbidden where it was sealed with another key, in another context, or was altered."""
        ...


def checked(secret: bytes) -> bytes:
    """Raises InvalidInput for what is too large to be sealed."""
    if len(secret) > MAX_SECRET_BYTES:
        raise InvalidInput(f"A secret has at most {MAX_SECRET_BYTES} bytes.", "Give the password or token alone.")
    return secret
