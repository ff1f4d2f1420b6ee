"""Calendar events in searches of memory: search finds their present state, after changes by any actor and any tool."""

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.calendar import searchable
from almanac.families.calendar.accounts.exchange import import_text
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import EVENTS
from almanac.families.calendar.model.events import decode_event, encode_event
from almanac.families.calendar.searchable import SOURCES
from almanac.kernel.caller import Scope
from almanac.platform.store.port import Index
from almanac.search.engine.maintenance import Upkeep, VerificationResult
from almanac.search.engine.parts import IndexParts
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.search.samples import is_sound

TEN, ELEVEN, NOON = (f"2026-03-02T{hour}:00:00-05:00" for hour in (10, 11, 12))
Json = dict[str, Any]


def book(app: ProjectApp, summary: str, start: str = TEN, end: str = ELEVEN, **more: Any) -> str:
    return str(app.do("book_slot", calendar_id="primary", start=start, end=end, summary=summary, **more)["event_id"])


def create_event(app: ProjectApp, title: str, **more: Any) -> str:
    made = app.do("calendar_create_event", title=title, date="2026-03-03", time="10:00", **more)
    return str(made["id"])


def hits(app: ProjectApp, query: str, **more: Any) -> list[Json]:
    found = app.do("search_memory", query=query, include=["events"], **more)["hits"]
    return [hit for hit in found if hit["kind"] == "event"]


def search_twice(app: ProjectApp, query: str, **more: Any) -> list[str]:
    """Return the ids of the hits, which must be the same before and after the index is updated."""
    before = [hit["id"] for hit in hits(app, query, **more)]
    app.follow()
    assert [hit["id"] for hit in hits(app, query, **more)] == before
    return before


def count_written(app: ProjectApp) -> int:
    return len(app.events("document_written"))


def upkeep(app: ProjectApp) -> Upkeep:
    return Upkeep(app.index, app.services.get(IndexParts), app.services)


def verify(app: ProjectApp) -> VerificationResult:
    return upkeep(app).verify(app.caller.scope, lambda _: None)


def import_events(app: ProjectApp, *events: str) -> None:
    text = "\r\n".join(("BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:x", *events, "END:VCALENDAR", ""))
    calendars = Calendars(app.store, app.caller.scope, clock=app.clock, default_zone="UTC")
    import_text(calendars, "primary", text.encode(), actor="ann", random_bytes=os.urandom)


def vevent(uid: str, summary: str, *lines: str) -> str:
    head = ("BEGIN:VEVENT", f"UID:{uid}", "DTSTAMP:20260101T000000Z", f"SUMMARY:{summary}")
    times = () if any(line.startswith("DTSTART") for line in lines) else ("DTSTART:20260305T100000Z",)
    return "\r\n".join((*head, *times, "DURATION:PT1H", *lines, "END:VEVENT"))


def test_what_one_agent_books_another_finds_with_its_local_time(app: ProjectApp) -> None:
    event = book(app, "Quarterly budget review", description="Marketing spend", location="Room Fuji")
    colleague = replace(app.caller, actor="bob", default_timezone="Asia/Tokyo")
    answer = app.do("search_memory", query="marketing spend", include=["events"], caller=colleague)
    (hit,) = answer["hits"]
    assert (hit["id"], hit["title"], hit["kind"]) == (event, "Quarterly budget review", "event")
    assert hit["content"] == "Marketing spend\nRoom Fuji"
    assert hit["source"] == {"mode": "events", "family": "calendar"}
    assert hit["metadata"] == {"start": TEN, "end": ELEVEN, "calendar_id": "primary"}
    assert hit["at"] == 1772463600000
    assert hit["untrusted"]
    assert search_twice(app, "budget") == search_twice(app, "fuji") == [event]


def test_people_are_found_by_name_where_the_event_says_one_else_by_address(app: ProjectApp) -> None:
    event = book(app, "Lunch", attendees=["grace@navy.example"])
    import_events(app, vevent("a", "Dinner", "ATTENDEE;CN=Ada Lovelace:mailto:al@x.example"))
    assert search_twice(app, "grace") == [event]
    assert [hit["title"] for hit in hits(app, "Lovelace")] == ["Dinner"]


def test_the_hit_is_an_id_that_the_planner_takes(app: ProjectApp) -> None:
    create_event(app, "Dentist", description="wisdom tooth")
    (hit,) = hits(app, "wisdom tooth")
    assert app.do("calendar_get_event", eventId=hit["id"])["title"] == "Dentist"


