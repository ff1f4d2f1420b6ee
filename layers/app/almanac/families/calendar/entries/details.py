"""Details of one event."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.content import quote_fields
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.booking_ids import booking_id_of
from almanac.families.calendar.model.events import AllDay, Event, When, day_of, instant_of
from almanac.families.calendar.model.instance_ids import series_id_of
from almanac.families.calendar.model.overrides import override_of
from almanac.families.calendar.model.reminders import reminders_of
from almanac.families.calendar.model.repetition import ambiguous_end
from almanac.families.calendar.texts.secrets import visible
from almanac.families.time.core.own_zones import zone_label
from almanac.families.time.core.timestamps import format_utc, weekday_name

LONGEST_TEXT = 20_000
MOST_PEOPLE = 200
MOST_DATES = 200


class Person(Struct, frozen=True):
    """`response`: needs-action, accepted, declined, tentative or delegated; null: the event does not say."""

    email: str
    name: str | None
    response: str | None
    role: str | None


class EventDetails(Struct, frozen=True):
    """`start` and `end` are local times with their offset; for an all-day event they are dates, the end excluded.
    `recurrence` is the RRULE of the series, which also has the `extra_dates` and lacks the `excluded_dates`. `free`: it
    does not block its time. `declined`: the calendar's owner does not come. `booked_by` null: book_slot did not make
    it. `partly_read` names its unreadable parts, `cut` its shortened fields. `unsettled`: a change that the provider
    has not confirmed or refused. `untrusted`: others wrote the texts.
    """

    id: str
    calendar_id: str
    summary: str
    start: str
    end: str
    day_of_week: str
    all_day: bool
    timezone: str
    status: str
    free: bool
    declined: bool
    location: str
    description: str
    organizer: str
    attendees: list[Person]
    reminders: list[int]
    recurring: bool
    series_id: str | None
    recurrence: str | None
    extra_dates: list[str]
    excluded_dates: list[str]
    categories: list[str]
    url: str | None
    booking_id: str | None
    booked_by: str | None
    created: str | None
    updated: str | None
    partly_read: list[str]
    notes: list[str]
    cut: list[str]
    untrusted: bool = True
    unsettled: str | None = None


def details_of(
    located: LocatedEvent, calendar: CalendarRecord, zone: ZoneInfo, unsettled: str | None = None
) -> EventDetails:
    """Return the details of an event. An instance of a series has its own times, with the rule of its series."""
    event = located.event
    if located.series is not None and located.slot is not None and not located.is_exception:
        event = override_of(located.series, located.slot, located.id)
    series = located.series or (event if event.is_series else None)
    event = visible(event, calendar.provider)
    texts = {name: text for name, text in _texts(event).items() if text}
    cut = [name for name, text in texts.items() if len(text) > LONGEST_TEXT]
    cut += ["attendees"] if len(event.attendees) > MOST_PEOPLE else []
    cut += ["dates"] if series is not None and max(len(series.exdates), len(series.rdates)) > MOST_DATES else []
    quoted = quote_fields({name: text[:LONGEST_TEXT] for name, text in texts.items()}, calendar.provider)
    texts = quoted.fields
    starts, ends = (_time_text(when, zone, calendar.zone) for when in (event.start, event.end))
    booked_by = located.pointer.booked_by
    doubt = ambiguous_end(series, calendar.zone) if series is not None and not located.is_exception else None
    return EventDetails(
        id=located.id,
        calendar_id=calendar.id,
        summary=texts.get("summary", ""),
        start=starts,
        end=ends,
        day_of_week=_weekday(event.start, zone),
        all_day=event.is_all_day,
        timezone=zone_label(zone.key),
        status=event.status,
        free=event.transparent,
        declined=event.declined,
        location=texts.get("location", ""),
        description=texts.get("description", ""),
        organizer=texts.get("organizer", ""),
        attendees=_people(event, texts),
        reminders=reminders_of(event),
        recurring=series is not None or event.recurrence_id is not None,
        series_id=_series_id(located),
        recurrence=series.rrule if series is not None else None,
        extra_dates=_dates(series.rdates if series is not None else (), zone, calendar.zone),
        excluded_dates=_dates(series.exdates if series is not None else (), zone, calendar.zone),
        categories=[text for name, text in texts.items() if name.startswith("category ")],
        url=event.url,
        booking_id=booking_id_of(located.pointer.id) if booked_by is not None else None,
        booked_by=booked_by,
        created=_instant(located.event.created),
        updated=_instant(located.event.updated),
        partly_read=list(event.partial),
        notes=[*quoted.notes, *([doubt] if doubt is not None else [])],
        cut=cut,
        unsettled=unsettled,
    )


def _texts(event: Event) -> dict[str, str]:
    texts = {"summary": event.summary, "location": event.location, "description": event.description}
    texts["organizer"] = event.organizer
    texts |= {f"attendee {place}": one for place, one in enumerate(event.attendees[:MOST_PEOPLE])}
    texts |= {f"name {one.address}": one.name for one in event.attendee_details[:MOST_PEOPLE]}
    return texts | {f"category {place}": one for place, one in enumerate(event.categories)}


def _people(event: Event, texts: Mapping[str, str]) -> list[Person]:
    """Return names and addresses without invisible characters."""
    by_address = {one.address: one for one in event.attendee_details}
    people: list[Person] = []
    for place, address in enumerate(event.attendees[:MOST_PEOPLE]):
        details = by_address.get(address)
        response, role = (details.partstat.lower() or None, details.role or None) if details else (None, None)
        people.append(Person(texts.get(f"attendee {place}", ""), texts.get(f"name {address}"), response, role))
    return people


def _series_id(located: LocatedEvent) -> str | None:
    if located.series is not None:
        return located.series.id
    if located.event.recurrence_id is not None:
        return series_id_of(located.event)
    return located.event.id if located.event.is_series else None


def _time_text(when: When, zone: ZoneInfo, calendar_zone: ZoneInfo) -> str:
    if isinstance(when, AllDay):
        return when.day.isoformat()
    return instant_of(when, calendar_zone).astimezone(zone).isoformat()


def _weekday(when: When, zone: ZoneInfo) -> str:
    return weekday_name(day_of(when, zone))


def _dates(dates: Sequence[When], zone: ZoneInfo, calendar_zone: ZoneInfo) -> list[str]:
    return [_time_text(when, zone, calendar_zone) for when in dates[:MOST_DATES]]


def _instant(instant: datetime | None) -> str | None:
    return format_utc(instant.replace(microsecond=0)) if instant is not None else None
