"""Test that written events are read back unchanged."""

from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from almanac.families.calendar.ical.ids import make_imported_id, recurrence_stamp
from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.ical.vtimezone import vtimezone
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.event_parts import Alarm, Attendee
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime, instant_of
from almanac.families.time.core.zones import UTC_ZONE, find_zone

ZONES = st.sampled_from(
    [
        "Europe/Berlin",
        "America/New_York",
        "America/Santiago",
        "Asia/Kathmandu",
        "Africa/Casablanca",
        "Pacific/Apia",
        "UTC",
    ]
)
LOCALS = st.datetimes(datetime(1975, 1, 1), datetime(2060, 1, 1)).map(lambda at: at.replace(microsecond=0))
DAYS = st.dates(date(1975, 1, 1), date(2060, 1, 1))
TEXTS = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]) | st.sampled_from("\n,;:\\\"'"), max_size=60
).map(str.strip)
RULES = st.none() | st.sampled_from(
    ["FREQ=DAILY;COUNT=3", "FREQ=WEEKLY;BYDAY=MO,FR", "FREQ=YEARLY;UNTIL=20301231T000000Z"]
)


INSTANTS = LOCALS.map(lambda at: at.replace(tzinfo=UTC))
ALARMS = st.builds(
    Alarm,
    action=st.sampled_from(["DISPLAY", "AUDIO", "EMAIL"]),
    offset=st.integers(-200_000, 200_000),
    related=st.sampled_from(["start", "end"]),
    description=TEXTS,
    other=st.lists(st.sampled_from(["SUMMARY:Soon", "X-A;B=c:d"]), max_size=2, unique=True).map(tuple),
) | st.builds(Alarm, at=INSTANTS, repeat=st.just(2), every=st.integers(1, 90_000))
PEOPLE = {
    "a@example.com": Attendee(address="a@example.com", name="Ann, A", partstat="DECLINED", rsvp=True),
    "b@example.com": Attendee(address="b@example.com", role="CHAIR", parameters=("CUTYPE=ROOM",)),
    "Ann Example": Attendee(address="Ann Example", uri="invalid:nomail", name="Ann Example"),
}
FURTHER = st.lists(st.sampled_from(["FREQ=MONTHLY;COUNT=4", "FREQ=YEARLY;INTERVAL=2"]), max_size=2, unique=True)
OTHERS = ["X-A:1", 'X-B;C="d,e";F=g:h\\,i', "CLASS:PRIVATE", "GEO:1;2", "X-LONG:" + "\u00e9" * 200]


@st.composite
def events(draw: st.DrawFn) -> Event:
    uid = draw(st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=30))
    if draw(st.booleans()):
        day = draw(DAYS)
        start: When = AllDay(day)
        end: When = AllDay(day + timedelta(days=draw(st.integers(1, 9))))
        dates = st.lists(DAYS.map(AllDay), max_size=3, unique=True)
    else:
        zone = draw(ZONES)
        local = draw(LOCALS)
        start = ZonedTime(local, zone)
        end = ZonedTime(local + timedelta(minutes=draw(st.integers(0, 3000))), draw(ZONES))
        end = end if instant_of(end, UTC_ZONE) >= instant_of(start, UTC_ZONE) else start
        dates = st.lists(LOCALS.map(lambda at: ZonedTime(at, zone)), max_size=3, unique=True)
    rule = draw(RULES)
    invited = tuple(draw(st.lists(st.sampled_from(list(PEOPLE)), max_size=3, unique=True)))
    return Event(
        id=make_imported_id(uid, None),
        uid=uid,
        start=start,
        end=end,
        summary=draw(TEXTS),
        description=draw(TEXTS),
        location=draw(TEXTS),
        attendees=invited,
        attendee_details=tuple(PEOPLE[one] for one in invited),
        organizer=draw(st.sampled_from(["", "boss@example.com"])),
        categories=tuple(draw(st.lists(TEXTS.filter(bool), max_size=3, unique=True))),
        alarms=tuple(draw(st.lists(ALARMS, max_size=2))),
        other=tuple(draw(st.lists(st.sampled_from(OTHERS), max_size=3))),
        url=draw(st.none() | st.just("https://example.com/1?a=b,c;d")),
        rrule=rule,
        further_rrules=tuple(draw(FURTHER)) if rule is not None else (),
        exrules=tuple(draw(FURTHER)),
        exdates=tuple(draw(dates)),
        rdates=tuple(draw(dates)),
        status=draw(st.sampled_from(["confirmed", "tentative", "cancelled"])),
        transparent=draw(st.booleans()),
        sequence=draw(st.integers(0, 99)),
        updated=draw(LOCALS).replace(tzinfo=UTC),
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(events())
def test_an_event_survives_being_written_and_read(event: Event) -> None:
    found = read_events(write_events([event]), find_zone("America/New_York"))
    assert found.problems == ()
    assert found.events == (event,)


@settings(max_examples=50, deadline=None)
@given(events(), LOCALS)
def test_so_does_what_stands_for_an_instance(event: Event, local: datetime) -> None:
    instance: When = AllDay(local.date()) if event.is_all_day else ZonedTime(local, "Europe/Berlin")
    stamp = recurrence_stamp(instance, UTC_ZONE)
    other = replace(event, id=make_imported_id(event.uid, stamp), recurrence_id=instance)
    found = read_events(write_events([event, other]), UTC_ZONE)
    assert set(found.events) == {event, other}


@pytest.mark.slow
@settings(deadline=None)
@given(LOCALS, ZONES, st.integers(0, 1))
def test_the_second_of_two_equal_wall_times_stays_that_instant(local: datetime, zone: str, fold: int) -> None:
    event = Event(
        id=make_imported_id("a", None), uid="a", start=ZonedTime(local, zone, fold), end=ZonedTime(local, zone, fold)
    )
    found = read_events(write_events([event]), UTC_ZONE).events[0]
    assert instant_of(found.start, UTC_ZONE) == instant_of(event.start, UTC_ZONE)


@settings(max_examples=60, deadline=None)
@given(ZONES.filter(lambda zone: zone != "UTC"), st.datetimes(datetime(2020, 2, 1), datetime(2037, 12, 1)))
def test_a_reader_without_a_database_tells_the_same_time_by_the_rules_alone(zone: str, local: datetime) -> None:
    rules = cast(tzinfo, vtimezone(zone, 2020).to_tz())
    expected = {local.replace(tzinfo=find_zone(zone), fold=fold).utcoffset() for fold in (0, 1)}
    assert local.replace(tzinfo=rules).utcoffset() in expected


def test_rules_that_are_regular_go_on_for_ever_and_others_are_listed() -> None:
    assert b"RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3" in vtimezone("Europe/Berlin", 2026).to_ical()
    assert b"RDATE" in vtimezone("Africa/Casablanca", 2020).to_ical()
    assert vtimezone("Asia/Kathmandu", 2026).to_ical().count(b"BEGIN:STANDARD") == 1
