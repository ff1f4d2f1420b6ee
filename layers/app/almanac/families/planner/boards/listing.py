"""The cards of a board in their order, page by page."""

from collections.abc import Sequence
from typing import NamedTuple

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Board, Card, Column


class Placed(NamedTuple):
    """`position` counts from 0 at the top of the column."""

    card: Card
    board: Board
    column: Column
    position: int


Lane = tuple[Board, Column]


class Found(NamedTuple):
    """`position` is where the next page begins; None on the last one."""

    cards: list[Placed]
    position: str | None


def listed_cards(planner: Planner, lanes: Sequence[Lane], limit: int, after: str) -> Found:
    """At most `limit` cards of these columns of boards. `after` is the position of the page before, "" for none."""
    rows = planner.rows(CARDS)
    began, passed, rank = _read(after, lanes)
    found: list[Placed] = []
    for at in range(began, len(lanes)):
        board, column = lanes[at]
        page = rows.query(board.id, column.id, since=rank, limit=limit + 2 - len(found)).records
        cards = [card for card in page if card.rank != rank]
        room = limit - len(found)
        found += [Placed(card, board, column, passed + number) for number, card in enumerate(cards[:room])]
        if len(cards) > room:
            last = cards[room - 1].rank if room else rank or ""
            return Found(found, f"{column.id} {passed + room} {last}")
        passed, rank = 0, None
    return Found(found, None)


def _read(after: str, lanes: Sequence[Lane]) -> tuple[int, int, str | None]:
    """The column to begin with, how many of its cards came before, and the rank of the last of them."""
    column, _, rest = after.partition(" ")
    passed, _, rank = rest.partition(" ")
    at = next((number for number, (_, one) in enumerate(lanes) if one.id == column), None)
    return (at, int(passed), rank or None) if at is not None else (0, 0, None)
