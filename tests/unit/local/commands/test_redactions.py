"""Test `almanac redactions`: listing, decisions of people, and scans of older data."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from almanac.composition.families import every_redactable
from almanac.families.calendar.entries.records import EVENTS
from almanac.families.calendar.model.event_parts import Alarm
from almanac.families.calendar.model.events import decode_event, encode_event
from almanac.families.memory.candidates.records import CANDIDATES
from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.core.records import MEMORIES, TURNS, Memory, Turn
from almanac.families.planner.core.note_records import NOTE_TEXTS, NOTE_VERSIONS, NOTES
from almanac.families.team.core.records import BROADCASTS, CLAIMS, NOTICES
from almanac.families.team.rules.records import RULES
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.errors import NotFound
from almanac.local.commands.redactions import redactions
from almanac.local.commands.tenants import tenants
from almanac.platform.redactions.records import REDACTIONS
from almanac.platform.redactions.scan import Redactable, StoredTexts, scan
from almanac.platform.services import Services
from almanac.platform.store.records import Table
from almanac.search.engine.records import FRESH
from tests.project_app import ProjectApp
from tests.unit.content.redaction.made_up import PASSWORD, UPPER, random_text

AWS_KEY = "AKIA" + random_text(16, UPPER)
LEAK = f"use {AWS_KEY}"
KEPT = "use [REDACTED:aws_access_key]"
SLOT: dict[str, Any] = {"calendar_id": "primary", "start": "2026-03-02T10:00:00Z", "end": "2026-03-02T11:00:00Z"}


class Folder(ProjectApp):
    """A data folder with the first tenant's project, as tools and as commands see it."""

    def __init__(self, path: Path) -> None:
        self.folder = path
        path.mkdir()
        self.run(tenants, "create", "acme")
        super().__init__(path, Scope("acme", "default"))

    def run(self, command: click.Command, *arguments: str) -> Result:
        done = CliRunner().invoke(command, [*arguments, "--data", str(self.folder)], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        return done

    def rows(self, *arguments: str) -> Any:
        return json.loads(self.run(redactions, *arguments, "--json").stdout)

    def spoil(self, table: Table[Any], **fields: Any) -> None:
        """Put a secret into the only record of a table, as if it had been written before anybody looked."""
        rows = table.within(self.store, self.caller.scope)
        (record,) = rows.every() if not table.own.partition else rows.every(self.note)
        self.store.write([rows.put(replace(record, **fields))])

    note = ""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Folder]:
    folder = Folder(tmp_path / "data")
    yield folder
    folder.database.close()


def test_the_list_names_items_and_kinds_and_a_verdict_replaces_the_status(folder: Folder) -> None:
    folder.do("set_broadcast", key="deploy", value=LEAK)
    (row,) = folder.rows("list")
    assert (row["item"], row["where"], row["kinds"], row["status"]) == (
        "deploy",
        "broadcast",
        ["aws_access_key"],
        "escalated",
    )
    place = ("--tenant", "acme", "--project", "default", "--reason", "Replaced at the provider.")
    assert folder.rows("confirm", row["id"], *place)["status"] == "confirmed"
    assert folder.rows("list", "--status", "escalated") == []
    (confirmed,) = folder.rows("list", "--status", "confirmed")
    assert confirmed["reason"] == "Replaced at the provider."
    assert confirmed["reviewer"].startswith("cli")
    assert AWS_KEY not in folder.run(redactions, "list").stdout


def test_what_does_not_exist_is_refused(folder: Folder) -> None:
    place = ("--tenant", "acme", "--project", "default", "--reason", "x")
    with pytest.raises(NotFound):
        folder.run(redactions, "dismiss", "01X", *place)
    with pytest.raises(NotFound):
        folder.run(redactions, "scan", "--project", "nope")


def test_a_scan_counts_what_was_stored_before_and_changes_nothing(folder: Folder) -> None:
    folder.do("set_broadcast", key="deploy", value="x")
    folder.do("set_broadcast", key="other", value="plain")
    rows = BROADCASTS.within(folder.store, folder.caller.scope)
    stored = rows.get("deploy")
    assert stored is not None
    folder.store.write([rows.put(replace(stored, value={"env": LEAK}))])

    (counted,) = folder.rows("scan")
    assert (counted["where"], counted["items"], counted["found"], counted["rewritten"]) == ("broadcast", 2, 1, 0)
    assert counted["kinds"] == ["aws_access_key 1"]
    assert folder.do("get_broadcast", key="deploy")["value"] == {"env": LEAK}
    assert folder.rows("list") == []


