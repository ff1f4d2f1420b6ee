"""Kinds of linkable items, and the form of their ids.

A `task` is a card or an event of type task; a `log` is a journal entry. Event ids come from the calendar and have 26
characters without a prefix. The id of an instance is that of its series, `_` and its day.
"""

from typing import Literal

from almanac.kernel.ids import RandomBytes, ulid

ItemKind = Literal["event", "task", "note", "log"]
Prefix = Literal["card_", "note_", "log_", "board_", "col_", "gate_"]

CARD: Prefix = "card_"
NOTE: Prefix = "note_"
LOG: Prefix = "log_"
BOARD: Prefix = "board_"
COLUMN: Prefix = "col_"
GATE: Prefix = "gate_"


def new_id(prefix: Prefix, milliseconds: int, random_bytes: RandomBytes) -> str:
    """Return a new id: the prefix and 26 letters and digits, sorted by time of creation."""
    return prefix + ulid(milliseconds, random_bytes).lower()
