"""The planner does the same on every store: series, boards, links and many agents at once."""

import random
import threading
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.contract.backends import Place
from tests.unit.families.planner.houses import MORNING, House, Refused


@pytest.fixture
def house(place: Place, tmp_path: Path, scope: Scope) -> House:
    return House(tmp_path, store=place.open(FixedClock(MORNING)), scope=scope)


def test_a_series_is_changed_cut_and_deleted(house: House) -> None:
    recurrence = {"frequency": "daily", "count": 6}
    house.do("calendar_create_event", title="Run", date="2026-03-02", time="07:00", recurrence=recurrence)
    ids = [one["id"] for one in house.do("calendar_list_events")["events"]]
    house.do("calendar_update_event", eventId=ids[1], title="Walk", date="2026-03-10")
    house.do("calendar_update_event", eventId=ids[3], time="08:00", scope="this_and_following")
    house.do("calendar_delete_event", eventId=ids[0])
    assert house.days(dateFrom="2026-03-01", dateTo="2026-03-31") == [
        ("2026-03-04", "07:00", "Run"),
        ("2026-03-05", "08:00", "Run"),
        ("2026-03-06", "08:00", "Run"),
        ("2026-03-07", "08:00", "Run"),
        ("2026-03-10", "07:00", "Walk"),
    ]
    house.do("calendar_delete_event", eventId=ids[2], scope="all")
    assert len(house.days()) == 3


def test_blocked_cards_wait_and_links_go_with_their_items(house: House) -> None:
    event = house.do("calendar_create_event", title="Ship", date="tomorrow", type="event")["id"]
    one = house.do("kanban_create_card", columnId="col_todo", title="One", dueDate="yesterday")["id"]
    two = house.do("kanban_create_card", columnId="col_todo", title="Two", eventLinks=[event])["id"]
    ends = {"fromItemId": one, "fromItemType": "task", "toItemId": two, "toItemType": "task"}
    house.do("items_link", relationType="blocks", **ends)
    with pytest.raises(Refused, match='blocked by "One"'):
        house.do("kanban_move_card", cardId=two, columnId="col_done")
    seen = house.do("daily_overview")
    assert [item["title"] for item in seen["overdue"]] == ["One"]
    house.do("kanban_delete_card", cardId=one)
    house.do("calendar_delete_event", eventId=event)
    assert house.do("items_list_links", itemId=two)["links"] == []
    assert house.do("kanban_list_cards")["cards"][0]["eventLinks"] == []
    assert house.do("kanban_move_card", cardId=two, columnId="col_done")["isDone"]


def test_many_agents_on_one_board_lose_no_card(house: House) -> None:
    cards = [house.do("kanban_create_card", columnId="col_todo", title=str(n), position=99)["id"] for n in range(6)]
    failed: list[BaseException] = []

    def agent(seed: int) -> None:
        chance = random.Random(seed)
        try:
            for _ in range(4):
                column = chance.choice(["col_todo", "col_doing", "col_done"])
                house.do(
                    "kanban_move_card", cardId=chance.choice(cards), columnId=column, position=chance.choice([0, 9])
                )
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=agent, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    listed = house.do("kanban_list_cards")["cards"]
    assert sorted(one["id"] for one in listed) == sorted(cards)
    assert len({(one["columnId"], one["position"]) for one in listed}) == len(cards)
    counts = {one["id"]: one["cardCount"] for one in house.do("kanban_list_boards")["boards"][0]["columns"]}
    assert counts == {column: sum(one["columnId"] == column for one in listed) for column in counts}
