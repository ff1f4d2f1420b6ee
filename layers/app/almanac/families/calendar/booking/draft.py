"""Request for a booking, and its result."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import cast

from msgspec import Struct
from msgspec.structs import replace

from almanac.content import admit
from almanac.content.redaction import redact_value
from almanac.families.calendar.booking.slots import Slots
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.attendees import check_attendees
from almanac.families.calendar.model.events import Event
from almanac.kernel.errors import InvalidInput


class Draft(Struct, frozen=True, kw_only=True):
    """Request for a booking.

    `start` and `end` are aware datetimes, or dates of whole days with an exclusive end. `recurrence` is RRULE text.
    `reminders` are minutes before the start. `hold_id` names a hold whose time the booking may use.
    """

    calendar_id: str
    start: datetime | date
    end: datetime | date
    summary: str
    description: str = ""
    location: str = ""
    attendees: tuple[str, ...] = ()
    idempotency_key: str | None = None
    hold_id: str | None = None
    recurrence: str | None = None
    reminders: tuple[int, ...] = ()


class BookingResult(Struct, frozen=True):
    """Booked event with its calendar.

    `slots` is the time of the event. `replayed`: an earlier call with the same idempotency key booked it.
    """

    calendar: CalendarRecord
    event: Event
    slots: Slots
    replayed: bool = False


def admit_draft(draft: Draft) -> Draft:
    """Return the draft without invisible characters and secrets.

    Raises InvalidInput for text that addresses a language model, for an empty title, and for an attendee without an
    e-mail address.
    """
    fields = {"summary": draft.summary, "description": draft.description, "location": draft.location}
    guests = {f"attendees[{number}]": guest for number, guest in enumerate(draft.attendees)}
    texts = admit({name: text for name, text in (fields | guests).items() if text})
    check_title(texts.get("summary", ""))
    attendees = check_attendees([texts.pop(name, "") for name in guests])
    return replace(draft, **redact_texts(texts), attendees=attendees)


def check_title(summary: str) -> None:
    if not summary.strip():
        raise InvalidInput("An event needs a title.", "Give a summary that is not empty.", path="summary")


def redact_texts(texts: Mapping[str, str]) -> dict[str, str]:
    """Redact secrets in the texts of a booking or hold before they are stored."""
    return cast("dict[str, str]", redact_value(texts).value)
