"""Many agents on one board at once."""

import random
import threading
from pathlib import Path

from almanac.families.planner.records import CARDS
from tests.unit.families.planner.houses import House

COLUMNS = ("col_todo", "col_doing", "col_done")


def together(works: list[object]) -> list[BaseException]:
    failed: list[BaseException] = []
    ready = threading.Barrier(len(works))

    def run(work: object) -> None:
        ready.wait()
        try:
            work()  # type: ignore[operator]
        except BaseException as error:  # noqa: BLE001
            failed.append(error)

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failed


def test_eight_agents_that_move_cards_lose_none_and_never_share_a_place(house: House) -> None:
    cards = [
        house.do("kanban_create_card", columnId="col_todo", title=str(number), position=99)["id"]
        for number in range(12)
    ]

    def agent(seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(15):
            house.do(
                "kanban_move_card",
                cardId=chance.choice(cards),
                columnId=chance.choice(COLUMNS),
                position=chance.choice([0, 0, 1, 3, 99]),
            )

    assert together([lambda seed=seed: agent(seed) for seed in range(8)]) == []
    listed = house.do("kanban_list_cards")["cards"]
    assert sorted(one["id"] for one in listed) == sorted(cards)
    assert len({(one["columnId"], one["position"]) for one in listed}) == len(cards)
    stored = CARDS.within(house.store, house.caller.scope).query("board_default", limit=100).records
    assert len({(one.column, one.rank) for one in stored}) == len(stored) == len(cards)
    counts = [one["cardCount"] for one in house.do("kanban_list_boards")["boards"][0]["columns"]]
    assert counts == [sum(one["columnId"] == column for one in listed) for column in COLUMNS]


def test_cards_made_at_once_at_one_place_all_stand(house: House) -> None:
    def agent(number: int) -> None:
        for each in range(6):
            house.do("kanban_create_card", columnId="col_todo", title=f"{number}.{each}")

    assert together([lambda number=number: agent(number) for number in range(8)]) == []
    listed = house.do("kanban_list_cards")["cards"]
    assert len({one["title"] for one in listed}) == len(listed) == 48


def test_of_two_links_that_would_close_a_circle_one_is_made(tmp_path: Path) -> None:
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        house = House(folder)
        one, two = (house.do("kanban_create_card", columnId="col_todo", title=t)["id"] for t in "AB")

        def link(source: str, target: str, house: House = house) -> None:
            house.do(
                "items_link",
                fromItemId=source,
                fromItemType="task",
                toItemId=target,
                toItemType="task",
                relationType="blocks",
            )

        failed = together([lambda a=one, b=two: link(a, b), lambda a=two, b=one: link(a, b)])
        assert len(failed) == 1
        assert "block each other" in str(failed[0])


def test_an_event_made_while_a_slot_is_booked_is_never_lost(house: House) -> None:
    def plan(number: int) -> None:
        house.do("calendar_create_event", title=f"P{number}", date="tomorrow", time="10:00", type="event")

    assert together([lambda number=number: plan(number) for number in range(8)]) == []
    assert len(house.days(dateFrom="tomorrow", dateTo="tomorrow")) == 8
