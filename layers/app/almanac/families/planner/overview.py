"""Some days at a glance: what happens and is due, what is overdue, what was written, what belongs together."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Literal

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.planner.agenda import open_agenda
from almanac.families.planner.boards import Boards
from almanac.families.planner.event_listing import Asked, list_events
from almanac.families.planner.event_rows import EventRow
from almanac.families.planner.free_time import FreeTime, free_today
from almanac.families.planner.item_kinds import ItemKind
from almanac.families.planner.items import Item, known_items
from almanac.families.planner.journal import Asked as AskedOfJournal
from almanac.families.planner.journal import Journal
from almanac.families.planner.overdue import overdue
from almanac.families.planner.planner import Planner
from almanac.families.planner.records import CARDS, LINK_HEADS, LINKS, Card, ItemStatus, Link, Relation

MAX_EVENTS = 200
MAX_CARDS = 100
MAX_OVERDUE = 50
MAX_ENTRIES = 50
_LINKS_OF_ONE = 10


class LinkedItem(Struct, frozen=True):
    """The other end of a link. `direction` out: the link leads there."""

    id: str
    type: ItemKind
    title: str | None
    relation: Relation
    direction: Literal["in", "out"]


class DayItem(Struct, frozen=True, rename="camel"):
    """An event, a task or a card. `source` kanban: a card, `date` being the day on which it is due. `text_notes`, where
    there are any: what in the texts of an event is not meant for a reader."""

    id: str
    title: str
    date: str
    day_of_week: str
    time: str | None
    end_time: str | None
    source: Literal["calendar", "kanban"]
    type: Literal["event", "task"]
    status: ItemStatus
    linked_event_id: str | None
    linked: list[LinkedItem]
    busy: bool = False
    start: str | None = None
    end: str | None = None
    column_id: str | None = None
    text_notes: list[str] | UnsetType = UNSET


class DayEntry(Struct, frozen=True):
    id: str
    date: str
    title: str
    mood: str
    excerpt: str


class Stats(Struct, frozen=True):
    """Of the items of these days; `overdue` counts what is listed as such."""

    total: int
    done: int
    pending: int
    overdue: int


class Overview(Struct, frozen=True, rename="camel"):
    """`truncated`: there is more than is shown; ask for fewer days, or list. `free_today` null: today is not shown.
    `untrusted`: it is quoted data, the words of others."""

    date_from: str
    date_to: str
    today: str
    timezone: str
    items: list[DayItem]
    overdue: list[DayItem]
    journal: list[DayEntry]
    free_today: FreeTime | None
    stats: Stats
    truncated: bool
    untrusted: bool = True


def overview(planner: Planner, first: date, days: int) -> Overview:
    """Of `days` days from `first` on."""
    agenda, today, last = open_agenda(planner), planner.today(), first + timedelta(days=days - 1)
    done_columns = {column.id for board in Boards(planner).listed() for column in board.columns if column.done}
    events = list_events(agenda, Asked(first=first, last=last), MAX_EVENTS)
    due = CARDS.within(planner.store, planner.scope).query(
        index="gsi2", since=first.isoformat(), until=(last + timedelta(days=1)).isoformat(), limit=MAX_CARDS + 1
    )
    items = _in_order(events.rows, due.records[:MAX_CARDS], done_columns)
    late = overdue(planner, agenda, today, MAX_OVERDUE)
    shown = {item.id for item in items}
    past = [one for one in _in_order(late.tasks, late.cards, done_columns) if one.id not in shown][:MAX_OVERDUE]
    entries, more_entries = Journal(planner).entries(AskedOfJournal(since=first, until=last), MAX_ENTRIES)
    linked = _linked(planner, [*items, *past])
    finished = sum(item.status == "done" for item in items)
    return Overview(
        date_from=first.isoformat(),
        date_to=last.isoformat(),
        today=today.isoformat(),
        timezone=planner.zone.key,
        items=linked[: len(items)],
        overdue=linked[len(items) :],
        journal=[
            DayEntry(one.entry.id, one.entry.day, one.entry.title, one.entry.mood, one.excerpt) for one in entries
        ],
        free_today=free_today(agenda) if first <= today <= last else None,
        stats=Stats(len(items), finished, len(items) - finished, len(past)),
        truncated=events.position is not None or len(due.records) > MAX_CARDS or late.more or more_entries is not None,
    )


def _in_order(rows: Iterable[EventRow], cards: Iterable[Card], done_columns: set[str]) -> list[DayItem]:
    items = [_of_event(row) for row in rows] + [_of_card(card, done_columns) for card in cards]
    return sorted(items, key=lambda item: (item.date, item.time or "", item.source, item.id))


def _of_event(row: EventRow) -> DayItem:
    return DayItem(
        id=row.id,
        title=row.title,
        date=row.date,
        day_of_week=row.day_of_week,
        time=row.time,
        end_time=row.end_time,
        source="calendar",
        type=row.type,
        status=row.status,
        linked_event_id=None,
        linked=[],
        busy=row.busy,
        start=row.start,
        end=row.end,
        text_notes=row.text_notes,
    )


def _of_card(card: Card, done_columns: set[str]) -> DayItem:
    day = card.due or ""
    return DayItem(
        id=card.id,
        title=card.title,
        date=day,
        day_of_week=f"{date.fromisoformat(day):%A}",
        time=card.due_time,
        end_time=None,
        source="kanban",
        type="task",
        status="done" if card.column in done_columns else "pending",
        linked_event_id=card.event_links[0] if card.event_links else None,
        linked=[],
        column_id=card.column,
    )


def _linked(planner: Planner, items: Sequence[DayItem]) -> list[DayItem]:
    """The items, each with up to ten items that are linked to it."""
    rows = LINKS.within(planner.store, planner.scope)
    having = _with_links(planner, [item.id for item in items])
    links = {item: rows.query(item, limit=_LINKS_OF_ONE).records for item in having}
    known = known_items(planner, [link.other for found in links.values() for link in found])
    return [
        replace(item, linked=[_other_end(link, known.get(link.other)) for link in links[item.id]])
        if item.id in links
        else item
        for item in items
    ]


def _other_end(link: Link, other: Item | None) -> LinkedItem:
    title = other.title if other is not None else None
    return LinkedItem(link.other, link.other_type, title, link.relation, link.side)


def _with_links(planner: Planner, item_ids: Sequence[str]) -> list[str]:
    heads = LINK_HEADS.within(planner.store, planner.scope).by_id(item_ids)
    return [item for item, head in heads.items() if head.links]
