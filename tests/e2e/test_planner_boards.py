"""Boards, columns and cards, on a board of each test's own."""

from datetime import date
from typing import Any

import pytest

from tests.e2e.planner_agent import Json, PlannerAgent


@pytest.fixture
def board(agent: PlannerAgent, title: str) -> Json:
    columns = ["Open", "Doing", "Done"]
    return agent.do("kanban_edit_board", action="create_board", title=title, columns=columns)["board"]


def _card(agent: PlannerAgent, board: Json, title: str, column: int = 0, **fields: Any) -> Json:
    return agent.do("kanban_create_card", columnId=board["columns"][column]["id"], title=title, **fields)


def _cards(agent: PlannerAgent, board: Json) -> list[tuple[str, int, str]]:
    listed = agent.do("kanban_list_cards", boardId=board["id"])
    assert (listed["count"], listed["truncated"]) == (len(listed["cards"]), False)
    return [(one["columnTitle"], one["position"], one["title"]) for one in listed["cards"]]


def test_boards_are_listed_with_their_columns(agent: PlannerAgent, board: Json):
    (listed,) = [one for one in agent.do("kanban_list_boards")["boards"] if one["id"] == board["id"]]
    assert [(one["title"], one["position"], one["isDone"], one["wipLimit"]) for one in listed["columns"]] == [
        ("Open", 0, False, None),
        ("Doing", 1, False, None),
        ("Done", 2, True, None),
    ]
    agent.assert_refused("kanban_list_boards", 'Unknown argument "colour"', colour="red")


def test_a_board_and_its_columns_are_edited_and_deleted(agent: PlannerAgent, board: Json, title: str):
    target = {"boardId": board["id"]}
    added = agent.do("kanban_edit_board", action="add_column", title="Review", position=1, wipLimit=2, **target)
    assert [one["title"] for one in added["board"]["columns"]] == ["Open", "Review", "Doing", "Done"]
    review = {"columnId": added["board"]["columns"][1]["id"]}
    last = agent.do("kanban_edit_board", action="update_column", title="Check", position=9, wipLimit=0, **review)
    column = last["board"]["columns"][3]
    assert (column["title"], column["wipLimit"]) == ("Check", None)
    renamed = agent.do("kanban_edit_board", action="update_board", title=f"{title}!", **target)["board"]
    assert renamed["title"] == f"{title}!"
    stale = {"action": "update_board", "title": "x", "revision": 1, **target}
    agent.assert_refused("kanban_edit_board", f"expected revision 1, got {renamed['revision']}", **stale)
    agent.assert_refused("kanban_edit_board", "There is nothing to change", action="update_board", **target)
    agent.assert_refused("kanban_edit_board", "columnId is missing", action="delete_column")
    agent.assert_refused("kanban_edit_board", "Board not found", action="delete_board", boardId="none")

    card = _card(agent, board, "In the way")
    agent.assert_refused("kanban_edit_board", "has 1 card.", action="delete_board", **target)
    agent.do("kanban_delete_card", cardId=card["id"])
    assert len(agent.do("kanban_edit_board", action="delete_column", **review)["board"]["columns"]) == 3
    assert agent.do("kanban_edit_board", action="delete_board", **target)["board"] is None
    agent.assert_refused("kanban_list_cards", "Board not found", **target)


def test_cards_are_made_changed_moved_and_deleted(agent: PlannerAgent, board: Json, day: date):
    first = _card(agent, board, "First", description="why", dueDate=day.isoformat())
    assert (first["position"], first["dueDate"], first["dueDayOfWeek"]) == (0, day.isoformat(), f"{day:%A}")
    _card(agent, board, "Second")
    _card(agent, board, "Third", position=99)
    assert _cards(agent, board) == [("Open", 0, "Second"), ("Open", 1, "First"), ("Open", 2, "Third")]

    changed = agent.do("kanban_update_card", cardId=first["id"], title="Renamed", dueDate=None, revision=1)
    assert (changed["title"], changed["description"], changed["dueDate"]) == ("Renamed", "why", None)
    moved = agent.do("kanban_move_card", cardId=first["id"], columnId=board["columns"][2]["id"])
    assert (moved["isDone"], moved["columnTitle"], moved["position"]) == (True, "Done", 0)
    agent.do("kanban_move_card", cardId=first["id"], columnId=board["columns"][0]["id"], position=2)
    assert _cards(agent, board) == [("Open", 0, "Second"), ("Open", 1, "Third"), ("Open", 2, "Renamed")]
    assert agent.do("kanban_delete_card", cardId=first["id"])["title"] == "Renamed"
    assert _cards(agent, board) == [("Open", 0, "Second"), ("Open", 1, "Third")]


def test_cards_are_listed_page_by_page(agent: PlannerAgent, board: Json):
    for number in range(5):
        _card(agent, board, str(number), number % 2, position=9)
    page = agent.do("kanban_list_cards", boardId=board["id"], limit=2)
    seen = [one["title"] for one in page["cards"]]
    while page["truncated"]:
        page = agent.do("kanban_list_cards", boardId=board["id"], limit=2, cursor=page["nextCursor"])
        seen += [one["title"] for one in page["cards"]]
    assert seen == ["0", "2", "4", "1", "3"]


