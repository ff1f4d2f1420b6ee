"""Bookings and holds that recur or last whole days, in a calendar that is kept here."""

from datetime import date, datetime, timedelta
from itertools import pairwise

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.booking.slots import HORIZON_MS, slots_of
from almanac.families.calendar.entries.event_lookup import find_event
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.families.time.core.zones import UTC_ZONE, find_zone
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.kernel.instants import instant_at, milliseconds
from tests.unit.families.calendar.services import NINE, NOW, draft, file, minutes_by_event

WEEKLY = "FREQ=WEEKLY;COUNT=10"
WEEK = timedelta(days=7)


def weekly(rule: str = WEEKLY, **changes: object) -> Draft:
    return replace(draft(0), recurrence=rule, **changes)


def days(first: int, last: int, **changes: object) -> Draft:
    whole = {"start": date(2026, 3, first), "end": date(2026, 3, last)}
    return replace(draft(0), **whole | changes)


def at(bookings: BookingService, start: datetime) -> list[str]:
    window = Interval(milliseconds(start), milliseconds(start + timedelta(minutes=30)))
    calendar = bookings.calendars.find("primary")
    return [one.filed.id for one in bookings.calendars.list_entries(calendar, window) if one.busy]


def test_each_instance_of_a_series_takes_its_time_on_the_clocks_of_the_zone(bookings: BookingService):
    # 09:00 UTC is 05:00 in New York, before the clocks go back as after it.
    booked = bookings.book(weekly("FREQ=WEEKLY;BYDAY=MO")).event

    assert at(bookings, NINE + 10 * WEEK) == [booked.id]
    assert at(bookings, NINE + 34 * WEEK) == []
    assert at(bookings, NINE + 34 * WEEK + timedelta(hours=1)) == [booked.id]
    with pytest.raises(Conflict, match=rf"event_id {booked.id}_20260330"):
        bookings.book(draft(14 * 24 * 60))


def test_a_series_is_booked_whole_or_not_at_all_and_told_what_it_meets(bookings: BookingService):
    for week in (2, 4, 5, 7):
        bookings.book(draft(week * 7 * 24 * 60, summary=f"Week {week}"))
    before = minutes_by_event(bookings)

    with pytest.raises(Conflict) as refused:
        bookings.book(weekly())

    said = str(refused.value)
    assert "4 instances of the series would overlap" in said
    assert 'Monday 2026-03-30T05:00:00-04:00 meets "Week 2"' in said
    assert '"Week 5"' in said
    assert '"Week 7"' not in said
    assert refused.value.code == "slot_taken"
    assert minutes_by_event(bookings) == before


def test_a_series_may_not_meet_another_one(bookings: BookingService):
    bookings.book(weekly("FREQ=WEEKLY;COUNT=60"))
    later = replace(weekly("FREQ=DAILY;COUNT=3"), start=NINE + 59 * WEEK - timedelta(days=1))
    with pytest.raises(Conflict, match="one instance of the series"):
        bookings.book(replace(later, end=later.start + timedelta(minutes=30)))
    bookings.book(replace(later, start=later.start + timedelta(hours=1), end=later.start + timedelta(hours=2)))


def test_an_endless_series_is_checked_for_two_years(bookings: BookingService):
    booked = bookings.book(weekly("FREQ=WEEKLY"))
    slots = slots_of(booked.event, find_zone("America/New_York"))

    assert slots.checked_until == milliseconds(NINE) + HORIZON_MS
    assert len(slots.instances) == 105
    assert slots_of(bookings.book(replace(weekly(), **_hour(1))).event, UTC_ZONE).checked_until is None
    far = draft(0)
    with pytest.raises(Conflict):
        bookings.book(replace(far, start=NINE + 300 * WEEK, end=NINE + 300 * WEEK + timedelta(hours=2)))


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("FREQ=MINUTELY;INTERVAL=45", "more than 2000 instances"),
        ("FREQ=SECONDLY", "more than 2000 instances"),
        ("FREQ=MINUTELY;INTERVAL=20;COUNT=5", "overlap each other"),
        ("FREQ=WEEKLY;BYDAY=TU", "2026-03-17T05:00:00: give that as start"),
        ("FREQ=WEEKLY;UNTIL=20250101T000000Z", "It names no time"),
        ("every monday", "is not NAME=VALUE"),
    ],
)
def test_a_rule_that_cannot_be_booked_is_refused(bookings: BookingService, rule: str, said: str):
    with pytest.raises(InvalidInput, match=said):
        bookings.book(weekly(rule))
    assert minutes_by_event(bookings) == {}


