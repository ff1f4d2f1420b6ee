"""Where bookings are made: what every change to a calendar's time needs, for one caller."""

from collections.abc import Collection, Mapping
from datetime import datetime
from zoneinfo import ZoneInfo

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.booking_ids import new_event_id
from almanac.families.calendar.calendars import Calendars, checked_window
from almanac.families.calendar.events import Event, encode_event
from almanac.families.calendar.filing import Author, Filing
from almanac.families.calendar.operations import Operations, Recovery
from almanac.families.calendar.patience import Patience, Pauses
from almanac.families.calendar.records import Action, CalendarRecord, Operation, PlaceInCalendar, reach_of
from almanac.families.calendar.refusals import slot_pending, slot_taken
from almanac.families.time.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import milliseconds

LOCK_SECONDS = (5, 30, 300)
"""The shortest, the usual and the longest time that a slot is locked for a provider's answer."""


def lock_seconds(environment: Mapping[str, str]) -> int:
    """What LOCK_TTL_SECS says, the usual number where it is not set. Raises InvalidInput for anything out of bounds."""
    given = environment.get("LOCK_TTL_SECS", "").strip() or str(LOCK_SECONDS[1])
    return checked_lock(int(given) if given.isascii() and given.isdigit() else -1)


def checked_lock(seconds: int) -> int:
    if not LOCK_SECONDS[0] <= seconds <= LOCK_SECONDS[2]:
        raise InvalidInput(
            f"A slot is locked for {LOCK_SECONDS[0]} to {LOCK_SECONDS[2]} seconds.",
            f"Leave LOCK_TTL_SECS at {LOCK_SECONDS[1]}, or a little above what the slowest provider needs to answer.",
        )
    return seconds


class Desk:
    """Bookings in one project on behalf of `actor`, whose times are told in `zone` where a calendar has none."""

    def __init__(
        self,
        calendars: Calendars,
        *,
        actor: str,
        random_bytes: RandomBytes,
        pauses: Pauses,
        zone: str | None = None,
        lock_seconds: int = LOCK_SECONDS[1],
    ) -> None:
        checked_lock(lock_seconds)
        self.calendars = calendars
        self.operations = Operations(calendars, random_bytes=random_bytes, lock_seconds=lock_seconds)
        self.actor = actor
        self.random_bytes = random_bytes
        self.pauses = pauses
        self.zone = zone

    def author(self) -> Author:
        return Author(self.actor, self.calendars.now(), self.random_bytes)

    def filing(self, calendar: CalendarRecord) -> Filing:
        return Filing(self.calendars.store, self.calendars.scope, calendar)

    def patience(self, thing: str = "the calendar") -> Patience:
        """With those who change `thing`, for one call."""
        return Patience(self.pauses, thing)

    def next_reading(self, calendar: CalendarRecord, patience: Patience) -> CalendarRecord:
        """The calendar as it was read, for the first attempt; read anew for each further one."""
        return self.calendars.find(calendar.id) if patience.next_attempt() else calendar

    def zone_of(self, calendar: CalendarRecord) -> ZoneInfo:
        """In which times of the calendar are told: its own zone, else the caller's, else UTC."""
        return find_zone(calendar.timezone or self.zone or "UTC")

    def operation(
        self, action: Action, calendar: CalendarRecord, event: Event, slot: Interval, *, booked_by: str | None = None
    ) -> Operation:
        """A change that is still to be prepared and then made at the provider: it makes `event` what the provider is to
        hold, and keeps the slot locked meanwhile. `booked_by` is the actor where nobody else is said."""
        return Operation(
            calendar=calendar.id,
            reach=reach_of(*slot),
            start=slot.start,
            id=new_event_id(self.calendars.now(), self.random_bytes),
            end=slot.end,
            busy=True,
            action=action,
            state="prepared",
            event=encode_event(event),
            lapses_at=self.operations.lapse(),
            actor=self.actor,
            booked_by=booked_by or self.actor,
        )

    def is_clear(
        self, calendar: CalendarRecord, slot: Interval, patience: Patience, *, ignoring: Collection[str] = ()
    ) -> bool:
        """Whether nothing but the entries named in `ignoring` takes time of the slot, as far as `calendar` was read.

        False: something changed, so read the calendar again. Raises Conflict where the slot is taken.
        """
        busy = [
            one
            for one in self.calendars.shown(calendar, slot, settled=False)
            if one.busy and one.interval.overlaps(slot) and one.filed.id not in ignoring
        ]
        if not busy:
            return True
        blocker = next((one for one in busy if not isinstance(one.record, Operation)), None)
        if blocker is None:
            self.await_operation(calendar, busy[0].filed, patience)
            return False
        if self.calendars.find(calendar.id).version != calendar.version:
            return False
        raise slot_taken(self.calendars, calendar, blocker, slot, self.zone_of(calendar))

    def await_operation(self, calendar: CalendarRecord, place: PlaceInCalendar, patience: Patience) -> None:
        """Settles an operation that has lapsed, waits a little for one that has not; Conflict when that was enough."""
        operation = self.operations.get(calendar, place)
        if operation is None:
            return
        if operation.lapses_at <= self.calendars.now():
            self.operations.settle(calendar, operation)
        elif not patience.wait():
            raise slot_pending(Interval(operation.start, operation.end), self.zone_of(calendar))

    def recover(self) -> Recovery:
        """Settles bookings that a crash or a provider left half made; to be called about once a minute."""
        return self.operations.recover()


def slot_between(start: datetime, end: datetime) -> Interval:
    """In whole seconds. Raises InvalidInput where it has no length or lies outside 1900 to 2200."""
    return checked_window(milliseconds(start.replace(microsecond=0)), milliseconds(end.replace(microsecond=0)))
