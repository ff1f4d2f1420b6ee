"""Test two browsers and two agents at one board and calendar. Nothing is lost, and each sees the others' changes."""

import time
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Example, OpenTab

SOON_SECONDS = 2.0
MOST_KEPT = 20
Json = dict[str, Any]


@pytest.mark.parametrize(
    "seconds",
    [pytest.param(0, id="two rounds"), pytest.param(600, marks=[pytest.mark.soak, pytest.mark.timeout(1800)])],
)
def test_two_browsers_and_two_agents_work_together(open_tab: OpenTab, example: Example, seconds: int) -> None:
    def call(tool: str, **arguments: Any) -> Json:
        result = example.ask("tools/call", {"name": tool, "arguments": arguments})
        return result.get("structuredContent") or {"ok": False}

    made = call("kanban_edit_board", action="create_board", title=f"Shared {seconds}", columns=["Open", "Done"])
    assert made["ok"], made
    boards = call("kanban_list_boards")["data"]["boards"]
    board = next(each for each in boards if each["title"] == f"Shared {seconds}")
    first, second = (column["id"] for column in board["columns"])
    one, other, week = open_tab(), open_tab(), open_tab()
    for tab in (one, other):
        with tab.page.expect_response(f"{tab.url}/ui/live"):
            tab.go(f"/ui/board?board={board['id']}")
    with week.page.expect_response(f"{week.url}/ui/live"):
        week.go("/ui/calendar?view=agenda&at=2032-06-07")
    took: list[float] = []

    def await_visible(locator: Locator) -> None:
        begun = time.monotonic()
        expect(locator).to_be_visible()
        took.append(time.monotonic() - begun)

    ends, number = time.monotonic() + seconds, 0
    titles: list[str] = []
    while number < 2 or time.monotonic() < ends:
        number += 1
        by_agent, by_browser, event = f"Agent's {number}.", f"Browser's {number}.", f"Meeting {number}."
        card = call("kanban_create_card", columnId=first, title=by_agent)["data"]
        for tab in (one, other):
            await_visible(tab.page.locator("[data-card]", has_text=by_agent))
        one.page.get_by_label("New card in Open").fill(by_browser)
        one.page.get_by_label("New card in Open").press("Enter")
        await_visible(other.page.locator("[data-card]", has_text=by_browser))
        titles += [by_agent, by_browser]

        def move_card(column: str, of: Json = card) -> Json:
            return call("kanban_move_card", cardId=of["id"], columnId=column, revision=of["revision"])

        # Of two agents that read the same card one moves it, and the other is told.
        with ThreadPoolExecutor(2) as agents:
            answers = list(agents.map(move_card, (second, second)))
        assert sorted(each["ok"] for each in answers) == [False, True], answers
        done = f"[data-column='{second}'] [data-card]"
        for tab in (one, other):
            await_visible(tab.page.locator(done, has_text=by_agent))
        at = {"date": "2032-06-08", "time": f"{8 + number % 10:02}:00"}
        meeting = call("calendar_create_event", title=event, **at)["data"]
        await_visible(week.page.get_by_role("link", name=event, exact=True))
        # A page that was read before somebody else's change does not undo it.
        stale = other.page.locator("[data-card]", has_text=by_browser)
        identity = str(stale.get_attribute("id")).removeprefix("card-")
        call("kanban_update_card", cardId=identity, description=f"Written by an agent, {number}.")
        expect(stale).to_contain_text(f"Written by an agent, {number}.")
        if number > MOST_KEPT:
            call("kanban_delete_card", cardId=card["id"])
            call("kanban_delete_card", cardId=identity)
            call("calendar_delete_event", eventId=meeting["id"])
            expect(stale).to_have_count(0)
            del titles[-2:]
    listed = call("kanban_list_cards", boardId=board["id"], limit=500)["data"]["cards"]
    assert sorted(each["title"] for each in listed) == sorted(titles)
    # A busy machine delays some, a defect all of them.
    assert median(took) < SOON_SECONDS
    assert all(tab.complaints == [] for tab in (one, other, week))
