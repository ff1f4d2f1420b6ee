"""Test the effect of a supersedes edge on memories and facts, and of its removal."""

import pytest
from msgspec.structs import replace as altered

from almanac.families.knowledge.core.event_kinds import FACT_INVALIDATED
from almanac.families.knowledge.core.records import FACTS, MAX_ENDINGS, PLACES, SLOTS, Ending
from almanac.families.knowledge.core.slots import interval_of
from almanac.families.memory.core.event_kinds import MEMORY_RESTORED, MEMORY_SUPERSEDED
from almanac.families.memory.core.records import MEMORIES, Memory
from almanac.families.memory.edges.records import EDGES
from almanac.platform.store.records import replace
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_graph import (
    connect,
    effects,
    extract_memory,
    fact,
    fact_of,
    knowledge_of,
    note_of,
    pin_memory,
    refusal,
)
from tests.unit.families.memory.remembered import all_of, search_ids

OLD, NEW = "Deploys happen on Tuesdays.", "Deploys happen on Thursdays."
DAY = 86_400_000


def two(app: ProjectApp) -> tuple[str, str]:
    """A newer memory and an older one."""
    return extract_memory(app, NEW), extract_memory(app, OLD)


def stored_memory(app: ProjectApp, memory_id: str) -> Memory:
    (one,) = [memory for memory in all_of(app, MEMORIES) if memory.id == memory_id]
    return one


def read(app: ProjectApp, memory_id: str) -> Json:
    return app.do("get_memory", memory_id=memory_id)["memory"]


def answer_ids(app: ProjectApp) -> list[str]:
    return sorted(hit["id"] for hit in app.do("search_memory", query="deploys happen")["hits"])


@pytest.mark.parametrize("follows", [False, True], ids=["before the index hears of it", "after"])
def test_a_superseded_memory_leaves_search_and_lists_and_is_read_by_its_id(app: ProjectApp, follows: bool):
    newer, older = pin_memory(app, NEW), pin_memory(app, OLD)
    if follows:
        app.follow()

    made = connect(app, newer, "supersedes", older)

    assert effects(made) == ["superseded", "salience_moved"]
    assert answer_ids(app) == [newer]
    assert [one["id"] for one in app.do("get_snapshot")["pinned"]] == [newer]
    memory = app.do("get_memory", memory_id=older)
    assert (memory["memory"]["superseded_by"], memory["memory"]["superseded_at"]) == (newer, app.now)
    assert memory["memory"]["content"] == OLD
    assert [step["what"] for step in memory["history"]] == ["recorded", "superseded"]
    app.follow()
    assert answer_ids(app) == search_ids(app, "deploys") == [newer]


def test_half_of_the_salience_as_of_now_moves_and_no_more_than_one_is_reached(app: ProjectApp):
    older = extract_memory(app, OLD)
    app.wait(days=30)
    newer = extract_memory(app, NEW)

    made = connect(app, newer, "supersedes", older)

    assert made["side_effects"][1]["amount"] == 0.175
    assert read(app, newer)["salience"] == 0.875
    assert read(app, older)["salience"] == 0.175
    third = extract_memory(app, "Deploys happen on Fridays.")
    assert connect(app, third, "supersedes", newer)["side_effects"][1]["amount"] == 0.3
    assert read(app, third)["salience"] == 1.0
    assert read(app, newer)["salience"] == 0.438


def test_nothing_comes_to_a_pinned_memory_which_has_all_already(app: ProjectApp):
    older, newer = extract_memory(app, OLD), pin_memory(app, NEW)

    (_, moved) = connect(app, newer, "supersedes", older)["side_effects"]

    assert (moved["id"], moved["amount"]) == (newer, 0.0)
    assert "pinned" in moved["says"]
    assert read(app, older)["salience"] == 0.35


def test_removing_the_edge_brings_the_memory_and_its_salience_back_as_it_would_have_faded(app: ProjectApp):
    newer, older = two(app)
    connect(app, newer, "supersedes", older)
    app.wait(days=30)

    removed = connect(app, newer, "supersedes", older, remove=True)

    assert removed["removed"] is True
    assert effects(removed) == ["restored", "salience_returned"]
    assert read(app, older)["salience"] == read(app, newer)["salience"] == 0.35
    assert "superseded_by" not in read(app, older)
    assert answer_ids(app) == sorted([newer, older])
    assert stored_memory(app, older).history[-1].what == "restored"
    assert app.do("list_edges", id=older)["edges"] == []


def test_forget_memory_restores_it_and_the_removal_of_the_edge_hides_nothing(app: ProjectApp):
    newer, older = two(app)
    connect(app, newer, "supersedes", older)

    restored = app.do("forget_memory", memory_id=older, restore=True)

    assert (restored["restored_at"], "superseded_by" in restored) == (app.now, False)
    assert answer_ids(app) == sorted([newer, older])
    assert effects(connect(app, newer, "supersedes", older, remove=True)) == ["salience_returned"]
    assert answer_ids(app) == sorted([newer, older])


