"""Facts on every store: four processes change them at random, and every question is answered as a model answers it."""

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import name_key
from almanac.families.knowledge.core.records import (
    FACTS,
    PLACES,
    PREDICATES,
    SLOTS,
    SUBJECTS,
    USES,
    Fact,
    FactPredicate,
)
from almanac.families.knowledge.core.slots import slot_of
from almanac.families.knowledge.facts.cardinality import BY_ITS_WORDS
from almanac.families.knowledge.facts.fact_input import FactInput, new_fact
from almanac.families.knowledge.facts.invalidation import Invalidation, invalidate
from almanac.families.knowledge.facts.recorder import RecordingResult, record
from almanac.families.knowledge.facts.sources import FactSources
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.families.knowledge.queries.pages import page_of
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from tests.contract.backends import Place
from tests.integration.fact_model import assert_acknowledged_is_stored, names_at, spans_of
from tests.integration.fact_writer import INSTANTS, knowledge_over

ROOT = Path(__file__).parents[2]
WRITERS = 4
CHANGES = {"sqlite": 1_500, "ministack": 80, "dynoxide": 150}
"""Of each writer."""
Json = dict[str, Any]


@pytest.fixture
def knowledge(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], Knowledge]:
    """Return a project with a store of its own, as each process has."""
    return lambda: knowledge_over(place, "ann", scope, clock)


def record_fact(knowledge: Knowledge, what: str, valid_from: int | None = None, **more: Any) -> RecordingResult:
    given = FactInput(subject="Ann", predicate="lives_in", object=what, valid_from=valid_from, **more)
    return record(knowledge, new_fact(knowledge, given), FactSources())


def at_once(count: int, call: Callable[[int], Any]) -> list[Any]:
    with ThreadPoolExecutor(count) as agents:
        return list(agents.map(call, range(count)))


def test_of_the_same_fact_at_once_one_is_recorded(knowledge: Callable[[], Knowledge]) -> None:
    made = at_once(6, lambda _: record_fact(knowledge(), "Rome", 10))
    assert len({one.fact.id for one in made}) == 1
    assert [one.deduped for one in made].count(False) == 1


def test_each_of_many_at_once_is_told_once_what_it_ended(knowledge: Callable[[], Knowledge]) -> None:
    record_fact(knowledge(), "first", 0)
    made = at_once(6, lambda number: record_fact(knowledge(), f"object {number}"))
    held = slot_of(list(knowledge().rows(FACTS).every()), None, 0).held

    told = [each for one in made for each in one.superseded]
    assert sorted((one.fact_id, one.valid_to) for one in told) == sorted(
        (name, one.end) for name, one in held.items() if one.end is not None
    )
    assert len(told) == 6


def test_a_fact_is_found_by_every_index_until_it_is_ended(knowledge: Callable[[], Knowledge]) -> None:
    project = knowledge()
    fact = record_fact(project, "Rome", 10).fact
    record_fact(project, "Oslo", 20)
    for asked in (FactQuery(subjects=("Ann",)), FactQuery(predicate="lives_in"), FactQuery(object="Rome")):
        found = page_of(project, altered(asked, point_in_time=15), limit=5, after=None)
        assert [(one.fact.id, one.holding.end) for one in found.rows] == [(fact.id, 20)]
    invalidate(project, fact.id, Invalidation(at=12))
    assert page_of(project, FactQuery(object="Rome", point_in_time=15), limit=5, after=None).rows == []


def test_pages_of_every_index_bring_each_fact_once(knowledge: Callable[[], Knowledge]) -> None:
    project = knowledge()
    for number in range(7):
        given = FactInput(subject=f"s{number % 3}", predicate=f"p{number % 2}", object="x", valid_from=number)
        record(project, new_fact(project, given), FactSources())
    for parts in (FactQuery(), FactQuery(object="x"), FactQuery(predicate="p0")):
        asked = altered(parts, active_only=False)
        whole = [one.fact.id for one in page_of(project, asked, limit=100, after=None).rows]
        paged: list[str] = []
        after: str | None = None
        while True:
            page = page_of(project, asked, limit=2, after=after)
            paged += [one.fact.id for one in page.rows]
            after = page.next_position
            if after is None:
                break
        assert paged == whole
        assert len(whole) == (4 if asked.predicate else 7)


@pytest.mark.slow
def test_every_question_is_answered_as_the_model_does(place: Place, scope: Scope) -> None:
    told = _write_in_processes(place, scope.tenant)
    project = knowledge_over(place, "ann", scope)
    facts = list(project.rows(FACTS).every())

    assert assert_acknowledged_is_stored(facts, told) == 0
    assert len({one["what"] for one in told}) == 3
    _check_rows(project, facts)
    for key, own in _by_slot(facts).items():
        predicate = project.rows(PREDICATES).get(key[1])
        assert predicate is not None
        _check_cardinalities(predicate, told)
        _check_slot(own, predicate)
    _check_answers(project, facts, Random(15))


