"""Execution of one call on a calendar: waits for operations under way, writes plans and carries out operations."""

from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn, TypeVar

from almanac.families.calendar.booking.idempotency import IdempotentRequest
from almanac.families.calendar.booking.operations import Operations
from almanac.families.calendar.booking.plans import PendingOperation, Plan, SlotConflict
from almanac.families.calendar.booking.post_write_check import Outrun
from almanac.families.calendar.booking.reader import idempotency_record, operation_pointer
from almanac.families.calendar.booking.refusals import instances_taken, outcome_unknown, slot_pending, slot_taken
from almanac.families.calendar.booking.writes import writes_of
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.event_lookup import LocatedEvent, find_event
from almanac.families.calendar.entries.records import CalendarRecord, Hold, Operation, PlaceInCalendar
from almanac.families.calendar.entries.writer import Author, EntryWriter
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.kernel.errors import AlmanacError, Unavailable
from almanac.platform.store.contention import Retry, RetryBudget

P = TypeVar("P", Plan, Hold)


class Execution:
    """Reads and writes of one call, for the reader of `calendars`.

    Every method raises Retry if the calendar has to be read again. `down` is the error of a provider that did not
    answer when the call began; nothing is written then.
    """

    def __init__(
        self,
        calendars: Calendars,
        operations: Operations,
        author: Callable[[], Author],
        budget: RetryBudget,
        down: Unavailable | None = None,
    ) -> None:
        self._calendars = calendars
        self._operations = operations
        self._author = author
        self._budget = budget
        self._down = down

    def check_answered(self) -> None:
        """Raise Unavailable if the provider did not answer, because the stored calendar may be outdated."""
        if self._down is not None:
            raise self._down

    def find_earlier_booking(self, calendar: CalendarRecord, request: IdempotentRequest) -> Event | None:
        """Return the event that an earlier call booked with the same key.

        Raises Conflict if that booking differs or is cancelled, OutcomeUnknown if its provider has not answered.
        """
        record = idempotency_record(self._calendars, calendar, request)
        if record is None:
            return None
        request.check_same(record)
        pointer = self._calendars.pointer(calendar, record.event_id)
        if pointer is None or pointer.state == "undone":
            return None
        if pointer.operation is not None and pointer.state == "preparing":
            self._await_end(calendar, pointer.operation)
        event = self._calendars.event(calendar, record.event_id)
        if event is None:
            raise request.cancelled_error()
        return event

    def find(self, calendar: CalendarRecord, event_id: str) -> LocatedEvent | None:
        """Find the event with the id, after any operation on it has ended.

        Raises OutcomeUnknown if the provider does not tell whether that operation succeeded.
        """
        pointer = self._calendars.pointer(calendar, event_id)
        if pointer is not None and pointer.operation is not None:
            self._await_end(calendar, pointer.operation)
        located = find_event(self._calendars, calendar, event_id)
        own = operation_pointer(self._calendars, calendar, located) if located is not None else None
        if own is not None and own.operation is not None:
            self._await_end(calendar, own.operation)
        return located

    def make(self, calendar: CalendarRecord, planned: Plan | PendingOperation | SlotConflict) -> Event:
        """Write the plan of a booking or a move, and return the event as it is then, here or at its provider."""
        plan = self.write(calendar, planned)
        if plan.prepares is None:
            return plan.puts[0].event
        event = self.carry_out(calendar, plan.prepares.operation)
        if event.is_series and plan.prepares.operation.action == "move":
            # The provider moved the exceptions of the series with it, so read them again.
            with suppress(AlmanacError):
                self._calendars.gateway.refresh(calendar, booking=True)
        return event

    def keep(self, calendar: CalendarRecord, planned: Hold | PendingOperation | SlotConflict) -> Hold:
        """Write a hold, as `write` does."""
        hold = self._free(calendar, planned)
        self.write(calendar, Plan(hold=hold))
        return hold

    def write(self, calendar: CalendarRecord, planned: Plan | PendingOperation | SlotConflict) -> Plan:
        """Write a plan.

        Raises ConditionFailed if the calendar has changed since it was read, and Conflict if the slot is taken. Raises
        Unavailable or Forbidden before anything is written if the provider cannot be used.
        """
        planned = self._free(calendar, planned)
        if planned.prepares is not None:
            self._calendars.gateway.provider(calendar)
        writer = EntryWriter(self._calendars.store, self._calendars.scope, calendar, self._calendars.default_zone)
        writes = writes_of(planned, writer, self._author())
        self._calendars.versioned_writes.write(calendar, writes.changes, gone=writes.gone, new=writes.new)
        return planned

    def carry_out(self, calendar: CalendarRecord, operation: Operation) -> Event:
        """Carry out the operation at its provider, and return the event as it is there.

        Raises Conflict if other events keep taking the slot first.
        """
        try:
            return self._operations.carry_out(calendar, operation)
        except Outrun as outrun:
            # The other event may be gone by now.
            if self._budget.again():
                raise Retry from None
            slot = Interval(operation.start, operation.end)
            raise slot_taken(self._calendars, calendar, outrun.other, slot) from outrun

    def _free(self, calendar: CalendarRecord, planned: P | PendingOperation | SlotConflict) -> P:
        """Return the plan if nothing takes its time."""
        self.check_answered()
        if isinstance(planned, PendingOperation):
            self._wait_for(calendar, planned.place)
        if isinstance(planned, SlotConflict):
            self._refuse(calendar, planned)
        return planned

    def _await_end(self, calendar: CalendarRecord, place: PlaceInCalendar) -> NoReturn:
        """Wait like `_wait_for`, but raise OutcomeUnknown for an operation that its provider has not answered yet."""
        operation = self._operations.get(calendar, place)
        if operation is not None and operation.state == "unknown" and operation.lapses_at > self._calendars.now():
            raise outcome_unknown(calendar, operation)
        try:
            self._wait_for(calendar, place)
        except Unavailable as down:
            if operation is None or operation.state not in {"prepared", "unknown"}:
                raise
            raise outcome_unknown(calendar, operation, down) from down

    def _wait_for(self, calendar: CalendarRecord, place: PlaceInCalendar) -> NoReturn:
        """Resolve an expired operation, or wait a little for another one, and then raise Retry. Conflict when the wait
        is used up."""
        operation = self._operations.get(calendar, place)
        if operation is not None and operation.lapses_at <= self._calendars.now():
            self._operations.resolve(calendar, operation)
        elif operation is not None and not self._budget.wait():
            zone = self._calendars.reader_zone(calendar)
            raise slot_pending(calendar, operation.start, operation.event_id, zone)
        raise Retry

    def _refuse(self, calendar: CalendarRecord, taken: SlotConflict) -> NoReturn:
        if self._calendars.find(calendar.id).version != calendar.version:
            raise Retry
        if len(taken.slots.instances) > 1:
            raise instances_taken(taken.overlaps, calendar, self._calendars.reader_zone(calendar))
        raise slot_taken(self._calendars, calendar, taken.overlaps[0][1], taken.slots.span)