def test_the_same_edge_again_supersedes_again_what_was_restored_and_moves_no_salience(app: ProjectApp):
    newer, older = two(app)
    first = connect(app, newer, "supersedes", older)
    app.do("forget_memory", memory_id=older, restore=True)

    again = connect(app, newer, "supersedes", older)

    assert (again["deduped"], again["edge_id"]) == (True, first["edge_id"])
    assert effects(again) == ["superseded"]
    assert answer_ids(app) == [newer]
    assert read(app, older)["salience"] == 0.35
    assert effects(connect(app, newer, "supersedes", older)) == ["unchanged"]


def test_what_was_superseded_and_then_forgotten_is_superseded_again_when_it_is_restored(app: ProjectApp):
    newer, older = two(app)
    connect(app, newer, "supersedes", older)
    assert "already" not in app.do("forget_memory", memory_id=older)
    assert "was forgotten" in app.refusal("get_memory", memory_id=older)

    once = app.do("forget_memory", memory_id=older, restore=True)
    assert (once["superseded_by"], answer_ids(app)) == (newer, [newer])
    twice = app.do("forget_memory", memory_id=older, restore=True)

    assert "superseded_by" not in twice
    assert answer_ids(app) == sorted([newer, older])


def test_what_was_forgotten_stays_so_when_the_edge_is_removed(app: ProjectApp):
    newer, older = two(app)
    connect(app, newer, "supersedes", older)
    app.do("forget_memory", memory_id=older)

    removed = connect(app, newer, "supersedes", older, remove=True)

    assert "forgotten" in removed["side_effects"][0]["says"]
    assert answer_ids(app) == [newer]
    assert app.events(MEMORY_RESTORED) == []
    app.do("forget_memory", memory_id=older, restore=True)
    assert answer_ids(app) == sorted([newer, older])


def test_a_second_thing_that_supersedes_it_holds_when_the_first_edge_is_removed(app: ProjectApp):
    newer, older = two(app)
    third = extract_memory(app, "Nobody deploys any more.")
    connect(app, newer, "supersedes", older)

    second = connect(app, third, "supersedes", older)
    assert effects(second) == ["unchanged"]
    assert newer in second["side_effects"][0]["says"]
    assert stored_memory(app, older).superseded_by == newer
    assert effects(connect(app, newer, "supersedes", older, remove=True)) == ["unchanged", "salience_returned"]
    assert read(app, older)["superseded_by"] == third

    assert effects(connect(app, third, "supersedes", older, remove=True)) == ["restored"]
    assert older in answer_ids(app)


def test_removing_an_edge_that_did_nothing_takes_nothing_back(app: ProjectApp):
    newer, older = two(app)
    third = extract_memory(app, "Nobody deploys any more.")
    connect(app, newer, "supersedes", older)
    connect(app, third, "supersedes", older)

    assert connect(app, third, "supersedes", older, remove=True)["side_effects"] == []

    assert read(app, older)["superseded_by"] == newer
    assert read(app, older)["salience"] == 0.35


def test_others_hear_of_it_without_what_the_memory_said(app: ProjectApp):
    newer, older = two(app)
    connect(app, newer, "supersedes", older)
    connect(app, newer, "supersedes", older, remove=True)

    (told,) = app.events(MEMORY_SUPERSEDED)
    assert (told.payload["memory_id"], told.payload["superseded_by"]) == (older, newer)
    assert "content_preview" not in told.payload
    assert [event.payload["memory_id"] for event in app.events(MEMORY_RESTORED)] == [older]


def test_a_superseded_memory_still_lapses_and_can_be_pinned_anew(app: ProjectApp):
    older = pin_memory(app, OLD, ttl_ms=60_000)
    newer = pin_memory(app, NEW)
    connect(app, newer, "supersedes", older)

    anew = app.do("pin_memory", content=OLD)
    app.wait(minutes=2)
    app.run_jobs()

    assert (anew["deduped"], anew["memory"]["id"] != older) == (False, True)
    assert stored_memory(app, older).forgotten_at is not None


def test_reading_what_is_superseded_is_no_use_of_it(app: ProjectApp):
    newer, older = two(app)
    read(app, older)
    connect(app, newer, "supersedes", older)
    read(app, older)
    app.react()

    assert stored_memory(app, older).uses == 0
    read(app, newer)
    app.react()
    assert stored_memory(app, newer).uses == 1


