"""Storage and events of found contradictions, once for each pair of facts."""

from collections.abc import Sequence
from datetime import UTC

from almanac.families.knowledge.contradictions.explanations import explanation_of
from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.records import FOUND, FoundContradiction
from almanac.families.knowledge.core.event_kinds import CONTRADICTION_FOUND
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.platform.bus.outbox import outbox
from almanac.platform.store.port import Change

AT_ONCE = 20
_CHARACTERS = 200


def tell(knowledge: Knowledge, pairs: Sequence[Pair]) -> None:
    """Store the pairs that were not found before, and announce them."""
    for start in range(0, len(pairs), AT_ONCE):
        _tell(knowledge, pairs[start : start + AT_ONCE])


def changes_of(knowledge: Knowledge, pairs: Sequence[Pair]) -> list[Change]:
    """Return the changes that store and announce the pairs that were not found before, at most 20."""
    rows = knowledge.rows(FOUND)
    by_ids = {ids_of(pair): pair for pair in pairs[:AT_ONCE]}
    known = rows.get_many(list(by_ids))
    new = [one for one, found in zip(by_ids, known, strict=True) if found is None]
    at = knowledge.now()
    changes: list[Change] = []
    for ids in new:
        pair = by_ids[ids]
        found = FoundContradiction(fact_a=ids[0], fact_b=ids[1], severity=pair.finding.severity, found_at=at)
        event = knowledge.event(CONTRADICTION_FOUND, f"contradictions/{ids[0]}/{ids[1]}", _payload(pair), at=at)
        changes += [rows.insert(found), *outbox([event])]
    return changes


def ids_of(pair: Pair) -> tuple[str, str]:
    """Return the ids of a pair, the smaller one first."""
    one, other = sorted((pair.one.fact.id, pair.other.fact.id))
    return one, other


def _tell(knowledge: Knowledge, pairs: Sequence[Pair]) -> None:
    def attempt() -> None:
        changes = changes_of(knowledge, pairs)
        if changes:
            knowledge.store.write(changes)

    knowledge.retry_on_conflict(attempt)


def _payload(pair: Pair) -> dict[str, object]:
    fact = pair.one.fact
    return {
        "fact_a": fact.id,
        "fact_b": pair.other.fact.id,
        "subject": fact.subject[:_CHARACTERS],
        "predicate": fact.predicate[:_CHARACTERS],
        "severity": pair.finding.severity,
        "explanation": explanation_of(pair, UTC),
    }
