"""Shadows are pulled by the clock, within bounds, and a provider that fails is asked less and less often."""

import itertools
from datetime import timedelta

import pytest

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.scheduled_pulls import AT_ONCE, TURN_SECONDS, CalendarRefresher
from almanac.families.calendar.accounts.sync_records import SYNCS
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, Unavailable
from tests.unit.families.calendar.shadows.remote import SCOPE, WEEK, WORK, Remote, event


@pytest.fixture
def calendar_refresher(calendars: Calendars) -> CalendarRefresher:
    return CalendarRefresher(calendars, lambda: 0.0)


def later(clock: FixedClock, **time: int) -> None:
    clock.instant += timedelta(**time)


def test_an_old_shadow_is_pulled_and_a_young_one_is_not(
    calendars: Calendars, remote: Remote, calendar_refresher: CalendarRefresher, clock: FixedClock
) -> None:
    remote.put(event("one"))
    calendar_refresher.run()
    assert stored_ids(calendars) == ["one"]
    remote.put(event("two"))
    later(clock, minutes=9)
    calendar_refresher.run()
    assert stored_ids(calendars) == ["one"]
    later(clock, minutes=1)
    calendar_refresher.run()
    assert stored_ids(calendars) == ["one", "two"]


@pytest.mark.parametrize("problem", [Unavailable("The remote is down.", "Wait."), Forbidden("A wrong password.", "")])
def test_what_fails_is_tried_after_twice_as_long_each_time(
    remote: Remote, calendar_refresher: CalendarRefresher, clock: FixedClock, problem: Exception
) -> None:
    remote.down = problem
    tried: list[int] = []
    for minute in range(60):
        before = remote.requests
        calendar_refresher.run()
        tried += [minute] if remote.requests > before else []
        later(clock, minutes=1)
    assert tried == [0, 10, 30]


def test_what_somebody_else_pulled_after_a_failure_is_pulled_in_time_again(
    calendars: Calendars, remote: Remote, calendar_refresher: CalendarRefresher, clock: FixedClock
) -> None:
    remote.down = Unavailable("The remote is down.", "Wait.")
    calendar_refresher.run()
    later(clock, minutes=10)
    calendar_refresher.run()
    remote.down = None
    later(clock, minutes=1)
    calendars.readable(WORK)
    later(clock, minutes=10)
    before = remote.requests
    calendar_refresher.run()
    assert remote.requests == before + 1


def test_an_account_that_does_not_answer_is_asked_for_one_of_its_calendars(
    connector: Connector, remote: Remote, calendar_refresher: CalendarRefresher, clock: FixedClock
) -> None:
    many(connector, remote, 4)
    remote.down = Unavailable("The remote is down.", "Wait.")
    before = remote.requests
    for _ in range(9):
        calendar_refresher.run()
        later(clock, minutes=1)
    assert remote.requests == before + 1


def test_a_round_pulls_so_many_and_the_next_one_those_that_waited_longest(
    connector: Connector, calendars: Calendars, remote: Remote, calendar_refresher: CalendarRefresher
) -> None:
    many(connector, remote, AT_ONCE + 5)
    for pulled in (AT_ONCE, AT_ONCE + 5):
        calendar_refresher.run()
        assert len(SYNCS.within(calendars.store, SCOPE).query().records) == pulled


def test_a_slow_round_ends_and_leaves_the_rest_to_the_next_one(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    many(connector, remote, 5)
    seconds = itertools.count(0.0, TURN_SECONDS / 2)
    CalendarRefresher(calendars, lambda: next(seconds)).run()
    assert len(SYNCS.within(calendars.store, SCOPE).query().records) == 1


def stored_ids(calendars: Calendars) -> list[str]:
    """Return the ids that are shown without asking the provider."""
    return [one.filed.id for one in calendars.list_entries(calendars.find(WORK), WEEK)]


def many(connector: Connector, remote: Remote, count: int) -> None:
    """So many calendars in all."""
    remote.calendar_list += [RemoteCalendar(id=f"c{number}", name=f"C{number}") for number in range(1, count)]
    connector.list_calendars(connector.accounts.find("google", "mine"))
