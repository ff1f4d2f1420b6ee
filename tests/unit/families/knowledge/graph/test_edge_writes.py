"""Edges as they are made, said again, refused and removed."""

from itertools import pairwise

import pytest

from almanac.families.knowledge.core.event_kinds import CONTRADICTION_FOUND
from almanac.families.memory.edges import ways
from almanac.families.memory.edges.records import EDGES, Edge
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_graph import (
    connect,
    effects,
    extract_memory,
    fact,
    knowledge_of,
    note_of,
    pin_memory,
    refusal,
    states,
    triples,
)
from tests.unit.families.memory.remembered import OTHER_PROJECT, OTHER_TENANT

UNKNOWN = "01KB0Z8T4Q6M3H8E2V5N7R9YXD"


def edges_from(app: ProjectApp, src: str) -> list[Edge]:
    return list(EDGES.within(app.store, app.caller.scope).every(src))


def chain(app: ProjectApp, kind: str, length: int) -> list[str]:
    """Memories each of which is connected with the one after it."""
    ids = [extract_memory(app, f"Version {number} of the plan.") for number in range(length)]
    for src, dst in pairwise(ids):
        connect(app, src, kind, dst)
    return ids


def test_an_edge_is_kept_with_who_made_it_and_when(app: ProjectApp):
    src, dst = extract_memory(app, "We need a cache."), extract_memory(app, "Reads are slow.")

    made = connect(app, src, "derives_from", dst, confidence=0.6, metadata={"why": "measured"})

    (edge,) = edges_from(app, src)
    assert made == {
        "ok": True,
        "edge_id": edge.id,
        "src_id": src,
        "dst_id": dst,
        "kind": "derives_from",
        "confidence": 0.6,
        "side_effects": [],
    }
    assert len(edge.id) == 26
    assert (edge.actor, edge.created_at, edge.metadata) == ("ann", app.now, {"why": "measured"})
    assert (edge.src_kind, edge.dst_kind) == ("semantic", "semantic")


def test_everything_that_has_an_id_may_be_an_end(app: ProjectApp):
    start, knowledge = pin_memory(app, "The plan."), knowledge_of(app)
    others = {
        "turn": app.do("record_turn", content="Hello")["turn_id"],
        "pinned": pin_memory(app, "A pin."),
        "semantic": extract_memory(app, "A sentence."),
        "fact": fact(knowledge, "Ann", "Berlin"),
        "note": note_of(app),
        "task": app.do("kanban_create_card", columnId="col_todo", title="Write")["id"],
        "log": app.do("journal_create", title="A day", date="2026-02-18", body="B")["id"],
        "event": app.do("calendar_create_event", title="Call", date="2026-02-20", time="10:00", type="event")["id"],
    }
    for one in others.values():
        connect(app, start, "derives_from", one)

    listed = app.do("list_edges", id=start)
    assert {node["what"]: node["id"] for node in listed["nodes"][1:] if node["id"] != start} == others
    titles = {node["what"]: node["title"] for node in listed["nodes"]}
    assert (titles["fact"], titles["note"], titles["event"]) == ("Ann lives_in Berlin", "Deploys", "Call")


def test_the_same_edge_again_changes_its_confidence_and_nothing_else(app: ProjectApp):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")
    first = connect(app, src, "contradicts", dst, metadata={"why": "measured"})
    app.wait(hours=1)

    again = connect(app, src, "contradicts", dst, confidence=0.4)

    assert (again["edge_id"], again["deduped"], again["confidence"]) == (first["edge_id"], True, 0.4)
    (edge,) = [*edges_from(app, src), *edges_from(app, dst)]
    assert (edge.confidence, edge.metadata, edge.confirmed_at) == (0.4, {"why": "measured"}, app.now)
    assert edge.created_at < app.now
    connect(app, src, "contradicts", dst, metadata={})
    (edge,) = [*edges_from(app, src), *edges_from(app, dst)]
    assert edge.metadata == {}
    assert len(app.events(CONTRADICTION_FOUND)) == 1


@pytest.mark.parametrize("kind", ["contradicts", "same_as"])
def test_a_symmetric_edge_is_the_same_in_both_directions(app: ProjectApp, kind: str):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")
    first = connect(app, src, kind, dst)

    again = connect(app, dst, kind, src)

    assert (again["edge_id"], again["deduped"]) == (first["edge_id"], True)
    for node in (src, dst):
        for direction in ("out", "in", "both"):
            assert len(app.do("list_edges", id=node, direction=direction)["edges"]) == 1
    assert connect(app, dst, kind, src, remove=True)["edge_id"] == first["edge_id"]


