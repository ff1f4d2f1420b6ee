"""Test that secrets in a provider's events are neither shown nor searchable, and that the provider keeps them."""

from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.composition.families import open_families
from almanac.composition.services import services_for
from almanac.families.calendar.accounts.connector import Connector
from almanac.families.calendar.accounts.providers import Providers
from almanac.families.calendar.model.event_parts import Attendee
from almanac.families.calendar.model.events import ZonedTime
from almanac.families.calendar.redactable import REDACTABLE
from almanac.families.calendar.searchable import SOURCES
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.outbox import messages_in
from almanac.platform.redactions.records import REDACTIONS
from almanac.platform.redactions.scan import scan
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.search.engine.records import FRESH
from tests.app import App
from tests.unit.content.redaction.made_up import UPPER, random_text
from tests.unit.families.calendar.shadows.remote import SCOPE, WORK, Remote, event

AWS_KEY = "AKIA" + random_text(16, UPPER)
LEAK = f"Sailing with {AWS_KEY}"
GONE = "[REDACTED:aws_access_key]"
DAY = {"calendar_id": WORK, "start": "2026-03-03T00:00:00Z", "end": "2026-03-04T00:00:00Z"}


@pytest.fixture
def app(connector: Connector, clock: FixedClock, remote: Remote) -> App:
    remote.put(
        event(
            "leak",
            summary=LEAK,
            description=LEAK,
            location=LEAK,
            organizer=LEAK,
            url=f"https://x.example/?token={AWS_KEY}",
            categories=(LEAK,),
            partial=(LEAK,),
            attendees=("ann@x.example",),
            attendee_details=(Attendee(address="ann@x.example", name=LEAK),),
        )
    )
    providers = Providers(lambda _scope, _clock: connector)
    services = services_for(connector.calendars.store, clock, providers)
    caller = Caller(SCOPE, actor="ann", key_id="key", default_timezone="Europe/Berlin")
    app = App.of(open_families(services), clock, caller)
    app.call("list_events", **DAY)
    return app


def move(app: App) -> Any:
    """Move the event to another time of its day."""
    slot = {"start": "2026-03-03T15:00:00+01:00", "end": "2026-03-03T16:00:00+01:00"}
    return app.call("reschedule_booking", calendar_id=WORK, booking_id="leak", **slot)


def all_answers(app: App) -> str:
    """Return the answers of every tool about the event."""
    slot = {"start": "2026-03-03T09:30:00+01:00", "end": "2026-03-03T10:00:00+01:00"}
    card = app.call("kanban_create_card", columnId="col_todo", title="Boat")["data"]["id"]
    said: list[Any] = [
        app.call("list_events", **DAY),
        app.call("list_events", **DAY, format="toon"),
        app.call("list_events", **DAY, query="sailing"),
        app.call("get_event", calendar_id=WORK, event_id="leak"),
        app.refusal("book_slot", calendar_id=WORK, summary="x", **slot),
        app.call("check_availability", calendar_id=WORK, **slot),
        app.call("calendar_list_events", q="sailing"),
        app.call("calendar_get_event", eventId=f"leak@{WORK}"),
        app.call("calendar_create_event", title="x", date="2026-03-03", time="09:30"),
        app.call("daily_overview", date="2026-03-03"),
        app.call("items_link", idA=f"leak@{WORK}", idB=card, linkType="references"),
        app.call("items_list_links", id=card),
        app.call("search_memory", query="sailing", include=["events"]),
        move(app),
    ]
    return str(said)


def test_no_tool_says_them(app: App) -> None:
    said = all_answers(app)
    assert AWS_KEY not in said
    assert said.count(GONE) > 20


def test_a_move_of_its_time_writes_it_back_to_the_provider_as_it_was(app: App, remote: Remote) -> None:
    before = remote.events["leak"]
    move(app)
    after = remote.events["leak"]
    same = {"start": before.start, "end": before.end, "etag": before.etag, "sequence": before.sequence}
    assert replace(after, **same, revision=0, updated=None, indexed=None) == before


def test_they_are_in_nothing_that_search_or_listeners_read(app: App, connector: Connector, tmp_path: Path) -> None:
    move(app)
    fresh = [str(each) for each in FRESH.within(connector.calendars.store, SCOPE).every()]
    assert any("Sailing" in each for each in fresh)
    assert AWS_KEY not in "".join(fresh)
    with closing(SqliteChanges(tmp_path / "store.db")) as changes:
        told = [message.event for change in changes.read(0, 1000) for message in messages_in(change.attributes)]
    assert "booking_rescheduled" in {each.kind for each in told}
    assert AWS_KEY not in str(told)
    (hit,) = app.call("search_memory", query="sailing", include=["events"])["hits"]
    assert (hit["id"], hit["title"]) == (f"leak@{WORK}", f"Sailing with {GONE}")


