"""Facts for the memory family: the implementation of `platform/declaration/known_facts.py` over the store."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, tzinfo
from itertools import combinations, islice
from typing import TYPE_CHECKING

from msgspec import Struct

from almanac.families.knowledge.core.documents import in_words
from almanac.families.knowledge.core.records import FACTS, PLACES, Fact, FactPlace
from almanac.families.knowledge.core.slots import Cardinalities, facts_of, intervals_of
from almanac.families.knowledge.core.spans import span_in_words
from almanac.families.knowledge.core.timeline import HoldingInterval, timeline
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Scope
from almanac.platform.declaration.known_facts import ContradictingFacts, FactChange, FactChanges, KnownFact, When
from almanac.platform.store.port import Store

# Import late, because memory asks in every snapshot, even in projects without facts.
if TYPE_CHECKING:
    from almanac.families.knowledge.contradictions.pairs import Pair
    from almanac.families.knowledge.contradictions.rules import DatedStatement

MOST_CHANGES = 50
_MOST_PLACES = 200
_MOST_FACTS = 4_000
MOST_PAIRS = 5
_MOST_STATED_OF = 5
"""Facts whose stated edges are read."""


class _Slot(Struct, frozen=True):
    facts: Sequence[Fact]
    readings: "Mapping[str, DatedStatement]"


class StoredFacts:
    """Facts of the projects of one store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def any(self, scope: Scope) -> bool:
        return bool(PLACES.within(self._store, scope).query(limit=1).records)

    def facts_at(self, scope: Scope, ids: Sequence[str], when: When, zone: str | None) -> Mapping[str, KnownFact]:
        where = _zone_of(zone)
        return {
            name: _known_fact(one.fact, one.holding, where)
            for name, one in self._holding_statements(scope, ids, when).items()
        }

    def find_contradictions(
        self, scope: Scope, ids: Sequence[str], when: When, zone: str | None
    ) -> Sequence[ContradictingFacts]:
        where = _zone_of(zone)
        readings = list(self._holding_statements(scope, ids, when).values())
        found = list(islice(_find_contradictions(readings, where), MOST_PAIRS))
        return [*found, *islice(self._stated_contradictions(scope, readings, when, where), MOST_PAIRS - len(found))]

    def _stated_contradictions(
        self, scope: Scope, readings: "Sequence[DatedStatement]", when: When, zone: tzinfo
    ) -> Iterator[ContradictingFacts]:
        """Yield stated contradictions of the best facts, if both sides hold then."""
        if not readings:
            return
        from almanac.families.knowledge.contradictions.contradiction_edges import find_stated_pairs  # noqa: PLC0415 - as said above

        best = [reading.fact.id for reading in readings[:_MOST_STATED_OF]]
        for pair in find_stated_pairs(self._store, scope, best, MOST_PAIRS):
            if _is_held(pair.one.holding, when) and _is_held(pair.other.holding, when):
                yield _disagreement(pair, zone)

    def changes_since(self, scope: Scope, since: int, zone: str | None) -> FactChanges:
        where = _zone_of(zone)
        rows = PLACES.within(self._store, scope).every(since=since, index="gsi1", reverse=True)
        places = list(islice(rows, _MOST_PLACES + 1))
        more = len(places) > _MOST_PLACES
        changes: list[FactChange] = []
        read = 0
        for key in _keys_of(places[:_MOST_PLACES]):
            if read >= _MOST_FACTS:
                more = True
                break
            before, slot = self._slot(scope, key, since - 1), self._slot(scope, key)
            read += len(slot.facts)
            changes += _changes(before.readings, slot.readings, since, where)
        changes.sort(key=lambda one: (-one.at, one.fact.id))
        return FactChanges(tuple(changes[:MOST_CHANGES]), more or len(changes) > MOST_CHANGES)

    def _holding_statements(self, scope: Scope, ids: Sequence[str], when: When) -> "dict[str, DatedStatement]":
        places = PLACES.within(self._store, scope).by_id(ids)
        found: dict[str, DatedStatement] = {}
        for key in _keys_of(places.values()):
            own = [place for place in places.values() if (place.subject_key, place.predicate_key) == key]
            found |= self._statements(scope, key, own, when.known_at)
        return {place: found[place] for place in places if place in found and _is_held(found[place].holding, when)}

    def _statements(
        self, scope: Scope, key: tuple[str, str], places: Sequence[FactPlace], known_at: int | None
    ) -> "Mapping[str, DatedStatement]":
        """Return statements for these facts of a slot. If the whole slot must be read, include its other facts."""
        if known_at is not None:
            return self._slot(scope, key, known_at).readings
        from almanac.families.knowledge.contradictions.rules import dated_statement  # noqa: PLC0415 - as said above

        wanted = [(*key, place.valid_from, place.id) for place in places]
        facts = [one for one in FACTS.within(self._store, scope).get_many(wanted) if one is not None]
        cardinality = Cardinalities(self._store, scope).of(key[1])
        held = intervals_of(self._store, scope, facts)
        return {fact.id: dated_statement(fact, held[fact.id], cardinality) for fact in facts}

    def _slot(self, scope: Scope, key: tuple[str, str], known_at: int | None = None) -> _Slot:
        from almanac.families.knowledge.contradictions.rules import dated_statement  # noqa: PLC0415 - as said above

        facts = facts_of(self._store, scope, key)
        cardinality = Cardinalities(self._store, scope, known_at).of(key[1])
        held = timeline(facts, cardinality, known_at)
        return _Slot(
            facts, {fact.id: dated_statement(fact, held[fact.id], cardinality) for fact in facts if fact.id in held}
        )


