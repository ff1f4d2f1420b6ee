"""Events as search knows them: which are documents, and in which version."""

from datetime import datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.entries.writer import series_name
from almanac.families.calendar.model.event_parts import SearchState
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime
from almanac.families.calendar.texts.documents import EventPlace, document_id, document_of, follow_change, split_id
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.instants import milliseconds

PLACE = EventPlace("primary", UTC_ZONE, "native")
BEGIN = ZonedTime(datetime(2026, 3, 3, 9), "Europe/Berlin")
EVENT = Event(id="e", uid="e@almanac", start=BEGIN, end=BEGIN, summary="Sailing", description="north")
SERIES = replace(EVENT, id="s", uid="s@almanac", rrule="FREQ=DAILY")
EXCEPTION = replace(EVENT, id="s_20260304", uid="s@almanac", recurrence_id=BEGIN)


def no_series(_: Event) -> Event | None:
    return None


def with_search_state(event: Event = EVENT, version: int = 10) -> Event:
    return follow_change(event, PLACE, version, no_series).event


def test_a_new_event_has_the_version_that_its_calendar_has_after_the_write():
    said = follow_change(EVENT, PLACE, 10, no_series)
    assert said.document is not None
    assert said.document.version == 10
    assert (said.event.indexed is not None, said.gone) == (True, None)
    assert follow_change(said.event, PLACE, 11, no_series).document is None


@pytest.mark.parametrize("change", [{"summary": "x"}, {"description": "x"}, {"location": "x"}, {"attendees": ("x",)}])
def test_each_text_makes_a_version(change: dict[str, object]):
    said = follow_change(replace(with_search_state(), **change), PLACE, 25, no_series)
    assert said.document is not None
    assert said.document.version == 25


def test_a_write_that_knows_only_an_older_version_of_the_calendar_still_makes_a_later_one():
    said = follow_change(replace(with_search_state(version=30), summary="Climbing"), PLACE, 25, no_series)
    assert said.document is not None
    assert said.document.version == 31


def test_an_event_that_took_its_mark_along_to_another_id_is_another_document():
    said = follow_change(replace(with_search_state(), id="f"), PLACE, 25, no_series)
    assert said.document is not None
    assert said.document.id == document_id("primary", "f")


def test_an_exception_is_a_document_where_it_says_something_else_than_its_series_or_has_none():
    def series(_: Event) -> Event:
        return SERIES

    assert follow_change(EXCEPTION, PLACE, 10, series).document is None
    assert follow_change(EXCEPTION, PLACE, 10, no_series).document is not None
    own = follow_change(replace(EXCEPTION, summary="Climbing"), PLACE, 10, series).event
    again = follow_change(replace(own, summary="Sailing"), PLACE, 11, series)
    assert again.gone is not None
    assert (again.event.indexed, again.gone.version) == (None, 10)


def test_what_is_cancelled_is_gone_and_comes_back_in_a_later_version():
    gone = follow_change(replace(with_search_state(), status="cancelled"), PLACE, 11, no_series)
    assert gone.gone is not None
    assert gone.event.indexed is None
    back = follow_change(replace(gone.event, status="confirmed"), PLACE, 12, no_series)
    assert back.document is not None
    assert back.document.version > gone.gone.version + 1


def test_a_day_is_at_its_noon_so_that_it_is_that_day_in_nearly_every_zone():
    day = AllDay(datetime(2026, 3, 3).date())
    at = document_of(replace(EVENT, start=day, end=day), PLACE).at
    assert at == milliseconds(datetime.fromisoformat("2026-03-03T12:00:00Z"))
    assert document_of(EVENT, PLACE).at == milliseconds(datetime.fromisoformat("2026-03-03T08:00:00Z"))


def test_what_was_stored_before_search_knew_events_has_the_first_version():
    assert document_of(EVENT, PLACE).version == 1
    assert document_of(replace(EVENT, indexed=SearchState(7, b"")), PLACE).version == 7


def test_the_name_of_a_document_says_its_calendar_and_its_event_whatever_is_in_them():
    for calendar, event in (("primary", "e"), ("caldav/a_b/c", "x_y@z%/é~20260303")):
        name = document_id(calendar, event)
        assert split_id(name)[1] == event
        assert split_id(name)[0] == split_id(document_id(calendar, "other"))[0]
        assert split_id(name)[0] != split_id(document_id("other", event))[0]


@pytest.mark.parametrize(
    ("event_id", "uid", "series"),
    [
        ("s_20260304", "s@almanac", "s"),
        ("work.ics~20260304T090000Z", "u@x", "work.ics"),
        ("a~b.ics~20260304", "u@x", "a~b.ics"),
        ("google_20260304T090000Z", "u@google", "google"),
    ],
)
def test_an_exception_names_its_series_in_the_words_of_its_provider(event_id: str, uid: str, series: str):
    assert series_name(replace(EXCEPTION, id=event_id, uid=uid)) == series
