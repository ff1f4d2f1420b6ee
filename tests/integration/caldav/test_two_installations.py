"""Bookings in one remote calendar by clients that do not know of each other."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from almanac.families.calendar.booking.slots import slot_between
from almanac.families.calendar.entries.records import Operation
from almanac.families.calendar.model.events import Event, convert_to_zone
from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.port import ProviderCopy, RemoteCalendar
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.errors import Conflict
from tests.integration.caldav.conftest import Account
from tests.integration.caldav.installations import (
    WORK,
    check_rounds,
    events_at_server,
    hours,
    installations,
    overlapping_pairs,
    race,
    slot,
)


def test_of_clients_in_two_installations_at_most_one_books_and_the_others_are_told(
    account: Account, tmp_path: Path
) -> None:
    check_rounds(tmp_path, account, wanted=4, clients=8)


def test_three_installations_do_not_stand_in_one_time_either(account: Account, tmp_path: Path) -> None:
    check_rounds(tmp_path, account, wanted=2, clients=6, number=3)


def outside(account: Account, name: str) -> None:
    """Another program puts an event into the middle of the first slot."""
    start, end = hours(0, Random(1))
    inner = (
        convert_to_zone(start + timedelta(minutes=5), UTC_ZONE),
        convert_to_zone(end - timedelta(minutes=5), UTC_ZONE),
    )
    event = Event(id=name, uid=f"{name}@example.com", start=inner[0], end=inner[1], summary="From elsewhere")
    account.provider.create(account.work, event)


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_event_from_elsewhere_in_the_moment_of_the_booking_is_met(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    draft = slot(0, Random(1))
    write = CalDavProvider.create

    def write_in_race(self: CalDavProvider, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        if self is account.provider:
            return write(self, calendar, event)
        if moment == "before":
            outside(account, "elsewhere")
        written = write(self, calendar, event)
        if moment == "after":
            outside(account, "elsewhere")
        return written

    with installations(tmp_path, account, 1) as (made,):
        monkeypatch.setattr(CalDavProvider, "create", write_in_race)
        with pytest.raises(Conflict, match="From elsewhere") as told:
            made.bookings().book(draft)
    assert told.value.code == "slot_taken"
    assert [event.summary for event in events_at_server(account)] == ["From elsewhere"]


@pytest.mark.slow
def test_bookings_that_two_installations_move_to_one_slot_do_not_meet_there(account: Account, tmp_path: Path) -> None:
    with installations(tmp_path, account, 2) as made, ThreadPoolExecutor(2) as pool:
        rivals = [each.bookings() for each in made]
        for number in range(4):
            booked = [
                bookings.book(slot(10 * number + place, Random(place))).event for place, bookings in enumerate(rivals)
            ]
            target, _ = hours(10 * number + 5, Random(3))

            def move(place: int, booked: list[Event] = booked, target: datetime = target) -> bool:
                try:
                    rivals[place].reschedule(WORK, booked[place].id, target, None)
                except Conflict:
                    return False
                return True

            moved = list(pool.map(move, range(2)))
            there = [
                event
                for event in events_at_server(account)
                if event.start == convert_to_zone(target, find_zone("Europe/Berlin"))
            ]
            assert len(there) == sum(moved) <= 1
            assert overlapping_pairs(events_at_server(account)) == []
            assert {event.id for event in booked} <= {event.id for event in events_at_server(account)}


def test_a_booking_whose_process_died_before_it_looked_again_gives_way_when_it_is_recovered(
    account: Account, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Died(BaseException):
        pass

    def dies(*_: object) -> None:
        raise Died

    draft = slot(0, Random(1))
    with installations(tmp_path, account, 1) as (made,):
        bookings = made.bookings()
        with monkeypatch.context() as patched:
            patched.setattr(CalDavProvider, "current_events", dies)
            with pytest.raises(Died):
                bookings.book(draft)
        outside(account, "elsewhere")
        calendar = bookings.calendars.find(WORK)
        window = slot_between(*hours(0, Random(1)))
        (left,) = [
            one.record for one in bookings.calendars.list_entries(calendar, window) if isinstance(one.record, Operation)
        ]
        bookings.operations.resolve(calendar, left)
        with pytest.raises(Conflict, match="From elsewhere"):
            bookings.book(draft)
    assert [event.summary for event in events_at_server(account)] == ["From elsewhere"]


def test_two_that_want_disjoint_slots_both_get_them(account: Account, tmp_path: Path) -> None:
    with installations(tmp_path, account, 2) as made, ThreadPoolExecutor(2) as pool:
        rivals = [each.bookings() for each in made]
        told = race(pool, rivals, [slot(0, Random(1)), slot(1, Random(1))])
    assert all(isinstance(one, Event) for one in told), told
    assert [event.summary for event in events_at_server(account)] == ["Round 0", "Round 1"]
