"""Edits of events as pure functions of event, mark and edit."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding
from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.model.attendees import attendee_details, check_attendees
from almanac.families.calendar.model.booking_ids import new_event_id
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, convert_to_zone, instant_of
from almanac.families.calendar.model.instance_ids import uid_of
from almanac.families.calendar.model.overrides import move_to, override_of
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import EventType, ItemStatus, Mark
from almanac.families.planner.edits.series_moves import anchor_move, move_series
from almanac.families.planner.edits.timing import Timing, move_start, on_clocks
from almanac.families.planner.events.recurrence import Recurrence, rule_text, zone_of_rule
from almanac.families.planner.events.series import align_start
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_body, check_title
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import UTC_ZONE, place_zone
from almanac.kernel.errors import InvalidInput

SeriesScope = Literal["this", "all", "this_and_following"]
_LONGEST_MINUTES = 366 * 1440
_MINUTES: dict[EventType, int] = {"event": 60, "task": 30}


class EventEdit(Struct, frozen=True, kw_only=True):
    """The fields to change. None keeps a field, or gives a new event the default. `time` "" makes it last the whole
    day. `recurrence` None ends the series; UNSET keeps it."""

    title: str | None = None
    description: str | None = None
    date: str | None = None
    time: str | None = None
    type: EventType | None = None
    status: ItemStatus | None = None
    duration_minutes: int | None = None
    busy: bool | None = None
    location: str | None = None
    attendees: Sequence[str] | None = None
    recurrence: Recurrence | UnsetType | None = UNSET

    @property
    def is_empty(self) -> bool:
        return self == EventEdit()


def redact_edit(edit: EventEdit) -> tuple[EventEdit, tuple[SecretFinding, ...]]:
    """Return the edit without secrets, and the secrets removed."""
    return without_secrets(edit, ("title",), ("description", "location"))


def draft_event(edit: EventEdit, when: Timing, planner: Planner) -> tuple[Event, Mark]:
    """Return a new event or series. `edit` must have a title and a date."""
    if when.day is None:
        raise InvalidInput("date is missing.", 'Give e.g. 2026-03-15 or "tomorrow".', path="date")
    event_id = new_event_id(planner.now_ms(), planner.random_bytes)
    kind = edit.type or "task"
    start: When = AllDay(when.day)
    if when.clock is not None:
        start = on_clocks(when.day, when.clock, planner.zone, place_zone(planner.zone))
    event = Event(id=event_id, uid=uid_of(event_id), start=start, end=start, revision=1)
    event = _with_length(event, edit.duration_minutes, kind, once=not isinstance(edit.recurrence, Recurrence))
    event = _with_texts(event, edit)
    event = replace(event, transparent=not (edit.busy if edit.busy is not None else _usually_busy(event, kind)))
    if isinstance(edit.recurrence, Recurrence):
        event = as_series(event, edit.recurrence, planner)
    return with_time_freed(event, Mark(id=event_id, type=kind, status=edit.status or "pending"), edit.busy)


def apply_edit(
    event: Event, mark: Mark, edit: EventEdit, when: Timing, planner: Planner, *, was: Event | None = None
) -> tuple[Event, Mark]:
    """Edit everything but the rule of an event, and increment its revision. `was` is the event before its series
    moved."""
    was = was or event
    kind = edit.type or mark.type
    usual = was.transparent != _usually_busy(was, mark.type)
    once = not event.is_series and not isinstance(edit.recurrence, Recurrence)
    before, start = event, move_start(event.start, when, planner.zone)
    event = _with_texts(_with_start(event, start), edit)
    if edit.duration_minutes is not None or (event.end == event.start and was.end != was.start):
        event = _with_length(event, edit.duration_minutes, kind, once=once)
    elif once and start != before.start and isinstance(before.start, ZonedTime) and isinstance(start, ZonedTime):
        event = _with_exact_length(event, _length(before))
    if edit.busy is not None or usual:
        busy = edit.busy if edit.busy is not None else _usually_busy(event, kind)
        event = replace(event, transparent=not busy)
    event = replace(event, revision=event.revision + 1, sequence=event.sequence + 1)
    return with_time_freed(event, replace(mark, type=kind, status=edit.status or mark.status), edit.busy)


def new_exception(found: LocatedEvent, series: Event, slot: When) -> Event:
    """Return an exception for an instance, still equal to it."""
    return override_of(series, slot, found.id)


def as_series(event: Event, recurrence: Recurrence, planner: Planner) -> Event:
    """Turn an event into a series in the zone of its rule."""
    if (move := anchor_move(event.start, zone_of_rule(recurrence, planner))) is not None:
        event = move_series(event, move, keeps_rule=False)
    return align_start(replace(event, rrule=rule_text(recurrence, event.start, planner)))


def _with_start(event: Event, start: When) -> Event:
    if start == event.start:
        return event
    return move_to(event, start.day if isinstance(start, AllDay) else start)


def _with_length(event: Event, minutes: int | None, kind: EventType, *, once: bool) -> Event:
    if minutes is not None and not 1 <= minutes <= _LONGEST_MINUTES:
        raise InvalidInput(
            f'"durationMinutes" must be from 1 to {_LONGEST_MINUTES}, but it is {minutes}.',
            "Omit it to keep the current length.",
            path="durationMinutes",
        )
    if isinstance(event.start, AllDay):
        days = -(-minutes // 1440) if minutes is not None else 1
        return replace(event, end=AllDay(event.start.day + timedelta(days=days)))
    length = timedelta(minutes=minutes if minutes is not None else _MINUTES[kind])
    if once:
        return _with_exact_length(event, length)
    return replace(event, end=ZonedTime(event.start.local + length, event.start.zone))


def _with_exact_length(event: Event, length: timedelta) -> Event:
    """Make a single event start at an existing time and last exactly that long, even over a clock change. Instances of
    a series last from one wall time to another instead."""
    if not isinstance(event.start, ZonedTime):
        return event
    zone = event.start.tzinfo
    begins = event.start.instant if event.start.fold else resolve(event.start.local, zone).instant
    return replace(event, start=convert_to_zone(begins, zone), end=convert_to_zone(begins + length, zone))


def _length(event: Event) -> timedelta:
    zone = event.start.tzinfo if isinstance(event.start, ZonedTime) else UTC_ZONE
    return instant_of(event.end, zone) - instant_of(event.start, zone)


def _usually_busy(event: Event, kind: EventType) -> bool:
    """Return whether an event is busy by default. A task is busy only if it has a time."""
    return kind == "event" or not event.is_all_day


def _with_texts(event: Event, edit: EventEdit) -> Event:
    if edit.title is not None:
        event = replace(event, summary=check_title(edit.title))
    if edit.description is not None:
        event = replace(event, description=check_body(edit.description, "description"))
    if edit.location is not None:
        event = replace(event, location=check_body(edit.location, "location"))
    if edit.attendees is not None:
        people = check_attendees(edit.attendees)
        event = replace(event, attendees=people, attendee_details=attendee_details(people, event.attendee_details))
    return event


def with_time_freed(event: Event, mark: Mark, busy: bool | None) -> tuple[Event, Mark]:
    """Free the time of a done task, and take it again for a reopened one. An explicit `busy` wins."""
    if busy is not None:
        return event, replace(mark, freed=False)
    is_done = mark.type == "task" and mark.status == "done"
    if is_done and not event.transparent:
        return replace(event, transparent=True), replace(mark, freed=True)
    if mark.freed and not is_done:
        return replace(event, transparent=False), replace(mark, freed=False)
    return event, mark


def keep_freed(event: Event, mark: Mark) -> tuple[Event, Mark]:
    """Leave the time of a reopened task free, because another event has taken it."""
    return replace(event, transparent=True), replace(mark, freed=True)
