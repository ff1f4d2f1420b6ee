"""Agents that move the cards of a shared board, and the checks of the board afterwards."""

import random
from collections.abc import Callable, Sequence
from typing import Any

COLUMNS = ("col_todo", "col_doing", "col_done")
Do = Callable[..., dict[str, Any]]
"""(tool, **arguments) -> data of a call that is not refused."""


def dealt(do: Do, count: int) -> list[str]:
    """The ids of new cards, all in the first column."""
    return [
        do("kanban_create_card", columnId="col_todo", title=str(number), position=99)["id"] for number in range(count)
    ]


def move_about(do: Do, cards: Sequence[str], seed: int, count: int) -> None:
    chance = random.Random(seed)
    for _ in range(count):
        column, position = chance.choice(COLUMNS), chance.choice([0, 0, 1, 3, 99])
        do("kanban_move_card", cardId=chance.choice(cards), columnId=column, position=position)


def check_board(do: Do, cards: Sequence[str]) -> None:
    """No card is lost or there twice, each is found by its id where it is listed, and columns count their own."""
    listed = do("kanban_list_cards")["cards"]
    assert sorted(one["id"] for one in listed) == sorted(cards)
    for one in listed:
        found = do("kanban_update_card", cardId=one["id"], title=one["title"])
        assert (found["columnId"], found["position"]) == (one["columnId"], one["position"])
    counts = {one["id"]: one["cardCount"] for one in do("kanban_list_boards")["boards"][0]["columns"]}
    for column in COLUMNS:
        positions = [one["position"] for one in listed if one["columnId"] == column]
        assert positions == list(range(len(positions)))
        assert counts[column] == len(positions)
