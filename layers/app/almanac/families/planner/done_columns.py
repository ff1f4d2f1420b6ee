"""Columns that come to mean done, or no longer do: which of their cards are open changes with them."""

from msgspec.structs import replace

from almanac.families.planner.planner import Planner
from almanac.families.planner.records import CARDS
from almanac.platform.store.port import Change, ConditionFailed
from almanac.platform.store.records import replace as versioned

_AT_ONCE = 50


def reopen(planner: Planner, board: str, column: str, *, done: bool) -> None:
    """The due cards of the column are open from now on, or, `done`, no longer. Repeating it changes nothing more."""
    rows = CARDS.within(planner.store, planner.scope)
    cursor: str | None = None
    while True:
        page = rows.query(board, column, limit=_AT_ONCE, cursor=cursor)
        changed = [replace(card, open_due=None if done else card.due) for card in page.records]
        changes: list[Change] = [
            versioned(rows, after)
            for card, after in zip(page.records, changed, strict=True)
            if card.open_due != after.open_due
        ]
        try:
            if changes:
                planner.store.write(changes)
        except ConditionFailed:
            continue
        cursor = page.cursor
        if cursor is None:
            return
