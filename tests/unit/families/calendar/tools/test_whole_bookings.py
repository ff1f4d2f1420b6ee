"""Test the answers of bookings: series, whole days, reminders, the past, invitations, idempotency keys and events."""

import json
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest

from almanac.families.calendar.booking.idempotency import digest_of
from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.entries.records import IDEMPOTENCY, IdempotencyRecord
from almanac.families.calendar.model.attendees import is_address
from almanac.kernel.caller import Caller
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict
from almanac.platform.bus.outbox import messages_in
from almanac.platform.services import Services
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Store
from tests.unit.families.calendar.services import NINE, draft, open_bookings
from tests.unit.families.calendar.tools.client import DAY, SLOT, Client

PLAIN_DIGEST = "33c2794819e2c54e076df3b0df0dd06ee489cd8098d64fa5361a8d8eec356a1c"
DAYS = {"calendar_id": "primary", "start": "2026-03-16", "end": "2026-03-18"}


def rows(client: Client, **window: str) -> list[dict[str, Any]]:
    return json.loads(client.call("list_events", calendar_id="primary", **(window or DAY))["content"])


def test_whole_days_are_told_in_dates_and_written_back_as_told(client: Client):
    booked = client.call("book_slot", **DAYS, summary="Fair")

    assert booked["all_day"] is True
    for name in ("start", "local_start"):
        assert booked[name] == "2026-03-16"
    for name in ("end", "local_end"):
        assert booked[name] == "2026-03-18"
    assert booked["day_of_week"] == "Monday"
    same = {"calendar_id": "primary", "booking_id": booked["booking_id"]}
    again = client.call("reschedule_booking", **same, start=booked["start"], end=booked["end"])
    assert again == booked
    (row,) = rows(client)
    assert (row["all_day"], row["start"], row["end"]) == (True, "2026-03-16", "2026-03-18")
    assert "excluded" in client.refusal("book_slot", **DAYS | {"end": "2026-03-16"}, summary="x")
    assert "both be dates" in client.refusal("book_slot", **DAYS | {"end": SLOT["end"]}, summary="x")


def test_whole_days_and_series_are_held_and_listed(client: Client):
    held = client.call("hold_slot", **DAYS, summary="Fair")
    series = client.call("hold_slot", **_shifted_slot(days=4), recurrence="FREQ=DAILY;COUNT=3")

    assert (held["start"], held["local_end"], held["all_day"]) == ("2026-03-16", "2026-03-18", True)
    assert series["recurrence"] == "FREQ=DAILY;COUNT=3"
    found = rows(client, start="2026-03-15T00:00:00Z", end="2026-04-01T00:00:00Z")
    assert found[0]["all_day"] is True
    assert [row["recurring"] for row in found[1:]] == [True] * 3
    booked = client.call("book_slot", **DAYS, summary="Fair", hold_id=held["hold_id"])
    assert booked["success"] is True


def test_a_series_says_how_far_it_was_checked_and_lists_its_reminders(client: Client):
    booked = client.call("book_slot", **SLOT, summary="x", recurrence="RRULE:FREQ=WEEKLY", reminders=[10, 1440, 10])

    assert booked["recurrence"] == "FREQ=WEEKLY"
    assert booked["instances_checked"] == 105
    assert booked["checked_until"] == "2028-03-17T14:00:00-04:00"
    assert booked["reminders"] == [1440, 10]
    (row,) = rows(client)
    assert row["reminders"] == [1440, 10]
    assert client.call("get_event", calendar_id="primary", event_id=row["id"])["recurrence"] == "FREQ=WEEKLY"
    plain = client.call("book_slot", **_shifted_slot(minutes=30), summary="y")
    assert (plain["instances_checked"], plain["checked_until"], plain["reminders"]) == (1, None, [])
    assert "recurrence" in client.refusal("book_slot", **_shifted_slot(days=1), summary="z", recurrence="weekly")


def test_a_booking_in_the_past_stands_and_warns(client: Client, clock: FixedClock):
    clock.instant = NINE + timedelta(days=400)

    booked = client.call("book_slot", **SLOT, summary="Was")

    assert "past" in booked["warnings"][0]
    assert client.call("book_slot", **_shifted_slot(days=500), summary="Will be")["warnings"] == []


@pytest.mark.parametrize(
    "address", ["a@b.cd", "Ann.O'Neil+x@mail.example.co.uk", "用户@例え.jp", "a_b-c@x-y.example", "1@2.museum"]
)
def test_addresses_are_taken(address: str):
    assert is_address(address)


@pytest.mark.parametrize(
    "address",
    [
        *("not an email", "ann", "@b.cd", "ann@", "ann@b", "a@b@c.de", "a b@c.de", ".a@b.cd", "a.@b.cd", "a..b@c.de"),
        *("a@-b.cd", "a@b-.cd", "a@b..cd", "a@b.cd.", "a@1.2.3.4", "Ann <ann@b.cd>", "a@b_c.de", "a,b@c.de"),
        *("a@b.cd\n", f"{'x' * 65}@b.cd", f"a@{'x' * 64}.de", "a@b.cd;c@d.ef", '"a"@b.cd'),
    ],
)
def test_what_is_no_address_is_not(address: str):
    assert not is_address(address)


