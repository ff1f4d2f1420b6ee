"""Boards, their columns and their cards."""

from typing import Any

import pytest

from tests.app import ToolRefusal
from tests.project_app import ProjectApp


def card(app: ProjectApp, title: str = "Card", **fields: Any) -> dict[str, Any]:
    return app.do("kanban_create_card", **({"columnId": "col_todo", "title": title} | fields))


def titles(app: ProjectApp, **asked: Any) -> list[str]:
    return [one["title"] for one in app.do("kanban_list_cards", **asked)["cards"]]


def test_there_is_a_board_with_columns_before_anything_was_made(app: ProjectApp) -> None:
    (board,) = app.do("kanban_list_boards")["boards"]
    assert [(one["title"], one["position"], one["isDone"], one["wipLimit"]) for one in board["columns"]] == [
        ("To do", 0, False, None),
        ("In progress", 1, False, None),
        ("Done", 2, True, None),
    ]
    assert app.do("kanban_list_cards")["cards"] == []
    card(app)
    (again,) = app.do("kanban_list_boards")["boards"]
    assert (again["id"], again["columns"][0]["cardCount"]) == (board["id"], 1)


def test_a_card_stands_at_the_top_unless_a_position_is_given(app: ProjectApp) -> None:
    for title in ("A", "B", "C"):
        card(app, title)
    card(app, "D", position=1)
    card(app, "E", position=1e12)
    card(app, "F", position=-4.5)
    assert titles(app) == ["F", "C", "D", "B", "A", "E"]


@pytest.mark.parametrize(
    ("moved", "position", "order"),
    [("A", 0, "ABCD"), ("A", 1, "BACD"), ("A", 3, "BCDA"), ("A", 99, "BCDA"), ("D", 0, "DABC"), ("C", 1, "ACBD")],
)
def test_a_card_moves_within_its_column(app: ProjectApp, moved: str, position: int, order: str) -> None:
    made = {title: card(app, title, position=9) for title in "ABCD"}
    answer = app.do("kanban_move_card", cardId=made[moved]["id"], columnId="col_todo", position=position)
    assert "".join(titles(app)) == order
    assert answer["position"] == order.index(moved)
    assert [one["position"] for one in app.do("kanban_list_cards")["cards"]] == [0, 1, 2, 3]


def test_moving_to_another_column_counts_there(app: ProjectApp) -> None:
    made = card(app)
    moved = app.do("kanban_move_card", cardId=made["id"], columnId="col_done", revision=1)
    assert (moved["isDone"], moved["columnTitle"], moved["revision"]) == (True, "Done", 2)
    counts = [one["cardCount"] for one in app.do("kanban_list_boards")["boards"][0]["columns"]]
    assert counts == [0, 0, 1]


def test_an_old_revision_is_a_conflict(app: ProjectApp) -> None:
    made = card(app)
    app.do("kanban_update_card", cardId=made["id"], title="Other", revision=1)
    for tool in ("kanban_update_card", "kanban_move_card", "kanban_delete_card"):
        more = {"title": "x"} if "update" in tool else {"columnId": "col_doing"} if "move" in tool else {}
        with pytest.raises(ToolRefusal, match="expected revision 1, got 2"):
            app.do(tool, cardId=made["id"], revision=1, **more)


def test_a_due_date_is_read_kept_and_cleared(app: ProjectApp) -> None:
    made = card(app, dueDate="next friday at 5pm")
    assert (made["dueDate"], made["dueTime"], made["dueDayOfWeek"]) == ("2026-02-20", "17:00", "Friday")
    kept = app.do("kanban_update_card", cardId=made["id"], title="Other")
    assert kept["dueDate"] == "2026-02-20"
    cleared = app.do("kanban_update_card", cardId=made["id"], dueDate=None)
    assert (cleared["dueDate"], cleared["dueTime"]) == (None, None)
    again = app.do("kanban_update_card", cardId=made["id"], dueDate="tomorrow")
    assert again["dueDate"] == "2026-02-19"
    assert app.do("kanban_update_card", cardId=made["id"], dueDate="")["dueDate"] is None


def test_a_null_beside_a_stringified_list_still_clears(app: ProjectApp) -> None:
    made = card(app, dueDate="tomorrow")
    cleared = app.do("kanban_update_card", cardId=made["id"], dueDate=None, eventLinks="[]")
    assert (cleared["dueDate"], cleared["eventLinks"]) == (None, [])


