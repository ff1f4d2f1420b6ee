"""Names of subjects, predicates and objects, and their keys in the store.

"Ann" and " Ann " are the same name; "Ann" and "ann" are not. Similar names are suggested to callers and never merged.
"""

import re
import unicodedata
from hashlib import sha256

KEY_BYTES = 200
_SPACE = re.compile(r"\s+")
_DIGEST = 32
_ESCAPED = re.compile(rb'[\x00-\x20!"#%\x7f]')
_ESCAPED_BYTES = 2  # more than itself: "%20" for a blank


def tidy_name(name: str) -> str:
    """Return a name as it is stored and compared: in composed form (NFC), trimmed, and with single blanks."""
    return _SPACE.sub(" ", unicodedata.normalize("NFC", name)).strip()


def name_key(name: str) -> str:
    """Return a unique key of at most 200 bytes for a tidied name. Short names sort in the same order as their keys."""
    encoded, room = name.encode(), KEY_BYTES - _DIGEST - 1
    if _stored_bytes(encoded) <= room and "~" not in name:
        return name
    start = encoded[:room]
    while (over := _stored_bytes(start) - room) > 0:
        start = start[: -max(1, over // (_ESCAPED_BYTES + 1))]
    return f"{start.decode(errors='ignore')}~{sha256(encoded).hexdigest()[:_DIGEST]}"


def _stored_bytes(encoded: bytes) -> int:
    return len(encoded) + _ESCAPED_BYTES * len(_ESCAPED.findall(encoded))


def fold(name: str) -> str:
    """Return a name without case, accents, signs and blanks, cut to 100 characters; "-" if nothing is left."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    return "".join(one for one in plain if one.isalnum())[:100] or "-"
