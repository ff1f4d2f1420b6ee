"""Contradictions on every store: each pair once over pages, in the order of the store's keys, and told of once."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from almanac.families.knowledge.contradictions.events import tell
from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.records import FOUND
from almanac.families.knowledge.contradictions.scan import Position, ScanRequest, position_of, position_text, scan
from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.known_facts import StoredFacts
from almanac.families.memory.core.memory import MemoryProject
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.project import patient_backoff
from tests.contract.backends import Place
from tests.unit.families.knowledge.stored_facts import SINCE, Facts

SUBJECTS = ("Ann", "Ann$", "Ann b", "Zoë", "a#b")


@pytest.fixture
def agent(place: Place, clock: FixedClock, scope: Scope) -> Callable[[], Knowledge]:
    """An agent with a store of its own, as a process has."""

    def agent() -> Knowledge:
        store = place.open(clock)
        parts = (store, scope, "ann", clock, os.urandom, patient_backoff())
        return Knowledge(*parts, MemoryProject(*parts))

    return agent


def test_pages_find_each_pair_once_and_agents_at_once_tell_of_it_once(agent: Callable[[], Knowledge]) -> None:
    facts = Facts(agent())
    facts.state("lives in", "one")
    wanted: set[frozenset[str]] = set()
    for subject in SUBJECTS:
        wanted.add(frozenset(facts.say(subject, "lives in", home) for home in ("Oslo", "Lima")))
        wanted.add(frozenset(facts.say(subject, predicate, "tea", -SINCE) for predicate in ("likes", "dislikes")))
    pairs, found = list[Pair](), list[frozenset[str]]()
    position: Position | None = Position()
    while position is not None:
        page = scan(facts.knowledge, ScanRequest(limit=3), position)
        found += [frozenset((one.one.fact.id, one.other.fact.id)) for one in page.pairs]
        pairs += page.pairs
        position = None if page.next_position is None else position_of(position_text(page.next_position))
    assert len(found) == len(wanted)
    assert set(found) == wanted

    with ThreadPoolExecutor(4) as threads:
        for telling in [threads.submit(tell, agent(), pairs) for _ in range(4)]:
            telling.result()
    rows = list(facts.knowledge.rows(FOUND).every())
    assert {frozenset((row.fact_a, row.fact_b)) for row in rows} == wanted
    assert all(row.fact_a < row.fact_b for row in rows)


def test_what_changed_is_read_from_the_instant_on(agent: Callable[[], Knowledge], clock: FixedClock) -> None:
    facts = Facts(agent())
    facts.say("Ann", "lives_in", "Oslo", -SINCE)
    at = facts.knowledge.now()
    known = StoredFacts(facts.knowledge.store)
    scope = facts.knowledge.scope
    assert [one.what for one in known.changes_since(scope, at, None).changes] == ["recorded"]
    assert known.changes_since(scope, at + 1, None).changes == ()
    assert known.any(scope)
