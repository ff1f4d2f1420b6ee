"""The overview of several days: events, cards due, overdue items, the journal, links and free time."""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from almanac.families.calendar.model.located_ids import read_located
from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.due_dates import APART, cards_due, due_day, due_of
from almanac.families.planner.core.days import time_text, weekday
from almanac.families.planner.core.item_kinds import ItemKind
from almanac.families.planner.core.journal_records import JournalEntry
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import (
    CARDS,
    LINK_HEADS,
    LINKS,
    MARKS,
    Card,
    ItemStatus,
    Link,
    Mark,
    Relation,
)
from almanac.families.planner.events.agendas import Agendas, StaleCalendar, open_agendas
from almanac.families.planner.events.pages import EventQuery, list_events
from almanac.families.planner.events.rows import EventRow, single_row
from almanac.families.planner.overview.free_time import FreeTime, free_today
from almanac.families.planner.texts.display_texts import display_text, display_texts
from almanac.families.time.core.own_zones import zone_label

# Memory asks for what is due, which needs neither journal nor links.
if TYPE_CHECKING:
    from almanac.families.planner.links.items import Item
    from almanac.families.planner.search.documents import Match

MAX_EVENTS = 200
MAX_CARDS = 100
MAX_OVERDUE = 50
MAX_ENTRIES = 50
_LINKS_OF_ONE = 10
_SERIES_LOOKED_BACK = timedelta(days=7)


class LinkedItem(Struct, frozen=True, rename={"text_notes": "textNotes"}):
    """`direction` out: the link leads there."""

    id: str
    type: ItemKind
    title: str
    relation: Relation
    direction: Literal["in", "out"]
    text_notes: list[str] | UnsetType = UNSET


class DayItem(Struct, frozen=True, rename="camel"):
    """`source` kanban: a card, `date` being its due day. `text_notes`, if any: suspicious or unreadable parts of its
    texts. `held_until`: this is no event but a slot held until then."""

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
    calendar_id: str | UnsetType = UNSET
    calendar_name: str | UnsetType = UNSET
    text_notes: list[str] | UnsetType = UNSET
    held_until: str | UnsetType = UNSET


class DayEntry(Struct, frozen=True, rename={"text_notes": "textNotes"}):
    id: str
    date: str
    title: str
    mood: str
    excerpt: str
    text_notes: list[str] | UnsetType = UNSET


class Stats(Struct, frozen=True):
    """Counts of the items of these days. `overdue` counts the overdue items listed."""

    total: int
    done: int
    pending: int
    overdue: int


class Overview(Struct, frozen=True, rename="camel"):
    """`truncated`: not everything is shown; ask for fewer days, or use the tools that list. `free_today` null: today is
    not among the days."""

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
    stale_calendars: list[StaleCalendar] = []
    untrusted: bool = True


class Due(NamedTuple):
    """Items of several days, and earlier overdue ones, without their linked items. `more`: there are others."""

    items: list[DayItem]
    overdue: list[DayItem]
    more: bool
    agendas: Agendas


def due(planner: Planner, first: date, days: int, calendars: Sequence[str] = ()) -> Due:
    """Return events, tasks and cards of `days` days from `first` on, and overdue ones."""
    agendas, last = open_agendas(planner, calendars), first + timedelta(days=days - 1)
    done_columns = {column for column, is_done in Boards(planner).done_columns().items() if is_done}
    events = list_events(agendas, EventQuery(first=first, last=last), MAX_EVENTS)
    cards = cards_due(planner, first, last, MAX_CARDS + 1)
    items = _sorted_items(planner, events.rows, cards[:MAX_CARDS], done_columns)
    late = overdue(planner, agendas, planner.today(), MAX_OVERDUE)
    shown = {item.id for item in items}
    late_items = _sorted_items(planner, late.tasks, late.cards, done_columns)
    past = [one for one in late_items if one.id not in shown][:MAX_OVERDUE]
    return Due(items, past, events.position is not None or len(cards) > MAX_CARDS or late.more, agendas)


def overview(planner: Planner, first: date, days: int, calendars: Sequence[str] = ()) -> Overview:
    """Return the overview of `days` days from `first` on, of all calendars or some."""
    from almanac.families.planner.journal import EntryQuery, Journal  # noqa: PLC0415 - as said above

    today, last = planner.today(), first + timedelta(days=days - 1)
    items, past, more, agendas = due(planner, first, days, calendars)
    entries = Journal(planner).entries(EntryQuery(since=first, until=last), MAX_ENTRIES)
    linked = _with_linked_items(planner, [*items, *past])
    finished = sum(item.status == "done" for item in items)
    return Overview(
        date_from=first.isoformat(),
        date_to=last.isoformat(),
        today=today.isoformat(),
        timezone=zone_label(planner.zone.key),
        items=linked[: len(items)],
        overdue=linked[len(items) :],
        journal=[_of_entry(match) for match in entries.matches],
        free_today=free_today(agendas) if first <= today <= last else None,
        stats=Stats(len(items), finished, len(items) - finished, len(past)),
        truncated=more or entries.cursor is not None,
        stale_calendars=agendas.stale,
    )


