"""What the feed tells of a card: what a person would want to know, in words beside the ids."""

from typing import Any

from almanac.families.planner.core.records import Board, Card, Column


def news_of(card: Card, board: Board, column: Column) -> dict[str, Any]:
    return {"title": card.title, "due": card.due, "due_time": card.due_time, **placed_news(board, column)}


def placed_news(board: Board, column: Column) -> dict[str, Any]:
    return {
        "board_id": board.id,
        "board_title": board.title,
        "column_id": column.id,
        "column_title": column.title,
        "is_done": column.done,
    }
