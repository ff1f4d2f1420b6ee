"""Series as Google writes them that need more than one plain rule and dates: read like a text of iCalendar."""

from collections.abc import Sequence

from msgspec.structs import replace

from almanac.families.calendar.model.events import Event, Timed


def repeated_by(event: Event, lines: Sequence[str], zone: str) -> Event:
    """`zone` is the calendar's. What cannot be read of the lines is named by the event's `partial`."""
    # icalendar takes 130 ms to import, and hardly any series needs it
    from icalendar import Calendar  # noqa: PLC0415

    from almanac.families.calendar.ical.event_reading import repeated  # noqa: PLC0415
    from almanac.families.calendar.ical.library import component_of  # noqa: PLC0415
    from almanac.families.calendar.ical.lines import Line, Node  # noqa: PLC0415
    from almanac.families.calendar.ical.moments import Moments  # noqa: PLC0415
    from almanac.families.calendar.ical.zone_names import ZoneNames  # noqa: PLC0415

    held = [Line(number, " ".join(line.splitlines())) for number, line in enumerate(lines, start=1)]
    component, broken = component_of("VEVENT", held)
    own = event.start.zone if isinstance(event.start, Timed) else zone
    moments = Moments(ZoneNames(Calendar(), own), own)
    for number in broken:
        moments.doubt(f'"{held[number - 1].text[:80]}" cannot be read')
    found = repeated(event, Node("VEVENT", 0, held), component, moments)
    return replace(found, partial=(*event.partial, *moments.doubts))