def test_a_wip_limit_warns_and_does_not_refuse(app: ProjectApp) -> None:
    card(app, "First")
    app.do("kanban_edit_board", action="update_column", columnId="col_doing", wipLimit=1)
    one = card(app, "Second", columnId="col_doing")
    assert one["warning"] is None
    two = card(app, "Third")
    moved = app.do("kanban_move_card", cardId=two["id"], columnId="col_doing")
    assert "2 cards, over its WIP limit of 1" in moved["warning"]
    app.do("kanban_edit_board", action="update_column", columnId="col_doing", wipLimit=0)
    assert app.do("kanban_update_card", cardId=two["id"], title="x")["warning"] is None


def test_event_links_are_links_and_go_with_the_event(app: ProjectApp) -> None:
    event = app.do("calendar_create_event", title="Ship", date="tomorrow")["id"]
    made = card(app, eventLinks=[event, event])
    assert made["eventLinks"] == [event]
    (link,) = app.do("items_list_links", itemId=event)["links"]
    assert (link["itemId"], link["direction"], link["relationType"]) == (made["id"], "in", "references")
    app.do("items_unlink", fromItemId=made["id"], toItemId=event)
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == []
    app.do("items_link", fromItemId=made["id"], fromItemType="task", toItemId=event, toItemType="event")
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == [event]
    app.do("calendar_delete_event", eventId=event)
    assert app.do("kanban_list_cards")["cards"][0]["eventLinks"] == []


def test_a_link_to_an_event_that_is_none_is_refused(app: ProjectApp) -> None:
    with pytest.raises(ToolRefusal, match="Event not found"):
        card(app, eventLinks=["nothing"])
    assert titles(app) == []


def test_a_deleted_card_is_gone(app: ProjectApp) -> None:
    made = card(app)
    assert app.do("kanban_delete_card", cardId=made["id"])["deleted"]
    assert titles(app) == []
    for tool, more in (("kanban_delete_card", {}), ("kanban_move_card", {"columnId": "col_done"})):
        with pytest.raises(ToolRefusal, match="Card not found"):
            app.do(tool, cardId=made["id"], **more)


def test_a_board_is_listed_page_by_page(app: ProjectApp) -> None:
    for number in range(7):
        card(app, str(number), position=99, columnId=("col_todo", "col_doing")[number % 2])
    whole = titles(app)
    paged: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        page = app.do("kanban_list_cards", limit=2, **cursor)
        paged += [one["title"] for one in page["cards"]]
        if not page["truncated"]:
            break
        cursor = {"cursor": page["nextCursor"]}
    assert paged == whole == ["0", "2", "4", "6", "1", "3", "5"]


def test_boards_are_made_renamed_reordered_and_deleted(app: ProjectApp) -> None:
    card(app)
    made = app.do("kanban_edit_board", action="create_board", title="Side", columns=["Ideas", "Done"])["board"]
    assert [(one["title"], one["isDone"]) for one in made["columns"]] == [("Ideas", False), ("Done", True)]
    app.do("kanban_edit_board", action="update_board", boardId=made["id"], title="First", position=0)
    assert [one["title"] for one in app.do("kanban_list_boards")["boards"]] == ["First", "Board"]
    card(app, "Idea", columnId=made["columns"][0]["id"])
    assert titles(app, boardId=made["id"]) == ["Idea"]
    assert titles(app) == ["Idea", "Card"]
    with pytest.raises(ToolRefusal, match=r"has 1 card\."):
        app.do("kanban_edit_board", action="delete_board", boardId=made["id"])
    app.do("kanban_delete_card", cardId=app.do("kanban_list_cards", boardId=made["id"])["cards"][0]["id"])
    assert app.do("kanban_edit_board", action="delete_board", boardId=made["id"])["board"] is None
    assert len(app.do("kanban_list_boards")["boards"]) == 1


