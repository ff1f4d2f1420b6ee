"""Test that events written for Google are read back unchanged."""

from datetime import date, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, instant_of
from almanac.families.calendar.providers.google.calendars import guests_of
from almanac.families.calendar.providers.google.events import body_of, event_of
from almanac.families.time.core.zones import find_zone

ZONES = st.sampled_from(["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Apia", "UTC"])
LOCALS = st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)).map(lambda at: at.replace(microsecond=0))
DAYS = st.dates(date(1975, 1, 1), date(2060, 1, 1))


@st.composite
def events(draw: st.DrawFn) -> Event:
    if draw(st.booleans()):
        day = draw(DAYS)
        start: When = AllDay(day)
        end: When = AllDay(day + timedelta(days=draw(st.integers(1, 9))))
        dates = st.lists(DAYS.map(AllDay), max_size=3)
    else:
        zone = draw(ZONES)
        local, fold = draw(LOCALS), draw(st.integers(0, 1))
        start = ZonedTime(local, zone, fold)
        end = ZonedTime(local + timedelta(days=2, minutes=draw(st.integers(0, 3000))), draw(ZONES))
        dates = st.lists(LOCALS.map(lambda at: ZonedTime(at, zone)), max_size=3)
    return Event(
        id="0123456789",
        uid="0123456789@google.com",
        start=start,
        end=end,
        summary=draw(st.text(max_size=20)),
        description=draw(st.text(max_size=20)),
        attendees=tuple(draw(st.lists(st.sampled_from(["a@example.com", "b@example.com"]), unique=True))),
        rrule=draw(st.none() | st.sampled_from(["FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;BYDAY=MO,FR"])),
        exdates=tuple(draw(dates)),
        rdates=tuple(draw(dates)),
        status=draw(st.sampled_from(["confirmed", "tentative"])),
        transparent=draw(st.booleans()),
    )


def google_item(event: Event) -> dict[str, Any]:
    return {"id": event.id, **body_of(event), "attendees": guests_of(event)}


@given(events())
def test_an_event_survives_google(event: Event) -> None:
    found = event_of(google_item(event), find_zone("Europe/Berlin"))
    said = ("summary", "description", "attendees", "rrule", "exdates", "rdates", "status", "transparent", "is_all_day")
    assert [getattr(found, name) for name in said] == [getattr(event, name) for name in said]
    for this, that in ((found.start, event.start), (found.end, event.end)):
        assert instant_of(this, find_zone("Europe/Berlin")) == instant_of(that, find_zone("Europe/Berlin"))
        assert isinstance(this, AllDay) or (isinstance(that, ZonedTime) and this.zone == that.zone)


@given(events())
def test_what_was_read_is_written_the_same(event: Event) -> None:
    once = event_of(google_item(event), find_zone("Europe/Berlin"))
    assert event_of(google_item(once), find_zone("Europe/Berlin")) == once
