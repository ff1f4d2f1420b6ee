"""A model of the answers about acknowledged facts, in which each fact is compared with all others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from almanac.families.knowledge.core.records import Cardinality, Fact

Json = dict[str, Any]
Span = tuple[int, int | None]


def spans_of(facts: Sequence[Fact], cardinality: Cardinality | None, known_at: int) -> Mapping[str, Span]:
    """Return the time span of each fact of a slot that was known at `known_at` and held at all."""
    known = {one.id: one for one in facts if one.recorded_at <= known_at}
    own = {name: _own_end(one, known_at) for name, one in known.items()}
    held = [one for name, one in known.items() if (end := own[name]) is None or one.valid_from < end]
    return {one.id: (one.valid_from, _end(one, own[one.id], held, cardinality)) for one in held}


def _end(fact: Fact, own: int | None, held: Sequence[Fact], cardinality: Cardinality | None) -> int | None:
    ends = [] if own is None else [own]
    if cardinality == "one" or (cardinality is None and fact.stated_to is None):
        ends += [one.valid_from for one in held if one.valid_from > fact.valid_from and one.object != fact.object]
    return min(ends, default=None)


def _own_end(fact: Fact, known_at: int) -> int | None:
    said = [one.at for one in fact.endings if one.known_at <= known_at]
    ends = [one for one in (fact.stated_to, said[-1] if said else None) if one is not None]
    return min(ends) if ends else None


def names_at(spans: Mapping[str, Span], point: int) -> set[str]:
    return {name for name, (start, end) in spans.items() if start <= point and (end is None or point < end)}


def assert_acknowledged_is_stored(stored: Iterable[Fact], told: Sequence[Json]) -> int:
    """Assert that no acknowledged fact is lost. Return the number of stored facts without an acknowledgement.

    Those are changes whose writer was killed.
    """
    kept = {one.id: one for one in stored}
    ends: dict[str, set[tuple[int, int | None]]] = {one: set() for one in kept}
    recorded: set[str] = set()
    for line in told:
        fact = line["fact"]
        here = kept[fact["id"]]
        said = [(one["known_at"], one["at"]) for one in fact.get("endings", ())]
        assert said == [(one.known_at, one.at) for one in here.endings[: len(said)]], "an end is lost, or moved"
        ends[here.id].update(said)
        if line["what"] == "record":
            recorded.add(here.id)
        if line.get("corrects"):
            wrong = kept[line["corrects"]]
            assert any(one.at is not None and one.at <= wrong.valid_from for one in wrong.endings), "not corrected"
            ends[wrong.id].update((one.known_at, one.at) for one in wrong.endings if one.reason == "corrected")
    assert recorded <= set(kept)
    unsaid = [one for one in kept.values() if one.id not in recorded]
    unended = [end for one in kept.values() for end in one.endings if (end.known_at, end.at) not in ends[one.id]]
    return len(unsaid) + len(unended)