def test_columns_are_added_moved_and_deleted(app: ProjectApp) -> None:
    asked = {"action": "add_column", "boardId": "board_default", "title": "Review", "position": 2, "wipLimit": 3}
    board = app.do("kanban_edit_board", **asked)["board"]
    assert [one["title"] for one in board["columns"]] == ["To do", "In progress", "Review", "Done"]
    review = board["columns"][2]["id"]
    board = app.do("kanban_edit_board", action="update_column", columnId=review, title="Check", position=0)["board"]
    assert [one["title"] for one in board["columns"]] == ["Check", "To do", "In progress", "Done"]
    with pytest.raises(ToolRefusal, match="expected revision 1"):
        app.do("kanban_edit_board", action="delete_column", columnId=review, revision=1)
    card(app, columnId=review)
    with pytest.raises(ToolRefusal, match=r'"Check" has 1 card\.'):
        app.do("kanban_edit_board", action="delete_column", columnId=review)
    moved = app.do("kanban_list_cards", columnId=review)["cards"][0]["id"]
    app.do("kanban_move_card", cardId=moved, columnId="col_todo")
    app.do("kanban_edit_board", action="delete_column", columnId=review)
    with pytest.raises(ToolRefusal, match="Column not found"):
        card(app, columnId=review)


def test_a_column_that_comes_to_mean_done_takes_its_cards_out_of_what_is_overdue(app: ProjectApp) -> None:
    card(app, dueDate="2026-02-10")
    assert [one["title"] for one in app.do("daily_overview")["overdue"]] == ["Card"]
    app.do("kanban_edit_board", action="update_column", columnId="col_todo", isDone=True)
    assert app.do("daily_overview")["overdue"] == []
    app.do("kanban_edit_board", action="update_column", columnId="col_todo", isDone=False)
    assert [one["title"] for one in app.do("daily_overview")["overdue"]] == ["Card"]


def test_an_edit_that_changes_nothing_writes_nothing(app: ProjectApp) -> None:
    made = card(app, "A", dueDate="2026-03-01")
    again = app.do("kanban_update_card", cardId=made["id"], title="A", dueDate="2026-03-01")
    assert (again["revision"], again["updatedAt"]) == (1, made["updatedAt"])


@pytest.mark.parametrize(
    ("tool", "asked"),
    [
        ("kanban_update_card", {"cardId": "$"}),
        ("kanban_update_card", {"cardId": "$", "revision": 1}),
        ("kanban_edit_board", {"action": "update_board", "boardId": "board_default"}),
        ("kanban_edit_board", {"action": "update_column", "columnId": "col_todo"}),
    ],
)
def test_an_edit_without_anything_to_change_is_refused(app: ProjectApp, tool: str, asked: dict[str, Any]) -> None:
    made = card(app)["id"]
    with pytest.raises(ToolRefusal, match=r"There is nothing to change\. Give"):
        app.do(tool, **{name: made if value == "$" else value for name, value in asked.items()})


@pytest.mark.parametrize("action", ["update_column", "delete_column"])
def test_what_is_missing_for_an_edit_of_a_column_is_named(app: ProjectApp, action: str) -> None:
    with pytest.raises(ToolRefusal, match="columnId is missing"):
        app.do("kanban_edit_board", action=action, title="x")


def test_a_column_without_a_title_is_refused(app: ProjectApp) -> None:
    with pytest.raises(ToolRefusal, match="The title of a column is empty"):
        app.do("kanban_edit_board", action="create_board", title="Two", columns=["Open", " "])


def test_a_column_of_another_board_lists_nothing(app: ProjectApp) -> None:
    other = app.do("kanban_edit_board", action="create_board", title="Two")["board"]["id"]
    with pytest.raises(ToolRefusal, match="The column is on another board"):
        app.do("kanban_list_cards", boardId=other, columnId="col_todo")
    with pytest.raises(ToolRefusal, match="Board not found"):
        app.do("kanban_list_cards", boardId="none", columnId="col_todo")


def test_a_card_moves_to_a_column_of_another_board(app: ProjectApp) -> None:
    made = card(app, dueDate="yesterday")
    other = app.do("kanban_edit_board", action="create_board", title="Two")["board"]
    moved = app.do("kanban_move_card", cardId=made["id"], columnId=other["columns"][2]["id"])
    assert (moved["boardId"], moved["isDone"], moved["dueDate"]) == (other["id"], True, made["dueDate"])
    assert titles(app, boardId="board_default") == []
    assert titles(app, boardId=other["id"]) == ["Card"]
    assert app.do("daily_overview")["overdue"] == []
