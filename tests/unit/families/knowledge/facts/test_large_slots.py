"""Test slots with many facts. A change reads only neighbours, and its answer agrees with all facts."""

import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.knowledge import Knowledge, open_knowledge
from almanac.families.knowledge.core.records import (
    FACTS,
    MARKS,
    PLACES,
    PREDICATES,
    SLOTS,
    Cardinality,
    Ending,
    Fact,
    FactMark,
    FactPlace,
)
from almanac.families.knowledge.core.slot_index import marks_of
from almanac.families.knowledge.core.slots import interval_of, present_of
from almanac.families.knowledge.core.timeline import timeline
from almanac.families.knowledge.facts.event_payloads import SupersededFact, newly_holding, newly_superseded
from almanac.families.knowledge.facts.fact_input import FactInput, new_fact
from almanac.families.knowledge.facts.invalidation import Invalidation, InvalidationResult, invalidate
from almanac.families.knowledge.facts.recorder import RecordingResult, record
from almanac.families.knowledge.facts.sources import FactSources
from almanac.families.knowledge.queries import large_slots
from almanac.families.knowledge.queries.fact_query import FactQuery
from almanac.families.knowledge.queries.pages import page_of
from almanac.kernel.errors import AlmanacError
from almanac.platform.store.port import Change, Page, Store
from almanac.platform.store.records import replace
from tests.project_app import ProjectApp

KEY = ("Ann", "lives_in")


def project(app: ProjectApp) -> Knowledge:
    return open_knowledge(app.services, app.caller, app.clock)


def record_object(knowledge: Knowledge, what: str, **more: Any) -> RecordingResult:
    given = FactInput(subject="Ann", predicate="lives_in", object=what, **more)
    return record(knowledge, new_fact(knowledge, given), FactSources())


def facts_of(knowledge: Knowledge) -> list[Fact]:
    return list(knowledge.rows(FACTS).every(*KEY, page=1000))


def cardinality_of(knowledge: Knowledge) -> Cardinality | None:
    row = knowledge.rows(PREDICATES).get("lives_in")
    return row.cardinality() if row else None


def marks(facts: Sequence[Fact]) -> list[FactMark]:
    return sorted((one for fact in facts for one in marks_of(fact)), key=lambda one: (one.mark, one.at, one.id))


@pytest.mark.parametrize("cardinality", ["one", "many", None])
@pytest.mark.parametrize("seed", range(3))
def test_what_a_change_tells_is_what_all_facts_of_the_slot_say(
    app: ProjectApp, cardinality: Cardinality | None, seed: int
) -> None:
    chance, knowledge = Random(seed), project(app)
    app.clock.instant = app.clock.instant.fromtimestamp(0.020, app.clock.instant.tzinfo)
    record_object(knowledge, "a", cardinality=cardinality)
    for _ in range(60):
        if chance.random() < 0.4:
            app.wait(milliseconds=chance.randrange(3))
        before = facts_of(knowledge)
        try:
            done = _change(knowledge, chance, before)
        except AlmanacError:
            assert facts_of(knowledge) == before
            continue
        _check(knowledge, before, done, cardinality)


def _change(knowledge: Knowledge, chance: Random, facts: Sequence[Fact]) -> RecordingResult | InvalidationResult:
    one, instant = chance.choice(facts), chance.randrange(10, 40)
    kind = chance.random()
    if kind < 0.2:
        return invalidate(knowledge, one.id, Invalidation(at=chance.choice([None, instant, one.valid_from])))
    if kind < 0.3:
        return invalidate(knowledge, one.id, Invalidation(undo=True))
    more: dict[str, Any] = {}
    if chance.random() < 0.6:
        more["valid_from"] = instant
    if chance.random() < 0.25:
        more["valid_to"] = chance.randrange(15, 60)
    if chance.random() < 0.2:
        more["corrects"] = one.id
    return record_object(knowledge, chance.choice("aaabc"), **more)


