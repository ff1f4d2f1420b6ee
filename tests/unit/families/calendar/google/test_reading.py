"""Test pulling a Google calendar, first as a whole and then by changes."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.event_parts import Alarm, Attendee
from almanac.families.calendar.model.events import ZonedTime
from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.google.events import body_of
from almanac.families.calendar.providers.partial_pull import PartialPull
from almanac.families.calendar.providers.port import Changes
from almanac.kernel.errors import NotFound
from tests.doubles.google_calendar import FakeGoogle
from tests.unit.families.calendar.google.reviews import WORK


def pull_pages(provider: GoogleProvider, token: str | None) -> tuple[list[Changes], str | None]:
    pages: list[Changes] = []
    while True:
        pages.append(provider.changes(WORK, token))
        token = pages[-1].token
        if pages[-1].complete:
            return pages, token


def test_a_full_pull_and_then_only_what_changed(provider: GoogleProvider, google: FakeGoogle) -> None:
    google.page_size = 2
    for number in range(5):
        google.put(WORK.id, _item(f"event{number}"))
    pages, token = pull_pages(provider, None)
    assert [len(page.events) for page in pages] == [2, 2, 1]
    assert all(page.reset for page in pages)
    google.put(WORK.id, _item("event1", summary="Moved"))
    google.put(WORK.id, _item("event3", status="cancelled"))
    pages, token = pull_pages(provider, token)
    assert [event.summary for page in pages for event in page.events] == ["Moved"]
    assert [gone for page in pages for gone in page.removed_ids] == ["event3"]
    assert not any(page.reset for page in pages)
    assert provider.changes(WORK, token).events == ()


def test_an_increment_in_pages_names_its_sync_token_on_each(provider: GoogleProvider, google: FakeGoogle) -> None:
    _, token = pull_pages(provider, None)
    google.page_size = 2
    for number in range(5):
        google.put(WORK.id, _item(f"event{number}"))
    pages, _ = pull_pages(provider, token)
    assert sum(len(page.events) for page in pages) == 5
    assert not any(page.reset for page in pages)


def test_a_forgotten_token_begins_anew(provider: GoogleProvider, google: FakeGoogle) -> None:
    google.put(WORK.id, _item("event1"))
    _, token = pull_pages(provider, None)
    google.put(WORK.id, _item("event2"))
    google.forget_tokens()
    pages, _ = pull_pages(provider, token)
    assert pages[0].reset
    assert {event.id for event in pages[0].events} == {"event1", "event2"}


def test_a_series_is_read_with_what_differs_from_it(provider: GoogleProvider, google: FakeGoogle) -> None:
    google.put(
        WORK.id,
        _item(
            "serie",
            recurrence=[
                "RRULE:FREQ=WEEKLY;BYDAY=MO",
                "EXDATE;TZID=Europe/Berlin:20260309T090000",
                "RDATE:20260311T080000Z,20260312T080000Z",
            ],
        ),
    )
    moved = {"recurringEventId": "serie", "originalStartTime": _at("2026-03-16T09:00:00+01:00")}
    google.put(WORK.id, _item("serie_20260316T080000Z", **moved, start=_at("2026-03-16T11:00:00+01:00")))
    cancelled = {"recurringEventId": "serie", "originalStartTime": _at("2026-03-23T09:00:00+01:00")}
    google.put(WORK.id, {"id": "serie_20260323T080000Z", "status": "cancelled", **cancelled})
    series, other, none = sorted(provider.changes(WORK, None).events, key=lambda event: event.id)
    assert series.rrule == "FREQ=WEEKLY;BYDAY=MO"
    assert series.exdates == (ZonedTime(datetime(2026, 3, 9, 9), "Europe/Berlin"),)
    assert [when.zone for when in series.rdates if isinstance(when, ZonedTime)] == ["UTC", "UTC"]
    assert other.recurrence_id == ZonedTime(datetime(2026, 3, 16, 9), "Europe/Berlin")
    assert (none.status, none.recurrence_id) == ("cancelled", ZonedTime(datetime(2026, 3, 23, 9), "Europe/Berlin"))
    assert {series.uid, other.uid, none.uid} == {"serie@google.com"}


def test_what_the_user_declined_takes_no_time(provider: GoogleProvider, google: FakeGoogle) -> None:
    google.put(
        WORK.id, _item("party", attendees=[{"email": "me@example.com", "self": True, "responseStatus": "declined"}])
    )
    assert not provider.changes(WORK, None).events[0].takes_time


def test_an_event_that_cannot_be_read_is_named_and_the_others_are_read(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    google.put(WORK.id, _item("wrong", summary="Odd one", start={"dateTime": "soon"}))
    google.put(WORK.id, _item("right"))
    page = provider.changes(WORK, None)
    assert [event.id for event in page.events] == ["right"]
    assert isinstance(page, PartialPull)
    assert page.unreadable[0].id == "wrong"
    assert "Odd one" in page.unreadable[0].said


def test_a_series_is_read_as_far_as_it_can_be(provider: GoogleProvider, google: FakeGoogle) -> None:
    rules = ["RRULE:FREQ=DAILY;COUNT=9", "RRULE:FREQ=MONTHLY;COUNT=2", "EXRULE:FREQ=WEEKLY;BYDAY=SU"]
    google.put(WORK.id, _item("whole", recurrence=[*rules, "RDATE;VALUE=PERIOD:20260401T100000Z/PT3H"]))
    google.put(WORK.id, _item("half", recurrence=["RRULE:FREQ=DAILY;BYEASTER=1", "garbage"]))
    google.put(WORK.id, _item("first", recurrence=["RRULE:FREQ=NEVER"]))
    page = provider.changes(WORK, None)
    found = {event.id: event for event in page.events}
    whole = found["whole"]
    assert (whole.rrule, whole.further_rrules) == ("FREQ=DAILY;COUNT=9", ("FREQ=MONTHLY;COUNT=2",))
    assert whole.exrules == ("FREQ=WEEKLY;BYDAY=SU",)
    assert (len(whole.periods), whole.partial) == (1, ())
    assert found["half"].rrule == "FREQ=DAILY"
    assert "BYEASTER" in found["half"].partial[0]
    assert found["first"].takes_time
    assert "FREQ=NEVER" in found["first"].partial[0]


def test_reminders_and_answers_are_read_and_reminders_written_again(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    reminders = {
        "useDefault": False,
        "overrides": [{"method": "email", "minutes": 60}, {"method": "popup", "minutes": 5}],
    }
    guest = {"email": "ben@example.com", "displayName": "Ben", "responseStatus": "accepted"}
    google.put(WORK.id, _item("remind", reminders=reminders, attendees=[guest]))
    event = provider.changes(WORK, None).events[0]
    assert event.alarms == (Alarm(action="EMAIL", offset=-3600), Alarm(offset=-300))
    assert event.attendee_details == (Attendee(address="ben@example.com", name="Ben", partstat="ACCEPTED"),)
    assert body_of(event)["reminders"] == reminders
    assert "reminders" not in body_of(replace(event, alarms=()))


def test_calendars_are_listed_over_pages_with_what_may_be_done_in_them(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    google.page_size = 2
    google.add_calendar("me@example.com", primary=True, summary="Me", summaryOverride="Mine")
    google.add_calendar("holidays", accessRole="reader")
    google.add_calendar("busy", accessRole="freeBusyReader")
    found = {one.id: one for one in provider.calendars()}
    assert {name: one.access_role for name, one in found.items()} == {
        "work@example.com": "owner",
        "me@example.com": "owner",
        "holidays": "reader",
        "busy": "freeBusyReader",
    }
    assert (found["me@example.com"].name, found["me@example.com"].primary) == ("Mine", True)


def test_a_calendar_that_is_gone_is_not_found(provider: GoogleProvider) -> None:
    with pytest.raises(NotFound):
        provider.changes(replace(WORK, id="gone"), None)


def _at(text: str) -> dict[str, str]:
    return {"dateTime": text, "timeZone": "Europe/Berlin"}


def _item(name: str, **more: object) -> dict[str, object]:
    times = {"start": _at("2026-03-02T09:00:00+01:00"), "end": _at("2026-03-02T10:00:00+01:00")}
    return {"id": name, "summary": name, **times, **more}
