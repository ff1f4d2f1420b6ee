"""Events as flat rows of text for a model: JSON, or TOON, which needs fewer tokens for the same rows."""

from collections.abc import Sequence
from typing import Any, Literal
from zoneinfo import ZoneInfo

import msgspec

from almanac.content import quote_fields
from almanac.families.calendar.booking.conflicts import doubts_of, id_for_tools, read_in_part
from almanac.families.calendar.entries.records import CalendarRecord, Hold, Operation
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.events import AllDay, Event, decode_event
from almanac.families.calendar.model.instance_ids import series_id_of
from almanac.families.calendar.model.reminders import reminders_of
from almanac.families.calendar.texts.secrets import visible
from almanac.families.calendar.tools.parameters import format_instant
from almanac.families.time.core.timestamps import weekday_name
from almanac.kernel.instants import instant_at

Format = Literal["json", "toon"]
Row = dict[str, Any]

_ORDER = (
    "id",
    "summary",
    "start",
    "end",
    "day_of_week",
    "all_day",
    "recurring",
    "series_id",
    "status",
    "free",
    "declined",
    "location",
    "attendees",
    "organizer",
    "description",
    "url",
    "reminders",
    "expires_at",
    "notes",
)


def row_of(shown: EntryView, zone: ZoneInfo, source: str) -> Row:
    """Return the row of an entry.

    Times are clock times in `zone` with their offset. An all-day event has its dates, and its end is excluded. Texts
    are cleaned, and `notes` name the parts that look like instructions. `source` is the provider of the texts.
    """
    event = event_of(shown)
    start, end = instant_at(shown.start).astimezone(zone), instant_at(shown.end).astimezone(zone)
    times: Row = {"start": start.isoformat(), "end": end.isoformat(), "day_of_week": weekday_name(start)}
    if event is None:
        kept = shown.record.event if isinstance(shown.record, Hold) else None
        if kept is not None and (days := decode_event(kept)).is_all_day:
            times = _days(shown, days, zone)
        return _of_hold(shown, zone, source) | times | {"recurring": shown.recurs}
    if isinstance(event.start, AllDay):
        times = _days(shown, event, zone)
    row = _of_event(event, source, recurs=shown.recurs) | times | {"id": id_for_tools(shown, event, zone)}
    if shown.recurs:
        row["series_id"] = event.id if event.recurrence_id is None else series_id_of(event)
    if isinstance(shown.record, Operation):
        row["status"] = "outcome unknown" if shown.record.state == "unknown" else "being booked"
    return row


def rows_of(page: Sequence[EntryView], zone: ZoneInfo, calendar: CalendarRecord) -> list[Row]:
    """Return a row for each entry. The first row of a series notes which of its times are in doubt."""
    rows: list[Row] = []
    shown_calendars: set[str] = set()
    for one in page:
        row, event = row_of(one, zone, calendar.provider), event_of(one)
        if event is not None and event.id not in shown_calendars and (doubts := doubts_of(event, calendar.zone)):
            shown_calendars.add(event.id)
            row["notes"] = [*(row.get("notes") or []), *doubts]
        rows.append(row)
    return rows


def rows_text(rows: Sequence[Row], format_: Format) -> str:
    """Return the rows as one array. Empty values are left out, in JSON from each row, in TOON as whole columns."""
    kept = [{name: row[name] for name in _ORDER if row.get(name) not in (None, "", False)} for row in rows]
    if format_ == "json":
        return msgspec.json.encode(kept).decode()
    from toon_format import encode  # noqa: PLC0415 - a tenth of a second, for those who ask for it

    columns = [name for name in _ORDER if any(name in row for row in kept)]
    return encode([{name: _cell(row.get(name)) for name in columns} for row in kept])


def _cell(value: object) -> object:
    # A list in a cell would make the rows unlike each other, and the nested text of the table twice as long.
    return "; ".join(map(str, value)) if isinstance(value, list | tuple) else value  # type: ignore[reportUnknownArgumentType]


def _of_event(event: Event, source: str, *, recurs: bool) -> Row:
    event = visible(event, source)
    texts = {"summary": event.summary, "location": event.location, "description": event.description}
    people = {"organizer": event.organizer} | {f"attendee {place}": one for place, one in enumerate(event.attendees)}
    quoted = quote_fields({name: text for name, text in (texts | people).items() if text}, source)
    return {
        "id": event.id,
        "recurring": recurs,
        "status": event.status if event.status != "confirmed" else None,
        "free": event.transparent,
        "attendees": [text for name, text in quoted.fields.items() if name.startswith("attendee ")] or None,
        "declined": event.declined,
        "url": event.url,
        "reminders": reminders_of(event) or None,
        "notes": [*read_in_part(event), *quoted.notes] or None,
    } | {name: text for name, text in quoted.fields.items() if name in _ORDER}


def _of_hold(shown: EntryView, zone: ZoneInfo, source: str) -> Row:
    summary = shown.record.summary if isinstance(shown.record, Hold) else ""
    quoted = quote_fields({"summary": summary} if summary else {}, source)
    expires = format_instant(shown.expires_at, zone) if shown.expires_at is not None else None
    row = {"id": shown.filed.id, "summary": quoted.fields.get("summary", ""), "status": "held", "expires_at": expires}
    return row | {"notes": list(quoted.notes) or None}


def _days(shown: EntryView, event: Event, zone: ZoneInfo) -> Row:
    first, last = (instant_at(at).astimezone(zone).date() for at in (shown.start, shown.end))
    if not shown.recurs and isinstance(event.start, AllDay) and isinstance(event.end, AllDay):
        first, last = event.start.day, event.end.day
    return {"start": first.isoformat(), "end": last.isoformat(), "day_of_week": weekday_name(first), "all_day": True}
