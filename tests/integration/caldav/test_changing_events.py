"""Events at a CalDAV server: their texts, people and reminders are changed, and invitations answered."""

from collections.abc import Generator
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.changes.event_edit import EventEdit
from almanac.families.calendar.changes.invitations import respond
from almanac.families.calendar.changes.updates import update_event
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.reminders import reminders_of
from almanac.families.calendar.providers.port import Answer
from almanac.kernel.errors import Forbidden, InvalidInput, NotFound
from almanac.kernel.instants import milliseconds
from tests.integration.caldav.conftest import Account
from tests.integration.caldav.installations import WORK, Installation

BERLIN = ZoneInfo("Europe/Berlin")
MEETING = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VEVENT
UID:review
DTSTAMP:20260101T000000Z
DTSTART:20310317T080000Z
DTEND:20310317T090000Z
{rule}SUMMARY:Review
DESCRIPTION:Agenda
LOCATION:Room 1
ORGANIZER;CN=Bo:mailto:{organizer}
ATTENDEE;CN=Bo;PARTSTAT=ACCEPTED:mailto:bo@example.com
ATTENDEE;CN=Ann;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{guest}
X-OTHER:kept
BEGIN:VALARM
ACTION:DISPLAY
TRIGGER:-PT15M
DESCRIPTION:Soon
END:VALARM
END:VEVENT
{more}END:VCALENDAR
"""
EXCEPTION = """\
BEGIN:VEVENT
UID:review
DTSTAMP:20260101T000000Z
RECURRENCE-ID:20310318T080000Z
DTSTART:20310318T120000Z
DTEND:20310318T130000Z
SUMMARY:Long review
ORGANIZER;CN=Bo:mailto:bo@example.com
ATTENDEE;CN=Ann;PARTSTAT=ACCEPTED:mailto:{guest}
END:VEVENT
"""


class Person:
    """The person who owns the account and changes events in the server."""

    def __init__(self, bookings: BookingService, account: Account) -> None:
        self.bookings = bookings
        self.account = account
        self.address = f"{account.user}@example.com"

    def put(self, *, organizer: str = "bo@example.com", guest: str = "", rule: str = "", more: str = "") -> None:
        text = MEETING.format(organizer=organizer, guest=guest or self.address, rule=rule, more=more)
        url = f"{self.account.collection}review.ics"
        assert self.account.dav.send("PUT", url, text.encode(), Content_Type="text/calendar").status in {201, 204}

    def text(self) -> str:
        answer = self.account.dav.send("GET", f"{self.account.collection}review.ics")
        return answer.body.decode().replace("\r\n ", "")

    def busy(self, day: int, hour: int = 8) -> bool:
        start = datetime(2031, 3, day, hour, tzinfo=ZoneInfo("UTC"))
        window = Interval(milliseconds(start), milliseconds(start + timedelta(hours=1)))
        return bool(self.bookings.calendars.busy(self.bookings.calendars.readable(WORK), window))


@pytest.fixture
def ann(account: Account, tmp_path: Path) -> Generator[Person]:
    # Radicale tells no addresses: they are given.
    installation = Installation(tmp_path / "installation", account, addresses=(f"{account.user}@example.com",))
    yield Person(installation.bookings(), account)
    installation.close()


def test_texts_and_reminders_of_an_event_made_elsewhere_are_changed(ann: Person) -> None:
    ann.put()
    edit = EventEdit(summary="Review 2", location="", description="New\nagenda, all", reminders=(60, 5))
    _, found = update_event(ann.bookings, WORK, "review", edit)
    text = ann.text()
    assert (found.event.summary, found.event.location) == ("Review 2", "")
    assert "SUMMARY:Review 2" in text
    assert "DESCRIPTION:New\\nagenda\\, all" in text
    assert "LOCATION" not in text
    assert "X-OTHER:kept" in text
    assert "TRIGGER:-PT1H" in text
    assert "PT15M" not in text
    (held,) = ann.account.provider.changes(ann.account.work, None).events
    assert (held.summary, reminders_of(held)) == ("Review 2", [60, 5])


def test_people_come_and_go_and_those_who_stay_keep_their_answers(ann: Person) -> None:
    ann.put(organizer=ann.address)
    update_event(ann.bookings, WORK, "review", EventEdit(attendees=("BO@example.com", "cy@example.com")))
    text = ann.text()
    assert "PARTSTAT=ACCEPTED" in text
    assert "mailto:bo@example.com" in text
    assert "ATTENDEE;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:cy@example.com" in text
    assert f"ATTENDEE;CN=Ann;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:{ann.address}" not in text


def test_what_is_written_back_as_it_is_shown_changes_nothing(ann: Person) -> None:
    ann.put()
    before = ann.text()
    people = ("bo@example.com", ann.address)
    edit = EventEdit(summary="Review", description="Agenda", location="Room 1", attendees=people, reminders=(15,))
    update_event(ann.bookings, WORK, "review", edit)
    assert ann.text() == before


def test_another_change_at_the_same_time_is_kept(ann: Person) -> None:
    ann.put()
    ann.bookings.calendars.writable(WORK)
    # Somebody else changes the event after it was read here.
    provider = ann.bookings.calendars.gateway.provider(ann.bookings.calendars.find(WORK))
    changed = ann.text().replace("LOCATION:Room 1", "LOCATION:Room 9").encode()
    real = type(provider).update
    written: list[int] = []

    def meanwhile(self: object, *arguments: object) -> object:
        if not written:
            written.append(ann.account.dav.send("PUT", f"{ann.account.collection}review.ics", changed).status)
        return real(self, *arguments)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(provider), "update", meanwhile)
        update_event(ann.bookings, WORK, "review", EventEdit(summary="Review 2"))
    assert "SUMMARY:Review 2" in ann.text()
    assert "LOCATION:Room 9" in ann.text()


def test_one_instance_is_changed_and_the_series_is_not(ann: Person) -> None:
    ann.put(rule="RRULE:FREQ=DAILY;COUNT=3\n")
    _, found = update_event(ann.bookings, WORK, "review_20310318", EventEdit(summary="Another"))
    assert found.event.summary == "Another"
    assert ann.text().count("SUMMARY:Review") == 1
    _, whole = update_event(ann.bookings, WORK, "review", EventEdit(summary="All"))
    assert whole.event.summary == "All"
    assert ann.text().count("SUMMARY:Another") == 1


def test_a_booking_made_here_is_changed_by_its_booking_id(ann: Person) -> None:
    start = datetime(2031, 3, 20, 9, tzinfo=BERLIN)
    draft = Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary="Call")
    booked = ann.bookings.book(draft).event
    _, found = update_event(ann.bookings, WORK, booked.id, EventEdit(description="Dial in"))
    assert (found.event.description, found.pointer.booked_by) == ("Dial in", "ann")
    with pytest.raises(NotFound):
        update_event(ann.bookings, WORK, "nothing", EventEdit(summary="x"))


@pytest.mark.parametrize("edit", [EventEdit(), EventEdit(summary=" "), EventEdit(attendees=("Bo",))])
def test_a_bad_value_is_refused(ann: Person, edit: EventEdit) -> None:
    ann.put()
    with pytest.raises(InvalidInput):
        update_event(ann.bookings, WORK, "review", edit)


@pytest.mark.parametrize("response", ["accepted", "tentative", "declined"])
def test_an_invitation_is_answered(ann: Person, response: str) -> None:
    ann.put()
    assert ann.busy(17)
    answer = Answer(response, "See you")  # type: ignore[arg-type]
    _, found = respond(ann.bookings, WORK, "review", answer)
    text = ann.text()
    assert f"PARTSTAT={response.upper()}:mailto:{ann.address}" in text
    assert "CN=Bo;PARTSTAT=ACCEPTED:mailto:bo@example.com" in text
    assert "COMMENT:See you" in text
    assert "X-OTHER:kept" in text
    assert found.event.declined == (response == "declined")
    assert ann.busy(17) == (response != "declined")


def test_a_declined_time_can_be_booked(ann: Person) -> None:
    ann.put()
    respond(ann.bookings, WORK, "review", Answer("declined"))
    start = datetime(2031, 3, 17, 8, tzinfo=ZoneInfo("UTC"))
    ann.bookings.book(Draft(calendar_id=WORK, start=start, end=start + timedelta(hours=1), summary="Free now"))


def test_one_instance_is_declined_and_the_others_stand(ann: Person) -> None:
    ann.put(rule="RRULE:FREQ=DAILY;COUNT=3\n")
    respond(ann.bookings, WORK, "review_20310318", Answer("declined"))
    assert [ann.busy(day) for day in (17, 18, 19)] == [True, False, True]


def test_a_series_is_declined_with_what_differs_from_it(ann: Person) -> None:
    ann.put(rule="RRULE:FREQ=DAILY;COUNT=3\n", more=EXCEPTION.format(guest=ann.address))
    assert ann.busy(18, 12)
    respond(ann.bookings, WORK, "review", Answer("declined"))
    assert [ann.busy(17), ann.busy(18, 12), ann.busy(19)] == [False, False, False]


def test_who_is_not_invited_or_organizes_has_nothing_to_answer(ann: Person) -> None:
    ann.put(guest="dee@example.com")
    with pytest.raises(InvalidInput, match="not invited"):
        respond(ann.bookings, WORK, "review", Answer("accepted"))
    ann.put(organizer=ann.address)
    with pytest.raises(InvalidInput, match="organizes"):
        respond(ann.bookings, WORK, "review", Answer("accepted"))
    with pytest.raises(InvalidInput, match="not invited"):
        respond(ann.bookings, "primary", "review", Answer("accepted"))


def test_without_an_address_of_the_account_nothing_is_answered(account: Account, tmp_path: Path) -> None:
    installation = Installation(tmp_path / "nameless", account)
    nameless = Person(installation.bookings(), account)
    nameless.put()
    with pytest.raises(Forbidden, match="addresses"):
        respond(nameless.bookings, WORK, "review", Answer("accepted"))
    installation.close()
