"""Descriptions of entries that overlap a slot, with ids for the next call. Their titles are untrusted text."""

from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from almanac.content import clean, quote_fields
from almanac.families.calendar.entries.records import CalendarRecord, Hold, Operation
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instance_ids import instance_id, slot_at
from almanac.families.calendar.model.repetition import ambiguous_end, left_out
from almanac.families.calendar.texts.secrets import visible

TITLE_LENGTH = 80

BlockerKind = Literal["event", "hold", "booking"]


class BlockerName(NamedTuple):
    """Id and title of an entry that overlaps a slot.

    `title` is cleaned and shortened. `notes` warn about parts of it that address a language model; `partial` lists
    parts of the event that could not be read.
    """

    id: str
    title: str
    notes: tuple[str, ...]
    partial: tuple[str, ...] = ()


def id_for_tools(shown: EntryView, event: Event | None, zone: ZoneInfo) -> str:
    """Return the id that all tools accept for the entry; an instance of a series has an id of its own.

    `zone` is the zone of whole days.
    """
    if event is None:
        return shown.filed.id
    if shown.recurs and event.recurrence_id is None and event.is_series:
        return instance_id(event, slot_at(event, shown.start, zone))
    return event.id


def blocker_name(shown: EntryView, calendar: CalendarRecord, zone: ZoneInfo) -> BlockerName:
    """Return id and title of an entry that overlaps a slot. `zone` is the zone of whole days."""
    event = visible_event(shown, calendar)
    name = id_for_tools(shown, None if isinstance(shown.record, Hold) else event, zone)
    title = title_of(shown, event)
    quoted = quote_fields({"summary": title} if title else {}, calendar.provider)
    partial = (*read_in_part(event), *doubts_of(event, calendar.zone)) if event is not None else ()
    return BlockerName(name, shorten_title(quoted.fields.get("summary", "")), quoted.notes, partial)


def visible_event(shown: EntryView, calendar: CalendarRecord) -> Event | None:
    """Return the event of the entry without secrets; None for a hold."""
    event = event_of(shown)
    return visible(event, calendar.provider) if event is not None else None


def title_of(shown: EntryView, event: Event | None) -> str:
    """Return the title of a hold, or of its event."""
    if isinstance(shown.record, Hold):
        return shown.record.summary
    return event.summary if event is not None else ""


def read_in_part(event: Event) -> list[str]:
    """Return the parts of the event that could not be read, so it may take more or other time than shown."""
    return [f"read in part: {clean(one).text}" for one in event.partial]


def doubts_of(event: Event, zone: ZoneInfo, checked: Interval | None = None) -> list[str]:
    """Return warnings about the time of a series in a calendar of `zone`.

    Programs may read it differently, and clocks skip instances in the span `checked`."""
    warnings = (ambiguous_end(event, zone), left_out(event, checked) if checked is not None else None)
    return [one for one in warnings if one is not None]


def kind_of(shown: EntryView) -> BlockerKind:
    """Return `event`, `hold`, or `booking` for a booking under way."""
    if isinstance(shown.record, Operation):
        return "booking"
    return "hold" if isinstance(shown.record, Hold) else "event"


def shorten_title(title: str) -> str:
    line = " ".join(title.split())
    return line if len(line) <= TITLE_LENGTH else f"{line[: TITLE_LENGTH - 1]}…"
