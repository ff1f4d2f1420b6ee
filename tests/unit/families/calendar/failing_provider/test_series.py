"""Series and their instances in a calendar whose provider fails as planned."""

from contextlib import nullcontext, suppress
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, convert_to_zone, instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, Unavailable
from almanac.kernel.instants import milliseconds
from tests.unit.families.calendar.failing_provider.faults import (
    Failure,
    Faults,
    ProcessKilled,
    down,
    recover_repeatedly,
)
from tests.unit.families.calendar.services import NINE, REMOTE, FolderProvider, draft, file, open_bookings

WEEK = timedelta(days=7)
LATER = NINE + WEEK + timedelta(hours=2)


@pytest.fixture
def series(bookings: BookingService) -> Event:
    return bookings.book(replace(draft(0, calendar=REMOTE), recurrence="FREQ=WEEKLY;COUNT=4")).event


def starts(bookings: BookingService) -> list[int]:
    """Hours after NINE at which something begins that takes time."""
    nine = milliseconds(NINE)
    month = Interval(nine, milliseconds(NINE + 5 * WEEK))
    shown = bookings.calendars.list_entries(bookings.calendars.find(REMOTE), month)
    return [(one.start - nine) // 3_600_000 for one in shown if one.busy]


def provider_events(folder: Path) -> list[Event]:
    return FolderProvider(folder / "provider").events()


def test_while_a_series_is_being_booked_its_instances_are_taken_and_the_time_between_is_not(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    seen: list[list[int]] = []
    refused: list[str] = []

    def look() -> None:
        other = open_bookings(tmp_path, clock)
        seen.append(starts(other))
        other.book(draft(24 * 60, calendar=REMOTE))
        with pytest.raises(Conflict) as pending:
            other.book(draft(7 * 24 * 60, calendar=REMOTE))
        refused.append(pending.value.code)

    faults.plan("before_create", look)
    bookings.book(replace(draft(0, calendar=REMOTE), recurrence="FREQ=WEEKLY;COUNT=4"))

    assert seen == [[0, 168, 336, 504]]
    assert refused == ["slot_pending"]
    assert starts(bookings) == [0, 24, 168, 336, 504]


def test_an_instance_moves_and_goes_here_and_at_the_provider(bookings: BookingService, series: Event, tmp_path: Path):
    moved = bookings.reschedule(REMOTE, f"{series.id}_20260323", LATER, None).event

    assert moved.id == f"{series.id}_20260323T090000Z"
    assert starts(bookings) == [0, 170, 336, 504]
    assert {event.id for event in provider_events(tmp_path)} == {series.id, moved.id}
    assert [bookings.cancel(REMOTE, moved.id), bookings.cancel(REMOTE, moved.id)] == [True, False]
    assert [bookings.cancel(REMOTE, f"{series.id}_20260330") for _ in range(2)] == [True, False]
    assert starts(bookings) == [0, 504]
    (left,) = provider_events(tmp_path)
    assert len(left.exdates) == 2
    assert bookings.cancel(REMOTE, series.id)
    assert starts(bookings) == []
    assert provider_events(tmp_path) == []


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
@pytest.mark.parametrize("how", [down, ProcessKilled, lambda: Forbidden("No.", "Ask.")])
def test_a_move_of_an_instance_that_failed_leaves_it_once(
    bookings: BookingService, series: Event, faults: Faults, clock: FixedClock, moment: str, how: Failure
):
    faults.plan(moment, how())
    done = moment == "after_update" and how in (down, ProcessKilled)
    with nullcontext() if done and how is down else pytest.raises((Unavailable, ProcessKilled, Forbidden)):
        bookings.reschedule(REMOTE, f"{series.id}_20260323", LATER, None)

    recover_repeatedly(bookings, clock)

    assert starts(bookings) == [0, 170 if done else 168, 336, 504]
    bookings.reschedule(REMOTE, f"{series.id}_20260323", LATER + timedelta(hours=1), None)
    assert starts(bookings) == [0, 171, 336, 504]


@pytest.mark.parametrize("moment", ["before_delete", "after_delete"])
@pytest.mark.parametrize("how", [down, ProcessKilled])
def test_an_instance_that_was_to_be_cancelled_goes_once_the_provider_answers(
    bookings: BookingService, series: Event, faults: Faults, clock: FixedClock, moment: str, how: Failure
):
    faults.plan(moment, how())
    with nullcontext() if how is down else pytest.raises(ProcessKilled):
        bookings.cancel(REMOTE, f"{series.id}_20260323")

    recover_repeatedly(bookings, clock)

    assert starts(bookings) == [0, 336, 504]
    assert bookings.cancel(REMOTE, f"{series.id}_20260323") is False


def test_an_instance_that_the_provider_keeps_stands_as_it_stood(
    bookings: BookingService, series: Event, faults: Faults
):
    faults.plan("before_delete", Forbidden("No.", "Ask its owner."))

    with pytest.raises(Forbidden):
        bookings.cancel(REMOTE, f"{series.id}_20260323")

    assert starts(bookings) == [0, 168, 336, 504]
    assert bookings.cancel(REMOTE, f"{series.id}_20260323")


@pytest.mark.parametrize("moment", ["before_create", "after_create"])
@pytest.mark.parametrize("how", [down, ProcessKilled])
def test_a_series_whose_booking_failed_stands_whole_or_not_at_all(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, how: Failure
):
    faults.plan(moment, how())
    stands = moment == "after_create"
    with nullcontext() if stands and how is down else pytest.raises((Unavailable, ProcessKilled)):
        bookings.book(replace(draft(0, calendar=REMOTE), recurrence="FREQ=WEEKLY;COUNT=4"))

    recover_repeatedly(bookings, clock)

    assert starts(bookings) == ([0, 168, 336, 504] if stands else [])
    assert len(provider_events(tmp_path)) == int(stands)


def test_an_event_made_at_the_provider_is_moved_and_cancelled(bookings: BookingService, tmp_path: Path):

    booked = bookings.book(draft(0, calendar="primary")).event
    made = replace(booked, id="abc", uid="abc@google.com", summary="Theirs")
    provider = FolderProvider(tmp_path / "provider")
    etag = provider.create(bookings.calendars.find(REMOTE).at_provider(), made).etag
    file(bookings, REMOTE, replace(made, etag=etag))

    bookings.reschedule(REMOTE, "abc", NINE + timedelta(hours=3), None)
    assert starts(bookings) == [3]
    assert [event.summary for event in provider_events(tmp_path)] == ["Theirs"]
    file(bookings, REMOTE, replace(made, etag="old"))
    with pytest.raises(Conflict):
        bookings.reschedule(REMOTE, "abc", NINE + timedelta(hours=5), None)
    assert bookings.cancel(REMOTE, "abc")
    assert provider_events(tmp_path) == []


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
@pytest.mark.parametrize("how", [down, ProcessKilled])
def test_a_move_of_a_series_that_failed_leaves_it_whole_in_one_place(
    bookings: BookingService,
    series: Event,
    faults: Faults,
    clock: FixedClock,
    tmp_path: Path,
    moment: str,
    how: Failure,
):
    faults.plan(moment, how())
    with suppress(Unavailable, ProcessKilled):
        bookings.reschedule(REMOTE, series.id, NINE + timedelta(hours=2), None)

    recover_repeatedly(bookings, clock)

    here = starts(bookings)
    assert here in ([0, 168, 336, 504], [2, 170, 338, 506])
    (there,) = provider_events(tmp_path)
    assert (instant_of(there.start, UTC_ZONE) - NINE) // timedelta(hours=1) == here[0]
    bookings.reschedule(REMOTE, series.id, NINE + timedelta(hours=4), None)
    assert starts(bookings) == [4, 172, 340, 508]


def test_while_a_series_moves_its_old_and_new_slots_are_taken(
    bookings: BookingService, series: Event, faults: Faults, clock: FixedClock, tmp_path: Path
):
    refused: list[str] = []

    def look() -> None:
        other = open_bookings(tmp_path, clock)
        for minutes in (7 * 24 * 60, 7 * 24 * 60 + 120):
            with pytest.raises(Conflict) as taken:
                other.book(draft(minutes, calendar=REMOTE))
            refused.append(taken.value.code)

    faults.plan("before_update", look)
    bookings.reschedule(REMOTE, series.id, NINE + timedelta(hours=2), None)
    assert refused == ["slot_taken", "slot_pending"]
    assert starts(bookings) == [2, 170, 338, 506]


def test_a_series_does_not_move_over_what_another_program_writes_meanwhile(
    bookings: BookingService, series: Event, faults: Faults, tmp_path: Path
):
    provider = FolderProvider(tmp_path / "provider")

    def rival() -> None:
        at = NINE + WEEK + timedelta(hours=2)
        made = Event(
            id="rival",
            uid="rival",
            start=convert_to_zone(at, UTC_ZONE),
            end=convert_to_zone(at + timedelta(hours=1), UTC_ZONE),
        )
        provider.create(bookings.calendars.find(REMOTE).at_provider(), made)

    faults.plan("after_update", rival)
    with pytest.raises(Conflict):
        bookings.reschedule(REMOTE, series.id, NINE + timedelta(hours=2), None)
    assert {event.id: instant_of(event.start, UTC_ZONE) for event in provider_events(tmp_path)}[series.id] == NINE
