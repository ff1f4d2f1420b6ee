"""API keys as text: `alm_<id>_<secret>`.

The id names a key in listings, logs and the store. The secret is random, and only its SHA-256 is ever stored. An id has
no underscore, so a key can be split in only one way, even if its secret contains underscores.
"""

import hmac
import re
from base64 import b32encode
from dataclasses import dataclass, field
from hashlib import sha256

from almanac.kernel.errors import InvalidInput
from almanac.kernel.ids import RandomBytes

MAX_LENGTH = 200
FORM = "alm_<id>_<secret>, where <id> has 4 to 32 letters and digits and <secret> 32 to 128 letters, digits, - or _"

_KEY = re.compile(r"alm_([A-Za-z0-9]{4,32})_([A-Za-z0-9_-]{32,128})")
_ID_BYTES = 10
_SECRET_BYTES = 30


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key with its secret. The secret never appears in a repr, so that it cannot reach a log by accident."""

    id: str
    secret: str = field(repr=False)

    @property
    def text(self) -> str:
        return f"alm_{self.id}_{self.secret}"

    @property
    def digest(self) -> bytes:
        """SHA-256 of the secret. The secret has 240 random bits, so a slow hash would protect nothing more."""
        return sha256(self.secret.encode()).digest()

    def opens(self, digest: bytes) -> bool:
        """Return whether `digest` was made of this key's secret. The comparison takes constant time."""
        return hmac.compare_digest(self.digest, digest)


def new_api_key(random_bytes: RandomBytes) -> ApiKey:
    """Return a key with an id of 16 and a secret of 48 characters (a-z, 2-7), from random bytes (e.g. `os.urandom`)."""
    return ApiKey(_base32(random_bytes(_ID_BYTES)), _base32(random_bytes(_SECRET_BYTES)))


def read_api_key(text: str) -> ApiKey | None:
    """Parse an API key. Return None for any other text."""
    match = _KEY.fullmatch(text) if len(text) <= MAX_LENGTH else None
    return ApiKey(match[1], match[2]) if match else None


def parse_api_key(text: str) -> ApiKey:
    """Parse an API key. Raises InvalidInput for any other text, without repeating it."""
    key = read_api_key(text)
    if key is None:
        raise InvalidInput("This is not an Almanac API key.", f"A key reads {FORM}.", path="api_key")
    return key


def _base32(raw: bytes) -> str:
    return b32encode(raw).decode("ascii").rstrip("=").lower()
