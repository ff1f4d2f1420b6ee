"""Announcements of event changes on the feed, in the same write as the change."""

from hashlib import sha256
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.content import clean
from almanac.families.calendar.model.booking_ids import booking_id_of
from almanac.families.calendar.model.events import Event, ZonedTime, instant_of
from almanac.families.calendar.texts.documents import EventPlace
from almanac.families.calendar.texts.secrets import visible
from almanac.kernel.caller import Scope
from almanac.kernel.events import KEY_BYTES, new_event
from almanac.kernel.ids import RandomBytes
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change

_SUMMARY = 200
"""Most characters of a title in an announcement, because announcements are billed by the kilobyte."""


class EventAnnouncer(Struct, frozen=True):
    """Announcer of the events of one calendar. Whole days begin and end in `days_zone`."""

    scope: Scope
    place: EventPlace
    days_zone: ZoneInfo

    def announce(self, kind: str, event: Event, *, actor: str, at: int, random_bytes: RandomBytes) -> list[Change]:
        """Return the changes that announce an event.

        One item carries all announcements of an event, so that they stay in order: the head of a native calendar, else
        an outbox item of the event. Therefore none is part of a search document's write.
        """
        key = f"calendar/{self.place.calendar}/{event.id}"
        if len(key.encode()) > KEY_BYTES:
            # Ids of providers may be too long for a key; the payload has the full id.
            key = f"calendar/{sha256(key.encode()).hexdigest()}"
        payload = self._payload(event)
        announced = new_event(kind, self.scope, key=key, actor=actor, at=at, random_bytes=random_bytes, payload=payload)
        return outbox([announced])

    def _payload(self, event: Event) -> dict[str, object]:
        """Return the event's id, title and time, on the clocks of its own zone."""
        zone = event.start.tzinfo if isinstance(event.start, ZonedTime) else self.days_zone
        start, end = (
            instant_of(when, self.days_zone).astimezone(zone).isoformat() for when in (event.start, event.end)
        )
        payload: dict[str, object] = {
            "calendar_id": self.place.calendar,
            "event_id": event.id,
            "booking_id": booking_id_of(event.id),
            "summary": clean(visible(event, self.place.provider).summary).text[:_SUMMARY],
            "start": start,
            "end": end,
            "timezone": zone.key,
            "all_day": event.is_all_day,
        }
        return payload | ({"recurrence": event.rrule} if event.rrule is not None else {})
