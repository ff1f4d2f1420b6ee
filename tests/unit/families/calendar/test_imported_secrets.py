"""Secrets in imported files: gone before anything is stored, with a row for each event that held some."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from almanac.families.calendar.accounts.exchange import ImportReport, export_text, import_text
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.events import Event
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.redactions.records import REDACTIONS, Redaction
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.content.redaction.made_up import UPPER, random_text
from tests.unit.families.calendar.services import NOW

SCOPE = Scope("acme", "main")
AWS_KEY = "AKIA" + random_text(16, UPPER)
ROOM = "https://zoom.us/j/123456789?pwd=abcDEF12ghij"


@pytest.fixture
def calendars(tmp_path: Path) -> Iterator[Calendars]:
    clock = FixedClock(NOW)
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
    yield Calendars(store, SCOPE, clock=clock)
    store.close()


def import_lines(calendars: Calendars, *lines: str) -> ImportReport:
    event = ("BEGIN:VEVENT", "UID:a", "DTSTAMP:20260101T000000Z", "DTSTART:20260305T100000Z", "DURATION:PT1H")
    text = ("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", *event, *lines, "END:VEVENT", "END:VCALENDAR", "")
    return import_text(calendars, "primary", "\r\n".join(text).encode(), actor="ann", random_bytes=os.urandom)


def stored_event(calendars: Calendars) -> Event:
    (event,) = calendars.events(calendars.find("primary"))
    return event


def rows(calendars: Calendars) -> list[Redaction]:
    return list(REDACTIONS.within(calendars.store, SCOPE).every())


EVERYWHERE = (
    f"SUMMARY:Deploy {AWS_KEY}",
    f"DESCRIPTION:with {AWS_KEY}",
    f"LOCATION:behind {AWS_KEY}",
    f"CATEGORIES:{AWS_KEY}",
    f"URL:https://x.example/{AWS_KEY}",
    f"ATTENDEE;CN=Ann {AWS_KEY}:mailto:ann@x.example",
    f"X-NOTE:{AWS_KEY}",
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "TRIGGER:-PT15M",
    f"DESCRIPTION:think of {AWS_KEY}",
    "END:VALARM",
)


def test_nothing_of_a_secret_is_stored_wherever_in_the_event_it_was(calendars: Calendars, tmp_path: Path) -> None:
    report = import_lines(calendars, *EVERYWHERE)
    assert (report.written, report.redacted) == (1, 1)
    event = stored_event(calendars)
    assert event.summary == "Deploy [REDACTED:aws_access_key]"
    assert event.alarms[0].description == "think of [REDACTED:aws_access_key]"
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert AWS_KEY.encode() not in kept


def test_a_row_says_which_event_lost_what_and_where_once_however_often_the_file_comes(calendars: Calendars) -> None:
    import_lines(calendars, *EVERYWHERE)
    again = import_lines(calendars, *EVERYWHERE)
    assert (again.written, again.unchanged) == (0, 1)
    (row,) = rows(calendars)
    assert (row.where, row.item, row.actor) == ("event", stored_event(calendars).id, "ann")
    assert {each.kind for each in row.removed} == {"aws_access_key"}
    assert {"summary", "description", "location"} <= {each.path for each in row.removed}


def test_the_code_of_an_online_meeting_stays_in_the_invitation(calendars: Calendars) -> None:
    assert import_lines(calendars, "SUMMARY:Review", f"DESCRIPTION:Join {ROOM}", f"URL:{ROOM}").redacted == 0
    assert (stored_event(calendars).description, stored_event(calendars).url) == (f"Join {ROOM}", ROOM)
    assert rows(calendars) == []


def test_an_export_has_what_is_kept(calendars: Calendars) -> None:
    import_lines(calendars, *EVERYWHERE)
    text = export_text(calendars, "primary").text
    assert AWS_KEY.encode() not in text
    assert b"[REDACTED:aws_access_key]" in text.replace(b"\r\n ", b"")
