"""The planner does the same on every store: series, boards, links and many agents at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.app import ToolRefusal
from tests.contract.backends import Place
from tests.project_app import MORNING, ProjectApp, planner_app
from tests.unit.families.planner.agenda import agenda
from tests.unit.families.planner.shared_board import check_board, dealt, move_about


@pytest.fixture
def app(place: Place, tmp_path: Path, scope: Scope) -> ProjectApp:
    return planner_app(tmp_path, store=place.open(FixedClock(MORNING)), scope=scope)


def test_a_series_is_changed_cut_and_deleted(app: ProjectApp) -> None:
    recurrence = {"frequency": "daily", "count": 6}
    app.do("calendar_create_event", title="Run", date="2026-03-02", time="07:00", recurrence=recurrence)
    ids = [one["id"] for one in app.do("calendar_list_events")["events"]]
    app.do("calendar_update_event", eventId=ids[1], title="Walk", date="2026-03-10")
    app.do("calendar_update_event", eventId=ids[3], time="08:00", scope="this_and_following")
    app.do("calendar_delete_event", eventId=ids[0])
    assert agenda(app, dateFrom="2026-03-01", dateTo="2026-03-31") == [
        ("2026-03-04", "07:00", "Run"),
        ("2026-03-05", "08:00", "Run"),
        ("2026-03-06", "08:00", "Run"),
        ("2026-03-07", "08:00", "Run"),
        ("2026-03-10", "07:00", "Walk"),
    ]
    app.do("calendar_delete_event", eventId=ids[2], scope="all")
    assert len(agenda(app)) == 3


def test_blocked_cards_wait_and_links_go_with_their_items(app: ProjectApp) -> None:
    event = app.do("calendar_create_event", title="Ship", date="tomorrow", type="event")["id"]
    one = app.do("kanban_create_card", columnId="col_todo", title="One", dueDate="yesterday")["id"]
    two = app.do("kanban_create_card", columnId="col_todo", title="Two", eventLinks=[event])["id"]
    ends = {"fromItemId": one, "fromItemType": "task", "toItemId": two, "toItemType": "task"}
    app.do("items_link", relationType="blocks", **ends)
    with pytest.raises(ToolRefusal, match='blocked by "One"'):
        app.do("kanban_move_card", cardId=two, columnId="col_done")
    seen = app.do("daily_overview")
    assert [item["title"] for item in seen["overdue"]] == ["One"]
    app.do("kanban_delete_card", cardId=one)
    app.do("calendar_delete_event", eventId=event)
    assert app.do("items_list_links", itemId=two)["links"] == []
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == []
    assert app.do("kanban_move_card", cardId=two, columnId="col_done")["isDone"]


@pytest.mark.slow
def test_many_agents_on_one_board_lose_no_card(app: ProjectApp) -> None:
    cards = dealt(app.do, 6)
    gate = threading.Barrier(8)

    def agent(seed: int) -> None:
        gate.wait(timeout=60)
        move_about(app.do, cards, seed, 4)

    with ThreadPoolExecutor(8) as agents:
        list(agents.map(agent, range(8)))
    check_board(app.do, cards)
