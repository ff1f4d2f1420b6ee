"""The planner's lists on 10,000 items, and what its calls cost: `python -m tests.bench.planner_speed`.

Lists: the median of a call through `invoke` over SQLite; exit status 1 where one takes longer than its budget. Costs:
requests to the store, and the read and write units that DynamoDB would charge for them.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from statistics import median
from typing import Any

from tests.bench.metered_store import MeteredStore
from tests.project_app import ProjectApp, planner_app

ITEMS = 10_000
BUDGET_MS = 5.0
ROUNDS = 40


def furnish(app: ProjectApp) -> None:
    """10,000 events and tasks over four years, 40 series, as many cards and notes and entries as fit in a while."""
    first = date(2024, 6, 1)
    for number in range(ITEMS):
        app.do(
            "calendar_create_event",
            title=f"Item {number}",
            date=(first + timedelta(days=number * 1460 // ITEMS)).isoformat(),
            type="task" if number % 3 else "event",
            status="done" if number % 2 else "pending",
            **({"time": f"{8 + number % 10:02d}:00"} if number % 3 == 0 else {}),
        )
    for number in range(40):
        app.do(
            "calendar_create_event",
            title=f"Series {number}",
            date="2026-01-05",
            time="18:00",
            recurrence={"frequency": "weekly", "interval": 1 + number % 4},
        )
    columns = ("col_todo", "col_doing", "col_done")
    for number in range(ITEMS):
        due = {"dueDate": (first + timedelta(days=number % 1460)).isoformat()} if number % 4 == 0 else {}
        app.do("kanban_create_card", columnId=columns[number % 3], title=f"Card {number}", position=1e9, **due)


def median_milliseconds(call: Callable[[], object]) -> float:
    """Milliseconds, the median of some calls."""
    times: list[float] = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        call()
        times.append((time.perf_counter() - began) * 1000)
    return median(times)


LISTS: dict[str, tuple[str, dict[str, Any]]] = {
    "calendar_list_events": ("calendar_list_events", {}),
    "calendar_list_events, a month, 100": (
        "calendar_list_events",
        {"dateFrom": "2026-02-01", "dateTo": "2026-02-28", "limit": 100},
    ),
    "calendar_list_events, pending tasks": ("calendar_list_events", {"type": "task", "status": "pending"}),
    "kanban_list_boards": ("kanban_list_boards", {}),
    "kanban_list_cards": ("kanban_list_cards", {}),
    "items_list_links": ("items_list_links", {}),
    "daily_overview": ("daily_overview", {}),
    "daily_overview, a day": ("daily_overview", {"days": 1}),
    "daily_overview, 31 days": ("daily_overview", {"days": 31}),
}
LONG = "daily_overview, 31 days"
"""Shows all of its 270 items, so no page's budget holds it."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        app = planner_app(Path(folder))
        began = time.perf_counter()
        furnish(app)
        print(f"{2 * ITEMS + 40} items made in {time.perf_counter() - began:.0f} s")
        meter = MeteredStore(app.store)
        counted = planner_app(Path(folder), store=meter)
        card = app.do("kanban_list_cards", limit=1)["cards"][0]["id"]
        event = app.do("calendar_list_events", limit=1)["events"][0]["id"]
        for _ in range(30):
            app.do("kanban_create_card", columnId="col_todo", title="Linked", eventLinks=[event])
        LISTS["items_list_links"] = ("items_list_links", {"itemId": event})
        slow = report_lists(app, counted, meter)
        report_costs(counted, meter, {"card": card, "event": event})
    return 1 if slow else 0


def report_lists(app: ProjectApp, counted: ProjectApp, meter: MeteredStore) -> list[str]:
    slow: list[str] = []
    print(f"\n{'list':38} {'p50 ms':>8} {'requests':>9} {'read units':>11}")
    for title, (name, arguments) in LISTS.items():
        milliseconds = median_milliseconds(lambda name=name, arguments=arguments: app.do(name, **arguments))
        meter.reset()
        counted.do(name, **arguments)
        cold = (meter.requests, meter.read)
        print(f"{title:38} {milliseconds:8.2f} {cold[0]:9} {cold[1]:11.1f}")
        if milliseconds > BUDGET_MS and title != LONG:
            slow.append(title)
    return slow


def report_costs(app: ProjectApp, meter: MeteredStore, ids: dict[str, str]) -> None:
    print(f"\n{'call':38} {'requests':>9} {'read units':>11} {'write units':>12}")
    made: dict[str, Any] = {}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("calendar_create_event", {"title": "One", "date": "tomorrow", "time": "10:00"}),
        ("calendar_update_event", {"eventId": "$", "title": "Two"}),
        ("calendar_delete_event", {"eventId": "$"}),
        ("kanban_create_card", {"columnId": "col_todo", "title": "One"}),
        ("kanban_update_card", {"cardId": "$", "title": "Two"}),
        ("kanban_move_card", {"cardId": "$", "columnId": "col_doing"}),
        ("kanban_delete_card", {"cardId": "$"}),
        (
            "items_link",
            {"fromItemId": ids["card"], "fromItemType": "task", "toItemId": ids["event"], "toItemType": "event"},
        ),
        ("items_unlink", {"fromItemId": ids["card"], "toItemId": ids["event"]}),
    ]
    for name, arguments in calls:
        asked = {key: made["id"] if value == "$" else value for key, value in arguments.items()}
        meter.reset()
        made = app.do(name, **asked) if "items" not in name else {**made, **app.do(name, **asked)}
        print(f"{name:38} {meter.requests:9} {meter.read:11.1f} {meter.written:12}")


if __name__ == "__main__":
    sys.exit(main())
