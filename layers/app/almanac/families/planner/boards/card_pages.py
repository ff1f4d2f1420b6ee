"""Pages of the cards of a board, in order."""

from collections.abc import Sequence
from typing import NamedTuple

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Board, Card, Column


class PlacedCard(NamedTuple):
    """A card with its board and column. `position` counts from 0 at the top of the column."""

    card: Card
    board: Board
    column: Column
    position: int


BoardColumn = tuple[Board, Column]


class CardPage(NamedTuple):
    """A page of cards. `position` is the start of the next page; None on the last one."""

    cards: list[PlacedCard]
    position: str | None


def list_cards(planner: Planner, columns: Sequence[BoardColumn], limit: int, after: str) -> CardPage:
    """Return at most `limit` cards of these columns. `after` is the position from the previous page, "" for the
    first."""
    rows = planner.rows(CARDS)
    first, passed, rank = _position(after, columns)
    cards: list[PlacedCard] = []
    for at in range(first, len(columns)):
        board, column = columns[at]
        page = rows.query(board.id, column.id, since=rank, limit=limit + 2 - len(cards)).records
        following = [card for card in page if card.rank != rank]
        room = limit - len(cards)
        cards += [PlacedCard(card, board, column, passed + number) for number, card in enumerate(following[:room])]
        if len(following) > room:
            last = following[room - 1].rank if room else rank or ""
            return CardPage(cards, f"{column.id} {passed + room} {last}")
        passed, rank = 0, None
    return CardPage(cards, None)


def _position(after: str, columns: Sequence[BoardColumn]) -> tuple[int, int, str | None]:
    """Return the index of the first column, the number of its cards on earlier pages, and the rank of the last of
    them."""
    column, _, rest = after.partition(" ")
    passed, _, rank = rest.partition(" ")
    at = next((number for number, (_, one) in enumerate(columns) if one.id == column), None)
    return (at, int(passed), rank or None) if at is not None else (0, 0, None)
