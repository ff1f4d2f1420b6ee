"""Test the requests and items of a booking, each of which costs money."""

from collections import Counter
from pathlib import Path

import pytest

from almanac.families.calendar.entries.cache import CalendarCache
from almanac.kernel.clock import FixedClock
from almanac.platform.store.sqlite.store import SqliteStore
from tests.bench.metered_store import MeteredStore
from tests.doubles.observed_store import ObservedStore, Request
from tests.unit.families.calendar.services import NOW, REMOTE, connect_remote, draft, open_bookings, window


@pytest.mark.parametrize(
    ("calendar", "key", "requests", "items", "units"),
    [
        ("primary", None, {"get": 1, "query": 1, "write": 1, "transaction": 1}, 3, (7, 2)),
        ("primary", "k", {"get": 1, "get_many": 1, "query": 1, "write": 1, "transaction": 1}, 4, (9, 4)),
        (REMOTE, None, {"get": 2, "query": 1, "transaction": 2}, 9, (20, 3)),
    ],
)
def test_a_booking_costs_what_the_decision_says(
    tmp_path: Path, calendar: str, key: str | None, requests: dict[str, int], items: int, units: tuple[int, float]
):
    clock = FixedClock(NOW)
    meter = MeteredStore(SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"a secret of the tests"))
    bookings = open_bookings(tmp_path, clock, cache=CalendarCache(), store=meter)
    connect_remote(bookings)
    bookings.book(draft(0, calendar=calendar))
    meter.reset()

    bookings.book(draft(60, calendar=calendar, idempotency_key=key))

    sent = {charge.request: charge.kind for charge in meter.charges}
    written = [charge for charge in meter.charges if charge.kind == "transaction" and charge.index is None]
    assert Counter(sent.values()) == requests
    assert len(written) == items
    assert (meter.written, meter.read) == units


def test_days_that_were_found_empty_are_not_read_again(tmp_path: Path):
    clock, requests = FixedClock(NOW), list[Request]()
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"a secret of the tests")
    bookings = open_bookings(tmp_path, clock, cache=CalendarCache(), store=ObservedStore(store, requests.append))
    calendar = bookings.calendars.find_or_create("primary")
    bookings.calendars.list_entries(calendar, window())
    assert [operation for operation, _, _ in requests].count("query") == 2
    requests.clear()

    assert bookings.calendars.list_entries(calendar, window()) == []

    assert requests == []
