"""Pages of events in order of time."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from heapq import merge
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from almanac.families.calendar.entries.records import Hold
from almanac.families.calendar.entries.view import EntryView, event_of
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.texts.secrets import visible
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import MARKS, EventType, ItemStatus, Mark
from almanac.families.planner.events.agendas import Agendas
from almanac.families.planner.events.native import Agenda
from almanac.families.planner.events.rows import EventRow, hold_row, overlaps_days, row_of
from almanac.families.time.core.wall_time import resolve
from almanac.kernel.instants import milliseconds

_DAY = 86_400_000
_NEXT_DAY = timedelta(days=1)
_FIRST_CHUNK, _LONGEST_CHUNK = 32 * _DAY, 512 * _DAY
_HORIZON = 3653 * _DAY
_SCANNED = 4000
_BATCH = 50


class Position(NamedTuple):
    """The end of a page: a row of the coming events, or of the `past` ones, which are listed backwards."""

    past: bool
    start: int
    id: str


def position_text(position: Position) -> str:
    return f"{int(position.past)} {position.start} {position.id}"


def read_position(text: str) -> Position | None:
    """Parse a written position; None for an empty text."""
    past, _, rest = text.partition(" ")
    start, _, key = rest.partition(" ")
    return Position(past == "1", int(start), key) if text else None


class Candidate(NamedTuple):
    at: Position
    agenda: Agenda
    shown: EntryView


def _candidate(agenda: Agenda, past: bool, shown: EntryView) -> Candidate:
    return Candidate(Position(past, shown.start, agenda.located_id_of(shown.filed.id)), agenda, shown)


class EventQuery(Struct, frozen=True):
    """A query for events; both days are included. Without days, coming events are listed first, then past ones, the
    latest first. `repeating`: only instances of series."""

    words: str = ""
    type: EventType | None = None
    status: ItemStatus | None = None
    first: date | None = None
    last: date | None = None
    repeating: bool = False

    def admits(self, event: Event, provider: str) -> bool:
        """Return whether the event has the words. Secrets in events of a `provider` are not searched."""
        return not self.words or (self._is_in(event) and self._is_in(visible(event, provider)))

    def admits_hold(self, hold: Hold) -> bool:
        return self._has_words(hold.summary) and not self.repeating and self.fits(Mark(id=hold.id))

    def _is_in(self, event: Event) -> bool:
        return self._has_words(f"{event.summary}\n{event.description}\n{event.location}")

    def _has_words(self, text: str) -> bool:
        text = text.casefold()
        return all(word in text for word in self.words.casefold().split())

    def fits(self, mark: Mark) -> bool:
        return self.type in (None, mark.type) and self.status in (None, mark.status)


class EventRowPage(NamedTuple):
    """A page of rows. `position` is that of the last event examined; None on the last page."""

    rows: list[EventRow]
    position: Position | None


def list_events(agendas: Agendas, query: EventQuery, limit: int, after: Position | None = None) -> EventRowPage:
    """Return a page of rows after `after`. It may be short if few of many events match."""
    rows: list[EventRow] = []
    last: Position | None = None
    candidates = _candidates(agendas, query, after)
    scanned = 0
    while batch := list(islice(candidates, min(_BATCH, max(8, limit + 1 - len(rows))))):
        scanned += len(batch)
        kept = [
            (at, row)
            for at, row in _matching_rows(agendas.planner, query, batch)
            if overlaps_days(row, query.first, query.last)
        ]
        room = limit - len(rows)
        rows += [row for _, row in kept[:room]]
        if len(kept) > room:
            return EventRowPage(rows, kept[room - 1][0] if room else last)
        last = batch[-1].at
        if len(rows) >= limit or scanned >= _SCANNED:
            return EventRowPage(rows, last if next(candidates, None) is not None else None)
    return EventRowPage(rows, None)


def list_upcoming_rows(agendas: Agendas, within_ms: int, limit: int) -> list[EventRow]:
    """Return the pending rows that are under way or start within `within_ms`, by start. Ask for one more than you show
    to learn whether there are others."""
    now = agendas.planner.now_ms()
    window = Interval(now, now + within_ms)
    found = [
        _candidate(agenda, False, one) for agenda in agendas.all for one in _listed_entries(agendas, agenda, window)
    ]
    candidates = sorted(found, key=_position)[:_BATCH]
    rows = _matching_rows(agendas.planner, EventQuery(status="pending"), candidates)
    return [row for _, row in islice(rows, limit)]


def _matching_rows(
    planner: Planner, query: EventQuery, batch: Sequence[Candidate]
) -> Iterator[tuple[Position, EventRow]]:
    """Yield the rows that match, whatever their days."""
    candidates = [one for one in batch if one.shown.recurs or not query.repeating]
    read = [(candidate, event_of(candidate.shown)) for candidate in candidates]
    events = [(one, event) for one, event in read if event and query.admits(event, one.agenda.calendar.provider)]
    names = {one.at: one.agenda.located_id_of(event.id) for one, event in events}
    marks = planner.rows(MARKS).by_id(names.values())
    for one, event in read:
        hold = one.shown.record
        if isinstance(hold, Hold) and query.admits_hold(hold):
            yield one.at, hold_row(one.agenda, one.shown, hold)
        elif event is not None and one.at in names:
            mark = marks.get(names[one.at]) or Mark(id=names[one.at])
            if query.fits(mark):
                yield one.at, row_of(one.agenda, one.shown, event, mark)


def _day_start(planner: Planner, day: date) -> int:
    """Return midnight in the caller's zone, in milliseconds since 1970."""
    return milliseconds(resolve(datetime.combine(day, time()), planner.zone).instant)


