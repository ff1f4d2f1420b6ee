"""Blocks of private keys, as files and settings hold them; those that were cut short too."""

from collections.abc import Iterator
from itertools import zip_longest

from almanac.content.redaction.matching.linear import compiled
from almanac.content.redaction.matching.plausible import entropy
from almanac.content.redaction.matching.spans import PLACE, Span

_LONGEST_KEY = 64 * 1024
_SHORTEST_KEY = 24
_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PRIVATE KEY BLOCK)-----|PuTTY-User-Key-File-\d"
_END = r"-----END [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PRIVATE KEY BLOCK)-----|Private-MAC: [0-9a-f]+"
_ARMOUR = r"(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]+: [^\n\"\\]*|[\s\"'`+,>|#*/]|\\+[nrt]|[A-Za-z0-9+/=]+\s*$)*"


def key_blocks_in(data: bytes) -> Iterator[Span]:
    """Every block of a private key, from its first line to its last."""
    if b"PRIVATE KEY" not in data and b"PuTTY" not in data:
        return
    begins = list(compiled(_BEGIN).finditer(data))
    for begin, after in zip_longest(begins, begins[1:]):
        limit = min(after.start() if after else len(data), begin.end() + _LONGEST_KEY)
        end = compiled(_END).search(data, begin.end(), limit) or compiled(_ARMOUR).match(data, begin.end(), limit)
        if end and _holds_key(data[begin.end() : max(end.start(), end.end() if end.start() == begin.end() else 0)]):
            yield Span(begin.start(), end.end(), "private_key", PLACE)


def _holds_key(block: bytes) -> bool:
    run = compiled(rf"[A-Za-z0-9+/=]{{{_SHORTEST_KEY},}}").search(block)
    return run is not None and entropy(run.group() or b"") > 2.5 and b"..." not in block
