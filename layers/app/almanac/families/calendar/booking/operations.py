"""Bookings at a provider: prepared in the store, written at the provider, then committed or reverted; and their
recovery.

One atomic write prepares an operation if nothing overlaps it; from then on the operation locks its time. The provider
gets the event under an id of our own, so that a later read shows whether the write arrived. A check after the write
then shows whether the event is alone in its slot; if not, it is withdrawn. The commit replaces the operation by the
event if the operation still has its prepared token and its lock has not expired. A process that finds an expired
operation takes it over under the next token and resolves it by the state at the provider. If the provider does not tell
whether the write arrived, even when asked again, the operation stays `unknown` and keeps its time until it does.
"""

from contextlib import suppress

from msgspec import Struct

from almanac.families.calendar.booking.post_write_check import Outrun, PostWriteCheck
from almanac.families.calendar.booking.refusals import outcome_unknown
from almanac.families.calendar.booking.resolution import Resolution, same_time
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import OPERATIONS, CalendarRecord, Operation, PlaceInCalendar
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.entries.writer import next_token
from almanac.families.calendar.model.events import Event, decode_event
from almanac.families.calendar.providers.port import Provider
from almanac.kernel.errors import AlmanacError, Forbidden, InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import ConditionFailed

_RECOVERED_AT_ONCE = 100


class Recovery(Struct, frozen=True):
    """Number of resolved operations, and the reasons of failures by calendar id."""

    resolved: int
    failed: dict[str, str]


