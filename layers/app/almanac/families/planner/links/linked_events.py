"""Event links of cards and notes, stored with them and as `references` links."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from almanac.families.planner.core.item_kinds import CARD
from almanac.families.planner.core.note_records import NOTES
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS, Card
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned


def rename_event_links(planner: Planner, owner: str, events: Mapping[str, str | None]) -> list[Change]:
    """Rename event links of the card or note `owner`; a new name of None removes one. Return no changes if the owner is
    deleted or does not link to these events."""
    return _change_links(planner, owner, lambda links: _rename_links(links, events))


def add_event_link(planner: Planner, owner: str, event: str) -> list[Change]:
    """Add an event link to the card or note `owner`."""
    return _change_links(planner, owner, lambda links: links if event in links else (*links, event))


def _change_links(planner: Planner, owner: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> list[Change]:
    if owner.startswith(CARD):
        card = card_of(planner, owner)
        if card is None or (links := change(card.event_links)) == card.event_links:
            return []
        return [versioned(planner.rows(CARDS), replace(card, event_links=links))]
    notes = planner.rows(NOTES)
    note = notes.get(owner)
    if note is None or (links := change(note.event_links)) == note.event_links:
        return []
    return [versioned(notes, replace(note, event_links=links))]


def _rename_links(links: tuple[str, ...], events: Mapping[str, str | None]) -> tuple[str, ...]:
    renamed = (events.get(link, link) for link in links)
    return tuple(dict.fromkeys(link for link in renamed if link is not None))


def card_of(planner: Planner, card_id: str) -> Card | None:
    """Return the card with an id if it is at its recorded place. It may be moving."""
    place = planner.rows(CARD_PLACES).get(card_id)
    card = planner.rows(CARDS).get(place.board, place.column, place.rank) if place is not None else None
    return card if card is not None and card.id == card_id else None
