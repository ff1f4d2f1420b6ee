from collections.abc import Iterator
from datetime import date, datetime, timedelta

import pytest
from msgspec.structs import replace

from almanac.families.calendar.events import AllDay, Event, Timed, instant_of
from almanac.families.calendar.providers.addresses import AddressBook, Reach
from almanac.families.calendar.providers.google import GoogleProvider
from almanac.families.calendar.providers.google_calls import GoogleCalls
from almanac.families.calendar.providers.google_token import GoogleSecret, GoogleToken
from almanac.families.calendar.providers.http import HttpClient
from almanac.families.calendar.providers.port import Changes, RemoteCalendar
from almanac.families.calendar.providers.pulled import Pulled
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, NotFound, Unavailable
from tests.doubles.google_calendar import Google, running

WORK = RemoteCalendar(id="work@example.com", name="Work", timezone="Europe/Berlin")
ID = "0123456789abcdefghijklmnop"
REVIEW = Event(
    id=ID,
    uid=f"{ID}@almanac",
    start=Timed(datetime(2026, 3, 2, 9), "Europe/Berlin"),
    end=Timed(datetime(2026, 3, 2, 10), "Europe/Berlin"),
    summary="Design review",
    attendees=("ann@example.com",),
)


@pytest.fixture
def google() -> Google:
    made = Google()
    made.add_calendar("work@example.com")
    return made


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def provider(google: Google, pauses: list[float], clock: FixedClock) -> Iterator[GoogleProvider]:
    with running(google) as address:
        http = HttpClient("Google Calendar", AddressBook(Reach(private=True)), seconds=5)
        token = GoogleToken(http, GoogleSecret("id", "secret", "refresh-1"), clock, url=f"{address}/token")
        yield GoogleProvider(GoogleCalls(http, token, sleep=pauses.append, random=lambda: 0.5, url=address))
        http.close()


def pulled(provider: GoogleProvider, token: str | None) -> tuple[list[Changes], str | None]:
    pages: list[Changes] = []
    while True:
        pages.append(provider.changes(WORK, token))
        token = pages[-1].token
        if pages[-1].complete:
            return pages, token


def test_an_event_is_made_under_our_id_and_found_by_it(provider: GoogleProvider, google: Google) -> None:
    written = provider.create(WORK, REVIEW)
    assert written.id == ID
    assert written.etag == google.events[WORK.id][ID]["etag"]
    found = provider.find(WORK, ID)
    assert found is not None
    assert (found.summary, found.start, found.attendees) == ("Design review", REVIEW.start, ("ann@example.com",))


def test_the_same_event_made_again_is_the_same_success(provider: GoogleProvider, google: Google) -> None:
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
    provider: GoogleProvider, google: Google, bad: str
) -> None:
    with pytest.raises(InvalidInput):
        provider.create(WORK, replace(REVIEW, id=bad))
    assert google.calls == []


def test_who_has_no_address_cannot_be_invited(provider: GoogleProvider) -> None:
    with pytest.raises(InvalidInput, match="Ann"):
        provider.create(WORK, replace(REVIEW, attendees=("Ann",)))


def test_an_event_is_moved_under_its_etag_and_guests_keep_their_answers(
    provider: GoogleProvider, google: Google
) -> None:
    written = provider.create(WORK, REVIEW)
    google.events[WORK.id][ID]["attendees"][0]["responseStatus"] = "accepted"
    later = replace(REVIEW, start=Timed(datetime(2026, 3, 2, 11), "Europe/Berlin"), end=AllDay(date(2026, 3, 3)))
    later = replace(later, end=Timed(datetime(2026, 3, 2, 12), "Europe/Berlin"))
    assert provider.update(WORK, later, written.etag).etag != written.etag
    assert google.events[WORK.id][ID]["attendees"][0]["responseStatus"] == "accepted"
    found = provider.find(WORK, ID)
    assert found is not None
    assert found.start == later.start


def test_an_event_becomes_a_whole_day(provider: GoogleProvider, google: Google) -> None:
    provider.create(WORK, REVIEW)
    provider.update(WORK, replace(REVIEW, start=AllDay(date(2026, 3, 2)), end=AllDay(date(2026, 3, 3))), None)
    assert google.events[WORK.id][ID]["start"] == {"date": "2026-03-02"}


def test_a_stale_etag_is_a_conflict_for_updates_and_deletions(provider: GoogleProvider, google: Google) -> None:
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


def test_a_full_pull_and_then_only_what_changed(provider: GoogleProvider, google: Google) -> None:
    google.page_size = 2
    for number in range(5):
        google.put(WORK.id, _item(f"event{number}"))
    pages, token = pulled(provider, None)
    assert [len(page.events) for page in pages] == [2, 2, 1]
    assert all(page.reset for page in pages)
    google.put(WORK.id, _item("event1", summary="Moved"))
    google.put(WORK.id, _item("event3", status="cancelled"))
    pages, token = pulled(provider, token)
    assert [event.summary for page in pages for event in page.events] == ["Moved"]
    assert [gone for page in pages for gone in page.removed_ids] == ["event3"]
    assert not any(page.reset for page in pages)
    assert provider.changes(WORK, token).events == ()


def test_an_increment_in_pages_names_its_sync_token_on_each(provider: GoogleProvider, google: Google) -> None:
    _, token = pulled(provider, None)
    google.page_size = 2
    for number in range(5):
        google.put(WORK.id, _item(f"event{number}"))
    pages, _ = pulled(provider, token)
    assert sum(len(page.events) for page in pages) == 5
    assert not any(page.reset for page in pages)


