"""Every tool of time, called as an agent calls it."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError

from tests.e2e.target import MODES, Target, result_text

NEW_YORK = "America/New_York"

CALLS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "adjust_timestamp",
        {"datetime": "2026-01-31T12:00:00Z", "adjustment": "+1mo", "timezone": "UTC"},
        {"adjusted_utc": "2026-02-28T12:00:00+00:00"},
    ),
    ("compute_duration", {"start": "2026-01-01T00:00:00Z", "end": "2026-01-02T01:00:00Z"}, {"total_seconds": 90_000}),
    (
        "convert_datetime",
        {"instant_utc": "2026-07-01T12:00:00Z", "target_time_zone": NEW_YORK},
        {"dst_active": True, "time_zone": NEW_YORK},
    ),
    (
        "convert_timezone",
        {"datetime": "2026-07-01T12:00:00Z", "target_timezone": NEW_YORK},
        {"local": "2026-07-01T08:00:00-04:00"},
    ),
    (
        "expand_rrule",
        {"rrule": "FREQ=MONTHLY;BYDAY=-1FR;COUNT=3", "dtstart": "2026-01-01T09:00:00", "timezone": NEW_YORK},
        {"count": 3, "truncated": False},
    ),
    (
        "resolve_datetime",
        {"expression": "next Tuesday at 2pm", "timezone": NEW_YORK, "anchor": "2026-02-18T14:30:00Z"},
        {"resolved_local": "2026-02-24T14:00:00-05:00"},
    ),
    (
        "validate_local_datetime",
        {"local_datetime": "2026-03-08T02:30:00", "time_zone": NEW_YORK},
        {"status": "invalid"},
    ),
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("path", ["", "/time"], ids=["hub", "family"])
def test_it_knows_what_time_it_is(at: Target, mode: str, path: str):
    now = at.ask("get_temporal_context", path, mode=mode, timezone=NEW_YORK)
    assert abs(datetime.fromisoformat(now["utc"]) - datetime.now(UTC)) < timedelta(minutes=2)
    assert datetime.fromisoformat(now["local"]) == datetime.fromisoformat(now["utc"])


@pytest.mark.parametrize(("tool", "arguments", "expected"), CALLS, ids=[tool for tool, _, _ in CALLS])
def test_a_tool_answers_what_is_right(at: Target, tool: str, arguments: dict[str, Any], expected: dict[str, Any]):
    answer = at.ask(tool, "/time", **arguments)
    assert {name: answer[name] for name in expected} == expected


def test_many_operations_go_in_one_call(at: Target):
    items = [
        {"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": NEW_YORK},
        {"operation": "convert", "instant_utc": "2026-07-01T12:00:00Z", "target_time_zone": "Asia/Tokyo"},
    ]
    answer = at.ask("batch_datetime_operations", items=items)
    assert (answer["total"], answer["succeeded"]) == (2, 2)


@pytest.mark.parametrize("mode", MODES)
def test_a_wrong_argument_is_explained_to_the_model(at: Target, mode: str):
    result = at.call("convert_timezone", {"datetime": "2026-07-01T12:00:00Z", "target_timezone": "Mars"}, mode=mode)
    assert result.is_error
    assert result.structured_content is None
    assert "Mars" in result_text(result)


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_is_an_error_of_the_protocol(at: Target, mode: str):
    with pytest.raises(MCPError) as refused:
        at.call("stop_time", {}, mode=mode)
    assert refused.value.error.code == -32602
