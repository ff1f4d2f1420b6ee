"""Test the properties of whole calendars at a real CalDAV server."""

from datetime import UTC, datetime

import pytest

from almanac.families.calendar.model.availability import Interval
from almanac.kernel.errors import NotFound
from almanac.kernel.instants import milliseconds
from tests.integration.caldav.conftest import Account
from tests.integration.caldav.test_caldav_provider import ID, REVIEW, SERIES, put


def test_a_calendar_that_is_deleted_and_made_again_has_no_ghosts(account: Account) -> None:
    put(account, "ghost.ics", SERIES)
    token = account.provider.changes(account.work, None).token
    url = account.collection
    assert account.dav.send("DELETE", url).status in {200, 204}
    with pytest.raises(NotFound):
        account.provider.changes(account.work, token)
    assert account.dav.send("MKCALENDAR", url).status == 201
    account.provider.create(account.work, REVIEW)
    again = account.provider.changes(account.work, token)
    # A server may forget without a word: then what stands is told beside what changed.
    assert again.reset or (again.standing == {ID})
    assert [event.id for event in again.events] == [ID]


def test_what_stands_in_a_window_is_asked_of_the_server(account: Account) -> None:
    put(account, "standup.ics", SERIES)
    account.provider.create(account.work, REVIEW)
    start = milliseconds(datetime(2026, 3, 2, 8, tzinfo=UTC))
    seen = account.provider.current_events(account.work, Interval(start, start + 3_600_000))
    assert {(one.event.uid, one.ours) for one in seen} == {("standup", False), (REVIEW.uid, True)}
    later = start + 60 * 86_400_000
    assert account.provider.current_events(account.work, Interval(later, later + 3_600_000)) == []
