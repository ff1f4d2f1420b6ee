"""Test a provider that fails before, while and after it writes.

Answers to callers are true, calendar and provider agree after recovery, no event is booked twice, and unused time is
free.
"""

from collections.abc import Callable
from datetime import timedelta

import pytest
from msgspec.structs import replace

from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.families.calendar.model.availability import Interval
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import milliseconds
from tests.integration.calendar.faulty_proxy import (
    Exchange,
    Fault,
    cut_before,
    cut_half_way,
    cut_in_head,
    cut_in_headers,
    fail_afterwards,
    refuse_with,
    silent,
    unheard,
)
from tests.integration.calendar.remote_calendar import NINE, RemoteCalendarUnderTest, Times, error_of

FAULTS: dict[str, Fault] = {
    "the connection is cut before the request arrives": cut_before,
    "the request does not arrive and nobody answers": unheard,
    "the answer is cut in its first line": cut_in_head,
    "the answer is cut in its headers": cut_in_headers,
    "the answer is cut half way": cut_half_way,
    "no answer comes": silent,
    "it is done and answered with 500": fail_afterwards(500),
    "it is done and answered with 503": fail_afterwards(503),
    "it is not done and answered with 500": refuse_with(500),
    "it is not done and answered with 503": refuse_with(503),
}
every_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
how_long = pytest.mark.parametrize(
    "writes", [pytest.param(1, id="one write"), pytest.param(50, id="until recovery", marks=pytest.mark.slow)]
)


@every_fault
@how_long
def test_a_booking_stands_here_and_there_or_nowhere(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    remote.proxy.plan(fault, times=writes)
    problem = error_of(lambda: remote.bookings().book(remote.draft(0, key="k")))

    remote.recover()

    assert problem is None or isinstance(problem, Unavailable)
    stands = list(remote.assert_agreement().values())
    if isinstance(problem, OutcomeUnknown):
        assert stands in ([], [(0, 30)])
    else:
        assert stands == ([(0, 30)] if problem is None else [])
    again = remote.bookings().book(remote.draft(0, key="k"))
    assert again.replayed == bool(stands)
    assert remote.assert_agreement() == {again.event.id: (0, 30)}


@every_fault
@how_long
def test_a_cancellation_is_made_at_once_or_later(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    booked = remote.bookings().book(remote.draft(0)).event
    remote.proxy.plan(fault, times=writes)
    problem = error_of(lambda: remote.bookings().cancel(remote.id, booked.id))

    remote.recover()

    assert problem is None or isinstance(problem, OutcomeUnknown)
    assert remote.assert_agreement() == {}
    remote.bookings("bob").book(remote.draft(10))


@every_fault
@how_long
def test_a_booking_moves_or_stays(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    booked = remote.bookings().book(remote.draft(0)).event
    remote.proxy.plan(fault, times=writes)
    problem = error_of(lambda: remote.bookings().reschedule(remote.id, booked.id, NINE + timedelta(hours=2), None))

    remote.recover()

    assert problem is None or isinstance(problem, Unavailable)
    stands = remote.assert_agreement()[booked.id]
    if isinstance(problem, OutcomeUnknown):
        assert stands in {(0, 30), (120, 150)}
    else:
        assert stands == ((0, 30) if problem else (120, 150))
    left = remote.bookings("bob").book(remote.draft(120 if stands == (0, 30) else 0)).event
    assert remote.assert_agreement().keys() == {booked.id, left.id}


PHASES: dict[str, Fault] = {"before accepting": unheard, "while accepting": cut_in_head, "after accepting": silent}


@pytest.mark.slow
@pytest.mark.parametrize("change", ["book", "move", "cancel"])
@pytest.mark.parametrize("fault", PHASES.values(), ids=PHASES.keys())
def test_a_provider_that_falls_silent_for_good_leaves_the_outcome_unknown_and_the_slot_taken(
    remote: RemoteCalendarUnderTest, fault: Fault, change: str
):
    booked = remote.bookings().book(remote.draft(120, key="first")).event
    calls: dict[str, Callable[[], object]] = {
        "book": lambda: remote.bookings().book(remote.draft(0, key="k")),
        "move": lambda: remote.bookings().reschedule(remote.id, booked.id, NINE, None),
        "cancel": lambda: remote.bookings().cancel(remote.id, booked.id),
    }

    def last_words(exchange: Exchange) -> None:
        remote.proxy.plan(unheard, None, times=1000)
        fault(exchange)

    remote.proxy.plan(last_words)

    assert isinstance(error_of(calls[change]), OutcomeUnknown)
    # The provider is still silent: what is known is told without it.
    assert isinstance(error_of(calls[change]), OutcomeUnknown)
    assert remote.bookings().book(remote.draft(120, key="first")).replayed
    begins = NINE + timedelta(minutes=120 if change == "cancel" else 0)
    slot = Interval(milliseconds(begins), milliseconds(begins + timedelta(minutes=30)))
    calendars = remote.bookings().calendars
    assert calendars.busy(calendars.find(remote.id), slot) == [slot]

    remote.recover()
    arrived = fault is not unheard
    stands = {"book": {(0, 30), (120, 150)}, "move": {(0, 30)}, "cancel": set[Times]()}[change]
    former = stands if arrived or change == "cancel" else {(120, 150)}
    assert set(remote.assert_agreement().values()) == former
    assert error_of(calls[change]) is None
    assert set(remote.assert_agreement().values()) == stands


def test_a_moved_instance_is_cancelled_as_often_as_that_is_asked(remote: RemoteCalendarUnderTest):
    week = timedelta(days=7)
    series = remote.bookings().book(replace(remote.draft(0), recurrence="FREQ=WEEKLY;COUNT=4")).event
    instance = f"{series.id}_{NINE + week:%Y%m%d}"
    moved = remote.bookings().reschedule(remote.id, instance, NINE + week + timedelta(hours=2), None).event
    other = f"{series.id}_{NINE + 2 * week:%Y%m%d}"

    for event_id in (moved.id, other):
        answers: list[bool] = []
        for _ in range(3):
            answers.append(remote.bookings().cancel(remote.id, event_id))
            remote.clock.instant += timedelta(minutes=2)
            remote.bookings().calendars.readable(remote.id)
        assert answers == [True, False, False]
