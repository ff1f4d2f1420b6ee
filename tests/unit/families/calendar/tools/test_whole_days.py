"""Test that all-day events take the day of the reader's zone."""

import json
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.events import AllDay, Event
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.platform.services import Services
from tests.unit.families.calendar.services import file
from tests.unit.families.calendar.tools.client import Client

THE_DAY = date(2026, 3, 16)
ZONES = ("Pacific/Kiritimati", "Asia/Tokyo", "Asia/Kathmandu", "Europe/Berlin", "America/New_York", "Etc/GMT+12")
KINDS: dict[str, dict[str, Any]] = {
    "one day": {},
    "three days": {"days": 3},
    "a series": {"rrule": "FREQ=WEEKLY;COUNT=3"},
}


def clients(services: Services, clock: FixedClock, caller: Caller) -> dict[str, Client]:
    """Callers of one project in every zone, whose memory is one."""
    who = {zone: Caller(caller.scope, caller.actor, caller.key_id, default_timezone=zone) for zone in ZONES}
    return {zone: Client(services, clock, one) for zone, one in who.items()}


def whole(days: int = 1, rrule: str | None = None) -> Event:
    return Event(
        id="day",
        uid="day@example.com",
        start=AllDay(THE_DAY),
        end=AllDay(THE_DAY + timedelta(days=days)),
        summary="Away",
        rrule=rrule,
    )


def slot(local: str, zone: str, minutes: int = 30) -> dict[str, str]:
    from almanac.families.time.core.zones import find_zone  # noqa: PLC0415

    start = datetime.fromisoformat(local).replace(tzinfo=find_zone(zone))
    return {
        "calendar_id": "primary",
        "start": start.isoformat(),
        "end": (start.astimezone(UTC) + timedelta(minutes=minutes)).isoformat(),
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("owned", ["Europe/Berlin", "Asia/Tokyo", None])
def test_each_caller_is_busy_for_the_day_of_his_own_clocks(
    services: Services, clock: FixedClock, caller: Caller, bookings: BookingService, kind: str, owned: str | None
):
    callers = clients(services, clock, caller)
    if owned is not None:
        callers["Asia/Tokyo"].call("update_calendar", calendar_id="primary", timezone=owned)
    file(bookings, "primary", whole(**KINDS[kind]))
    last = THE_DAY + timedelta(days=KINDS[kind].get("days", 1) - 1)

    for zone, client in callers.items():
        for local, free in (
            ("2026-03-15T23:30", True),
            ("2026-03-16T00:00", False),
            ("2026-03-16T01:00", False),
            (f"{last}T23:30", False),
            (f"{last + timedelta(days=1)}T00:00", True),
        ):
            assert client.call("check_availability", **slot(local, zone))["available"] is free, (zone, local)


def test_the_timezone_argument_says_whose_day_is_meant(client: Client, bookings: BookingService):
    file(bookings, "primary", whole())
    asked = slot("2026-03-16T01:00", "Asia/Tokyo")

    assert client.call("check_availability", **asked)["available"] is True
    assert client.call("check_availability", **asked, timezone="Asia/Tokyo")["available"] is False


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_as_free_can_be_booked_and_what_is_shown_as_busy_cannot(
    services: Services, clock: FixedClock, caller: Caller, bookings: BookingService, kind: str
):
    callers = clients(services, clock, caller)
    file(bookings, "primary", whole(**KINDS[kind]))
    for hour, zone in enumerate(ZONES):
        client = callers[zone]
        for local in (f"2026-03-15T{23 - hour}:00", f"2026-03-16T{hour:02d}:00", f"2026-03-16T{23 - hour}:00"):
            asked = slot(local, zone, 10)
            if client.call("check_availability", **asked)["available"]:
                assert client.call("book_slot", **asked, summary="x")["success"]
                assert not client.call("check_availability", **asked)["available"]
            else:
                assert "Conflict" in client.refusal("book_slot", **asked, summary="x")
                assert "Conflict" in client.refusal("hold_slot", **asked)


def test_free_slots_and_merged_availability_leave_the_day_of_the_caller_out(
    services: Services, clock: FixedClock, caller: Caller, bookings: BookingService
):
    file(bookings, "primary", whole())
    window = {"start": "2026-03-14T12:00:00Z", "end": "2026-03-19T12:00:00Z"}
    for zone, client in clients(services, clock, caller).items():
        free = client.call("find_free_slots", calendar_id="primary", **window)["slots"]
        busy = client.call("get_availability", **window)["busy"]

        assert [one["local_end"][:16] for one in free[:1]] == ["2026-03-16T00:00"], zone
        assert [one["local_start"][:16] for one in free[1:]] == ["2026-03-17T00:00"], zone
        assert [(one["local_start"][:16], one["local_end"][:16]) for one in busy] == [
            ("2026-03-16T00:00", "2026-03-17T00:00")
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_every_caller_is_shown_the_same_dates(
    services: Services, clock: FixedClock, caller: Caller, bookings: BookingService, kind: str
):
    file(bookings, "primary", whole(**KINDS[kind]))
    dates: set[tuple[str, ...]] = set()
    for client in clients(services, clock, caller).values():
        listed = client.call("list_events", calendar_id="primary", start="2026-03-10T00:00Z", end="2026-04-10T00:00Z")
        dates.add(tuple(f"{row['start']} {row['end']} {row['day_of_week']}" for row in json.loads(listed["content"])))

    assert len(dates) == 1


def test_a_day_that_is_added_while_others_are_remembered_is_seen_by_everybody(
    services: Services, clock: FixedClock, caller: Caller, bookings: BookingService
):
    callers = clients(services, clock, caller)
    for zone, client in callers.items():
        assert client.call("check_availability", **slot("2026-03-16T12:00", zone))["available"]

    file(bookings, "primary", whole())

    for zone, client in callers.items():
        assert not client.call("check_availability", **slot("2026-03-16T12:00", zone))["available"]
