"""The calendar on a year of 5,000 events, 200 of them series: how long its tools take, and what a booking costs."""

import gc
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path
from statistics import median, quantiles
from time import perf_counter, process_time
from typing import Any

import msgspec
from calendar_agent import Agent
from calendar_baselines import booking_in_bare_sqlite, free_by_dateutil
from calendar_year import SLOT, WEEK, YEAR, fill, open_store, year_of_events
from fresh_process import Subject, run
from page import Table, times

from almanac.platform.store.sqlite.schema import connect
from almanac.platform.store.sqlite.store import ROW
from tests.bench.metered_store import Charge, MeteredStore
from tests.bench.scale.prices import AS_OF, MILLION, READ_UNIT, WRITE_UNIT

FREE, BOOK = "find_free_slots, the year", "book_slot"
ASKED = {
    FREE: ("find_free_slots", YEAR),
    "list_events, a week": ("list_events", WEEK),
    "check_availability": ("check_availability", SLOT),
}
BARE_BOOKING, BY_DATEUTIL = "a booking's rows in bare sqlite3", "the year's free time by dateutil"


@dataclass(frozen=True)
class Durations:
    """Milliseconds: of CPU for the first call of a process, of the clock for the calls after it."""

    first: float = 0
    p50: float = 0
    p99: float = 0


@dataclass(frozen=True)
class Cost:
    requests: int
    read: float
    written: int

    @property
    def dollars(self) -> float:
        """Of a million of them."""
        return (self.read * READ_UNIT + self.written * WRITE_UNIT) * MILLION


Figures = dict[str, Durations]


def measure(processes: int) -> Figures:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        store = open_store(folder)
        fill(store)
        figures = {title: _measure_call(folder, Agent(store), title, processes) for title in ASKED}
        figures[BY_DATEUTIL] = _by_dateutil()
        return figures | _bookings(folder)


