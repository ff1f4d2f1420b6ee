"""Makes the sample of a version: `python -m tests.landed.sample_maker NAME`, with that version checked out.

    NAME/almanac.db.gz    the store of a data folder
    NAME/tenant.jsonl.gz  the export of its tenant, with keys
    NAME/table.jsonl.gz   the same as the items of a table on AWS, one a line (made where an emulator is at hand)

What it holds is told by `test_landed_versions` and `test_landed_families`. A sample is never made again: it is what
that version wrote.
"""

import gzip
import json
import os
import shutil
import sqlite3
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from almanac.families.calendar.accounts.exchange import import_text
from almanac.families.calendar.entries.calendars import Calendars
from almanac.identity.api_key import read_api_key
from almanac.identity.keys import ApiKeys
from almanac.identity.records import Grant
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.store.shared_secret import shared_secret
from almanac.platform.store.sqlite.store import SqliteStore
from tests.contract.backends import DYNOXIDE, TABLE, Place, create_table, dynoxide, table_client
from tests.contract.installations import Installation
from tests.landed.families import fill_families
from tests.landed.landed_app import ANN, KEI, OLE, TENANT, WEB, LandedApp

NOON = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
"""Sunday, 07:00 in New York, 21:00 in Tokyo, 13:00 in Berlin."""

ANN_KEY = "alm_landedann0001_" + "a" * 43

_ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//somebody//else//EN
BEGIN:VEVENT
UID:offsite@example.org
DTSTAMP:20261101T000000Z
DTSTART;VALUE=DATE:20261207
DTEND;VALUE=DATE:20261209
SUMMARY:Offsite
END:VEVENT
BEGIN:VEVENT
UID:standup@example.org
DTSTAMP:20261101T000000Z
DTSTART;TZID=Europe/Berlin:20261201T093000
DTEND;TZID=Europe/Berlin:20261201T094500
RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=10
EXDATE;TZID=Europe/Berlin:20261215T093000
SUMMARY:Standup
END:VEVENT
BEGIN:VEVENT
UID:standup@example.org
RECURRENCE-ID;TZID=Europe/Berlin:20261208T093000
DTSTAMP:20261101T000000Z
DTSTART;TZID=Europe/Berlin:20261208T110000
DTEND;TZID=Europe/Berlin:20261208T111500
SUMMARY:Standup (late)
END:VEVENT
END:VCALENDAR
"""


def fill(store: SqliteStore, clock: FixedClock) -> None:
    """Something of every kind that the version keeps."""
    tenants, keys = Tenants(store, clock), ApiKeys(store, clock, os.urandom)
    tenants.create(TENANT, name="Acme", project="web", tier="premium")
    tenants.create_project(TENANT, "ops")
    given = read_api_key(ANN_KEY)
    assert given is not None
    ann = Grant(tenant=TENANT, project="web", actor="ann", label="ann's", default_timezone="America/New_York")
    keys.issue(ann, given)
    narrow = Grant(tenant=TENANT, project="*", actor="ole", families=("time",), readonly=True, per_minute=60)
    keys.revoke(keys.issue(narrow).record.id)
    app = LandedApp(store, clock)
    _calendar(app)
    calendars = Calendars(store, WEB, clock=clock)
    import_text(calendars, "rooms", _ICS.encode(), actor="ann", random_bytes=os.urandom)
    _planner(app)
    _team(app)
    _memory(app)
    fill_families(app, clock)


def _calendar(app: LandedApp) -> None:
    app.do(ANN, "update_calendar", calendar_id="primary", timezone="America/New_York")
    app.do(ANN, "create_calendar", name="Rooms", calendar_id="rooms", timezone="Europe/Berlin")
    slot = {"calendar_id": "primary", "start": "2026-12-01T10:00:00-05:00", "end": "2026-12-01T11:00:00-05:00"}
    app.do(ANN, "book_slot", **slot, summary="Review", attendees=["bo@example.org"], idempotency_key="review-1")
    slot = {"calendar_id": "primary", "start": "2026-12-02T10:00:00-05:00", "end": "2026-12-02T11:00:00-05:00"}
    moved = app.do(KEI, "book_slot", **slot, summary="Moved")
    to = {"start": "2026-12-03T10:00:00-05:00", "booking_id": moved["booking_id"], "calendar_id": "primary"}
    app.do(KEI, "reschedule_booking", **to)
    slot = {"calendar_id": "rooms", "start": "2026-12-04T10:00:00+01:00", "end": "2026-12-04T11:00:00+01:00"}
    gone = app.do(ANN, "book_slot", **slot, summary="Cancelled")
    app.do(ANN, "cancel_booking", calendar_id="rooms", booking_id=gone["booking_id"])
    slot = {"calendar_id": "primary", "start": "2026-12-05T10:00:00-05:00", "end": "2026-12-05T11:00:00-05:00"}
    app.do(ANN, "hold_slot", **slot, summary="Held")


def _planner(app: LandedApp) -> None:
    lunch = app.do(ANN, "calendar_create_event", title="Lunch", date="2026-12-01", time="12:30", type="event")
    app.do(ANN, "calendar_create_event", title="Holiday", date="2026-12-24", type="event")
    app.do(KEI, "calendar_create_event", title="Taxes", date="2026-12-10", time="09:00", status="done")
    weekly = {"frequency": "weekly", "count": 5, "weekdays": ["monday"]}
    swim = {"title": "Swim", "date": "2026-11-30", "time": "18:00", "type": "event", "recurrence": weekly}
    app.do(ANN, "calendar_create_event", **swim)
    listed = app.do(ANN, "calendar_list_events", q="Swim")["events"]
    app.do(ANN, "calendar_update_event", eventId=listed[1]["id"], title="Swim late", time="20:00")
    app.do(ANN, "calendar_delete_event", eventId=listed[2]["id"])
    due = {"dueDate": "2026-12-02 at 17:00"}
    first = app.do(ANN, "kanban_create_card", columnId="col_todo", title="Ship it", **due)
    more = {"eventLinks": [lunch["id"]], "dueDate": "2026-12-09"}
    second = app.do(KEI, "kanban_create_card", columnId="col_todo", title="Tell them", **more)
    ends = {"fromItemId": first["id"], "fromItemType": "task", "toItemId": second["id"], "toItemType": "task"}
    app.do(ANN, "items_link", relationType="blocks", **ends)
    app.do(ANN, "kanban_move_card", cardId=first["id"], columnId="col_doing")
    app.do(ANN, "notes_create", title="Plan", body="See [[Budget]] and bring cake. " + "long " * 900, tags=["work"])
    app.do(ANN, "notes_create", title="Budget", body="Fifty.")
    app.do(KEI, "journal_create", title="Sunday", date="today", body="It rained.", mood="calm", tags=["rain"])
    app.do(OLE, "kanban_create_card", columnId="col_todo", title="Rotate the logs")


def _team(app: LandedApp) -> None:
    an_hour = {"ttl_ms": 3_600_000}
    app.do(ANN, "claim", key="file:src/auth.py", holder="claude@ann#1", metadata={"why": "login"}, **an_hour)
    app.do(KEI, "claim", key="file:docs/**", holder="cursor@kei#1", **an_hour)
    app.do(ANN, "set_broadcast", key="deploy", value={"frozen": True, "until": 5})
    review = app.do(ANN, "request_review", subject="The login", claim_key="file:src/auth.py", reviewers=["kei"])
    app.do(KEI, "mark_reviewed", review_id=review["review"]["id"], decision="approved", comment="Fine.")
    app.do(KEI, "request_review", subject="The docs", deadline_ms=600_000_000)
    action = {"tool": "set_broadcast", "args": {"key": "last", "value": "{{payload.key}}"}}
    app.do(ANN, "install_rule", name="last-claim", on_kind="claim_acquired", actions=[action])
    said = {"tool": "set_broadcast", "args": {"key": "newest", "value": "{{payload.title}}"}}
    app.do(ANN, "install_rule", name="remember", on_kind="item_created", actions=[said], enabled=False)
    app.do(ANN, "heartbeat", session_id="1", display_name="Ann", tool="claude-code", current_file="src/auth.py")


def _memory(app: LandedApp) -> None:
    said = {"session_id": "s1", "role": "user", "speaker": "Ann", "tags": ["deploy"], "client_turn_id": "c1"}
    turn = app.do(ANN, "record_turn", content="We deploy on Tuesdays. The password = hunter2hunter2", **said)
    app.do(KEI, "record_turn", session_id="s1", role="assistant", content="Noted: TS2345 in src/auth.py is fixed.")
    sources = {"derived_from_turn_ids": [turn["turn_id"]]}
    app.do(
        ANN, "pin_memory", content="Deploys happen on Tuesdays.", tags=["deploy"], metadata={"team": "web"}, **sources
    )
    app.do(KEI, "extract_semantic", content="src/auth.py holds the login.", **sources)
    slip = app.do(ANN, "pin_memory", content="Deploys happen on Fridays.")
    app.do(ANN, "forget_memory", memory_id=slip["memory"]["id"])
    app.do(ANN, "summarize_session", session_id="s1", force=True)


def main(folder: Path) -> None:
    folder.mkdir(parents=True)
    clock = FixedClock(NOON)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "almanac.db"
        store: SqliteStore = SqliteStore(
            file, clock=clock, cursor_secret=lambda: shared_secret(store, "cursors", os.urandom)
        )
        fill(store, clock)
        store.close()
        with sqlite3.connect(file) as whole:
            whole.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        whole.close()
        _keep(folder / "almanac.db.gz", file.read_bytes())
        exported = Installation(Place("sqlite", str(file)), Path(scratch), clock).export(TENANT, with_keys=True)
        _keep(folder / "tenant.jsonl.gz", exported)
        if DYNOXIDE.exists():
            _keep(folder / "table.jsonl.gz", _as_table(exported, Path(scratch), clock))


def _as_table(exported: bytes, folder: Path, clock: FixedClock) -> bytes:
    """Restore the tenant into a table, and return the table's items."""
    os.environ |= {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    with dynoxide() as address:
        table = table_client(address)
        create_table(table, streamed=False)
        Installation(Place("dynoxide", address), folder, clock).restore(exported)
        pages = table.get_paginator("scan").paginate(TableName=TABLE)
        lines = [json.dumps(item, default=_bytes, sort_keys=True) for page in pages for item in page["Items"]]
    return "\n".join(sorted(lines)).encode()


def _bytes(value: object) -> dict[str, str]:
    assert isinstance(value, bytes)
    return {"$hex": value.hex()}


def _keep(file: Path, content: bytes) -> None:
    with file.open("wb") as kept, gzip.GzipFile(filename="", mode="wb", fileobj=kept, mtime=0) as packed:
        packed.write(content)


if __name__ == "__main__":
    place = Path(__file__).parent / sys.argv[1]
    try:
        main(place)
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise
