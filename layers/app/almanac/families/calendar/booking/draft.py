"""What is to be booked."""

from datetime import date, datetime

from msgspec import Struct


class Draft(Struct, frozen=True, kw_only=True):
    """`start` and `end` are aware, or dates of whole days, the end excluded. `recurrence` is RRULE text, `reminders`
    minutes before the start. `hold_id` names a hold whose time may be used."""

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