def test_a_contradiction_is_told_with_what_the_facts_share(app: ProjectApp):
    knowledge = knowledge_of(app)
    one, other = fact(knowledge, "Ann", "Berlin"), fact(knowledge, "Ann", "Rome")
    elsewhere = fact(knowledge, "Ann", "Acme", "works_at")

    assert effects(connect(app, one, "contradicts", other)) == ["contradiction_recorded"]
    connect(app, one, "contradicts", elsewhere)
    connect(app, one, "contradicts", pin_memory(app, "Ann is in Oslo."))

    first, second, third = (event.payload for event in app.events(CONTRADICTION_FOUND))
    assert {first["fact_a"], first["fact_b"]} == {one, other}
    assert (first["subject"], first["predicate"], first["explanation"][:3]) == ("Ann", "lives_in", "ann")
    assert (second["subject"], second["predicate"]) == ("Ann", None)
    assert (third["subject"], third["predicate"]) == (None, None)


def test_secrets_are_taken_out_of_what_comes_with_an_edge(app: ProjectApp):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")

    made = connect(app, src, "derives_from", dst, metadata={"why": "key AKIAZ7Q3MNPLX4RW2TUV"})

    assert made["redacted"]
    assert "AKIAZ7Q3MNPLX4RW2TUV" not in str(edges_from(app, src))
    (row,) = app.do("list_redactions")["redactions"]
    assert (row["where"], row["item_id"]) == ("edge", made["edge_id"])
    again = connect(app, src, "derives_from", dst, metadata={"why": "token: AKIAZ7Q3MNPLX4RW2TUX"})
    assert again["redacted"]
    assert "AKIAZ7Q3MNPLX4RW2TUX" not in str(edges_from(app, src))
    assert len(app.do("list_redactions")["redactions"]) == 2


@pytest.mark.parametrize("kind", ["supersedes", "contradicts", "derives_from", "same_as"])
def test_no_edge_leads_from_a_thing_to_itself(app: ProjectApp, kind: str):
    one = extract_memory(app, "One.")

    assert "two different things" in refusal(app, one, kind, f" {one} ")
    assert edges_from(app, one) == []


@pytest.mark.parametrize("kind", ["supersedes", "derives_from"])
@pytest.mark.parametrize("length", [2, 5])
def test_no_edge_closes_a_cycle(app: ProjectApp, kind: str, length: int):
    ids = chain(app, kind, length)

    told = refusal(app, ids[-1], kind, ids[0])

    assert told.startswith("conflict:")
    assert "cycle" in told
    assert edges_from(app, ids[-1]) == []
    assert connect(app, ids[0], kind, extract_memory(app, "Another."))["ok"]


def test_what_a_memory_was_made_of_counts_as_a_way(app: ProjectApp):
    turn = app.do("record_turn", content="Hello")["turn_id"]
    made = extract_memory(app, "They said hello.", derived_from_turn_ids=[turn])

    assert "cycle" in refusal(app, turn, "derives_from", made)


