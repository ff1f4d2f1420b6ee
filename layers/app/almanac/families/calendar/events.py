"""An event of a calendar, in the words of RFC 5545."""

from datetime import UTC, date, datetime, time
from typing import Literal

import msgspec
from msgspec import Struct

from almanac.families.time.wall_time import resolve
from almanac.families.time.zones import find_zone

Status = Literal["confirmed", "tentative", "cancelled"]


class Timed(Struct, frozen=True, tag="timed"):
    """A time on the clocks of `zone`, an IANA name. `local` is naive, in whole seconds; `fold` 1 is the second
    occurrence of a wall time that happens twice."""

    local: datetime
    zone: str
    fold: int = 0


class AllDay(Struct, frozen=True, tag="day"):
    """A day of the calendar's own zone, wherever it is looked at from."""

    day: date


When = Timed | AllDay
"""Start and end of one event are of the same kind. An end is excluded: an all-day event of one day ends the next."""


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A single event, a series (`rrule` or `rdates`), or what stands in place of one instance of a series.

    `id` is unique in its calendar; `uid` is the UID of iCalendar, the same for a series and the instances that differ
    from it, which carry the start that the rule gave them as `recurrence_id`. `rrule` is RRULE text without its
    prefix. `transparent` events take no time. `sequence` is iCalendar's; `revision` counts the changes seen here.
    `etag`, `href` (where it lies) and `url` (where a person looks at it) are the provider's. `created` and `updated`
    are aware, in UTC.
    """

    id: str
    uid: str
    start: When
    end: When
    summary: str = ""
    description: str = ""
    location: str = ""
    attendees: tuple[str, ...] = ()
    organizer: str = ""
    rrule: str | None = None
    exdates: tuple[When, ...] = ()
    rdates: tuple[When, ...] = ()
    recurrence_id: When | None = None
    status: Status = "confirmed"
    transparent: bool = False
    sequence: int = 0
    revision: int = 0
    etag: str | None = None
    href: str | None = None
    url: str | None = None
    created: datetime | None = None
    updated: datetime | None = None

    @property
    def is_series(self) -> bool:
        return self.rrule is not None or bool(self.rdates)

    @property
    def is_all_day(self) -> bool:
        return isinstance(self.start, AllDay)

    @property
    def takes_time(self) -> bool:
        return not self.transparent and self.status != "cancelled"


def timed(instant: datetime, zone: str) -> Timed:
    """An aware datetime as the clocks of the IANA zone show it, to the second."""
    local = instant.astimezone(find_zone(zone)).replace(microsecond=0)
    return Timed(local.replace(tzinfo=None, fold=0), find_zone(zone).key, local.fold)


def instant_of(when: When, zone: str) -> datetime:
    """The instant (UTC) of `when` in a calendar of `zone`: a day begins with its first moment that exists.

    A wall time that clocks skip is read by the offset of before, as RFC 5545 says in 3.3.5.
    """
    if isinstance(when, AllDay):
        return resolve(datetime.combine(when.day, time()), find_zone(zone)).instant
    return when.local.replace(tzinfo=find_zone(when.zone), fold=when.fold).astimezone(UTC)


def encode_event(event: Event) -> bytes:
    return _encode(event)


def decode_event(data: bytes) -> Event:
    """Raises msgspec.DecodeError for what `encode_event` did not write."""
    return _decode(data)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Event).decode