def _write_in_processes(place: Place, tenant: str) -> list[Json]:
    changes = CHANGES[place.technology]
    # The file is made before four make it at once.
    knowledge_over(place, "ann", Scope(tenant, "main")).rows(SLOTS).get("x", "y")
    command = [sys.executable, "-m", "tests.integration.fact_writer", place.technology, place.address]
    writers = [
        subprocess.Popen(
            [*command, f"w{number}", str(changes), f"seed {number}", tenant],
            cwd=ROOT,
            env=dict(os.environ),
            stdout=subprocess.PIPE,
        )
        for number in range(WRITERS)
    ]
    lines = at_once(WRITERS, lambda number: writers[number].communicate()[0].splitlines())
    assert [one.returncode for one in writers] == [0] * WRITERS
    return [msgspec.json.decode(line) for own in lines for line in own]


def _by_slot(facts: Sequence[Fact]) -> dict[tuple[str, str], list[Fact]]:
    found: dict[tuple[str, str], list[Fact]] = {}
    for one in facts:
        found.setdefault((one.subject_key, one.predicate_key), []).append(one)
    return found


def _check_rows(project: Knowledge, facts: Sequence[Fact]) -> None:
    """Check that each row leads to each of its facts once."""
    slots = {(one.subject_key, one.predicate_key): one.facts for one in project.rows(SLOTS).every()}
    assert slots == {key: len(own) for key, own in _by_slot(facts).items()}
    assert {one.id for one in project.rows(PLACES).every()} == {one.id for one in facts}
    assert {one.subject_key for one in project.rows(SUBJECTS).every()} == {one.subject_key for one in facts}
    for one in facts:
        learned = [one.recorded_at, *(end.known_at for end in one.endings)]
        assert learned == sorted(learned)


def _check_cardinalities(predicate: FactPredicate, told: Sequence[Json]) -> None:
    """Each cardinality that is kept was said by its actor, and no two in a row are the same."""
    kinds = [one.cardinality for one in predicate.stated]
    assert all(one != following for one, following in pairwise(kinds))
    said = {
        (one["actor"], one["cardinality"])
        for one in told
        if one.get("cardinality") and one["fact"]["predicate_key"] == predicate.predicate_key
    }
    assert {(one.actor, one.cardinality) for one in predicate.stated if one.actor != BY_ITS_WORDS} <= said
    assert predicate.stated or not said


def _check_slot(facts: Sequence[Fact], predicate: FactPredicate) -> None:
    """Every instant, at every instant at which something was learned."""
    learned = {one.recorded_at for one in facts} | {end.known_at for one in facts for end in one.endings}
    for known_at in sorted(learned | {one.known_at for one in predicate.stated}):
        cardinality = predicate.cardinality(known_at)
        slot = slot_of(facts, cardinality, 0, known_at)
        spans = spans_of(facts, cardinality, known_at)
        for point in range(-1, INSTANTS + 12):
            held = {one for one, holding in slot.held.items() if holding.at(point)}
            assert held == names_at(spans, point), (known_at, point)


def _check_answers(project: Knowledge, facts: Sequence[Fact], chance: Random) -> None:
    """Check the same through pages of the tools' answers."""
    for key, own in chance.sample(sorted(_by_slot(facts).items()), 10):
        predicate = project.rows(PREDICATES).get(key[1])
        for _ in range(5):
            point, known_at = chance.randrange(INSTANTS), chance.choice(own).recorded_at
            asked = FactQuery(subjects=(name_key(key[0]),), predicate=key[1], point_in_time=point, known_at=known_at)
            rows = page_of(project, asked, limit=200, after=None).rows
            spans = spans_of(own, predicate.cardinality(known_at) if predicate else None, known_at)
            assert {one.fact.id for one in rows} == names_at(spans, point)


def test_agents_at_once_count_each_subject_once_and_use_decides_for_all(knowledge: Callable[[], Knowledge]) -> None:
    def state(number: int) -> RecordingResult:
        agent = knowledge()
        given = FactInput(subject=f"Ann {number // 2}", predicate="eats", object=f"dish {number % 2}", valid_from=10)
        return record(agent, new_fact(agent, given), FactSources())

    at_once(8, state)
    use = knowledge().rows(USES).get(name_key("eats"))
    predicate = knowledge().rows(PREDICATES).get(name_key("eats"))
    assert use is not None
    assert predicate is not None
    assert (use.several, use.replaced) == (3, 0)
    assert predicate.cardinality() == "many"
    again = knowledge()
    later = FactInput(subject="Ann 0", predicate="eats", object="dish 2", valid_from=20)
    assert record(again, new_fact(again, later), FactSources()).superseded == ()