def _sorted_items(
    planner: Planner, rows: Iterable[EventRow], cards: Iterable[Card], done_columns: set[str]
) -> list[DayItem]:
    items = [_of_event(row) for row in rows] + [_of_card(planner, card, done_columns) for card in cards]
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
        calendar_id=row.calendar_id,
        calendar_name=row.calendar_name,
        text_notes=row.text_notes,
        held_until=row.held_until,
    )


def _of_entry(match: "Match[JournalEntry]") -> DayEntry:
    entry = match.document
    texts = display_texts(title=entry.title, mood=entry.mood, excerpt=match.excerpt)
    shown = (texts.text(name) for name in ("title", "mood", "excerpt"))
    return DayEntry(entry.id, entry.day, *shown, text_notes=texts.notes)


def _of_card(planner: Planner, card: Card, done_columns: set[str]) -> DayItem:
    due = due_of(card, planner.zone)
    day = due.day.isoformat() if due.day is not None else ""
    title, notes = display_text("title", card.title)
    return DayItem(
        id=card.id,
        title=title,
        date=day,
        day_of_week=weekday(day),
        time=time_text(due.clock) if due.clock is not None else None,
        end_time=None,
        source="kanban",
        type="task",
        status="done" if card.column in done_columns else "pending",
        linked_event_id=card.event_links[0] if card.event_links else None,
        linked=[],
        column_id=card.column,
        text_notes=notes,
    )


def _with_linked_items(planner: Planner, items: Sequence[DayItem]) -> list[DayItem]:
    """Add up to ten linked items to each item."""
    rows = planner.rows(LINKS)
    linked = _items_with_links(planner, [item.id for item in items])
    if not linked:
        return list(items)
    from almanac.families.planner.links.items import find_items  # noqa: PLC0415 - as said above

    links = {item: rows.query(item, limit=_LINKS_OF_ONE).records for item in linked}
    known = find_items(planner, [link.other for some in links.values() for link in some])
    return [
        replace(item, linked=[_other_end(link, known[link.other]) for link in links[item.id] if link.other in known])
        if item.id in links
        else item
        for item in items
    ]


def _other_end(link: Link, other: "Item") -> LinkedItem:
    title, notes = display_text("title", other.title)
    return LinkedItem(link.other, link.other_type, title, link.relation, link.side, notes)


def _items_with_links(planner: Planner, item_ids: Sequence[str]) -> list[str]:
    heads = planner.rows(LINK_HEADS).by_id(item_ids)
    return [item for item, head in heads.items() if head.links]


class Overdue(NamedTuple):
    """Open tasks and cards of past days, in no order. `more`: there are others."""

    tasks: list[EventRow]
    cards: list[Card]
    more: bool


def overdue(planner: Planner, agendas: Agendas, today: date, limit: int) -> Overdue:
    """Return open tasks and cards of days before `today`, of which `limit` are shown. Recurring tasks include the
    instances of the last seven days."""
    until, known = today.isoformat(), limit + 1
    marks = planner.rows(MARKS).query(index="gsi1", until=until, limit=known).records
    # The index has the day in the zone in which it was set.
    page = planner.rows(CARDS).query(index="gsi1", until=(today + APART).isoformat(), limit=known)
    cards = tuple(card for card in page.records if (due_day(card, planner) or until) < until)
    days = sorted([mark.open_day or "" for mark in marks] + [card.open_due or "" for card in cards])
    if len(days) > limit:
        # Later days than that of the last one shown need not be read.
        marks = [mark for mark in marks if (mark.open_day or "") <= days[limit - 1]]
        cards = [card for card in cards if (card.open_due or "") <= days[limit - 1]]
    tasks = _task_rows(agendas, marks, today)
    since, more = today - _SERIES_LOOKED_BACK, len(days) > limit or len(page.records) > limit
    if len(days) <= limit or days[limit - 1] >= since.isoformat():
        last = today - timedelta(days=1)
        recent = EventQuery(type="task", status="pending", first=since, last=last, repeating=True)
        listed = list_events(agendas, recent, limit)
        tasks = {row.id: row for row in listed.rows if row.end_date < until} | tasks
        more = more or listed.position is not None or len(tasks) + len(cards) > limit
    return Overdue(list(tasks.values()), list(cards), more)


def _task_rows(agendas: Agendas, marks: Sequence[Mark], today: date) -> dict[str, EventRow]:
    """Return the rows of open single tasks, by id."""
    rows: list[EventRow] = []
    for agenda in agendas.all:
        own = {at.event: mark for mark in marks if (at := read_located(mark.id)).calendar == agenda.calendar.id}
        rows += (
            [single_row(agenda, event, own[event.id]) for event in agenda.find_existing(own).values()] if own else []
        )
    # A calendar tool may have moved it to a later day.
    return {row.id: row for row in rows if row.end_date < today.isoformat()}
