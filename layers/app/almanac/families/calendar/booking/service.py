"""Bookings in one project on behalf of one caller. Of two overlapping bookings at most one succeeds.

A booking reads the calendar at a version, plans a change without conflicts, and writes it only if the version is still
the same. If another booking came first, it reads again and finds the conflict. In a native calendar that one write is
the whole booking. In any other calendar it only prepares the booking, which `operations` carries out.
"""

from collections.abc import Callable
from datetime import date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from almanac.content import admit
from almanac.families.calendar.accounts.providers import LOCK_SECONDS
from almanac.families.calendar.booking.draft import BookingResult, Draft, admit_draft, redact_texts
from almanac.families.calendar.booking.execution import Execution
from almanac.families.calendar.booking.idempotency import request_of
from almanac.families.calendar.booking.operations import Operations, Recovery
from almanac.families.calendar.booking.plan_booking import RequestedTime, plan_booking, plan_hold
from almanac.families.calendar.booking.plan_cancellation import plan_cancellation
from almanac.families.calendar.booking.plan_move import plan_move
from almanac.families.calendar.booking.plans import Attempt, Plan
from almanac.families.calendar.booking.reader import (
    own_hold,
    read_cancellation,
    read_move,
    refuse_unknown,
    was_cancelled,
)
from almanac.families.calendar.booking.refusals import cancelled_booking_error
from almanac.families.calendar.booking.slots import event_with_slots, slots_of
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CalendarRecord, Hold
from almanac.families.calendar.entries.writer import Author, EntryWriter
from almanac.families.calendar.model.booking_ids import event_id_of, is_hold_id, new_event_id, new_hold_id
from almanac.families.time.core.timestamps import zone_among
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.contention import Backoff, Retry, RetryBudget
from almanac.platform.store.port import ConditionFailed, Store

T = TypeVar("T")
_Attempt = Callable[[CalendarRecord, Execution], T]


