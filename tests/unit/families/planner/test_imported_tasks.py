"""Test imported files in the planner: to-dos, reminders, answers, and unreadable parts."""

import os
from datetime import UTC, datetime

import pytest

from almanac.families.calendar.accounts.exchange import ImportReport, export_text, import_text
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.ical.parser import read_events
from almanac.families.calendar.model.availability import Interval
from almanac.families.planner.events.imported_tasks import ImportedTasks
from almanac.families.time.core.zones import find_zone
from tests.project_app import ProjectApp


def calendars_of(app: ProjectApp) -> Calendars:
    return Calendars(app.store, app.caller.scope, clock=app.clock, default_zone="America/New_York")


def import_tasks(app: ProjectApp, *components: str, calendar: str = "primary") -> ImportReport:
    """Each as its kind, then lines between commas."""
    lines: list[str] = []
    for one in components:
        kind, *inside = one.split("|")
        lines += [f"BEGIN:{kind}", *inside, f"END:{kind}"]
    text = "\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR"])
    return import_text(
        calendars_of(app),
        calendar,
        text.encode(),
        actor="ann",
        random_bytes=os.urandom,
        owner_addresses=["mailto:Ann@Example.com"],
        tasks=ImportedTasks(app.store, app.caller.scope, calendar),
    )


def export_calendar(app: ProjectApp, calendar: str = "primary") -> str:
    calendars = calendars_of(app)
    text = export_text(calendars, calendar, ImportedTasks(app.store, app.caller.scope, calendar)).text
    assert read_events(text, find_zone("America/New_York"), todos=True).problems == ()
    return text.decode().replace("\r\n ", "")


def busy(app: ProjectApp) -> int:
    calendars = calendars_of(app)
    calendar = calendars.find("primary")
    begin = int(datetime(2026, 2, 1, tzinfo=UTC).timestamp() * 1000)
    return len(calendars.busy(calendar, Interval(begin, begin + 60 * 86_400_000)))


TASK = "VTODO|UID:t1|SUMMARY:Pay rent|DUE;TZID=America/New_York:20260220T120000|PRIORITY:1"


def test_a_to_do_becomes_a_pending_task_that_takes_no_time(app: ProjectApp) -> None:
    report = import_tasks(app, TASK)
    assert (report.written, report.todos, report.problems) == (1, 1, ())
    (event,) = app.do("calendar_list_events", dateFrom="2026-02-20", dateTo="2026-02-20")["events"]
    assert (event["title"], event["type"], event["status"]) == ("Pay rent", "task", "pending")
    assert busy(app) == 0
    text = export_calendar(app)
    assert "BEGIN:VTODO" in text
    assert "DUE;TZID=America/New_York:20260220T120000" in text
    assert "PRIORITY:1" in text


def test_one_that_is_done_is_done_and_one_ticked_off_here_stays_so(app: ProjectApp) -> None:
    import_tasks(
        app, TASK, TASK.replace("t1", "t2") + "|STATUS:COMPLETED|COMPLETED:20260210T100000Z|PERCENT-COMPLETE:100"
    )
    events = app.do("calendar_list_events", dateFrom="2026-02-20", dateTo="2026-02-20")["events"]
    assert sorted(event["status"] for event in events) == ["done", "pending"]
    pending = next(event for event in events if event["status"] == "pending")
    app.do("calendar_update_event", eventId=pending["id"], status="done")
    assert export_calendar(app).count("STATUS:COMPLETED") == 2
    import_tasks(app, TASK.replace("rent", "the rent"))
    events = app.do("calendar_list_events", dateFrom="2026-02-20", dateTo="2026-02-20")["events"]
    assert {event["status"] for event in events} == {"done"}
    assert "Pay the rent" in {event["title"] for event in events}


def test_a_day_is_the_day_that_it_is_due(app: ProjectApp) -> None:
    import_tasks(app, "VTODO|UID:t|SUMMARY:Tax|DUE;VALUE=DATE:20260220")
    (event,) = app.do("calendar_list_events", dateFrom="2026-02-20", dateTo="2026-02-20")["events"]
    assert (event["title"], event["type"]) == ("Tax", "task")
    assert "DUE;VALUE=DATE:20260220" in export_calendar(app)


def test_a_to_do_is_a_task_in_whichever_calendar_it_is_imported(app: ProjectApp) -> None:
    calendar = app.do("create_calendar", name="Work")["id"]
    import_tasks(app, TASK.replace("20260220", "20260216"), calendar=calendar)
    (event,) = app.do("calendar_list_events", dateFrom="2026-02-16", dateTo="2026-02-16")["events"]
    assert (event["calendarId"], event["type"]) == (calendar, "task")
    assert [one["id"] for one in app.do("daily_overview")["overdue"]] == [event["id"]]
    app.do("calendar_update_event", eventId=event["id"], status="done")
    assert "STATUS:COMPLETED" in export_calendar(app, calendar=calendar)


def test_a_to_do_without_a_day_is_named(app: ProjectApp) -> None:
    report = import_tasks(app, "VTODO|UID:t|SUMMARY:Some day", "VEVENT|UID:e|DTSTART:20260219T150000Z")
    assert report.written == 1
    assert "Some day" in report.problems[0]


