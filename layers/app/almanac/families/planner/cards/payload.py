"""The payload of domain events about a card: what people read, beside the ids."""

from typing import Any

from almanac.families.planner.core.records import Board, Card, Column


def card_payload(card: Card, board: Board, column: Column) -> dict[str, Any]:
    return {"title": card.title, "due": card.due, "due_time": card.due_time, **place_payload(board, column)}


def place_payload(board: Board, column: Column) -> dict[str, Any]:
    return {
        "board_id": board.id,
        "board_title": board.title,
        "column_id": column.id,
        "column_title": column.title,
        "is_done": column.done,
    }
