"""Where bookings are made: what every change to a calendar's time needs, for one caller."""

import copy
from collections.abc import Callable
from zoneinfo import ZoneInfo

from almanac.families.calendar.accounts.network_policy import LOCK_SECONDS
from almanac.families.calendar.booking.operations import Operations, Recovery
from almanac.families.calendar.booking.refusals import instances_taken, slot_pending, slot_taken
from almanac.families.calendar.booking.second_look import Outrun
from almanac.families.calendar.booking.slots import Slots, met
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import Action, CalendarRecord, Operation, PlaceInCalendar, reach_of
from almanac.families.calendar.entries.view import Shown
from almanac.families.calendar.entries.writer import Author, EntryWriter
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.booking_ids import new_event_id
from almanac.families.calendar.model.events import Event, encode_event
from almanac.families.time.timestamps import zone_among
from almanac.families.time.zones import find_zone
from almanac.kernel.errors import AlmanacError, InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.contention import Backoff, Patience


def checked_lock(seconds: int) -> int:
    if not LOCK_SECONDS[0] <= seconds <= LOCK_SECONDS[2]:
        raise InvalidInput(
            f"A slot is locked for {LOCK_SECONDS[0]} to {LOCK_SECONDS[2]} seconds.",
            f"Leave LOCK_TTL_SECS at {LOCK_SECONDS[1]}, or a little above what the slowest provider needs to answer.",
        )
    return seconds


def _nothing(_: Shown) -> bool:
    return False


class BookingService:
    """Bookings in one project on behalf of `actor`. Times are told, and days read, in the zone of `calendars`."""

    def __init__(
        self,
        calendars: Calendars,
        *,
        actor: str,
        random_bytes: RandomBytes,
        backoff: Backoff,
        lock_seconds: int = LOCK_SECONDS[1],
    ) -> None:
        checked_lock(lock_seconds)
        self.calendars = calendars
        self.actor = actor
        self.random_bytes = random_bytes
        self.backoff = backoff
        self._lock_seconds = lock_seconds
        self.operations = self._operations(calendars)

    def author(self) -> Author:
        return Author(self.actor, self.calendars.now(), self.random_bytes)

    def filing(self, calendar: CalendarRecord) -> EntryWriter:
        return EntryWriter(self.calendars.store, self.calendars.scope, calendar, self.calendars.default_zone)

    def patience(
        self, thing: str = "the calendar", refusal: Callable[[str, str], AlmanacError] = Unavailable
    ) -> Patience:
        """With those who change `thing`, for one call."""
        return Patience(self.backoff, thing, refusal)

    def next_reading(self, calendar: CalendarRecord, patience: Patience) -> CalendarRecord:
        """The calendar as it was read, for the first attempt; read anew for each further one."""
        return self.calendars.find(calendar.id) if patience.next_attempt() else calendar

    def in_zone(self, timezone: str | None) -> "BookingService":
        """The same for a call that names its zone, or leaves it to the caller's. Raises InvalidInput where there is
        none (code TIMEZONE_NOT_CONFIGURED)."""
        other = copy.copy(self)
        other.calendars = self.calendars.read_in(zone_among(timezone, self.calendars.default_zone).key)
        other.operations = self._operations(other.calendars)
        return other

    def zone_of(self, calendar: CalendarRecord) -> ZoneInfo:
        """In which times of the calendar are told, and its days read: the caller's. The calendar's own counts only
        where nobody asks: tools take a service that is `in_zone`."""
        return find_zone(self.calendars.default_zone or calendar.zone)

    def operation(
        self, action: Action, calendar: CalendarRecord, event: Event, slot: Interval, *, booked_by: str | None
    ) -> Operation:
        """A change that is still to be prepared and then made at the provider: it makes `event` what the provider is to
        hold, and keeps the slot locked meanwhile, of a series that of each instance. `booked_by` None: made
        elsewhere."""
        return Operation(
            calendar=calendar.id,
            reach=reach_of(*slot, event if event.is_series else None),
            start=slot.start,
            id=new_event_id(self.calendars.now(), self.random_bytes),
            end=slot.end,
            busy=True,
            action=action,
            state="prepared",
            event=encode_event(event),
            lapses_at=self.operations.lapse(),
            actor=self.actor,
            booked_by=booked_by,
        )

    def is_clear(
        self, calendar: CalendarRecord, slots: Slots, patience: Patience, *, own: Callable[[Shown], bool] = _nothing
    ) -> bool:
        """Whether nothing but what is `own` takes time of any of the slots, as far as `calendar` was read.

        False: something changed, so read the calendar again. Raises Conflict where a slot is taken.
        """
        shown = self.calendars.shown(calendar, slots.span, settled=False)
        taken = met((one for one in shown if one.busy and not own(one)), slots.instances)
        if not taken:
            return True
        solid = [one for one in shown if one.busy and not own(one) and not isinstance(one.record, Operation)]
        lasting = met(solid, slots.instances)
        if not lasting:
            self.await_operation(calendar, taken[0][1].filed, patience)
            return False
        if self.calendars.find(calendar.id).version != calendar.version:
            return False
        zone = self.zone_of(calendar)
        if len(slots.instances) > 1:
            raise instances_taken(lasting, calendar, zone)
        raise slot_taken(self.calendars, calendar, lasting[0][1], slots.span, zone)

    def await_operation(self, calendar: CalendarRecord, place: PlaceInCalendar, patience: Patience) -> None:
        """Settles an operation that has lapsed, waits a little for one that has not; Conflict when that was enough."""
        operation = self.operations.get(calendar, place)
        if operation is None:
            return
        if operation.lapses_at <= self.calendars.now():
            self.operations.settle(calendar, operation)
        elif not patience.wait():
            raise slot_pending(calendar, operation, self.zone_of(calendar))

    def carried_out(self, calendar: CalendarRecord, operation: Operation, patience: Patience) -> Event | None:
        """The event as its provider has it now. None where another one stood in its time there, which may be gone
        again: read the calendar again. Raises Conflict where that was done often enough."""
        try:
            return self.operations.carry_out(calendar, operation)
        except Outrun as outrun:
            if patience.again():
                return None
            slot = Interval(operation.start, operation.end)
            raise slot_taken(self.calendars, calendar, outrun.other, slot, self.zone_of(calendar)) from outrun

    def recover(self) -> Recovery:
        """Settles bookings that a crash or a provider left half made; to be called about once a minute."""
        return self.operations.recover()

    def _operations(self, calendars: Calendars) -> Operations:
        seconds = self._lock_seconds
        return Operations(calendars, random_bytes=self.random_bytes, lock_seconds=seconds, backoff=self.backoff)
