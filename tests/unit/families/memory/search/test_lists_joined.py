"""Turns, summaries and documents of other families in one ranked list."""

from typing import Any

import pytest
from msgspec.structs import replace

from almanac.composition.search import index_parts
from almanac.families.memory.core.memory import open_memory
from almanac.families.memory.core.records import Memory, Role, Turn
from almanac.families.memory.search.filters import HitFilters
from almanac.families.memory.search.memory_search import MemoryQuery, MemorySearch
from almanac.families.memory.search.ranking import (
    in_likely_order,
    merge,
    with_falling_scores,
    with_replacements,
    with_summaries,
)
from almanac.families.memory.search.rounds import Match
from almanac.kernel.caller import Scope
from almanac.search.coverage import Coverage
from almanac.search.questions.port import Answer, Hit, Search, SearchRequest
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder


@pytest.fixture
def builder(app: ProjectApp) -> MemoryBuilder:
    return MemoryBuilder(app)


def turn(name: str, similarity: float, score: float = 1.0) -> Match:
    content = Turn(id=name, content=name, at=0, recorded_at=0, actor="ann", role="user")
    return Match(Hit(id=name, kind="turn", version=1, score=score, similarity=similarity), content)


def summary(name: str, similarity: float, *made_of: str) -> Match:
    known: dict[str, Any] = {"at": 0, "recorded_at": 0, "actor": "ann", "derived_from": made_of}
    content = Memory(id=name, content=name, kind="consolidated", **known)
    return Match(Hit(id=name, kind="consolidated", version=1, score=9, similarity=similarity), content)


def names(matches: list[Match]) -> list[str]:
    return [each.hit.id for each in matches]


def test_lists_of_two_profiles_are_merged_by_similarity_and_keep_their_order() -> None:
    talk = [turn("a", 0.8), turn("b", 0.3), turn("c", 0.5)]
    notes = [turn("x", 0.6), turn("y", 0.4)]
    assert names(merge([talk, notes])) == ["a", "x", "y", "b", "c"]


def test_a_summary_takes_a_place_that_is_left() -> None:
    turns = [turn("a", 0.8), turn("b", 0.3)]
    assert names(with_summaries(turns, [summary("s", 0.7)], 2)) == ["a", "b"]
    assert names(with_summaries(turns, [summary("s", 0.7)], 3)) == ["a", "b", "s"]
    assert names(with_summaries([], [summary("s", 0.7), summary("r", 0.8)], 1)) == ["s"]


def test_a_summary_leads_where_it_is_most_alike_and_no_hit_is_what_it_was_made_of() -> None:
    turns = [turn("a", 0.8), turn("b", 0.3)]
    assert names(with_summaries(turns, [summary("s", 0.9, "z")], 2)) == ["s", "a"]
    assert names(with_summaries(turns, [summary("s", 0.9, "b")], 2)) == ["a", "b"]
    assert names(with_summaries(turns, [summary("s", 0.8, "z")], 2)) == ["a", "b"]


def match_of(name: str, text: str, whole: float, role: Role = "user", place: int | None = None) -> Match:
    match = turn(name, 0.5)
    content = Turn(id=name, content=text, at=0, recorded_at=0, actor="ann", role=role, session="s", position=place)
    return replace(match, hit=replace(match.hit, whole=whole), content=content)


def worth_of(turn: Turn) -> float | None:
    return {"idle": 0.0, "worthy": 0.9}.get(turn.id)


def test_the_likeliest_answers_take_the_places_of_talk_and_other_hits_keep_theirs() -> None:
    talk = [
        match_of("idle", "what a day", 0.3),
        match_of("said", "we went to see the files", 0.3, role="assistant"),
        match_of("worthy", "the green file stays closed", 0.3),
    ]
    note = turn("note", 0.4)
    assert names(in_likely_order([talk[0], note, talk[1]], talk, "files", worth_of)) == ["worthy", "note", "said"]


def test_talk_of_people_keeps_its_order() -> None:
    talk = [match_of("idle", "what a day", 0.1), match_of("worthy", "the green file stays closed", 0.9)]
    assert names(in_likely_order(talk, talk, "files", worth_of)) == ["idle", "worthy"]


