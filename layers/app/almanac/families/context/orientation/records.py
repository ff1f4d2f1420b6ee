"""Stored visits of keys, for "since your last visit"."""

from almanac.platform.store.records import Record, Table

KEPT_MS = 400 * 86_400_000
"""Lifetime of a visit. It is limited because a key may name a new place in each call."""


class Visit(Record, frozen=True, kw_only=True):
    """The last visit of a key. `place` is a digest of the path, "-" without one. Memories stored from `at` on, in
    milliseconds since 1970, are new to the key."""

    key_id: str
    place: str
    at: int
    expires_at: int


VISITS = Table(Visit, "context_visits", sort=("key_id", "place"), expires="expires_at")
