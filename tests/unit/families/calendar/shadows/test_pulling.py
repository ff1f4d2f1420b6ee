"""Shadows of calendars at providers: pulled, kept, aged."""

import itertools
from datetime import datetime, timedelta

import pytest
from msgspec.structs import replace

from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.sync_records import SYNCS
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.unreadable_events import UnreadableEvents
from almanac.families.calendar.model.events import ZonedTime
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Forbidden, Unavailable
from tests.unit.families.calendar.shadows.remote import WORK, Remote, event, shown_ids


def test_what_a_provider_holds_shows_and_changes_follow(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    remote.put(event("one"))
    remote.put(event("two", 11))
    assert shown_ids(calendars) == ["one", "two"]
    remote.put(event("one", 13))
    remote.drop("two")
    remote.put(event("three", 15))
    clock.instant += timedelta(minutes=2)
    assert shown_ids(calendars) == ["one", "three"]
    assert remote.asked == [None, "since:0:2"]


def test_a_shadow_that_was_read_just_now_is_not_read_again_but_before_a_booking(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    shown_ids(calendars)
    clock.instant += timedelta(seconds=30)
    shown_ids(calendars)
    assert len(remote.asked) == 1
    calendars.writable(WORK)
    assert len(remote.asked) == 2


def test_nothing_that_stands_as_it_stood_is_written_again(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("one"))
    calendar = calendars.readable(WORK)
    version = calendars.find(WORK).version
    remote.oldest = 99
    assert connector.connected.sync(calendar).changed == 0
    assert calendars.find(WORK).version == version


def test_pages_are_put_together_and_what_a_full_pull_does_not_name_is_gone(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    for number in range(130):
        remote.put(event(f"event{number:03}"))
    assert len(shown_ids(calendars)) == 130
    for number in range(0, 130, 2):
        remote.drop(f"event{number:03}")
    remote.oldest, remote.page = 999, 20
    report = connector.connected.sync(calendars.find(WORK))
    assert (report.changed, report.removed) == (0, 65)
    assert len(shown_ids(calendars)) == 65


def test_a_pull_that_breaks_off_begins_where_it_was(
    connector: Connector, calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    for number in range(6):
        remote.put(event(f"event{number}"))
    remote.page = 2
    pages = itertools.count()

    def break_off() -> None:
        if next(pages) == 1:
            remote.down = Unavailable("The remote is down.", "Wait.")

    remote.meanwhile = break_off
    with pytest.raises(Unavailable):
        connector.connected.sync(calendars.find(WORK))
    remote.down, remote.meanwhile = None, lambda: None
    clock.instant += timedelta(minutes=5)
    assert len(shown_ids(calendars)) == 6


def test_a_series_shows_with_what_differs_from_it_and_goes_with_it(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    instance = ZonedTime(datetime(2026, 3, 4, 9), "Europe/Berlin")
    moved = ZonedTime(datetime(2026, 3, 4, 17), "Europe/Berlin")
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=3"))
    later = ZonedTime(datetime(2026, 3, 4, 18), "Europe/Berlin")
    remote.put(event("serie_20260304T080000Z", uid="serie", recurrence_id=instance, start=moved, end=later))
    assert shown_ids(calendars) == ["serie", "serie_20260304T080000Z", "serie"]
    remote.drop("serie")
    clock.instant += timedelta(minutes=2)
    assert shown_ids(calendars) == []


def test_of_a_resource_only_what_it_still_holds_stands(calendars: Calendars, remote: Remote, clock: FixedClock) -> None:
    instance = ZonedTime(datetime(2026, 3, 4, 9), "Europe/Berlin")
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=2", href="/serie.ics"))
    remote.put(event("serie~20260304T080000Z", 17, uid="serie", recurrence_id=instance, href="/serie.ics"))
    assert shown_ids(calendars) == ["serie", "serie~20260304T080000Z"]
    remote.put(event("serie", rrule="FREQ=DAILY;COUNT=2", href="/serie.ics"))
    clock.instant += timedelta(minutes=2)
    assert shown_ids(calendars) == ["serie", "serie"]


def test_a_provider_that_is_down_is_named_with_the_age_of_what_is_known(
    calendars: Calendars, remote: Remote, clock: FixedClock
) -> None:
    remote.down = Unavailable("The remote is down.", "Wait.")
    with pytest.raises(Unavailable, match=r"The remote is down\. The calendar google/work was never read"):
        calendars.readable(WORK)
    remote.down = None
    calendars.readable(WORK)
    clock.instant += timedelta(hours=3, minutes=20)
    remote.down = Unavailable("The remote is down.", "Wait.")
    with pytest.raises(Unavailable, match="3 hours old") as refused:
        calendars.readable(WORK)
    assert "Native calendars work" in refused.value.hint
    remote.down = Forbidden("The remote refuses.", "Connect again.", code="provider_credentials")
    with pytest.raises(Forbidden, match="3 hours old"):
        calendars.readable(WORK)


def unread(connector: Connector, calendars: Calendars) -> tuple[str, ...]:
    told = connector.connected.sync(calendars.find(WORK)).unread
    assert told.count == len(told.named)
    assert UnreadableEvents(calendars.store, calendars.scope).count(WORK) == told
    return told.named


def test_what_cannot_be_read_is_told_until_it_is_gone(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("fine"))
    remote.spoil("odd", "Odd one: it has no start")
    remote.put(event("half", partial=("its RRULE cannot be read",)))
    said = ("Odd one: it has no start", '"half" was read in part: its RRULE cannot be read.')
    assert unread(connector, calendars) == said
    # Nothing is new at the provider: it does not speak of them again.
    assert unread(connector, calendars) == said
    remote.put(event("fine", 12))
    assert unread(connector, calendars) == said
    remote.put(event("half"))
    assert unread(connector, calendars) == said[:1]
    remote.put(event("odd"))
    assert unread(connector, calendars) == ()
    remote.spoil("odd", "Odd again")
    assert unread(connector, calendars) == ("Odd again",)
    remote.drop("odd")
    assert unread(connector, calendars) == ()


def test_what_is_gone_while_the_token_was_forgotten_is_no_longer_told(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.page = 1
    remote.spoil("a", "A odd")
    remote.spoil("b", "B odd")
    remote.put(event("c"))
    assert unread(connector, calendars) == ("A odd", "B odd")
    remote.drop("b")
    remote.oldest = 100
    assert unread(connector, calendars) == ("A odd",)


def test_what_a_provider_forgot_without_a_word_goes_by_not_standing_there(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    for name in ("one", "two"):
        remote.put(event(name))
    remote.put(event("two~20260303T090000Z", 11))
    remote.spoil("odd", "It is odd.")
    assert len(shown_ids(calendars)) == 3
    remote.drop("one")
    remote.drop("odd")
    remote.put(event("three", 15))
    remote.oldest, remote.silent, remote.log = 99, True, []
    report = connector.connected.sync(calendars.find(WORK))
    assert (report.removed, report.unread.count) == (1, 0)
    assert shown_ids(calendars) == ["two", "two~20260303T090000Z", "three"]


def test_what_stood_where_nothing_can_be_read_any_more_still_stands(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.put(event("a"))
    assert shown_ids(calendars) == ["a"]
    remote.spoil("a", "A odd")
    remote.oldest = 100
    assert unread(connector, calendars) == ("A odd",)
    assert shown_ids(calendars) == ["a"]


def test_what_an_older_reader_left_out_is_read_anew(connector: Connector, calendars: Calendars, remote: Remote) -> None:
    remote.put(event("a"))
    connector.connected.sync(calendars.find(WORK))
    rows = SYNCS.within(calendars.store, calendars.scope)
    state = rows.get(WORK)
    assert state is not None
    calendars.store.write([rows.put(replace(state, reader=0))])
    connector.connected.sync(calendars.find(WORK))
    assert remote.asked[-1] is None
    connector.connected.sync(calendars.find(WORK))
    assert remote.asked[-1] is not None


def test_a_calendar_that_is_forgotten_takes_what_it_could_not_tell_with_it(
    connector: Connector, calendars: Calendars, remote: Remote
) -> None:
    remote.spoil("odd", "Odd one")
    assert unread(connector, calendars) == ("Odd one",)
    account = connector.accounts.list_accounts()[0]
    connector.disconnect(account.provider, account.id)
    assert UnreadableEvents(calendars.store, calendars.scope).count(WORK).count == 0
