"""`almanac demo`"""

import os
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import click

from almanac.composition.families import every_family
from almanac.composition.laptop import laptop_services
from almanac.gateway.dashboard.tools import Result, ToolCalls
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.identity.access.limits import RequestLimits
from almanac.identity.access.principal import Principal
from almanac.identity.tenants import DEFAULT_PROJECT
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import AlmanacError
from almanac.local.data_folder import FIRST_TENANT, DataFolder
from almanac.local.options import data_folder
from almanac.local.start import laptop_server
from almanac.local.start.first_key import FirstKeys
from almanac.local.start.zone_notes import NO_ZONES

ZONE = "Europe/Berlin"
Tool = Callable[..., Any]


@click.command(short_help="Serve example data to look around in.")
@click.option(
    "--port", default=8787, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 chooses a free one."
)
def demo(port: int) -> None:
    """Serve example data: a week of a small team with calendar, board, claims, memories and facts.

    The data lie in a folder that is deleted when the server stops. To open the dashboard, pass this folder to `almanac
    open --data`. The server prints its path.
    """
    with tempfile.TemporaryDirectory(prefix="almanac-demo-") as folder:
        data = data_folder(Path(folder))
        clock = SystemClock()
        fill(data, clock)
        laptop_server.serve(
            every_family,
            host="127.0.0.1",
            port=port,
            folder=data,
            given_key=None,
            zones=NO_ZONES,
            lock_seconds=30,
            out=sys.stdout,
        )


def fill(data: DataFolder, clock: Clock) -> None:
    """Create the example data in a new data folder by calling the tools that agents call. Raises AlmanacError."""
    store = data.open_store(clock)
    try:
        FirstKeys(data, store, clock, os.urandom, ZONE).ensure(None)
        families = every_family(laptop_services(store, clock, data.sealing_key_file, 30))
        calls = ToolCalls(
            families,
            clock,
            ConsoleTelemetry(),
            audit_store=lambda: store,
            admission=lambda: RequestLimits(lambda: store, clock),
        )

        def by(actor: str) -> Tool:
            caller = Caller(
                Scope(FIRST_TENANT, DEFAULT_PROJECT),
                actor,
                f"demo-{actor}",
                default_timezone=ZONE,
                project_timezone=ZONE,
            )

            def call(name: str, /, **arguments: Any) -> Any:
                return _good(name, calls.call(Principal(caller), name, arguments))

            return call

        _example(by("owner"), by("claude"), by("codex"), clock.now().astimezone(ZoneInfo(ZONE)))
    finally:
        store.close()


def _good(tool: str, result: Result) -> Any:
    if not result.is_good:
        raise AlmanacError(f"The example could not be created: {tool}: {result.problem}")
    return result.data


def _example(owner: Tool, claude: Tool, codex: Tool, now: datetime) -> None:
    monday = (now - timedelta(days=now.weekday())).date()
    _events(owner, claude, monday, now)
    _board(owner, claude, codex, now)
    _team(owner, claude, codex)
    _memory(owner, claude, codex)
    _knowledge(claude)
    _notes(owner, claude, now)


def _events(owner: Tool, claude: Tool, monday: Any, now: datetime) -> None:
    week = (
        (0, "09:30", 30, "Stand-up", ""),
        (0, "13:00", 90, "Design review: billing", "Room 2"),
        (1, "09:30", 30, "Stand-up", ""),
        (1, "11:00", 60, "Interview: platform engineer", ""),
        (1, "11:30", 60, "Call with Northwind", ""),
        (2, "09:30", 30, "Stand-up", ""),
        (2, "15:00", 120, "Load test of the new queue", ""),
        (3, "09:30", 30, "Stand-up", ""),
        (3, "16:00", 60, "Retrospective", "Room 1"),
        (4, "09:30", 30, "Stand-up", ""),
        (4, "14:00", 60, "Release 2.4", ""),
        (4, "14:30", 45, "Demo for sales", "Room 2"),
        (7, "10:00", 60, "Planning", "Room 1"),
        (9, "13:30", 45, "Dentist", ""),
    )
    for days, time, minutes, title, place in week:
        more = {"location": place} if place else {}
        tool = claude if "Load" in title else owner
        day = (monday + timedelta(days=days)).isoformat()
        tool(
            "calendar_create_event",
            title=title,
            date=day,
            time=time,
            durationMinutes=minutes,
            type="event",
            timezone=ZONE,
            **more,
        )
    owner(
        "calendar_create_event",
        title="Pay the hosting invoice",
        date=now.date().isoformat(),
        type="task",
        timezone=ZONE,
    )
    owner(
        "calendar_create_event",
        title="Renew the certificate",
        date=(now.date() - timedelta(days=2)).isoformat(),
        type="task",
        timezone=ZONE,
    )


