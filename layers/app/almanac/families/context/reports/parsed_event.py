"""Reported events, and their parsed form with time, session, program and place."""

import re
from typing import Annotated, Any, Literal, cast, get_args
from zoneinfo import ZoneInfo

from msgspec import Meta, Struct

from almanac.content.redaction import redact
from almanac.families.context.core.places import MAX_CHARACTERS, place_of
from almanac.families.context.core.types import CliType
from almanac.families.context.reports.payloads import Payload, payload_of
from almanac.families.memory.turns.turn_input import SessionId
from almanac.families.time.core.wall_time import resolve
from almanac.families.time.core.zones import find_zone
from almanac.families.time.expressions.iso import read_machine_time
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso, milliseconds

EventType = Literal[
    "file_opened",
    "command_executed",
    "error_occurred",
    "decision_made",
    "session_start",
    "session_end",
    "pattern_detected",
    "user_feedback",
]
AHEAD_MS = 5 * 60_000
_OFFSET = re.compile(r" ([+-]\d\d:?\d\d)$")
_AS_SECONDS = 10**11
_SAME_MS = 60_000
_BARE: dict[EventType, str] = {
    "file_opened": "path",
    "command_executed": "command",
    "error_occurred": "error",
    "decision_made": "decision",
    "session_start": "text",
    "session_end": "text",
    "pattern_detected": "pattern",
    "user_feedback": "feedback",
}


class Event(Struct, frozen=True, rename="camel", kw_only=True):
    """An event as it was reported."""

    type: Annotated[EventType, Meta(description="What happened.")]
    payload: Annotated[
        dict[str, Any] | str,
        Meta(description="path; command, exitCode, output; error, file, line, fix; decision, rationale."),
    ] = {}
    timestamp: Annotated[str, Meta(max_length=100, description="ISO 8601.")] | int | float | None = None
    session_id: SessionId | None = None
    cli_type: Annotated[
        str, Meta(max_length=100, description="kimi, claude, claude-code, opencode, codex, gemini, cursor or generic.")
    ] = "generic"
    project_path: Annotated[str, Meta(max_length=MAX_CHARACTERS)] | None = None


class ParsedEvent(Struct, frozen=True, kw_only=True):
    """A parsed event. `at` is when it happened, in milliseconds since 1970, and `now` when it was reported. `path` is
    the place as it was written. `notes` tell what was corrected or ignored."""

    type: EventType
    payload: Payload
    at: int
    now: int
    session: str | None
    cli: CliType
    place: str | None
    path: str | None
    notes: tuple[str, ...] = ()

    @property
    def is_late(self) -> bool:
        """Return whether the event happened in another minute than its report."""
        return abs(self.now - self.at) >= _SAME_MS


def read(event: Event, now: int, zone: str | None) -> ParsedEvent:
    """Parse an event. `zone` applies to times without an offset; None means UTC. Raises InvalidInput for a path that
    leads out of itself."""
    payload = payload_of(event.payload, _BARE[event.type])
    at, time_note = _instant(event.timestamp, now, zone)
    cli, cli_note = _cli(event.cli_type)
    path = event.project_path or _folder_in(payload)
    place = place_of(path, "event.projectPath")
    return ParsedEvent(
        type=event.type,
        payload=payload,
        at=at,
        now=now,
        session=(event.session_id or "").strip() or None,
        cli=cli,
        place=redact(place).text if place else None,
        path=path,
        notes=tuple(note for note in (time_note, cli_note) if note),
    )


def _instant(timestamp: str | float | None, now: int, zone: str | None) -> tuple[int, str]:
    """Return when the event happened, and a note if that is not `timestamp`. A reported history may be years old, but
    no event can lie further in the future than a clock error."""
    if timestamp is None:
        return now, ""
    try:
        found = _milliseconds(timestamp, zone)
    except (InvalidInput, OverflowError, ValueError):
        found = None
    if found is None:
        return now, "timestamp is not of ISO 8601: taken as now."
    nearest = min(max(found, 0), now + AHEAD_MS)
    return (found, "") if nearest == found else (nearest, f"timestamp is too far from now: taken as {iso(nearest)}.")


def _milliseconds(timestamp: str | float, zone: str | None) -> int | None:
    if not isinstance(timestamp, str):
        return int(timestamp if abs(timestamp) >= _AS_SECONDS else timestamp * 1000)
    machine = read_machine_time(_OFFSET.sub(r"\1", " ".join(timestamp.split()).lower()))
    if machine is None:
        return None
    if machine.instant is not None:
        return milliseconds(machine.instant)
    return milliseconds(resolve(machine.local, find_zone(zone) if zone else ZoneInfo("UTC")).instant)


def _cli(name: str) -> tuple[CliType, str]:
    normal_name = "-".join(name.lower().replace("_", " ").replace("-", " ").split())
    if normal_name in get_args(CliType):
        return cast("CliType", normal_name), ""
    return "generic", f"cliType is none of {', '.join(get_args(CliType))}: taken as generic."


def _folder_in(payload: Payload) -> str | None:
    """Return the folder where the program runs, from the payload of a session's start; None if it names none."""
    path = payload.text("projectpath", "cwd", "workspace")
    if path is None or len(path) > MAX_CHARACTERS:
        return None
    try:
        place_of(path)
    except InvalidInput:
        return None
    return path