def _check(
    knowledge: Knowledge,
    before: Sequence[Fact],
    done: RecordingResult | InvalidationResult,
    cardinality: Cardinality | None,
) -> None:
    facts, now = facts_of(knowledge), knowledge.now()
    was, held = timeline(before, cardinality), timeline(facts, cardinality)
    slot = knowledge.rows(SLOTS).get(*KEY)
    assert slot is not None
    at = max(now, slot.last_at)
    assert done.fact in [altered(one, version=done.fact.version) for one in facts]
    assert done.holding == held[done.fact.id]
    assert done.active == held[done.fact.id].at(present_of(facts, at))
    assert set(done.superseded) == set(newly_superseded(was, held, but=done.fact.id))
    if isinstance(done, InvalidationResult):
        assert set(done.holds_again) == set(newly_holding(was, held, but=done.fact.id))
    elif cardinality != "many":
        begins = done.fact.valid_from
        beside = {one.id for one in facts if one.valid_from == begins and not held[one.id].never}
        assert set(done.contradicts) == {
            one.id for one in facts if one.id in beside and one.object_key != done.fact.object_key
        }
    assert sorted(knowledge.rows(MARKS).every(), key=lambda one: (one.mark, one.at, one.id)) == marks(facts)
    assert (slot.facts, slot.indexed) == (len(facts), len(facts))
    one = facts[now % len(facts)]
    assert interval_of(knowledge.store, knowledge.scope, one) == held[one.id]