def _listed_entries(agendas: Agendas, agenda: Agenda, window: Interval) -> list[EntryView]:
    """Return the events, instances and live holds in the window, by start, without cancelled ones."""
    return [one for one in agendas.entries(agenda, window) if one.kind != "operation" and one.is_listed]


def _candidates(agendas: Agendas, query: EventQuery, after: Position | None) -> Iterator[Candidate]:
    planner = agendas.planner
    today = _day_start(planner, planner.today())
    unbounded = query.first is None and query.last is None
    if after is None or not after.past:
        start = _day_start(planner, query.first) if query.first else today
        end = _day_start(planner, query.last + _NEXT_DAY) if query.last else max(start, today) + _HORIZON
        if query.first is None and query.last is not None:
            start = end - _HORIZON
        window = Interval(start, end)
        yield from merge(*(_ahead(agendas, one, window, after) for one in agendas.all), key=_position)
    if unbounded:
        since = after if after is not None and after.past else None
        yield from merge(*(_back(agendas, one, today, since) for one in agendas.all), key=_position, reverse=True)


def _position(candidate: Candidate) -> Position:
    return candidate.at


def _ahead(agendas: Agendas, agenda: Agenda, window: Interval, after: Position | None) -> Iterator[Candidate]:
    begin, length = (window.start if after is None else after.start), _FIRST_CHUNK
    opened = begin if after is not None else None
    while begin < window.end:
        end = min(begin + length, window.end)
        found = [_candidate(agenda, False, one) for one in _listed_entries(agendas, agenda, Interval(begin, end))]
        for one in sorted(found, key=_position):
            if (opened is None or one.at.start >= begin) and (after is None or one.at > after):
                yield one
        opened = begin
        begin, length = end, min(2 * length, _LONGEST_CHUNK)


def _back(agendas: Agendas, agenda: Agenda, today: int, after: Position | None) -> Iterator[Candidate]:
    end, length = (today if after is None else after.start + 1), _FIRST_CHUNK
    while end > today - _HORIZON:
        begin = max(end - length, today - _HORIZON)
        found = [_candidate(agenda, True, one) for one in _listed_entries(agendas, agenda, Interval(begin, end))]
        for one in sorted(found, key=_position, reverse=True):
            # Earlier starts follow later. Events that last until today were listed with the coming ones.
            fits = begin <= one.at.start < end and one.shown.end <= today
            if fits and (after is None or one.at < after):
                yield one
        end, length = begin, min(2 * length, _LONGEST_CHUNK)
