"""Stored records of calendars, and their keys.

    P#<tenant>#<project>#calendars                      <calendar>              CalendarRecord, the head of its calendar
    P#<tenant>#<project>#calendar_entries#<calendar>    narrow#<start>#<id>     EventEntry, Hold or Operation
                                                        wide#<start>#<id>       longer than 36 hours, or recurring
    P#<tenant>#<project>#calendar_ids#<calendar>        <id>                    Pointer: place of the entry with that id
    P#<tenant>#<project>#calendar_memos#<calendar>      <actor>:<key>           IdempotencyRecord, `actor` as a digest

Entries are in the order of their starts, so that a window is one range of narrow entries and all wide ones. Every write
to a calendar raises the version in its head, and also `wide_version` if it touches a wide entry. A writer that has read
the calendar writes under the condition that the version is still the same. gsi1 finds events that were read in part at
P#<tenant>#<project>#calendar_partly_read#<calendar>, 1#<start>#<id>. gsi2 finds operations under way at
P#<tenant>#<project>#calendar_operations, <lapses_at>#<id>.
"""

from typing import Literal
from zoneinfo import ZoneInfo

import msgspec

from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.calendar.providers.port import AccessRole, ProviderName, RemoteCalendar
from almanac.families.time.core.zones import stored_zone
from almanac.platform.store.records import Place, Record, Table

NARROW_MS = 36 * 3600 * 1000

OLD_MS = 10 * 60_000
"""Age in ms from which a shadow is pulled again."""

# Names of jobs, which are stored.
HALF_DONE = "recover-bookings"
OLD_SHADOWS = "refresh-calendars"

Reach = Literal["narrow", "wide"]
Action = Literal["create", "move", "cancel"]
OperationState = Literal["prepared", "unknown", "undoing", "undone"]


class CalendarRecord(Record, frozen=True, kw_only=True):
    """A calendar. `account` and `remote_id` name it at its provider.

    `timezone` is None if it was never set; `floating_zone` then is the project's zone as the server last knew it.
    `rezoning`: its zone has changed, and some entries are still filed by the former one. `messages` carry the
    announcements of its last write.
    """

    id: str
    name: str
    timezone: str | None
    created_at: int
    provider: ProviderName = "native"
    account: str | None = None
    remote_id: str | None = None
    primary: bool = False
    access_role: AccessRole = "owner"
    label: str | None = None
    version: int = 1
    wide_version: int = 1
    rezoning: bool = False
    floating_zone: str | None = None
    messages: tuple[str, ...] = ()

    @property
    def known_zone(self) -> str | None:
        """The calendar's own zone, else the project's; None if neither is known."""
        return self.timezone or self.floating_zone

    @property
    def zone(self) -> ZoneInfo:
        """Zone by which its days are filed, and in which its floating times are read. UTC if none is known."""
        return stored_zone(self.known_zone)

    @property
    def is_native(self) -> bool:
        return self.provider == "native"

    @property
    def has_shadow(self) -> bool:
        """Return whether Almanac keeps a copy of the provider's events."""
        return not self.is_native and self.access_role != "freeBusyReader"

    @property
    def is_read_only(self) -> bool:
        return self.access_role in {"reader", "freeBusyReader"}

    def at_provider(self) -> RemoteCalendar:
        return RemoteCalendar(
            id=self.remote_id or self.id,
            name=self.name,
            primary=self.primary,
            access_role=self.access_role,
            timezone=self.known_zone,
        )


class Entry(Record, frozen=True, kw_only=True):
    """A span of a calendar from `start` to `end`, in ms since 1970. A `busy` entry blocks its time."""

    calendar: str
    reach: Reach
    start: int
    id: str
    end: int
    busy: bool


class EventEntry(Entry, frozen=True, kw_only=True):
    """An event of a calendar.

    `event` is an encoded Event; `rules` is the release of the zone rules by which start and end were computed.
    `partly_read` is 1 if a part of it could not be read, else None. `renamed_at` is when its title or start last
    changed, None if no earlier titles are kept.
    """

    event: bytes
    rules: str
    partly_read: int | None = None
    renamed_at: int | None = None
    kind: Literal["event"] = "event"

    def check_inside(self) -> None:
        decode_event(self.event)


