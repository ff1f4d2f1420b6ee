"""Names of subjects, predicates and objects: what makes two of them the same, and the keys that stand for them.

"Ann" and " Ann " are the same name, "Ann" and "ann" are not: names alike are offered to callers, never merged.
"""

import re
import unicodedata
from hashlib import sha256

KEY_BYTES = 200
_SPACE = re.compile(r"\s+")
_DIGEST = 32
_ESCAPED = re.compile(rb'[\x00-\x20!"#%\x7f]')
_ESCAPED_BYTES = 2  # more than itself: "%20" for a blank


def tidied(name: str) -> str:
    """As it is stored and compared: in composed form (NFC), with single blanks, without those at its ends."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", name)).strip()


def name_key(name: str) -> str:
    """A text of at most 200 bytes, as a key of the store writes it, that no other tidied name has, and that sorts like
    it where it is short."""
    encoded, room = name.encode(), KEY_BYTES - _DIGEST - 1
    if _written_bytes(encoded) <= room and "~" not in name:
        return name
    start = encoded[:room]
    while (over := _written_bytes(start) - room) > 0:
        start = start[: -max(1, over // (_ESCAPED_BYTES + 1))]
    return f"{start.decode(errors='ignore')}~{sha256(encoded).hexdigest()[:_DIGEST]}"


def _written_bytes(encoded: bytes) -> int:
    return len(encoded) + _ESCAPED_BYTES * len(_ESCAPED.findall(encoded))


def folded(name: str) -> str:
    """Without case, accents, signs and blanks, at most 100 characters; "-" where nothing is left."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(one for one in plain if one.isalnum())[:100] or "-"
