"""The encryption port, for small secrets. Each is bound to a context and can be decrypted only with it."""

from collections.abc import Mapping
from typing import Protocol

from almanac.kernel.errors import InvalidInput

MAX_SECRET_BYTES = 4096


class Sealer(Protocol):
    """Encrypts and decrypts secrets.

    `context` names the owner of a secret, e.g. its tenant and account, and is not secret itself. A secret that was
    sealed in one context does not open in another. Every method raises Unavailable if the backing service does not
    answer.
    """

    def seal(self, secret: bytes, context: Mapping[str, str]) -> bytes:
        """Encrypt a secret. Raises InvalidInput for more than 4096 bytes."""
        ...

    def open(self, sealed: bytes, context: Mapping[str, str]) -> bytes:
        """Decrypt a secret. Raises Forbidden if it was sealed with another key or context, or was altered."""
        ...


def check_secret(secret: bytes) -> bytes:
    """Return the secret. Raises InvalidInput if it is too large."""
    if len(secret) > MAX_SECRET_BYTES:
        raise InvalidInput(f"A secret has at most {MAX_SECRET_BYTES} bytes.", "Give the password or token alone.")
    return secret
