"""Stored records of orientation: when each key was last told where it is.

P#<tenant>#<project>#context_visits   <key id>#<place>   Visit
"""

from almanac.platform.store.records import Record, Table

KEPT_MS = 400 * 86_400_000
"""A key may name a new place in each call; after so long without one, it comes for the first time again."""


class Visit(Record, frozen=True, kw_only=True):
    """`place` is a digest of the path that was named, "-" without one. `at`, in milliseconds since 1970: what was
    remembered from then on is new to the key."""

    key_id: str
    place: str
    at: int
    expires_at: int


VISITS = Table(Visit, "context_visits", sort=("key_id", "place"), expires="expires_at")