def test_a_full_column_warns_and_a_blocked_card_waits(agent: PlannerAgent, board: Json):
    done = board["columns"][2]["id"]
    agent.do("kanban_edit_board", action="update_column", columnId=board["columns"][0]["id"], wipLimit=1)
    one, two = _card(agent, board, "One"), _card(agent, board, "Two")
    assert one["warning"] is None
    assert "over its WIP limit of 1" in two["warning"]
    ends = {"fromItemId": one["id"], "fromItemType": "task", "toItemId": two["id"], "toItemType": "task"}
    agent.do("items_link", relationType="blocks", **ends)
    agent.assert_refused("kanban_move_card", 'blocked by "One"', cardId=two["id"], columnId=done)
    agent.do("kanban_move_card", cardId=one["id"], columnId=done)
    assert agent.do("kanban_move_card", cardId=two["id"], columnId=done)["isDone"]


def test_event_links_of_cards_stand_and_fall_with_the_event(agent: PlannerAgent, board: Json, title: str, day: date):
    event = agent.do("calendar_create_event", title=title, date=day.isoformat(), type="event")["id"]
    card = _card(agent, board, "Prepare", eventLinks=[event])
    assert card["eventLinks"] == [event]
    (link,) = agent.do("items_list_links", itemId=card["id"])["links"]
    assert (link["itemTitle"], link["relationType"], link["direction"]) == (title, "references", "out")
    agent.do("calendar_delete_event", eventId=event)
    assert agent.do("kanban_list_cards", boardId=board["id"])["cards"][0]["eventLinks"] == []


def test_the_next_card_is_taken_once_its_gate_is_open(agent: PlannerAgent, board: Json):
    card, where = _card(agent, board, "Release", priority="high"), {"board": board["id"]}
    signal = agent.do("kanban_gate", cardId=card["id"], signal="CI is green")
    gate = {"cardId": card["id"], "gateId": signal["gate"]["id"]}
    assert [one["id"] for one in agent.do("kanban_ready", **where)["waiting"]] == [card["id"]]
    assert agent.do("kanban_take", **where)["card"] is None
    agent.assert_refused("open_gate", "token", token="wrong", **gate)
    assert agent.do("open_gate", token=signal["token"], **gate)["opened"]
    taken = agent.do("kanban_take", **where)
    assert (taken["card"]["id"], taken["claim"]["key"]) == (card["id"], f"card:{card['id']}")
    assert _cards(agent, board) == [("Doing", 0, "Release")]
    assert agent.do("kanban_ready", **where)["ready"] == []
    agent.assert_refused("kanban_gate", "takes exactly one condition", cardId=card["id"])
    agent.assert_refused("kanban_ready", "Board not found", board="none")
    agent.assert_refused("kanban_take", "Board not found", board="none")


def test_a_card_is_handed_over_and_comes_back(agent: PlannerAgent, board: Json):
    card = _card(agent, board, "Release")
    taken = agent.do("kanban_take", board=board["id"])
    assert taken["card"]["id"] == card["id"]
    given = {"to": taken["claim"]["actor"], "card": card["id"], "evidence": {"commit": "4f2c1aa"}}
    offered = agent.do("hand_over", note="Half of it is done.", **given)
    answer = {"handoverId": offered["handoverId"], "accept": False}
    (back,) = agent.do("answer_handover", **answer)["claims"]
    assert (back["key"], back["holder"]) == (taken["claim"]["key"], taken["claim"]["holder"])
    assert back["token"] > taken["claim"]["token"]
    late = {"cardId": card["id"], "columnId": board["columns"][-1]["id"]}
    agent.assert_refused("kanban_move_card", "has ended", claimToken=taken["claim"]["token"], **late)
    agent.assert_refused("hand_over", "exactly one receiver", to="everybody", note="Done.", card=card["id"])
    agent.assert_refused("answer_handover", "has ended", **(answer | {"accept": True}))


def test_what_cannot_be_is_refused_with_what_to_do(agent: PlannerAgent, board: Json):
    card, open_ = _card(agent, board, "Card"), {"columnId": board["columns"][0]["id"]}
    agent.assert_refused("kanban_create_card", "Column not found", columnId="none", title="x")
    agent.assert_refused("kanban_create_card", "The title is empty", title=" ", **open_)
    agent.assert_refused("kanban_create_card", "dueDate must be", title="x", dueDate="someday", **open_)
    agent.assert_refused("kanban_create_card", "Event not found", title="x", eventLinks=["none"], **open_)
    agent.assert_refused("kanban_update_card", "Card not found", cardId="none", title="x")
    agent.assert_refused("kanban_update_card", "There is nothing to change", cardId=card["id"])
    agent.assert_refused("kanban_update_card", "expected revision 5, got 1", cardId=card["id"], title="x", revision=5)
    agent.assert_refused("kanban_move_card", "Column not found", cardId=card["id"], columnId="none")
    agent.assert_refused("kanban_move_card", "Edit conflict", cardId=card["id"], revision=5, **open_)
    agent.assert_refused("kanban_delete_card", "Edit conflict", cardId=card["id"], revision=5)
    agent.assert_refused("kanban_delete_card", "Card not found", cardId="none")
    agent.assert_refused("kanban_list_cards", "cursor does not belong", boardId=board["id"], cursor="made up")
    agent.assert_refused("kanban_list_cards", "Column not found", columnId="none")