def _keys_of(places: Iterable[FactPlace]) -> list[tuple[str, str]]:
    return list(dict.fromkeys((place.subject_key, place.predicate_key) for place in places))


def _is_held(holding: HoldingInterval, when: When) -> bool:
    begun = when.until is None or holding.start < when.until
    ended = holding.end is not None and (holding.never or (when.since is not None and holding.end <= when.since))
    return begun and not ended


def _find_contradictions(readings: "Sequence[DatedStatement]", zone: tzinfo) -> Iterator[ContradictingFacts]:
    if len(readings) < 2:
        return
    from almanac.families.knowledge.contradictions.pairs import Pair  # noqa: PLC0415 - as said above
    from almanac.families.knowledge.contradictions.rules import find_contradiction  # noqa: PLC0415 - as said above

    for one, other in combinations(readings, 2):
        same = one.fact.subject_key == other.fact.subject_key
        finding = find_contradiction(one, other) if same else None
        if finding is None or finding.severity == "low":
            continue
        first, second = sorted((one, other), key=lambda each: (each.fact.recorded_at, each.fact.id))
        yield _disagreement(Pair(first, second, finding), zone)


def _disagreement(pair: "Pair", zone: tzinfo) -> ContradictingFacts:
    from almanac.families.knowledge.contradictions.explanations import reason_of  # noqa: PLC0415 - as said above

    known, against = (_known_fact(each.fact, each.holding, zone) for each in (pair.one, pair.other))
    return ContradictingFacts(known, against, reason_of(pair))


def _changes(
    before: "Mapping[str, DatedStatement]", after: "Mapping[str, DatedStatement]", since: int, zone: tzinfo
) -> Iterator[FactChange]:
    for name, one in after.items():
        then = before.get(name)
        if then is None:
            if not one.holding.never:
                yield FactChange("recorded", one.fact.recorded_at, _known_fact(one.fact, one.holding, zone))
        elif then.holding.end != one.holding.end:
            yield _end_change(then.holding, one, after, since, zone)


def _end_change(
    then: HoldingInterval, one: "DatedStatement", slot: "Mapping[str, DatedStatement]", since: int, zone: tzinfo
) -> FactChange:
    """Return the change of a fact that held `then` and whose end has changed since."""
    fact, now = one.fact, one.holding
    known = _known_fact(fact, now, zone)
    earlier = now.end is not None and (then.end is None or now.end < then.end)
    if earlier and now.because == "superseded":
        at = max((slot[each].fact.recorded_at for each in now.by if each in slot), default=since)
        return FactChange("superseded", max(at, since), known)
    at = fact.endings[-1].known_at if fact.endings else since
    return FactChange("ended" if earlier else "restored", max(at, since), known)


def _known_fact(fact: Fact, holding: HoldingInterval, zone: tzinfo) -> KnownFact:
    return KnownFact(
        id=fact.id,
        text=f"{fact.subject} {in_words(fact.predicate)} {fact.object}",
        span=span_in_words(holding, zone),
        start=holding.start,
        end=holding.end,
        at=fact.recorded_at,
        actor=fact.actor,
        tool=fact.tool,
        redacted=fact.redacted,
    )


def _zone_of(name: str | None) -> tzinfo:
    return find_zone(name) if name else UTC
