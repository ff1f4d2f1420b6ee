"""Parser of a VEVENT or VTODO into an event."""

# icalendar is typed loosely: components hold anything.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from icalendar import Component
from msgspec import Struct
from msgspec.structs import replace

from almanac.families.calendar.ical.extras import DOUBT, READ, READ_TODO, alarms_of, other_lines
from almanac.families.calendar.ical.ids import digest_id, make_imported_id, recurrence_stamp
from almanac.families.calendar.ical.library import component_of
from almanac.families.calendar.ical.lines import Node
from almanac.families.calendar.ical.moments import NEXT_DAY, Moments, after, end_like, length_of, plain
from almanac.families.calendar.ical.people import attendees_of, has_details, organizer_of
from almanac.families.calendar.ical.rules import added_dates, excluded_dates, exclusion_rules, rules_of
from almanac.families.calendar.ical.values import parameters_of, part_of, values_of
from almanac.families.calendar.ical.zone_names import ZoneNames
from almanac.families.calendar.model.event_parts import Todo, TodoStatus
from almanac.families.calendar.model.events import AllDay, Event, Status, When, ZonedTime, instant_of
from almanac.kernel.errors import InvalidInput

_MAX_TEXT = 64 * 1024
_MOST_DOUBTS = 10
_STATUSES: dict[str, Status] = {"CONFIRMED": "confirmed", "TENTATIVE": "tentative", "CANCELLED": "cancelled"}
_TODO_STATUSES: dict[str, TodoStatus] = {
    "NEEDS-ACTION": "needs-action",
    "IN-PROCESS": "in-process",
    "COMPLETED": "completed",
    "CANCELLED": "cancelled",
}

EventId = Callable[[str, str | None], str]
"""Returns the id of an event from its UID and, for an exception of a series, the stamp of its instance."""


class EventParseOptions(Struct, frozen=True):
    """Options for reading the parts of one text.

    `zone` applies to times without a zone. `owners` are the addresses of the calendar's owner. `cancelled`: the text
    cancels its events.
    """

    names: ZoneNames
    zone: ZoneInfo
    event_id: EventId = make_imported_id
    owners: Collection[str] = ()
    cancelled: bool = False


def read_event(node: Node, reading: EventParseOptions) -> tuple[Event, str | None]:
    """Return the event, and the stamp of the instance that it replaces.

    Raises InvalidInput if its time cannot be determined; `partial` names all other unreadable parts.
    """
    is_todo = node.name == "VTODO"
    read = READ_TODO if is_todo else READ
    component, broken = component_of(node.name, [line for line in node.lines if line.name in read])
    moments = Moments(reading.names, reading.zone)
    _doubt_lines(node, broken, moments)
    slot = next(iter(moments.every(component, "RECURRENCE-ID")), None)
    start, end, days, todo = _todo_time(component, moments) if is_todo else _event_time(component, moments, slot)
    if slot is None and component.get("RECURRENCE-ID") is not None:
        slot = start  # it must not replace its whole series
    stamp = recurrence_stamp(slot, reading.zone) if slot is not None else None
    event = Event(
        id="",
        uid="",
        start=start,
        end=end,
        nominal_days=days,
        recurrence_id=plain(slot) if slot is not None else None,
        this_and_future=slot is not None and _is_for_all_later(component),
        todo=todo,
        status=_status(component, todo, cancelled=reading.cancelled),
    )
    event = _with_texts(with_recurrence(event, node, component, moments), node, component, reading.owners)
    if event.is_series and not (days or is_todo or event.is_all_day) and component.get("DTEND") is None:
        lengths = (length_of(each) for each in values_of(component, "DURATION"))
        event = replace(event, exact_length=any(each is not None for each in lengths))
    uid = _text(component, "UID")[:1024] or digest_id(node.text())
    doubts = tuple(moments.doubts)
    if len(doubts) > _MOST_DOUBTS:
        doubts = (*doubts[:_MOST_DOUBTS], f"and {len(doubts) - _MOST_DOUBTS} more")
    return replace(event, id=reading.event_id(uid, stamp), uid=uid, partial=doubts), stamp


def _doubt_lines(node: Node, broken: list[int], moments: Moments) -> None:
    numbers = sorted({*node.broken, *broken})
    if numbers:
        numbers_text = ", ".join(map(str, numbers[:5])) + (" and more" if len(numbers) > 5 else "")
        moments.doubt(
            f"line {numbers_text} cannot be read" if len(numbers) == 1 else f"lines {numbers_text} cannot be read"
        )
    if not node.closed:
        moments.doubt("it has no end in the text")
    for text in node.raw_values(DOUBT)[:_MOST_DOUBTS]:
        moments.doubt(text)


def _event_time(component: Component, moments: Moments, slot: When | None) -> tuple[When, When, int, None]:
    start = moments.one(component, "DTSTART")
    ends = moments.every(component, "DTEND")
    if start is None:
        start = _start_without(slot, ends, moments)
        if component.get("DTEND") is None and component.get("DURATION") is None:
            # A cancelled instance often has no end; any other event is taken to last a day.
            cancelled = _text(component, "STATUS").upper() == "CANCELLED"
            return start, start if cancelled else after(start, NEXT_DAY)[0], 0, None
    if ends:
        end = max((end_like(start, one) for one in ends), key=lambda one: instant_of(one, moments.zone))
        if instant_of(end, moments.zone) < instant_of(start, moments.zone):
            moments.doubt("it ends before it starts")
        return start, end, 0, None
    end, days = _by_duration(component, start, moments, given=component.get("DTEND") is not None)
    return start, end, days, None


