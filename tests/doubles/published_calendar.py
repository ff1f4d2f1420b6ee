"""A calendar that a web server publishes as one text, on loopback."""

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
    """A text with these events, by UID and start."""
    return TEXT.format(head=head, events="".join(EVENT.format(uid=uid, start=start) for uid, start in events)).encode()


@dataclass
class Published:
    """`headers` are those of the answer, `asked` the headers of each request. An answer to a matching If-None-Match or
    If-Modified-Since is 304."""

    text: bytes
    headers: dict[str, str] = field(default_factory=dict[str, str])
    status: int = 200
    asked: list[Mapping[str, str]] = field(default_factory=list[Mapping[str, str]])
    answered: list[int] = field(default_factory=list[int])


@contextmanager
def publish(calendar: Published) -> Generator[str]:
    """Its URL."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self) -> None:
            asked = {name.lower(): value for name, value in self.headers.items()}
            calendar.asked.append(asked)
            etag, modified = calendar.headers.get("ETag"), calendar.headers.get("Last-Modified")
            same = (etag is not None and asked.get("if-none-match") == etag) or (
                "if-none-match" not in asked and modified is not None and asked.get("if-modified-since") == modified
            )
            status, body = (304, b"") if same else (calendar.status, calendar.text)
            calendar.answered.append(status)
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
