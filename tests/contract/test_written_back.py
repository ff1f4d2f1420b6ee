"""Test that a caller can write back whatever a tool shows, and that nothing changes then for any caller.

`RECIPES` says how each updating tool of calendar and planner gets its arguments from shown values. A tool that is
neither there nor listed as changing nothing fails the test, so a new tool needs a recipe.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace as with_parts
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from almanac.composition.families import families_for_docs
from almanac.families.calendar.entries.codec import event_entry, view_of_entry
from almanac.families.calendar.entries.writer import EntryWriter
from almanac.families.calendar.model.events import AllDay, Event, When, ZonedTime
from almanac.families.planner.factory import open_planner
from almanac.families.time.core.zones import find_zone
from almanac.protocol.tool import Tool
from tests.app import Json, ToolRefusal
from tests.project_app import planner_app

CALLERS = ("America/New_York", "Europe/Berlin", "Asia/Tokyo", "Asia/Kathmandu")
CALENDARS = ("America/New_York", "Europe/Berlin", "Asia/Tokyo")
CLOCK_CHANGES = ("2026-03-08", "2026-03-29", "2026-10-25", "2026-11-01")
WHOLE_YEAR = {"start": "2026-01-01T00:00:00Z", "end": "2026-12-31T00:00:00Z"}

UPDATES_NOTHING = {
    "create_calendar": "makes a new one",
    "book_slot": "makes a new one",
    "hold_slot": "makes a new one",
    "calendar_create_event": "makes a new one",
    "kanban_create_card": "makes a new one",
    "notes_create": "makes a new one",
    "journal_create": "makes a new one",
    "kanban_gate": "makes a new one, or removes",
    "kanban_take": "takes whatever is ready",
    "open_gate": "opens",
    "hand_over": "moves what is held",
    "answer_handover": "moves what was handed over",
    "cancel_booking": "removes",
    "release_hold": "removes",
    "respond_to_invitation": "answers at a provider",
    "calendar_delete_event": "removes",
    "kanban_delete_card": "removes",
    "notes_delete": "removes",
    "journal_delete": "removes",
    "items_unlink": "removes",
}
TELLS_NO_TIME = {
    "list_calendars",
    "create_calendar",
    "update_calendar",
    "release_hold",
    "cancel_booking",
    "calendar_delete_event",
    "kanban_list_boards",
    "kanban_edit_board",
    "kanban_delete_card",
    "open_gate",
    "hand_over",
    "answer_handover",
    "notes_delete",
    "journal_delete",
    "items_link",
    "items_unlink",
}
_A_TIME = re.compile(r"(start|end|date|time|until|today|_at)$", re.IGNORECASE)

TOOLS: list[Tool] = [
    tool for family in families_for_docs() for tool in family.tools if family.name in ("calendar", "planner")
]


class Room:
    """An app whose calls come from callers in several zones."""

    def __init__(self, folder: Path, calendar_zone: str) -> None:
        self.app = planner_app(folder)
        self.do(CALLERS[0], "update_calendar", calendar_id="primary", timezone=calendar_zone)
        for zone in CALENDARS:
            self.do(CALLERS[0], "create_calendar", name=zone, calendar_id=_id_of(zone), timezone=zone)

    def do(self, zone: str, tool: str, /, **arguments: Any) -> Json:
        self.app.caller = with_parts(self.app.caller, default_timezone=zone)
        return self.app.do(tool, **arguments)

    def pages(self, zone: str, tool: str, rows: str, **arguments: Any) -> Iterator[Json]:
        cursor = None
        while True:
            page = self.do(zone, tool, limit=100, cursor=cursor, **arguments)
            yield from page[rows]
            cursor = page["nextCursor"]
            if cursor is None:
                return

    def events(self, zone: str) -> list[Json]:
        return list(self.pages(zone, "calendar_list_events", "events", dateFrom="2026-01-01", dateTo="2026-12-31"))

    def cards(self, zone: str) -> list[Json]:
        return list(self.pages(zone, "kanban_list_cards", "cards"))

    def list_bookings(self, zone: str, calendar: str) -> list[Json]:
        return json.loads(self.do(zone, "list_events", calendar_id=calendar, **WHOLE_YEAR)["content"])

    def shown_data(self, zone: str) -> Json:
        """Return all data that tools show to this caller, except the number of a board's edits."""
        boards = [one | {"revision": None} for one in self.do(zone, "kanban_list_boards")["boards"]]
        notes = [self.do(zone, "notes_get", noteId=one["id"]) for one in self.pages(zone, "notes_search", "notes")]
        logs = [self.do(zone, "journal_get", entryId=one["id"]) for one in self.pages(zone, "journal_list", "entries")]
        told = {
            "events": self.events(zone),
            "cards": self.cards(zone),
            "boards": boards,
            "notes": notes,
            "journal": logs,
            "calendars": self.do(zone, "list_calendars")["calendars"],
            "overview": self.do(zone, "daily_overview", startDate="2026-03-01", days=31),
        }
        return told | {one: self.list_bookings(zone, one) for one in ("primary", *map(_id_of, CALENDARS))}