def costs() -> dict[str, Cost]:
    """Of calls in a process that has read the calendar before and wrote to it last."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        fill(open_store(folder))
        return _costs(folder)


def _measure_call(folder: Path, agent: Agent, title: str, processes: int) -> Durations:
    tool, arguments = ASKED[title]
    request = (str(folder), arguments)
    first = [run("calendar_first_call.py", Subject(title, tool), request)["ms"] for _ in range(processes)]
    agent.do(tool, **arguments)
    calls = _milliseconds(partial(agent.do, tool, **arguments), 200)
    return Durations(median(first), median(calls), quantiles(calls, n=100)[98])


def _by_dateutil() -> Durations:
    events = list(year_of_events())
    taken: list[float] = []
    for _ in range(5):
        began = process_time()
        free_by_dateutil(events)
        taken.append((process_time() - began) * 1000)
    return Durations(median(taken))


def _bookings(folder: Path) -> Figures:
    """Ours and the bare ones take turns, so that a busy moment hits both."""
    store = MeteredStore(open_store(folder))
    agent = Agent(store)
    book = partial(_book, agent, _slots())
    book()
    store.reset()
    book()
    connection = connect(folder / "almanac.db", "NORMAL", 10)
    rows = [
        connection.execute(f"SELECT {ROW} FROM items WHERE partition = ? AND sort = ?", _place(charge)).fetchone()
        for charge in store.charges
        if charge.kind == "transaction" and charge.index is None
    ]
    logged = connection.execute("SELECT partition, sort, body FROM changes ORDER BY sequence DESC LIMIT 1").fetchone()
    bare = booking_in_bare_sqlite(connect(folder / "bare.db", "NORMAL", 10), rows, logged)
    book = partial(_book, Agent(open_store(folder)), _slots(later=30))
    book()
    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(30):
        ours += _milliseconds(book, 20)
        theirs += _milliseconds(bare, 20)
    return {
        title: Durations(p50=median(calls), p99=quantiles(calls, n=100)[98])
        for title, calls in ((BOOK, ours), (BARE_BOOKING, theirs))
    }


def _costs(folder: Path) -> dict[str, Cost]:
    store = MeteredStore(open_store(folder))
    agent, slot = Agent(store), _slots(later=60)
    costs: dict[str, Cost] = {}

    def call(title: str, tool: str, **arguments: Any) -> dict[str, Any]:
        store.reset()
        answer = msgspec.json.decode(agent.do(tool, **arguments))
        costs[title] = Cost(store.requests, store.read, store.written)
        return answer

    call("find_free_slots, the year, first call", "find_free_slots", **YEAR)
    call("find_free_slots, the year, later", "find_free_slots", **YEAR)
    title = {"summary": "Review with Ben", "attendees": ["ben@example.com"]}
    call("check_availability", "check_availability", **slot())
    booked = call("book_slot", "book_slot", **title, **slot())
    call("book_slot, with an idempotency_key", "book_slot", idempotency_key="k1", **title, **slot())
    hold = slot()
    held = call("hold_slot", "hold_slot", **hold)
    call("book_slot, of a hold", "book_slot", hold_id=held["hold_id"], **title, **hold)
    call("reschedule_booking", "reschedule_booking", booking_id=booked["booking_id"], **slot())
    call("cancel_booking", "cancel_booking", booking_id=booked["booking_id"])
    return costs


def speed_table(figures: Figures) -> Table:
    ours = figures[FREE].first
    rows = [[title, *_cells(one)] for title, one in figures.items()]
    return Table(
        "A calendar of 5,000 events",
        "A year, 200 of the events series (9,400 instances) and 100 in place of an instance, on the laptop's store, "
        "through the tools. First: CPU time of the first call of a process, which reads and expands all of it, the "
        "median of fresh processes. Later: by the clock. dateutil expands the same rules and merges the same events, "
        f"which it has in memory already, in {times(figures[BY_DATEUTIL].first, ours)} the CPU time of our first call. "
        "Bare sqlite3 writes the rows of a booking in one transaction, and looks at nothing but those rows.",
        ["", "first call, CPU ms", "later, p50 ms", "p99 ms"],
        rows,
    )


def _cells(one: Durations) -> list[str]:
    return [f"{figure:.2f}" if figure else "" for figure in (one.first, one.p50, one.p99)]


def cost_table(costs: dict[str, Cost]) -> Table:
    rows = [
        [title, str(one.requests), f"{one.read:g}", str(one.written), f"{one.dollars:.2f}"]
        for title, one in costs.items()
    ]
    return Table(
        "What a booking takes of DynamoDB",
        "Requests and units of the calls themselves in that calendar, counted by the published rules, and dollars of a "
        f"million of them on demand, as of {AS_OF}. The call's key, the event's way to its listeners and Lambda come "
        "on top: see docs/operating.md.",
        ["call", "requests", "read units", "write units", "$ per million"],
        rows,
    )


def _place(charge: Charge) -> tuple[str, str]:
    return charge.partition, charge.sort


def _slots(later: int = 0) -> Callable[[], dict[str, str]]:
    """Half hours of a year before the series, one after the other."""
    first, numbers = datetime(2020, 1, 1, tzinfo=UTC) + timedelta(days=later), count()

    def slot() -> dict[str, str]:
        start = first + timedelta(minutes=30 * next(numbers))
        return {"start": start.isoformat(), "end": (start + timedelta(minutes=30)).isoformat()}

    return slot


def _book(agent: Agent, slot: Callable[[], dict[str, str]]) -> None:
    agent.do("book_slot", summary="Review with Ben", attendees=["ben@example.com"], **slot())


def _milliseconds(call: Callable[[], object], calls: int) -> list[float]:
    gc.collect()
    taken: list[float] = []
    for _ in range(calls):
        began = perf_counter()
        call()
        taken.append((perf_counter() - began) * 1000)
    return taken
