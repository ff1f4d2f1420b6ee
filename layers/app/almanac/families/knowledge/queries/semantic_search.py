"""Search for facts by words and meaning. The index finds similar facts, and the store says when they hold."""

from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from almanac.families.knowledge.core.documents import KIND, PROFILE
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.records import FACTS, PLACES, Cardinality, FactPlace
from almanac.families.knowledge.core.slot_index import SlotKey
from almanac.families.knowledge.core.slots import Cardinalities, Slot, facts_of, slot_about, slot_of
from almanac.families.knowledge.queries.fact_query import FactPage, FactQuery, OmittedCounts, Row, count_omitted, row_of
from almanac.search.port import Filters
from almanac.search.questions.port import MAX_LIMIT, Hit, Search, SearchRequest

ROUNDS = 4
"""Searches per query. Hits that do not hold at the requested time are skipped, and further ones are searched for."""


def find_similar(knowledge: Knowledge, search: Search, text: str, query: FactQuery, limit: int) -> FactPage:
    """Return the most similar facts that hold at the requested time, the best first."""
    names = {"predicate": query.predicate, "object": query.object}
    if len(query.subjects) == 1:
        names["subject"] = query.subjects[0]
    fields = {name: key for name, key in names.items() if key is not None}
    slots = _Slots(knowledge, query)
    rows: list[Row] = []
    passed, seen = OmittedCounts(), frozenset[str]()
    for number in range(ROUNDS):
        filters = Filters(kinds=(KIND,), fields=fields, except_ids=seen)
        request = SearchRequest(text=text, profile=PROFILE, filters=filters, limit=min(MAX_LIMIT, limit + 5))
        answer = search.search(knowledge.scope, request)
        more, passed = _matching_rows(slots, query, answer.hits, passed)
        rows += more
        seen |= {hit.id for hit in answer.hits}
        if len(rows) >= limit or not answer.cut or number == ROUNDS - 1:
            empty = answer.empty.text if answer.empty and not seen else None
            is_more = len(rows) > limit or answer.cut
            return FactPage(rows=rows[:limit], more=is_more, omitted=passed, notes=answer.notes, empty=empty)
    raise AssertionError("the last round answers")


def _matching_rows(
    slots: "_Slots", query: FactQuery, hits: Sequence[Hit], passed: OmittedCounts
) -> tuple[list[Row], OmittedCounts]:
    rows: list[Row] = []
    for fact_id, slot in slots.of([hit.id for hit in hits]):
        fact = next((one for one in slot.facts if one.id == fact_id), None)
        if fact is None or not query.names(fact):
            continue
        if fact.id in slot.held and query.holds(slot, fact):
            rows.append(row_of(slot, fact))
        else:
            passed = count_omitted(passed, slot, fact)
    return rows, passed


class _Slots(Struct):
    """The slots of hits. For a query with `known_at`, each slot is read once and whole; otherwise only the hits and the
    facts that end them."""

    knowledge: Knowledge
    query: FactQuery
    read: dict[SlotKey, Slot] = {}

    def of(self, ids: Sequence[str]) -> list[tuple[str, Slot]]:
        """Return the slots of the ids, in order. Ids of facts that are gone are left out."""
        knowledge = self.knowledge
        places = knowledge.rows(PLACES).by_id(ids)
        cardinalities = Cardinalities(knowledge.store, knowledge.scope, self.query.known_at)
        found: dict[str, Slot] = {}
        for key, own in _by_slot(places[id_] for id_ in ids if id_ in places).items():
            found |= dict.fromkeys(own, self._read(key, own, cardinalities.of(key[1])))
        return [(id_, found[id_]) for id_ in ids if id_ in found]

    def _read(self, key: SlotKey, places: Mapping[str, FactPlace], cardinality: Cardinality | None) -> Slot:
        knowledge, now = self.knowledge, self.knowledge.now()
        if self.query.known_at is None:
            keys = [(*key, place.valid_from, place.id) for place in places.values()]
            facts = [one for one in knowledge.rows(FACTS).get_many(keys) if one is not None]
            return slot_about(knowledge.store, knowledge.scope, key, facts, cardinality, now)
        if key not in self.read:
            facts = facts_of(knowledge.store, knowledge.scope, key)
            self.read[key] = slot_of(facts, cardinality, now, self.query.known_at)
        return self.read[key]


def _by_slot(places: Iterable[FactPlace]) -> Mapping[SlotKey, Mapping[str, FactPlace]]:
    found: dict[SlotKey, dict[str, FactPlace]] = {}
    for place in places:
        found.setdefault((place.subject_key, place.predicate_key), {})[place.id] = place
    return found
