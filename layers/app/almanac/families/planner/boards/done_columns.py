"""Columns that come to mean done, or no longer do: which of their cards are open changes with them."""

from msgspec.structs import replace

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Board
from almanac.families.planner.core.unfinished import UNFINISHED, Unfinished, finished
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned

_AT_ONCE = 50


def left_to_follow(board: Board, column: str) -> Unfinished:
    """The due cards of the column are to be open, or no longer, as the column now means."""
    return Unfinished(item=column, task="column", board=board.id)


def mark_some(planner: Planner, work: Unfinished) -> bool:
    """One step; whether there is more to do. Repeating it changes nothing more."""
    rows = planner.rows(CARDS)

    def attempt() -> bool:
        meaning = {column.id: column.done for board in Boards(planner).listed() for column in board.columns}
        cards = rows.query(work.board, work.item, since=work.reached or None, limit=_AT_ONCE + 1).records
        cards = [card for card in cards if card.rank != work.reached]
        if not cards or work.item not in meaning:
            planner.store.write([finished(planner, work)])
            return False
        after = [replace(card, open_due=None if meaning[work.item] else card.due) for card in cards]
        changes: list[Change] = [
            versioned(rows, new) for card, new in zip(cards, after, strict=True) if card.open_due != new.open_due
        ]
        done = replace(work, reached=cards[-1].rank)
        planner.store.write([*changes, planner.rows(UNFINISHED).put(done)])
        return True

    return planner.retrying(attempt)
