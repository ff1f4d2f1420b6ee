"""Test series within a window of a calendar: their times and their views."""

from datetime import datetime

from msgspec.structs import replace

from almanac.families.calendar.entries.codec import event_entry, view_of_entry
from almanac.families.calendar.entries.view import RecurringEntries
from almanac.families.calendar.entries.window_index import ExpandedWindow
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.time.core.zones import find_zone
from almanac.kernel.instants import milliseconds

ZONE = "Europe/Berlin"
WINDOW = Interval(*(milliseconds(datetime.fromisoformat(day)) for day in ("2026-03-01T00:00Z", "2026-04-15T00:00Z")))
WEEKLY = Event(
    id="w",
    uid="w",
    start=ZonedTime(datetime.fromisoformat("2026-03-02T09:00"), ZONE),
    end=ZonedTime(datetime.fromisoformat("2026-03-02T10:00"), ZONE),
    rrule="FREQ=WEEKLY",
)


def expand_window(*events: Event) -> ExpandedWindow:
    zone = find_zone(ZONE)
    wide = RecurringEntries([view_of_entry(event_entry("primary", event, zone)) for event in events], zone)
    return ExpandedWindow(WINDOW, wide)


def test_what_is_shown_of_a_series_takes_exactly_its_busy_time():
    stretch = expand_window(WEEKLY)

    shown = stretch.near(WINDOW)

    assert [one.interval for one in shown] == stretch.permanent_busy
    assert len(shown) == len(stretch) == 7
    assert all(one.recurs and one.busy and one.filed.id == "w" for one in shown)


def test_a_window_inside_shows_the_instances_nearby_only():
    week = Interval(WINDOW.start + 20 * 86_400_000, WINDOW.start + 27 * 86_400_000)

    starts = {one.start for one in expand_window(WEEKLY).near(week)}

    assert milliseconds(datetime.fromisoformat("2026-03-23T08:00Z")) in starts
    assert milliseconds(datetime.fromisoformat("2026-03-09T08:00Z")) not in starts


def test_a_series_that_takes_no_time_is_shown_and_not_busy():
    stretch = expand_window(replace(WEEKLY, transparent=True))

    assert stretch.permanent_busy == []
    assert len(stretch.near(WINDOW)) == 7


def test_an_instance_that_was_moved_stands_beside_its_series():
    moved = replace(
        WEEKLY,
        id="m",
        start=ZonedTime(datetime.fromisoformat("2026-03-10T14:00"), ZONE),
        end=ZonedTime(datetime.fromisoformat("2026-03-10T15:00"), ZONE),
        rrule=None,
        recurrence_id=ZonedTime(datetime.fromisoformat("2026-03-09T09:00"), ZONE),
    )

    starts = [one.start for one in sorted(expand_window(WEEKLY, moved).near(WINDOW))]

    assert starts[1] == milliseconds(datetime.fromisoformat("2026-03-10T13:00Z"))
    assert len(starts) == 7
