"""Sessions of agents: their start, their end, and counts of reports."""

from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace as altered

from almanac.families.context.core.context import Context
from almanac.families.context.orientation.spans import count_text, span_text
from almanac.families.context.reports.parsed_event import EventType, ParsedEvent
from almanac.families.context.reports.records import SESSION_MS, WORK_SESSIONS, WorkSession
from almanac.families.memory.core.memory import digest_of
from almanac.platform.store.records import replace

_COUNTED: Mapping[EventType, str] = {
    "file_opened": "files",
    "command_executed": "commands",
    "error_occurred": "errors",
    "decision_made": "decisions",
    "pattern_detected": "patterns",
    "user_feedback": "feedback",
}
_NAMES = (
    ("files", "file"),
    ("commands", "command"),
    ("errors", "error"),
    ("decisions", "decision"),
    ("patterns", "pattern"),
)


def note_event(context: Context, event: ParsedEvent, *, failed: bool) -> WorkSession | None:
    """Add an event to its session and return the session; None if the event names none. `failed`: a command failed,
    which also counts as an error. An ended session resumes with any event but an end."""
    if event.session is None:
        return None
    rows, session_id = context.memory.rows(WORK_SESSIONS), digest_of(event.session)

    def attempt() -> WorkSession:
        found = rows.get(session_id)
        noted = _with(found or _new(session_id, event), event, failed=failed)
        context.memory.store.write([rows.insert(noted) if found is None else replace(rows, noted)])
        return noted

    return context.memory.retry_on_conflict(attempt)


def start_text(session: WorkSession, now: int) -> str:
    since = now - (session.started_at or now)
    return "Session started." if since <= 0 else f"Session goes on, started {span_text(since)} ago."


def end_text(session: WorkSession) -> str:
    """Return a sentence such as `Session closed after 2 hours 3 minutes: 12 commands, 1 error.`"""
    began = session.started_at if session.started_at is not None else session.first_at
    counts = [count_text(getattr(session, field), name) for field, name in _NAMES if getattr(session, field)]
    told = f": {', '.join(counts)}" if counts else ""
    return f"Session closed after {span_text(max(0, session.last_at - began))}{told}."


def _new(session_id: str, event: ParsedEvent) -> WorkSession:
    return WorkSession(
        id=session_id,
        cli=event.cli,
        first_at=event.now,
        last_at=event.now,
        expires_at=event.now + SESSION_MS,
        place=event.place,
    )


def _with(session: WorkSession, event: ParsedEvent, *, failed: bool) -> WorkSession:
    changes: dict[str, Any] = {"last_at": event.now, "expires_at": event.now + SESSION_MS, "ended_at": None}
    if event.type in _COUNTED:
        field = _COUNTED[event.type]
        changes[field] = getattr(session, field) + 1
    if failed:
        changes["errors"] = session.errors + 1
    if event.type == "session_start":
        changes["started_at"] = session.started_at if session.started_at is not None else event.now
        changes |= {"cli": event.cli, "place": event.place or session.place}
    if event.type == "session_end":
        changes["ended_at"] = event.now
    return altered(session, **changes)
