"""Files as programs write them."""

from datetime import date, datetime

import pytest

from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.ical.writer import write_events
from almanac.families.calendar.model.events import AllDay, Event, ZonedTime, instant_of
from almanac.families.time.core.zones import UTC_ZONE, find_zone

OUTLOOK = """BEGIN:VCALENDAR
PRODID:-//Microsoft Corporation//Outlook 16.0 MIMEDIR//EN
VERSION:2.0
METHOD:REQUEST
X-MS-OLK-FORCEINSPECTOROPEN:TRUE
BEGIN:VTIMEZONE
TZID:(UTC-03:00) Brasília
BEGIN:STANDARD
DTSTART:16010101T000000
TZOFFSETFROM:-0300
TZOFFSETTO:-0300
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
ATTENDEE;CN="Silva, Ana";ROLE=REQ-PARTICIPANT;PARTSTAT=NEEDS-ACTION;RSVP=TRUE:mailto:ana@example.com
CLASS:PUBLIC
DESCRIPTION:Reunião\\n
DTEND;TZID="(UTC-03:00) Brasília":20260302T110000
DTSTART;TZID="(UTC-03:00) Brasília":20260302T100000
ORGANIZER;CN="Boss":mailto:boss@example.com
UID:040000008200E00074C5B7101A82E008
X-ALT-DESC;FMTTYPE=text/html:<html><body>Reunião</body></html>
X-MICROSOFT-CDO-BUSYSTATUS:BUSY
SUMMARY;LANGUAGE=pt-br:Reunião
END:VEVENT
END:VCALENDAR
"""
HOLIDAYS = """BEGIN:VCALENDAR
VERSION:2.0
{days}
END:VCALENDAR
"""
HOLIDAY = """BEGIN:VEVENT
UID:{number}
SUMMARY:Feiertag {number}
DTSTART;VALUE=DATE:202605{number:02d}
RRULE:
TRANSP:TRANSPARENT
END:VEVENT"""
LOTUS = """BEGIN:VCALENDAR
X-LOTUS-CHARSET:UTF-8
VERSION:2.0
BEGIN:VTIMEZONE
TZID:Eastern
BEGIN:STANDARD
DTSTART:19501105T020000
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=11
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19500312T020000
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
RRULE:FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=2SU;BYMONTH=3
END:DAYLIGHT
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID="Eastern":20260302T090000
DTEND;TZID="Eastern":20260302T100000
RDATE;VALUE=PERIOD;TZID="Eastern":20260302T090000/20260302T100000
 ,20260309T090000/20260309T103000
UID:lotus
SUMMARY:Review
END:VEVENT
END:VCALENDAR
"""


def read(text: str | bytes, count: int = 1) -> tuple[Event, ...]:
    found = read_events(
        text if isinstance(text, bytes) else text.replace("\n", "\r\n").encode(), find_zone("Europe/Berlin")
    )
    assert found.problems == ()
    assert len(found.events) == count
    return found.events


def test_an_invitation_of_outlook_in_its_own_words_for_a_zone() -> None:
    (event,) = read(OUTLOOK)
    assert f"{instant_of(event.start, UTC_ZONE):%m-%d %H:%M}" == "03-02 13:00"
    assert event.partial == ()
    assert event.attendee_details[0].name == "Silva, Ana"
    assert "X-MICROSOFT-CDO-BUSYSTATUS:BUSY" in event.other


def test_a_file_of_holidays_with_empty_rules_is_read_whole() -> None:
    days = "\n".join(HOLIDAY.format(number=number) for number in range(1, 29))
    events = read(HOLIDAYS.format(days=days), 28)
    assert all(isinstance(event.start, AllDay) and not event.is_series and not event.partial for event in events)


def test_a_series_of_lotus_is_read_by_its_periods() -> None:
    (event,) = read(LOTUS)
    assert event.partial == ()
    assert [f"{instant_of(one.end, UTC_ZONE):%m-%d %H:%M}" for one in event.periods] == [
        "03-02 15:00",
        "03-09 14:30",
    ]


@pytest.mark.parametrize(
    "data",
    [
        OUTLOOK.encode("utf-8-sig"),
        OUTLOOK.encode("utf-16"),
        OUTLOOK.replace("\n", "\r").encode(),
        OUTLOOK.replace("\n", "\r\n").encode("cp1252"),
        OUTLOOK.replace("\n", "\n\n").encode(),
        # Folded inside of letters, as programs do that count bytes.
        b"\r\n ".join(OUTLOOK.replace("\n", "\r\n").encode().split(b"\xc3")).replace(b"\r\n ", b"\xc3\r\n "),
        OUTLOOK.replace("BEGIN:VEVENT", "begin:vevent").replace("END:VEVENT", "End:VEvent").encode(),
    ],
    ids=["mark", "utf16", "cr", "cp1252", "empty_lines", "folded_letters", "letter_case"],
)
def test_however_the_text_is_written(data: bytes) -> None:
    (event,) = read(data)
    assert event.summary == "Reunião"
    assert f"{instant_of(event.start, UTC_ZONE):%H:%M}" == "13:00"
    assert event.partial == ()


def test_one_broken_line_costs_nothing_else() -> None:
    fine = "BEGIN:VEVENT\nUID:{0}\nDTSTART:2026030{0}T120000Z\nEND:VEVENT"
    broken = fine.format(2).replace("DTSTART", "DTSTART 2026\nDTSTART")
    text = "\n".join(["BEGIN:VCALENDAR", "garbage", fine.format(1), broken, fine.format(3), "END:VCALENDAR"])
    found = read_events(text.encode(), UTC_ZONE)
    assert [event.uid for event in found.events] == ["1", "2", "3"]
    assert [bool(event.partial) for event in found.events] == [False, True, False]
    assert "line 9 cannot be read" in found.events[1].partial
    assert found.problems == ("line 2 cannot be read",)


def test_several_calendars_in_one_file_have_zones_of_their_own() -> None:
    other = OUTLOOK.replace("-0300", "-0500").replace("UID:04", "UID:05")
    first, second = read(OUTLOOK + other, 2)
    assert [f"{instant_of(one.start, UTC_ZONE):%H:%M}" for one in (first, second)] == ["13:00", "15:00"]


def test_parts_inside_of_others_are_found() -> None:
    event = "BEGIN:VEVENT\nUID:a\nDTSTART;VALUE=DATE:20260302\nEND:VEVENT"
    text = f"BEGIN:VCALENDAR\nBEGIN:X-GROUP\n{event}\nEND:X-GROUP\nEND:VCALENDAR"
    assert read(text)[0].start == AllDay(date(2026, 3, 2))


def test_of_one_uid_twice_the_newer_counts() -> None:
    text = "".join(
        f"BEGIN:VEVENT\nUID:a\nSEQUENCE:{number}\nDTSTART:2026030{number}T120000Z\nEND:VEVENT\n" for number in (3, 1, 2)
    )
    assert read(f"BEGIN:VCALENDAR\n{text}END:VCALENDAR")[0].start == ZonedTime(datetime(2026, 3, 3, 12), "UTC")


def test_a_path_with_a_backslash_is_written_as_it_is() -> None:
    path = "C:\\\\New\\\\nothing"
    inside = f"BEGIN:VEVENT\nUID:a\nDTSTART:20260302T120000Z\nSUMMARY:{path}\nEND:VEVENT"
    (event,) = read(f"BEGIN:VCALENDAR\n{inside}\nEND:VCALENDAR")
    assert event.summary == "C:\\New\\nothing"
    assert read(write_events([event])) == (event,)