def test_somebody_without_an_address_is_named(client: Client):
    said = client.refusal("book_slot", **SLOT, summary="x", attendees=["a@b.cd", "not an email"])

    assert 'attendees[1] is not an e-mail address: "not an email"' in said
    assert rows(client) == []
    client.call("book_slot", **SLOT, summary="x", attendees=[" MAILTO:a@b.cd "])
    assert rows(client)[0]["attendees"] == ["a@b.cd"]


def test_two_actors_may_use_the_same_key(services: Services, clock: FixedClock, caller: Caller, client: Client):
    other = Client(
        services, clock, Caller(caller.scope, "somebody-else", caller.key_id, default_timezone="America/New_York")
    )
    mine = client.call("book_slot", **SLOT, summary="Mine", idempotency_key="k")

    theirs = other.call("book_slot", **_shifted_slot(minutes=30), summary="Theirs", idempotency_key="k")

    assert theirs["replayed"] is False
    assert theirs["event_id"] != mine["event_id"]
    again = client.call("book_slot", **SLOT, summary="Mine", idempotency_key="k")
    assert (again["replayed"], again["event_id"]) == (True, mine["event_id"])
    used = IDEMPOTENCY.within(services.get(Store), caller.scope).query("primary").records
    for record in used:
        assert (
            client.call("book_slot", **_shifted_slot(days=9), summary="odd", idempotency_key=record.key)["replayed"]
            is False
        )
        client.call("cancel_booking", calendar_id="primary", booking_id=rows(client, **_around(days=9))[0]["id"])


def test_a_key_that_was_kept_when_keys_were_everybodys_is_honoured_for_whoever_booked(tmp_path: Any, clock: FixedClock):
    ann, bob = (open_bookings(tmp_path, clock, actor=actor) for actor in ("ann", "bob"))
    asked = draft(0, idempotency_key="k")
    booked = ann.book(draft(0)).event
    kept = IdempotencyRecord(
        calendar="primary", key="k", asked=digest_of(asked), event_id=booked.id, expires_at=2_000_000_000_000
    )
    ann.calendars.store.write([IDEMPOTENCY.within(ann.calendars.store, ann.calendars.scope).put(kept)])

    assert ann.book(asked).replayed
    with pytest.raises(Conflict, match="overlaps the slot"):
        bob.book(asked)


def test_the_digest_of_a_plain_draft_is_what_it_always_was():
    # As the first release wrote it: records of the week before an update are honoured after it.
    assert digest_of(draft(0, idempotency_key="k")).hex() == PLAIN_DIGEST


def test_what_is_told_on_the_bus_has_title_ids_and_times(client: Client, bookings: BookingService):
    booked = client.call("book_slot", **SLOT, summary="Stand\u200bup " + "x" * 300)
    its = {"calendar_id": "primary", "booking_id": booked["booking_id"]}
    told = _last_announcements(bookings)
    client.call("reschedule_booking", **its, start="2026-03-17", end="2026-03-18")
    told |= _last_announcements(bookings)
    client.call("cancel_booking", **its)
    told |= _last_announcements(bookings)

    assert told["slot_booked"] == {
        "calendar_id": "primary",
        "event_id": booked["event_id"],
        "booking_id": booked["booking_id"],
        "summary": ("Standup " + "x" * 300)[:200],
        "start": SLOT["start"],
        "end": SLOT["end"],
        "timezone": "America/New_York",
        "all_day": False,
    }
    assert told["booking_rescheduled"]["start"] == "2026-03-17T00:00:00-04:00"
    assert told["booking_rescheduled"]["all_day"] is True
    assert told["booking_cancelled"]["summary"].startswith("Standup")
    days = [told[kind][name] for kind in ("booking_rescheduled", "booking_cancelled") for name in ("end", "timezone")]
    assert days == ["2026-03-18T00:00:00-04:00", "America/New_York"] * 2


def _last_announcements(bookings: BookingService) -> dict[str, Mapping[str, Any]]:
    """Return the last event about the calendar, by its kind."""
    calendars = Partition.in_project(bookings.calendars.scope, "calendars")
    item = bookings.calendars.store.get(Key(calendars, sort_key("primary")))
    assert item is not None
    return {message.event.kind: message.event.payload for message in messages_in(item.attributes)}


def _shifted_slot(**by: int) -> dict[str, str]:
    shift = timedelta(**by)
    times = {name: (datetime.fromisoformat(SLOT[name]) + shift).isoformat() for name in ("start", "end")}
    return {"calendar_id": "primary", **times}


def _around(**by: int) -> dict[str, str]:
    moved = _shifted_slot(**by)
    return {"start": moved["start"], "end": moved["end"]}
