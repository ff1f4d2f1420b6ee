"""Callers in different zones want one instant at once, each by the wall time of his own clocks: one of them gets it."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Barrier
from zoneinfo import ZoneInfo

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.families.calendar.model.events import Event, instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Conflict
from tests.unit.families.calendar.services import NINE, REMOTE, connect_remote, draft, open_bookings, open_store

ROUNDS = 6
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Tokyo", "Asia/Kathmandu")

calendars = pytest.mark.parametrize("calendar", ["primary", REMOTE])


@pytest.fixture
def rivals(tmp_path: Path) -> Iterator[list[BookingService]]:
    """One for each zone, over one store and one memory."""
    store, cache = open_store(tmp_path, SystemClock()), CalendarCache()
    bookings = open_bookings(tmp_path, SystemClock(), store=store, cache=cache, patient=True)
    connect_remote(bookings)
    yield [bookings.in_zone(zone) for zone in ZONES]
    store.close()


def on_clocks(minutes: int, zone: str) -> datetime:
    """So many minutes after NINE, as clocks in `zone` show it."""
    return (NINE + timedelta(minutes=minutes)).astimezone(ZoneInfo(zone))


def book_event(bookings: BookingService, calendar: str, zone: str, minutes: int) -> Event:
    start = on_clocks(minutes, zone)
    return bookings.book(
        replace(draft(minutes, calendar=calendar), start=start, end=start + timedelta(minutes=30))
    ).event


def at_once(tries: Sequence[Callable[[], Event]]) -> list[Event | Conflict]:
    """Run all calls from the same moment on, and return their results."""
    barrier = Barrier(len(tries))

    def attempt(one: Callable[[], Event]) -> Event | Conflict:
        barrier.wait()
        try:
            return one()
        except Conflict as told:
            return told

    with ThreadPoolExecutor(len(tries)) as pool:
        return list(pool.map(attempt, tries))


def winners_of(answers: Sequence[Event | Conflict]) -> list[Event]:
    assert all(answer.code == "slot_taken" for answer in answers if isinstance(answer, Conflict))
    return [answer for answer in answers if isinstance(answer, Event)]


def starts(bookings: BookingService, calendar: str) -> dict[str, datetime]:
    """Return the starts of the calendar's events."""
    known = bookings.calendars.events(bookings.calendars.find(calendar))
    return {event.id: instant_of(event.start, UTC_ZONE) for event in known}


@calendars
def test_one_instant_that_is_booked_by_different_wall_times_is_one_callers(
    rivals: list[BookingService], calendar: str
) -> None:
    for number in range(ROUNDS):
        tries = [
            partial(book_event, bookings, calendar, zone, 60 * number)
            for bookings, zone in zip(rivals, ZONES, strict=True)
        ]
        answers = at_once(tries)
        (event,) = winners_of(answers)
        assert starts(rivals[0], calendar)[event.id] == NINE + timedelta(hours=number)
    assert len(starts(rivals[0], calendar)) == ROUNDS


@calendars
def test_who_moves_to_an_instant_that_another_zone_books_stands_there_or_where_he_stood(
    rivals: list[BookingService], calendar: str
) -> None:
    berlin, new_york = rivals[:2]
    for number in range(ROUNDS):
        stood, wanted = 240 * number, 240 * number + 120
        mine = book_event(berlin, calendar, ZONES[0], stood)

        def moves(event: Event = mine, to: int = wanted) -> Event:
            start = on_clocks(to, ZONES[0])
            return berlin.reschedule(calendar, event.id, start, None).event

        def books(at: int = wanted) -> Event:
            return book_event(new_york, calendar, ZONES[1], at)

        (event,) = winners_of(at_once([moves, books]))
        standing = starts(new_york, calendar)
        assert standing[event.id] == NINE + timedelta(minutes=wanted)
        if event.id != mine.id:
            # The move is taken back whole: to the very instant, which nobody else can have.
            assert standing[mine.id] == NINE + timedelta(minutes=stood)
            with pytest.raises(Conflict):
                book_event(new_york, calendar, ZONES[1], stood)
        else:
            assert book_event(new_york, calendar, ZONES[1], stood).id in starts(berlin, calendar)


@calendars
def test_a_slot_that_a_move_gives_back_is_there_for_another_zone_and_then_not_for_who_left_it(
    rivals: list[BookingService], calendar: str
) -> None:
    berlin, new_york = rivals[:2]
    mine = book_event(berlin, calendar, ZONES[0], 0)
    berlin.reschedule(calendar, mine.id, on_clocks(120, ZONES[0]), None)
    back = at_once(
        [
            lambda: berlin.reschedule(calendar, mine.id, on_clocks(0, ZONES[0]), None).event,
            lambda: book_event(new_york, calendar, ZONES[1], 0),
        ]
    )
    (event,) = winners_of(back)
    standing = starts(berlin, calendar)
    assert standing[event.id] == NINE
    assert sorted(standing.values()) == ([NINE] if event.id == mine.id else [NINE, NINE + timedelta(hours=2)])