def test_nobody_can_guess_at_them_by_searching(app: App) -> None:
    guess = AWS_KEY[:10]
    assert app.call("list_events", **DAY, query=guess)["count"] == 0
    assert app.call("list_events", **DAY, query="sailing")["count"] == 1
    assert app.call("calendar_list_events", q=guess)["data"]["events"] == []
    assert len(app.call("calendar_list_events", q="sailing")["data"]["events"]) == 1


def test_a_pull_has_no_row_for_nothing_was_taken_out_of_what_is_stored(app: App, connector: Connector) -> None:
    app.call("list_events", **DAY)
    assert list(REDACTIONS.within(connector.calendars.store, SCOPE).every()) == []


def test_what_the_provider_changes_or_drops_is_found_accordingly(app: App, remote: Remote, clock: FixedClock) -> None:
    def search_events(query: str) -> list[str]:
        clock.instant += timedelta(minutes=2)
        app.call("list_events", **DAY)
        return [hit["id"] for hit in app.call("search_memory", query=query, include=["events"])["hits"]]

    remote.put(event("leak", summary="Climbing"))
    assert (search_events("sailing"), search_events("climbing")) == ([], [f"leak@{WORK}"])
    remote.drop("leak")
    assert search_events("climbing") == []
    remote.put(event("leak", summary="Climbing"))
    assert search_events("climbing") == [f"leak@{WORK}"]


def test_an_account_that_is_disconnected_takes_its_events_out_of_search(
    app: App, connector: Connector, clock: FixedClock
) -> None:
    assert len(app.call("search_memory", query="sailing", include=["events"])["hits"]) == 1
    connector.disconnect("google", "mine")
    assert app.call("search_memory", query="sailing", include=["events"])["hits"] == []
    fresh = [each for each in FRESH.within(connector.calendars.store, SCOPE).every() if each.messages]
    assert "removed" in [one.state for each in fresh for one in each.writes]
    clock.instant += timedelta(minutes=1)
    connector.list_calendars(connector.accounts.keep("google", "mine", b"secret"))
    app.call("list_events", **DAY)
    assert len(app.call("search_memory", query="sailing", include=["events"])["hits"]) == 1


def test_an_event_with_a_very_long_id_is_found_and_gone_as_any_other(
    app: App, remote: Remote, clock: FixedClock
) -> None:
    name = "é" * 290
    remote.put(event(name, summary="Climbing"))
    for expected in ([f"{name}@{WORK}"], []):
        clock.instant += timedelta(minutes=2)
        app.call("list_events", **DAY)
        hits = app.call("search_memory", query="climbing", include=["events"])["hits"]
        assert [hit["id"] for hit in hits] == expected
        remote.drop(name)


@pytest.mark.parametrize("tool", ["book_slot", "reschedule_booking", "cancel_booking"])
def test_what_is_under_way_at_a_provider_neither_hides_nor_adds_an_event(
    app: App, connector: Connector, remote: Remote, tool: str
) -> None:
    remote.put(event("s", 12, summary="Climbing", rrule="FREQ=DAILY;COUNT=5"))
    remote.drop("leak")
    app.call("check_availability", calendar_id=WORK, start="2026-03-02T00:00:00Z", end="2026-03-02T01:00:00Z")

    def fail() -> None:
        remote.down = Unavailable("The remote is down.", "Wait.")

    slot = {"start": "2026-03-04T15:00:00+01:00", "end": "2026-03-04T16:00:00+01:00"}
    given: dict[str, dict[str, str]] = {
        "book_slot": {"summary": "Climbing", **slot},
        "reschedule_booking": {"booking_id": "s_20260304", **slot},
        "cancel_booking": {"booking_id": "s_20260304"},
    }
    remote.meanwhile = fail
    app.refusal(tool, calendar_id=WORK, **given[tool])
    hits = app.call("search_memory", query="climbing", include=["events"])["hits"]
    assert [hit["id"] for hit in hits] == [f"s@{WORK}"]
    walked = SOURCES[0].every(services_for(connector.calendars.store, app.clock), SCOPE, "")
    assert [each.known_as for each in walked] == [f"s@{WORK}"]


def test_an_instance_that_only_moved_is_no_hit_beside_its_series(app: App, remote: Remote, clock: FixedClock) -> None:
    slot = ZonedTime(datetime(2026, 3, 4, 9), "Europe/Berlin")
    remote.put(event("s", summary="Climbing", rrule="FREQ=DAILY;COUNT=5"))
    remote.put(event("s_20260304T080000Z", 15, uid="s", summary="Climbing", recurrence_id=slot))
    clock.instant += timedelta(minutes=2)
    app.call("list_events", **DAY)
    hits = app.call("search_memory", query="climbing", include=["events"])["hits"]
    assert [hit["id"] for hit in hits] == [f"s@{WORK}"]


def test_a_scan_leaves_what_a_provider_keeps_as_it_is(app: App, connector: Connector, remote: Remote) -> None:
    before = connector.calendars.find(WORK).version
    services = services_for(connector.calendars.store, app.clock)
    assert scan(services, app.caller, REDACTABLE, rewrite=True)["event"].items == 0
    assert connector.calendars.find(WORK).version == before
    assert AWS_KEY in remote.events["leak"].summary