def test_the_first_two_hits_bring_the_turns_that_replaced_them() -> None:
    found = [match_of(name, f"take file {name}", 0.1, role="assistant" if name in "de" else "user") for name in "abcde"]
    later = {f"new {name}": match_of(f"new {name}", "we met", 0.1) for name in "abc"}

    def replacements_of(turn: Turn) -> list[Turn]:
        match = later.get(f"new {turn.id}")
        return [match.content] if match is not None and isinstance(match.content, Turn) else []

    def replaced(*order: str) -> list[str]:
        by_id = {match.hit.id: match for match in found}
        return names(with_replacements([by_id[name] for name in order], [*found, *later.values()], replacements_of))

    assert replaced(*"abcd") == ["a", "new a", "b", "new b"]
    assert replaced(*"dabc") == ["d", "a", "new a", "b"]
    assert replaced(*"dcab") == ["d", "c", "new c", "a"]
    assert replaced(*"deab") == ["d", "e", "a", "b"]


@pytest.mark.parametrize(
    ("question", "whole", "verdict"),
    [
        ("leave what alone?", 0.22, "not_covered"),
        ("leave what alone?", 0.23, "thin"),
        ("may I touch that?", 0.16, "not_covered"),
        ("may I touch that?", 0.2, "thin"),
    ],
)
def test_a_question_that_a_near_statement_may_answer_is_thin(
    app: ProjectApp, builder: MemoryBuilder, question: str, whole: float, verdict: str
) -> None:
    name = builder.turn("never touch the green file", "s")

    class Near:
        def search(self, scope: Scope, request: SearchRequest) -> Answer:
            hit = Hit(id=name, kind="turn", version=1, score=1, similarity=0.1, whole=whole)
            return Answer(hits=(hit,), coverage=Coverage(verdict="not_covered", nearest=0.1))

        def once(self) -> Search:
            return self

    project = open_memory(app.services, app.caller, app.clock)
    search = MemorySearch(project, Near(), app.services, {}, lambda _: 0.0)
    coverage = search.hits(MemoryQuery(text=question, k=5, mode="chunks", narrowing=HitFilters())).coverage
    assert coverage is not None
    assert coverage.verdict == verdict


def test_scores_are_made_to_fall() -> None:
    ordered = with_falling_scores([turn("a", 0.2, 3.0), turn("b", 0.9, 5.0), turn("c", 0.1, 1.0)], by_similarity=False)
    assert [each.hit.score for each in ordered] == [3.0, 3.0, 1.0]
    assert [each.hit.score for each in with_falling_scores([turn("a", 0.2, 3.0)], by_similarity=True)] == [0.2]


def test_modes_choose_among_turns_and_summaries(app: ProjectApp, builder: MemoryBuilder) -> None:
    said = builder.turn("The printer is loud", "s1")
    pinned = builder.memory("The printer is on floor 3")
    whole = builder.memory("The printer is loud and gets replaced", "consolidated", derived_from=(said,))
    reflected = builder.memory("Printers get replaced", "reflection", derived_from=(whole,))
    ids = {
        mode: {hit["id"] for hit in app.do("search_memory", query="printer", mode=mode)["hits"]}
        for mode in ("auto", "chunks", "summaries")
    }
    assert ids == {
        "auto": {said, pinned, whole, reflected},
        "chunks": {said, pinned},
        "summaries": {whole, reflected},
    }
    [hit] = app.do("search_memory", query="loud printer", mode="summaries", k=1)["hits"]
    assert (hit["id"], hit["source"]) == (whole, {"mode": "summaries", "family": "memory"})


def test_filters_hold_for_summaries_too(app: ProjectApp, builder: MemoryBuilder) -> None:
    mine = builder.memory("The printer is loud", "consolidated", session="s1")
    builder.memory("The printer is old", "consolidated", session="s2")
    for mode in ("auto", "summaries"):
        hits = app.do("search_memory", query="printer", mode=mode, session_id="s1")["hits"]
        assert [hit["id"] for hit in hits] == [mine]
    assert app.do("search_memory", query="printer", role="user")["hits"] == []


