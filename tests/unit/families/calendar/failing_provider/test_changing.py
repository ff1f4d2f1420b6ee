"""Test that changes of an event at a provider can be repeated after any failure."""

from pathlib import Path

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.changes.event_edit import EventEdit
from almanac.families.calendar.changes.updates import update_event
from almanac.families.calendar.model.events import decode_event
from almanac.kernel.errors import Conflict, Unavailable
from tests.unit.families.calendar.failing_provider.faults import Faults, down
from tests.unit.families.calendar.services import REMOTE, draft

EDIT = EventEdit(summary="Another", location="Room 2", attendees=("bo@example.com",), reminders=(10,))


def at_the_provider(folder: Path, event_id: str) -> str:
    return decode_event((folder / "provider" / event_id).read_bytes()).summary


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
def test_an_outcome_that_is_not_known_is_told_and_the_call_can_be_repeated(
    bookings: BookingService, faults: Faults, tmp_path: Path, moment: str
):
    event = bookings.book(draft(0, calendar=REMOTE)).event
    faults.plan(moment, down())
    with pytest.raises(Unavailable, match="not known"):
        update_event(bookings, REMOTE, event.id, EDIT)

    if moment == "before_update":
        _, found = update_event(bookings, REMOTE, event.id, EDIT)
        assert (found.event.summary, found.event.location) == ("Another", "Room 2")
        assert found.pointer.booked_by == "ann"
    assert at_the_provider(tmp_path, event.id) == "Another"


def test_another_version_again_and_again_is_a_conflict(bookings: BookingService, faults: Faults, tmp_path: Path):
    event = bookings.book(draft(0, calendar=REMOTE)).event
    for _ in range(4):
        faults.plan("before_update", Conflict("It has another version.", "Read it again."))
    with pytest.raises(Conflict):
        update_event(bookings, REMOTE, event.id, EDIT)
    assert at_the_provider(tmp_path, event.id) == "Meeting"
