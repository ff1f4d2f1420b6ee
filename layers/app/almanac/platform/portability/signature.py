"""The signature of a tenant's file: an installation signs what it exports, with a secret that never leaves it.

A signature covers every line. With it, an installation recognises its own files and sees whether they were changed. It
cannot check a file that another installation signed.
"""

import hmac
from hashlib import sha256
from typing import Literal

Origin = Literal["own", "changed", "foreign", "unsigned"]


class Signer:
    """Signs files with the installation's `secret`."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    @property
    def signer(self) -> str:
        """The public name of the installation, derived from the secret one way."""
        return sha256(b"almanac exporter" + self._secret).hexdigest()[:16]

    def sign(self, digest: bytes) -> str:
        return hmac.new(self._secret, digest, sha256).hexdigest()

    def origin(self, signer: str, signature: str, digest: bytes) -> Origin:
        if not signer and not signature:
            return "unsigned"
        if signer != self.signer:
            return "foreign"
        return "own" if hmac.compare_digest(self.sign(digest), signature) else "changed"
