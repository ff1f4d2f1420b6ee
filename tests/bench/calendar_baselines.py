"""What the calendar is measured against: a year's free time by dateutil, and a booking's rows by bare sqlite3."""

# pyright: reportMissingTypeStubs=false

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

from calendar_year import YEAR, ZONE
from dateutil.rrule import rruleset, rrulestr

from almanac.families.calendar.model.events import AllDay, Event, When

Span = tuple[datetime, datetime]
Row = tuple[Any, ...]
_FIRST, _LAST = (datetime.fromisoformat(YEAR[name]) for name in ("start", "end"))


def free_by_dateutil(events: Sequence[Event]) -> list[Span]:
    """Gaps of at least 30 minutes, of events that are in memory already: rule sets expanded, and all of it merged."""
    moved = {(event.uid, _instant(event.recurrence_id)) for event in events if event.recurrence_id is not None}
    busy: list[Span] = []
    for event in events:
        if event.takes_time:
            spans = _instances(event, event.rrule) if event.rrule else [(_instant(event.start), _instant(event.end))]
            busy += [span for span in spans if (event.uid, span[0]) not in moved]
    free: list[Span] = []
    at = _FIRST
    for start, end in sorted(busy):
        if start - at >= timedelta(minutes=30):
            free.append((at, min(start, _LAST)))
        at = max(at, end)
    return free if _LAST - at < timedelta(minutes=30) else [*free, (at, _LAST)]


def booking_in_bare_sqlite(connection: sqlite3.Connection, rows: Sequence[Row], changed: Row) -> Callable[[], None]:
    """One transaction a call, that looks for each row and writes it under a new key; `changed` also into the log of
    changes. Rows as the store selects them."""
    find = "SELECT body FROM items WHERE partition = ? AND sort = ?"
    put = f"INSERT OR REPLACE INTO items VALUES ({', '.join('?' * len(rows[0]))})"
    log = "INSERT INTO changes (partition, sort, body) VALUES (?, ?, ?)"
    numbers = count()

    def book() -> None:
        number = next(numbers)
        connection.execute("BEGIN IMMEDIATE")
        for partition, sort, *rest in rows:
            place = (partition, f"{sort}{number}")
            connection.execute(find, place).fetchone()
            connection.execute(put, (*place, *rest))
        connection.execute(log, changed[:3])
        connection.execute("COMMIT")

    return book


def _instances(event: Event, rule: str) -> Iterator[Span]:
    start, end = _instant(event.start), _instant(event.end)
    length = end - start
    expanded = rrulestr(rule, dtstart=start, forceset=True)
    assert isinstance(expanded, rruleset)
    for day in event.exdates:
        expanded.exdate(_instant(day))
    return ((begins, begins + length) for begins in expanded.between(_FIRST - length, _LAST))


def _instant(when: When) -> datetime:
    """In the event's own zone, so that its instances keep their wall time."""
    if isinstance(when, AllDay):
        return datetime.combine(when.day, time(), ZoneInfo(ZONE))
    return when.local.replace(tzinfo=ZoneInfo(when.zone))
