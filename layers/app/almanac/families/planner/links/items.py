"""Linkable items of all kinds: events, tasks, cards, notes and journal entries."""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from msgspec import Struct

from almanac.families.calendar.entries.event_lookup import LocatedEvent
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.located_ids import read_located
from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.due_dates import due_day
from almanac.families.planner.core.item_kinds import CARD, LOG, NOTE, ItemKind
from almanac.families.planner.core.journal_records import JOURNAL
from almanac.families.planner.core.note_records import NOTES
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import BOARDS, CARD_PLACES, CARDS, MARKS, Card, Mark
from almanac.families.planner.events.native import Agenda, find_event, open_agenda
from almanac.families.planner.events.rows import title_of
from almanac.kernel.errors import NotFound
from almanac.platform.store.conditions import Present
from almanac.platform.store.port import Check

_FOUND_BY: dict[ItemKind | None, tuple[str, str]] = {
    "event": ("Event", "calendar_list_events"),
    "task": ("Task", "kanban_list_cards or calendar_list_events"),
    "note": ("Note", "notes_search"),
    "log": ("Journal entry", "journal_list"),
    None: ("Item", "notes_search, kanban_list_cards, calendar_list_events or journal_list"),
}
"""Name of an item of each kind, and the tools that show its id."""


class Item(Struct, frozen=True):
    """A linkable item. `date` is its day or due day. `done` is None for kinds that are never done. `check` makes a
    write fail if the item is gone."""

    id: str
    type: ItemKind
    title: str
    date: str | None = None
    done: bool | None = None
    check: Check | None = None


def find_item(planner: Planner, item_id: str, kind: ItemKind | None = None) -> Item:
    """Find an item. Raises NotFound for a missing item, or one of another kind."""
    item_id = item_id.strip()
    item = _item(planner, item_id)
    if item is None or (kind is not None and not _is_of(item, kind)):
        name, found_by = _FOUND_BY[kind]
        hint = f"It is of type {item.type}." if item is not None else f"Use an id from {found_by}."
        raise NotFound(f'{name} not found: "{item_id[:80]}".', hint)
    return item


def find_items(planner: Planner, item_ids: Iterable[str]) -> dict[str, Item]:
    """Return the items that exist, by id, read together."""
    ids = set(item_ids)
    cards, notes, logs = ({id_ for id_ in ids if id_.startswith(prefix)} for prefix in (CARD, NOTE, LOG))
    items = _cards(planner, cards) | _events(planner, ids - cards - notes - logs)
    items |= {one: Item(one, "note", note.title) for one, note in planner.rows(NOTES).by_id(notes).items()}
    entries = planner.rows(JOURNAL).by_id(logs)
    return items | {one: Item(one, "log", entry.title, entry.day) for one, entry in entries.items()}


def _cards(planner: Planner, card_ids: Iterable[str]) -> dict[str, Item]:
    places = planner.rows(CARD_PLACES).by_id(card_ids).values()
    if not places:
        return {}
    rows = planner.rows(CARDS)
    found = rows.get_many([(place.board, place.column, place.rank) for place in places])
    cards = [card for card in found if card is not None]
    done = Boards(planner).done_columns()
    return {card.id: card_item(planner, card, done=done.get(card.column, False)) for card in cards}


def card_item(planner: Planner, card: Card, *, done: bool) -> Item:
    return Item(card.id, "task", card.title, due_day(card, planner), done)


def _events(planner: Planner, event_ids: Iterable[str]) -> dict[str, Item]:
    by_calendar: dict[str, list[str]] = {}
    for event_id in event_ids:
        by_calendar.setdefault(read_located(event_id).calendar, []).append(event_id)
    items: dict[str, Item] = {}
    for calendar, ids in by_calendar.items():
        with suppress(NotFound):
            items |= _events_of(open_agenda(planner, calendar), ids)
    return items


def _events_of(agenda: Agenda, event_ids: Sequence[str]) -> dict[str, Item]:
    planner = agenda.planner
    existing = agenda.find_existing(read_located(one).event for one in event_ids)
    marks = planner.rows(MARKS).by_id(event_ids)
    items: dict[str, Item] = {}
    for event_id in event_ids:
        if (event := existing.get(read_located(event_id).event)) is not None:
            mark = marks.get(event_id) or Mark(id=event_id)
            day = slot_day(event.start).isoformat()
            items[event_id] = Item(event_id, mark.type, title_of(agenda, event), day, mark.status == "done")
        else:
            with suppress(NotFound):
                items[event_id] = _event_item(agenda, agenda.find(read_located(event_id).event))
    return items


def _is_of(item: Item, kind: ItemKind) -> bool:
    if item.id.startswith(CARD):
        return kind == "task"
    # An event may become a task and back: both kinds match.
    return item.type == kind or {item.type, kind} == {"event", "task"}


def _item(planner: Planner, item_id: str) -> Item | None:
    if item_id.startswith(CARD):
        return _card(planner, item_id)
    if item_id.startswith(NOTE):
        notes = planner.rows(NOTES)
        note = notes.get(item_id)
        return Item(item_id, "note", note.title, check=Check(notes.key(item_id), Present())) if note else None
    if item_id.startswith(LOG):
        rows = planner.rows(JOURNAL)
        entry = rows.get(item_id)
        return (
            Item(item_id, "log", entry.title, entry.day, check=Check(rows.key(item_id), Present())) if entry else None
        )
    return _event(planner, item_id)


def _card(planner: Planner, card_id: str) -> Item | None:
    places = planner.rows(CARD_PLACES)
    place = places.get(card_id)
    if place is None:
        return None
    card = planner.rows(CARDS).get(place.board, place.column, place.rank)
    board = planner.rows(BOARDS).get(place.board)
    done = any(column.done for column in board.columns if column.id == place.column) if board is not None else False
    check = Check(places.key(card_id), Present())
    return Item(card_id, "task", card.title if card else "", due_day(card, planner) if card else None, done, check)


def _event(planner: Planner, event_id: str) -> Item | None:
    try:
        return _event_item(*find_event(planner, event_id))
    except NotFound:
        return None


def _event_item(agenda: Agenda, found: LocatedEvent) -> Item:
    mark, title = agenda.mark(found.event.id), title_of(agenda, found.event)
    day = slot_day(found.slot if found.slot is not None and not found.is_exception else found.event.start)
    return Item(agenda.located_id_of(found.id), mark.type, title, day.isoformat(), mark.status == "done")
