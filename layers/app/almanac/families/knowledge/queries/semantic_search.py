"""Facts by words and meaning: search brings what is alike, the store says when it holds."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.knowledge.core.documents import KIND, PROFILE
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, PLACES, Cardinality, FactPlace
from almanac.families.knowledge.core.slot_index import SlotKey
from almanac.families.knowledge.core.slots import Cardinalities, Slot, facts_of, slot_about, slot_of
from almanac.families.knowledge.queries.fact_query import FactPage, FactQuery, OmittedCounts, Row, counted, row_of
from almanac.search.port import Filters
from almanac.search.questions.port import MAX_LIMIT, Hit, Search, SearchRequest

ROUNDS = 4
"""Searches for one answer: hits that do not hold when it is asked are passed over, and others are looked for."""


def alike(knowledge: Knowledge, search: Search, text: str, asked: FactQuery, limit: int) -> FactPage:
    """The best first."""
    names = {"predicate": asked.predicate, "object": asked.object}
    if len(asked.subjects) == 1:
        names["subject"] = asked.subjects[0]
    fields = {name: key for name, key in names.items() if key is not None}
    slots = _Slots(knowledge, asked)
    rows: list[Row] = []
    passed, seen = OmittedCounts(), frozenset[str]()
    for number in range(ROUNDS):
        filters = Filters(kinds=(KIND,), fields=fields, except_ids=seen)
        request = SearchRequest(text=text, profile=PROFILE, filters=filters, limit=min(MAX_LIMIT, limit + 5))
        answer = search.search(knowledge.scope, request)
        more, passed = _chosen(slots, asked, answer.hits, passed)
        rows += more
        seen |= {hit.id for hit in answer.hits}
        if len(rows) >= limit or not answer.cut or number == ROUNDS - 1:
            empty = answer.empty.text if answer.empty and not seen else None
            is_more = len(rows) > limit or answer.cut
            return FactPage(rows=rows[:limit], more=is_more, passed=passed, notes=answer.notes, empty=empty)
    raise AssertionError("the last round answers")


def _chosen(
    slots: "_Slots", asked: FactQuery, hits: Sequence[Hit], passed: OmittedCounts
) -> tuple[list[Row], OmittedCounts]:
    rows: list[Row] = []
    for fact_id, slot in slots.of([hit.id for hit in hits]):
        fact = next((one for one in slot.facts if one.id == fact_id), None)
        if fact is None or not asked.names(fact):
            continue
        if fact.id in slot.held and asked.holds(slot, fact):
            rows.append(row_of(slot, fact))
        else:
            passed = counted(passed, slot, fact)
    return rows, passed


class _Slots(Struct):
    """The slots of hits: as they were known at an instant each is read once and whole, else the hits and what ends
    them."""

    knowledge: Knowledge
    asked: FactQuery
    read: dict[SlotKey, Slot] = {}

    def of(self, ids: Sequence[str]) -> list[tuple[str, Slot]]:
        """In the order of the ids; those of facts that are gone are left out."""
        knowledge = self.knowledge
        places = knowledge.rows(PLACES).by_id(ids)
        cardinalities = Cardinalities(knowledge.store, knowledge.scope, self.asked.known_at)
        found: dict[str, Slot] = {}
        for key, own in _by_slot(places[one] for one in ids if one in places).items():
            found |= dict.fromkeys(own, self._read(key, own, cardinalities.of(key[1])))
        return [(one, found[one]) for one in ids if one in found]

    def _read(self, key: SlotKey, places: Mapping[str, FactPlace], cardinality: Cardinality | None) -> Slot:
        knowledge, now = self.knowledge, self.knowledge.now()
        if self.asked.known_at is None:
            keys = [(*key, one.valid_from, one.id) for one in places.values()]
            facts = [one for one in knowledge.rows(FACTS).get_many(keys) if one is not None]
            return slot_about(knowledge.store, knowledge.scope, key, facts, cardinality, now)
        if key not in self.read:
            facts = facts_of(knowledge.store, knowledge.scope, key)
            self.read[key] = slot_of(facts, cardinality, now, self.asked.known_at)
        return self.read[key]


def _by_slot(places: Iterable[FactPlace]) -> Mapping[SlotKey, Mapping[str, FactPlace]]:
    found: dict[SlotKey, dict[str, FactPlace]] = {}
    for one in places:
        found.setdefault((one.subject_key, one.predicate_key), {})[one.id] = one
    return found