def _id_of(zone: str) -> str:
    return zone.split("/")[1].lower()


def furnish(room: Room) -> None:
    """Things of every kind, made by callers in every zone."""
    (column, *_) = room.do(CALLERS[0], "kanban_list_boards")["boards"][0]["columns"]
    for number, zone in enumerate(CALLERS):

        def make(day: int, more: Json, zone: str = zone, number: int = number) -> Json:
            wanted = {"title": f"{zone} {day}", "date": f"2026-03-{day + number:02d}", "type": "event"} | more
            return room.do(zone, "calendar_create_event", **wanted)

        make(2, {"time": "10:00", "location": "Room 2", "description": "Agenda"})
        make(3, {"time": "23:30", "durationMinutes": 50})
        make(4, {})
        make(5, {"durationMinutes": 3 * 1440, "busy": False})
        make(6, {"type": "task"})
        make(7, {"time": "00:00", "type": "task", "status": "done"})
        weekly = make(2, {"time": "02:15", "recurrence": {"frequency": "weekly", "weekdays": ["MO", "TH"], "count": 3}})
        make(9, {"recurrence": {"frequency": "daily", "until": "2026-03-16"}})
        make(9, {"time": "21:00", "recurrence": {"rrule": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=2"}})
        room.do(zone, "calendar_update_event", eventId=weekly["id"], title="Changed", time="03:15")
        for day in CLOCK_CHANGES:
            make(0, {"date": day, "time": "02:30"})
            make(0, {"date": day, "time": "01:30"})
            make(0, {"date": f"{day}T06:30:00Z"})
            make(0, {"date": f"{day}T01:30:00Z", "durationMinutes": 90})
        for due in ({"dueDate": "2026-03-20"}, {"dueDate": "2026-03-21", "dueTime": "23:30"}, {}):
            room.do(zone, "kanban_create_card", columnId=column["id"], title=f"Card of {zone}", **due)
        room.do(zone, "kanban_create_card", columnId=column["id"], title="Twice", dueDate="2026-11-01T06:30:00Z")
        note = room.do(zone, "notes_create", title=f"Note of {zone}", tags=["a"], eventLinks=[weekly["id"]])
        room.do(zone, "notes_create", title=f"Below {zone}", parentId=note["id"])
        room.do(zone, "journal_create", title=f"Day of {zone}", date="2026-03-08", body="Text", mood="calm", tags=["b"])
        ends = {"fromItemId": note["id"], "fromItemType": "note", "toItemId": weekly["id"], "toItemType": "event"}
        room.do(zone, "items_link", **ends)
        for hour, calendar in enumerate(("primary", *map(_id_of, CALENDARS))):
            start = datetime(2026, 6, 10 + number, 9 + hour, tzinfo=find_zone(zone))
            slot = {"start": start.isoformat(), "end": (start + timedelta(minutes=45)).isoformat()}
            room.do(zone, "book_slot", calendar_id=calendar, summary=f"Booked in {zone}", **slot)
    room.do(CALLERS[0], "hold_slot", calendar_id="primary", summary="Held", ttl_seconds=86400, **_an_hour(20))
    _import(room)


def _an_hour(day: int) -> Json:
    return {"start": f"2026-06-{day}T09:00:00Z", "end": f"2026-06-{day}T10:00:00Z"}


def _import(room: Room) -> None:
    """Import events of kinds that no tool writes: two zones, no length, floating times, times that do not exist."""
    york, berlin, tokyo, _ = CALLERS
    alone = AllDay(date(2026, 4, 6))
    events = [
        _came("f1", _at("2026-04-01T10:00", berlin), _at("2026-04-01T13:00", york)),
        _came("f2", _at("2026-04-02T10:00", berlin), _at("2026-04-02T10:00", berlin)),
        _came("f3", _at("2026-04-03T10:00", tokyo, floating=True), _at("2026-04-03T10:00:30", tokyo, floating=True)),
        _came("f4", _at("2026-03-29T02:10", berlin), _at("2026-03-29T03:10", berlin)),
        _came("f5", _at("2026-10-25T02:30", berlin, fold=1), _at("2026-10-25T03:30", berlin)),
        _came("f6", alone, alone),
        _came("f7", _at("2026-04-07T10:00", berlin), _at("2026-04-07T13:00", york), rrule="FREQ=WEEKLY;COUNT=2"),
        _came("f8", _at("2026-04-08T10:00", berlin), _at("2026-04-08T11:00", berlin), rrule="FREQ=MINUTELY;COUNT=2"),
        replace(
            _came("f9", _at("2026-04-10T10:00", berlin), _at("2026-04-10T11:00", berlin)),
            rdates=(_at("2026-04-11T12:00", berlin),),
        ),
    ]
    planner = open_planner(room.app.services, room.app.caller, room.app.clock)
    for event in events:
        calendar = planner.bookings.calendars.find("primary")
        filing = EntryWriter(room.app.store, room.app.caller.scope, calendar)
        entry = event_entry(calendar.id, event, calendar.zone)
        planner.bookings.calendars.versioned_writes.write(calendar, filing.put(entry, None), new=[view_of_entry(entry)])


def _came(name: str, start: When, end: When, rrule: str | None = None) -> Event:
    return Event(id=name, uid=name, start=start, end=end, rrule=rrule, summary=f"From elsewhere {name}")


def _at(local: str, zone: str, fold: int = 0, *, floating: bool = False) -> ZonedTime:
    return ZonedTime(datetime.fromisoformat(local), zone, fold, floating)


Recipe = Callable[[Room, str], Iterator[Json]]
"""The arguments that a caller writes back what he is shown with."""


def events_back(room: Room, zone: str) -> Iterator[Json]:
    texts = ("title", "description", "location", "type", "status")
    fields = (*texts, "date", "time", "durationMinutes", "busy", "recurrence", "revision")
    # Holds are shown among events; other tools release or book them.
    for row in (one for one in room.events(zone) if not one["id"].startswith("hold_")):
        scopes = ("this", "all", "this_and_following") if row["recurrenceSeriesId"] else ("this",)
        for scope in scopes:
            shown = {name: row[name] for name in fields}
            yield {"eventId": row["id"], "scope": scope, **shown}
            yield {"eventId": row["id"], "scope": scope, "date": row["date"], "time": row["time"] or ""}


def cards_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.cards(zone):
        texts = {name: row[name] for name in ("title", "description", "eventLinks", "revision")}
        yield {"cardId": row["id"], "dueDate": row["dueDate"], "dueTime": row["dueTime"], **texts}
        yield {"cardId": row["id"], "dueDate": row["dueDate"] or ""}


def places_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.cards(zone):
        yield {"cardId": row["id"], "columnId": row["columnId"], "position": row["position"]}


def boards_back(room: Room, zone: str) -> Iterator[Json]:
    for board in room.do(zone, "kanban_list_boards")["boards"]:
        shown = {"title": board["title"], "position": board["position"]}
        yield {"action": "update_board", "boardId": board["id"], **shown}
        for column in board["columns"]:
            shown = {name: column[name] for name in ("title", "position", "wipLimit", "isDone")}
            yield {"action": "update_column", "columnId": column["id"], **shown}


def notes_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.pages(zone, "notes_search", "notes"):
        note = room.do(zone, "notes_get", noteId=row["id"])
        shown = {name: note[name] for name in ("title", "body", "parentId", "tags", "eventLinks", "revision")}
        yield {"noteId": note["id"], **shown}


def journal_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.pages(zone, "journal_list", "entries"):
        entry = room.do(zone, "journal_get", entryId=row["id"])
        shown = {name: entry[name] for name in ("title", "body", "date", "mood", "tags", "revision")}
        yield {"entryId": entry["id"], **shown}


def links_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.pages(zone, "notes_search", "notes"):
        for link in room.do(zone, "items_list_links", itemId=row["id"])["links"]:
            ends = {name: link[name] for name in ("fromItemId", "toItemId", "relationType")}
            yield {**ends, "fromItemType": "note", "toItemType": link["itemType"]}


def bookings_back(room: Room, zone: str) -> Iterator[Json]:
    for calendar in ("primary", *map(_id_of, CALENDARS)):
        for row in room.list_bookings(zone, calendar):
            if row.get("summary", "").startswith("Booked"):
                yield {"calendar_id": calendar, "booking_id": row["id"], "start": row["start"], "end": row["end"]}
                yield {"calendar_id": calendar, "booking_id": row["id"], "start": row["start"]}


def details_back(room: Room, zone: str) -> Iterator[Json]:
    for calendar in ("primary", *map(_id_of, CALENDARS)):
        for row in (one for one in room.list_bookings(zone, calendar) if one.get("status") != "held"):
            event = room.do(zone, "get_event", calendar_id=calendar, event_id=row["id"])
            shown = {name: event[name] for name in ("summary", "description", "location", "reminders")}
            people = [one["email"] for one in event["attendees"]]
            yield {"calendar_id": calendar, "event_id": row["id"], **shown, "attendees": people}


def calendars_back(room: Room, zone: str) -> Iterator[Json]:
    for row in room.do(zone, "list_calendars")["calendars"]:
        yield {"calendar_id": row["id"], "name": row["name"], "timezone": row["timezone"]}


RECIPES: dict[str, Recipe] = {
    "calendar_update_event": events_back,
    "kanban_update_card": cards_back,
    "kanban_move_card": places_back,
    "kanban_edit_board": boards_back,
    "notes_update": notes_back,
    "journal_update": journal_back,
    "items_link": links_back,
    "reschedule_booking": bookings_back,
    "update_booking": details_back,
    "update_calendar": calendars_back,
}


def test_every_updating_tool_has_a_recipe() -> None:
    updating = {tool.name for tool in TOOLS if not tool.annotations["readOnlyHint"]}

    assert updating == RECIPES.keys() | UPDATES_NOTHING.keys()


@pytest.mark.slow
@pytest.mark.parametrize("calendar_zone", CALENDARS)
@pytest.mark.parametrize("writer", CALLERS)
def test_what_is_shown_and_written_back_moves_nothing_for_anybody(
    tmp_path: Path, calendar_zone: str, writer: str
) -> None:
    room = Room(tmp_path, calendar_zone)
    furnish(room)
    before = {zone: room.shown_data(zone) for zone in CALLERS}

    for tool, recipe in RECIPES.items():
        written = list(recipe(room, writer))
        assert written, f"{tool} has nothing to write back"
        for arguments in written:
            try:
                room.do(writer, tool, **arguments)
            except ToolRefusal as refused:
                pytest.fail(f"{tool} refused what it showed, {arguments}: {refused}")
        assert room.shown_data(writer) == before[writer], tool

    for zone in CALLERS:
        assert room.shown_data(zone) == before[zone]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_that_reads_or_tells_a_time_can_be_asked_for_a_zone(tool: Tool) -> None:
    told = {name for name in _names(tool.output_schema or {}) if _A_TIME.search(name)}
    asked = {name for name in _names(tool.input_schema) if _A_TIME.search(name)}

    if tool.name in TELLS_NO_TIME:
        assert not told | asked
    else:
        assert "timezone" in tool.input_schema["properties"], told


def _names(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        held = cast("dict[str, Any]", schema)
        yield from held.get("properties", {})
        for child in held.values():
            yield from _names(child)
    elif isinstance(schema, list):
        for child in cast("list[Any]", schema):
            yield from _names(child)