def test_a_forgotten_token_begins_anew(provider: GoogleProvider, google: Google) -> None:
    google.put(WORK.id, _item("event1"))
    _, token = pulled(provider, None)
    google.put(WORK.id, _item("event2"))
    google.forget_tokens()
    pages, _ = pulled(provider, token)
    assert pages[0].reset
    assert {event.id for event in pages[0].events} == {"event1", "event2"}


def test_a_series_is_read_with_what_differs_from_it(provider: GoogleProvider, google: Google) -> None:
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
    assert series.exdates == (Timed(datetime(2026, 3, 9, 9), "Europe/Berlin"),)
    assert [when.zone for when in series.rdates if isinstance(when, Timed)] == ["UTC", "UTC"]
    assert other.recurrence_id == Timed(datetime(2026, 3, 16, 9), "Europe/Berlin")
    assert (none.status, none.recurrence_id) == ("cancelled", Timed(datetime(2026, 3, 23, 9), "Europe/Berlin"))
    assert {series.uid, other.uid, none.uid} == {"serie@google.com"}


def test_a_series_of_ours_comes_back_as_it_was(provider: GoogleProvider) -> None:
    series = replace(
        REVIEW,
        rrule="FREQ=DAILY;COUNT=9",
        exdates=(Timed(datetime(2026, 3, 3, 9), "Europe/Berlin"),),
        rdates=(Timed(datetime(2026, 4, 3, 7), "UTC"),),
    )
    provider.create(WORK, series)
    found = provider.find(WORK, ID)
    assert found is not None
    assert (found.rrule, found.exdates, found.rdates) == (series.rrule, series.exdates, series.rdates)


def test_the_second_of_two_equal_wall_times_stays_the_second(provider: GoogleProvider) -> None:
    late = replace(
        REVIEW,
        start=Timed(datetime(2026, 10, 25, 2, 30), "Europe/Berlin", fold=1),
        end=Timed(datetime(2026, 10, 25, 3), "Europe/Berlin"),
    )
    provider.create(WORK, late)
    found = provider.find(WORK, ID)
    assert found is not None
    assert instant_of(found.start, "UTC") == instant_of(late.start, "UTC")


def test_what_the_user_declined_takes_no_time(provider: GoogleProvider, google: Google) -> None:
    google.put(
        WORK.id, _item("party", attendees=[{"email": "me@example.com", "self": True, "responseStatus": "declined"}])
    )
    assert not provider.changes(WORK, None).events[0].takes_time


def test_an_event_that_cannot_be_read_is_named_and_the_others_are_read(
    provider: GoogleProvider, google: Google
) -> None:
    google.put(WORK.id, _item("wrong", summary="Odd one", recurrence=["RRULE:FREQ=NEVER"]))
    google.put(WORK.id, _item("right"))
    page = provider.changes(WORK, None)
    assert [event.id for event in page.events] == ["right"]
    assert isinstance(page, Pulled)
    assert "Odd one" in page.unreadable[0]


def test_calls_over_the_quota_are_repeated_after_growing_pauses(
    provider: GoogleProvider, google: Google, pauses: list[float]
) -> None:
    google.over_quota = [403, 429, 403]
    provider.create(WORK, REVIEW)
    assert pauses == [1.5, 2.5, 4.5]


def test_a_quota_that_stays_exhausted_is_unavailable(
    provider: GoogleProvider, google: Google, pauses: list[float]
) -> None:
    google.over_quota = [429] * 9
    with pytest.raises(Unavailable, match="Google Calendar is asked too often"):
        provider.create(WORK, REVIEW)
    assert len(pauses) == 3


def test_a_long_wait_is_passed_on_instead_of_taken(
    provider: GoogleProvider, google: Google, pauses: list[float]
) -> None:
    google.over_quota, google.retry_after = [429], "120"
    with pytest.raises(Unavailable) as refused:
        provider.create(WORK, REVIEW)
    assert "120 seconds" in refused.value.hint
    assert pauses == []


def test_a_server_that_fails_after_its_write_leaves_what_a_repetition_finds(
    provider: GoogleProvider, google: Google
) -> None:
    google.fail = [-503]
    with pytest.raises(Unavailable):
        provider.create(WORK, REVIEW)
    assert provider.create(WORK, REVIEW).id == ID
    assert len(google.events[WORK.id]) == 1


def test_one_access_token_serves_until_it_expires(provider: GoogleProvider, google: Google, clock: FixedClock) -> None:
    provider.create(WORK, REVIEW)
    provider.find(WORK, ID)
    assert google.tokens_given == 1
    clock.instant += timedelta(minutes=59, seconds=30)
    provider.find(WORK, ID)
    assert google.tokens_given == 2


def test_a_token_that_ended_early_is_replaced_once(provider: GoogleProvider, google: Google) -> None:
    provider.create(WORK, REVIEW)
    google.access_tokens.clear()
    assert provider.find(WORK, ID) is not None
    assert google.tokens_given == 2


def test_a_permission_that_was_taken_back_is_forbidden_and_says_how_to_go_on(
    provider: GoogleProvider, google: Google
) -> None:
    google.refresh_token = "another"
    with pytest.raises(Forbidden) as refused:
        provider.find(WORK, ID)
    assert "almanac calendar connect google" in refused.value.hint
    assert "refresh-1" not in str(refused.value)


def test_calendars_are_listed_over_pages_with_what_may_be_done_in_them(
    provider: GoogleProvider, google: Google
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
