"""Conflicts of an event with other entries. They are reported and never refused, because the planner books nothing."""

from msgspec import UNSET, Struct, UnsetType

from almanac.families.calendar.booking.conflicts import read_in_part, title_of, visible_event
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.instance_ids import instance_id, slot_at
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.events.agendas import open_agendas
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.texts.display_texts import display_text
from almanac.families.time.core.spans import span_of
from almanac.kernel.instants import instant_at

_NAMED = 5


class Clash(Struct, frozen=True, rename="camel"):
    """An event that takes the same time. `start` and `end` carry their offset. `text_notes`, if any: suspicious or
    unreadable parts of its title."""

    id: str
    title: str
    start: str
    end: str
    day_of_week: str
    calendar_id: str
    calendar_name: str
    text_notes: list[str] | UnsetType = UNSET


def find_clashes(planner: Planner, entry: str, start: int, end: int) -> list[Clash]:
    """Return the first five busy entries of all calendars from `start` to `end`, in milliseconds since 1970, except the
    one with the id `entry`."""
    window = Interval(start, end)
    agendas = open_agendas(planner)
    busy = [
        (one, agenda)
        for agenda in agendas.all
        for one in agendas.entries(agenda, window)
        if one.busy and agenda.located_id_of(one.filed.id) != entry and one.interval.overlaps(window)
    ]
    return [_clash(one, agenda) for one, agenda in sorted(busy, key=lambda each: each[0].start)[:_NAMED]]


def _clash(entry: EntryView, agenda: Agenda) -> Clash:
    planner = agenda.planner
    event = visible_event(entry, agenda.calendar)
    title, suspicions = display_text("title", title_of(entry, event))
    notes = [*(read_in_part(event) if event is not None else ()), *(suspicions or ())]
    span = span_of(instant_at(entry.start), instant_at(entry.end), planner.zone)
    return Clash(
        id=_id(entry, agenda),
        title=title,
        start=span.local_start,
        end=span.local_end,
        day_of_week=span.day_of_week,
        calendar_id=agenda.calendar.id,
        calendar_name=agenda.display_name,
        text_notes=notes or UNSET,
    )


def _id(shown: EntryView, agenda: Agenda) -> str:
    event = event_of(shown)
    if event is None or not event.is_series:
        return agenda.located_id_of(shown.filed.id)
    return agenda.located_id_of(instance_id(event, slot_at(event, shown.start, agenda.zone)))
