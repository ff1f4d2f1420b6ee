"""Order of the cards in a column."""

from itertools import islice
from typing import NamedTuple

from almanac.families.planner.boards.ranks import rank_between
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS, COLUMN_COUNTS, Card

_PAGE = 1000


class Spot(NamedTuple):
    """A place in a column. `position` counts from 0 at the top."""

    rank: str
    position: int


class CardOrder:
    """Places in columns. `without` is the id of a card to leave out because it is about to move."""

    def __init__(self, planner: Planner) -> None:
        self._rows = planner.rows(CARDS)
        self._places = planner.rows(CARD_PLACES)
        self._counts = planner.rows(COLUMN_COUNTS)

    def spot(self, board: str, column: str, position: float, without: str = "") -> Spot:
        """Return the place at `position` of the column. Beyond the end it is the last place."""
        at, cards = int(min(max(position, 0), 10**9)), self.count(column)
        if at and at >= cards:
            above = self._last(board, column, without)
            at = cards - int(bool(without) and self._is_in(without, board, column))
        else:
            above = self._first(board, column, at, without)
            at = len(above)
        low = above[-1] if above else None
        return Spot(rank_between(low, self._next(board, column, low, without)), at)

    def position_of(self, card: Card) -> int:
        """Return the position of a card, by counting the cards above it."""
        return sum(1 for _ in self._rows.every(card.board, card.column, until=card.rank, page=_PAGE))

    def count(self, column: str) -> int:
        """Return the number of cards in the column."""
        count = self._counts.get(column)
        return count.cards if count is not None else 0

    def _is_in(self, card_id: str, board: str, column: str) -> bool:
        place = self._places.get(card_id)
        return place is not None and (place.board, place.column) == (board, column)

    def _first(self, board: str, column: str, count: int, without: str) -> list[str]:
        """Return the ranks of the first `count` cards."""
        cards = self._rows.every(board, column, page=min(_PAGE, count + 1)) if count else ()
        return list(islice((card.rank for card in cards if card.id != without), count))

    def _last(self, board: str, column: str, without: str) -> list[str]:
        cards = self._rows.query(board, column, reverse=True, limit=2).records
        return [card.rank for card in cards if card.id != without][:1]

    def _next(self, board: str, column: str, low: str | None, without: str) -> str | None:
        cards = self._rows.query(board, column, since=low, limit=3).records
        return next((card.rank for card in cards if card.id != without and card.rank != low), None)
