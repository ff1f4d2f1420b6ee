"""A provider that answers, or is reached, after the lock has lapsed or everybody has given up."""

from collections.abc import Callable
from datetime import timedelta
from threading import Event

import pytest

from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.kernel.errors import AlmanacError, Unavailable
from tests.integration.calendar.faulty_proxy import Late, cut_before, slow
from tests.integration.calendar.remote_calendar import LOCK, NINE, RemoteCalendarUnderTest, Times, error_of

TWO_HOURS = timedelta(hours=2)


def lapse(remote: RemoteCalendarUnderTest) -> Callable[[], None]:
    def lapse() -> None:
        remote.clock.instant += LOCK

    return lapse


CHANGES: dict[str, Callable[[RemoteCalendarUnderTest, str], object]] = {
    "create": lambda remote, _: remote.bookings().book(remote.draft(120)),
    "move": lambda remote, event_id: remote.bookings().reschedule(remote.id, event_id, NINE + TWO_HOURS, None),
    "cancel": lambda remote, event_id: remote.bookings().cancel(remote.id, event_id),
}


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize(
    ("change", "stand"), [("create", {(0, 30), (120, 150)}), ("move", {(120, 150)}), ("cancel", set[Times]())]
)
def test_what_took_longer_than_its_lock_is_made_where_nobody_came(
    remote: RemoteCalendarUnderTest, moment: str, change: str, stand: set[Times]
):
    booked = remote.bookings().book(remote.draft(0)).event
    remote.proxy.plan(slow(**{moment: lapse(remote)}))
    CHANGES[change](remote, booked.id)

    assert set(remote.assert_agreement().values()) == stand
    remote.recover()
    assert set(remote.assert_agreement().values()) == stand


def test_a_booking_whose_lock_lapsed_and_whose_provider_went_down_is_unknown_until_it_is_settled(
    remote: RemoteCalendarUnderTest,
):
    """The provider is slow, and then it is down."""

    def lapse_and_fail() -> None:
        remote.clock.instant += LOCK
        remote.proxy.plan(cut_before, None, times=50)

    remote.proxy.plan(slow(after=lapse_and_fail))
    assert isinstance(error_of(lambda: remote.bookings().book(remote.draft(0, key="k"))), OutcomeUnknown)

    remote.recover()

    assert list(remote.assert_agreement().values()) == [(0, 30)]
    assert remote.bookings().book(remote.draft(0, key="k")).replayed


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("change", ["create", "move"])
def test_who_comes_when_the_lock_has_lapsed_and_its_former_owner_never_both_have_the_slot(
    remote: RemoteCalendarUnderTest, moment: str, change: str
):
    standing = remote.bookings().book(remote.draft(240)).event
    rivals: list[AlmanacError | None] = []
    rival_left = Event()

    def rival_comes() -> None:
        remote.clock.instant += LOCK
        rivals.append(error_of(lambda: remote.bookings("bob").book(remote.draft(10))))
        rival_left.set()

    remote.proxy.plan(slow(**{moment: rival_comes}))
    if change == "create":
        problem = error_of(lambda: remote.bookings().book(remote.draft(0)))
    else:
        problem = error_of(lambda: remote.bookings().reschedule(remote.id, standing.id, NINE, None))
    # Where a machine is slow, the first caller gives up before the rival does.
    assert rival_left.wait(60)
    remote.recover()

    taken = set(remote.assert_agreement().values())
    made, rival_made = (0, 30) in taken, (10, 40) in taken
    assert not (made and rival_made)
    for stands, said in ((made, problem), (rival_made, rivals[0])):
        assert stands == (said is None) or isinstance(said, OutcomeUnknown)
    assert ((240, 270) in taken) == (change == "create" or not made)


WHEN: dict[str, Callable[[RemoteCalendarUnderTest], None]] = {
    "at once": lambda remote: None,
    "after the first look": lambda remote: _look(remote, 1),
    "after the second look": lambda remote: _look(remote, 2),
    "much later": lambda remote: _look(remote, 5),
}
BETWEEN = ("after the first look", "after the second look")
arrives = pytest.mark.parametrize(
    "wait", [pytest.param(WHEN[one], id=one, marks=[pytest.mark.slow] * (one in BETWEEN)) for one in WHEN]
)


@arrives
def test_a_booking_that_arrives_when_it_was_given_up_is_removed(
    remote: RemoteCalendarUnderTest, wait: Callable[[RemoteCalendarUnderTest], None]
):
    late = Late()
    remote.proxy.plan(late)
    assert isinstance(error_of(lambda: remote.bookings().book(remote.draft(0))), Unavailable)
    wait(remote)
    other = remote.bookings("bob").book(remote.draft(10)).event
    late.let_through()

    remote.recover()

    assert remote.assert_agreement() == {other.id: (10, 40)}


def test_what_arrived_late_and_cannot_be_removed_at_once_is_removed_later(remote: RemoteCalendarUnderTest):
    late = Late()
    remote.proxy.plan(late)
    assert isinstance(error_of(lambda: remote.bookings().book(remote.draft(0))), Unavailable)
    _look(remote, 3)
    late.let_through()
    remote.proxy.plan(cut_before, frozenset({"DELETE"}))
    remote.clock.instant += 2 * LOCK
    remote.bookings().calendars.readable(remote.id)
    assert (len(remote.events_at_provider()), remote.events_shown()) == (1, {})

    remote.recover()

    assert remote.assert_agreement() == {}


@arrives
def test_a_move_that_arrives_when_it_was_given_up_moves_nothing_onto_what_came_since(
    remote: RemoteCalendarUnderTest, wait: Callable[[RemoteCalendarUnderTest], None]
):
    booked = remote.bookings().book(remote.draft(0)).event
    late = Late()
    remote.proxy.plan(late)
    assert isinstance(error_of(lambda: CHANGES["move"](remote, booked.id)), Unavailable)
    wait(remote)
    other = remote.bookings("bob").book(remote.draft(130)).event
    late.let_through()

    remote.recover()

    assert remote.assert_agreement() == {booked.id: (0, 30), other.id: (130, 160)}
    remote.bookings().cancel(remote.id, booked.id)
    assert remote.assert_agreement() == {other.id: (130, 160)}


@arrives
def test_a_cancellation_that_arrives_late_takes_nothing_else_away(
    remote: RemoteCalendarUnderTest, wait: Callable[[RemoteCalendarUnderTest], None]
):
    booked = remote.bookings().book(remote.draft(0)).event
    late = Late()
    remote.proxy.plan(late)
    remote.bookings().cancel(remote.id, booked.id)
    wait(remote)
    other = error_of(lambda: remote.bookings("bob").book(remote.draft(10)))
    late.let_through()

    remote.recover()

    assert list(remote.assert_agreement().values()) == ([(10, 40)] if other is None else [])


def _look(remote: RemoteCalendarUnderTest, times: int) -> None:
    for _ in range(times):
        remote.clock.instant += LOCK
        remote.bookings("recovery").recover()
