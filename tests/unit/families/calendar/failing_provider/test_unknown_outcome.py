"""Test a provider that stops answering. An unknown outcome is reported, keeps its time, and is settled later."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.reader import read_event
from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, NotFound
from tests.unit.families.calendar.failing_provider.faults import (
    Faults,
    ProcessKilled,
    agree,
    at_provider,
    fall_silent,
    recover_repeatedly,
)
from tests.unit.families.calendar.services import NINE, REMOTE, draft, minutes_by_event, open_bookings

LATER = NINE + timedelta(minutes=120)


def refusal_of(action: Callable[[], object]) -> AlmanacError:
    with pytest.raises(AlmanacError) as told:
        action()
    return told.value


def unknown(action: Callable[[], object]) -> OutcomeUnknown:
    told = refusal_of(action)
    assert isinstance(told, OutcomeUnknown)
    assert told.code == "outcome_unknown"
    assert told.hint
    return told


@pytest.mark.parametrize(("moment", "stands"), [("before_create", False), ("after_create", True)])
def test_a_booking_without_an_answer_is_unknown_and_its_repeat_tells_the_outcome(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, stands: bool
):
    asked = draft(0, calendar=REMOTE, idempotency_key="k")
    fall_silent(faults, moment)

    first = unknown(lambda: bookings.book(asked))
    again = unknown(lambda: bookings.book(asked))

    assert "event_id" in first.message
    assert "event_id" in again.message
    assert refusal_of(lambda: bookings.book(draft(10, calendar=REMOTE))).code == "slot_pending"
    assert minutes_by_event(bookings, REMOTE) == {}
    faults.heal()
    recover_repeatedly(bookings, clock)
    assert len(agree(bookings, tmp_path)) == stands
    told = bookings.book(asked)
    assert told.replayed is stands
    assert agree(bookings, tmp_path) == {told.event.id: (0, 30)}


def test_the_slot_stays_taken_for_as_long_as_the_provider_is_silent(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    asked = draft(0, calendar=REMOTE, idempotency_key="k")
    fall_silent(faults, "after_create")
    unknown(lambda: bookings.book(asked))

    for _ in range(20):
        clock.instant += timedelta(minutes=10)
        assert bookings.recover().failed.keys() == {REMOTE}
        unknown(lambda: bookings.book(asked))
        assert refusal_of(lambda: bookings.book(draft(10, calendar=REMOTE))).code in {"slot_pending", "unavailable"}

    faults.heal()
    recover_repeatedly(bookings, clock)
    assert bookings.book(asked).replayed
    assert len(agree(bookings, tmp_path)) == 1


def test_a_booking_that_arrived_is_finished_where_the_provider_answers_once_more(
    bookings: BookingService, faults: Faults, tmp_path: Path
):
    fall_silent(faults, "after_create", times=1)

    booked = bookings.book(draft(0, calendar=REMOTE, idempotency_key="k"))

    assert agree(bookings, tmp_path) == {booked.event.id: (0, 30)}
    assert bookings.book(draft(0, calendar=REMOTE, idempotency_key="k")).replayed


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
def test_a_move_without_an_answer_keeps_both_slots_and_its_repeat_tells_the_outcome(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str
):
    booked = bookings.book(draft(0, calendar=REMOTE)).event
    fall_silent(faults, moment)

    def move() -> object:
        return bookings.reschedule(REMOTE, booked.id, LATER, None)

    unknown(move)
    unknown(move)
    unknown(lambda: bookings.cancel(REMOTE, booked.id))
    for minutes in (0, 120):
        assert isinstance(refusal_of(lambda: bookings.book(draft(minutes, calendar=REMOTE))), Conflict)  # noqa: B023
    assert minutes_by_event(bookings, REMOTE) == {booked.id: (0, 30)}
    faults.heal()
    recover_repeatedly(bookings, clock)
    assert agree(bookings, tmp_path) == {booked.id: (120, 150) if moment == "after_update" else (0, 30)}
    move()
    assert agree(bookings, tmp_path) == {booked.id: (120, 150)}


@pytest.mark.parametrize("moment", ["before_delete", "after_delete"])
def test_a_cancellation_without_an_answer_keeps_its_slot_and_is_made_later(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str
):
    booked = bookings.book(draft(0, calendar=REMOTE)).event
    fall_silent(faults, moment)

    told = unknown(lambda: bookings.cancel(REMOTE, booked.id))
    unknown(lambda: bookings.cancel(REMOTE, booked.id))

    assert "will be cancelled" in told.message
    assert refusal_of(lambda: bookings.book(draft(0, calendar=REMOTE))).code == "slot_taken"
    faults.heal()
    recover_repeatedly(bookings, clock)
    assert agree(bookings, tmp_path) == {}
    assert bookings.cancel(REMOTE, booked.id) is False


def test_a_cancellation_that_the_provider_refuses_when_it_answers_leaves_the_event(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    booked = bookings.book(draft(0, calendar=REMOTE)).event
    fall_silent(faults, "before_delete")
    unknown(lambda: bookings.cancel(REMOTE, booked.id))
    faults.heal()
    faults.plan("before_delete", Forbidden("Only the organizer may.", "Ask them."))

    recover_repeatedly(bookings, clock)

    assert agree(bookings, tmp_path) == {booked.id: (0, 30)}
    assert bookings.cancel(REMOTE, booked.id)


@pytest.mark.parametrize("action", ["move", "cancel"])
def test_a_change_to_an_instance_without_an_answer_is_told_by_every_id_of_it(
    bookings: BookingService, faults: Faults, clock: FixedClock, action: str
):
    series = bookings.book(replace(draft(0, calendar=REMOTE), recurrence="FREQ=WEEKLY;COUNT=4")).event
    instance = f"{series.id}_20260323"

    def change() -> object:
        if action == "cancel":
            return bookings.cancel(REMOTE, instance)
        return bookings.reschedule(REMOTE, instance, LATER + timedelta(days=7), None)

    fall_silent(faults, "before_delete" if action == "cancel" else "before_update")
    unknown(change)
    unknown(change)

    _, found, pending = read_event(bookings.calendars, REMOTE, instance)
    assert found.id == instance
    assert pending is not None
    assert pending.action == action
    faults.heal()
    recover_repeatedly(bookings, clock)
    change()


def test_an_event_whose_booking_is_unknown_says_so_until_it_is_settled(
    bookings: BookingService, faults: Faults, clock: FixedClock
):
    fall_silent(faults, "before_create")
    said = unknown(lambda: bookings.book(draft(0, calendar=REMOTE))).message
    event_id = said.partition("event_id ")[2].partition(",")[0]

    for name in (event_id, f"bkg_{event_id}"):
        assert event_id in unknown(lambda: read_event(bookings.calendars, REMOTE, name)).message  # noqa: B023
    faults.heal()
    recover_repeatedly(bookings, clock, times=1)
    assert "was not made" in refusal_of(lambda: read_event(bookings.calendars, REMOTE, event_id)).message
    told = refusal_of(lambda: bookings.cancel(REMOTE, event_id))
    assert isinstance(told, NotFound)
    assert "was not made" in told.message


def test_a_booking_whose_process_died_is_unknown_once_the_provider_was_asked_in_vain(
    bookings: BookingService, faults: Faults, clock: FixedClock, tmp_path: Path
):
    asked = draft(0, calendar=REMOTE, idempotency_key="k")
    faults.plan("after_create", ProcessKilled())
    with pytest.raises(ProcessKilled):
        bookings.book(asked)
    fall_silent(faults)
    clock.instant += timedelta(seconds=31)

    unknown(lambda: bookings.book(asked))
    assert bookings.recover().failed == {}
    unknown(lambda: open_bookings(tmp_path, clock, faults=faults).book(asked))
    faults.heal()
    recover_repeatedly(bookings, clock)

    assert bookings.book(asked).replayed
    assert len(at_provider(tmp_path)) == 1


def test_a_hold_outlives_a_booking_whose_outcome_was_unknown_and_that_did_not_arrive(
    bookings: BookingService, faults: Faults, clock: FixedClock
):
    held = bookings.hold(REMOTE, NINE, NINE + timedelta(minutes=30), "", 3600)
    fall_silent(faults, "before_create")
    unknown(lambda: bookings.book(draft(0, calendar=REMOTE, hold_id=held.id)))
    faults.heal()
    recover_repeatedly(bookings, clock)

    assert "a hold" in refusal_of(lambda: bookings.book(draft(0, calendar=REMOTE))).message
    bookings.book(draft(0, calendar=REMOTE, hold_id=held.id))
