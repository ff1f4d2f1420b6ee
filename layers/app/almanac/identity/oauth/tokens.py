"""Access and refresh tokens as text: `alt_<grant>_<secret>` and `alr_<grant>_<secret>`.

Both contain the id of their grant, so a request with an access token costs one read more than one with an API key. The
store holds only the SHA-256 of a secret. New tokens are derived from the refresh token that they replace and a salt in
the store. So repeating a refresh gives the same answer, and neither the token nor the store alone suffices to compute
it.
"""

import hmac
import re
from base64 import b32encode
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Literal

from almanac.kernel.ids import RandomBytes

Kind = Literal["alt", "alr"]
ACCESS: Kind = "alt"
REFRESH: Kind = "alr"

_TOKEN = re.compile(r"(alt|alr)_([a-z2-7]{26})_([a-z2-7]{52})")
_MAX_LENGTH = 100
_ID_BYTES = 16
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True)
class Token:
    """An access or refresh token. `secret` stays out of the repr, and so out of logs."""

    kind: Kind
    grant_id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        return f"{self.kind}_{self.grant_id}_{self.secret}"

    @property
    def digest(self) -> bytes:
        return digest_of(self.text)

    def opens(self, digest: bytes) -> bool:
        """Return whether `digest` was made of this token. The comparison takes constant time."""
        return hmac.compare_digest(self.digest, digest)

    def successor(self, kind: Kind, salt: bytes) -> "Token":
        """Return the token that follows this refresh token. The same salt gives the same token."""
        derived = hmac.digest(salt, f"{kind} after {self.text}".encode(), "sha256")
        return Token(kind, self.grant_id, base32(derived))


def read_token(text: str) -> Token | None:
    """Parse a token. Return None for any other text."""
    found = _TOKEN.fullmatch(text) if len(text) <= _MAX_LENGTH else None
    return None if found is None else Token(REFRESH if found[1] == REFRESH else ACCESS, found[2], found[3])


def new_token(kind: Kind, grant_id: str, random_bytes: RandomBytes) -> Token:
    return Token(kind, grant_id, base32(random_bytes(_SECRET_BYTES)))


def new_grant_id(random_bytes: RandomBytes) -> str:
    return base32(random_bytes(_ID_BYTES))


def new_secret(random_bytes: RandomBytes) -> str:
    """Return 256 random bits as 52 characters, for authorization codes and the secrets of clients."""
    return base32(random_bytes(_SECRET_BYTES))


def digest_of(text: str) -> bytes:
    """Return the SHA-256 of a secret. Secrets here have 256 random bits, so a slow hash would protect nothing more."""
    return sha256(text.encode()).digest()


def base32(raw: bytes) -> str:
    return b32encode(raw).decode("ascii").rstrip("=").lower()