def test_whole_days_take_the_day_on_the_clocks_of_the_calendar(bookings: BookingService):
    booked = bookings.book(days(16, 18)).event

    assert (booked.start, booked.end) == (AllDay(date(2026, 3, 16)), AllDay(date(2026, 3, 18)))
    for minutes in (0, 40 * 60):
        with pytest.raises(Conflict):
            bookings.book(draft(minutes))
    bookings.book(draft(43 * 60))
    with pytest.raises(Conflict):
        bookings.book(days(17, 19))
    bookings.book(days(19, 20, recurrence="FREQ=WEEKLY;COUNT=3"))
    with pytest.raises(Conflict):
        bookings.book(days(26, 27))


@pytest.mark.parametrize(
    "changes",
    [
        {"end": date(2026, 3, 16)},
        {"end": date(2026, 3, 15)},
        {"end": NINE + timedelta(days=1)},
        {"start": NINE},
        {"start": date(1700, 1, 1), "end": date(1700, 1, 2)},
    ],
)
def test_days_that_are_none_are_refused(bookings: BookingService, changes: dict[str, object]):
    with pytest.raises(InvalidInput):
        bookings.book(days(16, 17, **changes))


def test_a_hold_keeps_each_instance_until_it_is_over_booked_or_released(bookings: BookingService, clock: FixedClock):
    held = bookings.hold("primary", NINE, NINE + timedelta(minutes=30), "Standup", 300, WEEKLY)
    day = bookings.hold("primary", date(2026, 3, 17), date(2026, 3, 18), "Fair", 300)

    with pytest.raises(Conflict, match='a hold "Standup"'):
        bookings.book(draft(21 * 24 * 60))
    with pytest.raises(Conflict, match='a hold "Fair"'):
        bookings.book(draft(36 * 60))
    busy = bookings.calendars.busy(
        bookings.calendars.find("primary"), Interval(milliseconds(NINE), milliseconds(NINE + 3 * WEEK))
    )
    assert instant_at(busy[-1].start) == NINE + 2 * WEEK
    bookings.book(weekly(hold_id=held.id))
    assert at(bookings, NINE + 3 * WEEK) != [held.id]
    assert bookings.release("primary", day.id)
    again = bookings.hold("primary", NINE + timedelta(hours=1), NINE + timedelta(hours=2), "", 300, WEEKLY)
    assert at(bookings, NINE + timedelta(hours=1) + WEEK) == [again.id]
    clock.instant += timedelta(seconds=301)
    assert at(bookings, NINE + timedelta(hours=1) + WEEK) == []
    bookings.book(draft(36 * 60))


def test_one_instance_is_taken_out_and_its_time_is_free(bookings: BookingService):
    booked = bookings.book(weekly()).event

    assert [bookings.cancel("primary", f"{booked.id}_20260323") for _ in range(2)] == [True, False]

    assert at(bookings, NINE + WEEK) == []
    assert at(bookings, NINE + 2 * WEEK) == [booked.id]
    bookings.book(draft(7 * 24 * 60))


def test_one_instance_moves_and_keeps_its_id(bookings: BookingService):
    booked = bookings.book(weekly(reminders=(10,))).event
    name = f"{booked.id}_20260323"

    moved = bookings.reschedule("primary", name, NINE + WEEK + timedelta(hours=2), None).event

    assert moved.id == name
    assert moved.alarms == booked.alarms
    assert at(bookings, NINE + WEEK) == []
    assert at(bookings, NINE + WEEK + timedelta(hours=2)) == [name]
    back = bookings.reschedule("primary", name, NINE + WEEK, None).event
    assert (back.id, at(bookings, NINE + WEEK)) == (name, [name])
    assert [bookings.cancel("primary", name) for _ in range(2)] == [True, False]
    assert at(bookings, NINE + WEEK) == []


