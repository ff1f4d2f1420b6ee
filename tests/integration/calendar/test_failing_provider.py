"""A provider fails before, while and after it writes: what the caller is told is true, calendar and provider agree once
recovery has run, nothing is booked twice, and time that nothing took is free."""

from datetime import timedelta

import pytest

from almanac.kernel.errors import Unavailable
from tests.integration.calendar.faulty_proxy import (
    Fault,
    cut_before,
    cut_half_way,
    cut_in_head,
    cut_in_headers,
    failing,
    refusing,
    silent,
    unheard,
)
from tests.integration.calendar.remote_calendar import NINE, RemoteCalendarUnderTest, told

FAULTS: dict[str, Fault] = {
    "the connection is cut before the request arrives": cut_before,
    "the request does not arrive and nobody answers": unheard,
    "the answer is cut in its first line": cut_in_head,
    "the answer is cut in its headers": cut_in_headers,
    "the answer is cut half way": cut_half_way,
    "no answer comes": silent,
    "it is done and answered with 500": failing(500),
    "it is done and answered with 503": failing(503),
    "it is not done and answered with 500": refusing(500),
    "it is not done and answered with 503": refusing(503),
}
every_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
how_long = pytest.mark.parametrize(
    "writes", [pytest.param(1, id="one write"), pytest.param(50, id="until recovery", marks=pytest.mark.slow)]
)


@every_fault
@how_long
def test_a_booking_stands_here_and_there_or_nowhere(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    remote.proxy.plan(fault, times=writes)
    problem = told(lambda: remote.bookings().book(remote.draft(0, key="k")))

    remote.recover()

    assert problem is None or isinstance(problem, Unavailable)
    assert list(remote.agreed().values()) == ([(0, 30)] if problem is None else [])
    again = remote.bookings().book(remote.draft(0, key="k"))
    assert again.replayed == (problem is None)
    assert remote.agreed() == {again.event.id: (0, 30)}


@every_fault
@how_long
def test_a_cancellation_is_made_at_once_or_later(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    booked = remote.bookings().book(remote.draft(0)).event
    remote.proxy.plan(fault, times=writes)
    problem = told(lambda: remote.bookings().cancel(remote.id, booked.id))

    remote.recover()

    assert problem is None or "will be" in problem.message
    assert remote.agreed() == {}
    remote.bookings("bob").book(remote.draft(10))


@every_fault
@how_long
def test_a_booking_moves_or_stays(remote: RemoteCalendarUnderTest, fault: Fault, writes: int):
    booked = remote.bookings().book(remote.draft(0)).event
    remote.proxy.plan(fault, times=writes)
    problem = told(lambda: remote.bookings().reschedule(remote.id, booked.id, NINE + timedelta(hours=2), None))

    remote.recover()

    assert problem is None or isinstance(problem, Unavailable)
    assert remote.agreed() == {booked.id: (0, 30) if problem else (120, 150)}
    left = remote.bookings("bob").book(remote.draft(120 if problem else 0)).event
    assert remote.agreed().keys() == {booked.id, left.id}
