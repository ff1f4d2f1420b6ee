"""Reminders of an event, and content lines that are kept without being understood."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from almanac.families.calendar.ical.library import component_of
from almanac.families.calendar.ical.lines import Line, Node
from almanac.families.calendar.ical.values import parameters_of, part_of, values_of
from almanac.families.calendar.model.event_parts import Alarm, Related
from almanac.families.calendar.model.events import Event

DOUBT = "X-ALMANAC-PARTLY-READ"
"""Property with which exported texts name the parts of an event that could not be read."""
READ = frozenset(
    {
        DOUBT,
        *("UID", "DTSTAMP", "DTSTART", "DTEND", "DURATION", "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "RRULE"),
        *("EXRULE", "EXDATE", "RDATE", "RECURRENCE-ID", "STATUS", "TRANSP", "SEQUENCE", "CREATED", "LAST-MODIFIED"),
        *("ATTENDEE", "ORGANIZER", "CATEGORIES"),
    }
)
"""Properties that are read from a VEVENT; others are kept verbatim."""
READ_TODO = READ - {"DTEND", "TRANSP"} | {"DUE", "COMPLETED", "PERCENT-COMPLETE"}
_READ_ALARM = frozenset({"ACTION", "TRIGGER", "DESCRIPTION", "REPEAT", "DURATION"})
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
_LONGEST_LINE = 4_000
_MOST_TEXT = 16_000
_MOST_ALARMS = 20
_FARTHEST = timedelta(days=3660)
_SECOND = timedelta(seconds=1)


def other_lines(lines: Iterable[Line], read: frozenset[str]) -> tuple[tuple[str, ...], dict[str, None]]:
    """Return the content lines outside of `read`, and the names of those that are too long to keep."""
    others: list[str] = []
    left_out: dict[str, None] = {}
    size = 0
    for line in lines:
        if line.name in read:
            continue
        text = _CONTROL.sub("", line.text)
        size += len(text)
        if len(text) > _LONGEST_LINE or size > _MOST_TEXT:
            left_out[line.name] = None
            size -= len(text)
        else:
            others.append(text)
    return tuple(others), left_out


def alarms_of(node: Node) -> tuple[tuple[Alarm, ...], dict[str, None]]:
    """Return the reminders, and the names of other components inside the event, which are not kept."""
    alarms: list[Alarm] = []
    left_out: dict[str, None] = {}
    for child in node.children:
        alarm = _alarm(child) if child.name == "VALARM" and len(alarms) < _MOST_ALARMS else None
        if alarm is None:
            left_out[child.name] = None
        else:
            alarms.append(alarm)
    return tuple(alarms), left_out


def extra_lines(event: Event) -> Iterator[str]:
    """Yield the properties that `fill` does not write, as content lines."""
    yield from event.other
    yield from (f"{DOUBT}:{_CONTROL.sub('', said)}" for said in event.partial)
    yield from alarm_lines(event.alarms)


def alarm_lines(alarms: Iterable[Alarm]) -> Iterator[str]:
    """Yield reminders as the content lines of components."""
    for alarm in alarms:
        yield "BEGIN:VALARM"
        yield f"ACTION:{alarm.action}"
        if alarm.at is not None:
            yield f"TRIGGER;VALUE=DATE-TIME:{alarm.at:%Y%m%dT%H%M%SZ}"
        else:
            yield f"TRIGGER{';RELATED=END' if alarm.related == 'end' else ''}:{_duration(alarm.offset or 0)}"
        if alarm.description:
            yield f"DESCRIPTION:{escape_text(alarm.description)}"
        if alarm.repeat:
            yield f"REPEAT:{alarm.repeat}"
            yield f"DURATION:{_duration(alarm.every)}"
        yield from alarm.other
        yield "END:VALARM"


def fold_lines(lines: Iterable[str]) -> bytes:
    """Fold content lines as RFC 5545 prescribes: at most 75 bytes, and no break inside a character."""
    return b"".join(b"\r\n ".join(_pieces(line)) + b"\r\n" for line in lines)


def _pieces(line: str) -> Iterator[bytes]:
    held = bytearray()
    for sign in line:
        letter = sign.encode("utf-8", "replace")
        if len(held) + len(letter) > 74:
            yield bytes(held)
            held.clear()
        held += letter
    yield bytes(held)


def _alarm(node: Node) -> Alarm | None:
    component, broken = component_of("VALARM", [line for line in node.lines if line.name in _READ_ALARM])
    trigger: Any = next(iter(values_of(component, "TRIGGER")), None)
    moment = part_of(trigger, "dt")
    other, left_out = other_lines(node.lines, _READ_ALARM)
    if broken or left_out or node.children:
        return None
    offset: int | None = None
    at: datetime | None = None
    if isinstance(moment, timedelta) and abs(moment) <= _FARTHEST:
        offset = moment // _SECOND
    elif isinstance(moment, datetime):
        at = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC).replace(microsecond=0)
    else:
        return None
    related: Related = "end" if str(parameters_of(trigger).get("RELATED", "")).upper() == "END" else "start"
    repeat, every = _repetition(component)
    return Alarm(
        action=_CONTROL.sub("", str(component.get("ACTION", "DISPLAY")).strip().upper()[:40]) or "DISPLAY",
        offset=offset,
        at=at,
        related=related if at is None else "start",
        description=_text(component.get("DESCRIPTION", "")),
        repeat=repeat,
        every=every,
        other=other,
    )


def _repetition(component: Any) -> tuple[int, int]:
    count, every = str(component.get("REPEAT", "")).strip(), part_of(component.get("DURATION"), "dt")
    number = min(int(count[:6]), 1000) if count.isascii() and count.isdigit() else 0
    if number and isinstance(every, timedelta) and timedelta() < every <= _FARTHEST:
        return number, every // _SECOND
    return 0, 0


def _text(value: object) -> str:
    return str(value).replace("\r\n", "\n")[:_LONGEST_LINE].strip()


def _duration(seconds: int) -> str:
    sign, seconds = ("-", -seconds) if seconds < 0 else ("", seconds)
    days, rest = divmod(seconds, 86_400)
    clock = "".join(
        f"{count}{unit}" for count, unit in ((rest // 3600, "H"), (rest % 3600 // 60, "M"), (rest % 60, "S")) if count
    )
    text = (f"{days}D" if days else "") + (f"T{clock}" if clock else "")
    return f"{sign}P{text or 'T0S'}"


def escape_text(text: str) -> str:
    """Escape a value of type TEXT."""
    for sign, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        text = text.replace(sign, written)
    return _CONTROL.sub("", text)
