from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime, timedelta
from threading import Barrier
from urllib.parse import urljoin

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import find_home
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, NotFound
from tests.doubles.google_calendar import FakeGoogle, run_google
from tests.integration.caldav.conftest import Account

BERLIN = "Europe/Berlin"
ID = "0123456789abcdefghijklmnop"
REVIEW = Event(
    id=ID,
    uid=f"{ID}@almanac",
    start=ZonedTime(datetime(2026, 3, 2, 9), BERLIN),
    end=ZonedTime(datetime(2026, 3, 2, 10), BERLIN),
    summary="Design review",
    description="Bring plans; and tea,\nif you like",
    attendees=("ann@example.com",),
)
SERIES = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260302T090000
DTEND;TZID=Europe/Berlin:20260302T091500
SUMMARY:Standup
RRULE:FREQ=DAILY;COUNT=10
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Soon
TRIGGER:-PT5M
END:VALARM
X-COLOUR:blue
END:VEVENT
BEGIN:VEVENT
UID:standup
DTSTAMP:20260101T000000Z
RECURRENCE-ID;TZID=Europe/Berlin:20260304T090000
DTSTART;TZID=Europe/Berlin:20260304T110000
DTEND;TZID=Europe/Berlin:20260304T111500
SUMMARY:Standup\\, later
END:VEVENT
END:VCALENDAR
"""


def put(account: Account, name: str, text: str) -> None:
    url = f"{account.collection}{name}"
    answer = account.dav.send("PUT", url, text.replace("\n", "\r\n").encode(), Content_Type="text/calendar")
    assert answer.status in {201, 204}


def test_calendars_are_found_from_the_address_of_the_server(account: Account) -> None:
    assert f"{find_home(account.dav, account.url).url}work/" == account.collection
    assert account.work.id == "work"
    assert account.work.access_role == "owner"


def test_a_server_that_is_no_caldav_server_shows_no_calendars(http: HttpClient) -> None:
    with run_google(FakeGoogle()) as address, pytest.raises(NotFound, match="shows no calendars"):
        find_home(Dav(http, "That server", address, "ann", "password"), address)


def test_an_event_is_made_found_and_read_back(account: Account) -> None:
    written = account.provider.create(account.work, REVIEW)
    found = account.provider.find(account.work, ID)
    assert found is not None
    expected = replace(REVIEW, etag=written.etag, href=written.href, updated=found.updated, organizer=found.organizer)
    assert found == expected


def test_rules_of_the_zone_go_with_every_event(account: Account) -> None:
    written = account.provider.create(account.work, REVIEW)
    text = account.dav.send("GET", urljoin(account.url, written.href)).body
    assert b"BEGIN:VTIMEZONE\r\nTZID:Europe/Berlin" in text


def test_the_same_event_made_again_is_the_same_success_and_another_a_conflict(account: Account) -> None:
    first = account.provider.create(account.work, REVIEW)
    assert account.provider.create(account.work, REVIEW) == first
    with pytest.raises(Conflict):
        account.provider.create(account.work, replace(REVIEW, summary="Something else"))


def test_of_twenty_who_make_different_events_under_one_id_one_succeeds(account: Account) -> None:
    gate = Barrier(20)

    def make(number: int) -> bool:
        gate.wait()
        try:
            account.provider.create(account.work, replace(REVIEW, summary=f"Review {number}"))
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(make, range(20))) == 1


def test_an_update_holds_only_for_the_version_that_was_read(account: Account) -> None:
    first = account.provider.create(account.work, REVIEW)
    later = replace(REVIEW, start=AllDay(date(2026, 3, 2)), end=AllDay(date(2026, 3, 3)))
    second = account.provider.update(account.work, later, first.etag)
    assert second.etag != first.etag
    with pytest.raises(Conflict):
        account.provider.update(account.work, REVIEW, first.etag)
    with pytest.raises(Conflict):
        account.provider.delete(account.work, ID, first.etag)
    found = account.provider.find(account.work, ID)
    assert found is not None
    assert found.start == later.start


def test_an_update_leaves_alone_what_it_does_not_know(account: Account) -> None:
    put(account, "standup.ics", SERIES)
    series = account.provider.find(account.work, "standup")
    assert series is not None
    account.provider.update(account.work, replace(series, summary="Daily"), series.etag)
    text = account.dav.send("GET", f"{account.collection}standup.ics").body.decode()
    assert "BEGIN:VALARM" in text
    assert "X-COLOUR:blue" in text
    assert "SUMMARY:Daily" in text
    assert "SUMMARY:Standup\\, later" in text


def test_an_instance_that_differs_is_changed_and_taken_out_by_its_own_id(account: Account) -> None:
    put(account, "standup.ics", SERIES)
    instance = account.provider.find(account.work, "standup~20260304T080000Z")
    assert instance is not None
    moved = replace(
        instance, start=ZonedTime(datetime(2026, 3, 4, 14), BERLIN), end=ZonedTime(datetime(2026, 3, 4, 15), BERLIN)
    )
    written = account.provider.update(account.work, moved, instance.etag)
    found = account.provider.find(account.work, moved.id)
    assert found is not None
    assert found.start == moved.start
    account.provider.delete(account.work, moved.id, written.etag)
    series = account.provider.find(account.work, "standup")
    assert series is not None
    assert series.exdates == (ZonedTime(datetime(2026, 3, 4, 9), BERLIN),)
    assert account.provider.find(account.work, moved.id) is None


def test_deleting_what_is_gone_is_a_success(account: Account) -> None:
    account.provider.delete(account.work, ID, None)
    account.provider.create(account.work, REVIEW)
    account.provider.delete(account.work, ID, None)
    account.provider.delete(account.work, ID, None)
    assert account.provider.find(account.work, ID) is None


def test_updating_what_is_gone_is_not_found(account: Account) -> None:
    with pytest.raises(NotFound):
        account.provider.update(account.work, REVIEW, None)


def test_a_full_pull_and_then_only_what_changed(account: Account) -> None:
    put(account, "standup.ics", SERIES)
    first = account.provider.changes(account.work, None)
    assert first.reset
    assert [event.id for event in first.events] == ["standup", "standup~20260304T080000Z"]
    account.provider.create(account.work, REVIEW)
    second = account.provider.changes(account.work, first.token)
    # Servers may name what changed in the moment of the token twice.
    assert [event.id for event in second.events][-1:] == [ID]
    assert not second.reset
    account.provider.delete(account.work, ID, None)
    third = account.provider.changes(account.work, second.token)
    assert third.removed_ids == (ID,)
    assert account.provider.changes(account.work, third.token).events == ()


def test_a_token_that_the_server_does_not_know_begins_anew(account: Account) -> None:
    account.provider.create(account.work, REVIEW)
    page = account.provider.changes(account.work, "sync:http://radicale.org/ns/sync/" + "0" * 64)
    assert page.reset
    assert [event.id for event in page.events] == [ID]


def test_without_sync_tokens_etags_tell_whether_anything_changed(account: Account) -> None:
    account.provider.create(account.work, REVIEW)
    first = account.provider.changes(account.work, "state:")
    assert first.reset
    assert [event.id for event in first.events] == [ID]
    unchanged = account.provider.changes(account.work, first.token)
    assert (unchanged.events, unchanged.reset) == ((), False)
    account.provider.delete(account.work, ID, None)
    assert account.provider.changes(account.work, first.token).events == ()


@pytest.mark.slow
def test_many_events_are_read_in_parts(account: Account) -> None:
    for number in range(230):
        start = datetime(2026, 1, 1, 9) + timedelta(days=number)
        text = f"UID:{number}\nDTSTAMP:20260101T000000Z\nDTSTART:{start:%Y%m%dT%H%M%SZ}\nDURATION:PT1H\n"
        event = f"BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:x\nBEGIN:VEVENT\n{text}END:VEVENT\nEND:VCALENDAR\n"
        put(account, f"{number}.ics", event)
    assert len(account.provider.changes(account.work, None).events) == 230


def test_what_cannot_be_read_is_named_and_the_rest_is_read(account: Account) -> None:
    put(account, "odd.ics", SERIES.replace("standup", "odd").replace("Europe/Berlin", "Nowhere/Land"))
    put(account, "standup.ics", SERIES)
    page = account.provider.changes(account.work, None)
    events = {event.id: event for event in page.events}
    assert events["standup"].partial == ()
    assert "Nowhere/Land" in events["odd"].partial[0]


def test_a_name_that_is_no_id_is_found_by_its_digest(account: Account) -> None:
    put(account, "a%20b%2Bc.ics", SERIES)
    event = account.provider.changes(account.work, None).events[0]
    assert event.id.isalnum()
    assert account.provider.find(account.work, event.id) is not None
    account.provider.delete(account.work, event.id, None)
    assert account.provider.changes(account.work, None).events == ()


def test_an_id_cannot_lead_out_of_the_home(account: Account) -> None:
    for name in ("../other", "a/b", ".."):
        with pytest.raises(InvalidInput):
            account.provider.changes(replace(account.work, id=name), None)


def test_credentials_are_sent_to_no_other_server(account: Account) -> None:
    with pytest.raises(Forbidden, match="not sent"):
        account.dav.send("GET", "http://localhost:1/")


def test_a_calendar_that_is_gone_is_not_found(account: Account) -> None:
    with pytest.raises(NotFound):
        account.provider.changes(replace(account.work, id="gone"), None)
