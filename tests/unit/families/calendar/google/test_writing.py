"""Events made, changed and deleted at Google."""

from datetime import date, datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.events import AllDay, ZonedTime, instant_of
from almanac.families.calendar.providers.google.calendars import GoogleProvider
from almanac.families.calendar.providers.port import Answer
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.errors import Conflict, InvalidInput, NotFound
from tests.doubles.google_calendar import FakeGoogle
from tests.unit.families.calendar.google.reviews import ID, REVIEW, WORK


def test_an_event_is_made_under_our_id_and_found_by_it(provider: GoogleProvider, google: FakeGoogle) -> None:
    written = provider.create(WORK, REVIEW)
    assert written.id == ID
    assert written.etag == google.events[WORK.id][ID]["etag"]
    found = provider.find(WORK, ID)
    assert found is not None
    assert (found.summary, found.start, found.attendees) == ("Design review", REVIEW.start, ("ann@example.com",))


def test_the_same_event_made_again_is_the_same_success(provider: GoogleProvider, google: FakeGoogle) -> None:
    first = provider.create(WORK, REVIEW)
    assert provider.create(WORK, REVIEW) == first
    assert len(google.events[WORK.id]) == 1


def test_another_event_under_the_same_id_is_a_conflict(provider: GoogleProvider) -> None:
    provider.create(WORK, REVIEW)
    with pytest.raises(Conflict):
        provider.create(WORK, replace(REVIEW, summary="Something else"))


def test_an_id_that_was_deleted_is_not_taken_for_the_event(provider: GoogleProvider) -> None:
    provider.create(WORK, REVIEW)
    provider.delete(WORK, ID, None)
    assert provider.find(WORK, ID) is None
    with pytest.raises(Conflict):
        provider.create(WORK, REVIEW)


@pytest.mark.parametrize("bad", ["abcd", "WXYZ-not-base32hex", "zzzzzz"])
def test_an_id_that_google_does_not_take_is_refused_before_it_is_sent(
    provider: GoogleProvider, google: FakeGoogle, bad: str
) -> None:
    with pytest.raises(InvalidInput):
        provider.create(WORK, replace(REVIEW, id=bad))
    assert google.calls == []


def test_who_has_no_address_cannot_be_invited(provider: GoogleProvider) -> None:
    with pytest.raises(InvalidInput, match="Ann"):
        provider.create(WORK, replace(REVIEW, attendees=("Ann",)))


def test_an_event_is_moved_under_its_etag_and_guests_keep_their_answers(
    provider: GoogleProvider, google: FakeGoogle
) -> None:
    written = provider.create(WORK, REVIEW)
    google.events[WORK.id][ID]["attendees"][0]["responseStatus"] = "accepted"
    later = replace(REVIEW, start=ZonedTime(datetime(2026, 3, 2, 11), "Europe/Berlin"), end=AllDay(date(2026, 3, 3)))
    later = replace(later, end=ZonedTime(datetime(2026, 3, 2, 12), "Europe/Berlin"))
    assert provider.update(WORK, later, written.etag).etag != written.etag
    assert google.events[WORK.id][ID]["attendees"][0]["responseStatus"] == "accepted"
    found = provider.find(WORK, ID)
    assert found is not None
    assert found.start == later.start


def test_an_event_becomes_a_whole_day(provider: GoogleProvider, google: FakeGoogle) -> None:
    provider.create(WORK, REVIEW)
    provider.update(WORK, replace(REVIEW, start=AllDay(date(2026, 3, 2)), end=AllDay(date(2026, 3, 3))), None)
    assert google.events[WORK.id][ID]["start"] == {"date": "2026-03-02"}


def test_a_stale_etag_is_a_conflict_for_updates_and_deletions(provider: GoogleProvider, google: FakeGoogle) -> None:
    written = provider.create(WORK, REVIEW)
    google.put(WORK.id, {**google.events[WORK.id][ID], "summary": "Changed elsewhere"})
    with pytest.raises(Conflict):
        provider.update(WORK, REVIEW, written.etag)
    with pytest.raises(Conflict):
        provider.delete(WORK, ID, written.etag)


