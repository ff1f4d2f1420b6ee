"""Rows of events in results."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content import clean, quote_fields
from almanac.families.calendar.booking.conflicts import read_in_part
from almanac.families.calendar.entries.records import Hold
from almanac.families.calendar.entries.view import EntryView, event_of_hold
from almanac.families.calendar.model.events import AllDay, Event, When, convert_to_zone
from almanac.families.calendar.model.instance_ids import instance_id, series_id_of, slot_at
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.texts.secrets import visible
from almanac.families.planner.core.days import time_text
from almanac.families.planner.core.records import EventType, ItemStatus, Mark
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.recurrence import Repeats, repeats
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.spans import span_of
from almanac.kernel.instants import instant_at


class EventRow(Struct, frozen=True, rename="camel"):
    """An event, or one instance of a series. `date` and `time` are those of `timezone`; `time` null: the whole day.

    `end_date` is the last day, `start` and `end` are instants with their offset. `busy`: its time counts as taken.
    `recurrence_series_id` is the id of the whole series; `recurrence_exception`: this instance was changed on its own.
    `text_notes`, if any: suspicious or unreadable parts of its texts. `held_until`: this is no event but a slot held
    until then with hold_slot; only calendar tools take its id."""

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
    calendar_id: str
    calendar_name: str
    text_notes: list[str] | UnsetType = UNSET
    held_until: str | UnsetType = UNSET


def row_of(agenda: Agenda, entry: EntryView, event: Event, mark: Mark) -> EventRow:
    """Return the row of an event at the time of one of its entries."""
    if not entry.recurs:
        return event_row(agenda, event, mark, entry.start, entry.end)
    if event.recurrence_id is not None:
        return event_row(agenda, event, mark, entry.start, entry.end, series_id=series_id_of(event))
    return event_row(agenda, event, mark, entry.start, entry.end, slot=slot_at(event, entry.start, agenda.zone))


def hold_row(agenda: Agenda, entry: EntryView, hold: Hold) -> EventRow:
    """Return the row of a hold: the event that it reserves time for, with the id and title of the hold."""
    zone = agenda.zone
    start, end = (convert_to_zone(instant_at(at), zone) for at in (hold.start, hold.end))
    event = event_of_hold(entry) or Event(id=hold.id, uid="", start=start, end=end)
    event = replace(event, id=hold.id, summary=hold.summary, rrule=None)
    until = instant_at(hold.expires_at).astimezone(agenda.planner.zone).isoformat(timespec="seconds")
    return replace(event_row(agenda, event, Mark(id=hold.id), entry.start, entry.end), held_until=until)


def single_row(agenda: Agenda, event: Event, mark: Mark) -> EventRow:
    """Return the row of a single event or of an exception."""
    start, end = interval_of(event, agenda.zone)
    series_id = series_id_of(event) if event.recurrence_id is not None else None
    return event_row(agenda, event, mark, start, end, series_id=series_id)


def event_row(
    agenda: Agenda,
    event: Event,
    mark: Mark,
    start: int,
    end: int,
    *,
    slot: When | None = None,
    series_id: str | None = None,
) -> EventRow:
    """Return the row of an event from `start` to `end`, in milliseconds since 1970, or of its instance at `slot`."""
    zone = agenda.planner.zone
    all_day = isinstance(event.start, AllDay)
    begins, ends = instant_at(start).astimezone(zone), instant_at(end).astimezone(zone)
    span = span_of(begins, ends, zone)
    last = instant_at(max(start, end - 1)).astimezone(zone).date()
    texts, notes = _texts(agenda, event)
    return EventRow(
        id=agenda.located_id_of(instance_id(event, slot) if slot is not None else event.id),
        title=texts.get("title", ""),
        description=texts.get("description", ""),
        date=begins.date().isoformat(),
        time=None if all_day else time_text(begins.time()),
        type=mark.type,
        status=mark.status,
        day_of_week=span.day_of_week,
        end_date=last.isoformat(),
        end_time=None if all_day else time_text(ends.time()),
        duration_minutes=None if all_day else (end - start) // 60_000,
        start=span.local_start,
        end=span.local_end,
        timezone=zone_label(zone.key),
        busy=event.takes_time,
        recurrence_series_id=_series_name(agenda, event.id if slot is not None or event.is_series else series_id),
        recurrence_exception=series_id is not None,
        recurrence=repeats(event, zone) if slot is not None or event.is_series else None,
        revision=event.revision,
        location=texts.get("location", ""),
        attendees=[text for name, text in texts.items() if name.startswith("attendee ")],
        calendar_id=agenda.calendar.id,
        calendar_name=agenda.display_name,
        text_notes=list(notes) or UNSET,
    )


def _series_name(agenda: Agenda, series_id: str | None) -> str | None:
    return agenda.located_id_of(series_id) if series_id is not None else None


def title_of(agenda: Agenda, event: Event) -> str:
    """Return the title without invisible characters and secrets. Titles from providers are stored unchanged."""
    return clean(visible(event, agenda.calendar.provider).summary).text


def _texts(agenda: Agenda, event: Event) -> tuple[Mapping[str, str], Sequence[str]]:
    """Return the texts that are not empty, and notes about suspicious or unreadable contents. An event may come from a
    file, a provider or another agent."""
    event = visible(event, agenda.calendar.provider)
    texts = {"title": event.summary, "description": event.description, "location": event.location}
    texts |= {f"attendee {place}": one for place, one in enumerate(event.attendees)}
    read = quote_fields({name: text for name, text in texts.items() if text}, agenda.calendar.provider)
    return read.fields, [*read_in_part(event), *read.notes]


def overlaps_days(row: EventRow, first: date | None, last: date | None) -> bool:
    """Return whether the row covers a day from `first` to `last`, both included."""
    return (first is None or row.end_date >= first.isoformat()) and (last is None or row.date <= last.isoformat())
