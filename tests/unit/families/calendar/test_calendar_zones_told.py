"""The zone that a CalDAV server tells of a calendar."""

import pytest

from almanac.families.calendar.providers.caldav.dav_xml import read_multistatus
from almanac.families.calendar.providers.caldav.discovery import Home, calendars_of

RULES = """BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:{tzid}
BEGIN:STANDARD
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
END:DAYLIGHT
END:VTIMEZONE
END:VCALENDAR
"""
ANSWER = """<?xml version="1.0"?><D:multistatus xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><D:response>
<D:href>/home/work/</D:href><D:propstat><D:prop><D:resourcetype><D:collection/><C:calendar/></D:resourcetype>
<D:displayname>Work</D:displayname>{told}</D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>
</D:multistatus>"""


class Server:
    """Answers with one list of calendars."""

    name = "The server"

    def __init__(self, told: str) -> None:
        self._told = told

    def request_multistatus(self, *_: object, **__: object) -> object:
        return read_multistatus(ANSWER.format(told=self._told).encode(), "https://example.com/home/", self.name)


def zone(named: str | None, text: str | None) -> str | None:
    told = f"<C:calendar-timezone-id>{named}</C:calendar-timezone-id>" if named is not None else ""
    told += f"<C:calendar-timezone>{text}</C:calendar-timezone>" if text is not None else ""
    return calendars_of(Server(told), Home("https://example.com/home/"))[0].timezone  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("named", "text", "expected"),
    [
        ("Europe/Berlin", None, "Europe/Berlin"),
        (" europe/berlin ", RULES.format(tzid="Asia/Tokyo"), "Europe/Berlin"),
        ("Nowhere/Land", RULES.format(tzid="Europe/Berlin"), "Europe/Berlin"),
        ("", RULES.format(tzid="W. Europe Standard Time"), "Europe/Berlin"),
        (None, RULES.format(tzid="Head Office"), "Europe/Amsterdam"),
        ("Nowhere/Land", "no text", None),
        ("Nowhere/Land", None, None),
        (None, None, None),
    ],
)
def test_a_name_that_nobody_knows_does_not_hide_the_rules_beside_it(
    named: str | None, text: str | None, expected: str | None
) -> None:
    assert zone(named, text) == expected