def _board(owner: Tool, claude: Tool, codex: Tool, now: datetime) -> None:
    columns = ["Ideas", "Next", "Doing", "Done"]
    board = owner("kanban_edit_board", action="create_board", title="Billing", columns=columns)["board"]
    ids = {column["title"]: column["id"] for column in board["columns"]}
    owner("kanban_edit_board", action="update_column", columnId=ids["Doing"], wipLimit=3)
    cards = (
        (owner, "Ideas", "Prices in the customer's currency", "Ask Northwind first.", None),
        (claude, "Ideas", "Show tax on the receipt", "", None),
        (
            owner,
            "Next",
            "Retry a failed payment after three days",
            "The provider answers 402 for two reasons; only one is worth a retry.",
            4,
        ),
        (claude, "Next", "Write the migration of invoices", "", 6),
        (codex, "Doing", "Idempotent webhooks", "Key by the provider's event id, not by the invoice.", 1),
        (claude, "Doing", "Load test of the new queue", "10,000 messages in a minute, then twice that.", 0),
        (owner, "Done", "Choose a payment provider", "", None),
    )
    for tool, column, title, text, days in cards:
        due = {} if days is None else {"dueDate": (now.date() + timedelta(days=days)).isoformat()}
        tool("kanban_create_card", columnId=ids[column], title=title, description=text, timezone=ZONE, **due)


def _team(owner: Tool, claude: Tool, codex: Tool) -> None:
    hour = 3_600_000
    claude("claim", key="file:src/billing/queue.py", holder="claude-1", ttl_ms=2 * hour, metadata={"why": "load test"})
    codex("claim", key="file:src/billing/webhooks/**", holder="codex-7", ttl_ms=hour)
    codex("heartbeat", current_file="src/billing/webhooks/handler.py", tool="edit")
    claude("heartbeat", current_file="src/billing/queue.py", tool="edit")
    codex("heartbeat", current_file="src/billing/queue.py", tool="read")
    claude("request_review", subject="Queue: acknowledge after the write, not before", reviewers=["owner"])
    claude(
        "send_message",
        to=["owner"],
        subject="May the load test run tonight?",
        body="It sends 20,000 messages a minute to staging, from 22:00 on.",
        ack_required=True,
        about=["file:src/billing/queue.py"],
    )
    codex("claim", key="story:refunds", holder="codex-7", ttl_ms=hour)
    codex(
        "hand_over",
        to="owner",
        claims=["story:refunds"],
        holder="codex-7",
        note="Refunds above 500 need somebody's approval.\nThe rest is done and tested.",
        evidence={"tests": "38 passed"},
    )
    owner("set_broadcast", key="release", value="2.4 goes out on Friday at 14:00. Merge nothing after noon.")


def _memory(owner: Tool, claude: Tool, codex: Tool) -> None:
    owner(
        "pin_memory",
        content="Amounts are whole cents everywhere. Never use floats for money.",
        tags=["billing", "money"],
    )
    owner("pin_memory", content="The staging database is reset every night at 03:00 Europe/Berlin.", tags=["staging"])
    claude(
        "pin_memory",
        content="The payment provider retries a webhook for 72 hours with the same event id.",
        tags=["webhooks"],
    )
    turns = (
        (claude, "user", "Why are some invoices paid twice?"),
        (
            claude,
            "agent",
            "The webhook handler acknowledges before it writes. When the write fails, the event comes again.",
        ),
        (
            claude,
            "user",
            "We decided to acknowledge only after the write. Let's use the provider's event id as the key.",
        ),
        (codex, "user", "Please always run the billing tests with the clock frozen."),
        (codex, "agent", "I froze the clock in conftest.py. Two tests of month ends had relied on today's date."),
        (codex, "tool", "pytest tests/billing: 148 passed in 12.3 s"),
    )
    for tool, role, text in turns:
        session = "queue-review" if tool is claude else "webhooks"
        tool("record_turn", role=role, content=text, session_id=session)


def _knowledge(claude: Tool) -> None:
    facts = (
        ("billing service", "is owned by", "Ann", "2026-01-01"),
        ("billing service", "runs on", "queue v1", "2026-01-01"),
        ("billing service", "runs on", "queue v2", "2026-11-02"),
        ("Northwind", "pays in", "EUR", "2025-06-01"),
    )
    for subject, predicate, thing, since in facts:
        claude("record_fact", subject=subject, predicate=predicate, object=thing, valid_from=since)


def _notes(owner: Tool, claude: Tool, now: datetime) -> None:
    owner(
        "notes_create",
        title="Questions for Northwind",
        body="Which currency on receipts?\nWho approves refunds above 500?",
        tags=["northwind"],
    )
    claude(
        "notes_create",
        title="How the load test is run",
        body="make load RATE=10000; graphs are on the second screen.",
        tags=["queue"],
    )
    claude(
        "journal_create",
        title="A quiet day",
        body="The queue held twice the load. Webhooks are next.",
        date=now.date().isoformat(),
        timezone=ZONE,
    )
