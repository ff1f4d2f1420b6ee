"""Test edges of a memory that is promoted to shared memory."""

from typing import Any

import pytest

from almanac.families.memory.edges.records import EDGES, TURNS_OF_EDGES
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import caller_without_sharing, neighbour, store_memory
from tests.unit.families.knowledge.stored_graph import connect, effects, note_of, refusal, states, triples
from tests.unit.families.memory.memory_builder import MemoryBuilder

OLD, NEW = "Deploys happen on Tuesdays.", "Deploys happen on Thursdays."


def promote(app: ProjectApp, memory_id: str) -> Json:
    return app.do("context_update", memoryId=memory_id, targetLayer=3)


def stated_edges(app: ProjectApp, memory_id: str, **who: Any) -> list[Json]:
    return app.do("get_memory", memory_id=memory_id, **who)["edges"]["stated"]


@pytest.fixture
def two(app: ProjectApp) -> tuple[str, str]:
    """A newer memory, which superseded an older one."""
    newer, older = store_memory(app, NEW, layer=2), store_memory(app, OLD, layer=2)
    connect(app, newer, "supersedes", older)
    return newer, older


def test_what_superseded_another_is_shown_as_living_from_both_ends(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    promote(app, newer)

    (of_older,), (of_newer,) = stated_edges(app, older), stated_edges(app, newer)

    assert (of_older["id"], of_older["state"]) == (newer, "remembered")
    assert (of_newer["id"], of_newer["state"]) == (older, "superseded")
    for start in two:
        listed = app.do("list_edges", id=start)
        assert triples(listed) == [(newer, "supersedes", older)]
        assert states(listed) == {newer: "remembered", older: "superseded"}
    walked = app.do("list_edges", id=older, hops=3)
    assert triples(walked) == [(newer, "supersedes", older)]


def test_its_edge_is_removed_and_what_it_did_is_taken_back(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    promote(app, newer)
    app.wait(hours=1)

    gone = connect(app, newer, "supersedes", older, remove=True)

    assert effects(gone) == ["restored", "salience_returned"]
    memory = app.do("get_memory", memory_id=older)["memory"]
    assert "superseded_by" not in memory
    assert memory["salience"] == pytest.approx(0.7, abs=0.01)
    assert app.do("get_memory", memory_id=newer)["memory"]["salience"] == pytest.approx(0.7, abs=0.01)
    assert {hit["id"] for hit in app.do("search_memory", query="deploys happen")["hits"]} == {newer, older}
    assert stated_edges(app, newer) == []


def test_it_is_said_again_with_another_confidence(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    promote(app, newer)
    again = connect(app, newer, "supersedes", older, confidence=0.5)
    assert (again["deduped"], again["confidence"]) == (True, 0.5)
    app.do("forget_memory", memory_id=older, restore=True)
    assert effects(connect(app, newer, "supersedes", older)) == ["superseded"]


@pytest.mark.parametrize("kind", ["contradicts", "same_as", "derives_from"])
@pytest.mark.parametrize("rises", [0, 1], ids=["its source", "its target"])
def test_every_kind_survives_at_either_end(app: ProjectApp, kind: str, rises: int) -> None:
    ends = store_memory(app, NEW, layer=2), store_memory(app, OLD, layer=2)
    connect(app, ends[0], kind, ends[1])
    promote(app, ends[rises])
    for one, other in (ends, ends[::-1]):
        assert [(each["id"], each["state"]) for each in stated_edges(app, one)] == [(other, "remembered")]
    connect(app, ends[0], kind, ends[1], remove=True)
    assert stated_edges(app, ends[0]) == stated_edges(app, ends[1]) == []


def test_who_does_not_see_the_other_end_learns_nothing_of_it(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    promote(app, newer)
    api = neighbour(app)
    assert stated_edges(app, newer, caller=api) == []
    assert app.do("list_edges", id=newer, caller=api)["edges"] == []
    refused = app.refusal("create_edge", src_id=newer, dst_id=older, kind="supersedes", remove=True, caller=api)
    assert "no edge" in refused
    (left,) = stated_edges(app, older, caller=caller_without_sharing(app))
    assert left["state"] == "gone"


def test_an_edge_between_two_that_were_promoted_is_removed_from_any_project(
    app: ProjectApp, two: tuple[str, str]
) -> None:
    newer, older = two
    connect(app, newer, "supersedes", older, remove=True)
    edge = connect(app, newer, "contradicts", older)["edge_id"]
    promote(app, newer)
    promote(app, older)
    api = neighbour(app)
    (seen,) = stated_edges(app, newer, caller=api)
    assert (seen["edge_id"], seen["id"], seen["state"]) == (edge, older, "remembered")
    connect(app, newer, "contradicts", older, remove=True, caller=api)
    assert stated_edges(app, newer) == stated_edges(app, older) == []


def test_many_edges_go_with_it(app: ProjectApp) -> None:
    center = store_memory(app, NEW, layer=2)
    others = [store_memory(app, f"Deploy number {number} went well.", layer=2) for number in range(60)]
    for other in others:
        connect(app, center, "same_as", other)
        promote(app, other)
    promote(app, center)
    listed = app.do("list_edges", id=center, limit=100, caller=neighbour(app))
    assert len(triples(listed)) == 60
    assert EDGES.within(app.store, app.caller.scope).query(center).records == ()


def test_edges_with_notes_stay_in_the_project(app: ProjectApp) -> None:
    memory, note = store_memory(app, NEW, layer=2), note_of(app)
    connect(app, memory, "derives_from", note)
    promote(app, memory)
    assert [each["id"] for each in stated_edges(app, memory)] == [note]
    assert stated_edges(app, memory, caller=neighbour(app)) == []
    connect(app, memory, "derives_from", note, remove=True)


def test_a_new_edge_between_a_shared_and_an_own_memory_is_still_refused(app: ProjectApp) -> None:
    shared, own = store_memory(app, NEW, layer=3), store_memory(app, OLD, layer=2)
    assert "that the tenant's projects share" in refusal(app, shared, "supersedes", own)


def test_no_way_leads_in_a_circle_over_promoted_ones(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    app.do("forget_memory", memory_id=older, restore=True)
    promote(app, newer)
    promote(app, older)
    assert "close a cycle" in refusal(app, older, "supersedes", newer)
    assert [turn.kind for turn in TURNS_OF_EDGES.within(app.store, app.caller.scope).every()] == ["supersedes"]


def test_where_another_says_exactly_this_the_edges_lead_to_that_one(app: ProjectApp, two: tuple[str, str]) -> None:
    newer, older = two
    same = store_memory(app, NEW, layer=3)
    result = promote(app, newer)
    assert (result["merged"], result["memoryId"]) == (True, same)
    (seen,) = stated_edges(app, older)
    assert (seen["id"], seen["state"]) == (same, "remembered")
    assert app.do("get_memory", memory_id=older)["memory"]["superseded_by"] == same
    assert effects(connect(app, same, "supersedes", older, remove=True))[0] == "restored"


def test_turns_that_it_was_made_of_are_found_from_both_ends(app: ProjectApp) -> None:
    turn = MemoryBuilder(app).turn("We deploy on Thursdays.")
    memory = app.do("pin_memory", content=NEW, derived_from_turn_ids=[turn])["memory"]["id"]
    app.do("context_update", memoryId=memory, targetLayer=3)
    of_memory = app.do("get_memory", memory_id=memory)["edges"]["derived_from"]
    of_turn = app.do("get_memory", memory_id=turn)["edges"]["derives"]
    assert [(one["id"], one["state"]) for one in (*of_memory, *of_turn)] == [
        (turn, "remembered"),
        (memory, "remembered"),
    ]
    assert triples(app.do("list_edges", id=turn)) == [(memory, "derives_from", turn)]
