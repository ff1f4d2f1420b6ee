"""Ids of events that say their calendar too."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.calendar.model.booking_ids import event_id_of
from almanac.families.calendar.model.located_ids import LocatedId, make_located_id, read_located

IDS = st.text("ab@%40_~2", min_size=1, max_size=12)


@given(event=IDS)
def test_an_event_of_any_id_is_read_back_from_its_located_id(event: str) -> None:
    named = make_located_id("caldav/me@example.org/work", event)
    assert read_located(named) == LocatedId("caldav/me@example.org/work", event)


def test_an_event_of_the_primary_calendar_goes_by_its_id_alone() -> None:
    assert make_located_id("primary", "3k7q") == "3k7q"
    assert read_located("3k7q_20260316") == LocatedId("primary", "3k7q_20260316")


@pytest.mark.parametrize("text", ["bkg_3k7q", "3k7q", " 3k7q ", "3k7q@room-2", "bkg_3k7q@room-2"])
def test_a_calendar_takes_the_ids_that_others_show_of_its_events(text: str) -> None:
    assert event_id_of(text, "room-2") == "3k7q"


def test_an_id_of_its_own_that_has_an_at_sign_stays_whole() -> None:
    assert event_id_of("abc@google.com", "caldav/me/work") == "abc@google.com"
    assert event_id_of("abc%40google.com@caldav/me/work", "caldav/me/work") == "abc@google.com"