class Hold(Entry, frozen=True, kw_only=True):
    """Time that an actor keeps for a while, until `expires_at`.

    `event` is an encoded Event if the hold keeps whole days, or the instances of a series.
    """

    summary: str
    actor: str
    expires_at: int
    kind: Literal["hold"] = "hold"
    event: bytes | None = None


class PlaceInCalendar(msgspec.Struct, frozen=True):
    """The rest of an entry's key within its calendar."""

    reach: Reach
    start: int
    id: str


class Operation(Entry, frozen=True, kw_only=True):
    """A change to an event on its way to the provider. While it is busy it locks its time.

    `token` is a fencing token: a process that takes the operation over raises it, and the former owner can no longer
    commit. From `lapses_at` on any process may take it over. `event` is the event after the change, `before` the event
    before it, filed at `stands_at`. That is None for an instance that differs from its series for the first time. For
    an `unknown` operation the provider did not tell whether the change arrived, so it is asked again. An `undone`
    operation waits for one more check of the provider, for a write that was still under way.
    """

    action: Action
    state: OperationState
    event: bytes
    before: bytes | None = None
    stands_at: PlaceInCalendar | None = None
    token: int = 1
    lapses_at: int
    actor: str
    booked_by: str | None
    hold: PlaceInCalendar | None = None
    idempotency_key: str | None = None
    kind: Literal["operation"] = "operation"

    @property
    def event_id(self) -> str:
        return decode_event(self.event).id


class Pointer(Record, frozen=True, kw_only=True):
    """Place of the entry of an event or a hold, and the outcome of a booking.

    `booked_by` is None for an event that was not booked here. `operation` is under way. The outcome of a removed entry
    is remembered until `expires_at`.
    """

    calendar: str
    id: str
    place: PlaceInCalendar
    state: Literal["stands", "preparing", "cancelled", "undone"] = "stands"
    operation: PlaceInCalendar | None = None
    booked_by: str | None = None
    expires_at: int | None = None


class IdempotencyRecord(Record, frozen=True, kw_only=True):
    """The booking made under an idempotency key of an actor. `asked` is a digest of the request.

    `actor` is None for records of a version in which all actors shared their keys.
    """

    calendar: str
    key: str
    asked: bytes
    event_id: str
    expires_at: int
    actor: str | None = None


_ENTRY_SORT = ("reach", "start", "id")

CALENDARS = Table(
    CalendarRecord,
    "calendars",
    sort=("id",),
    wakes={OLD_SHADOWS: lambda calendar: calendar.created_at + OLD_MS if calendar.has_shadow else None},
)
EVENTS = Table(
    EventEntry,
    "calendar_entries",
    partition=("calendar",),
    sort=_ENTRY_SORT,
    indexes={
        "gsi1": Place("calendar_partly_read", partition=("calendar",), sort=("partly_read", "start", "id")),
        "gsi2": Place("calendar_renamed", partition=("calendar",), sort=("renamed_at", "id")),
    },
)
HOLDS = Table(
    Hold,
    "calendar_entries",
    partition=("calendar",),
    sort=_ENTRY_SORT,
    indexes={"gsi2": Place("calendar_holds", sort=("expires_at", "id"))},
    expires="expires_at",
)
OPERATIONS = Table(
    Operation,
    "calendar_entries",
    partition=("calendar",),
    sort=_ENTRY_SORT,
    indexes={"gsi2": Place("calendar_operations", sort=("lapses_at", "id"))},
    wakes={HALF_DONE: "lapses_at"},
)
POINTERS = Table(Pointer, "calendar_ids", partition=("calendar",), sort=("id",), expires="expires_at")
IDEMPOTENCY = Table(IdempotencyRecord, "calendar_memos", partition=("calendar",), sort=("key",), expires="expires_at")


def primary_calendar(now: int) -> CalendarRecord:
    """Return the primary calendar as it is before its first use, without a zone."""
    return CalendarRecord(id=PRIMARY, name="Primary", timezone=None, created_at=now, primary=True, version=0)


def reach_of(start: int, end: int, event: Event | None = None) -> Reach:
    """Return the reach of an entry. Series and exceptions are wide, because every window reads them."""
    if event is not None and (event.is_series or event.recurrence_id is not None):
        return "wide"
    return "wide" if end - start > NARROW_MS else "narrow"
