"""Events as the planner tells them."""

from collections.abc import Mapping
from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType

from almanac.families.calendar.events import AllDay, Event, When
from almanac.families.calendar.instances import interval_of
from almanac.families.calendar.view import Shown
from almanac.families.planner.agenda import Agenda
from almanac.families.planner.days import time_text
from almanac.families.planner.records import EventType, ItemStatus, Mark
from almanac.families.planner.series import instance_id, rule_of, series_id_of, slot_at
from almanac.families.time.recurrence.rule import WEEKDAYS
from almanac.families.time.timestamps import format_utc
from almanac.families.time.zones import find_zone
from almanac.kernel.firewall import clean, quoted_fields
from almanac.kernel.instants import instant_at


class Repeats(Struct, frozen=True, omit_defaults=True):
    """How a series recurs. `rrule` is the whole rule in the words of RFC 5545."""

    rrule: str
    frequency: str
    interval: int
    count: int | None = None
    until: str | None = None
    weekdays: list[str] | None = None


class EventRow(Struct, frozen=True, rename="camel"):
    """An event, or one instance of a series. `date` and `time` are those of `timezone`; `time` null: the whole day.

    `end_date` is the last day, `start` and `end` are instants with their offset. `busy`: it takes its time.
    `recurrence_series_id` is the id of the whole series; `recurrence_exception`: this instance was changed by itself.
    `text_notes`, where there are any: what in its texts is not meant for a reader.
    """

    id: str
    title: str
    description: str
    date: str
    time: str | None
    type: EventType
    status: ItemStatus
    day_of_week: str
    end_date: str
    end_time: str | None
    duration_minutes: int | None
    start: str
    end: str
    timezone: str
    busy: bool
    recurrence_series_id: str | None
    recurrence_exception: bool
    recurrence: Repeats | None
    revision: int
    location: str
    attendees: list[str]
    text_notes: list[str] | UnsetType = UNSET


def row_of(agenda: Agenda, shown: Shown, event: Event, mark: Mark) -> EventRow:
    """The row of `event` where it is shown."""
    if not shown.recurs:
        return told(agenda, event, mark, shown.start, shown.end)
    if event.recurrence_id is not None:
        return told(agenda, event, mark, shown.start, shown.end, series_id=series_id_of(event))
    return told(agenda, event, mark, shown.start, shown.end, slot=slot_at(event, shown.start, agenda.zone))


def told_alone(agenda: Agenda, event: Event, mark: Mark) -> EventRow:
    """The row of an event that happens once, or of an exception."""
    start, end = interval_of(event, agenda.zone)
    series_id = series_id_of(event) if event.recurrence_id is not None else None
    return told(agenda, event, mark, start, end, series_id=series_id)


def told(
    agenda: Agenda,
    event: Event,
    mark: Mark,
    start: int,
    end: int,
    *,
    slot: When | None = None,
    series_id: str | None = None,
) -> EventRow:
    """The row of an event from `start` to `end`, in milliseconds since 1970. `slot` is that of an instance of it."""
    zone = agenda.planner.zone
    all_day = isinstance(event.start, AllDay)
    if all_day:
        # A whole day belongs to the calendar, wherever it is looked at from.
        zone = find_zone(agenda.zone)
    begins, ends = instant_at(start).astimezone(zone), instant_at(end).astimezone(zone)
    last = instant_at(max(start, end - 1)).astimezone(zone).date()
    texts, notes = _texts(agenda, event)
    return EventRow(
        id=instance_id(event, slot) if slot is not None else event.id,
        title=texts.get("title", ""),
        description=texts.get("description", ""),
        date=begins.date().isoformat(),
        time=None if all_day else time_text(begins.time()),
        type=mark.type,
        status=mark.status,
        day_of_week=f"{begins:%A}",
        end_date=last.isoformat(),
        end_time=None if all_day else time_text(ends.time()),
        duration_minutes=None if all_day else (end - start) // 60_000,
        start=begins.isoformat(),
        end=ends.isoformat(),
        timezone=zone.key,
        busy=event.takes_time,
        recurrence_series_id=event.id if slot is not None or event.is_series else series_id,
        recurrence_exception=series_id is not None,
        recurrence=repeats(event) if slot is not None or event.is_series else None,
        revision=event.revision,
        location=texts.get("location", ""),
        attendees=[text for name, text in texts.items() if name.startswith("attendee ")],
        text_notes=list(notes) or UNSET,
    )


def title_of(event: Event) -> str:
    """Without what nobody sees: a calendar keeps texts as it was given them."""
    return clean(event.summary).text


def _texts(agenda: Agenda, event: Event) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """What is not empty, and what was found in it: an event may come from a file, a provider or another agent."""
    texts = {"title": event.summary, "description": event.description, "location": event.location}
    texts |= {f"attendee {place}": one for place, one in enumerate(event.attendees)}
    read = quoted_fields({name: text for name, text in texts.items() if text}, agenda.calendar.provider)
    return read.fields, read.notes


def repeats(series: Event) -> Repeats | None:
    if series.rrule is None:
        return None
    rule = rule_of(series)
    match rule.until:
        case datetime(tzinfo=tzinfo) as instant if tzinfo is not None:
            until = format_utc(instant)
        case date() as local:
            until = local.isoformat()
        case None:
            until = None
    days = [f"{day.nth or ''}{WEEKDAYS[day.weekday]}" for day in rule.byday] or None
    return Repeats(series.rrule, rule.freq.lower(), rule.interval, rule.count, until, days)


def overlaps_days(row: EventRow, first: date | None, last: date | None) -> bool:
    """Whether any day of the row lies between both, included."""
    return (first is None or row.end_date >= first.isoformat()) and (last is None or row.date <= last.isoformat())
