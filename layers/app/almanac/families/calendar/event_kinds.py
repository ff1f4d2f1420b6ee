"""Event kinds that calendars publish for rules and listeners."""

from almanac.kernel.events import EventKind

_SAMPLE = {
    "calendar_id": "primary",
    "event_id": "ev_01J8Z5",
    "booking_id": "ev_01J8Z5",
    "summary": "Review with Bob",
    "start": "2026-11-23T10:00:00+01:00",
    "end": "2026-11-23T10:30:00+01:00",
    "timezone": "Europe/Berlin",
    "all_day": False,
}

_OF_SERIES = ("recurrence",)

KINDS = (
    EventKind("slot_booked", "A time was booked.", _SAMPLE, _OF_SERIES),
    EventKind("booking_rescheduled", "A booking was moved; the times are the new ones.", _SAMPLE, _OF_SERIES),
    EventKind("booking_updated", "The texts, people or reminders of a booking were changed.", _SAMPLE, _OF_SERIES),
    EventKind("booking_cancelled", "A booking was cancelled; the times are those that it had.", _SAMPLE, _OF_SERIES),
)
