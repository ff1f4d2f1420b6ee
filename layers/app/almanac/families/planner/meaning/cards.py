"""Cards as search by meaning knows them: a version for each change of title or description, none for a move."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS, Card
from almanac.kernel.caller import Scope
from almanac.platform.search.port import Document
from almanac.platform.search.source import KnownThen, Source
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store

CARD_KIND = "card"
_AT_ONCE = 32


def searched_card(card: Card) -> Document:
    return Document(
        id=card.id,
        kind=CARD_KIND,
        profile="documents",
        version=card.text_version,
        title=card.title,
        text=card.description,
        at=card.updated_at,
    )


def reworded(planner: Planner, before: Card, after: Card) -> tuple[Card, list[Change]]:
    """`after` with the version of its texts, and the change that has search find them where they are others."""
    if (before.title, before.description) == (after.title, after.description):
        return after, []
    after = replace(after, text_version=before.text_version + 1)
    return after, [planner.found(searched_card(after))]


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    return [searched_card(card) for card in _cards(services, scope, ids)]


def _cards(services: Services, scope: Scope, ids: Sequence[str]) -> list[Card]:
    store = services.get(Store)
    places = CARD_PLACES.within(store, scope).by_id(ids).values()
    cards = CARDS.within(store, scope).get_many([(place.board, place.column, place.rank) for place in places])
    wanted = frozenset(ids)
    return [card for card in cards if card is not None and card.id in wanted]


def _then(services: Services, scope: Scope, ids: Sequence[str], as_of: int) -> KnownThen:
    """A card says what it said at first until it has another version of its texts; then what it said is not kept."""
    known = [card for card in _cards(services, scope, ids) if card.created_at <= as_of]
    same = [card for card in known if card.text_version == 1 or card.updated_at <= as_of]
    lost = [card.id for card in known if card not in same]
    return KnownThen([searched_card(card) for card in same], lost)


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    # Its id with a character more is the first that could follow it.
    places = CARD_PLACES.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
    while some := [place.id for place in islice(places, _AT_ONCE)]:
        yield from sorted(_read(services, scope, some), key=lambda card: card.id)


CARD_SOURCE = Source(kind=CARD_KIND, profile="documents", read=_read, every=_every, then=_then)