@pytest.mark.parametrize(
    ("lines", "blocks"),
    [
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:ann@example.com", 0),
        ("ATTENDEE;PARTSTAT=DECLINED;EMAIL=ann@example.com:urn:uuid:1", 0),
        ("ATTENDEE;PARTSTAT=ACCEPTED:mailto:ann@example.com", 1),
        ("ATTENDEE;PARTSTAT=DECLINED:mailto:ben@example.com", 1),
        ("STATUS:CANCELLED", 0),
        ("TRANSP:TRANSPARENT", 0),
        ("STATUS:TENTATIVE", 1),
    ],
)
def test_what_the_owner_declined_takes_no_time(app: ProjectApp, lines: str, blocks: int) -> None:
    import_tasks(app, f"VEVENT|UID:e|DTSTART:20260219T150000Z|DTEND:20260219T160000Z|{lines}")
    assert busy(app) == blocks


def test_an_export_keeps_what_an_import_read(app: ProjectApp) -> None:
    kept = (
        "ORGANIZER;CN=Boss:mailto:boss@example.com",
        "ATTENDEE;CN=Ann;PARTSTAT=DECLINED;ROLE=OPT-PARTICIPANT;RSVP=TRUE:mailto:ann@example.com",
        "CATEGORIES:Work,Travel",
        "X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT30M",
        "CLASS:PRIVATE",
        "GEO:52.5;13.4",
        "URL:https://example.com/1",
        "BEGIN:VALARM",
        "ACTION:DISPLAY",
        "TRIGGER;RELATED=END:-P1DT15M",
        "DESCRIPTION:Pack\\, then go",
        "REPEAT:2",
        "DURATION:PT5M",
        "X-WR-ALARMUID:1",
        "END:VALARM",
        "BEGIN:VALARM",
        "ACTION:EMAIL",
        "TRIGGER;VALUE=DATE-TIME:20260218T150000Z",
        "SUMMARY:Soon",
        "ATTENDEE:mailto:ann@example.com",
        "END:VALARM",
    )
    lines = "|".join(kept)
    assert import_tasks(app, f"VEVENT|UID:e|DTSTART:20260219T150000Z|{lines}").left_out == ()
    text = export_calendar(app)
    assert [line for line in kept if line not in text] == []


def test_reminders_survive_an_edit_of_the_event(app: ProjectApp) -> None:
    alarm = "BEGIN:VALARM|ACTION:AUDIO|TRIGGER:-PT10M|END:VALARM"
    import_tasks(app, f"VEVENT|UID:e|SUMMARY:Call|DTSTART:20260219T150000Z|DTEND:20260219T160000Z|X-A:1|{alarm}")
    (event,) = app.do("calendar_list_events", dateFrom="2026-02-19", dateTo="2026-02-19")["events"]
    app.do("calendar_update_event", eventId=event["id"], title="Phone", date="2026-02-20", time="09:00")
    text = export_calendar(app)
    assert "SUMMARY:Phone" in text
    assert "TRIGGER:-PT10M" in text
    assert "X-A:1" in text


def test_what_is_too_large_to_be_kept_is_named_at_import_and_export(app: ProjectApp) -> None:
    big = "ATTACH;ENCODING=BASE64;VALUE=BINARY:" + "A" * 10_000
    report = import_tasks(app, f"VEVENT|UID:e|SUMMARY:Call|DTSTART:20260219T150000Z|{big}")
    assert report.left_out == ('"Call": ATTACH',)
    assert export_text(calendars_of(app), "primary").left_out == report.left_out


def test_a_newer_series_takes_what_stood_for_its_instances_with_it(app: ProjectApp) -> None:
    series = "VEVENT|UID:s|DTSTART:20260302T090000Z|DURATION:PT1H|RRULE:FREQ=WEEKLY;COUNT=3|SEQUENCE:{}"
    moved = "VEVENT|UID:s|RECURRENCE-ID:20260309T090000Z|DTSTART:20260310T090000Z|DURATION:PT1H|SEQUENCE:{}"
    import_tasks(app, series.format(1), moved.format(1))
    days = [one["date"] for one in app.do("calendar_list_events", dateFrom="2026-03-01", dateTo="2026-03-31")["events"]]
    assert days == ["2026-03-02", "2026-03-10", "2026-03-16"]
    # The same version again, without the change, says nothing of it.
    assert import_tasks(app, series.format(1)).removed == 0
    assert import_tasks(app, series.format(2), moved.format(2)).removed == 0
    assert import_tasks(app, series.format(3)).removed == 1
    days = [one["date"] for one in app.do("calendar_list_events", dateFrom="2026-03-01", dateTo="2026-03-31")["events"]]
    assert days == ["2026-03-02", "2026-03-09", "2026-03-16"]


def test_an_answer_to_an_invitation_changes_nothing_and_a_cancellation_takes_it_back(app: ProjectApp) -> None:
    event = "BEGIN:VEVENT\r\nUID:e\r\nDTSTART:20260219T150000Z\r\nDTEND:20260219T160000Z\r\nEND:VEVENT\r\n"
    calendars = calendars_of(app)
    seen: list[int] = []
    for method, sequence in (("REQUEST", 0), ("REPLY", 1), ("COUNTER", 1), ("CANCEL", 2)):
        body = event.replace("END:VEVENT", f"SEQUENCE:{sequence}\r\nEND:VEVENT")
        text = f"BEGIN:VCALENDAR\r\nMETHOD:{method}\r\n{body}END:VCALENDAR"
        import_text(calendars, "primary", text.encode(), actor="ann", random_bytes=os.urandom)
        seen.append(busy(app))
    assert seen == [1, 1, 1, 0]
