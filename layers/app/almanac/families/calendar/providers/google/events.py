"""Conversion of events to and from Google Calendar's API v3.

Google's own ids link a series and its exceptions, not iCalUID, which two halves of a split series share. Both get a UID
made from the series id.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, cast
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from almanac.families.calendar.model.event_parts import Alarm, Attendee
from almanac.families.calendar.model.events import AllDay, Event, Status, When, ZonedTime, convert_to_zone
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.families.time.recurrence import parse_rule
from almanac.kernel.errors import InvalidInput

Item = Mapping[str, Any]

MARK = {"extendedProperties": {"private": {"almanac": "booking"}}}
"""Mark of events booked here, so that every Almanac recognises the bookings of the others."""
_LINE = re.compile(r"(RRULE|EXRULE|RDATE|EXDATE)((?:;[^:]*)?):(.+)", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?(?:/.*)?")
_MOST_REMINDERS = 5
_FARTHEST = 40_320
_ANSWERS = {
    "needsAction": "NEEDS-ACTION",
    "declined": "DECLINED",
    "tentative": "TENTATIVE",
    "accepted": "ACCEPTED",
}
_STATUSES: dict[str, Status] = {"tentative": "tentative", "cancelled": "cancelled"}


def event_of(item: Item, zone: ZoneInfo) -> Event:
    """Convert an item to an event in a calendar of `zone`. Raises InvalidInput if its time is unknown."""
    series = item.get("recurringEventId")
    original = _when(item["originalStartTime"], zone) if series and "originalStartTime" in item else None
    start = _when(item["start"], zone) if "start" in item else original
    if start is None:
        raise InvalidInput("It has no start.", "An event needs a start.")
    people = cast(Sequence[Item], item.get("attendees") or ())
    event = Event(
        id=item["id"],
        uid=_uid(item),
        start=start,
        end=_end(item, start, zone),
        summary=str(item.get("summary", "")),
        description=str(item.get("description", "")),
        location=str(item.get("location", "")),
        attendees=tuple(str(one["email"]) for one in people if one.get("email")),
        organizer=organizer_of(item),
        attendee_details=tuple(map(_attendee, (one for one in people if one.get("email")))),
        recurrence_id=original,
        status=_STATUSES.get(str(item.get("status")), "confirmed"),
        transparent=item.get("transparency") == "transparent",
        declined=any(map(_has_declined, people)),
        sequence=int(item.get("sequence", 0)),
        etag=item.get("etag"),
        url=item.get("htmlLink"),
        created=_instant(item.get("created")),
        updated=_instant(item.get("updated")),
        alarms=_alarms(item.get("reminders") or {}),
    )
    lines = [str(line) for line in item.get("recurrence") or ()]
    try:
        rule, exdates, rdates = _recurrence(lines, start)
    except InvalidInput:
        return with_recurrence_lines(event, lines, zone)
    return replace(event, rrule=rule, exdates=exdates, rdates=rdates)


def body_of(event: Event) -> dict[str, Any]:
    """Return the fields of an event without its id and guests. Missing texts and rules are written as empty."""
    recurrence = [f"RRULE:{event.rrule}"] if event.rrule is not None else []
    recurrence += [f"RRULE:{rule}" for rule in event.further_rrules] + [f"EXRULE:{rule}" for rule in event.exrules]
    recurrence += [f"EXDATE{_date_text(when)}" for when in event.exdates]
    recurrence += [f"RDATE{_date_text(when)}" for when in event.rdates]
    # Without reminders here, the calendar's default reminders apply.
    reminders = {"reminders": {"useDefault": False, "overrides": _overrides(event)}} if event.alarms else {}
    return reminders | {
        "summary": event.summary,
        "description": event.description,
        "location": event.location,
        "start": _time_of(event.start),
        "end": _time_of(event.end),
        "recurrence": recurrence,
        "status": event.status,
        "transparency": "transparent" if event.transparent else "opaque",
    }


def _alarms(reminders: Item) -> tuple[Alarm, ...]:
    held = [one for one in reminders.get("overrides") or () if isinstance(one.get("minutes"), int)]
    return tuple(
        Alarm(action="EMAIL" if one.get("method") == "email" else "DISPLAY", offset=-60 * one["minutes"])
        for one in held[:_MOST_REMINDERS]
    )


def _overrides(event: Event) -> list[dict[str, Any]]:
    """Return the reminders that Google can store: minutes before the start, up to four weeks."""
    ahead = [one for one in event.alarms if one.offset is not None and one.related == "start" and one.offset <= 0]
    minutes = [("email" if one.action == "EMAIL" else "popup", -(one.offset or 0) // 60) for one in ahead]
    return [{"method": method, "minutes": count} for method, count in minutes if count <= _FARTHEST][:_MOST_REMINDERS]


def _attendee(person: Item) -> Attendee:
    return Attendee(
        address=str(person["email"]),
        name=str(person.get("displayName", ""))[:320],
        partstat=_ANSWERS.get(str(person.get("responseStatus")), ""),
        role="OPT-PARTICIPANT" if person.get("optional") else "",
    )


def organizer_of(item: Item) -> str:
    """Return the organizer's address, or "" if Google gives none."""
    return str(item.get("organizer", {}).get("email", ""))


def is_ours(item: Item) -> bool:
    """Return whether Almanac booked the event."""
    return bool(item.get("extendedProperties", {}).get("private", {}).get("almanac"))


def is_removed(item: Item) -> bool:
    """Return whether the event is deleted; a cancelled instance of a series is an exception instead."""
    return item.get("status") == "cancelled" and not ("recurringEventId" in item and "originalStartTime" in item)


