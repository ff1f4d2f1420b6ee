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
    merge,
    small_talk_last,
    with_falling_scores,
    with_near_statements,
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


PEOPLE = [match_of(name, "never touch the red file", 0.1) for name in "abc"]
FIRST = [*PEOPLE[:2], match_of("c", "never touch the red file", 0.1, role="assistant")]


def test_the_nearest_statements_come_behind_the_first_two() -> None:
    rest = [
        match_of("d", "what a day", 0.1),
        match_of("e", "never touch the grey file", 0.3),
        match_of("asks", "who deploys?", 0.9),
        match_of("thanks", "thanks!", 0.8),
        match_of("tool", "never touch the blue file", 0.7, role="tool"),
        match_of("near", "never touch the green file", 0.6),
    ]
    assert names(with_near_statements([*FIRST, *rest], [*FIRST, *rest])) == [
        *"ab",
        *("near", "e", "c", "d", "asks", "thanks", "tool"),
    ]
    assert names(with_near_statements([*FIRST, rest[0]], [*FIRST, *rest])) == [*"ab", "near", "e"]


def test_a_report_counts_though_its_kind_is_not_clear() -> None:
    """The sentence may be a task or an error, and neither kind alone is likely."""
    report = match_of("near", "the green file took water and has to dry first", 0.6)
    talk = [*FIRST, match_of("d", "what a day", 0.1), report]
    assert names(with_near_statements(talk, talk)) == ["a", "b", "near", "c", "d"]


def test_a_question_a_few_turns_before_makes_a_terse_answer_near() -> None:
    rest = [
        match_of("d", "never touch the blue file", 0.4, place=1),
        match_of("asks", "which file stays as it is?", 0.9, "assistant", place=7),
        match_of("near", "never touch the green one", 0.1, place=9),
        match_of("later", "never touch the red one", 0.1, place=16),
    ]
    joined = with_near_statements([*FIRST, *rest], [*FIRST, *rest])
    assert names(joined) == ["a", "b", "near", "d", "c", "asks", "later"]


def test_what_holds_comes_before_what_is_as_near() -> None:
    rest = [match_of("d", "never touch the blue file", 0.42), match_of("e", "never touch the green file", 0.4)]
    talk = [*FIRST, *rest]
    assert names(with_near_statements(talk, talk)) == [*"ab", "d", "e", "c"]
    assert names(with_near_statements(talk, talk, lambda turn: turn.id == "e")) == [*"ab", "e", "d", "c"]


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("may I open the crate early?", "never open it before the customs man came"),
        ("maximum weight of a crate", "we pack twenty kilos tops"),
        ("how should the crates be labelled?", "always write the year and the port on them, please"),
    ],
)
def test_a_rule_of_the_form_that_the_question_seeks_comes_before_what_is_as_near(question: str, rule: str) -> None:
    talk = [*FIRST, match_of("d", "I decided to take the oak crate to Lisbon", 0.3), match_of("rule", rule, 0.14)]
    assert names(with_near_statements(talk, talk, question="where is the crate?"))[2] == "d"
    assert names(with_near_statements(talk, talk, question=question))[2] == "rule"


def test_nothing_moves_where_no_statement_is_near_or_no_place_is_left() -> None:
    far = [*FIRST, match_of("e", "what?", 0.1), match_of("far", "never touch the green file", 0.14)]
    assert names(with_near_statements(far, far)) == names(far)
    near = match_of("near", "never touch the green file", 0.9)
    assert names(with_near_statements(FIRST[:2], [*FIRST, near])) == [*"ab"]


def test_nothing_moves_in_talk_of_people() -> None:
    talk = [*PEOPLE, match_of("e", "we met", 0.1), match_of("near", "never touch the green file", 0.9)]
    assert names(with_near_statements(talk, talk)) == names(talk)


def test_small_talk_comes_behind_what_tells_something() -> None:
    talk = [
        match_of("ok", "ok thanks", 0.5),
        match_of("a", "the green file stays", 0.4),
        match_of("hm", "damn", 0.3),
        FIRST[2],
    ]
    assert names([*small_talk_last(talk, "what of the file?")]) == ["a", "c", "ok", "hm"]
    assert names([*small_talk_last(talk, "thanks")]) == names(talk)
    assert names([*small_talk_last(talk[:3], "what of the file?")]) == names(talk[:3])


def test_a_longer_turn_that_looks_like_small_talk_keeps_its_place() -> None:
    longer = match_of("long", "thanks, great work, lovely green file, nice grey box", 0.5)
    talk = [longer, match_of("ok", "ok thanks, lovely", 0.5), FIRST[2]]
    assert names([*small_talk_last(talk, "what of the file?")]) == ["long", "c", "ok"]


def test_what_replaced_a_hit_stays_where_a_near_statement_comes() -> None:
    old, new = match_of("old", "take the red file", 0.1), match_of("new", "sorry, the blue box", 0.1)
    found = [
        match_of("d", "never touch the red file", 0.1, role="assistant"),
        *PEOPLE[:2],
        old,
        match_of("e", "we met", 0.1),
    ]
    talk = [*found, match_of("near", "never touch the green file", 0.9), new]

    def replacements_of(turn: Turn) -> list[Turn]:
        return [one for one in (new.content,) if isinstance(one, Turn) and turn.id == "old"]

    joined = with_replacements(found, talk, replacements_of)
    assert names(joined) == ["d", "a", "b", "old", "new"]
    assert names(with_near_statements(joined, talk)) == ["d", "a", "near", "b", "new"]


def test_the_first_hit_stays_where_two_hits_were_replaced() -> None:
    found = [*FIRST, match_of("d", "we met", 0.1), match_of("e", "we left", 0.1)]
    found = [replace(each, replaces=each.hit.id in ("b", "d")) for each in found]
    near = [match_of(f"near {one}", f"never touch the {one} file", 0.9) for one in ("green", "grey", "black")]
    assert names(with_near_statements(found, [*found, *near])) == ["a", "b", *names(near)]


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