def test_past_and_future_events_are_found_alike_and_narrowed_by_when_they_begin(app: ProjectApp) -> None:
    past, future = book(app, "Sailing", "2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z"), book(app, "Sailing")
    assert sorted(search_twice(app, "sailing")) == sorted([past, future])
    assert search_twice(app, "sailing", since=app.now) == [future]
    assert search_twice(app, "sailing", until=app.now) == [past]


def test_a_move_leaves_it_found_and_its_new_start_is_what_narrows(app: ProjectApp) -> None:
    event = book(app, "Sailing")
    app.follow()
    app.do("reschedule_booking", calendar_id="primary", booking_id=event, start="2026-04-02T10:00:00-04:00")
    assert search_twice(app, "sailing", until=app.now + 20 * 86_400_000) == []
    assert search_twice(app, "sailing", since=app.now + 30 * 86_400_000) == [event]
    assert hits(app, "sailing")[0]["metadata"]["start"] == "2026-04-02T10:00:00-04:00"
    assert is_sound(verify(app))


def test_a_rename_is_found_by_the_new_title_alone(app: ProjectApp) -> None:
    event = create_event(app, "Sailing")
    app.follow()
    app.do("calendar_update_event", eventId=event, title="Climbing")
    assert (search_twice(app, "sailing"), search_twice(app, "climbing")) == ([], [event])
    assert is_sound(verify(app))


@pytest.mark.parametrize("followed", [True, False])
def test_a_cancelled_or_deleted_event_is_gone_from_the_next_answer(app: ProjectApp, followed: bool) -> None:
    one, other = book(app, "Sailing"), create_event(app, "Sailing")
    assert len(hits(app, "sailing")) == 2
    if followed:
        app.follow()
    app.do("cancel_booking", calendar_id="primary", booking_id=one)
    assert [hit["id"] for hit in hits(app, "sailing")] == [other]
    app.do("calendar_delete_event", eventId=other)
    assert search_twice(app, "sailing") == []
    assert is_sound(verify(app))


def test_what_changes_neither_texts_nor_start_costs_the_index_nothing(app: ProjectApp) -> None:
    event = create_event(app, "Sailing")
    before = count_written(app)
    app.do("calendar_update_event", eventId=event, durationMinutes=90, busy=False)
    app.do("calendar_update_event", eventId=event, status="done", type="task")
    assert count_written(app) == before
    assert search_twice(app, "sailing") == [event]


def test_a_series_is_one_hit_and_an_instance_another_only_where_it_says_something_else(app: ProjectApp) -> None:
    series = book(app, "Standup", recurrence="FREQ=DAILY;COUNT=10")
    third, before = f"{series}_20260304", count_written(app)
    app.do(
        "reschedule_booking",
        calendar_id="primary",
        booking_id=third,
        start="2026-03-04T15:00:00-05:00",
        end="2026-03-04T16:00:00-05:00",
    )
    assert count_written(app) == before
    assert search_twice(app, "standup") == [series]
    app.do("calendar_update_event", eventId=third, description="with the auditors", scope="this")
    assert search_twice(app, "auditors") == [third]
    app.do("calendar_update_event", eventId=third, description="", scope="this")
    assert search_twice(app, "auditors") == []
    assert search_twice(app, "standup") == [series]
    assert is_sound(verify(app))


def test_an_instance_of_its_own_goes_with_its_series_however_that_is_deleted(app: ProjectApp) -> None:
    for delete in ("cancel_booking", "calendar_delete_event"):
        series = book(app, "Standup", recurrence="FREQ=DAILY;COUNT=10")
        app.do("calendar_update_event", eventId=f"{series}_20260304", title="Auditors", scope="this")
        assert len(search_twice(app, "auditors")) == 1
        if delete == "cancel_booking":
            app.do(delete, calendar_id="primary", booking_id=series)
        else:
            app.do(delete, eventId=series, scope="all")
        assert search_twice(app, "auditors") == []
        app.react()
        assert search_twice(app, "auditors") == search_twice(app, "standup") == []
        assert is_sound(verify(app))