class Operations:
    """Stored operations of one project."""

    def __init__(self, calendars: Calendars, *, random_bytes: RandomBytes, lock_seconds: int, backoff: Backoff) -> None:
        self._calendars = calendars
        self._look = PostWriteCheck(backoff, calendars.now)
        self._resolution = Resolution(calendars, random_bytes=random_bytes, lock_seconds=lock_seconds, look=self._look)
        self._rows = OPERATIONS.within(calendars.store, calendars.scope)
        self.resolve = self._resolution.resolve

    def get(self, calendar: CalendarRecord, place: PlaceInCalendar) -> Operation | None:
        """Return the operation at that place if it is still under way."""
        return self._rows.get(calendar.id, place.reach, place.start, place.id)

    def carry_out(self, calendar: CalendarRecord, operation: Operation) -> Event:
        """Write to the provider, commit, and return the event as the provider has it.

        Raises OutcomeUnknown if the provider does not tell whether the change arrived; the operation is then settled
        later. After any other error nothing is booked, moved or cancelled. Raises Outrun if another event overlaps it
        at the provider.
        """
        provider = self._calendars.gateway.provider(calendar)
        try:
            event = self._resolution.perform(provider, calendar, operation)
            other = self._other(provider, calendar, operation, event)
        except Unavailable as down:
            return self._ask_again(provider, calendar, operation, down)
        except AlmanacError:
            # The provider refused, so its calendar is unchanged.
            self._resolution.drop(calendar, operation)
            raise
        if other is not None:
            self._give_way(provider, calendar, operation, event, other)
            return event
        try:
            self._resolution.commit(calendar, operation, event)
        except ConditionFailed:
            self._commit_late(provider, calendar, operation, event)
        return event

    def recover(self) -> Recovery:
        """Resolve at most 100 expired operations of this project. Call it about once a minute."""
        expired = self._rows.query(index="gsi2", until=self._calendars.now() + 1, limit=_RECOVERED_AT_ONCE)
        resolved = 0
        failed: dict[str, str] = {}
        for operation in expired.records:
            try:
                self.resolve(self._calendars.find(operation.calendar), operation)
                resolved += 1
            except AlmanacError as problem:
                failed[operation.calendar] = str(problem)
        return Recovery(resolved, failed)

    def _other(
        self, provider: Provider, calendar: CalendarRecord, operation: Operation, event: Event
    ) -> EntryView | None:
        """Return an event that overlaps the one just written.

        A move does not wait for other events to go, because its old slot looks free at the provider meanwhile.
        """
        if operation.action == "cancel":
            return None
        return self._look.other(provider, calendar, event, patient=operation.action == "create")

    def _give_way(
        self, provider: Provider, calendar: CalendarRecord, operation: Operation, event: Event, other: EntryView
    ) -> None:
        """Withdraw the written event because of `other`, and raise Outrun.

        Returns only if another process has taken the operation over and committed it.
        """
        undoing = self._mark_undoing(provider, calendar, operation)
        if undoing is None:
            return
        # Recovery withdraws the event later if it cannot be withdrawn now.
        with suppress(ConditionFailed, AlmanacError):
            self._resolution.withdraw(provider, calendar, undoing, event)
        raise Outrun(other)

    def _ask_again(
        self, provider: Provider, calendar: CalendarRecord, operation: Operation, down: Unavailable
    ) -> Event:
        """Settle a write that the provider did not answer, and return the event if it arrived.

        Raises Unavailable if nothing was changed, OutcomeUnknown if the provider still does not tell.
        """
        expected = decode_event(operation.event)
        unknown = next_token(operation, state="unknown", lapses_at=self._resolution.lock_expiry())
        try:
            self._resolution.take_over(calendar, operation, unknown)
            settled = self._resolution.settle(provider, calendar, unknown)
        except ConditionFailed:
            self._after_losing_the_lock(provider, calendar, operation)
            return expected
        except (Forbidden, InvalidInput) as refused:
            if self.get(calendar, place_of(unknown)) is None:
                raise
            raise outcome_unknown(calendar, unknown, refused) from refused
        except AlmanacError as silent:
            raise outcome_unknown(calendar, unknown, down) from silent
        if isinstance(settled, EntryView):
            raise Outrun(settled)
        if settled is None:
            done = "was booked" if operation.action == "create" else "was moved"
            raise Unavailable(f"{down.message} Nothing {done}.", down.hint or "Repeat the call in a moment.") from down
        return settled

    def _mark_undoing(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> Operation | None:
        """Mark the operation as being undone and return it.

        None if another process has taken it over and committed it; Unavailable if that process has not.
        """
        undoing = next_token(operation, state="undoing")
        try:
            self._resolution.take_over(calendar, operation, undoing)
        except ConditionFailed:
            self._after_losing_the_lock(provider, calendar, operation)
            return None
        return undoing

    def _commit_late(self, provider: Provider, calendar: CalendarRecord, operation: Operation, event: Event) -> None:
        """Commit under a new lock. Ours expired while the provider wrote, but usually no other process has taken it
        over."""
        locked = next_token(operation, lapses_at=self._resolution.lock_expiry())
        try:
            self._resolution.take_over(calendar, operation, locked)
            self._resolution.commit(calendar, locked, event)
        except ConditionFailed:
            self._after_losing_the_lock(provider, calendar, operation)

    def _after_losing_the_lock(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> None:
        """Return if the process that took the operation over has committed it.

        Raises OutcomeUnknown while that process resolves it, else Unavailable.
        """
        done = self._is_done(calendar, operation)
        if done:
            return
        late = Unavailable(
            f"{provider.name} took longer to answer than the slot was locked for.",
            "Call list_events to see the current events, then repeat the call if it is still needed.",
        )
        if done is None:
            raise outcome_unknown(calendar, operation, late)
        with suppress(AlmanacError):
            self._resolution.compensate(provider, calendar, operation)
        raise late

    def _is_done(self, calendar: CalendarRecord, operation: Operation) -> bool | None:
        """Return whether the calendar shows the result of the operation; None while the operation is being resolved."""
        expected = decode_event(operation.event)
        pointer = self._calendars.pointer(calendar, expected.id)
        if pointer is None or pointer.state == "undone":
            return False
        if pointer.operation is not None:
            return None
        event = self._calendars.event(calendar, expected.id)
        if operation.action == "cancel":
            return pointer.state == "cancelled" or (event is not None and event.status == "cancelled")
        return event is not None and same_time(event, expected, calendar)