def test_an_instance_does_not_move_onto_another_one_of_its_series_but_may_overlap_where_it_was(
    bookings: BookingService,
):
    booked = bookings.book(weekly()).event
    name = f"{booked.id}_20260323"

    with pytest.raises(Conflict, match=f"{booked.id}_20260330"):
        bookings.reschedule("primary", name, NINE + 2 * WEEK, None)
    bookings.reschedule("primary", name, NINE + WEEK + timedelta(minutes=10), None)


def test_a_cancelled_series_takes_all_that_differs_from_it_along(
    bookings: BookingService, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("almanac.families.calendar.booking.reader.AT_ONCE", 2)
    booked = bookings.book(weekly()).event
    for week in range(1, 7):
        name = f"{booked.id}_{NINE + week * WEEK:%Y%m%d}"
        bookings.reschedule("primary", name, NINE + week * WEEK + timedelta(hours=3), None)

    assert bookings.cancel("primary", booked.id)

    assert minutes_by_event(bookings) == {}
    assert find_event(bookings.calendars, bookings.calendars.find("primary"), f"{booked.id}_20260323") is None


def test_a_whole_series_is_not_moved_to_one_slot(bookings: BookingService):
    booked = bookings.book(weekly()).event

    with pytest.raises(InvalidInput, match="is the id of a whole series"):
        bookings.reschedule("primary", booked.id, NINE + timedelta(hours=1), None)


def test_whole_days_move_by_dates_and_become_times_only_where_an_end_is_said(bookings: BookingService):
    booked = bookings.book(days(16, 18)).event

    moved = bookings.reschedule("primary", booked.id, date(2026, 3, 20), None).event
    assert moved.end == AllDay(date(2026, 3, 22))
    with pytest.raises(InvalidInput, match="give end too"):
        bookings.reschedule("primary", booked.id, NINE, None)
    timed = bookings.reschedule("primary", booked.id, NINE, NINE + timedelta(hours=1)).event
    assert isinstance(timed.start, ZonedTime)
    assert at(bookings, NINE) == [booked.id]
    with pytest.raises(InvalidInput, match="give end too"):
        bookings.reschedule("primary", booked.id, date(2026, 3, 20), None)


def test_an_event_that_was_made_elsewhere_moves_with_all_that_it_says(bookings: BookingService):
    start, end = (ZonedTime(datetime(2026, 3, 16, hour), "Europe/Berlin") for hour in (9, 10))
    event = Event(
        id="e", uid="e@x", start=start, end=end, summary="X", attendees=("a@b.cd",), other=("X-FOO:1",), sequence=4
    )
    file(bookings, "primary", event)

    moved = bookings.reschedule("primary", "e", NINE, None).event

    assert moved.start == ZonedTime(datetime(2026, 3, 16, 10), "Europe/Berlin")
    kept = replace(moved, start=start, end=end, sequence=4, revision=0, updated=None, indexed=None)
    assert kept == event
    assert moved.sequence == 5


def test_a_free_event_moves_whatever_stands_there(bookings: BookingService):
    start, end = (ZonedTime(datetime(2026, 3, 16, hour), "UTC") for hour in (5, 6))
    file(bookings, "primary", Event(id="f", uid="f", start=start, end=end, transparent=True))
    bookings.book(draft(0))

    bookings.reschedule("primary", "f", NINE, None)


def test_instances_found_are_in_order_and_apart(bookings: BookingService):
    slots = slots_of(bookings.book(weekly("FREQ=DAILY;COUNT=500")).event, UTC_ZONE).instances

    assert len(slots) == 500
    assert all(one.end <= following.start for one, following in pairwise(slots))
    assert instant_at(slots[0].start) > NOW


def _hour(hours: int) -> dict[str, datetime]:
    start = NINE + timedelta(hours=hours)
    return {"start": start, "end": start + timedelta(minutes=30)}