def _start_without(slot: When | None, ends: list[When], moments: Moments) -> When:
    if slot is not None:
        moments.doubt("it has no DTSTART that can be read: it is taken to start where its series has it")
        return slot
    if ends:
        moments.doubt("it has no DTSTART that can be read: it is taken to start a day before its end")
        end = ends[0]
        return AllDay(end.day - NEXT_DAY) if isinstance(end, AllDay) else ZonedTime(end.local - NEXT_DAY, end.zone)
    raise InvalidInput("It has no readable DTSTART.", "An event needs a start.")


def _by_duration(component: Component, start: When, moments: Moments, *, given: bool) -> tuple[When, int]:
    """Return the end by DURATION. Without one, a day ends with itself and a time has no length.

    `given`: the event has an end that cannot be read.
    """
    held = values_of(component, "DURATION")
    lengths = [length for value in held if (length := length_of(value)) is not None]
    if len(held) > 1:
        moments.doubt("it has more than one DURATION")
    if lengths:
        return after(start, max(lengths))
    if held or given:
        moments.doubt(f"its {'DURATION' if held else 'DTEND'} cannot be read: it is taken to last a day")
        return after(start, NEXT_DAY)[0], 0
    return (after(start, NEXT_DAY)[0] if isinstance(start, AllDay) else start), 0


def _todo_time(component: Component, moments: Moments) -> tuple[When, When, int, Todo]:
    start, due = moments.one(component, "DTSTART"), moments.one(component, "DUE")
    percent = _text(component, "PERCENT-COMPLETE")
    todo = Todo(
        status=_TODO_STATUSES.get(_text(component, "STATUS").upper(), "needs-action"),
        completed=_instant(component, "COMPLETED"),
        percent=min(100, int(percent[:4])) if percent.isascii() and percent.isdigit() else None,
        has_start=start is not None,
        has_due=due is not None,
    )
    begin = start if start is not None else due
    if begin is None:
        raise InvalidInput("It has neither DTSTART nor DUE.", "Give it a date, or make it a note or a card.")
    if start is None:
        return begin, after(begin, NEXT_DAY)[0] if isinstance(begin, AllDay) else begin, 0, todo
    if due is not None:
        end = end_like(start, due)
        if instant_of(end, moments.zone) < instant_of(start, moments.zone):
            end = start
        return start, after(start, NEXT_DAY)[0] if end == start and isinstance(start, AllDay) else end, 0, todo
    end, days = _by_duration(component, begin, moments, given=False)
    return begin, end, days, todo


def _is_for_all_later(component: Component) -> bool:
    value: Any = values_of(component, "RECURRENCE-ID")[0]
    return str(parameters_of(value).get("RANGE", "")).upper() == "THISANDFUTURE"


def _status(component: Component, todo: Todo | None, *, cancelled: bool) -> Status:
    if cancelled or (todo is not None and todo.status == "cancelled"):
        return "cancelled"
    return _STATUSES.get(_text(component, "STATUS").upper(), "confirmed")


def with_recurrence(event: Event, node: Node, component: Component, moments: Moments) -> Event:
    """Return the event with the recurrence of the component."""
    rules = rules_of(node, moments)
    dates, periods = added_dates(component, moments)
    return replace(
        event,
        rrule=rules[0] if rules else None,
        further_rrules=rules[1:],
        exrules=exclusion_rules(node, moments),
        exdates=excluded_dates(component, moments),
        rdates=dates,
        periods=periods,
    )


def _with_texts(event: Event, node: Node, component: Component, owners: Collection[str]) -> Event:
    people, declined = attendees_of(component, owners)
    organizer = organizer_of(component)
    other, long = other_lines(node.lines, READ_TODO if event.todo is not None else READ)
    alarms, odd = alarms_of(node)
    return replace(
        event,
        summary=_text(component, "SUMMARY"),
        description=_text(component, "DESCRIPTION"),
        location=_text(component, "LOCATION"),
        attendees=tuple(person.address for person in people),
        attendee_details=tuple(filter(has_details, people)),
        organizer=organizer.address if organizer is not None else "",
        organizer_details=organizer if organizer is not None and has_details(organizer) else None,
        declined=declined,
        transparent=event.todo is None and _text(component, "TRANSP").upper() == "TRANSPARENT",
        sequence=_sequence(component),
        url=_text(component, "URL") or None,
        created=_instant(component, "CREATED"),
        updated=_last_change(component),
        categories=_categories(component),
        alarms=alarms,
        other=other,
        left_out=tuple(long | odd),
    )


def _categories(component: Component) -> tuple[str, ...]:
    held = [text for value in values_of(component, "CATEGORIES") for text in (part_of(value, "cats") or ())]
    texts = [str(text).strip()[:200] for text in held]
    return tuple(dict.fromkeys(text for text in texts if text))[:100]


def _text(component: Component, name: str) -> str:
    for value in values_of(component, name):
        return str(value).replace("\r\n", "\n")[:_MAX_TEXT].strip()
    return ""


def _sequence(component: Component) -> int:
    text = _text(component, "SEQUENCE")
    return int(text[:9]) if text.isascii() and text.isdigit() else 0


def _last_change(component: Component) -> datetime | None:
    """Return when the event was last changed. DTSTAMP is mandatory, so some programs write 1970 or the creation time;
    those values are ignored."""
    stamp = _instant(component, "DTSTAMP")
    made_up = stamp is not None and (stamp == _instant(component, "CREATED") or stamp.timestamp() == 0)
    return _instant(component, "LAST-MODIFIED") or (None if made_up else stamp)


def _instant(component: Component, name: str) -> datetime | None:
    for value in values_of(component, name):
        moment = part_of(value, "dt")
        if isinstance(moment, datetime) and moment.year > 1:
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    return None
