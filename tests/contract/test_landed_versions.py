"""Test that everything a landed version wrote opens: a data folder, the export of a tenant, a table on AWS.

The samples under tests/landed were written by `tests.landed.sample_maker` of their versions.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.identity.access.authorize import authorize
from almanac.identity.access.directory import StoredDirectory
from almanac.identity.access.principal import Principal
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store
from tests.landed.landed_app import ANN, KEI, OLE, TENANT, Json, LandedApp
from tests.landed.sample_maker import ANN_KEY, NOON
from tests.landed.samples import BEFORE_MEMORY, WAYS, every_sample, open_sample

DECEMBER = {"start": "2026-11-25T00:00:00Z", "end": "2027-01-01T00:00:00Z"}

SAID = "We deploy on Tuesdays. The password = hunter2hunter2"
REPLAY = {"client_turn_id": "c1", "tags": ["deploy"]}


@pytest.fixture(params=every_sample())
def sample(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=WAYS)
def store(request: pytest.FixtureRequest, sample: str, tmp_path: Path) -> Store:
    address = request.getfixturevalue("bare_dynoxide_address") if request.param == "table" else ""
    return open_sample(sample, request.param, tmp_path, address)


@pytest.fixture
def app(store: Store) -> LandedApp:
    return LandedApp(store, FixedClock(NOON))


def _rows(app: LandedApp, calendar_id: str) -> list[Json]:
    return json.loads(app.do(ANN, "list_events", calendar_id=calendar_id, **DECEMBER)["content"])


def _starts(rows: list[Json]) -> list[tuple[str, str]]:
    """Title and start of each: its instant, or its day."""
    return sorted((row["summary"], _instant(row["start"])) for row in rows)


def _instant(shown: str) -> str:
    return shown if len(shown) == 10 else datetime.fromisoformat(shown).astimezone(UTC).strftime("%Y-%m-%dT%H:%MZ")


def test_every_event_stands_where_it_stood(app: LandedApp) -> None:
    assert _starts(_rows(app, "primary")) == [
        ("Held", "2026-12-05T15:00Z"),
        ("Holiday", "2026-12-24"),
        ("Lunch", "2026-12-01T17:30Z"),
        ("Moved", "2026-12-03T15:00Z"),
        ("Review", "2026-12-01T15:00Z"),
        ("Swim", "2026-11-30T23:00Z"),
        ("Swim", "2026-12-21T23:00Z"),
        ("Swim", "2026-12-28T23:00Z"),
        ("Swim late", "2026-12-08T01:00Z"),
        ("Taxes", "2026-12-10T00:00Z"),
    ]
    assert _starts(_rows(app, "rooms")) == [
        ("Offsite", "2026-12-07"),
        ("Standup", "2026-12-01T08:30Z"),
        ("Standup", "2026-12-22T08:30Z"),
        ("Standup", "2026-12-29T08:30Z"),
        ("Standup (late)", "2026-12-08T10:00Z"),
    ]
    zones = {one["id"]: one["timezone"] for one in app.do(ANN, "list_calendars")["calendars"]}
    assert zones == {"primary": "America/New_York", "rooms": "Europe/Berlin"}


def test_a_booking_made_then_is_known_moved_and_cancelled_now(app: LandedApp) -> None:
    slot = {"calendar_id": "primary", "start": "2026-12-01T10:00:00-05:00", "end": "2026-12-01T11:00:00-05:00"}
    again = app.do(ANN, "book_slot", **slot, summary="Review", attendees=["bo@example.org"], idempotency_key="review-1")
    assert again["replayed"]
    booking = {"calendar_id": "primary", "booking_id": again["booking_id"]}
    moved = app.do(ANN, "reschedule_booking", **booking, start="2026-12-02T10:00:00-05:00")
    assert moved["end"].startswith("2026-12-02T16:00:00")
    assert app.do(ANN, "cancel_booking", **booking)["success"]
    assert "Review" not in {row["summary"] for row in _rows(app, "primary")}


def test_a_series_of_then_is_changed_and_deleted_now(app: LandedApp) -> None:
    swims = [one for one in app.do(ANN, "calendar_list_events", q="Swim")["events"] if one["title"] == "Swim"]
    app.do(ANN, "calendar_update_event", eventId=swims[-1]["id"], title="Dive")
    app.do(ANN, "calendar_delete_event", eventId=swims[0]["id"], scope="all")
    assert not {"Swim", "Swim late", "Dive"} & {row["summary"] for row in _rows(app, "primary")}


def test_the_board_the_notes_and_the_journal_are_as_they_were(app: LandedApp) -> None:
    cards = {card["title"]: card for card in app.do(ANN, "kanban_list_cards")["cards"]}
    assert {title: card["columnId"] for title, card in cards.items()} == {
        "Ship it": "col_doing",
        "Tell them": "col_todo",
    }
    assert (cards["Ship it"]["dueDate"], cards["Ship it"]["dueTime"]) == ("2026-12-02", "17:00")
    assert len(cards["Tell them"]["eventLinks"]) == 1
    app.do(ANN, "kanban_move_card", cardId=cards["Ship it"]["id"], columnId="col_done")
    app.do(ANN, "kanban_move_card", cardId=cards["Tell them"]["id"], columnId="col_done")
    [plan] = app.do(ANN, "notes_search", q="cake")["notes"]
    note = app.do(ANN, "notes_get", noteId=plan["id"])
    assert note["body"].startswith("See [[Budget]]")
    assert note["tags"] == ["work"]
    [entry] = app.do(KEI, "journal_list")["entries"]
    assert (entry["date"], entry["mood"], entry["tags"]) == ("2026-11-22", "calm", ["rain"])
    assert [card["title"] for card in app.do(OLE, "kanban_list_cards")["cards"]] == ["Rotate the logs"]


def test_claims_reviews_rules_and_broadcasts_stand(app: LandedApp) -> None:
    claims = {one["key"]: one for one in app.do(ANN, "list_claims")["claims"]}
    assert claims.keys() == {"file:docs/**", "file:src/auth.py"}
    mine = app.do(ANN, "claim", key="file:src/auth.py", holder="claude@ann#1", ttl_ms=60_000)
    assert (mine["ok"], mine["deduped"]) == (True, True)
    assert mine["claim"]["token"] == claims["file:src/auth.py"]["token"]
    assert not app.do(ANN, "claim", key="file:docs/a.md", holder="claude@ann#1", ttl_ms=60_000)["ok"]
    assert app.do(KEI, "release", key="file:docs/**", holder="cursor@kei#1")["ok"]
    [pending] = app.do(ANN, "list_pending_reviews")["reviews"]
    assert (pending["subject"], pending["requester"]) == ("The docs", "kei")
    assert app.do(ANN, "mark_reviewed", review_id=pending["id"], decision="rejected")["ok"]
    assert [rule["name"] for rule in app.do(ANN, "list_rules")["rules"]] == ["last-claim", "remember"]
    assert app.do(ANN, "get_broadcast", key="deploy")["value"] == {"frozen": True, "until": 5}


def test_turns_and_memories_of_then_are_remembered_and_restored(app: LandedApp, sample: str) -> None:
    turns = app.do(ANN, "list_recent_turns")["turns"]
    pinned = app.do(ANN, "get_snapshot")["pinned"]
    if sample in BEFORE_MEMORY:
        assert (turns, pinned) == ([], [])
        return
    assert [turn["role"] for turn in turns] == ["assistant", "user"]
    assert "hunter2" not in turns[1]["content"]
    assert turns[1]["redacted"] == ["password"]
    assert [one["content"] for one in pinned] == ["Deploys happen on Tuesdays."]
    edges = app.do(ANN, "get_memory", memory_id=turns[1]["id"])["edges"]
    assert sorted(one["kind"] for one in edges["derives"]) == ["consolidated", "pinned", "semantic"]
    replayed = app.do(ANN, "record_turn", content=SAID, session_id="s1", role="user", speaker="Ann", **REPLAY)
    assert (replayed["turn_id"], replayed["deduped"]) == (turns[1]["id"], True)
    more = app.do(KEI, "record_turn", session_id="s1", role="user", content="Thanks.")
    assert not more["deduped"]


def test_a_key_issued_then_opens_now(store: Store) -> None:
    found = authorize({"x-api-key": ANN_KEY}, "/mcp", StoredDirectory(store), now_ms(FixedClock(NOON)))
    assert isinstance(found, Principal)
    caller = found.caller
    assert (caller.scope.tenant, caller.scope.project, caller.actor) == (TENANT, "web", "ann")
    assert caller.default_timezone == "America/New_York"
