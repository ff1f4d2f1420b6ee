"""Slots in key order, read from the index that fits the query. Each slot is read whole, since the end of a fact depends
on the others."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec
from msgspec import Struct

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, Fact
from almanac.families.knowledge.core.slot_index import SlotKey
from almanac.families.knowledge.core.slots import facts_of
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.platform.store.keys import past, sort_key, sort_prefix
from almanac.platform.store.port import Index, Span
from almanac.platform.store.queries import every_item

_AT_ONCE = 200

Read = tuple[SlotKey, Sequence[Fact]]


class Position(Struct, frozen=True, array_like=True):
    """The last fact that a page has read."""

    subject: str
    predicate: str
    valid_from: int
    id: str

    @property
    def slot(self) -> SlotKey:
        return self.subject, self.predicate

    def is_before(self, fact: Fact) -> bool:
        """Return whether the fact comes after this position."""
        return (self.valid_from, self.id) < (fact.valid_from, fact.id)

    def text(self) -> str:
        return msgspec.json.encode(self).decode()

    @staticmethod
    def read(text: str) -> "Position":
        return msgspec.json.decode(text, type=Position)

    @staticmethod
    def of(fact: Fact) -> "Position":
        return Position(fact.subject_key, fact.predicate_key, fact.valid_from, fact.id)


def read_slots(knowledge: Knowledge, query: FactQuery, after: Position | None) -> Iterator[Read]:
    """Yield the slots that may have matches, from the slot of `after` on, including that slot."""
    if query.subjects:
        for subject in sorted(query.subjects, key=sort_key):
            if after is None or sort_key(after.subject) <= sort_key(subject):
                yield from _of_subject(knowledge, subject, query, after)
    elif query.object is not None:
        yield from _of_object(knowledge, query.object, query, after)
    elif query.predicate is not None:
        start = sort_key(after.subject) if after else None
        yield from _whole(_rows(knowledge, (query.predicate,), Span(start), index="gsi1"))
    else:
        yield from _whole(_rows(knowledge, (), Span(sort_key(*after.slot) if after else None)))


def _of_subject(knowledge: Knowledge, subject: str, query: FactQuery, after: Position | None) -> Iterator[Read]:
    if query.predicate is not None:
        key = (subject, query.predicate)
        yield key, facts_of(knowledge.store, knowledge.scope, key)
        return
    here = after is not None and after.subject == subject
    prefix = sort_prefix(subject)
    start = sort_key(*after.slot) if after and here else prefix
    yield from _whole(_rows(knowledge, (), Span(start, past(prefix))))


def _of_object(knowledge: Knowledge, name: str, query: FactQuery, after: Position | None) -> Iterator[Read]:
    """Yield the slots that have a fact with this object. The index has only these facts, so the rest of each slot is
    read as well."""
    rows = _rows(knowledge, (name,), Span(sort_key(*after.slot) if after else None), index="gsi2")
    for key, _ in groupby(rows, _slot):
        if query.predicate in (None, key[1]):
            yield key, facts_of(knowledge.store, knowledge.scope, key)


def _whole(rows: Iterable[Fact]) -> Iterator[Read]:
    return ((key, tuple(facts)) for key, facts in groupby(rows, _slot))


def _rows(knowledge: Knowledge, names: tuple[str, ...], span: Span, index: Index | None = None) -> Iterator[Fact]:
    place = FACTS.indexes[index] if index else FACTS.own
    partition = FACTS.partition(knowledge.scope, place, names)
    return map(FACTS.read, every_item(knowledge.store, partition, span=span, index=index, page=_AT_ONCE))


def _slot(fact: Fact) -> SlotKey:
    return fact.subject_key, fact.predicate_key
