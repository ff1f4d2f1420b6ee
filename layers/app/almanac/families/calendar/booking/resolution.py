"""Endings of an operation: commit, drop, or revert at the provider, also for operations of a dead process."""

from contextlib import suppress

from msgspec.structs import replace

from almanac.families.calendar.accounts.providers import LOCK_SECONDS
from almanac.families.calendar.booking.plans import Plan, PutEvent, plan_commit
from almanac.families.calendar.booking.post_write_check import PostWriteCheck
from almanac.families.calendar.booking.writes import writes_of
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.codec import place_of
from almanac.families.calendar.entries.records import CalendarRecord, Operation
from almanac.families.calendar.entries.view import EntryView
from almanac.families.calendar.entries.writer import Author, EntryWriter, next_token, pointer_to, undone_pointer
from almanac.families.calendar.model.events import Event, decode_event, instant_of
from almanac.families.calendar.providers.port import Provider, ProviderCopy
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, InvalidInput, NotFound, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.platform.store.conditions import Condition, Equals, Greater
from almanac.platform.store.port import ConditionFailed


class Resolution:
    """Endings of operations in one project. A lock lasts `lock_seconds`.

    Every write here raises ConditionFailed if another process has taken the operation over.
    """

    def __init__(
        self, calendars: Calendars, *, random_bytes: RandomBytes, lock_seconds: int, look: PostWriteCheck
    ) -> None:
        self._calendars = calendars
        self._look = look
        self._random_bytes = random_bytes
        self._lock_ms = _check_lock(lock_seconds) * 1000

    def lock_expiry(self) -> int:
        """Return when a lock taken now expires, in ms since 1970."""
        return self._calendars.now() + self._lock_ms

    def resolve(self, calendar: CalendarRecord, operation: Operation) -> None:
        """Take over an expired operation, and make calendar and provider agree about it.

        Raises Unavailable while the provider does not answer. The operation then remains, and expires again.
        """
        state = "unknown" if operation.state == "prepared" else operation.state
        taken = next_token(operation, state=state, lapses_at=self.lock_expiry())
        # If a condition fails, another process is resolving the operation.
        with suppress(ConditionFailed):
            self.take_over(calendar, operation, taken)
            self.settle(self._calendars.gateway.provider(calendar), calendar, taken)

    def settle(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> Event | EntryView | None:
        """Finish or undo an operation that may have reached the provider, by the provider's current state.

        Returns the event if it was committed. If another entry overlapped it, the event is withdrawn, and that entry is
        returned. Returns None if the operation was undone. Raises Unavailable if the provider does not answer, and
        Forbidden if it refuses a cancellation.
        """
        if operation.state in {"undoing", "undone"}:
            self.undo(provider, calendar, operation)
            return None
        if operation.action != "cancel":
            return self._follow(provider, calendar, operation)
        try:
            event = self.perform(provider, calendar, operation)
        except (Forbidden, InvalidInput) as refused:
            # Other codes concern the account, which can be connected again.
            if refused.code == type(refused).code:
                self.drop(calendar, operation)
            raise
        self.commit(calendar, operation, event)
        return event

    def perform(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> Event:
        """Write to the provider, and return the event as it is there. Raises the provider's errors."""
        if self._calendars.now() >= operation.lapses_at:
            raise Unavailable("The lock on the slot expired before it could be used.", "Repeat the call.")
        event, place = decode_event(operation.event), calendar.at_provider()
        if operation.action == "create":
            return as_written(event, provider.create(place, event))
        if operation.action == "move":
            return as_written(event, provider.update(place, event, event.etag))
        _delete(provider, calendar, event)
        return event

    def take_over(self, calendar: CalendarRecord, old: Operation, new: Operation) -> None:
        """Store the operation under its next token."""
        changes = [self._writer(calendar).put_operation(new, _same_token(old))]
        self._calendars.versioned_writes.write_fenced(calendar, changes, [place_of(new)])

    def commit(self, calendar: CalendarRecord, operation: Operation, event: Event) -> None:
        """Store the result of the operation. Also raises ConditionFailed if the lock has expired."""
        condition = _same_token(operation) & Greater("lapses_at", self._calendars.now())
        self._end(calendar, operation, plan_commit(operation, event), condition)

    def drop(self, calendar: CalendarRecord, operation: Operation) -> None:
        """End the operation without a change to the calendar."""
        writer = self._writer(calendar)
        changes = [writer.delete_operation(operation, _same_token(operation))]
        if operation.action == "create":
            now = self._calendars.now()
            changes.append(writer.put_pointer(undone_pointer(operation.event_id, operation, now)))
            # The key of an undone operation is free already, and may belong to another booking.
            if operation.idempotency_key is not None and operation.state != "undone":
                changes.append(writer.delete_idempotency(operation.idempotency_key))
        elif operation.stands_at is not None:
            changes.append(writer.put_pointer(pointer_to(operation.calendar, operation.stands_at, operation.booked_by)))
        else:
            # The instance stays as its series has it, so it needs no pointer.
            changes.append(writer.delete_pointer(operation.event_id))
        with suppress(ConditionFailed):
            self._calendars.versioned_writes.write_fenced(calendar, changes, [place_of(operation)])

    def undo(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> None:
        """Undo at the provider a write that may have arrived there. Raises Unavailable if it does not answer."""
        if operation.action == "create":
            provider.delete(calendar.at_provider(), operation.event_id, None)
            if operation.state == "undone":
                self.drop(calendar, operation)
            else:
                self._release(calendar, operation)
        else:
            self._put_back(provider, calendar, operation)

    def withdraw(self, provider: Provider, calendar: CalendarRecord, operation: Operation, event: Event) -> None:
        """Undo `event` at the provider because another one overlaps it, then pull the other one for the next call.

        Raises Unavailable if the provider does not answer.
        """
        if operation.action == "create":
            _delete(provider, calendar, event)
            self._read_again(calendar)
            self.drop(calendar, operation)
        else:
            self._put_back(provider, calendar, operation)
            self._read_again(calendar)

    def _read_again(self, calendar: CalendarRecord) -> None:
        with suppress(AlmanacError):
            self._calendars.gateway.refresh(calendar, booking=True)

    def _put_back(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> None:
        """Move the event back, here and at the provider."""
        restored = _move_back(provider, calendar, operation)
        if restored is None:
            self.drop(calendar, operation)
            return
        put = PutEvent(restored, operation.booked_by, operation.stands_at)
        self._end(calendar, operation, Plan(puts=(put,)), _same_token(operation))

    def compensate(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> None:
        """Undo a write to the provider after another process had ended the operation."""
        if operation.action == "create":
            provider.delete(calendar.at_provider(), operation.event_id, None)
        elif operation.action == "move":
            _move_back(provider, calendar, operation)

    def _follow(self, provider: Provider, calendar: CalendarRecord, operation: Operation) -> Event | EntryView | None:
        """Commit or undo by the state at the provider, because it is not known whether the write arrived."""
        expected = decode_event(operation.event)
        provider_state = _find(provider, calendar, expected.id)
        if provider_state is not None and (
            operation.action == "create" or same_time(provider_state, expected, calendar)
        ):
            current = as_written(replace(expected, start=provider_state.start, end=provider_state.end), provider_state)
            other = self._look.other(provider, calendar, current)
            if other is None:
                self.commit(calendar, operation, current)
                return current
            self.withdraw(provider, calendar, operation, current)
            return other
        if operation.action == "create":
            self._release(calendar, operation)
        else:
            self._put_back(provider, calendar, operation)
        return None

    def _release(self, calendar: CalendarRecord, operation: Operation) -> None:
        """Free the slot. Recovery checks the provider once more later, for a write that was still on its way."""
        released = next_token(operation, state="undone", busy=False, lapses_at=self.lock_expiry())
        writer, now = self._writer(calendar), self._calendars.now()
        changes = [
            writer.put_operation(released, _same_token(operation)),
            writer.put_pointer(undone_pointer(operation.event_id, operation, now)),
        ]
        if operation.idempotency_key is not None:
            changes.append(writer.delete_idempotency(operation.idempotency_key))
        self._calendars.versioned_writes.write_fenced(calendar, changes, [place_of(operation)])

    def _end(self, calendar: CalendarRecord, operation: Operation, plan: Plan, condition: Condition) -> None:
        """Write the plan in place of the operation."""
        writer = self._writer(calendar)
        author = Author(operation.actor, self._calendars.now(), self._random_bytes)
        writes = writes_of(plan, writer, author)
        changes = [writer.delete_operation(operation, condition), *writes.changes]
        self._calendars.versioned_writes.write_fenced(calendar, changes, [place_of(operation), *writes.all_places])

    def _writer(self, calendar: CalendarRecord) -> EntryWriter:
        return EntryWriter(self._calendars.store, self._calendars.scope, calendar, self._calendars.default_zone)


def _delete(provider: Provider, calendar: CalendarRecord, event: Event) -> None:
    place = calendar.at_provider()
    try:
        provider.delete(place, event.id, event.etag)
    except Conflict:
        # The event was changed at the provider: delete it whatever its version.
        provider.delete(place, event.id, None)


def _find(provider: Provider, calendar: CalendarRecord, event_id: str) -> Event | None:
    try:
        return provider.find(calendar.at_provider(), event_id)
    except NotFound:
        return None  # the whole calendar is gone


def _move_back(provider: Provider, calendar: CalendarRecord, operation: Operation) -> Event | None:
    """Write the event again as it was before the move, and return it; None if the provider has it at a third time or
    not at all.

    It is written even if the move has not arrived: a move still on its way then names an outdated version and fails.
    """
    current = _find(provider, calendar, operation.event_id)
    if current is None or operation.before is None:
        return None
    moved, before = decode_event(operation.event), decode_event(operation.before)
    if not (same_time(current, moved, calendar) or same_time(current, before, calendar)):
        return None
    restored = replace(before, sequence=max(current.sequence, moved.sequence) + 1)
    return as_written(restored, provider.update(calendar.at_provider(), restored, current.etag))


def as_written(event: Event, written: ProviderCopy | Event) -> Event:
    organizer, href = event.organizer or written.organizer, written.href or event.href
    return replace(event, etag=written.etag, href=href, url=written.url or event.url, organizer=organizer)


def same_time(one: Event, other: Event, calendar: CalendarRecord) -> bool:
    zone = calendar.zone
    return (instant_of(one.start, zone), instant_of(one.end, zone)) == (
        instant_of(other.start, zone),
        instant_of(other.end, zone),
    )


def _same_token(operation: Operation) -> Condition:
    return Equals("token", operation.token)


def _check_lock(seconds: int) -> int:
    """Return `seconds` if a slot may be locked that long; otherwise raise InvalidInput."""
    if not LOCK_SECONDS[0] <= seconds <= LOCK_SECONDS[2]:
        raise InvalidInput(
            f"A slot is locked for {LOCK_SECONDS[0]} to {LOCK_SECONDS[2]} seconds.",
            f"Leave LOCK_TTL_SECS at {LOCK_SECONDS[1]}, or a little above what the slowest provider needs to answer.",
        )
    return seconds