def _uid(item: Item) -> str:
    series = item.get("recurringEventId") or (item["id"] if item.get("recurrence") else None)
    return f"{series}@google.com" if series else str(item.get("iCalUID") or f"{item['id']}@google.com")


def _has_declined(person: Item) -> bool:
    return bool(person.get("self")) and person.get("responseStatus") == "declined"


def _end(item: Item, start: When, zone: ZoneInfo) -> When:
    # A cancelled instance has no end, and takes no time.
    end = _when(item["end"], zone) if "end" in item else start
    return end if type(end) is type(start) else start


def _when(time: Item, zone: ZoneInfo) -> When:
    if time.get("date"):
        return AllDay(_day(str(time["date"])))
    instant = _instant(time.get("dateTime"))
    if instant is None:
        raise InvalidInput("One of its times cannot be read.", "Change the event in Google Calendar.")
    return convert_to_zone(instant, _zone(time.get("timeZone"), zone))


def _zone(name: object, default: ZoneInfo) -> ZoneInfo:
    try:
        return find_zone(str(name)) if name else default
    except InvalidInput:
        return default


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput("One of its dates cannot be read.", "Change the event in Google Calendar.") from None


def _instant(text: object) -> datetime | None:
    try:
        instant = datetime.fromisoformat(str(text)) if text else None
    except ValueError:
        return None
    return instant.astimezone(UTC) if instant is not None and instant.tzinfo is not None else None


def _recurrence(lines: Sequence[str], start: When) -> tuple[str | None, tuple[When, ...], tuple[When, ...]]:
    rules: list[str] = []
    dates: dict[str, list[When]] = {"EXDATE": [], "RDATE": []}
    for line in lines:
        match = _LINE.fullmatch(line.strip())
        name = match[1].upper() if match is not None else ""
        if match is None or name == "EXRULE":
            raise InvalidInput(f'"{line[:80]}" is not supported.', "Use one RRULE, with RDATE and EXDATE.")
        if name == "RRULE":
            rules.append(str(parse_rule(match[3])))
        else:
            dates[name] += [_date_of(text, match[2], start) for text in match[3].split(",")]
    if len(rules) > 1:
        raise InvalidInput("It has more than one RRULE.", "Create one event for each RRULE.")
    return (rules[0] if rules else None), tuple(dates["EXDATE"]), tuple(dates["RDATE"])


def _date_of(text: str, parameters: str, start: When) -> When:
    match = _DATE.fullmatch(text.strip())
    unread = InvalidInput(f'"{text[:40]}" is not a date.', "Change the series in Google Calendar.")
    if match is None:
        raise unread
    try:
        numbers = [int(number) for number in match.groups()[:6] if number is not None]
        day = date(*numbers[:3])
        if match[4] is None:
            return AllDay(day)
        local = datetime(*numbers)  # type: ignore[arg-type]  # noqa: DTZ001 - a wall time
    except ValueError:
        raise unread from None
    zone_match = re.search(r";TZID=([^;:]+)", parameters, re.IGNORECASE)
    own = start.tzinfo if isinstance(start, ZonedTime) else UTC_ZONE
    return ZonedTime(
        local, (UTC_ZONE if match[7] else _zone(zone_match[1].strip('"') if zone_match else None, own)).key
    )


def _date_text(when: When) -> str:
    if isinstance(when, AllDay):
        return f";VALUE=DATE:{when.day.year:04d}{when.day:%m%d}"
    if when.fold or when.zone == "UTC":
        instant = when.instant
        return f":{instant.year:04d}{instant:%m%dT%H%M%SZ}"
    return f";TZID={when.zone}:{when.local.year:04d}{when.local:%m%dT%H%M%S}"


def _time_of(when: When) -> dict[str, str | None]:
    """Return a time with both forms, so that a change from one to the other clears the former."""
    if isinstance(when, AllDay):
        return {"date": when.day.isoformat(), "dateTime": None, "timeZone": None}
    local = when.instant.astimezone(when.tzinfo)
    return {"date": None, "dateTime": local.isoformat(), "timeZone": when.zone}


def with_recurrence_lines(event: Event, lines: Sequence[str], zone: ZoneInfo) -> Event:
    """Return the event with recurrence lines that the simple reader refused, in a calendar of `zone`.

    `partial` names lines that cannot be read.
    """
    # icalendar takes 130 ms to import, and few series need it.
    from icalendar import Calendar  # noqa: PLC0415

    from almanac.families.calendar.ical.event_parser import with_recurrence  # noqa: PLC0415
    from almanac.families.calendar.ical.library import component_of  # noqa: PLC0415
    from almanac.families.calendar.ical.lines import Line, Node  # noqa: PLC0415
    from almanac.families.calendar.ical.moments import Moments  # noqa: PLC0415
    from almanac.families.calendar.ical.zone_names import ZoneNames  # noqa: PLC0415

    held = [Line(number, " ".join(line.splitlines())) for number, line in enumerate(lines, start=1)]
    component, broken = component_of("VEVENT", held)
    own = event.start.tzinfo if isinstance(event.start, ZonedTime) else zone
    moments = Moments(ZoneNames(Calendar(), own.key), own)
    for number in broken:
        moments.doubt(f'"{held[number - 1].text[:80]}" cannot be read')
    parsed = with_recurrence(event, Node("VEVENT", 0, held), component, moments)
    return replace(parsed, partial=(*event.partial, *moments.doubts))
