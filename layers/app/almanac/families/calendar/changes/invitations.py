"""Answers to invitations in calendars at providers."""

from almanac.content import admit
from almanac.families.calendar.booking.draft import redact_texts
from almanac.families.calendar.booking.execution import Execution
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.changes.targets import TRIES, find_target, pull, read_result, retry_write, target_of
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.booking_ids import event_id_of
from almanac.families.calendar.providers.port import Answer
from almanac.families.calendar.providers.refusals import not_invited


def respond(
    bookings: BookingService, calendar_id: str, event_id: str, answer: Answer
) -> tuple[CalendarRecord, LocatedEvent]:
    """Answer the invitation to an event, a whole series or one instance, and return the resulting event.

    One conditional write at the provider answers. If the event changes there at the same time, it is read and answered
    again. Raises NotFound, InvalidInput (code not_invited) if the calendar's account is not invited or organizes the
    event, Forbidden if it may not write, Unavailable if the provider does not answer.
    """
    comment = redact_texts(admit({"comment": answer.comment}))["comment"] if answer.comment else ""
    answer = Answer(answer.response, comment)
    calendar = bookings.calendars.writable(calendar_id)
    if calendar.is_native:
        raise not_invited()
    name, tries = event_id_of(event_id, calendar_id), iter(range(TRIES))

    def attempt(calendar: CalendarRecord, execution: Execution) -> LocatedEvent:
        located = find_target(bookings, calendar, execution, name, event_id)
        event = target_of(calendar, located)
        provider = bookings.calendars.gateway.provider(calendar)
        with retry_write(bookings, calendar, tries):
            provider.respond(calendar.at_provider(), event, event.etag, answer)
        # The provider's copy shows whether the event takes time after the answer.
        pull(bookings, calendar)
        return read_result(bookings, calendar, located, event)

    return calendar, bookings.retry_on_conflict(calendar, attempt)
