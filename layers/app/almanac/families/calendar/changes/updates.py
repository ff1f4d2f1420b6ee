"""Update of an event's texts, people and reminders, here or at its provider, without changing its time."""

from msgspec.structs import replace

from almanac.families.calendar.booking.execution import Execution
from almanac.families.calendar.booking.plans import Announcement, Plan, PutEvent
from almanac.families.calendar.booking.resolution import as_written
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.changes.event_edit import EventEdit, admit_edit, apply_edit, changed_fields
from almanac.families.calendar.changes.targets import (
    TRIES,
    find_target,
    pull,
    read_result,
    replaced_place,
    retry_write,
    target_of,
)
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.booking_ids import event_id_of
from almanac.families.calendar.model.events import Event
from almanac.kernel.instants import instant_at
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import ConditionFailed


def update_event(
    bookings: BookingService, calendar_id: str, event_id: str, edit: EventEdit
) -> tuple[CalendarRecord, LocatedEvent]:
    """Change an event, a whole series or one instance, and return the resulting event.

    One conditional write changes it at a provider. If the event changes there at the same time, it is read and changed
    again. Raises NotFound, InvalidInput for a bad value, Forbidden if the calendar is read-only or the provider
    refuses, Unavailable if the provider does not answer.
    """
    edit = admit_edit(edit)
    calendar = bookings.calendars.writable(calendar_id)
    name, tries = event_id_of(event_id, calendar_id), iter(range(TRIES))

    def attempt(calendar: CalendarRecord, execution: Execution) -> LocatedEvent:
        located = find_target(bookings, calendar, execution, name, event_id)
        event = target_of(calendar, located)
        changed = changed_fields(event, edit, calendar.provider)
        if not changed:
            return located
        event = _stamp(apply_edit(event, edit, changed), bookings.calendars.now())
        if calendar.is_native:
            execution.write(calendar, _plan(located, event))
        else:
            provider = bookings.calendars.gateway.provider(calendar)
            with retry_write(bookings, calendar, tries):
                event = as_written(event, provider.update(calendar.at_provider(), event, event.etag, changed))
            # The provider has the change. If another writer changed the calendar here meanwhile, the pull stores it.
            try:
                execution.write(calendar, _plan(located, event))
            except (ConditionFailed, Retry):
                pull(bookings, calendar)
        return read_result(bookings, calendar, located, event)

    return calendar, bookings.retry_on_conflict(calendar, attempt)


def _plan(located: LocatedEvent, event: Event) -> Plan:
    put = PutEvent(event, located.pointer.booked_by, replaced_place(located))
    return Plan(puts=(put,), announces=Announcement("booking_updated", event))


def _stamp(event: Event, now: int) -> Event:
    return replace(event, sequence=event.sequence + 1, revision=event.revision + 1, updated=instant_at(now))
