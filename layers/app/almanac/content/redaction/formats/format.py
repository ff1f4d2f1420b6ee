"""Format of one kind of token."""

from collections.abc import Callable

from msgspec import Struct

ALNUM = "[A-Za-z0-9]"
WORD = "[A-Za-z0-9_-]"
HEX = "[a-fA-F0-9]"
UPPER = "[A-Z0-9]"
BASE64 = "[A-Za-z0-9+/]"
UUID = "[a-fA-F0-9]{8}-(?:[a-fA-F0-9]{4}-){3}[a-fA-F0-9]{12}"


class Format(Struct, frozen=True):
    """Tokens of one `kind` begin with one of `prefixes`, each followed by `body`, a pattern.

    `bits` is the least entropy of a body, in bits for each character. `checked` tells by a checksum whether a body is
    whole; one that is not must look random instead. `beside` are words of which one must stand
    within 80 characters.
    """

    kind: str
    prefixes: tuple[str, ...]
    body: str
    bits: float = 2.6
    checked: Callable[[bytes], bool] | None = None
    beside: str = ""


def tokens(kind: str, prefixes: str, body: str, bits: float = 2.6) -> Format:
    """A format without a checksum; `prefixes` are separated by blanks."""
    return Format(kind, tuple(prefixes.split()), body, bits)
