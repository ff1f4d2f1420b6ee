"""Cards follow the events that they are linked to.

A card that is linked to an event as `scheduled_for` takes its day and time when it is linked, and whenever the event
moves; its title follows where both had the same. A card that only `references` an event follows in what both said
alike. In both cases what somebody wrote on the card itself since then wins, and stays. Done cards stay as they are.
Only events lead: nothing that happens to a card changes an event, so that no two follow each other in a circle.
"""

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from almanac.families.calendar.model.events import Timed, When
from almanac.families.calendar.model.located_ids import located_id, read_located
from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.clocks.days import time_text
from almanac.families.planner.core.item_kinds import CARD, LOG, NOTE
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS, LINKS, Card, Followed, Link
from almanac.families.planner.core.unfinished import UNFINISHED, Unfinished, delete_work, find_work
from almanac.families.planner.events.native import Agenda, open_agenda
from almanac.families.planner.events.rows import title_of
from almanac.families.planner.texts.texts import TITLE_CHARACTERS
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event as Announcement
from almanac.platform.store.records import replace as versioned

_AT_ONCE = 10


class _Leader(NamedTuple):
    """An event as cards take it over."""

    said: Followed
    zone: str | None
    fold: int


def following(planner: Planner, happened: Announcement) -> Unfinished | None:
    """What is to be done because of it; None where no card is linked."""
    item = _event_in(happened)
    if item is None or not _links(planner, item, "", 1):
        return None
    known = find_work(planner, item, "follow")
    said = known.said if known is not None and known.said is not None else _said_before(item, happened.payload)
    return Unfinished(item=item, task="follow", said=said)


def follow_some(planner: Planner, work: Unfinished) -> bool:
    """One step of the task "follow"; whether there is more to do."""
    rows = planner.rows(UNFINISHED)
    links = _links(planner, work.item, work.reached, _AT_ONCE)
    # Opened once: of a series every instance is found among the same entries.
    with suppress(NotFound):
        _follow_all(planner, links, work.said)
    if len(links) < _AT_ONCE:
        planner.store.write([delete_work(planner, work)])
        return False
    last = links[-1]
    planner.store.write([rows.put(replace(work, reached=f"{last.item} {last.side} {last.relation} {last.other}"))])
    return True


def _follow_all(planner: Planner, links: Sequence[Link], said: Followed | None) -> None:
    agenda = open_agenda(planner, read_located(links[0].item).calendar) if links else None
    for link in links:
        if agenda is not None and link.other.startswith(CARD) and link.relation in ("scheduled_for", "references"):
            _follow(agenda, link, said)


def _event_in(happened: Announcement) -> str | None:
    """The event that changed, or that a card was just scheduled for."""
    payload = happened.payload
    if happened.kind == "booking_rescheduled":
        return located_id(str(payload.get("calendar_id")), str(payload.get("event_id")))
    item, other = str(payload.get("item_id", "")), str(payload.get("to_item_id", ""))
    if happened.kind == "item_linked":
        if payload.get("relation_type") != "scheduled_for":
            return None
        item = other if item.startswith(CARD) else item
    return item if item and not item.startswith((CARD, NOTE, LOG)) else None


def _said_before(item: str, payload: Any) -> Followed | None:
    title, start = payload.get("previous_title"), payload.get("previous_start")
    if not isinstance(title, str) or not isinstance(start, str):
        return None
    local = datetime.fromisoformat(start)
    clock = None if payload.get("previous_all_day") else time_text(local.time())
    return Followed(event=item, title=title, due=local.date().isoformat(), due_time=clock)


def _links(planner: Planner, item: str, reached: str, limit: int) -> Sequence[Link]:
    """Of the event and, where it is a series, of its instances, after the one that was `reached`."""
    rows, meant = planner.rows(LINKS), read_located(item)
    since = reached.partition(" ")[0] or meant.event
    # A colon sorts after every digit; of one item there are 500 links at most.
    page = rows.query(since=since, until=f"{meant.event}_:", limit=limit + 500).records
    own = [one for one in page if _is_of(one.item, meant.event, meant.calendar)]
    return [one for one in own if f"{one.item} {one.side} {one.relation} {one.other}" > reached][:limit]


def _is_of(item: str, event: str, calendar: str) -> bool:
    named = read_located(item)
    return named.calendar == calendar and (named.event == event or named.event.startswith(f"{event}_"))


def _follow(agenda: Agenda, link: Link, before: Followed | None) -> None:
    try:
        found = agenda.find(read_located(link.item).event)
    except NotFound:
        return
    when = found.slot if found.slot is not None and not found.is_exception else found.event.start
    leader = _leader(link.item, title_of(found.event), when)
    said = replace(before, event=link.item) if before is not None and link.item == before.event else None
    if said is None and before is not None:
        # Of an instance: the series had another time, the same title.
        said = Followed(event=link.item, title=before.title)
    agenda.planner.retrying(lambda: _take_over(agenda.planner, link, leader, said))


def _leader(event: str, title: str, when: When) -> _Leader:
    title = " ".join(title.split())[:TITLE_CHARACTERS]
    if isinstance(when, Timed):
        clock = time_text(when.local.time())
        said = Followed(event=event, title=title, due=when.local.date().isoformat(), due_time=clock)
        return _Leader(said, when.zone, when.fold)
    return _Leader(Followed(event=event, title=title, due=when.day.isoformat()), None, 0)


def _take_over(planner: Planner, link: Link, leader: _Leader, before: Followed | None) -> None:
    rows = planner.rows(CARDS)
    place = planner.rows(CARD_PLACES).get(link.other)
    card = rows.get(place.board, place.column, place.rank) if place is not None else None
    if card is None or card.id != link.other:
        return
    if Boards(planner).done_columns().get(card.column):
        return
    known = card.followed if card.followed is not None and card.followed.event == link.item else None
    changed = _followed(card, leader, known or before, takes_due=link.relation == "scheduled_for" and known is None)
    if changed == card:
        return
    told = {"title": changed.title, "followed": link.item, "due": changed.due, "due_time": changed.due_time}
    changed = replace(changed, updated_at=planner.now_ms(), open_due=changed.due)
    planner.store.write([versioned(rows, changed), *planner.emit("item_updated", "task", card.id, told)])


def _followed(card: Card, leader: _Leader, said: Followed | None, *, takes_due: bool) -> Card:
    new, after = leader.said, card
    if said is not None and said.title == card.title and new.title:
        after = replace(after, title=new.title)
    alike = said is not None and card.due is not None and (said.due, said.due_time) == (card.due, card.due_time)
    if takes_due or alike:
        zone = leader.zone if new.due_time is not None else None
        after = replace(after, due=new.due, due_time=new.due_time, due_zone=zone, due_fold=leader.fold)
    if after != card or takes_due:
        after = replace(after, followed=new)
    return after
