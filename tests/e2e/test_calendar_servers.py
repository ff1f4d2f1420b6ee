"""Test bookings on CalDAV servers of other makes: discovery, synchronisation and races."""

from collections.abc import Generator
from pathlib import Path
from random import Random

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.booking.slots import slot_between
from almanac.families.calendar.model.events import Event, convert_to_zone
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.errors import Conflict, NotFound
from tests.integration.caldav.conftest import Account, open_account
from tests.integration.caldav.installations import (
    ROUND,
    WORK,
    check_rounds,
    events_at_server,
    hours,
    installations,
    slot,
)
from tests.integration.caldav.servers import SERVERS, USER


@pytest.fixture(params=SERVERS)
def account(request: pytest.FixtureRequest, repository: Path, tmp_path: Path) -> Generator[Account]:
    """An account with an empty calendar "work"."""
    folder = tmp_path / "server"
    folder.mkdir()
    with SERVERS[request.param](repository, folder) as url:
        http = HttpClient("The server", AddressBook(NetworkPolicy(private=True)))
        made = open_account(http, url, USER)
        yield made
        made.dav.send("DELETE", made.collection)
        http.close()


def elsewhere(account: Account, number: int, name: str) -> Event:
    """An event that another program makes in the slot of that number."""
    start, end = (convert_to_zone(each, UTC_ZONE) for each in hours(number, Random(1)))
    event = Event(id=name, uid=f"{name}@example.com", start=start, end=end, summary=name)
    account.provider.create(account.work, event)
    return event


def summaries(bookings: BookingService) -> list[str]:
    return [event.summary for event in bookings.calendars.events(bookings.calendars.find(WORK))]


def test_bookings_and_what_other_programs_enter_stay_in_step(account: Account, tmp_path: Path) -> None:
    with installations(tmp_path, account, 1) as (made,):
        bookings = made.bookings()
        booked = bookings.book(slot(0, Random(1))).event
        assert [event.id for event in events_at_server(account)] == [booked.id]
        elsewhere(account, 1, "theirs")
        with pytest.raises(Conflict, match="theirs"):
            bookings.book(slot(1, Random(1)))
        moved = bookings.reschedule(WORK, booked.id, slot(2, Random(1)).start, None)
        assert moved.event.start != booked.start
        with pytest.raises(Conflict, match="theirs"):
            bookings.reschedule(WORK, booked.id, slot(1, Random(1)).start, None)
        assert summaries(bookings) == ["theirs", "Round 0"]
        account.provider.delete(account.work, "theirs", None)
        assert bookings.reschedule(WORK, booked.id, slot(1, Random(1)).start, None)
        assert bookings.cancel(WORK, booked.id)
        assert events_at_server(account) == []
        assert summaries(bookings) == []


def test_of_clients_in_two_installations_at_most_one_books_and_the_others_are_told(
    account: Account, tmp_path: Path
) -> None:
    check_rounds(tmp_path, account, wanted=4, clients=8)


def test_a_calendar_that_is_deleted_and_made_again_has_no_ghosts(account: Account, tmp_path: Path) -> None:
    with installations(tmp_path, account, 1) as (made,):
        bookings = made.bookings()
        ghost = bookings.book(slot(0, Random(1))).event
        for _ in range(3):
            elsewhere(account, 1, "theirs")
            account.provider.delete(account.work, "theirs", None)
        assert account.dav.send("DELETE", account.collection).status in {200, 204}
        with pytest.raises(NotFound):
            bookings.calendars.writable(WORK)
        assert account.dav.send("MKCALENDAR", account.collection).status == 201
        new = elsewhere(account, 2, "new")
        bookings.calendars.writable(WORK)
        assert summaries(bookings) == ["new"]
        assert bookings.book(slot(0, Random(1))).event.id != ghost.id
        assert {event.summary for event in events_at_server(account)} == {new.summary, "Round 0"}


def test_what_stands_in_a_window_is_told_series_and_days_too(account: Account) -> None:
    single = elsewhere(account, 0, "single")
    series = replace(single, id="series", uid="series@example.com", rrule="FREQ=DAILY;COUNT=5", summary="series")
    account.provider.create(account.work, series)
    start, _ = hours(8, Random(1))
    window = slot_between(start, start + ROUND / 2)
    assert {one.event.summary for one in account.provider.current_events(account.work, window)} == {"series"}