class BookingService:
    """Reads calendars, plans changes to their time, and writes them. It repeats this if another writer was first.

    Times in results are in the zone of `calendars`, and whole days begin and end in it.
    """

    def __init__(
        self,
        calendars: Calendars,
        *,
        actor: str,
        random_bytes: RandomBytes,
        backoff: Backoff,
        lock_seconds: int = LOCK_SECONDS[1],
    ) -> None:
        self.calendars = calendars
        self.actor = actor
        self.random_bytes = random_bytes
        self.backoff = backoff
        self._lock_seconds = lock_seconds
        self.operations = Operations(calendars, random_bytes=random_bytes, lock_seconds=lock_seconds, backoff=backoff)

    @property
    def store(self) -> Store:
        return self.calendars.store

    @property
    def scope(self) -> Scope:
        return self.calendars.scope

    def in_zone(self, timezone: str | None, *written: str | None) -> "BookingService":
        """Return the same service in the zone of a call: `timezone`, else the caller's, else the offset of a timestamp
        in `written`.

        Raises InvalidInput (code TIMEZONE_NOT_CONFIGURED) if there is none.
        """
        zone = zone_among(timezone, self.calendars.default_zone, otherwise=written)
        return BookingService(
            self.calendars.read_in(zone.key),
            actor=self.actor,
            random_bytes=self.random_bytes,
            backoff=self.backoff,
            lock_seconds=self._lock_seconds,
        )

    def book(self, draft: Draft) -> BookingResult:
        """Book the slot. Raises Conflict (code slot_taken) with the overlapping entry if it is taken.

        For a week, a call that repeats an earlier one with its idempotency key returns the earlier booking; with other
        arguments it raises Conflict. Raises OutcomeUnknown if the provider does not tell whether it took the event, and
        Unavailable if it cannot be reached, in which case nothing is booked. Raises InvalidInput (code content_refused)
        for text that addresses a language model.
        """
        draft = admit_draft(draft)
        request = request_of(draft, self.actor)
        calendar, down = self._open(draft.calendar_id)
        zone = self.zone_of(calendar)
        event, slots = event_with_slots(draft.start, draft.end, draft.recurrence, zone)

        def attempt(calendar: CalendarRecord, execution: Execution) -> BookingResult:
            earlier = execution.find_earlier_booking(calendar, request) if request is not None else None
            if earlier is not None:
                return BookingResult(calendar, earlier, slots_of(earlier, zone), replayed=True)
            hold = own_hold(self.calendars, calendar, draft.hold_id, self.actor)
            shown = self.calendars.list_entries(calendar, slots.span, settled=False)
            plan = plan_booking(RequestedTime(calendar, event, slots, shown, hold), draft, request, self._attempt())
            return BookingResult(calendar, execution.make(calendar, plan), slots)

        return self.retry_on_conflict(calendar, attempt, down)

    def hold(
        self,
        calendar_id: str,
        start: datetime | date,
        end: datetime | date,
        summary: str,
        ttl_seconds: int,
        recurrence: str | None = None,
    ) -> Hold:
        """Keep the slot, or each slot of a series, for `ttl_seconds`, visible to everyone. Raises Conflict if it is
        taken."""
        summary = redact_texts(admit({"summary": summary}))["summary"]
        calendar = self.calendars.writable(calendar_id)
        zone = self.zone_of(calendar)
        event, slots = event_with_slots(start, end, recurrence, zone)

        def attempt(calendar: CalendarRecord, execution: Execution) -> Hold:
            shown = self.calendars.list_entries(calendar, slots.span, settled=False)
            opening = RequestedTime(calendar, event, slots, shown)
            return execution.keep(calendar, plan_hold(opening, summary, ttl_seconds, self._attempt(new_hold_id)))

        return self.retry_on_conflict(calendar, attempt)

    def release(self, calendar_id: str, hold_id: str) -> bool:
        """Free the slot of a hold of this actor. False if the hold had expired, or was already released or booked."""
        if not is_hold_id(hold_id):
            raise InvalidInput(f'"{hold_id[:80]}" is not a hold.', "Give the hold_id from hold_slot.", path="hold_id")

        def attempt(calendar: CalendarRecord, execution: Execution) -> bool:
            place = own_hold(self.calendars, calendar, hold_id, self.actor)
            if place is not None:
                execution.write(calendar, Plan(releases=(place,)))
            return place is not None

        return self.retry_on_conflict(self.calendars.find(calendar_id), attempt)

    def reschedule(
        self, calendar_id: str, booking_id: str, start: datetime | date, end: datetime | date | None
    ) -> BookingResult:
        """Move an event, one instance of a series, or a whole series at a provider, to the slot from `start` to `end`.

        Without `end` it keeps its length. Raises Conflict if another event takes the new slot; the event then stays as
        it was. Raises OutcomeUnknown if the provider does not tell whether it moved the event.
        """
        calendar, down = self._open(calendar_id)
        event_id = event_id_of(booking_id, calendar_id)

        def attempt(calendar: CalendarRecord, execution: Execution) -> BookingResult:
            located = execution.find(calendar, event_id)
            if located is None:
                if was_cancelled(self.calendars, calendar, event_id):
                    raise cancelled_booking_error()
                execution.check_answered()
                refuse_unknown(self.calendars, calendar, booking_id)
                raise Retry
            move = read_move(self.calendars, calendar, located, start, end)
            if move.is_needless:
                return BookingResult(calendar, move.event, move.slots)
            takes_time = move.moved.takes_time
            shown = self.calendars.list_entries(calendar, move.slots.span, settled=False) if takes_time else []
            plan = plan_move(calendar, located, move, shown, self._attempt())
            return BookingResult(calendar, execution.make(calendar, plan), move.slots)

        return self.retry_on_conflict(calendar, attempt, down)

    def cancel(self, calendar_id: str, booking_id: str) -> bool:
        """Cancel an event, a whole series or one instance by its booking id or event id. False if it was cancelled
        before.

        Raises NotFound if it never existed, Forbidden if the calendar is read-only, and OutcomeUnknown if the provider
        does not tell whether it cancelled the event.
        """
        calendar, down = self._open(calendar_id)
        event_id = event_id_of(booking_id, calendar_id)

        def attempt(calendar: CalendarRecord, execution: Execution) -> bool:
            located = execution.find(calendar, event_id)
            if located is None:
                if was_cancelled(self.calendars, calendar, event_id):
                    return False
                execution.check_answered()
                refuse_unknown(self.calendars, calendar, booking_id)
                raise Retry
            cancellation = read_cancellation(self.calendars, calendar, located)
            plan = plan_cancellation(calendar, cancellation, self._attempt(), self.zone_of(calendar))
            execution.write(calendar, plan)
            if plan.is_partial:
                raise Retry
            if plan.prepares is not None:
                execution.carry_out(calendar, plan.prepares.operation)
            return True

        return self.retry_on_conflict(calendar, attempt, down)

    def recover(self) -> Recovery:
        """Resolve bookings that a crash or a provider left unfinished. Call it about once a minute."""
        return self.operations.recover()

    def zone_of(self, calendar: CalendarRecord) -> ZoneInfo:
        return self.calendars.reader_zone(calendar)

    def author(self) -> Author:
        return Author(self.actor, self.calendars.now(), self.random_bytes)

    def writer(self, calendar: CalendarRecord) -> EntryWriter:
        return EntryWriter(self.calendars.store, self.calendars.scope, calendar, self.calendars.default_zone)

    def _open(self, calendar_id: str) -> tuple[CalendarRecord, Unavailable | None]:
        """Return the calendar, up to date if its provider answers; otherwise as stored, with the provider's error."""
        try:
            return self.calendars.writable(calendar_id), None
        except Unavailable as down:
            return self.calendars.find_or_create(calendar_id), down

    def retry_on_conflict(
        self,
        calendar: CalendarRecord,
        attempt: Callable[[CalendarRecord, Execution], T],
        down: Unavailable | None = None,
    ) -> T:
        """Call `attempt` with the calendar until no other writer interferes, and return its result.

        The first attempt gets `calendar` as given, later ones read it again. `down` is raised when an attempt would
        write.
        """
        budget = RetryBudget(self.backoff)
        execution = Execution(self.calendars, self.operations, self.author, budget, down)
        while True:
            calendar = self.calendars.find(calendar.id) if budget.next_attempt() else calendar
            try:
                return attempt(calendar, execution)
            except (ConditionFailed, Retry):
                continue

    def _attempt(self, new_id: Callable[[int, RandomBytes], str] = new_event_id) -> Attempt:
        now = self.calendars.now()
        attempt_id, operation = new_id(now, self.random_bytes), new_event_id(now, self.random_bytes)
        return Attempt(self.actor, now, attempt_id, operation, now + self._lock_seconds * 1000)