def test_applied_it_takes_secrets_out_of_what_teams_and_planners_hold(folder: Folder) -> None:
    folder.do("set_broadcast", key="deploy", value="x")
    folder.do("claim", key="file:a.py", holder="x@ann", ttl_ms=86_400_000, metadata={"why": "x"})
    folder.note = folder.do("notes_create", title="Deploy", body="x")["id"]
    folder.do("notes_update", noteId=folder.note, body="y")
    folder.spoil(BROADCASTS, value={"env": LEAK})
    folder.spoil(CLAIMS, metadata={"why": f"password = {PASSWORD}"})
    act = {"tool": "set_broadcast", "args": {"key": "k", "value": "x"}}
    folder.do("install_rule", name="tell", on_kind="claim_released", actions=[act])
    folder.spoil(RULES, actions=[{**act, "args": {"key": "k", "value": LEAK}}])
    folder.spoil(NOTE_TEXTS, body=LEAK)
    folder.spoil(NOTE_VERSIONS, body=LEAK)
    before = NOTES.within(folder.store, folder.caller.scope).get(folder.note)
    assert before is not None

    applied = {row["where"]: row for row in folder.rows("scan", "--apply")}
    assert (applied["note"]["found"], applied["note"]["rewritten"]) == (3, 3)  # with the version that the edit keeps
    assert folder.do("get_broadcast", key="deploy")["value"] == {"env": KEPT}
    assert folder.do("list_claims")["claims"][0]["metadata"] == {"why": "password = [REDACTED:password]"}
    read = folder.do("notes_get", noteId=folder.note)
    assert (read["body"], read["revision"]) == (KEPT, before.version + 1)
    assert folder.do("list_rules")["rules"][0]["actions"] == [{**act, "args": {"key": "k", "value": KEPT}}]
    assert {one["where"] for one in folder.rows("list")} == {"broadcast", "claim", "note", "rule"}
    assert not any(row["found"] for row in folder.rows("scan"))
    assert AWS_KEY not in str([each.written for each in FRESH.within(folder.store, folder.caller.scope).every()][-1:])


def test_applied_to_what_is_remembered_it_leaves_a_step_in_the_history(folder: Folder) -> None:
    memory = open_memory(folder.services, folder.caller, folder.clock)
    common: dict[str, Any] = {"at": 1, "recorded_at": 1, "actor": "ann", "content": LEAK, "tags": ("x", AWS_KEY)}
    turn = Turn(id="01T", role="user", session="s", position=0, metadata={"env": {"key": AWS_KEY}}, **common)
    pinned = Memory(id="01M", kind="pinned", **common)
    for record in (turn, pinned):
        folder.store.write(memory.put(record, is_new=True))

    applied = {row["where"]: row for row in folder.rows("scan", "--apply")}
    assert [applied[where]["rewritten"] for where in ("turn", "memory")] == [1, 1]
    kept = TURNS.within(folder.store, folder.caller.scope).get("01T")
    assert kept is not None
    assert (kept.content, kept.tags, kept.metadata) == (
        KEPT,
        ("x", "[REDACTED:aws_access_key]"),
        {"env": {"key": "[REDACTED:aws_access_key]"}},
    )
    assert (kept.version, kept.redacted, [step.what for step in kept.history]) == (2, ("aws_access_key",), ["redacted"])
    assert MEMORIES.within(folder.store, folder.caller.scope).get("01M") is not None
    rows = list(REDACTIONS.within(folder.store, folder.caller.scope).every())
    assert {(row.item, row.session) for row in rows} == {("01T", "s"), ("01M", None)}
    folder.follow()
    assert AWS_KEY not in str(folder.index.__dict__)


def test_what_somebody_changes_meanwhile_is_counted_and_left_as_it_is_now(folder: Folder) -> None:
    folder.do("set_broadcast", key="deploy", value="x")
    folder.spoil(BROADCASTS, value=LEAK)
    broadcasts = next(each for each in every_redactable() if each.where == "broadcast")

    def outrun(services: Services, caller: Caller) -> Iterator[StoredTexts]:
        for stored in broadcasts.every(services, caller):
            folder.wait(seconds=1)
            folder.do("set_broadcast", key="deploy", value="newer")
            yield stored

    counted = scan(folder.services, folder.caller, [Redactable("broadcast", outrun)], rewrite=True)["broadcast"]
    assert (counted.found, counted.rewritten, counted.changing) == (1, 0, 1)
    assert folder.do("get_broadcast", key="deploy")["value"] == "newer"


