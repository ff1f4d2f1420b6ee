"""Comparison of two versions of an event, to recognise a repeated write."""

from zoneinfo import ZoneInfo

from almanac.families.calendar.model.events import Event, instant_of


def same_content(one: Event, other: Event, zone: ZoneInfo) -> bool:
    """Return whether both events have the same texts and take the same time in a calendar of `zone`."""
    return _contents(one) == _contents(other) and all(
        instant_of(this, zone) == instant_of(that, zone)
        for this, that in ((one.start, other.start), (one.end, other.end))
    )


def _contents(event: Event) -> tuple[object, ...]:
    texts = (" ".join(text.split()) for text in (event.summary, event.location))
    return (*texts, event.rrule, event.is_all_day, event.transparent, event.status == "cancelled")
