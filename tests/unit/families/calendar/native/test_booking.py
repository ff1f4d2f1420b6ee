"""Bookings in a calendar that is kept here."""

from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.provider_gateway import NoProviders
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, Unavailable
from tests.unit.families.calendar.services import NINE, draft, file, minutes_by_event, open_bookings


def test_a_booked_slot_stands(bookings: BookingService):
    booked = bookings.book(draft(0))

    assert minutes_by_event(bookings) == {booked.event.id: (0, 30)}


def test_a_booking_carries_the_local_time_of_its_calendar(bookings: BookingService):
    booked = bookings.book(draft(0))

    assert booked.event.start == ZonedTime((NINE - timedelta(hours=4)).replace(tzinfo=None), "America/New_York")


@pytest.mark.parametrize(("minutes", "length"), [(0, 30), (-10, 20), (20, 60), (-30, 120), (10, 5)])
def test_a_slot_that_overlaps_another_is_refused_and_the_other_named(
    bookings: BookingService, minutes: int, length: int
):
    bookings.book(draft(0, summary="Standup"))

    with pytest.raises(Conflict) as refused:
        bookings.book(draft(minutes, length))

    assert refused.value.code == "slot_taken"
    assert '"Standup", Monday 2026-03-16T05:00:00-04:00 to Monday 2026-03-16T05:30:00-04:00' in refused.value.message
    assert len(minutes_by_event(bookings)) == 1


def test_slots_that_touch_do_not_overlap(bookings: BookingService):
    bookings.book(draft(0))
    bookings.book(draft(30))
    bookings.book(draft(-30))

    assert len(minutes_by_event(bookings)) == 3


def test_a_refusal_offers_the_next_free_slot_of_the_same_length(bookings: BookingService):
    bookings.book(draft(0))
    bookings.book(draft(45))

    with pytest.raises(Conflict) as refused:
        bookings.book(draft(0))

    assert "begins Monday 2026-03-16T06:15:00-04:00" in refused.value.hint


def test_an_end_before_the_start_is_refused(bookings: BookingService):
    with pytest.raises(InvalidInput):
        bookings.book(draft(0, -30))


def test_an_instance_of_a_series_is_in_the_way(bookings: BookingService):
    start = ZonedTime((NINE - timedelta(days=14)).replace(tzinfo=None), "UTC")
    end = ZonedTime((NINE - timedelta(days=14, minutes=-30)).replace(tzinfo=None), "UTC")
    file(bookings, "primary", Event(id="s", uid="s", start=start, end=end, rrule="FREQ=WEEKLY", summary="Weekly"))

    with pytest.raises(Conflict, match="Weekly"):
        bookings.book(draft(15))
    bookings.book(draft(30))


def test_an_all_day_event_is_in_the_way_on_the_days_of_the_calendars_zone(bookings: BookingService):
    day = AllDay(NINE.date())
    file(bookings, "primary", Event(id="d", uid="d", start=day, end=AllDay(day.day + timedelta(days=1))))

    with pytest.raises(Conflict):
        bookings.book(draft(0))
    # 03:30 UTC is 23:30 of the day before in New York.
    bookings.book(draft(-330))


@pytest.mark.parametrize("change", [{"transparent": True}, {"status": "cancelled"}])
def test_events_that_take_no_time_are_not_in_the_way(bookings: BookingService, change: dict[str, object]):
    start, end = (ZonedTime((NINE + timedelta(minutes=m)).replace(tzinfo=None), "UTC") for m in (0, 30))
    file(bookings, "primary", replace(Event(id="e", uid="e", start=start, end=end), **change))

    bookings.book(draft(0))


def test_an_event_longer_than_a_day_is_in_the_way_to_its_last_hour(bookings: BookingService):
    bookings.book(draft(0, 5 * 24 * 60))

    with pytest.raises(Conflict):
        bookings.book(draft(5 * 24 * 60 - 30))
    bookings.book(draft(5 * 24 * 60))


def test_the_same_idempotency_key_books_once(bookings: BookingService):
    first = bookings.book(draft(0, idempotency_key="k"))
    second = bookings.book(draft(0, idempotency_key="k"))

    assert (first.replayed, second.replayed) == (False, True)
    assert first.event.id == second.event.id
    assert len(minutes_by_event(bookings)) == 1


def test_an_idempotency_key_is_not_for_another_booking(bookings: BookingService):
    bookings.book(draft(0, idempotency_key="k"))

    with pytest.raises(Conflict) as refused:
        bookings.book(draft(60, idempotency_key="k"))

    assert refused.value.code == "idempotency_key_reused"


def test_a_key_whose_booking_was_refused_can_be_used_again(bookings: BookingService):
    other = bookings.book(draft(0))
    with pytest.raises(Conflict):
        bookings.book(draft(0, idempotency_key="k"))
    bookings.cancel("primary", other.event.id)

    assert not bookings.book(draft(0, idempotency_key="k")).replayed


def test_calendars_do_not_stand_in_each_others_way(bookings: BookingService):
    room = replace(bookings.calendars.find("primary"), id="room", name="Room", primary=False)
    bookings.calendars.create(room)

    bookings.book(draft(0))
    bookings.book(draft(0, calendar="room"))


def test_a_calendar_that_can_only_be_read_is_not_booked(bookings: BookingService):
    shared = replace(bookings.calendars.find("primary"), id="shared", access_role="reader", primary=False)
    bookings.calendars.create(shared)

    with pytest.raises(Forbidden):
        bookings.book(draft(0, calendar="shared"))


def test_two_services_with_caches_see_each_others_bookings(tmp_path: Path, clock: FixedClock):
    one, other = open_bookings(tmp_path, clock), open_bookings(tmp_path, clock)
    one.book(draft(0))
    minutes_by_event(one)
    other.book(draft(60))

    assert minutes_by_event(one) == minutes_by_event(other)
    with pytest.raises(Conflict):
        one.book(draft(60))


def test_a_lock_lasts_between_five_and_three_hundred_seconds(bookings: BookingService):
    with pytest.raises(InvalidInput):
        BookingService(
            bookings.calendars, actor="a", random_bytes=bookings.random_bytes, backoff=bookings.backoff, lock_seconds=4
        )


def test_a_provider_that_is_not_connected_is_named_and_native_calendars_go_on(tmp_path: Path, clock: FixedClock):
    bookings = open_bookings(tmp_path, clock)
    bookings.calendars.gateway = NoProviders()
    away = replace(bookings.calendars.find("primary"), id="caldav/home", provider="caldav", primary=False)
    bookings.calendars.create(away)

    with pytest.raises(Unavailable, match="caldav"):
        bookings.book(draft(0, calendar="caldav/home"))
    bookings.book(draft(0))


def test_who_is_invited_is_asked_for_an_answer(bookings: BookingService):
    booked = bookings.book(replace(draft(0), attendees=("ann@example.com",))).event

    lines = write_events([booked]).replace(b"\r\n ", b"").decode().splitlines()

    (line,) = [one for one in lines if one.startswith("ATTENDEE")]
    name, *parameters = line.partition(":mailto:")[0].split(";")
    assert (name, set(parameters)) == ("ATTENDEE", {"PARTSTAT=NEEDS-ACTION", "RSVP=TRUE"})
    assert line.endswith(":mailto:ann@example.com")
