"""A calendar that a web server on loopback publishes as a single iCalendar text."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.doubles.loopback import serve

TEXT = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
X-WR-CALNAME:Match days\\, home
{head}{events}END:VCALENDAR
"""
EVENT = """\
BEGIN:VEVENT
UID:{uid}
DTSTAMP:20260101T000000Z
DTSTART:{start}
DURATION:PT1H
SUMMARY:{uid}
END:VEVENT
"""


def calendar_text(*events: tuple[str, str], head: str = "") -> bytes:
    """Return a calendar with events of these UIDs and starts."""
    return TEXT.format(head=head, events="".join(EVENT.format(uid=uid, start=start) for uid, start in events)).encode()


@dataclass
class PublishedCalendar:
    """A published text and a record of its requests.

    `headers` are those of the answer, `requests` has the headers of each request, and `statuses` the status of each
    answer. A matching If-None-Match or If-Modified-Since is answered with 304.
    """

    text: bytes
    headers: dict[str, str] = field(default_factory=dict[str, str])
    status: int = 200
    requests: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    statuses: list[int] = field(default_factory=list[int])


@contextmanager
def publish(calendar: PublishedCalendar) -> Generator[str]:
    """Publish the calendar, and yield its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self) -> None:
            asked = {name.lower(): value for name, value in self.headers.items()}
            calendar.requests.append(asked)
            etag, modified = calendar.headers.get("ETag"), calendar.headers.get("Last-Modified")
            same = (etag is not None and asked.get("if-none-match") == etag) or (
                "if-none-match" not in asked and modified is not None and asked.get("if-modified-since") == modified
            )
            status, body = (304, b"") if same else (calendar.status, calendar.text)
            calendar.statuses.append(status)
            self.send_response(status)
            for name, value in calendar.headers.items():
                self.send_header(name, value)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with serve(Handler) as address:
        yield f"{address}/private-4711/basic.ics"
