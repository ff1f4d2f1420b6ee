"""What a booking asks of the store: each request and each item counts on a bill."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from almanac.families.calendar.booking import book
from almanac.families.calendar.memory import Memory
from almanac.kernel.clock import FixedClock
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, Item
from almanac.platform.store.sqlite import SqliteStore
from tests.unit.families.calendar.desks import NOW, REMOTE, connect_remote, draft, open_desk


class CountingStore(SqliteStore):
    """Counts requests by kind, and the items that writes touch."""

    def __init__(self, path: Path, clock: FixedClock) -> None:
        super().__init__(path, clock=clock, cursor_secret=b"a secret of the tests")
        self.counts: dict[str, int] = {}

    def _count(self, what: str, number: int = 1) -> None:
        self.counts[what] = self.counts.get(what, 0) + number

    def get(self, key: Key) -> Item | None:
        self._count("get")
        return super().get(key)

    def query(self, *args, **kwargs):  # type: ignore[no-untyped-def]
        self._count("query")
        return super().query(*args, **kwargs)  # type: ignore[misc]

    def write(self, changes: Sequence[Change]) -> None:
        self._count("write")
        self._count("items", len(changes))
        super().write(changes)


@pytest.mark.parametrize(
    ("calendar", "key", "expected"),
    [
        ("primary", None, {"get": 1, "query": 1, "write": 1, "items": 4}),
        ("primary", "k", {"get": 2, "query": 1, "write": 1, "items": 5}),
        (REMOTE, None, {"get": 2, "query": 1, "write": 2, "items": 8}),
    ],
)
def test_a_booking_costs_what_the_decision_says(
    tmp_path: Path, calendar: str, key: str | None, expected: dict[str, int]
):
    clock = FixedClock(NOW)
    store = CountingStore(tmp_path / "store.db", clock)
    desk = open_desk(tmp_path, clock, memory=Memory(), store=store)
    connect_remote(desk)
    book(desk, draft(0, calendar=calendar))
    store.counts.clear()

    book(desk, draft(60, calendar=calendar, idempotency_key=key))

    assert store.counts == expected
