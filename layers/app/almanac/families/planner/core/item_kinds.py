"""Kinds of linkable items, and the form of their ids.

A `task` is a card of a board or an event of type task; a `log` is an entry of the journal. The ids of events are
those of the calendar, of 26 characters without a prefix; an instance of a series adds `_` and its day to the id of
the series.
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
    """A new id: the prefix and 26 letters and digits, sorted by time of creation."""
    return prefix + ulid(milliseconds, random_bytes).lower()
