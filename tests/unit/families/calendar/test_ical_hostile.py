"""Texts that are broken, odd or made to hurt: read as far as they can be, without a crash, in bounded time."""

from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from almanac.families.calendar.ical.parser import ReadEvents, read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.instances import interval_of, split_series, times
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput
from tests.cpu_time import measure_cpu_seconds

YEAR = Interval(1_767_225_600_000, 1_798_761_600_000)
NAMES = st.sampled_from(
    [
        *("BEGIN", "END", "DTSTART", "DTEND", "DURATION", "RRULE", "EXRULE", "RDATE", "EXDATE", "RECURRENCE-ID", "UID"),
        *("SUMMARY", "ATTENDEE", "ORGANIZER", "CATEGORIES", "TRIGGER", "ACTION", "TZID", "TZOFFSETFROM", "TZOFFSETTO"),
        *("STATUS", "SEQUENCE", "METHOD", "DUE", "COMPLETED", "X-ODD", "CREATED", "GEO", "REPEAT", ""),
    ]
)
PARAMETERS = st.sampled_from(
    ["", ";TZID=Here", ";VALUE=DATE", ";VALUE=PERIOD", ";RANGE=THISANDFUTURE", ';CN="', ";RELATED=END", ";X=;=", ";"]
)
VALUES = st.sampled_from(
    [
        *("VEVENT", "VTODO", "VALARM", "VTIMEZONE", "STANDARD", "VCALENDAR", "20260301T120000Z", "20260301", "soon"),
        *(
            "20260301T120000Z/PT1H",
            "20260301T120000/20260301T110000",
            "PT1H",
            "-P1D",
            "P1DT1H",
            "+0100",
            "-2500",
            "Here",
        ),
        *("FREQ=DAILY", "FREQ=SECONDLY", "FREQ=YEARLY;BYEASTER=1", "COUNT=3", "mailto:a@example.com", "1;2", "CANCEL"),
        *("99991231T235959Z", "00010101T000000Z", "PERIOD:", "\\", "DECLINED", "CONFIRMED"),
    ]
)


def line(name: str, more: str, value: str) -> str:
    return f"{name}{more}:{value}"


LINES = st.builds(line, NAMES, PARAMETERS, VALUES) | st.text(max_size=30)
WHOLE = [
    "BEGIN:VEVENT",
    "UID:a",
    "DTSTART;TZID=Here:20260301T120000",
    "DURATION:PT1H",
    "RRULE:FREQ=WEEKLY",
    "END:VEVENT",
]


def use_events(found: ReadEvents) -> None:
    """Do everything with the parsed events that the product does."""
    single, series = split_series(found.events, find_zone("Europe/Berlin"))
    for event in single:
        interval_of(event, find_zone("Europe/Berlin"))
    for one in series:
        assert all(start <= end for start, end in times(one, YEAR))
    again = read_events(write_events(found.events), find_zone("Europe/Berlin"), todos=True)
    assert again.problems == ()
    assert set(again.events) == {replace(event, left_out=()) for event in found.events}
    assert read_events(write_events(again.events), find_zone("Europe/Berlin"), todos=True) == again


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(LINES, max_size=25), st.integers(0, 6), st.sampled_from(["\r\n", "\n", "\r"]))
def test_any_lines_are_read_and_written_again(lines: list[str], place: int, end: str) -> None:
    inside = [*WHOLE[:place], *lines, *WHOLE[place:]]
    text = end.join(["BEGIN:VCALENDAR", *inside, "END:VCALENDAR"])
    use_events(read_events(text.encode("utf-8", "surrogatepass"), find_zone("Europe/Berlin"), todos=True))


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300), st.integers(0, 120))
def test_any_bytes_are_read_or_refused(noise: bytes, place: int) -> None:
    whole = "\r\n".join(["BEGIN:VCALENDAR", *WHOLE, "END:VCALENDAR"]).encode()
    for text in (noise, whole[:place] + noise + whole[place:]):
        try:
            use_events(read_events(text, find_zone("Europe/Berlin"), todos=True))
        except InvalidInput as refused:
            assert "iCalendar" in refused.message


def calendar(*lines: str) -> bytes:
    return "\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"]).encode()


def event(*lines: str) -> list[str]:
    return ["BEGIN:VEVENT", "UID:a", "DTSTART:20260301T120000Z", "DURATION:PT1H", *lines, "END:VEVENT"]


FIRST = datetime(2026, 1, 1)
DATES = ",".join(f"{FIRST + timedelta(minutes=5 * number):%Y%m%dT%H%M%SZ}" for number in range(30_000))
MANY = ";".join(["BYDAY=XX"] * 50_000)
OBSERVANCE = ["BEGIN:STANDARD", "DTSTART:19700101T000000", "TZOFFSETFROM:+0100", "TZOFFSETTO:+0200", "END:STANDARD"]


@pytest.mark.parametrize(
    "text",
    [
        calendar(*(["BEGIN:VEVENT"] * 5_000)),
        calendar(*(["BEGIN:X-DEEP"] * 20_000), *event()),
        calendar(*event(*(["BEGIN:VALARM", "TRIGGER:-PT1M", "END:VALARM"] * 5_000))),
        calendar(*event(f"RDATE:{DATES}")),
        calendar(*event(f"EXDATE:{DATES}", "RRULE:FREQ=HOURLY")),
        calendar(*event("X-LONG:" + "A" * 3_000_000)),
        calendar(*event("SUMMARY:" + ";".join(["A=B"] * 200_000))),
        calendar(*event(*(["EXRULE:FREQ=SECONDLY"] * 1000), "RRULE:FREQ=SECONDLY")),
        calendar(*event(f"RRULE:{MANY}", f"RRULE:FREQ=DAILY;{MANY}")),
        calendar(*event(*(["ATTENDEE:mailto:a@example.com"] * 20_000))),
        calendar(*event("SUMMARY:a\r\n " + "\r\n ".join(["b"] * 200_000))),
        calendar(
            *(
                line
                for number in range(400)
                for line in ["BEGIN:VTIMEZONE", f"TZID:Z{number}", *OBSERVANCE, *OBSERVANCE, "END:VTIMEZONE"]
            ),
            *(
                line
                for number in range(400)
                for line in ["BEGIN:VEVENT", f"UID:{number}", f"DTSTART;TZID=Z{number}:20260301T120000", "END:VEVENT"]
            ),
        ),
        calendar(
            *("BEGIN:VTIMEZONE", "TZID:Z", *(OBSERVANCE * 5_000), "END:VTIMEZONE"),
            *event("RDATE;TZID=Z:20260302T120000"),
        ),
    ],
    ids=[
        *("half_open", "deep", "alarms", "rdates", "exdates", "long_line", "parameters", "exrules", "rule_parts"),
        *("attendees", "folds", "zones", "observances"),
    ],
)
def test_what_is_made_to_hurt_is_read_in_bounded_time(text: bytes) -> None:
    found, seconds = measure_cpu_seconds(lambda: read_events(text, find_zone("Europe/Berlin")))
    assert seconds < 6
    for one in split_series(found.events, find_zone("Europe/Berlin"))[1]:
        count, seconds = measure_cpu_seconds(lambda series=one: sum(1 for _ in times(series, YEAR)))
        assert count < 200_000
        assert seconds < 5
