"""Booking as agents do it, each test in a calendar of its own."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from secrets import token_hex
from typing import Any

import pytest
from mcp_types import CallToolResult

from tests.e2e.target import MODES, Target, result_text

PATH = "/calendar"
NOON = {"start": "2031-05-06T12:00:00Z", "end": "2031-05-06T13:00:00Z"}
HALF_PAST = {"start": "2031-05-06T12:30:00Z", "end": "2031-05-06T13:30:00Z"}
DAY = {"start": "2031-05-06T00:00:00Z", "end": "2031-05-07T00:00:00Z"}
AGENTS = 6


@pytest.fixture
def room(calendar: Target) -> str:
    name = f"e2e-{token_hex(4)}"
    created = calendar.ask("create_calendar", PATH, name=name, calendar_id=name, timezone="Europe/Berlin")
    assert created["id"] == name
    return name


@pytest.mark.parametrize("mode", MODES)
def test_a_booking_is_listed_blocks_its_time_and_is_cancelled(calendar: Target, room: str, mode: str):
    booked = calendar.ask("book_slot", PATH, mode=mode, calendar_id=room, summary="Review", **NOON)
    assert booked["local_start"] == "2031-05-06T14:00:00+02:00"

    listed = calendar.ask("list_events", PATH, mode=mode, calendar_id=room, **DAY)
    assert listed["count"] == 1
    assert "Review" in listed["content"]

    refused = calendar.call("book_slot", {"calendar_id": room, "summary": "Clash", **HALF_PAST}, PATH, mode=mode)
    assert refused.is_error
    assert "Review" in result_text(refused)

    calendar.ask("cancel_booking", PATH, mode=mode, calendar_id=room, booking_id=booked["booking_id"])
    again = calendar.ask("book_slot", PATH, mode=mode, calendar_id=room, summary="Later", **HALF_PAST)
    assert again["success"]


def test_of_many_who_book_one_slot_at_once_one_gets_it(calendar: Target, room: str):
    def book(agent: int) -> CallToolResult:
        return calendar.call("book_slot", {"calendar_id": room, "summary": f"Agent {agent}", **NOON}, PATH)

    with ThreadPoolExecutor(AGENTS) as agents:
        results: Sequence[CallToolResult] = list(agents.map(book, range(AGENTS)))
    assert [result.is_error for result in results].count(False) == 1, [result_text(result) for result in results]
    assert calendar.ask("list_events", PATH, calendar_id=room, **DAY)["count"] == 1


def test_a_repeated_booking_is_made_once(calendar: Target, room: str):
    asked: dict[str, Any] = {"calendar_id": room, "summary": "Once", "idempotency_key": "e2e-1", **NOON}
    first, second = (calendar.ask("book_slot", PATH, **asked) for _ in range(2))
    assert first["event_id"] == second["event_id"]
    assert (first["replayed"], second["replayed"]) == (False, True)


def test_a_taken_hour_is_not_free(calendar: Target, room: str):
    calendar.ask("book_slot", PATH, calendar_id=room, summary="Review", **NOON)
    assert calendar.ask("check_availability", PATH, calendar_id=room, **HALF_PAST)["available"] is False
