"""Words that name a time: the contract's table first, then the grammar of the time tools."""

from datetime import UTC, datetime

import pytest

from almanac.families.context.orientation.expressions import resolve_expression
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds

WEDNESDAY = milliseconds(datetime(2026, 2, 25, 14, 15, 3, 250_000, tzinfo=UTC))
MONDAY = milliseconds(datetime(2026, 2, 23, 14, 15, tzinfo=UTC))
SUNDAY_OF_CHANGE = milliseconds(datetime(2026, 3, 8, 16, tzinfo=UTC))


def resolve(expression: str, now: int = WEDNESDAY, zone: str = "America/New_York") -> str:
    instant = instant_at(resolve_expression(expression, now, find_zone(zone)))
    return instant.astimezone(find_zone(zone)).isoformat(timespec="milliseconds")


@pytest.mark.parametrize(
    ("expression", "meant"),
    [
        ("now", "2026-02-25T09:15:03.250-05:00"),
        ("today", "2026-02-25T00:00:00.000-05:00"),
        ("yesterday", "2026-02-24T00:00:00.000-05:00"),
        ("tomorrow", "2026-02-26T00:00:00.000-05:00"),
        ("start of day", "2026-02-25T00:00:00.000-05:00"),
        ("end of day", "2026-02-25T23:59:59.999-05:00"),
        ("start of week", "2026-02-23T00:00:00.000-05:00"),
        ("end of week", "2026-03-01T23:59:59.999-05:00"),
        ("start of next week", "2026-03-02T00:00:00.000-05:00"),
        ("start of last week", "2026-02-16T00:00:00.000-05:00"),
        ("next Monday", "2026-03-02T00:00:00.000-05:00"),
        ("next Wednesday", "2026-03-04T00:00:00.000-05:00"),
        ("next Thursday", "2026-02-26T00:00:00.000-05:00"),
        ("last Wednesday", "2026-02-18T00:00:00.000-05:00"),
        ("last Thursday", "2026-02-19T00:00:00.000-05:00"),
        ("last Tuesday", "2026-02-24T00:00:00.000-05:00"),
        ("  NEXT \t monday ", "2026-03-02T00:00:00.000-05:00"),
        ("2026-03-02T05:00:00.000Z", "2026-03-02T00:00:00.000-05:00"),
        ("2026-03-02T05:00:00+05:30", "2026-03-01T18:30:00.000-05:00"),
        ("2026-03-02", "2026-03-02T00:00:00.000-05:00"),
        ("1772427600000", "2026-03-02T00:00:00.000-05:00"),
        ("1772427600", "1970-01-21T07:20:27.600-05:00"),
        # Beyond the table.
        ("in 2 hours", "2026-02-25T11:15:03.250-05:00"),
        ("next Tuesday at 2pm", "2026-03-03T14:00:00.000-05:00"),
        ("end of month", "2026-02-28T23:59:59.999-05:00"),
        ("eob", "2026-02-25T17:00:00.000-05:00"),
        # Clocks skip half past two: the first time that exists after it.
        ("2026-03-08 02:30", "2026-03-08T03:00:00.000-04:00"),
    ],
)
def test_an_expression_means_one_instant(expression: str, meant: str) -> None:
    assert resolve(expression) == meant


def test_next_and_last_are_never_today() -> None:
    assert resolve("next monday", MONDAY) == "2026-03-02T00:00:00.000-05:00"
    assert resolve("last monday", MONDAY) == "2026-02-16T00:00:00.000-05:00"


def test_a_day_ends_at_its_end_and_a_week_with_sunday_when_the_clocks_change() -> None:
    assert resolve("end of day", SUNDAY_OF_CHANGE) == "2026-03-08T23:59:59.999-04:00"
    assert resolve("end of week", SUNDAY_OF_CHANGE) == "2026-03-08T23:59:59.999-04:00"
    assert resolve("start of week", SUNDAY_OF_CHANGE) == "2026-03-02T00:00:00.000-05:00"
    assert resolve("start of next week", SUNDAY_OF_CHANGE) == "2026-03-09T00:00:00.000-04:00"


@pytest.mark.parametrize("expression", ["blursday", "next", "", "   ", "9" * 15, "9" * 5000, "9999-12-31T23:00:00Z"])
def test_what_is_no_time_is_refused(expression: str) -> None:
    with pytest.raises(InvalidInput):
        resolve(expression)


def test_a_refusal_names_near_forms() -> None:
    with pytest.raises(InvalidInput) as refused:
        resolve("nxt monday")
    assert '"next Monday"' in refused.value.hint
