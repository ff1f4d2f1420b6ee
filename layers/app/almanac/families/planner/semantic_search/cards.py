"""Cards in the semantic search index: a new version for each change of title or description, none for a move."""

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec.structs import replace

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARD_PLACES, CARDS, Card
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Change, Store
from almanac.search.port import Document
from almanac.search.source import KnownThen, Source

CARD_KIND = "card"
MOST_TITLES = 10
_AT_ONCE = 32


def card_document(card: Card) -> Document:
    return Document(
        id=card.id,
        kind=CARD_KIND,
        profile="documents",
        version=card.text_version,
        title=card.title,
        text=card.description,
        at=card.updated_at,
    )


def update_text_version(planner: Planner, before: Card, after: Card) -> tuple[Card, list[Change]]:
    """Return `after` with the version of its texts, and the change that updates the search index if they changed."""
    if (before.title, before.description) == (after.title, after.description):
        return after, []
    after = replace(_add_former_title(before, after, planner.now_ms()), text_version=before.text_version + 1)
    return after, [planner.index_change(card_document(after))]


def _add_former_title(before: Card, after: Card, now: int) -> Card:
    titles, instants = before.former_titles, before.renamed_at
    if not titles and before.text_version > 1:
        instants = (before.updated_at,)  # since then at least
    titles, instants = (*titles, before.title), (*instants, now)
    if len(titles) > MOST_TITLES:
        titles, instants = titles[1:], instants[-MOST_TITLES - 1 :]
    return replace(after, former_titles=titles, renamed_at=instants)


def _title_then(card: Card, as_of: int) -> str | None:
    """Return the title at `as_of`; None if it is not stored."""
    bounds = card.renamed_at if len(card.renamed_at) > len(card.former_titles) else (card.created_at, *card.renamed_at)
    for title, since, until in zip(card.former_titles, bounds, bounds[1:], strict=False):
        if since <= as_of < until:
            return title
    return None


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    return [card_document(card) for card in _cards(services, scope, ids)]


def _cards(services: Services, scope: Scope, ids: Sequence[str]) -> list[Card]:
    store = services.get(Store)
    places = CARD_PLACES.within(store, scope).by_id(ids).values()
    cards = CARDS.within(store, scope).get_many([(place.board, place.column, place.rank) for place in places])
    wanted = frozenset(ids)
    return [card for card in cards if card is not None and card.id in wanted]


def _then(services: Services, scope: Scope, ids: Sequence[str], as_of: int) -> KnownThen:
    """Return the cards as they were at `as_of`. A card that was edited since has its title of that time but no
    description, because former descriptions are not stored."""
    found, lost = list[Document](), list[str]()
    for card in _cards(services, scope, ids):
        if card.created_at > as_of:
            continue
        reworded_at = card.renamed_at[-1] if card.renamed_at else card.updated_at
        if card.text_version == 1 or reworded_at <= as_of:
            found.append(card_document(card))
        elif (title := _title_then(card, as_of)) is not None:
            found.append(card_document(replace(card, title=title, description="")))
        else:
            lost.append(card.id)
    return KnownThen(found, lost)


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    # Appending "0" gives the smallest id that sorts after this one.
    places = CARD_PLACES.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
    while some := [place.id for place in islice(places, _AT_ONCE)]:
        yield from sorted(_read(services, scope, some), key=lambda card: card.id)


CARD_SOURCE = Source(kind=CARD_KIND, profile="documents", read=_read, every=_every, then=_then)
