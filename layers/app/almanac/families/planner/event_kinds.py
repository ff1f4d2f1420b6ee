"""Kinds of planner events, for rules and listeners."""

from almanac.kernel.events import EventKind

_CARD = {"item_id": "task_01J8Z5", "item_type": "task", "title": "Write the minutes"}
_LINK = {
    "item_id": "note_01J8Z5",
    "item_type": "note",
    "to_item_id": "event_01J8Z7",
    "to_item_type": "event",
    "relation_type": "related",
}

KINDS = (
    EventKind("item_created", "A card, note, journal entry or event was made.", {**_CARD, "column_id": "col_todo"}),
    EventKind("item_updated", "One of them was changed.", _CARD),
    EventKind(
        "item_moved", "A card went to another column.", {**_CARD, "from_column_id": "col_todo", "column_id": "col_done"}
    ),
    EventKind("item_deleted", "One of them was deleted.", _CARD),
    EventKind("item_linked", "Two items were linked.", _LINK),
    EventKind("item_unlinked", "A link was taken away.", _LINK),
)
