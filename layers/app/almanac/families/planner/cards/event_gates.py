"""Calendar events that cards wait for. The words are matched with an event only once, when a caller adds the gate. The
event is read again at each check, because it may be moved or cancelled."""

import re
from contextlib import suppress
from datetime import datetime
from typing import Literal, NamedTuple

from msgspec import Struct

from almanac.families.calendar.entries.records import CALENDARS
from almanac.families.calendar.model.events import AllDay
from almanac.families.calendar.model.instances import interval_of
from almanac.families.calendar.model.overrides import move_to
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Gate
from almanac.families.planner.events.agendas import open_agendas
from almanac.families.planner.events.native import find_event
from almanac.families.planner.events.pages import EventQuery, list_events
from almanac.families.planner.events.rows import EventRow
from almanac.families.planner.search.text import fold
from almanac.families.time.core.zones import stored_zone
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import milliseconds
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Check

Edge = Literal["start", "end"]

_LOOKED_AT = 50
_CANDIDATES = 5
_WORD = re.compile(r"[^\W_]+")


def _set_of(words: str) -> frozenset[str]:
    return frozenset(words.split())


_STARTS = _set_of("start starts started begin begins began beginning before vor beginnt anfang")
_RETURNS = _set_of("back return returns returned zurück wieder")
_PLAIN = _set_of(
    "after when until till once as soon the a an is are was has have been of for over done end ends ended finish "
    "finishes finished event meeting wait will s nach dem den der die das wenn sobald bis ist sind hat fertig vorbei "
    "endet ende"
)
_ABSENCES = _set_of(
    "vacation holiday holidays leave away out ooo off sick ill trip travel travels travelling pto absent absence "
    "sabbatical parental urlaub krank abwesend ferien reise dienstreise elternzeit frei"
)


class NamedEvent(Struct, frozen=True):
    """The event that words name, and whether the gate waits for its start or its end."""

    id: str
    edge: Edge


def find_named_event(planner: Planner, words: str) -> NamedEvent:
    """Return the coming event for words such as "after the freeze" or "when Anna is back", or for an id. Raises
    InvalidInput if no event has the words, or several have; the hint lists them."""
    if (by_id := _by_id(planner, words.strip())) is not None:
        return by_id
    folded_words = [fold(word) for word in _WORD.findall(words)]
    edge: Edge = "start" if _STARTS.intersection(folded_words) else "end"
    title_words = [word for word in folded_words if word not in _STARTS | _RETURNS | _PLAIN]
    found = _upcoming_events(planner, title_words, edge) if title_words else []
    if _RETURNS.intersection(folded_words):
        absences = [row for row in found if _ABSENCES.intersection(_words(row.title))]
        found = absences or found
    if len(found) == 1:
        return NamedEvent(found[0].id, edge)
    if not found:
        raise InvalidInput(
            f'"{words[:60]}" is neither a time nor the words of a coming event.',
            'Write a time ("monday at 9"), words of the title of one event, or its id from calendar_list_events.',
            path="until",
        )
    named = "; ".join(f'"{row.title[:60]}" on {row.date} ({row.id})' for row in found[:_CANDIDATES])
    more = f"; and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
    raise InvalidInput(
        f'"{words[:60]}" may mean {len(found)} events: {named}{more}.',
        "Give the id of the one that is meant, or more words of its title.",
        path="until",
        code="ambiguous_event",
        untrusted=True,
    )


class EventEdge(NamedTuple):
    """The start or end of a gate's event, in milliseconds since 1970. `condition` makes a write fail if its calendar
    changed."""

    at: int
    condition: Check


def edge_of(planner: Planner, gate: Gate) -> EventEdge | None:
    """Return the current edge of a gate's event; None if the event is deleted or cancelled. All-day events use the zone
    of the caller that made the gate."""
    try:
        agenda, found = find_event(planner, gate.event or "")
    except (NotFound, InvalidInput):
        return None
    event, slot = found.event, found.slot
    if event.status == "cancelled" or agenda.is_deleted(event):
        return None
    if slot is not None and not found.is_exception:
        event = move_to(event, slot.day if isinstance(slot, AllDay) else slot)
    window, head = interval_of(event, stored_zone(gate.zone) if gate.zone else agenda.zone), agenda.calendar
    unchanged = Check(planner.rows(CALENDARS).key(head.id), Equals("version", head.version))
    return EventEdge(window.start if gate.edge == "start" else window.end, unchanged)


def _by_id(planner: Planner, text: str) -> NamedEvent | None:
    if not text or " " in text:
        return None
    with suppress(NotFound):
        agenda, found = find_event(planner, text)
        if found.names_whole_series:
            raise InvalidInput(
                f'"{text[:80]}" repeats.', "Give the id of one instance, from calendar_list_events.", path="until"
            )
        return NamedEvent(agenda.located_id_of(found.id), "end")
    return None


def _upcoming_events(planner: Planner, title_words: list[str], edge: Edge) -> list[EventRow]:
    """Return the events that are not over and have all the words in their title, with the next instance of a series."""
    query = EventQuery(words=max(title_words, key=len), first=planner.today())
    found: dict[str, EventRow] = {}
    position = None
    while True:
        page = list_events(open_agendas(planner), query, _LOOKED_AT, position)
        for row in page.rows:
            at = milliseconds(datetime.fromisoformat(row.start if edge == "start" else row.end))
            if at > planner.now_ms() and set(title_words) <= _words(row.title):
                found.setdefault(row.recurrence_series_id or row.id, row)
        position = page.position
        if position is None or len(found) > _CANDIDATES or len(page.rows) < _LOOKED_AT:
            return list(found.values())


def _words(title: str) -> set[str]:
    return {fold(word) for word in _WORD.findall(title)}
