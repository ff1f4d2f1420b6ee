"""A year of a busy team's calendar: 5,000 events, 200 of them series and 100 in place of an instance of one."""

from collections.abc import Iterator
from datetime import date, datetime, time, timedelta
from pathlib import Path
from random import Random
from typing import Any

from msgspec.structs import replace

from almanac.families.calendar.accounts.shadow import Shadow, batches, write_batch
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.writer import Author
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.store import SqliteStore

EVENTS, OVERRIDES = 5_000, 100
FIRST = date(2026, 1, 1)
YEAR = {"start": "2026-01-01T00:00:00Z", "end": "2027-01-01T00:00:00Z"}
WEEK = {"start": "2026-06-08T00:00:00+02:00", "end": "2026-06-15T00:00:00+02:00"}
SLOT = {"start": "2026-06-10T14:00:00+02:00", "end": "2026-06-10T14:30:00+02:00"}
ZONE = "Europe/Berlin"
SCOPE = Scope("acme", "web")

_ZONES = [ZONE, ZONE, ZONE, "America/New_York", "Asia/Kolkata"]
_ID = "0123456789abcdefghijklmnopqrstuv"
_TOPICS = ["Design review", "Interview", "Customer call", "Planning", "Budget", "Release", "Incident follow-up"]
_SERIES = {
    "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR": 10,
    "FREQ=WEEKLY": 65,
    "FREQ=WEEKLY;BYDAY=TU,TH": 15,
    "FREQ=WEEKLY;UNTIL=20260630T235959Z": 40,
    "FREQ=WEEKLY;INTERVAL=2": 40,
    "FREQ=MONTHLY;BYDAY=1TU": 8,
    "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1": 4,
    "FREQ=MONTHLY;BYMONTHDAY=15": 5,
    "FREQ=DAILY;COUNT=30": 3,
    "FREQ=YEARLY": 10,
}


def open_store(folder: Path) -> SqliteStore:
    return SqliteStore(folder / "almanac.db", clock=SystemClock(), cursor_secret=b"c" * 32)


def fill(store: Store) -> None:
    """Files the year in the calendar "primary", as an import does."""
    calendars = Calendars(store, SCOPE, clock=SystemClock(), default_zone=ZONE)
    calendar = calendars.find_or_create("primary")
    author = Author("bench", calendars.now(), Random(5).randbytes)
    for batch in batches(list(Shadow(calendars, calendar, author).take(list(year_of_events()))), spare=1):
        calendar = write_batch(calendars, calendar, batch)


def year_of_events() -> Iterator[Event]:
    random = Random(4)
    series = list(_series(random))
    yield from series
    yield from (
        _move_third_week(one, random) for one in random.sample([one for one in series if not one.is_all_day], OVERRIDES)
    )
    for number in range(EVENTS - len(series) - OVERRIDES):
        yield _single(number, random)


def _series(random: Random) -> Iterator[Event]:
    for rule, how_many in _SERIES.items():
        for number in range(how_many):
            key = f"series-{rule}-{number}"
            if rule == "FREQ=YEARLY":
                day = date(1990, 1, 1) + timedelta(days=random.randrange(365))
                yield _event(key, AllDay(day), AllDay(day + timedelta(days=1)), random, rrule=rule, transparent=True)
                continue
            # Most began last year; a few instances of each were called off.
            start = _working_time(date(2025, 9, 1) + timedelta(days=random.randrange(200)), random)
            off = tuple(replace(start, local=start.local + timedelta(weeks=random.randrange(60))) for _ in range(3))
            yield _event(key, start, _later(start, random.choice([15, 30, 60])), random, rrule=rule, exdates=off)


def _move_third_week(series: Event, random: Random) -> Event:
    """The third week's instance, an hour later."""
    assert isinstance(series.start, ZonedTime)
    first = replace(series.start, local=series.start.local + timedelta(weeks=2))
    start = _later(first, 60)
    return replace(_event(f"{series.id}-moved", start, _later(start, 30), random), uid=series.uid, recurrence_id=first)


def _single(number: int, random: Random) -> Event:
    day = FIRST + timedelta(days=random.randrange(365))
    key = f"event-{number}"
    if number % 50 == 0:
        days = random.choice([1, 1, 2, 5])
        return _event(key, AllDay(day), AllDay(day + timedelta(days=days)), random, transparent=number % 100 == 0)
    start = _working_time(day, random)
    event = _event(key, start, _later(start, random.choice([30, 30, 45, 60, 90])), random)
    return replace(event, transparent=number % 30 == 0, status="cancelled" if number % 90 == 0 else "confirmed")


def _event(key: str, start: When, end: When, random: Random, **more: Any) -> Event:
    topic = random.choice(_TOPICS)
    event = Event(
        id="".join(random.choices(_ID, k=26)),
        uid=f"{key}@example.com",
        start=start,
        end=end,
        summary=f"{topic} {random.randrange(100)}",
        description=f"Agenda and notes: https://example.com/{topic.lower().replace(' ', '-')}"
        if random.random() < 0.4
        else "",
        location=random.choice(["", "", "Room 4.12", "Video call"]),
        attendees=tuple(f"person{random.randrange(40)}@example.com" for _ in range(random.randrange(4))),
        organizer=f"person{random.randrange(40)}@example.com",
    )
    return replace(event, **more)


def _working_time(day: date, random: Random) -> ZonedTime:
    """On the next working day, between 8 and 18 o'clock."""
    day += timedelta(days=max(0, day.weekday() - 4) and 7 - day.weekday())
    minutes = random.randrange(8 * 4, 18 * 4) * 15
    return ZonedTime(datetime.combine(day, time()) + timedelta(minutes=minutes), random.choice(_ZONES))


def _later(start: ZonedTime, minutes: int) -> ZonedTime:
    return replace(start, local=start.local + timedelta(minutes=minutes))
