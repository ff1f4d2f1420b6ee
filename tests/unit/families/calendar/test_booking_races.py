"""Many clients want one slot at once, in threads and in processes that may be killed: exactly one gets it.

ALMANAC_RACE_ROUNDS=50 runs more rounds.
"""

import os
import random
import time
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from threading import Barrier

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock, SystemClock
from tests.unit.families.calendar.rival import ROUND_MINUTES, compete
from tests.unit.families.calendar.rivals import rivals, winners_of_processes, winners_of_threads
from tests.unit.families.calendar.services import (
    REMOTE,
    FolderProvider,
    connect_remote,
    minutes_by_event,
    open_bookings,
    open_store,
)

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "8"))
CLIENTS = 20


@pytest.fixture
def bookings(tmp_path: Path) -> Iterator[BookingService]:
    store = open_store(tmp_path, SystemClock())
    bookings = open_bookings(tmp_path, SystemClock(), store=store)
    connect_remote(bookings)
    yield bookings
    store.close()


@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_one_of_twenty_threads_gets_the_slot(bookings: BookingService, tmp_path: Path, calendar: str):
    won = winners_of_threads(tmp_path, calendar, CLIENTS, ROUNDS)

    assert sorted(minutes_by_event(bookings, calendar)) == sorted(won)


@pytest.mark.slow
@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_one_of_twenty_clients_in_two_processes_gets_the_slot(bookings: BookingService, tmp_path: Path, calendar: str):
    won = winners_of_processes(tmp_path, calendar, CLIENTS // 2, ROUNDS)

    assert sorted(minutes_by_event(bookings, calendar)) == sorted(won)
    if calendar == REMOTE:
        assert sorted(won) == sorted(event.id for event in FolderProvider(tmp_path / "provider").events())


@pytest.mark.slow
@pytest.mark.parametrize("calendar", ["primary", REMOTE])
def test_killing_one_of_two_processes_leaves_no_double_booking_no_lock_and_no_orphan(
    bookings: BookingService, tmp_path: Path, calendar: str
):
    with rivals(tmp_path, calendar, 5, 8) as survivor:
        for number in range(max(4, ROUNDS // 2)):
            with rivals(tmp_path, calendar, 5, 8) as victim:
                survivor.start(number)
                victim.start(number)
                time.sleep(random.random() * 0.02)
                victim.kill()
                won = survivor.winners()
            later = _after_the_lock(tmp_path)
            in_round = [
                key for key, span in minutes_by_event(later, calendar).items() if span[0] // ROUND_MINUTES == number
            ]

            assert len(in_round) <= 1
            assert set(won) <= set(in_round)
            assert _is_bookable(later, calendar, number) != bool(in_round)
            if calendar == REMOTE:
                at_provider = [event.id for event in FolderProvider(tmp_path / "provider").events()]
                assert sorted(minutes_by_event(later, calendar)) == sorted(at_provider)

    spans = sorted(minutes_by_event(bookings, calendar).values())
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def _after_the_lock(folder: Path) -> BookingService:
    """The service at a time when every lock of now has expired, and everything was looked at twice."""
    clock = FixedClock(SystemClock().now())
    bookings = open_bookings(folder, clock)
    for _ in range(3):
        clock.instant += timedelta(seconds=31)
        assert not bookings.recover().failed
    return bookings


def _is_bookable(bookings: BookingService, calendar: str, number: int) -> bool:
    """Whether the slot of the round can be booked now; it is then."""
    return compete(bookings, calendar, number, Barrier(1)) is not None