def test_a_superseded_fact_ends_now_and_goes_on_when_the_edge_is_removed(app: ProjectApp):
    knowledge = knowledge_of(app)
    older, newer = fact(knowledge, "Ann", "Berlin"), fact(knowledge, "Ann", "Rome", "moved_to")
    app.wait(days=1)
    before = app.now

    made = connect(app, newer, "supersedes", older)

    assert effects(made) == ["fact_ended"]
    assert fact_of(knowledge, older).endings == (Ending(before, before, "ann", f"Superseded by {newer}."),)
    assert interval_of(knowledge.store, knowledge.scope, fact_of(knowledge, older)).end == before
    app.wait(days=1)
    assert effects(connect(app, newer, "supersedes", older, remove=True)) == ["fact_reopened"]
    after = fact_of(knowledge, older)
    assert (after.endings[-1].at, after.endings[-1].known_at) == (None, app.now)
    assert interval_of(knowledge.store, knowledge.scope, after).end is None
    assert [event.payload["undone"] for event in app.events(FACT_INVALIDATED)] == [False, True]


def test_the_place_and_the_slot_of_an_ended_fact_say_when_it_changed(app: ProjectApp):
    knowledge = knowledge_of(app)
    older, newer = fact(knowledge, "Ann", "Berlin"), pin_memory(app, "Ann lives in Rome.")
    slots = knowledge.rows(SLOTS)
    slot = slots.get("Ann", "lives_in")
    assert slot is not None
    # Another process has a clock that is ahead: what is known grows all the same.
    ahead = app.now + 5_000
    app.store.write([replace(slots, altered(slot, last_at=ahead))])

    connect(app, newer, "supersedes", older)

    after = slots.get("Ann", "lives_in")
    assert after is not None
    assert (after.version, after.last_at) == (3, ahead)
    place = knowledge.rows(PLACES).get(older)
    assert place is not None
    assert place.changed_at == fact_of(knowledge, older).endings[0].known_at == ahead


def test_a_fact_that_had_ended_stays_as_it_is(app: ProjectApp):
    knowledge = knowledge_of(app)
    newer = pin_memory(app, "Ann lives in Rome.")
    stated, replaced = fact(knowledge, "Ann", "Oslo", stated_to=5), fact(knowledge, "Ben", "Oslo")
    fact(knowledge, "Ben", "Cairo", since=10)

    for one in (stated, replaced):
        assert effects(connect(app, newer, "supersedes", one)) == ["unchanged"]
        assert fact_of(knowledge, one).endings == ()
        assert effects(connect(app, newer, "supersedes", one, remove=True)) == []


def test_an_end_that_was_said_before_or_since_is_respected(app: ProjectApp):
    knowledge = knowledge_of(app)
    newer, later = pin_memory(app, "Ann lives in Rome."), app.now + DAY
    one = fact(knowledge, "Ann", "Oslo", endings=(Ending(app.now, later, "ben"),))

    connect(app, newer, "supersedes", one)
    connect(app, newer, "supersedes", one, remove=True)
    assert interval_of(knowledge.store, knowledge.scope, fact_of(knowledge, one)).end == later

    connect(app, newer, "supersedes", one)
    ended = fact_of(knowledge, one)
    facts = knowledge.rows(FACTS)
    app.store.write([replace(facts, altered(ended, endings=(*ended.endings, Ending(app.now, 7, "ben"))))])
    assert effects(connect(app, newer, "supersedes", one, remove=True)) == ["unchanged"]
    assert fact_of(knowledge, one).endings[-1].at == 7


def test_the_end_of_a_fact_is_not_said_without_bound(app: ProjectApp):
    said = tuple(Ending(number, None, "ben") for number in range(MAX_ENDINGS))
    one = fact(knowledge_of(app), "Ann", "Oslo", endings=said)

    assert "Record it again" in refusal(app, pin_memory(app, "Ann lives in Rome."), "supersedes", one)


def test_a_fact_supersedes_a_memory_which_keeps_its_salience(app: ProjectApp):
    newer, older = fact(knowledge_of(app), "Deploys", "Thursdays", "happen_on"), extract_memory(app, OLD)

    assert effects(connect(app, newer, "supersedes", older)) == ["superseded"]
    assert read(app, older)["salience"] == 0.7
    assert effects(connect(app, newer, "supersedes", older, remove=True)) == ["restored"]


def test_a_note_is_told_to_stay_as_it_is(app: ProjectApp):
    note = note_of(app)

    made = connect(app, pin_memory(app, NEW), "supersedes", note)

    assert effects(made) == ["unchanged"]
    assert app.do("notes_get", noteId=note)["title"] == "Deploys"


def test_a_turn_neither_supersedes_nor_is_superseded(app: ProjectApp):
    turn, memory = app.do("record_turn", content="On Thursdays.")["turn_id"], pin_memory(app, OLD)

    for ends in ((turn, memory), (memory, turn)):
        assert "A turn records what somebody said" in refusal(app, ends[0], "supersedes", ends[1])
    assert all_edges(app, memory) == []


def all_edges(app: ProjectApp, node: str) -> list[str]:
    return [edge.id for edge in EDGES.within(app.store, app.caller.scope).every(node)]