class CountedStore:
    """Counts reads of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.read = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def query(self, *given: Any, **named: Any) -> Page:
        page = self._store.query(*given, **named)
        self.read += max(1, len(page.items))
        return page

    def get(self, key: Any) -> Any:
        self.read += 1
        return self._store.get(key)

    def get_many(self, keys: Any) -> Any:
        self.read += len(keys)
        return self._store.get_many(keys)


CHANGES: dict[str, Callable[[Knowledge, int], object]] = {
    "now": lambda knowledge, number: record_object(knowledge, f"new {number}"),
    "the same again": lambda knowledge, number: record_object(knowledge, "now"),
    "in the midst": lambda knowledge, number: record_object(knowledge, f"new {number}", valid_from=51 + number * 3),
    "one end": lambda knowledge, number: invalidate(
        knowledge, facts_at(knowledge, number), Invalidation(at=70 + 10 * number)
    ),
    "never": lambda knowledge, number: invalidate(knowledge, facts_at(knowledge, number), Invalidation(at=0)),
    "corrects": lambda knowledge, number: record_object(knowledge, "right", corrects=facts_at(knowledge, number)),
}


def facts_at(knowledge: Knowledge, number: int) -> str:
    (fact,) = knowledge.rows(FACTS).query(*KEY, since=60 + 10 * number, limit=1).records
    return fact.id


def plant_slot(app: ProjectApp, number: int, cardinality: Cardinality | None, alike: int) -> Knowledge:
    """A slot of so many facts that begin ten milliseconds apart, as an earlier version stored them."""
    knowledge = project(app)
    first = record_object(knowledge, "first", valid_from=10, cardinality=cardinality).fact
    changes: list[Change] = []
    for each in range(2, number + 1):
        what = f"o{each % alike}"
        fact = altered(first, id=knowledge.new_id(app.now), valid_from=10 * each, object=what, object_key=what)
        place = FactPlace(
            id=fact.id, subject_key=KEY[0], predicate_key=KEY[1], valid_from=fact.valid_from, changed_at=app.now
        )
        changes += [knowledge.rows(FACTS).insert(fact), knowledge.rows(PLACES).insert(place)]
    for start in range(0, len(changes), 100):
        knowledge.store.write(changes[start : start + 100])
    slot = knowledge.rows(SLOTS).get(*KEY)
    assert slot is not None
    earlier = altered(slot, facts=number, indexed=0)
    knowledge.store.write([replace(knowledge.rows(SLOTS), earlier)])
    return knowledge


@pytest.mark.parametrize("cardinality", ["one", "many", None])
def test_a_change_costs_the_same_in_a_slot_of_thousands(tmp_path: Path, cardinality: Cardinality | None) -> None:
    few, many = (_costs(tmp_path / str(number), number, cardinality) for number in (20, 5_000))
    for change in CHANGES:
        assert many[change][0] <= few[change][0] * 1.3, change
        assert many[change][1] <= few[change][1] * 1.1, change


def _costs(folder: Path, number: int, cardinality: Cardinality | None) -> dict[str, tuple[int, int]]:
    """Items read by each change, and functions called: the same on a busy machine. The most of ten turns."""
    folder.mkdir()
    knowledge = plant_slot(ProjectApp(folder), number, cardinality, 7)
    counted = CountedStore(knowledge.store)
    project = altered(knowledge, store=counted)
    record_object(project, "now")
    costs: dict[str, tuple[int, int]] = {}
    for name, change in CHANGES.items():
        called, read = list[int](), list[int]()
        for turn in range(10):
            counted.read = 0
            called.append(_calls(lambda change=change, turn=turn: change(project, turn)))
            read.append(counted.read)
        costs[name] = (max(read), max(called))
    return costs


def _calls(work: Callable[[], object]) -> int:
    count = 0

    def profile(_frame: object, what: str, _of: object) -> None:
        nonlocal count
        count += what in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


class DyingStore(CountedStore):
    """Ends the process after a number of writes."""

    writes = 2

    def write(self, changes: Sequence[Change]) -> None:
        if self.writes == 0:
            raise KeyboardInterrupt
        self.writes -= 1
        self._store.write(changes)


def test_facts_of_an_earlier_version_are_indexed_in_steps_that_survive_a_kill(app: ProjectApp) -> None:
    knowledge = plant_slot(app, 200, "one", 3)
    reached: list[int] = []
    while True:
        try:
            made = record_object(altered(knowledge, store=DyingStore(knowledge.store)), "now")
            break
        except KeyboardInterrupt:
            slot = knowledge.rows(SLOTS).get(*KEY)
            assert slot is not None
            reached.append(slot.indexed)
    assert reached == sorted(set(reached))
    assert len(reached) > 2
    assert [one.fact_id for one in made.superseded] == [facts_of(knowledge)[-2].id]
    stored = knowledge.rows(MARKS).every()
    assert sorted(stored, key=lambda one: (one.mark, one.at, one.id)) == marks(facts_of(knowledge))


def test_what_an_earlier_version_wrote_in_between_is_indexed_anew(app: ProjectApp) -> None:
    """It knows no marks, and drops what says how many there are."""
    knowledge = project(app)
    record_object(knowledge, "a", valid_from=10, cardinality="one")
    fact = record_object(knowledge, "b", valid_from=20).fact
    ended = altered(fact, endings=(Ending(30, 20, "ann"),))
    slot = knowledge.rows(SLOTS).get(*KEY)
    assert slot is not None
    forgotten = altered(slot, indexed=0, indexed_to=None, present=None)
    knowledge.store.write([replace(knowledge.rows(FACTS), ended), replace(knowledge.rows(SLOTS), forgotten)])
    assert record_object(knowledge, "c", valid_from=40).superseded == (SupersededFact(facts_of(knowledge)[0].id, 40),)
    stored = knowledge.rows(MARKS).every()
    assert sorted(stored, key=lambda one: (one.mark, one.at, one.id)) == marks(facts_of(knowledge))


def test_many_facts_of_one_millisecond_follow_each_other(app: ProjectApp) -> None:
    knowledge = project(app)
    made = [record_object(knowledge, f"o{number}") for number in range(50)]
    assert [one.fact.valid_from for one in made] == [app.now + number for number in range(50)]
    assert [one.active for one in made] == [True] * 50
    project_counted = CountedStore(knowledge.store)
    record_object(altered(knowledge, store=project_counted), "last")
    assert project_counted.read < 40


@pytest.mark.parametrize("cardinality", ["one", "many", None])
def test_pages_of_a_large_slot_say_what_all_facts_say(
    app: ProjectApp, cardinality: Cardinality | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, knowledge = Random(5), project(app)
    record_object(knowledge, "a", valid_from=15, cardinality=cardinality)
    for _ in range(80):
        with suppress(AlmanacError):
            _change(knowledge, chance, facts_of(knowledge))
    whole = answers(knowledge)
    monkeypatch.setattr(large_slots, "LARGE", 1)
    assert answers(knowledge) == whole


def answers(knowledge: Knowledge) -> list[Any]:
    asked = [FactQuery(subjects=("Ann",), predicate="lives_in", point_in_time=at) for at in (None, 5, 18, 25, 33, 60)]
    asked.append(altered(asked[0], active_only=False))
    found: list[Any] = []
    for each in asked:
        after, rows = None, list[Any]()
        while True:
            page = page_of(knowledge, each, limit=3, after=after)
            rows += [(row.fact.id, row.holding, row.active) for row in page.rows]
            if (after := page.next_position) is None:
                break
        found.append(rows)
    return found


def test_a_page_of_a_large_slot_reads_no_more_than_it_shows(app: ProjectApp) -> None:
    knowledge = plant_slot(app, 5_000, "one", 7)
    record_object(knowledge, "now")
    counted = CountedStore(knowledge.store)
    now = FactQuery(subjects=("Ann",), predicate="lives_in")
    for each in (now, altered(now, point_in_time=25_005), altered(now, active_only=False)):
        counted.read = 0
        assert page_of(altered(knowledge, store=counted), each, limit=20, after=None).rows
        assert counted.read < 60
