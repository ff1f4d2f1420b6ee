"""Another event in the time of a booking: met right after the write, or when a crash is mended."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.events import AllDay, Event, convert_to_zone
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Unavailable
from tests.unit.families.calendar.failing_provider.faults import (
    Faults,
    ProcessKilled,
    at_provider,
    down,
    recover_repeatedly,
)
from tests.unit.families.calendar.services import (
    NINE,
    REMOTE,
    FolderProvider,
    connect_remote,
    draft,
    minutes_by_event,
    open_bookings,
)

FIRST_ID, LAST_ID = "0" * 26, "v" * 26


def theirs(minutes: int, until: int) -> Event:
    """So many minutes after NINE."""
    start, end = (convert_to_zone(NINE + timedelta(minutes=each), UTC_ZONE) for each in (minutes, until))
    return Event(id="", uid="", summary="Theirs", start=start, end=end)


THEIRS = theirs(10, 25)


def put(folder: Path, event_id: str, event: Event = THEIRS, *, ours: bool = False) -> None:
    """Put another program's event into the provider's calendar, ten minutes after NINE by default."""
    event = replace(event, id=event_id, uid=f"{event_id}@almanac" if ours else f"{event_id}@example.com")
    bookings = open_bookings(folder, FixedClock(NINE))
    FolderProvider(folder / "provider").create(bookings.calendars.find(REMOTE).at_provider(), event)


@pytest.mark.parametrize("event_id", [FIRST_ID, LAST_ID])
@pytest.mark.parametrize("ours", [True, False])
def test_a_booking_gives_way_to_what_stands_beside_it_and_stays(
    bookings: BookingService, faults: Faults, tmp_path: Path, event_id: str, ours: bool
):
    faults.plan("before_look", lambda: put(tmp_path, event_id, ours=ours))

    with pytest.raises(Conflict, match=r'"Theirs".*overlaps the slot') as told:
        bookings.book(draft(0, calendar=REMOTE, idempotency_key="k"))

    assert told.value.code == "slot_taken"
    assert at_provider(tmp_path).keys() == {event_id}
    assert minutes_by_event(bookings, REMOTE) == {}


def test_the_earlier_of_two_waits_for_the_later_one_to_go(bookings: BookingService, faults: Faults, tmp_path: Path):
    faults.plan("before_look", lambda: put(tmp_path, LAST_ID, ours=True))
    faults.plan("before_look", (tmp_path / "provider" / LAST_ID).unlink)
    written: list[str] = []
    faults.plan("after_create", *[lambda: written.append("ours")] * 3)

    booked = bookings.book(draft(0, calendar=REMOTE))

    assert at_provider(tmp_path) == minutes_by_event(bookings, REMOTE) == {booked.event.id: (0, 30)}
    assert written == ["ours"]  # and was not taken back meanwhile


@pytest.mark.parametrize(
    ("event_id", "ours"),
    [
        pytest.param(FIRST_ID, True, id="an earlier booking"),
        pytest.param(FIRST_ID, False, id="an event of another program"),
        pytest.param(LAST_ID, False, id="a later event of another program"),
    ],
)
def test_nobody_waits_for_what_does_not_go(
    bookings: BookingService, faults: Faults, tmp_path: Path, event_id: str, ours: bool
):
    looks: list[str] = []
    faults.plan("before_look", lambda: put(tmp_path, event_id, ours=ours), *[lambda: looks.append("look")] * 20)

    with pytest.raises(Conflict):
        bookings.book(draft(0, calendar=REMOTE))

    assert len(looks) == 3  # one for each further try


def test_a_slot_that_is_free_again_after_both_gave_way_is_booked(
    bookings: BookingService, faults: Faults, tmp_path: Path
):
    faults.plan("before_look", lambda: put(tmp_path, FIRST_ID, ours=True))
    faults.plan("after_delete", (tmp_path / "provider" / FIRST_ID).unlink)

    booked = bookings.book(draft(0, calendar=REMOTE, idempotency_key="k"))

    assert at_provider(tmp_path) == {booked.event.id: (0, 30)}
    assert bookings.book(draft(0, calendar=REMOTE, idempotency_key="k")).replayed


@pytest.mark.parametrize(
    "event",
    [replace(THEIRS, transparent=True), replace(THEIRS, status="cancelled"), theirs(30, 60)],
)
def test_what_takes_no_time_or_only_touches_is_in_nobodys_way(
    bookings: BookingService, faults: Faults, tmp_path: Path, event: Event
):
    faults.plan("before_look", lambda: put(tmp_path, FIRST_ID, event))

    assert bookings.book(draft(0, calendar=REMOTE)).event.id in at_provider(tmp_path)


@pytest.mark.parametrize(
    "event",
    [
        replace(THEIRS, start=AllDay(NINE.date()), end=AllDay(NINE.date() + timedelta(days=1))),
        replace(
            THEIRS,
            rrule="FREQ=DAILY;COUNT=60",
            start=convert_to_zone(datetime(2026, 2, 1, 9, tzinfo=UTC), UTC_ZONE),
            end=convert_to_zone(datetime(2026, 2, 1, 10, tzinfo=UTC), UTC_ZONE),
        ),
    ],
)
def test_whole_days_and_series_are_met_too(bookings: BookingService, faults: Faults, tmp_path: Path, event: Event):
    faults.plan("before_look", lambda: put(tmp_path, FIRST_ID, event))

    with pytest.raises(Conflict):
        bookings.book(draft(0, calendar=REMOTE))

    assert at_provider(tmp_path).keys() == {FIRST_ID}


def test_a_move_gives_way_and_the_booking_stands_where_it_stood(
    bookings: BookingService, faults: Faults, tmp_path: Path
):
    booked = bookings.book(draft(0, calendar=REMOTE)).event
    faults.plan("before_look", lambda: put(tmp_path, LAST_ID, theirs(130, 145), ours=True))

    with pytest.raises(Conflict, match="Theirs"):
        bookings.reschedule(REMOTE, booked.id, NINE + timedelta(hours=2), None)

    assert at_provider(tmp_path)[booked.id] == (0, 30)
    assert minutes_by_event(bookings, REMOTE) == {booked.id: (0, 30)}


def test_a_hold_is_kept_where_its_booking_gave_way(bookings: BookingService, faults: Faults, tmp_path: Path):
    held = bookings.hold(REMOTE, NINE, NINE + timedelta(minutes=30), "", 300)
    faults.plan("before_look", lambda: put(tmp_path, FIRST_ID))
    with pytest.raises(Conflict, match="Theirs"):
        bookings.book(draft(0, calendar=REMOTE, hold_id=held.id))
    (tmp_path / "provider" / FIRST_ID).unlink()

    with pytest.raises(Conflict, match="a hold"):
        bookings.book(draft(0, calendar=REMOTE))
    bookings.book(draft(0, calendar=REMOTE, hold_id=held.id))


@pytest.mark.parametrize("taken", [True, False])
def test_a_booking_of_which_the_provider_does_not_say_whether_it_stands_alone_is_looked_at_again(
    bookings: BookingService, faults: Faults, tmp_path: Path, taken: bool
):
    faults.plan("before_look", down())
    if taken:
        faults.plan("before_look", lambda: put(tmp_path, LAST_ID))

    if taken:
        with pytest.raises(Conflict, match="Theirs"):
            bookings.book(draft(0, calendar=REMOTE))
        assert at_provider(tmp_path).keys() == {LAST_ID}
    else:
        booked = bookings.book(draft(0, calendar=REMOTE))
        assert at_provider(tmp_path) == minutes_by_event(bookings, REMOTE) == {booked.event.id: (0, 30)}


def test_a_booking_that_nobody_can_look_at_is_unknown_until_somebody_can(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("before_look", down(), down())
    with pytest.raises(OutcomeUnknown):
        bookings.book(draft(0, calendar=REMOTE))
    put(tmp_path, LAST_ID)

    recover_repeatedly(bookings, clock)

    assert at_provider(tmp_path).keys() == {LAST_ID}
    assert minutes_by_event(bookings, REMOTE) == {}


@pytest.mark.parametrize("taken", [True, False])
def test_recovery_looks_before_it_lets_a_booking_stand(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, taken: bool
):
    faults.plan("before_look", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(draft(0, calendar=REMOTE))
    (left,) = at_provider(tmp_path)
    if taken:
        put(tmp_path, LAST_ID)

    recover_repeatedly(bookings, clock)

    assert at_provider(tmp_path).keys() == ({LAST_ID} if taken else {left})
    assert minutes_by_event(bookings, REMOTE).keys() == (set() if taken else {left})


def test_what_could_not_be_taken_back_at_once_is_taken_back_by_recovery(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("before_look", lambda: put(tmp_path, FIRST_ID))
    faults.plan("before_delete", down())
    faults.plan("before_create", lambda: None, *[down()] * 9)
    with pytest.raises((Conflict, Unavailable)):
        bookings.book(draft(0, calendar=REMOTE))
    assert len(at_provider(tmp_path)) == 2

    recover_repeatedly(bookings, clock)

    assert at_provider(tmp_path).keys() == {FIRST_ID}
    assert minutes_by_event(bookings, REMOTE) == {}


def test_two_services_that_share_a_store_take_turns_and_need_no_second_look_at_each_other(tmp_path: Path):
    clock = FixedClock(NINE - timedelta(days=10))
    first, second = open_bookings(tmp_path, clock), open_bookings(tmp_path, clock)
    connect_remote(first)
    first.book(draft(0, calendar=REMOTE))
    with pytest.raises(Conflict, match="Meeting"):
        second.book(draft(10, calendar=REMOTE))
