"""Many agents on one board at once."""

import threading
from pathlib import Path

from tests.project_app import ProjectApp, planner_app
from tests.unit.families.planner.agenda import agenda
from tests.unit.families.planner.shared_board import check_board, dealt, move_about


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


def test_eight_agents_that_move_cards_lose_none_and_never_share_a_place(app: ProjectApp) -> None:
    cards = dealt(app.do, 12)
    assert together([lambda seed=seed: move_about(app.do, cards, seed, 15) for seed in range(8)]) == []
    check_board(app.do, cards)


def test_cards_made_at_once_at_one_place_all_stand(app: ProjectApp) -> None:
    def agent(number: int) -> None:
        for each in range(6):
            app.do("kanban_create_card", columnId="col_todo", title=f"{number}.{each}")

    assert together([lambda number=number: agent(number) for number in range(8)]) == []
    listed = app.do("kanban_list_cards")["cards"]
    assert len({one["title"] for one in listed}) == len(listed) == 48


def test_of_two_links_that_would_close_a_circle_one_is_made(tmp_path: Path) -> None:
    for number in range(10):
        folder = tmp_path / str(number)
        folder.mkdir()
        app = planner_app(folder)
        one, two = (app.do("kanban_create_card", columnId="col_todo", title=t)["id"] for t in "AB")

        def link(source: str, target: str, app: ProjectApp = app) -> None:
            app.do(
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


def test_an_event_made_while_a_slot_is_booked_is_never_lost(app: ProjectApp) -> None:
    def plan(number: int) -> None:
        app.do("calendar_create_event", title=f"P{number}", date="tomorrow", time="10:00", type="event")

    assert together([lambda number=number: plan(number) for number in range(8)]) == []
    assert len(agenda(app, dateFrom="tomorrow", dateTo="tomorrow")) == 8
