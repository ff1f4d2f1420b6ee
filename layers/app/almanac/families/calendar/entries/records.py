"""Stored records of calendars, and their keys.

    P#<tenant>#<project>#calendars                      <calendar>              CalendarRecord, the head of its calendar
    P#<tenant>#<project>#calendar_entries#<calendar>    narrow#<start>#<id>     EventEntry, Hold or Operation
                                                        wide#<start>#<id>       what is longer than 36 hours, or recurs
    P#<tenant>#<project>#calendar_ids#<calendar>        <id>                    Pointer: where the entry of an id stands
    P#<tenant>#<project>#calendar_memos#<calendar>      <actor>:<key>           IdempotencyRecord, `actor` as a digest

Entries stand in the order of their starts, so that a window is one range of narrow entries and all wide ones. Every
write to a calendar raises the version in its head, and `wide_version` too where a wide entry is touched; whoever has
read the calendar writes under the condition that the version is still the same. Operations that are under way are
found by gsi2 at P#<tenant>#<project>#calendar_operations, <lapses_at>#<id>; events that were read in part by gsi1 at
P#<tenant>#<project>#calendar_partly_read#<calendar>, 1#<start>#<id>.
"""

from typing import Literal

import msgspec

from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.model.located_ids import PRIMARY
from almanac.families.calendar.providers.port import AccessRole, ProviderName, RemoteCalendar
from almanac.platform.store.records import Place, Record, Table

NARROW_MS = 36 * 3600 * 1000

OLD_MS = 10 * 60_000
"""Shadows older than this are pulled."""

# Names of jobs, which are stored.
HALF_DONE = "recover-bookings"
OLD_SHADOWS = "refresh-calendars"

Reach = Literal["narrow", "wide"]
Action = Literal["create", "move", "cancel"]
OperationState = Literal["prepared", "unknown", "undoing", "undone"]


class CalendarRecord(Record, frozen=True, kw_only=True):
    """A calendar. `timezone` None: nobody has said. `floating_zone` is the zone of the project as a server last knew
    it, where `timezone` is None. `account` and `remote_id` name it at its provider. `rezoning`: its
    zone was changed, and some entries are still filed by the one before. `messages` carry on what its last write told.
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
        """The calendar's own zone, else the project's; None where neither is known."""
        return self.timezone or self.floating_zone

    @property
    def zone(self) -> str:
        """By which its days are filed, and in which its floating times are read."""
        return self.known_zone or "UTC"

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
    """A span of a calendar from `start` to `end`, in ms since 1970. `busy` ones block their time."""

    calendar: str
    reach: Reach
    start: int
    id: str
    end: int
    busy: bool


class EventEntry(Entry, frozen=True, kw_only=True):
    """`event` is an encoded Event; `rules` the release of the zone rules by which start and end were computed.
    `partly_read` is 1 where a part of it could not be read, else None. `renamed_at` is when it was last called
    otherwise or moved, None where earlier titles of it are not kept."""

    event: bytes
    rules: str
    partly_read: int | None = None
    renamed_at: int | None = None
    kind: Literal["event"] = "event"

    def check_inside(self) -> None:
        decode_event(self.event)


class Hold(Entry, frozen=True, kw_only=True):
    """Time that somebody keeps for a while; gone at `expires_at`. `event` is an encoded Event where whole days are
    kept, or the instances of a series."""

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
    """A change to an event on its way to the provider; while it is busy it locks its time.

    `token` fences: whoever takes the operation over raises it, and the former owner can no longer commit. From
    `lapses_at` on anybody may take it over. `event` is the event as it is to be, `before` as it was,
    filed at `stands_at`; None where it is to differ from its series for the first time. Of one that is `unknown` the
    provider did not say whether the change arrived: it is asked again. An operation that is `undone` waits for one more
    look at the provider, for a write that was still under way.
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
    """Place of the entry of an event or a hold, and the fate of a booking.

    `booked_by` is None for what was not booked here. `operation` is under way. What no longer stands is remembered
    until `expires_at`.
    """

    calendar: str
    id: str
    place: PlaceInCalendar
    state: Literal["stands", "preparing", "cancelled", "undone"] = "stands"
    operation: PlaceInCalendar | None = None
    booked_by: str | None = None
    expires_at: int | None = None


class IdempotencyRecord(Record, frozen=True, kw_only=True):
    """The booking made under an idempotency key of an actor; `asked` is a digest of the request. `actor` is None for
    records of a version whose keys were common to all actors."""

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
    """As it is before its first use; it has no zone until one is set."""
    return CalendarRecord(id=PRIMARY, name="Primary", timezone=None, created_at=now, primary=True, version=0)


def reach_of(start: int, end: int, event: Event | None = None) -> Reach:
    """Series, and what stands in place of an instance, are read with every window."""
    if event is not None and (event.is_series or event.recurrence_id is not None):
        return "wide"
    return "wide" if end - start > NARROW_MS else "narrow"
