"""How far the shadow of a calendar was read."""

from almanac.platform.store.records import Record, Table


class SyncRecord(Record, frozen=True, kw_only=True):
    """`token` is the provider's, None to begin anew; `pulled_at` is when it last answered, in milliseconds since 1970.
    `unreadable` names the first of the events that were left out."""

    calendar: str
    token: str | None
    pulled_at: int
    unreadable: tuple[str, ...] = ()


SYNCS = Table(SyncRecord, "calendar_syncs", sort=("calendar",))