def test_only_summaries_of_a_session_without_one_say_so(app: ProjectApp, builder: MemoryBuilder) -> None:
    builder.memory("The printer is loud", "consolidated", session="s1")
    because = app.do("search_memory", query="printer", mode="summaries", session_id="s2")["empty_because"]
    assert "session_id" in because
    builder.turn("The scanner is loud", "s1")
    because = app.do("search_memory", query="scanner", mode="summaries", filters={"kind": "turn"})["empty_because"]
    assert "filters.kind" in because


def test_notes_and_journal_are_searched_where_they_are_included(app: ProjectApp, builder: MemoryBuilder) -> None:
    said = builder.turn("The printer is loud")
    note = app.do("notes_create", title="Printer", body="The loud printer is on floor 3", tags=["office"])
    entry = app.do("journal_create", title="A loud day", date="2026-02-18", body="The printer again")
    hits: list[dict[str, Any]] = []
    for _ in range(2):
        assert [hit["id"] for hit in app.do("search_memory", query="loud printer")["hits"]] == [said]
        hits = app.do("search_memory", query="loud printer", include=["notes", "journal"])["hits"]
        assert {hit["id"] for hit in hits} == {said, note["id"], entry["id"]}
        app.follow()
    shown = next(hit for hit in hits if hit["id"] == note["id"])
    assert shown["source"] == {"mode": "notes", "family": "planner"}
    assert (shown["title"], shown["untrusted"], shown["tags"]) == ("Printer", True, ["office"])
    only = app.do("search_memory", query="loud printer", include=["notes"], mode="summaries")["hits"]
    assert [hit["id"] for hit in only] == [note["id"]]
    app.do("notes_delete", noteId=note["id"])
    hits = app.do("search_memory", query="loud printer", include=["notes"])["hits"]
    assert [hit["id"] for hit in hits] == [said]


def test_what_an_installation_does_not_have_is_named(app: ProjectApp, builder: MemoryBuilder) -> None:
    builder.turn("The printer is loud")
    indexing = index_parts(app.index, None)
    left = {kind: source for kind, source in indexing.sources.items() if kind != "skill"}
    app.open_again(indexing=replace(indexing, sources=left))
    answer = app.do("search_memory", query="printer", include=["skills", "notes"])
    assert len(answer["hits"]) == 1
    assert any(note.startswith("skills:") for note in answer["notes"])
    answer = app.do("search_memory", query="printer", mode="skills")
    assert answer["hits"] == []
    assert "skills" in answer["empty_because"]
    assert "auto" in answer["empty_because"]
    assert "include" in app.refusal("search_memory", query="printer", mode="code", include=["notes"])


def test_entities_are_found_as_search_entities_finds_them(app: ProjectApp, builder: MemoryBuilder) -> None:
    said = builder.turn("The bug is in src/auth.py")
    answer = app.do("search_memory", query="auth.py", mode="entities", actor="nobody", since=0, until=1)
    [hit] = answer["hits"]
    assert (hit["kind"], hit["content"], hit["source"]["mode"]) == ("entity", "src/auth.py", "entities")
    assert hit["metadata"]["turn_ids"] == [said]
    assert "mode auto" in app.do("search_memory", query="nothing.py", mode="entities")["empty_because"]
    assert "as_of" in app.refusal("search_memory", query="auth.py", mode="entities", as_of=5)


def test_memories_that_are_found_count_as_recalled_and_turns_do_not(app: ProjectApp, builder: MemoryBuilder) -> None:
    app.do("record_turn", content="The ferry leaves at noon.")
    app.do("search_memory", query="ferry")
    assert app.events("memory_recalled") == []

    pinned = app.do("pin_memory", content="The ferry to the island leaves at noon.")["memory"]["id"]
    app.do("search_memory", query="ferry")
    (told,) = app.events("memory_recalled")
    assert told.payload["ids"] == [pinned]
