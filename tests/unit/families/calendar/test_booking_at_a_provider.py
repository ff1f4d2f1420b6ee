"""Bookings in a calendar that lies at a provider: whatever fails, and whenever, calendar and provider agree."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from almanac.families.calendar.booking import book
from almanac.families.calendar.desk import Desk
from almanac.families.calendar.events import Event, When, instant_of
from almanac.families.calendar.holding import hold
from almanac.families.calendar.rebooking import cancel, reschedule
from almanac.families.calendar.view import Shown, event_of
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, Unavailable
from tests.unit.families.calendar.desks import (
    NINE,
    NOW,
    REMOTE,
    FolderProvider,
    connect_remote,
    draft,
    open_desk,
    standing,
    window,
)

LOCK = timedelta(seconds=31)


class Killed(BaseException):
    """The process ends here: nothing after this runs."""


class Faults:
    """Raises what was planned for a moment, as many times as planned."""

    def __init__(self) -> None:
        self.planned: dict[str, list[BaseException | Callable[[], None]]] = {}

    def __call__(self, moment: str) -> None:
        waiting = self.planned.get(moment)
        if waiting:
            what = waiting.pop(0)
            if isinstance(what, BaseException):
                raise what
            what()

    def plan(self, moment: str, *what: BaseException | Callable[[], None]) -> None:
        self.planned.setdefault(moment, []).extend(what)


def down() -> Unavailable:
    return Unavailable("google does not answer.", "Repeat the call in a moment.")


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(NOW)


@pytest.fixture
def faults() -> Faults:
    return Faults()


@pytest.fixture
def desk(tmp_path: Path, clock: FixedClock, faults: Faults) -> Desk:
    desk = open_desk(tmp_path, clock, faults=faults)
    connect_remote(desk)
    return desk


def at_provider(folder: Path) -> dict[str, tuple[int, int]]:
    def minutes(when: When) -> int:
        return int((instant_of(when, "UTC") - NINE).total_seconds() // 60)

    return {
        event.id: (minutes(event.start), minutes(event.end)) for event in FolderProvider(folder / "provider").events()
    }


def recovered(desk: Desk, clock: FixedClock, times: int = 3) -> None:
    for _ in range(times):
        clock.instant += LOCK
        desk.recover()


def agree(desk: Desk, folder: Path) -> dict[str, tuple[int, int]]:
    here = standing(desk, REMOTE)
    assert here == at_provider(folder)
    return here


def test_a_booking_stands_here_and_there(desk: Desk, tmp_path: Path):
    booked = book(desk, draft(0, calendar=REMOTE))

    assert agree(desk, tmp_path) == {booked.event.id: (0, 30)}
    assert booked.event.etag is not None
    with pytest.raises(Conflict):
        book(desk, draft(10, calendar=REMOTE))


def test_a_booking_is_moved_and_cancelled_here_and_there(desk: Desk, tmp_path: Path):
    booked = book(desk, draft(0, calendar=REMOTE))

    reschedule(desk, REMOTE, booked.event.id, NINE + timedelta(minutes=20), None)
    assert agree(desk, tmp_path) == {booked.event.id: (20, 50)}
    cancel(desk, REMOTE, booked.event.id)
    assert agree(desk, tmp_path) == {}


@pytest.mark.parametrize("moment", ["before_create", "after_create"])
@pytest.mark.parametrize("undo_fails", [False, True])
def test_a_booking_that_the_provider_did_not_answer_is_taken_back(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, undo_fails: bool
):
    faults.plan(moment, down())
    if undo_fails:
        faults.plan("before_delete", down())

    with pytest.raises(Unavailable, match="Nothing was booked"):
        book(desk, draft(0, calendar=REMOTE, idempotency_key="k"))

    assert standing(desk, REMOTE) == {}
    recovered(desk, clock)
    assert agree(desk, tmp_path) == {}
    assert not book(desk, draft(0, calendar=REMOTE, idempotency_key="k")).replayed


def test_a_write_that_arrives_after_it_was_taken_back_is_removed_at_the_second_look(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    late = open_desk(tmp_path, clock)
    provider = FolderProvider(tmp_path / "provider")
    seen: list[str] = []
    faults.plan("before_create", down())
    # The id is learnt from what is prepared: the provider never saw it.
    faults.plan("before_delete", lambda: seen.extend(one.filed.id for one in _operations(late)))
    with pytest.raises(Unavailable):
        book(desk, draft(0, calendar=REMOTE))
    other = book(desk, draft(0, calendar=REMOTE))
    operation = _operations(desk)[0]
    event = _event_of(operation)
    provider.create(desk.calendars.find(REMOTE).at_provider(), event)

    recovered(desk, clock)

    assert seen
    assert agree(desk, tmp_path) == {other.event.id: (0, 30)}


def test_a_refusal_of_the_provider_is_told_and_nothing_is_left(desk: Desk, faults: Faults, tmp_path: Path):
    faults.plan("before_create", Forbidden("The credentials do not allow it.", "Connect the calendar again."))

    with pytest.raises(Forbidden):
        book(desk, draft(0, calendar=REMOTE))

    assert agree(desk, tmp_path) == {}
    book(desk, draft(0, calendar=REMOTE))


@pytest.mark.parametrize(("moment", "stands"), [("before_create", False), ("after_create", True)])
def test_a_booking_whose_process_died_is_settled_by_what_the_provider_shows(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path, moment: str, stands: bool
):
    faults.plan(moment, Killed())
    with pytest.raises(Killed):
        book(desk, draft(0, calendar=REMOTE))

    recovered(desk, clock)

    assert len(agree(desk, tmp_path)) == stands


def test_a_slot_stays_locked_while_its_booking_is_under_way_and_no_longer_than_its_lock(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("before_create", Killed())
    with pytest.raises(Killed):
        book(desk, draft(0, calendar=REMOTE))

    with pytest.raises(Conflict) as refused:
        book(desk, draft(10, calendar=REMOTE))
    assert refused.value.code == "slot_pending"
    clock.instant += LOCK
    booked = book(desk, draft(10, calendar=REMOTE))

    assert agree(desk, tmp_path) == {booked.event.id: (10, 40)}


def test_a_slot_whose_booking_arrived_before_its_process_died_is_taken(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    faults.plan("after_create", Killed())
    with pytest.raises(Killed):
        book(desk, draft(0, calendar=REMOTE, idempotency_key="k"))
    clock.instant += LOCK

    with pytest.raises(Conflict) as refused:
        book(desk, draft(10, calendar=REMOTE))

    assert refused.value.code == "slot_taken"
    assert book(desk, draft(0, calendar=REMOTE, idempotency_key="k")).replayed
    assert len(agree(desk, tmp_path)) == 1


def test_a_lock_that_lapsed_while_the_provider_wrote_cannot_commit_over_who_came_after(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    other = open_desk(tmp_path, clock, actor="bob")
    booked: list[str] = []

    def slow() -> None:
        clock.instant += LOCK
        booked.append(book(other, draft(10, calendar=REMOTE)).event.id)

    faults.plan("before_create", slow)
    with pytest.raises(Unavailable, match="longer to answer"):
        book(desk, draft(0, calendar=REMOTE))

    recovered(desk, clock)
    assert agree(desk, tmp_path) == {booked[0]: (10, 40)}


def test_a_lock_that_lapsed_without_anybody_coming_is_settled_by_its_owner(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    def slow() -> None:
        clock.instant += LOCK
        faults.plan("before_find", down())

    faults.plan("after_create", slow)

    booked = book(desk, draft(0, calendar=REMOTE))

    assert agree(desk, tmp_path) == {booked.event.id: (0, 30)}


def test_a_booking_that_somebody_else_settled_meanwhile_is_told_as_made(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    def recovering() -> None:
        clock.instant += LOCK
        open_desk(tmp_path, clock).recover()

    faults.plan("after_create", recovering)

    booked = book(desk, draft(0, calendar=REMOTE))

    assert agree(desk, tmp_path) == {booked.event.id: (0, 30)}


@pytest.mark.parametrize("moment", ["before_update", "after_update"])
@pytest.mark.parametrize("how", [down, Killed])
def test_a_move_that_failed_leaves_one_booking_in_one_place(
    desk: Desk,
    faults: Faults,
    clock: FixedClock,
    tmp_path: Path,
    moment: str,
    how: Callable[[], BaseException],
):
    booked = book(desk, draft(0, calendar=REMOTE))
    faults.plan(moment, how())
    with pytest.raises((Unavailable, Killed)):
        reschedule(desk, REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    recovered(desk, clock)

    moved = how is Killed and moment == "after_update"
    assert agree(desk, tmp_path) == {booked.event.id: (120, 150) if moved else (0, 30)}
    reschedule(desk, REMOTE, booked.event.id, NINE + timedelta(minutes=240), None)
    assert agree(desk, tmp_path) == {booked.event.id: (240, 270)}


def test_a_move_that_arrives_after_it_was_given_up_finds_its_version_gone(
    desk: Desk, faults: Faults, clock: FixedClock, tmp_path: Path
):
    booked = book(desk, draft(0, calendar=REMOTE))

    def recovering() -> None:
        clock.instant += LOCK
        open_desk(tmp_path, clock).recover()

    faults.plan("before_update", recovering)
    with pytest.raises(Conflict):
        reschedule(desk, REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    assert agree(desk, tmp_path) == {booked.event.id: (0, 30)}


def test_while_a_booking_moves_both_slots_are_taken(desk: Desk, faults: Faults):
    booked = book(desk, draft(0, calendar=REMOTE))
    faults.plan("before_update", Killed())
    with pytest.raises(Killed):
        reschedule(desk, REMOTE, booked.event.id, NINE + timedelta(minutes=120), None)

    for minutes in (0, 120):
        with pytest.raises(Conflict):
            book(desk, draft(minutes, calendar=REMOTE))


@pytest.mark.parametrize("moment", ["before_delete", "after_delete"])
@pytest.mark.parametrize("how", [down, Killed])
def test_a_cancellation_that_failed_is_carried_out_later(
    desk: Desk,
    faults: Faults,
    clock: FixedClock,
    tmp_path: Path,
    moment: str,
    how: Callable[[], BaseException],
):
    booked = book(desk, draft(0, calendar=REMOTE))
    faults.plan(moment, how())
    with pytest.raises((Unavailable, Killed)):
        cancel(desk, REMOTE, booked.event.id)

    recovered(desk, clock)

    assert agree(desk, tmp_path) == {}
    assert not cancel(desk, REMOTE, booked.event.id)


def test_a_provider_that_stays_down_is_reported_and_tried_again(desk: Desk, faults: Faults, clock: FixedClock):
    faults.plan("after_create", Killed())
    with pytest.raises(Killed):
        book(desk, draft(0, calendar=REMOTE))
    faults.plan("before_find", down())
    clock.instant += LOCK

    assert desk.recover().failed.keys() == {REMOTE}
    clock.instant += LOCK
    assert desk.recover().settled == 1
    assert len(standing(desk, REMOTE)) == 1


def test_a_hold_outlives_a_booking_that_failed(desk: Desk, faults: Faults):
    held = hold(desk, REMOTE, NINE, NINE + timedelta(minutes=30), "", 300)
    faults.plan("before_create", down())
    with pytest.raises(Unavailable):
        book(desk, draft(0, calendar=REMOTE, hold_id=held.id))

    with pytest.raises(Conflict, match="a hold"):
        book(desk, draft(0, calendar=REMOTE))
    book(desk, draft(0, calendar=REMOTE, hold_id=held.id))


def _operations(desk: Desk) -> list[Shown]:
    shown = desk.calendars.shown(desk.calendars.find(REMOTE), window())
    return [one for one in shown if one.kind == "operation"]


def _event_of(operation: Shown) -> Event:
    event = event_of(operation)
    assert event is not None
    return event