def test_a_way_too_long_to_be_seen_is_refused_unless_nothing_leads_to_the_newer_end(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(ways, "MOST_PASSED", 4)
    ids = chain(app, "supersedes", 7)

    connect(app, newest := extract_memory(app, "The newest."), "supersedes", ids[0])
    assert "cycle" in refusal(app, ids[4], "supersedes", newest)
    other = chain(app, "supersedes", 1)[0]
    for number in range(5):
        connect(app, extract_memory(app, f"Another {number}."), "supersedes", other)
    assert "too many to check" in refusal(app, other, "supersedes", newest)


def test_unknown_and_forgotten_ends_are_named(app: ProjectApp):
    known, gone = extract_memory(app, "One."), extract_memory(app, "Two.")
    app.do("forget_memory", memory_id=gone)

    assert refusal(app, UNKNOWN, "same_as", known).startswith("not_found: ")
    assert UNKNOWN in refusal(app, UNKNOWN, "supersedes", known)
    assert "dst_id" in refusal(app, known, "supersedes", UNKNOWN)
    told = refusal(app, gone, "supersedes", known)
    assert "src_id" in told
    assert "was forgotten" in told
    assert "Two" not in told


@pytest.mark.parametrize("text", ["x", "note_", "note_x", "@", "a@b", "a@", "_20260218", "%40", "\u202e", "subject:x"])
def test_texts_that_are_no_ids_find_nothing(app: ProjectApp, text: str):
    known = extract_memory(app, "One.")

    assert refusal(app, known, "same_as", text).startswith("not_found:")
    assert app.refusal("list_edges", id=text).startswith("not_found:")


@pytest.mark.parametrize("text", [" ", "subject:", "subject: \t"])
def test_blank_ids_are_refused(app: ProjectApp, text: str):
    assert "blank" in refusal(app, extract_memory(app, "One."), "same_as", text)


def test_things_of_other_projects_and_tenants_do_not_exist(app: ProjectApp):
    mine, other = extract_memory(app, "One."), extract_memory(app, "Two.")
    connect(app, mine, "derives_from", other)
    for caller in (OTHER_PROJECT, OTHER_TENANT):
        theirs = app.do("pin_memory", caller=caller, content="Theirs.")["memory"]["id"]
        assert theirs in refusal(app, mine, "derives_from", theirs)
        arguments = {"src_id": theirs, "dst_id": mine, "kind": "supersedes"}
        assert mine in app.refusal("create_edge", caller=caller, **arguments)
        arguments = {"src_id": mine, "dst_id": other, "kind": "derives_from", "remove": True}
        assert app.refusal("create_edge", caller=caller, **arguments).startswith("not_found:")
        assert app.refusal("list_edges", caller=caller, id=mine).startswith("not_found:")


def test_names_of_facts_are_the_same_only_as_other_names(app: ProjectApp):
    knowledge, memory = knowledge_of(app), extract_memory(app, "One.")
    fact(knowledge, "Bob", "Berlin")
    fact(knowledge, "Robert", "Berlin")

    connect(app, "subject:Bob", "same_as", "subject: Robert ")

    assert triples(app.do("list_edges", subject="Bob")) == [("subject:Bob", "same_as", "subject:Robert")]
    assert "only be joined to another subject" in refusal(app, "subject:Bob", "same_as", memory)
    assert "only be joined to another subject" in refusal(app, "subject:Bob", "contradicts", "subject:Robert")
    assert "subject:Bobby" in refusal(app, "subject:Bob", "same_as", "subject:Bobby")


def test_a_long_name_is_shown_whole_and_can_be_sent_back(app: ProjectApp):
    knowledge, long = knowledge_of(app), "The ministry of " + "x" * 220 + "~"
    for name in (long, "Bob"):
        fact(knowledge, name, "Berlin")
    made = connect(app, f"subject:{long}", "same_as", "subject:Bob")

    (edge,) = app.do("list_edges", subject=long)["edges"]

    assert {edge["src_id"], edge["dst_id"]} == {made["src_id"], made["dst_id"]} == {f"subject:{long}", "subject:Bob"}
    assert connect(app, edge["src_id"], "same_as", edge["dst_id"], remove=True)["removed"]


def test_an_edge_that_is_not_there_cannot_be_removed(app: ProjectApp):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")
    connect(app, src, "derives_from", dst)

    assert refusal(app, dst, "derives_from", src, remove=True).startswith("not_found:")
    connect(app, src, "derives_from", dst, remove=True)
    assert "removed already" in refusal(app, src, "derives_from", dst, remove=True)
    assert connect(app, dst, "derives_from", src)["ok"]


def test_an_edge_to_what_is_forgotten_or_gone_can_be_removed(app: ProjectApp):
    src, note, dst = extract_memory(app, "One."), note_of(app), extract_memory(app, "Two.")
    connect(app, src, "derives_from", dst)
    connect(app, src, "supersedes", note)
    app.do("forget_memory", memory_id=dst)
    app.do("notes_delete", noteId=note)

    assert states(app.do("list_edges", id=src)) == {src: "remembered", note: "gone", dst: "forgotten"}
    assert connect(app, src, "derives_from", dst, remove=True)["removed"]
    assert connect(app, src, "supersedes", note, remove=True)["removed"]
    assert edges_from(app, src) == []


def test_large_metadata_are_refused(app: ProjectApp):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")

    assert "metadata" in refusal(app, src, "same_as", dst, metadata={"a": "x" * 20_000})
    deep: Json = {}
    for _ in range(20):
        deep = {"a": deep}
    assert "deeper" in refusal(app, src, "same_as", dst, metadata=deep)


def test_edges_are_there_after_a_restart(app: ProjectApp):
    src, dst = extract_memory(app, "One."), extract_memory(app, "Two.")
    connect(app, src, "supersedes", dst)

    app.open_again()

    assert triples(app.do("list_edges", id=dst)) == [(src, "supersedes", dst)]
