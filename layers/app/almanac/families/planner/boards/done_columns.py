"""Update of the open cards of a column that became a done column, or is no longer one."""

from msgspec.structs import replace

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Board
from almanac.families.planner.core.unfinished_work import UNFINISHED, UnfinishedWork, delete_work
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned

_AT_ONCE = 50


def open_cards_work(board: Board, column: str) -> UnfinishedWork:
    return UnfinishedWork(item=column, task="column", board=board.id)


def update_open_cards(planner: Planner, work: UnfinishedWork) -> bool:
    """Run one step of the task "column". Return whether more remains."""
    rows = planner.rows(CARDS)

    def attempt() -> bool:
        is_done = Boards(planner).done_columns()
        cards = rows.query(work.board, work.item, since=work.reached or None, limit=_AT_ONCE + 1).records
        cards = [card for card in cards if card.rank != work.reached]
        if not cards or work.item not in is_done:
            planner.store.write([delete_work(planner, work)])
            return False
        after = [replace(card, open_due=None if is_done[work.item] else card.due) for card in cards]
        changes: list[Change] = [
            versioned(rows, new) for card, new in zip(cards, after, strict=True) if card.open_due != new.open_due
        ]
        progress = replace(work, reached=cards[-1].rank)
        planner.store.write([*changes, planner.rows(UNFINISHED).put(progress)])
        return True

    return planner.retry_on_conflict(attempt)
