"""Test CalDAV servers that forget silently, fail, weaken ETags, or refuse in XML."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import Home
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.kernel.errors import AlmanacError, Conflict, Forbidden, InvalidInput, NotFound, Unavailable
from tests.doubles.dav_collection import URL, DavCollection

WORK = RemoteCalendar(id="work", name="Work")


def event(name: str) -> Event:
    day = datetime(2026, 3, 2)
    start, end = (ZonedTime(day.replace(hour=hour), "Europe/Berlin") for hour in (9, 10))
    return Event(id=name, uid=f"{name}@almanac", start=start, end=end, summary=name)


def provider(server: DavCollection) -> CalDavProvider:
    home = URL.removesuffix("work/")
    return CalDavProvider(Dav(server, "Example", home, "ann", "secret"), Home(home, ("ann@example.com",)))


def test_what_a_server_says_that_it_forgot_is_read_anew() -> None:
    server = DavCollection()
    provider(server).create(WORK, event("one"))
    first = provider(server).changes(WORK, None)
    server.drop("/ann/work/one.ics")
    provider(server).create(WORK, event("two"))
    server.oldest_token = 3
    again = provider(server).changes(WORK, first.token)
    assert (again.reset, [one.id for one in again.events]) == (True, ["two"])


def test_of_a_server_that_forgets_without_a_word_all_that_stands_is_asked_for() -> None:
    server = DavCollection(silent=True)
    for name in ("one", "two"):
        provider(server).create(WORK, event(name))
    first = provider(server).changes(WORK, None)
    server.drop("/ann/work/one.ics")
    provider(server).create(WORK, event("three"))
    server.oldest_token = 4
    again = provider(server).changes(WORK, first.token)
    assert not again.reset
    assert again.standing == {"two", "three"}
    unchanged = provider(server).changes(WORK, again.token)
    assert (unchanged.events, unchanged.standing) == ((), None)


def test_a_server_that_says_what_it_forgot_is_not_asked_for_all_that_stands() -> None:
    server = DavCollection()
    provider(server).create(WORK, event("one"))
    first = provider(server).changes(WORK, None)
    provider(server).create(WORK, event("two"))
    server.requests.clear()
    assert provider(server).changes(WORK, first.token).standing is None
    assert server.requests == ["sync-collection", "calendar-multiget"]


@pytest.mark.parametrize(
    ("before", "asked"),
    [
        ("data:,", 2),
        ("https://calendars.example/sync/", 2),
        ("uid-", 2),
        ("https://calendars.example/sync/e3b0c442", 1),
    ],
)
def test_only_a_server_that_counts_its_changes_is_asked_whether_it_forgets(before: str, asked: int) -> None:
    server = DavCollection(token_prefix=before)
    provider(server).changes(WORK, None)
    assert server.requests.count("sync-collection") == asked


def test_a_server_that_stumbles_once_over_a_new_event_is_given_it_again() -> None:
    server = DavCollection(answers={"PUT": [(500, "")]})
    provider(server).create(WORK, event("one"))
    assert list(server.texts) == ["/ann/work/one.ics"]
    server.answers["PUT"] = [(500, ""), (500, "")]
    with pytest.raises(Unavailable):
        provider(server).create(WORK, event("two"))


def test_a_zone_that_a_server_leaves_out_of_its_listing_is_asked_of_the_calendar() -> None:
    kind = "<resourcetype><collection/><C:calendar/></resourcetype>"
    zone = "<C:calendar-timezone-id>Asia/Tokyo</C:calendar-timezone-id>"
    server = DavCollection(properties={"1": kind, "0": zone})
    assert [(one.id, one.timezone) for one in provider(server).calendars()] == [("work", "Asia/Tokyo")]
    server.properties = {"1": kind + zone}
    assert [one.timezone for one in provider(server).calendars()] == ["Asia/Tokyo"]


@pytest.mark.parametrize("kept", [False, True])
def test_what_a_proxy_weakens_is_still_the_same_version(kept: bool) -> None:
    server = DavCollection(rewrite_etag=lambda etag: f"W/{etag}")
    made = provider(server).create(WORK, event("one"))
    (listed,) = provider(server).changes(WORK, None).events
    etag = made.etag if kept else listed.etag
    moved = provider(server).update(WORK, replace(event("one"), summary="Later"), etag)
    with pytest.raises(Conflict):
        provider(server).update(WORK, event("one"), etag)
    provider(server).delete(WORK, "one", moved.etag)
    assert server.texts == {}


@pytest.mark.parametrize(
    ("status", "said", "kind", "told"),
    [
        (403, "<C:valid-calendar-data/>", InvalidInput, "finds a mistake in the event"),
        (409, "<C:no-uid-conflict><href>/b.ics</href></C:no-uid-conflict>", Conflict, "another calendar already"),
        (403, "<C:max-date-time/>", InvalidInput, "as far in the future"),
        (403, "<C:allowed-attendee-scheduling-object-change/>", Forbidden, "only the organizer"),
        (403, "<quota-not-exceeded/>", Forbidden, "no room left"),
        (507, "", Forbidden, "no room left"),
        (403, "<need-privileges/>", Forbidden, "denied access to"),
    ],
)
def test_why_a_server_refuses_an_event_is_told(status: int, said: str, kind: type[AlmanacError], told: str) -> None:
    server = DavCollection(answers={"PUT": [(status, said)]})
    with pytest.raises(kind, match=told):
        provider(server).create(WORK, event("one"))


@pytest.mark.parametrize("leaving", [["one"], ["one", "two"], ["one", "two", "three"]])
def test_events_that_go_while_they_are_read_are_gone_and_their_calendar_is_not(leaving: list[str]) -> None:
    server = DavCollection(hasty=True, properties={"0": "<resourcetype/>"})
    for name in ("one", "two", "three"):
        provider(server).create(WORK, event(name))
    server.vanishing = [f"/ann/work/{name}.ics" for name in leaving]

    read = provider(server).changes(WORK, None)

    assert {one.id for one in read.events} == {"one", "two", "three"} - set(leaving)
    assert set(read.removed_ids) == set(leaving)


def test_a_calendar_that_goes_while_it_is_read_is_not_found() -> None:
    server = DavCollection(hasty=True)
    for name in ("one", "two"):
        provider(server).create(WORK, event(name))
    server.vanishing = ["/ann/work/one.ics", "/ann/work/two.ics"]
    server.gone = True
    with pytest.raises(NotFound):
        provider(server).changes(WORK, None)