def test_an_instance_under_a_series_that_is_going_is_not_found_before_it_is_gone(app: ProjectApp) -> None:
    series = book(app, "Standup", recurrence="FREQ=DAILY;COUNT=10")
    app.do("calendar_update_event", eventId=f"{series}_20260304", title="Auditors", scope="this")
    app.follow()
    (document,) = (each for each in source_documents(app) if each.title == "Auditors")
    rows = EVENTS.within(app.store, app.caller.scope)
    (entry,) = (one for one in rows.query("primary", "wide").records if one.id == series)
    grave = altered(
        decode_event(entry.event), id=f"{series}~gone", tombstone=True, status="cancelled", rrule=None, indexed=None
    )
    app.store.write([rows.put(altered(entry, id=grave.id, event=encode_event(grave)))])
    assert SOURCES[0].read(app.services, app.caller.scope, [document.id]) == []


def test_the_two_parts_of_a_divided_series_are_two_hits(app: ProjectApp) -> None:
    series = book(app, "Standup", recurrence="FREQ=DAILY;COUNT=10")
    later = app.do("calendar_update_event", eventId=f"{series}_20260306", title="Sitdown", scope="this_and_following")
    assert search_twice(app, "standup") == [series]
    assert search_twice(app, "sitdown") == [later["recurrenceSeriesId"]]
    assert is_sound(verify(app))


def test_an_imported_file_is_found_and_comes_back_after_it_was_deleted(app: ProjectApp) -> None:
    exception = vevent("s", "Retrospective", "RECURRENCE-ID:20260306T100000Z", "DTSTART:20260306T120000Z")
    series = vevent("s", "Planning poker", "RRULE:FREQ=DAILY;COUNT=5")
    moved = vevent("s", "Planning poker", "RECURRENCE-ID:20260307T100000Z", "DTSTART:20260307T120000Z")
    for _ in range(2):
        import_events(app, exception, moved, series)
        assert len(search_twice(app, "poker")) == 1
        assert len(search_twice(app, "retrospective")) == 1
        assert is_sound(verify(app))
        app.do("calendar_delete_event", eventId=hits(app, "poker")[0]["id"], scope="all")
        app.react()
        assert search_twice(app, "poker") == search_twice(app, "retrospective") == []
        app.wait(minutes=1)


def test_a_file_that_is_imported_again_is_written_only_where_it_differs(app: ProjectApp) -> None:
    import_events(app, vevent("a", "Sailing"), vevent("b", "Climbing"))
    before = count_written(app)
    import_events(app, vevent("a", "Sailing"), vevent("b", "Diving"))
    assert count_written(app) == before + 1
    assert (len(search_twice(app, "sailing")), search_twice(app, "climbing"), len(search_twice(app, "diving"))) == (
        1,
        [],
        1,
    )


def test_a_file_that_cancels_an_event_takes_it_out_of_answers(app: ProjectApp) -> None:
    import_events(app, vevent("a", "Sailing"))
    app.follow()
    import_events(app, vevent("a", "Sailing", "STATUS:CANCELLED", "SEQUENCE:1"))
    assert search_twice(app, "sailing") == []
    assert is_sound(verify(app))
    import_events(app, vevent("a", "Sailing", "SEQUENCE:2"))
    assert len(search_twice(app, "sailing")) == 1


def test_a_calendar_in_another_zone_keeps_its_days_found(app: ProjectApp) -> None:
    event = str(app.do("calendar_create_event", title="Holiday", date="2026-03-03")["id"])
    app.follow()
    before = count_written(app)
    app.do("update_calendar", calendar_id="primary", timezone="Asia/Tokyo")
    assert count_written(app) == before
    assert search_twice(app, "holiday") == [event]
    assert hits(app, "holiday")[0]["metadata"]["start"] == "2026-03-03"
    day = app.do("search_memory", query="holiday", include=["events"], since="2026-03-03", until="2026-03-03")
    assert [hit["id"] for hit in day["hits"]] == [event]


def test_another_project_sees_nothing_of_it(app: ProjectApp) -> None:
    book(app, "Sailing")
    app.follow()
    for scope in (Scope(app.caller.scope.tenant, "other"), Scope("other", app.caller.scope.project)):
        stranger = replace(app.caller, scope=scope)
        assert app.do("search_memory", query="sailing", include=["events"], caller=stranger)["hits"] == []


def test_events_are_found_after_a_restart_and_by_an_index_that_was_lost(app: ProjectApp) -> None:
    events = [book(app, "Sailing"), create_event(app, "Sailing")]
    app.follow()
    app.open_again()
    assert sorted(search_twice(app, "sailing")) == sorted(events)
    app.index.forget(app.caller.scope)
    assert hits(app, "sailing") == []
    upkeep(app).rebuild([app.caller.scope], lambda _: None)
    assert sorted(search_twice(app, "sailing")) == sorted(events)
    assert is_sound(verify(app))


