"""The format of one kind of token."""

from collections.abc import Callable

from msgspec import Struct

ALNUM = "[A-Za-z0-9]"
WORD = "[A-Za-z0-9_-]"
HEX = "[a-fA-F0-9]"
UPPER = "[A-Z0-9]"
BASE64 = "[A-Za-z0-9+/]"
UUID = "[a-fA-F0-9]{8}-(?:[a-fA-F0-9]{4}-){3}[a-fA-F0-9]{12}"


class Format(Struct, frozen=True):
    """Tokens of one `kind`. Each begins with one of `prefixes`, followed by the pattern `body`.

    `bits` is the minimum entropy of a body per character. `checked` verifies a checksum; a body that fails it must look
    random instead. `beside` is a pattern that must match within 80 characters of the token.
    """

    kind: str
    prefixes: tuple[str, ...]
    body: str
    bits: float = 2.6
    checked: Callable[[bytes], bool] | None = None
    beside: str = ""


def tokens(kind: str, prefixes: str, body: str, bits: float = 2.6) -> Format:
    """Return a format without a checksum. `prefixes` are separated by blanks."""
    return Format(kind, tuple(prefixes.split()), body, bits)
