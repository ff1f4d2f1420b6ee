"""Test the parsing of an event: its time, its program and its place."""

from datetime import UTC, datetime
from typing import Any

import pytest

from almanac.families.context.reports.parsed_event import Event, read
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso, milliseconds

NOW = milliseconds(datetime(2026, 2, 25, 9, tzinfo=UTC))


def at(timestamp: Any, zone: str | None = "Europe/Berlin") -> tuple[int, tuple[str, ...]]:
    event = read(Event(type="session_start", timestamp=timestamp), NOW, zone)
    return event.at - NOW, event.notes


@pytest.mark.parametrize(
    "timestamp",
    [
        "2026-02-25T09:00:00.000Z",
        "2026-02-25T14:30:00+05:30",
        "2026-02-25 04:00:00 -0500",
        "2026-02-25T10:00:00",
        "2026-02-25t10:00",
        NOW,
        NOW / 1000,
        str(NOW),
        str(NOW // 1000),
        None,
    ],
)
def test_a_timestamp_may_come_in_any_form_of_machines(timestamp: Any) -> None:
    assert at(timestamp) == (0, ())


def test_without_a_zone_a_time_without_an_offset_is_of_utc() -> None:
    assert at("2026-02-25T09:00:00", zone=None) == (0, ())


@pytest.mark.parametrize("timestamp", ["soon", "", "2026-13-45T99:00:00Z", "0001-01-01T00:00:00+14:00x", "9" * 99])
def test_what_is_no_timestamp_is_taken_as_now_with_a_note(timestamp: str) -> None:
    assert at(timestamp) == (0, ("timestamp is not of ISO 8601: taken as now.",))


@pytest.mark.parametrize(
    "timestamp", ["2026-01-20T09:00:00Z", "1999-01-01T00:00:00Z", "1970-01-01T00:00:00Z", 915_148_800]
)
def test_an_old_time_is_kept(timestamp: Any) -> None:
    moved, notes = at(timestamp)
    told = timestamp if isinstance(timestamp, str) else "1999-01-01T00:00:00Z"
    assert iso(NOW + moved) == iso(milliseconds(datetime.fromisoformat(told)))
    assert notes == ()


@pytest.mark.parametrize(
    ("timestamp", "span"),
    [
        ("2030-01-01T00:00:00Z", 5 * 60_000),
        ("1969-12-31T23:00:00Z", -NOW),
        (10**30, 5 * 60_000),
        (-(10.0**300), -NOW),
        ("9999-12-31T23:59:59Z", 5 * 60_000),
    ],
)
def test_a_time_too_far_from_now_is_drawn_near_with_a_note(timestamp: Any, span: int) -> None:
    moved, notes = at(timestamp)
    assert moved == span
    assert notes[0].startswith("timestamp is too far from now: taken as ")


@pytest.mark.parametrize(
    ("name", "cli"),
    [
        ("claude-code", "claude-code"),
        ("Claude Code", "claude-code"),
        ("claude_code", "claude-code"),
        (" CURSOR ", "cursor"),
    ],
)
def test_a_program_is_known_however_it_writes_its_name(name: str, cli: str) -> None:
    event = read(Event(type="session_start", cli_type=name), NOW, None)
    assert (event.cli, event.notes) == (cli, ())


def test_an_unknown_program_is_a_generic_one_with_a_note_that_names_the_known_ones() -> None:
    event = read(Event(type="session_start", cli_type="aider"), NOW, None)
    assert event.cli == "generic"
    assert "kimi, claude, claude-code, opencode, codex, gemini, cursor, generic" in event.notes[0]


def test_the_place_is_that_of_the_event_or_of_its_payload() -> None:
    def place(payload: dict[str, Any] | str, path: str | None = None) -> str | None:
        return read(Event(type="session_start", payload=payload, project_path=path), NOW, None).place

    assert place({"cwd": "/b"}, "/a/./") == "/a"
    assert place({"cwd": "C:\\repo"}) == "c:/repo"
    assert place({"workspace": "../elsewhere"}) is None
    assert place({"projectPath": "x" * 1025}) is None
    assert place({}) is None
    with pytest.raises(InvalidInput) as refused:
        place({}, "../elsewhere")
    assert refused.value.path == "event.projectPath"
