"""Test that events keep their other properties on the way through a real server."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.event_parts import Alarm
from almanac.families.calendar.model.events import Event, ZonedTime, instant_of
from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.discovery import Home
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.errors import Forbidden
from tests.integration.caldav.conftest import Account

INVITATION = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VEVENT
UID:party
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260302T090000
DTEND;TZID=Europe/Berlin:20260302T100000
SUMMARY:Party
ORGANIZER:mailto:boss@example.com
ATTENDEE;CN=Ann;PARTSTAT=DECLINED:mailto:ann@example.com
ATTENDEE;PARTSTAT=ACCEPTED:mailto:ben@example.com
CATEGORIES:Fun,Work
X-COLOUR:blue
BEGIN:VALARM
ACTION:DISPLAY
DESCRIPTION:Soon
TRIGGER:-PT5M
END:VALARM
END:VEVENT
END:VCALENDAR
"""
ZONED = INVITATION.replace(
    "BEGIN:VEVENT",
    """BEGIN:VTIMEZONE
TZID:Customized Time Zone
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:-0200
TZOFFSETTO:-0300
RRULE:FREQ=YEARLY;BYDAY=3SA;BYMONTH=2
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:16010101T000000
TZOFFSETFROM:-0300
TZOFFSETTO:-0200
RRULE:FREQ=YEARLY;BYDAY=3SA;BYMONTH=10
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT""",
).replace("Europe/Berlin", "Customized Time Zone")


def put(account: Account, text: str) -> None:
    url = f"{account.collection}party.ics"
    answer = account.dav.send("PUT", url, text.replace("\n", "\r\n").encode(), Content_Type="text/calendar")
    assert answer.status in {201, 204}


def stored_text(account: Account) -> str:
    body = account.dav.send("GET", f"{account.collection}party.ics").body.decode()
    return body.replace("\r\n ", "").replace("\r\n", "\n")


def only(account: Account) -> Event:
    (event,) = account.provider.changes(account.work, None).events
    return event


def test_what_an_event_carries_is_read_and_an_edit_leaves_it(account: Account) -> None:
    put(account, INVITATION)
    event = only(account)
    assert event.alarms == (Alarm(offset=-300, description="Soon"),)
    assert event.categories == ("Fun", "Work")
    assert event.other == ("X-COLOUR:blue",)
    assert {one.address: one.partstat for one in event.attendee_details} == {
        "ann@example.com": "DECLINED",
        "ben@example.com": "ACCEPTED",
    }
    moved = replace(event, start=ZonedTime(datetime(2026, 3, 3, 9), "Europe/Berlin"), summary="Later", sequence=1)
    account.provider.update(account.work, replace(moved, end=moved.start), event.etag)
    text = stored_text(account)
    kept = ("TRIGGER:-PT5M", "X-COLOUR:blue", "PARTSTAT=DECLINED", "CATEGORIES:Fun,Work", "SUMMARY:Later")
    assert [one for one in kept if one not in text] == []
    assert only(account).alarms == event.alarms


def test_a_reminder_that_is_set_or_taken_away_here_is_so_there(account: Account) -> None:
    put(account, INVITATION)
    event = only(account)
    account.provider.update(account.work, replace(event, alarms=(Alarm(offset=-600),)), event.etag)
    assert only(account).alarms == (Alarm(offset=-600),)
    assert "-PT5M" not in stored_text(account)
    account.provider.update(account.work, replace(event, alarms=()), None)
    assert "VALARM" not in stored_text(account)


def test_a_new_event_takes_its_reminders_along(account: Account) -> None:
    start = ZonedTime(datetime(2026, 3, 2, 9), "Europe/Berlin")
    alarms = (Alarm(offset=-900, description="Go"), Alarm(offset=0, related="end", action="AUDIO"))
    wanted = Event(id="abcdefgh", uid="abcdefgh@almanac", start=start, end=start, summary="New", alarms=alarms)
    account.provider.create(account.work, wanted)
    assert only(account).alarms == alarms


@pytest.mark.parametrize(("owners", "busy"), [(("ann@example.com",), False), (("ben@example.com",), True), ((), True)])
def test_what_the_owner_declined_takes_no_time(account: Account, owners: tuple[str, ...], busy: bool) -> None:
    put(account, INVITATION)
    provider = CalDavProvider(account.dav, Home(account.collection.removesuffix("work/"), owners))
    (event,) = provider.changes(account.work, None).events
    assert event.takes_time is busy
    found = provider.find(account.work, "party")
    assert found is not None
    assert found.takes_time is busy
    assert "TRANSP:TRANSPARENT" not in stored_text(account)


def test_who_organizes_an_invitation_is_known_at_once(account: Account) -> None:
    provider = CalDavProvider(account.dav, Home(account.collection.removesuffix("work/"), ("ann@example.com",)))
    start = ZonedTime(datetime(2026, 3, 2, 9), "Europe/Berlin")
    invitation = Event(id="abcdefgh", uid="abcdefgh@almanac", start=start, end=start, attendees=("ben@example.com",))

    written = provider.create(account.work, invitation)

    assert written.organizer == "ann@example.com"
    assert only(account).organizer == "ann@example.com"
    moved = replace(invitation, summary="Moved")
    assert provider.update(account.work, moved, written.etag).organizer == "ann@example.com"


def test_an_event_in_a_zone_of_its_own_is_moved_within_it(account: Account) -> None:
    put(account, ZONED)
    event = only(account)
    assert f"{instant_of(event.start, UTC_ZONE):%H:%M}" == "12:00"
    assert isinstance(event.start, ZonedTime)
    start = ZonedTime(datetime(2026, 12, 1, 9), event.start.zone)
    account.provider.update(account.work, replace(event, start=start, end=start), event.etag)
    text = stored_text(account)
    assert text.count("BEGIN:VTIMEZONE") == 1
    assert "DTSTART;TZID=Customized Time Zone:20261201T090000" in text
    assert f"{instant_of(only(account).start, UTC_ZONE):%H:%M}" == "11:00"


def test_what_was_read_in_part_is_not_written_over(account: Account) -> None:
    put(account, INVITATION.replace("Europe/Berlin", "Nowhere/Land"))
    event = only(account)
    assert event.partial
    with pytest.raises(Forbidden, match="only in part"):
        account.provider.update(account.work, replace(event, summary="Mine"), event.etag)
    assert "TZID=Nowhere/Land" in stored_text(account)