def test_events_of_an_older_version_are_brought_to_the_index_and_follow_from_then_on(app: ProjectApp) -> None:
    event = create_event(app, "Sailing")
    app.follow()
    rows = EVENTS.within(app.store, app.caller.scope)
    (entry,) = rows.query("primary", "narrow").records
    older = altered(decode_event(entry.event), indexed=None)
    app.store.write([rows.put(altered(entry, event=encode_event(older)))])
    app.index.forget(app.caller.scope)
    assert verify(app).missing == 1
    assert search_twice(app, "sailing") == [event]
    app.do("calendar_update_event", eventId=event, title="Climbing")
    assert (search_twice(app, "sailing"), search_twice(app, "climbing")) == ([], [event])
    app.do("calendar_delete_event", eventId=event)
    assert search_twice(app, "climbing") == []
    assert is_sound(verify(app))


def test_every_event_is_walked_in_the_order_of_ids_from_any_of_them_on(app: ProjectApp) -> None:
    for name in ("room", "room-2"):
        app.do("create_calendar", name=name)
    calendars = [one["id"] for one in app.do("list_calendars")["calendars"]]
    for number in range(40):
        for calendar in calendars:
            start, end = (f"2026-{3 + number // 20:02}-{1 + number % 20:02}T{hour}:00:00Z" for hour in (10, 11))
            app.do("book_slot", calendar_id=calendar, start=start, end=end, summary="x")
    ids = [each.id for each in source_documents(app)]
    assert len(ids) == 40 * len(calendars)
    assert ids == sorted(ids)
    for place in (0, 31, 32, 39, 40, 90):
        assert [each.id for each in source_documents(app, ids[place])] == ids[place + 1 :]


def hold(app: ProjectApp, summary: str, hour: int = 10, **more: Any) -> str:
    start, end = f"2026-03-02T{hour}:00:00-05:00", f"2026-03-02T{hour}:30:00-05:00"
    asked = {"calendar_id": "primary", "start": start, "end": end, "ttl_seconds": 600} | more
    return str(app.do("hold_slot", summary=summary, **asked)["hold_id"])


def test_a_held_slot_is_found_until_it_is_over_and_is_in_no_index(app: ProjectApp) -> None:
    app.do("update_calendar", calendar_id="primary", timezone="America/New_York")
    name = hold(app, "Sailing with Grace")
    assert search_twice(app, "sailing") == [name]
    (hit,) = hits(app, "grace")
    until = hit["metadata"].pop("held_until")
    assert hit["metadata"] == {"start": TEN, "end": "2026-03-02T10:30:00-05:00", "calendar_id": "primary"}
    assert until == "2026-02-18T09:40:00-05:00"
    assert (hit["title"], hit["untrusted"]) == ("Sailing with Grace", True)
    assert source_documents(app) == []
    assert is_sound(verify(app))
    app.wait(minutes=10)
    assert search_twice(app, "sailing") == []


def test_a_held_slot_that_is_released_or_booked_is_found_no_more(app: ProjectApp) -> None:
    first, second = hold(app, "Sailing"), hold(app, "Sailing", 12)
    assert sorted(search_twice(app, "sailing")) == sorted([first, second])
    app.do("release_hold", calendar_id="primary", hold_id=first)
    assert search_twice(app, "sailing") == [second]
    event = book(app, "Sailing", NOON, "2026-03-02T12:30:00-05:00", hold_id=second)
    assert search_twice(app, "sailing") == [event]


def test_a_held_slot_that_an_index_still_lists_is_not_found(app: ProjectApp) -> None:
    """The hold is released after the search of the index and before the listed hold is read."""
    name, looked, released = hold(app, "Sailing"), list[Index | None](), list[Any]()

    def release_meanwhile(request: Request) -> None:
        operation, _, index = request
        if operation == "get_many" and looked[-1:] == ["gsi2"]:
            looked.clear()
            released.append(app.do("release_hold", calendar_id="primary", hold_id=name)["released"])
        elif operation == "query":
            looked.append(index)

    app.open_again(store=ObservedStore(app.store, release_meanwhile))
    assert (search_twice(app, "sailing"), released) == ([], [True])


