"""Updates of cards when the events they are linked to change.

A card with a `scheduled_for` link takes day and time from the event when it is linked, and whenever the event moves.
Its title follows if both titles were equal. A card that only `references` an event follows in fields that were equal.
Edits of the card itself win in both cases. Done cards do not change. Cards never change events, so there is no cycle.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from almanac.families.calendar.model.events import When, ZonedTime
from almanac.families.calendar.model.located_ids import make_located_id, read_located
from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.core.days import time_text
from almanac.families.planner.core.item_kinds import CARD, LOG, NOTE
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, LINKS, Card, EventContents, Link
from almanac.families.planner.core.unfinished_work import UNFINISHED, UnfinishedWork, delete_work, find_work
from almanac.families.planner.events.native import Agenda, open_agenda
from almanac.families.planner.events.rows import title_of
from almanac.families.planner.links.linked_events import card_of
from almanac.families.planner.semantic_search.cards import update_text_version
from almanac.families.planner.texts.texts import TITLE_CHARACTERS
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event as DomainEvent
from almanac.platform.store.records import replace as versioned

_AT_ONCE = 10


class _Source(NamedTuple):
    """The contents of an event that cards take over, with the zone and fold of its time."""

    contents: EventContents
    zone: str | None
    fold: int


def work_for(planner: Planner, event: DomainEvent) -> UnfinishedWork | None:
    """Return the work that an event causes; None if no card is linked."""
    item = _item_in(event)
    if item is None or not _links(planner, item, "", 1):
        return None
    earlier = find_work(planner, item, "follow")
    former = earlier.said if earlier is not None and earlier.said is not None else _former_contents(item, event.payload)
    return UnfinishedWork(item=item, task="follow", said=former)


def follow_some(planner: Planner, work: UnfinishedWork) -> bool:
    """Run one step of the task "follow". Return whether more remains."""
    rows = planner.rows(UNFINISHED)
    links = _links(planner, work.item, work.reached, _AT_ONCE)
    # Use one agenda for all links, since instances of a series are found among the same entries.
    with suppress(NotFound):
        _follow_all(planner, links, work.said)
    if len(links) < _AT_ONCE:
        planner.store.write([delete_work(planner, work)])
        return False
    last = links[-1]
    planner.store.write([rows.put(replace(work, reached=f"{last.item} {last.side} {last.relation} {last.other}"))])
    return True


def _follow_all(planner: Planner, links: Sequence[Link], former: EventContents | None) -> None:
    agenda = open_agenda(planner, read_located(links[0].item).calendar) if links else None
    for link in links:
        if agenda is not None and link.other.startswith(CARD) and link.relation in ("scheduled_for", "references"):
            _follow(agenda, link, former)


def _item_in(event: DomainEvent) -> str | None:
    """Return the id of the event that changed, or that a card was scheduled for; None for other events."""
    payload = event.payload
    if event.kind == "booking_rescheduled":
        return make_located_id(str(payload.get("calendar_id")), str(payload.get("event_id")))
    item, other = str(payload.get("item_id", "")), str(payload.get("to_item_id", ""))
    if event.kind == "item_linked":
        if payload.get("relation_type") != "scheduled_for":
            return None
        item = other if item.startswith(CARD) else item
    return item if item and not item.startswith((CARD, NOTE, LOG)) else None


def _former_contents(item: str, payload: Any) -> EventContents | None:
    title, start = payload.get("previous_title"), payload.get("previous_start")
    if not isinstance(title, str) or not isinstance(start, str):
        return None
    local = datetime.fromisoformat(start)
    clock = None if payload.get("previous_all_day") else time_text(local.time())
    return EventContents(event=item, title=title, due=local.date().isoformat(), due_time=clock)


def _links(planner: Planner, item: str, reached: str, limit: int) -> Sequence[Link]:
    """Return the links of an event, and of the instances of a series, after the link `reached`."""
    rows, located = planner.rows(LINKS), read_located(item)
    since = reached.partition(" ")[0] or located.event
    # A colon sorts after every digit; an item has at most 500 links.
    page = rows.query(since=since, until=f"{located.event}_:", limit=limit + 500).records
    own = [one for one in page if _is_of(one.item, located.event, located.calendar)]
    return [one for one in own if f"{one.item} {one.side} {one.relation} {one.other}" > reached][:limit]


def _is_of(item: str, event: str, calendar: str) -> bool:
    located = read_located(item)
    return located.calendar == calendar and (located.event == event or located.event.startswith(f"{event}_"))


def _follow(agenda: Agenda, link: Link, before: EventContents | None) -> None:
    try:
        found = agenda.find(read_located(link.item).event)
    except NotFound:
        return
    when = found.slot if found.slot is not None and not found.is_exception else found.event.start
    source = _source(link.item, title_of(agenda, found.event), when)
    former = replace(before, event=link.item) if before is not None and link.item == before.event else None
    if former is None and before is not None:
        # An instance: the series had the same title, at another time.
        former = EventContents(event=link.item, title=before.title)
    agenda.planner.retry_on_conflict(lambda: _take_over(agenda.planner, link, source, former))


def _source(event: str, title: str, when: When) -> _Source:
    title = " ".join(title.split())[:TITLE_CHARACTERS]
    if isinstance(when, ZonedTime):
        clock = time_text(when.local.time())
        contents = EventContents(event=event, title=title, due=when.local.date().isoformat(), due_time=clock)
        return _Source(contents, when.zone, when.fold)
    return _Source(EventContents(event=event, title=title, due=when.day.isoformat()), None, 0)


def _take_over(planner: Planner, link: Link, source: _Source, before: EventContents | None) -> None:
    rows = planner.rows(CARDS)
    card = card_of(planner, link.other)
    if card is None:
        return
    if Boards(planner).done_columns().get(card.column):
        return
    known = card.followed if card.followed is not None and card.followed.event == link.item else None
    changed = _updated_card(card, source, known or before, takes_due=link.relation == "scheduled_for" and known is None)
    if changed == card:
        return
    payload = {"title": changed.title, "followed": link.item, "due": changed.due, "due_time": changed.due_time}
    changed = replace(changed, updated_at=planner.now_ms(), open_due=changed.due)
    changed, found = update_text_version(planner, card, changed)
    planner.store.write([versioned(rows, changed), *planner.emit("item_updated", "task", card.id, payload), *found])


def _updated_card(card: Card, source: _Source, former: EventContents | None, *, takes_due: bool) -> Card:
    new, after = source.contents, card
    if former is not None and former.title == card.title and new.title:
        after = replace(after, title=new.title)
    alike = former is not None and card.due is not None and (former.due, former.due_time) == (card.due, card.due_time)
    if takes_due or alike:
        zone = source.zone if new.due_time is not None else None
        after = replace(after, due=new.due, due_time=new.due_time, due_zone=zone, due_fold=source.fold)
    if after != card or takes_due:
        after = replace(after, followed=new)
    return after