def test_applied_it_takes_secrets_out_of_events_here_and_out_of_what_search_finds(folder: Folder) -> None:
    made = folder.do("calendar_create_event", title="Sailing", date="2026-03-03", time="10:00", description="x")
    booked = folder.do("book_slot", **SLOT, summary="Climbing", recurrence="FREQ=DAILY;COUNT=3")["event_id"]
    rows = EVENTS.within(folder.store, folder.caller.scope)
    for reach in ("narrow", "wide"):
        (entry,) = rows.query("primary", reach).records
        event = decode_event(entry.event)
        spoiled = replace(event, description=LEAK, other=(f"X-NOTE:{LEAK}",), alarms=(Alarm(description=LEAK),))
        folder.store.write([rows.put(replace(entry, event=encode_event(spoiled)))])

    (counted,) = folder.rows("scan")
    assert (counted["where"], counted["items"], counted["found"], counted["rewritten"]) == ("event", 2, 2, 0)
    (applied,) = folder.rows("scan", "--apply")
    assert (applied["rewritten"], applied["changing"]) == (2, 0)
    assert [each["found"] for each in folder.rows("scan")] == [0]

    for reach in ("narrow", "wide"):
        (entry,) = rows.query("primary", reach).records
        assert AWS_KEY.encode() not in entry.event
    assert folder.do("calendar_get_event", eventId=made["id"])["description"] == KEPT
    listed = folder.rows("list")
    assert {(row["where"], row["item"]) for row in listed} == {("event", made["id"]), ("event", booked)}
    assert AWS_KEY not in "".join(str(each) for each in FRESH.within(folder.store, folder.caller.scope).every())
    found = folder.do("search_memory", query="climbing", include=["events"])["hits"]
    assert (found[0]["id"], found[0]["content"]) == (booked, KEPT)
    assert len(folder.do("calendar_list_events", q="climbing")["events"]) == 3


def test_an_event_that_somebody_changes_while_it_is_scanned_is_left_to_the_next_scan(folder: Folder) -> None:
    made = folder.do("calendar_create_event", title="Sailing", date="2026-03-03", time="10:00")
    rows = EVENTS.within(folder.store, folder.caller.scope)
    (entry,) = rows.query("primary", "narrow").records
    folder.store.write([rows.put(replace(entry, event=encode_event(replace(decode_event(entry.event), summary=LEAK))))])
    (redactable,) = (each for each in every_redactable() if each.where == "event")

    def change_while_reading(services: Services, caller: Caller) -> Iterator[StoredTexts]:
        for stored in redactable.every(services, caller):
            folder.do("calendar_update_event", eventId=made["id"], title="Climbing")
            yield stored

    found = scan(folder.services, folder.caller, [Redactable("event", change_while_reading)], rewrite=True)
    assert (found["event"].changing, found["event"].rewritten) == (1, 0)
    assert folder.do("calendar_get_event", eventId=made["id"])["title"] == "Climbing"


def test_applied_it_takes_secrets_out_of_candidates_and_of_notices_that_wait(folder: Folder) -> None:
    folder.do("record_turn", session_id="s", role="user", content="We decided to always deploy from the main branch.")
    folder.react()
    (candidate,) = CANDIDATES.within(folder.store, folder.caller.scope).every()
    folder.spoil(CANDIDATES, content=LEAK)
    folder.do("claim", key="file:a.py", holder="x@ann", ttl_ms=86_400_000)
    folder.do("claim", key="file:b.py", holder="x@ann", ttl_ms=86_400_000)
    folder.do("claim", key="file:a.py", holder="y@ann", ttl_ms=86_400_000, force=True, reason="urgent")
    notices = NOTICES.within(folder.store, folder.caller.scope)
    (notice,) = notices.every("x@ann")
    folder.store.write([notices.put(replace(notice, reason=LEAK))])

    # By the clock of the folder, for notices end after a week.
    counted = scan(folder.services, folder.caller, every_redactable(), rewrite=True)
    assert (counted["candidate"].rewritten, counted["claim"].rewritten) == (1, 1)
    (kept,) = CANDIDATES.within(folder.store, folder.caller.scope).every()
    assert (kept.content, kept.redacted, kept.version) == (KEPT, ("aws_access_key",), candidate.version + 1)
    (waiting,) = notices.every("x@ann")
    assert waiting.reason == KEPT
    assert {row["where"]: row["item"] for row in folder.rows("list")} == {
        "candidate": candidate.id,
        "claim": notice.id,
    }
