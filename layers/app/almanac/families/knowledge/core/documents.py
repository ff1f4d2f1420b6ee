"""Search documents of facts: a sentence of subject, predicate and object, with the time when it holds.

A newer fact may end an older one without rewriting its document. Readers of a hit therefore compute the current end
from the store.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from almanac.families.knowledge.core.records import FACTS, PLACES, Fact, FactPlace
from almanac.families.knowledge.core.slots import intervals_of
from almanac.families.knowledge.core.timeline import HoldingInterval, is_retracted
from almanac.kernel.caller import Scope
from almanac.kernel.instants import iso
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document, Profile
from almanac.search.source import Source

KIND = "fact"
PROFILE: Profile = "documents"
_AT_ONCE = 50
_JOINTS = re.compile(r"[_\-./:]+|(?<=[a-z])(?=[A-Z])")


def fact_document(fact: Fact, version: int, holding: HoldingInterval) -> Document:
    """Return the search document of a fact. Its `at` is when the fact was recorded."""
    said = {"actor": fact.actor, "tool": fact.tool}
    keys = {"subject": fact.subject_key, "predicate": fact.predicate_key, "object": fact.object_key}
    return Document(
        id=fact.id,
        kind=KIND,
        profile=PROFILE,
        version=version,
        text=f"{fact.subject} {in_words(fact.predicate)} {fact.object}, {span_in_words(holding)}",
        at=fact.recorded_at,
        fields={**{name: value for name, value in said.items() if value}, **keys},
    )


def in_words(predicate: str) -> str:
    """Return a predicate as words: works_at, works-at and worksAt all become "works at"."""
    return " ".join(_JOINTS.sub(" ", predicate).split()) or predicate


def span_in_words(holding: HoldingInterval) -> str:
    """Return a span in days of UTC: "since 2019-03-01", or "from 2019-03-01 until 2020-06-30"."""
    start = _day(holding.start)
    return f"since {start}" if holding.end is None else f"from {start} until {_day(holding.end)}"


def _day(instant: int) -> str:
    return (iso(instant) or "").partition("T")[0]


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    places = PLACES.within(services.get(Store), scope).by_id(ids)
    return list(_documents(services, scope, places.values()))


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    # Appending "0" gives the smallest id that sorts after this one.
    places = PLACES.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
    while some := list(islice(places, _AT_ONCE)):
        yield from sorted(_documents(services, scope, some), key=lambda one: one.id)


def _documents(services: Services, scope: Scope, places: Iterable[FactPlace]) -> Iterator[Document]:
    store = services.get(Store)
    keys = [(place.subject_key, place.predicate_key, place.valid_from, place.id) for place in places]
    facts = [one for one in FACTS.within(store, scope).get_many(keys) if one is not None]
    held = intervals_of(store, scope, facts)
    return (fact_document(fact, fact.version, held[fact.id]) for fact in facts if not is_retracted(fact))


SOURCES = (Source(kind=KIND, profile=PROFILE, read=_read, every=_every),)
