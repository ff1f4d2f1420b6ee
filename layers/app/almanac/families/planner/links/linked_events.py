"""The event links of cards and notes: kept with them for reading, and as links of the relation `references`."""

from collections.abc import Callable, Mapping

from msgspec.structs import replace

from almanac.families.planner.core.item_kinds import CARD
from almanac.families.planner.core.note_records import NOTES
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace as versioned


def with_other_events(planner: Planner, owner: str, events: Mapping[str, str | None]) -> list[Change]:
    """The card or note `owner` with each of `events` renamed, or left out where its new name is None.

    No change for an owner that is gone, or that does not keep these events.
    """
    return _changed(planner, owner, lambda links: _kept(links, events))


def with_event(planner: Planner, owner: str, event: str) -> list[Change]:
    """The card or note `owner` with one event more."""
    return _changed(planner, owner, lambda links: links if event in links else (*links, event))


def _changed(planner: Planner, owner: str, change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> list[Change]:
    if owner.startswith(CARD):
        place = planner.rows(CARD_PLACES).get(owner)
        cards = planner.rows(CARDS)
        card = cards.get(place.board, place.column, place.rank) if place is not None else None
        if card is None or card.id != owner or (links := change(card.event_links)) == card.event_links:
            return []
        return [versioned(cards, replace(card, event_links=links))]
    notes = planner.rows(NOTES)
    note = notes.get(owner)
    if note is None or (links := change(note.event_links)) == note.event_links:
        return []
    return [versioned(notes, replace(note, event_links=links))]


def _kept(links: tuple[str, ...], events: Mapping[str, str | None]) -> tuple[str, ...]:
    named = (events.get(link, link) for link in links)
    return tuple(dict.fromkeys(link for link in named if link is not None))
