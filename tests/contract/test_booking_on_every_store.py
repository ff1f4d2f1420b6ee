"""Booking on every technology of the store: one of many clients gets a slot, all get slots of their own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from threading import Barrier

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.cache import CalendarCache
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock, SystemClock
from tests.contract.backends import Place
from tests.unit.families.calendar.rival import compete
from tests.unit.families.calendar.services import (
    NOW,
    REMOTE,
    FolderProvider,
    connect_remote,
    draft,
    minutes_by_event,
    open_bookings,
)

CLIENTS = 8
ROUNDS = 3


@pytest.fixture
def new_bookings(place: Place, scope: Scope, tmp_path: Path) -> Callable[[], BookingService]:
    """Opens a booking service with a store and a cache of its own, as in another process."""

    def open_service() -> BookingService:
        clock = SystemClock()
        return open_bookings(tmp_path, clock, store=place.open(clock), cache=CalendarCache(), patient=True, scope=scope)

    connect_remote(open_service())
    return open_service


@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_one_of_many_clients_gets_the_slot(new_bookings: Callable[[], BookingService], calendar: str, tmp_path: Path):
    rivals = [new_bookings() for _ in range(CLIENTS)]
    barrier = Barrier(CLIENTS)
    won: list[str] = []
    with ThreadPoolExecutor(CLIENTS) as pool:
        for number in range(ROUNDS):
            tries = [pool.submit(compete, bookings, calendar, number, barrier) for bookings in rivals]
            first, *others = [found for one in tries if (found := one.result()) is not None]
            assert not others
            won.append(first)

    assert sorted(minutes_by_event(new_bookings(), calendar)) == sorted(won)
    if calendar == REMOTE:
        assert sorted(event.id for event in FolderProvider(tmp_path / "provider").events()) == sorted(won)


def test_many_clients_get_slots_of_their_own_at_once(new_bookings: Callable[[], BookingService]):
    barrier = Barrier(CLIENTS)

    def take(place: tuple[int, BookingService]) -> str:
        barrier.wait()
        return place[1].book(draft(place[0] * 30)).event.id

    with ThreadPoolExecutor(CLIENTS) as pool:
        booked = set(pool.map(take, enumerate([new_bookings() for _ in range(CLIENTS)])))

    assert minutes_by_event(new_bookings()).keys() == booked
    assert len(booked) == CLIENTS


def test_a_booking_whose_process_died_is_found_by_recovery(place: Place, scope: Scope, tmp_path: Path):
    clock = FixedClock(NOW)
    dying = open_bookings(tmp_path, clock, store=place.open(clock), scope=scope, faults=_die)
    connect_remote(dying)
    with pytest.raises(Died):
        dying.book(draft(0, calendar=REMOTE))
    clock.instant += timedelta(seconds=31)
    bookings = open_bookings(tmp_path, clock, store=place.open(clock), scope=scope)

    assert bookings.recover().resolved == 1
    assert len(minutes_by_event(bookings, REMOTE)) == 1
    assert bookings.recover().resolved == 0


class Died(BaseException):
    """The process ends here."""


def _die(moment: str) -> None:
    if moment == "after_create":
        raise Died
