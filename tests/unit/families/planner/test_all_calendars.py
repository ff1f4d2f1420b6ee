"""Test that the planner shows every calendar of the project, and changes native ones."""

from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.composition.services import services_for
from almanac.families.calendar.accounts.exchange import import_text
from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.accounts.sync_records import SYNCS, SyncRecord
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import CALENDARS, CalendarRecord
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.port import Provider
from almanac.families.planner.events import agendas
from almanac.families.planner.family import family as planner_family
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from tests.app import ToolRefusal
from tests.project_app import ProjectApp
from tests.unit.families.planner.agenda import agenda

ROOM = {"calendar_id": "room-2", "start": "2026-02-20T14:00:00-05:00", "end": "2026-02-20T15:00:00-05:00"}


class Silent:
    """Providers that do not answer, and how often they were asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def provider(self, calendar: CalendarRecord) -> Provider:
        raise Unavailable(f"{calendar.provider} does not answer.", "Later.")

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        self.asked.append(calendar.id)
        raise Unavailable(f"{calendar.provider} does not answer.", "Later.")

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        raise Unavailable(f"{calendar.provider} does not answer.", "Later.")

    def discover(self, calendar_id: str) -> None:
        del calendar_id


@pytest.fixture
def booked_interview(app: ProjectApp) -> dict[str, Any]:
    app.do("create_calendar", name="Room 2", calendar_id="room-2", timezone="America/New_York")
    return app.do("book_slot", summary="Interview", **ROOM)


def connect(app: ProjectApp, *names: str, role: Any = "owner", age_ms: int = 3_600_000) -> Silent:
    """Calendars at a provider that went silent after their shadow was read."""
    silent = Silent()
    services = services_for(app.store, app.clock, Providers(lambda _scope, _clock: silent))
    scope, now = app.caller.scope, now_ms(app.clock)
    for name in names:
        calendars = Calendars(app.store, scope, clock=app.clock)
        calendars.create(CalendarRecord(id=name, name="Work", timezone="UTC", created_at=1))
        text = (
            "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:far\r\nDTSTAMP:20260101T000000Z\r\n"
            "DTSTART:20260220T193000Z\r\nDTEND:20260220T201500Z\r\nSUMMARY:Far away\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        )
        import_text(calendars, name, text.encode(), actor="ann", random_bytes=lambda count: b"r" * count)
        kept = calendars.find(name)
        far = replace(kept, provider="caldav", account="me", access_role=role, version=kept.version + 1)
        app.store.write([CALENDARS.within(app.store, scope).put(far)])
        sync = SyncRecord(calendar=name, token=None, pulled_at=now - age_ms)
        app.store.write([SYNCS.within(app.store, scope).put(sync)])
    planner = planner_family.open(services)
    app.families = (app.families[0], planner)
    return silent


def test_a_booking_in_any_calendar_is_listed_with_its_calendar(
    app: ProjectApp, booked_interview: dict[str, Any]
) -> None:
    app.do("calendar_create_event", title="Call", date="2026-02-20", time="09:00", type="event")
    rows = app.do("calendar_list_events")["events"]
    assert [(row["title"], row["calendarId"], row["calendarName"]) for row in rows] == [
        ("Call", "primary", "Primary"),
        ("Interview", "room-2", "Room 2"),
    ]
    assert rows[1]["id"] == f"{booked_interview['event_id']}@room-2"
    overview = app.do("daily_overview")
    assert [(row["title"], row["calendarId"]) for row in overview["items"]] == [
        ("Call", "primary"),
        ("Interview", "room-2"),
    ]
    assert agenda(app, calendars=["room-2"]) == [("2026-02-20", "14:00", "Interview")]
    assert [row["title"] for row in app.do("daily_overview", calendars=["primary"])["items"]] == ["Call"]
    with pytest.raises(ToolRefusal, match='no calendar "nowhere"'):
        app.do("calendar_list_events", calendars=["nowhere"])


def test_pages_of_several_calendars_hold_every_event_once(app: ProjectApp, booked_interview: dict[str, Any]) -> None:
    for day in range(10, 28):
        app.do("calendar_create_event", title=f"Day {day}", date=f"2026-02-{day}", time="14:00", type="event")
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = app.do("calendar_list_events", limit=4, cursor=cursor)
        seen += [row["id"] for row in page["events"]]
        cursor = page["nextCursor"]
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 19
    assert f"{booked_interview['event_id']}@room-2" in seen


@pytest.mark.parametrize("named", [True, False])
def test_an_event_of_another_calendar_kept_here_is_changed_and_deleted_by_its_id(
    app: ProjectApp, booked_interview: dict[str, Any], named: bool
) -> None:
    event = f"{booked_interview['event_id']}@room-2" if named else booked_interview["event_id"]
    changed = app.do("calendar_update_event", eventId=event, title="Talk", status="done")
    assert (changed["title"], changed["status"], changed["calendarId"]) == ("Talk", "done", "room-2")
    assert [(row["title"], row["status"]) for row in app.do("calendar_list_events")["events"]] == [("Talk", "done")]
    card = app.do("kanban_create_card", columnId="col_todo", title="Prepare")["id"]
    linked = app.do("items_link", fromItemId=card, fromItemType="task", toItemId=event, toItemType="event")
    assert linked["toItemId"] == f"{booked_interview['event_id']}@room-2"
    assert app.do("items_list_links", itemId=card)["links"][0]["itemTitle"] == "Talk"
    assert app.do("calendar_delete_event", eventId=event)["deleted"]
    app.react()
    assert app.do("calendar_list_events")["events"] == []
    assert app.do("items_list_links", itemId=card)["links"] == []
    assert app.do("check_availability", **ROOM)["available"]


def test_instances_of_a_series_in_another_calendar_are_changed_by_themselves(app: ProjectApp) -> None:
    app.do("create_calendar", name="Room 2", calendar_id="room-2", timezone="America/New_York")
    text = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:s\r\nDTSTAMP:20260101T000000Z\r\n"
        "DTSTART;TZID=America/New_York:20260220T090000\r\nDTEND;TZID=America/New_York:20260220T100000\r\n"
        "RRULE:FREQ=DAILY;COUNT=3\r\nSUMMARY:Stand-up\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    for calendar in ("room-2", "primary"):
        calendars = Calendars(app.store, app.caller.scope, clock=app.clock, default_zone="America/New_York")
        import_text(calendars, calendar, text.encode(), actor="ann", random_bytes=lambda count: b"r" * count)
    rows = app.do("calendar_list_events", calendars=["room-2"])["events"]
    app.do("calendar_update_event", eventId=rows[1]["id"], title="Other")
    app.do("calendar_delete_event", eventId=rows[2]["id"], scope="this")
    assert [row["title"] for row in app.do("calendar_list_events", calendars=["room-2"])["events"]] == [
        "Stand-up",
        "Other",
    ]
    assert [row["title"] for row in app.do("calendar_list_events", calendars=["primary"])["events"]] == ["Stand-up"] * 3
    app.do("calendar_delete_event", eventId=rows[0]["recurrenceSeriesId"], scope="all")
    app.react()
    assert app.do("calendar_list_events", calendars=["room-2"])["events"] == []
    assert len(app.do("calendar_list_events")["events"]) == 3


def test_an_id_that_two_calendars_have_is_asked_about(app: ProjectApp) -> None:
    text = (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nBEGIN:VEVENT\r\nUID:s\r\nDTSTAMP:20260101T000000Z\r\n"
        "DTSTART:20260220T090000Z\r\nDTEND:20260220T100000Z\r\nSUMMARY:Twice\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
    for calendar in ("one", "two"):
        app.do("create_calendar", name=calendar, calendar_id=calendar)
        calendars = Calendars(app.store, app.caller.scope, clock=app.clock)
        import_text(calendars, calendar, text.encode(), actor="ann", random_bytes=lambda count: b"r" * count)
    rows = app.do("calendar_list_events")["events"]
    assert len({row["id"] for row in rows}) == 2
    with pytest.raises(ToolRefusal, match="Several calendars"):
        app.do("calendar_update_event", eventId=rows[0]["id"].partition("@")[0], title="Which?")
    app.do("calendar_update_event", eventId=rows[0]["id"], title="This")
    assert [row["title"] for row in app.do("calendar_list_events")["events"]] == ["This", "Twice"]


def test_what_takes_time_in_another_calendar_is_a_conflict_and_no_free_time(
    app: ProjectApp, booked_interview: dict[str, Any]
) -> None:
    made = app.do("calendar_create_event", title="Call", date="2026-02-20", time="14:30", type="event")
    assert [(one["id"], one["calendarId"]) for one in made["conflicts"]] == [
        (f"{booked_interview['event_id']}@room-2", "room-2")
    ]
    moved = app.do("calendar_update_event", eventId=f"{booked_interview['event_id']}@room-2", time="14:15")
    assert [one["title"] for one in moved["conflicts"]] == ["Call"]
    today = {"start": "2026-02-18T09:30:00-05:00", "end": "2026-02-18T23:59:59-05:00"}
    app.do("book_slot", **(ROOM | today), summary="Fair")
    assert app.do("daily_overview")["freeToday"]["slots"] == []
    assert app.do("daily_overview", calendars=["primary"])["freeToday"]["minutes"] > 600


def test_a_provider_that_does_not_answer_is_named_and_its_last_known_events_are_shown(app: ProjectApp) -> None:
    silent = connect(app, "caldav/work", "caldav/other")
    overview = app.do("daily_overview")
    assert [(row["title"], row["calendarId"]) for row in overview["items"]] == [
        ("Far away", "caldav/other"),
        ("Far away", "caldav/work"),
    ]
    assert [(one["calendarId"], one["asOf"]) for one in overview["staleCalendars"]] == [
        ("caldav/other", "2026-02-18T08:30:00-05:00"),
        ("caldav/work", "2026-02-18T08:30:00-05:00"),
    ]
    # One silent account is asked once.
    assert silent.asked == ["caldav/other"]
    assert len({row["id"] for row in overview["items"]}) == 2
    with pytest.raises(ToolRefusal, match="belongs to its provider") as refused:
        app.do("calendar_update_event", eventId=overview["items"][0]["id"], title="Mine")
    assert "reschedule_booking" in str(refused.value)
    with pytest.raises(ToolRefusal, match="cancel_booking"):
        app.do("calendar_delete_event", eventId=overview["items"][0]["id"])


def test_a_calendar_of_which_only_its_provider_knows_is_named(app: ProjectApp) -> None:
    connect(app, "caldav/busy", role="freeBusyReader")
    overview = app.do("daily_overview")
    assert overview["items"] == []
    assert [(one["calendarId"], one["asOf"]) for one in overview["staleCalendars"]] == [("caldav/busy", None)]
    assert app.do("calendar_create_event", title="Call", date="today", time="15:00", type="event")["conflicts"] == []


def test_the_id_that_the_planner_shows_is_taken_by_the_calendar_tools(
    app: ProjectApp, booked_interview: dict[str, Any]
) -> None:
    [row] = app.do("calendar_list_events")["events"]
    assert row["id"] == f"{booked_interview['event_id']}@room-2"
    found = app.do("get_event", calendar_id="room-2", event_id=row["id"])
    assert found["summary"] == "Interview"
    gone = app.do("cancel_booking", calendar_id="room-2", booking_id=row["id"])
    assert (gone["success"], gone["event_id"]) == (True, booked_interview["event_id"])
    assert app.do("calendar_list_events")["events"] == []


def test_every_calendar_is_listed_however_many_there_are(app: ProjectApp) -> None:
    for number in range(70):
        app.do("create_calendar", name=f"Room {number}", calendar_id=f"a-room-{number:02}", timezone="UTC")
    app.do("calendar_create_event", title="Own task", date="2026-02-20")
    app.do("book_slot", summary="In the last room", **(ROOM | {"calendar_id": "a-room-69"}))

    titles = {row["title"] for row in app.do("calendar_list_events")["events"]}
    overview = app.do("daily_overview", startDate="2026-02-20")

    assert titles == {"Own task", "In the last room"}
    assert {row["title"] for row in overview["items"]} == titles
    assert overview["staleCalendars"] == []


def test_calendars_for_which_there_was_no_time_are_named_and_primary_is_read_first(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.do("create_calendar", name="Another", calendar_id="another", timezone="UTC")
    app.do("calendar_create_event", title="Own task", date="2026-02-20")
    ticks = count()
    monkeypatch.setattr(agendas, "CPU_SECONDS", 1)
    # The first reading is in time, every later one is not.
    monkeypatch.setattr(agendas, "thread_seconds", lambda: 0 if next(ticks) < 2 else 9)

    overview = app.do("daily_overview", startDate="2026-02-20")

    assert [row["title"] for row in overview["items"]] == ["Own task"]
    left_out = {one["calendarId"]: one for one in overview["staleCalendars"]}
    assert left_out["another"]["calendarName"] == "Another"
    assert "too many calendars" in left_out["another"]["problem"]