def test_held_slots_are_narrowed_as_events_are_and_belong_to_their_project(app: ProjectApp) -> None:
    app.do("create_calendar", name="room")
    (room,) = (one["id"] for one in app.do("list_calendars")["calendars"] if one["id"] != "primary")
    days = hold(app, "Sailing fair", calendar_id=room, start="2026-03-05", end="2026-03-07")
    name = hold(app, "Sailing")
    assert days == f"{hits(app, 'fair')[0]['id'].partition('@')[0]}"
    assert hits(app, "fair")[0]["metadata"]["start"] == "2026-03-05"
    assert search_twice(app, "sailing", until="2026-03-03") == [name]
    assert [each.partition("@")[0] for each in search_twice(app, "sailing", since="2026-03-04")] == [days]
    stranger = replace(app.caller, scope=Scope(app.caller.scope.tenant, "other"))
    assert app.do("search_memory", query="sailing", include=["events"], caller=stranger)["hits"] == []


def test_as_of_shows_a_held_slot_from_when_it_was_held_on(app: ProjectApp) -> None:
    before = app.now
    app.wait(minutes=1)
    name = hold(app, "Sailing")
    then = app.now
    app.wait(minutes=1)
    assert search_twice(app, "sailing", as_of=before) == []
    assert search_twice(app, "sailing", as_of=then) == [name]


def test_of_very_many_held_slots_the_answer_says_that_some_were_not_searched(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searchable, "MOST_HELD", 2)
    names = [hold(app, "Sailing", hour, ttl_seconds=ttl) for hour, ttl in ((10, 900), (11, 300), (12, 600))]
    answer = app.do("search_memory", query="sailing", include=["events"])
    assert [hit["id"] for hit in answer["hits"]] in ([names[1], names[2]], [names[2], names[1]])
    assert any("slots are held" in note for note in answer["notes"])


def test_a_key_without_calendars_finds_no_held_slot(app: ProjectApp) -> None:
    hold(app, "Sailing")
    of_memory = replace(app.caller, families=frozenset({"memory"}))
    answer = app.do("search_memory", query="sailing", include=["events"], caller=of_memory)
    assert answer["hits"] == []
    assert "events" in " ".join(answer["notes"])


def test_as_of_shows_what_was_booked_by_then_whenever_it_begins(app: ProjectApp) -> None:
    event = book(app, "Sailing")
    app.wait(days=1)
    book(app, "Sailing", "2026-01-05T10:00:00Z", "2026-01-05T11:00:00Z")
    assert search_twice(app, "sailing", as_of=app.now - 3_600_000) == [event]


def test_an_empty_answer_names_events_among_what_can_be_included(app: ProjectApp) -> None:
    answer = app.do("search_memory", query="sailing")
    assert "events" in answer["empty_because"]
    nothing = app.do("search_memory", query="sailing", include=["events"])
    assert nothing["hits"] == []
    assert "events: this installation has none" not in " ".join(nothing.get("notes", []))


def source_documents(app: ProjectApp, after: str = "") -> Sequence[Any]:
    return list(SOURCES[0].every(app.services, app.caller.scope, after))


@pytest.mark.parametrize("delete", ["cancel_booking", "calendar_delete_event"])
def test_a_series_with_many_instances_of_their_own_goes_with_all_of_them(app: ProjectApp, delete: str) -> None:
    slots = [f"2026030{1 + number // 20}T{number % 20:02}0000Z" for number in range(40)]
    series = vevent("s", "Standup", "RRULE:FREQ=HOURLY;COUNT=60", "DTSTART:20260301T000000Z")
    import_events(
        app, series, *(vevent("s", f"Talk {slot}", f"RECURRENCE-ID:{slot}", f"DTSTART:{slot}") for slot in slots)
    )
    app.follow()
    assert len(source_documents(app)) == 41
    (name,) = (each.known_as for each in source_documents(app) if each.title == "Standup")
    if delete == "cancel_booking":
        app.do(delete, calendar_id="primary", booking_id=name)
    else:
        app.do(delete, eventId=name, scope="all")
    app.react()
    app.follow()
    assert source_documents(app) == []
    assert is_sound(verify(app))


def test_an_exception_is_compared_with_its_series_wherever_in_the_file_that_is(app: ProjectApp) -> None:
    moved = vevent("s", "Planning poker", "RECURRENCE-ID:20260307T100000Z", "DTSTART:20260307T120000Z")
    series = vevent("s", "Planning poker", "RRULE:FREQ=DAILY;COUNT=5")
    import_events(app, moved, *(vevent(f"e{number}", "x") for number in range(60)), series)
    assert len(search_twice(app, "poker")) == 1
