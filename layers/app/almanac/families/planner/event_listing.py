"""Events in the order in which they happen, page by page, however many there are."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from almanac.families.calendar.availability import Interval
from almanac.families.calendar.events import Event
from almanac.families.calendar.view import Shown, event_of
from almanac.families.planner.agenda import Agenda
from almanac.families.planner.event_rows import EventRow, overlaps_days, row_of
from almanac.families.planner.records import EventType, ItemStatus, Mark
from almanac.families.time.wall_time import resolve
from almanac.kernel.instants import milliseconds

_DAY = 86_400_000
_FIRST_CHUNK, _LONGEST_CHUNK = 32 * _DAY, 512 * _DAY
_HORIZON = 3653 * _DAY
_SCANNED = 4000
_BATCH = 50


class Position(NamedTuple):
    """Where a page ended: at this row of the events ahead, or of the `past` ones, which go backwards."""

    past: bool
    start: int
    id: str


def written_position(position: Position) -> str:
    return f"{int(position.past)} {position.start} {position.id}"


def read_position(text: str) -> Position | None:
    """What `written_position` wrote; None for no text."""
    past, _, rest = text.partition(" ")
    start, _, key = rest.partition(" ")
    return Position(past == "1", int(start), key) if text else None


class Asked(Struct, frozen=True):
    """Both days are included. Without any, what lies ahead comes first, then what is past, the latest first.

    `repeating`: only what belongs to a series.
    """

    words: str = ""
    type: EventType | None = None
    status: ItemStatus | None = None
    first: date | None = None
    last: date | None = None
    repeating: bool = False

    def admits(self, event: Event) -> bool:
        if not self.words:
            return True
        text = f"{event.summary}\n{event.description}\n{event.location}".casefold()
        return all(word in text for word in self.words.casefold().split())

    def wants(self, mark: Mark) -> bool:
        return self.type in (None, mark.type) and self.status in (None, mark.status)


class Listed(NamedTuple):
    """`position` is that of the last row that was looked at; None where there is no more."""

    rows: list[EventRow]
    position: Position | None


def list_events(agenda: Agenda, asked: Asked, limit: int, after: Position | None = None) -> Listed:
    """At most `limit` rows after `after`. A page may be short of rows where few of many events are asked for."""
    rows: list[EventRow] = []
    last: Position | None = None
    candidates = _candidates(agenda, asked, after)
    scanned = 0
    while batch := list(islice(candidates, min(_BATCH, max(8, limit + 1 - len(rows))))):
        scanned += len(batch)
        kept = [(at, row) for at, row in _told(agenda, asked, batch) if overlaps_days(row, asked.first, asked.last)]
        room = limit - len(rows)
        rows += [row for _, row in kept[:room]]
        if len(kept) > room:
            return Listed(rows, kept[room - 1][0] if room else last)
        last = batch[-1][0]
        if len(rows) >= limit or scanned >= _SCANNED:
            return Listed(rows, last if next(candidates, None) is not None else None)
    return Listed(rows, None)


def _told(agenda: Agenda, asked: Asked, batch: Sequence[tuple[Position, Shown]]) -> Iterator[tuple[Position, EventRow]]:
    """The rows of what is asked for, whatever their days."""
    meant = [(at, one) for at, one in batch if one.recurs or not asked.repeating]
    events = [(at, one, event) for at, one in meant if (event := event_of(one)) is not None and asked.admits(event)]
    marks = agenda.marks(event.id for _, _, event in events)
    for at, one, event in events:
        mark = marks.get(event.id) or Mark(id=event.id)
        if asked.wants(mark):
            yield at, row_of(agenda, one, event, mark)


def _day_start(agenda: Agenda, day: date) -> int:
    """In milliseconds since 1970, in the caller's zone."""
    return milliseconds(resolve(datetime.combine(day, time()), agenda.planner.zone).instant)


def _shown_events(agenda: Agenda, window: Interval) -> list[Shown]:
    """Events and instances that overlap the window, by start; no holds, no cancelled ones."""
    shown = agenda.planner.desk.calendars.shown(agenda.calendar, window)
    return [one for one in shown if one.kind == "event" and one.is_listed]


def _candidates(agenda: Agenda, asked: Asked, after: Position | None) -> Iterator[tuple[Position, Shown]]:
    today = _day_start(agenda, agenda.planner.today())
    unbounded = asked.first is None and asked.last is None
    if after is None or not after.past:
        # A whole day belongs to the calendar's zone, which may begin it earlier or end it later than the caller's.
        start = _day_start(agenda, asked.first) - _DAY if asked.first else today
        end = _day_start(agenda, asked.last) + 2 * _DAY if asked.last else max(start, today) + _HORIZON
        if asked.first is None and asked.last is not None:
            start = end - _HORIZON
        yield from _ahead(agenda, Interval(start, end), after)
    if unbounded:
        yield from _back(agenda, today, after if after is not None and after.past else None)


def _ahead(agenda: Agenda, window: Interval, after: Position | None) -> Iterator[tuple[Position, Shown]]:
    begin, length = (window.start if after is None else after.start), _FIRST_CHUNK
    opened = begin if after is not None else None
    while begin < window.end:
        end = min(begin + length, window.end)
        for one in _shown_events(agenda, Interval(begin, end)):
            key = Position(False, one.start, one.filed.id)
            if (opened is None or one.start >= begin) and (after is None or key > after):
                yield key, one
        opened = begin
        begin, length = end, min(2 * length, _LONGEST_CHUNK)


def _back(agenda: Agenda, today: int, after: Position | None) -> Iterator[tuple[Position, Shown]]:
    end, length = (today if after is None else after.start + 1), _FIRST_CHUNK
    while end > today - _HORIZON:
        begin = max(end - length, today - _HORIZON)
        for one in reversed(_shown_events(agenda, Interval(begin, end))):
            key = Position(True, one.start, one.filed.id)
            # What began before this chunk comes in its turn, and what lasts until today came with what lies ahead.
            if begin <= one.start < end and one.end <= today and (after is None or key < after):
                yield key, one
        end, length = begin, min(2 * length, _LONGEST_CHUNK)
