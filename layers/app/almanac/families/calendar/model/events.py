"""Events of a calendar, in the words of RFC 5545."""

from datetime import UTC, date, datetime, time
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from almanac.families.calendar.model.event_parts import Alarm, Attendee, SearchState, Todo
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone

Status = Literal["confirmed", "tentative", "cancelled"]


class ZonedTime(Struct, frozen=True, tag="timed", omit_defaults=True):
    """Time on the clocks of `zone`, a name that `find_zone` accepts.

    `local` is naive, in whole seconds. `fold` 1 is the second occurrence of a repeated wall time. `floating`: the time
    came without a zone, and `zone` is the calendar's.
    """

    local: datetime
    zone: str
    fold: int = 0
    floating: bool = False

    @property
    def tzinfo(self) -> ZoneInfo:
        return find_zone(self.zone)

    @property
    def instant(self) -> datetime:
        """The instant in UTC. A wall time that clocks skip is read with the offset from before (RFC 5545, 3.3.5)."""
        return self.local.replace(tzinfo=self.tzinfo, fold=self.fold).astimezone(UTC)


class AllDay(Struct, frozen=True, tag="day"):
    """Whole day. It begins and ends by the clocks of the reader, and is filed by those of the calendar."""

    day: date


When = ZonedTime | AllDay
"""Start and end of an event have the same kind. The end is exclusive: an all-day event of one day ends the next day."""


class Period(Struct, frozen=True):
    """Added date of a series with an end of its own."""

    start: When
    end: When


class Event(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Single event, a series (`rrule` or `rdates`), or an exception that replaces one instance of a series.

    `id` is unique in its calendar. `uid` is the UID of iCalendar, shared by a series and its exceptions; an exception
    has the original start of its instance as `recurrence_id`. `rrule` is RRULE text without its prefix. `transparent`
    events take no time. `sequence` is iCalendar's; `revision` counts the changes seen here. `etag`, `href` (address at
    the provider) and `url` (page for people) come from the provider. `created` and `updated` are aware, in UTC. A
    `tombstone` is not an event: from its recurrence id on, or for the whole series if it has none, no exception of its
    UID counts any more, even while its entry is still stored.

    A series has the instances of `rrule`, `further_rrules` and `rdates`, without those of `exrules` and `exdates`.
    `periods` are `rdates` with an end of their own. Each instance lasts `nominal_days` calendar days, and then as many
    seconds as the first one. An exception with `this_and_future` replaces all later instances too.

    `declined`: the calendar's owner does not attend. `partial` describes in sentences the parts that could not be read,
    so that the event may take other or more time than at its origin. `attendee_details` and `organizer_details` add to
    `attendees` and `organizer`. `other` are further content lines, verbatim; `left_out` names properties that were too
    large to keep. `indexed` is its document in search; None if it has none, or was stored before search knew events.
    `exact_length`: the series gives the length of its instances instead of their end. `renamed`: how often the
    instances of the series got other ids, because exceptions kept ids that would have named other instances.
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
    tombstone: bool = False
    status: Status = "confirmed"
    transparent: bool = False
    sequence: int = 0
    revision: int = 0
    etag: str | None = None
    href: str | None = None
    url: str | None = None
    created: datetime | None = None
    updated: datetime | None = None
    further_rrules: tuple[str, ...] = ()
    exrules: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    nominal_days: int = 0
    this_and_future: bool = False
    declined: bool = False
    partial: tuple[str, ...] = ()
    alarms: tuple[Alarm, ...] = ()
    categories: tuple[str, ...] = ()
    attendee_details: tuple[Attendee, ...] = ()
    organizer_details: Attendee | None = None
    todo: Todo | None = None
    other: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    indexed: SearchState | None = None
    exact_length: bool = False
    renamed: int = 0

    @property
    def is_series(self) -> bool:
        return self.rrule is not None or bool(self.rdates)

    @property
    def is_all_day(self) -> bool:
        return isinstance(self.start, AllDay)

    @property
    def takes_time(self) -> bool:
        return not (self.transparent or self.declined or self.status == "cancelled" or self.todo is not None)


def convert_to_zone(instant: datetime, zone: ZoneInfo) -> ZonedTime:
    """Convert an aware datetime to the clocks of a zone, to the second."""
    local = instant.astimezone(zone).replace(microsecond=0)
    return ZonedTime(local.replace(tzinfo=None, fold=0), zone.key, local.fold)


def instant_of(when: When, zone: ZoneInfo) -> datetime:
    """Return the instant (UTC) of `when` in a calendar of `zone`. A day begins with its first existing moment."""
    return _start_of_day(when.day, zone) if isinstance(when, AllDay) else when.instant


def day_of(when: When, zone: ZoneInfo) -> date:
    """Return the day of `when` on the clocks of `zone`."""
    return when.day if isinstance(when, AllDay) else when.instant.astimezone(zone).date()


@lru_cache(maxsize=8192)
def _start_of_day(day: date, zone: ZoneInfo) -> datetime:
    return resolve(datetime.combine(day, time()), zone).instant


def encode_event(event: Event) -> bytes:
    return _encode(event)


def decode_event(data: bytes) -> Event:
    """Decode an event. Raises msgspec.DecodeError for bytes that `encode_event` did not write."""
    return _decode(data)


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Event).decode