def test_deleting_what_is_gone_is_a_success_and_updating_it_is_not_found(provider: GoogleProvider) -> None:
    provider.delete(WORK, ID, None)
    provider.create(WORK, REVIEW)
    provider.delete(WORK, ID, None)
    provider.delete(WORK, ID, None)
    with pytest.raises(NotFound):
        provider.update(WORK, replace(REVIEW, id="00000000000000000000000000"), None)


def test_a_series_of_ours_comes_back_as_it_was(provider: GoogleProvider) -> None:
    series = replace(
        REVIEW,
        rrule="FREQ=DAILY;COUNT=9",
        exdates=(ZonedTime(datetime(2026, 3, 3, 9), "Europe/Berlin"),),
        rdates=(ZonedTime(datetime(2026, 4, 3, 7), "UTC"),),
    )
    provider.create(WORK, series)
    found = provider.find(WORK, ID)
    assert found is not None
    assert (found.rrule, found.exdates, found.rdates) == (series.rrule, series.exdates, series.rdates)


def test_the_second_of_two_equal_wall_times_stays_the_second(provider: GoogleProvider) -> None:
    late = replace(
        REVIEW,
        start=ZonedTime(datetime(2026, 10, 25, 2, 30), "Europe/Berlin", fold=1),
        end=ZonedTime(datetime(2026, 10, 25, 3), "Europe/Berlin"),
    )
    provider.create(WORK, late)
    found = provider.find(WORK, ID)
    assert found is not None
    assert instant_of(found.start, UTC_ZONE) == instant_of(late.start, UTC_ZONE)


def _create_invitation(
    google: FakeGoogle, provider: GoogleProvider, *people: dict[str, object], organizer: bool = False
) -> None:
    provider.create(WORK, REVIEW)
    google.events[WORK.id][ID] |= {
        "attendees": list(people),
        "organizer": {"email": "bo@example.com", "self": organizer},
    }


def test_people_reminders_and_texts_change_and_answers_stay(provider: GoogleProvider, google: FakeGoogle) -> None:
    _create_invitation(
        google, provider, {"email": "Ann@example.com", "responseStatus": "accepted"}, {"email": "dee@example.com"}
    )
    changed = replace(REVIEW, summary="Next", attendees=("ann@example.com", "cy@example.com"), alarms=())
    provider.update(WORK, changed, None, ("attendees", "alarms"))
    item = google.events[WORK.id][ID]
    assert item["summary"] == "Next"
    assert item["attendees"] == [
        {"email": "Ann@example.com", "responseStatus": "accepted"},
        {"email": "cy@example.com"},
    ]
    assert item["reminders"] == {"useDefault": False, "overrides": []}


def test_an_invitation_is_answered_for_the_account_alone(provider: GoogleProvider, google: FakeGoogle) -> None:
    _create_invitation(google, provider, {"email": "bo@example.com"}, {"email": "me@example.com", "self": True})
    provider.respond(WORK, REVIEW, None, Answer("declined", "On holiday"))
    me = {"email": "me@example.com", "self": True, "responseStatus": "declined", "comment": "On holiday"}
    assert google.events[WORK.id][ID]["attendees"] == [{"email": "bo@example.com"}, me]
    found = provider.find(WORK, ID)
    assert found is not None
    assert found.declined


@pytest.mark.parametrize("organizer", [True, False])
def test_an_organizer_and_who_is_not_invited_have_nothing_to_answer(
    provider: GoogleProvider, google: FakeGoogle, *, organizer: bool
) -> None:
    _create_invitation(google, provider, {"email": "ann@example.com", "self": organizer}, organizer=organizer)
    with pytest.raises(InvalidInput) as refused:
        provider.respond(WORK, REVIEW, None, Answer("accepted"))
    assert refused.value.code == "not_invited"


def test_an_answer_to_another_version_is_a_conflict(provider: GoogleProvider, google: FakeGoogle) -> None:
    _create_invitation(google, provider, {"email": "me@example.com", "self": True})
    with pytest.raises(Conflict):
        provider.respond(WORK, REVIEW, '"old"', Answer("accepted"))
