"""An offset said after a time of day: "5pm UTC", "10:55:50 GMT", "12 Dec 2014 10:55:50 +0200"."""

import re
from datetime import timedelta
from functools import lru_cache

_NAMES = (" utc", " gmt", " z")


@lru_cache(maxsize=1)
def _pattern() -> re.Pattern[str]:
    # A bare offset counts only behind a full date and a time with seconds; elsewhere it may be a range of hours.
    return re.compile(r"(?=.*\d{4}.*:\d\d:\d\d )(.*\d) ([+-])([01]\d|2[0-3])([0-5]\d)", re.ASCII)


def split_offset(text: str) -> tuple[str, timedelta] | None:
    """The rest of a normalised text and the offset from UTC it ends with, if it does."""
    if text.endswith(_NAMES):
        return text[: text.rindex(" ")], timedelta()
    if text[-5:-4] not in ("+", "-") or (found := _pattern().fullmatch(text)) is None:
        return None
    offset = timedelta(hours=int(found[3]), minutes=int(found[4]))
    return found[1], -offset if found[2] == "-" else offset
