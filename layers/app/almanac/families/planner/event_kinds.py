"""Kinds of planner events, for rules and listeners."""

from almanac.kernel.events import EventKind

_PLACE = {
    "board_id": "board_default",
    "board_title": "Board",
    "column_id": "col_done",
    "column_title": "Done",
    "is_done": True,
}
_CARD = {
    "item_id": "card_01J8Z5",
    "item_type": "task",
    "title": "Write the minutes",
    "due": "2026-11-23",
    "due_time": "17:00",
    **_PLACE,
}
_FROM = {
    "from_board_id": "board_default",
    "from_board_title": "Board",
    "from_column_id": "col_todo",
    "from_column_title": "To do",
    "from_is_done": False,
}
_LINK = {
    "item_id": "note_01J8Z5",
    "item_type": "note",
    "title": "Minutes",
    "to_item_id": "ev_01J8Z7",
    "to_item_type": "event",
    "to_title": "Review with Bob",
    "relation_type": "references",
}
_OTHERS = (
    "The sample is a card's. Events and tasks of calendars have calendar_id, start, end, timezone, all_day, status and "
    "perhaps recurrence in place of board and column, journal entries a date, and notes only a title."
)
_OF_EVENTS = ("calendar_id", "start", "end", "timezone", "all_day", "status", "recurrence")
_OF_OTHERS = (*_OF_EVENTS, "date")

KINDS = (
    EventKind(
        "item_created", f"A card, note, journal entry or event was made. {_OTHERS}", _CARD, (*_OF_OTHERS, "continues")
    ),
    EventKind(
        "item_updated",
        "One of them was changed. An event has previous_title and previous_start.",
        {**_CARD, "previous_title": "Minutes", "previous_due": None},
        (*_OF_OTHERS, "previous_start", "previous_all_day", "continued_by", "followed", "gates"),
    ),
    EventKind("item_moved", "A card went to another column.", {**_CARD, **_FROM}),
    EventKind("item_deleted", "One of them was deleted.", _CARD, (*_OF_OTHERS, "scope")),
    EventKind("item_linked", "Two items were linked.", _LINK),
    EventKind("item_unlinked", "A link was taken away.", _LINK),
)
