"""Spans as results tell them: in UTC, and on the clocks of a zone."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from almanac.families.time.core.spans import Span, span_of, span_of_days

NEW_YORK = ZoneInfo("America/New_York")


def test_a_span_is_told_in_utc_and_on_the_clocks_of_the_zone() -> None:
    span = span_of(datetime(2026, 3, 8, 4, 30, tzinfo=UTC), datetime(2026, 3, 8, 7, 30, tzinfo=UTC), NEW_YORK)
    assert span == Span(
        start="2026-03-08T04:30:00Z",
        end="2026-03-08T07:30:00Z",
        local_start="2026-03-07T23:30:00-05:00",
        local_end="2026-03-08T03:30:00-04:00",
        day_of_week="Saturday",
    )


def test_a_span_of_whole_days_is_told_in_dates() -> None:
    first, end = date(2026, 3, 9), date(2026, 3, 11)
    assert span_of_days(first, end) == Span("2026-03-09", "2026-03-11", "2026-03-09", "2026-03-11", "Monday")
