"""Test facts in memory's tools: in search, in answers, and in changes since the last snapshot."""

from datetime import UTC, datetime
from typing import Any

import pytest

from almanac.families.calendar.accounts.providers import Providers, ProvidersIfAllowed
from almanac.families.memory.search.emptiness import NONE_HOLDS
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.kernel.instants import milliseconds
from almanac.platform.language_model.port import ChosenModel
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.parts import IndexParts
from almanac.search.questions.port import Search
from tests.project_app import ZONE, ProjectApp
from tests.unit.families.knowledge.stored_facts import Facts, app_with_fact_search, facts_in

Json = dict[str, Any]


def day(year: int, month: int = 1, number: int = 1) -> int:
    """The beginning of a day in New York, in winter."""
    return milliseconds(datetime(year, month, number, 5, tzinfo=UTC))


@pytest.fixture
def facts(app: ProjectApp) -> Facts:
    app_with_fact_search(app)
    made = facts_in(app)
    made.state("lives_in", "one")
    return made


def find_facts(app: ProjectApp, query: str, **more: Any) -> list[Json]:
    hits = app.do("search_memory", query=query, include=["facts"], **more)["hits"]
    return [hit for hit in hits if hit["kind"] == "fact"]


def say_move(facts: Facts) -> tuple[str, str]:
    return (
        facts.say("Ann", "lives_in", "Oslo", day(2019)),
        facts.say("Ann", "lives_in", "Lima", day(2024, 3)),
    )


def test_search_shows_what_holds_and_never_what_ended(app: ProjectApp, facts: Facts) -> None:
    _, lima = say_move(facts)
    (hit,) = find_facts(app, "where does Ann live, Lima or Oslo")
    assert hit["id"] == lima
    assert hit["content"] == "Ann lives in Lima, from March 2024 on"
    assert hit["metadata"] == {"valid_from": day(2024, 3), "valid_to": None}
    assert hit["source"] == {"mode": "facts", "family": "knowledge"}
    assert hit["untrusted"]


def test_search_shows_what_held_between_since_and_until(app: ProjectApp, facts: Facts) -> None:
    oslo, lima = say_move(facts)
    assert [hit["id"] for hit in find_facts(app, "Ann lives", since="2020-01-01", until="2021-01-01")] == [oslo]
    assert {hit["id"] for hit in find_facts(app, "Ann lives", since="2020-01-01")} == {oslo, lima}
    assert [hit["id"] for hit in find_facts(app, "Ann lives", until=day(2024, 3))] == [oslo]
    assert [hit["id"] for hit in find_facts(app, "Ann lives", since=day(2024, 3))] == [lima]


def test_search_as_of_an_instant_shows_what_was_known_then(app: ProjectApp, facts: Facts) -> None:
    oslo = facts.say("Ann", "lives_in", "Oslo", day(2019))
    before = app.now
    app.wait(days=1)
    lima = facts.say("Ann", "lives_in", "Lima", day(2024, 3))
    (hit,) = find_facts(app, "Ann lives", as_of=before)
    assert (hit["id"], hit["metadata"]["valid_to"]) == (oslo, None)
    assert [hit["id"] for hit in find_facts(app, "Ann lives", as_of=app.now)] == [lima]


def test_a_search_that_finds_only_what_ended_says_so(app: ProjectApp, facts: Facts) -> None:
    facts.say("Ann", "lives_in", "Oslo", day(2019), day(2020))
    answer = app.do("search_memory", query="Oslo", include=["facts"])
    assert answer["hits"] == []
    assert answer["empty_because"] == NONE_HOLDS


def test_what_holds_is_found_behind_many_that_ended(app: ProjectApp, facts: Facts) -> None:
    facts.state("room", "many")
    for number in range(130):
        facts.say("Ann", "room", f"room {number} Oslo", day(2019), day(2020))
    facts.say("Ann", "room", "a rather long name of something in Oslo", day(2019))
    assert [hit["content"] for hit in find_facts(app, "Ann room Oslo", k=1)] == [
        "Ann room a rather long name of something in Oslo, from January 2019 on"
    ]


def test_an_answer_quotes_a_fact_with_its_span_and_cites_it(app: ProjectApp, facts: Facts) -> None:
    _, lima = say_move(facts)
    answer = app.do("synthesize", query="Where does Ann live?")
    assert answer["cited_memory_ids"] == [lima]
    assert 'it was recorded that: "Ann lives in Lima, from March 2024 on"' in answer["answer"]
    assert "Oslo" not in answer["answer"]


def test_an_answer_about_a_time_is_of_what_held_then(app: ProjectApp, facts: Facts) -> None:
    oslo, lima = say_move(facts)
    answer = app.do("synthesize", query="Where did Ann live in 2021?")
    assert answer["cited_memory_ids"] == [oslo]
    assert "from January 2019 until March 2024" in answer["answer"]
    assert set(app.do("synthesize", query="Where did Ann live in 2024?")["cited_memory_ids"]) == {oslo, lima}
    assert app.do("synthesize", query="Was it Oslo or Lima that Ann lived in 5 years ago?")["cited_memory_ids"] == [
        oslo
    ]


def test_an_answer_shows_facts_that_contradict_each_other_side_by_side(app: ProjectApp, facts: Facts) -> None:
    oslo = facts.say("Ann", "lives_in", "Oslo", day(2019))
    app.wait(minutes=1)
    lima = facts.say("Ann", "lives_in", "Lima", day(2019))
    answer = app.do("synthesize", query="Where does Ann live?")
    (pair,) = answer["contradictions"]
    assert (pair["a"]["memory_id"], pair["b"]["memory_id"]) == (oslo, lima)
    assert "one object at a time" in pair["about"]


def test_facts_of_two_subjects_do_not_disagree(app: ProjectApp, facts: Facts) -> None:
    facts.say("Ann", "lives_in", "Oslo", day(2019))
    facts.say("Bob", "lives_in", "Lima", day(2019))
    answer = app.do("synthesize", query="Where do Ann and Bob live?")
    assert len(answer["cited_memory_ids"]) == 2
    assert answer["contradictions"] == []


def test_a_fact_that_may_only_say_more_is_shown_as_no_contradiction(app: ProjectApp, facts: Facts) -> None:
    facts.say("Ann", "lives_in", "Oslo", day(2019))
    facts.say("Ann", "lives_in", "Oslo, Norway", day(2019))
    assert app.do("synthesize", query="Where does Ann live?")["contradictions"] == []


def test_what_never_held_is_not_shown_at_any_time(app: ProjectApp, facts: Facts) -> None:
    wrong = facts.say("Ann", "lives_in", "Oslo", day(2019))
    app.wait(minutes=1)
    app.do("get_snapshot")
    app.wait(minutes=1)
    facts.end("Ann", wrong, day(2019))
    also = facts.say("Ann", "works_at", "Acme", day(2019))
    facts.end("Ann", also, day(2019))
    assert find_facts(app, "Ann lives in Oslo", until=day(2025)) == []
    assert list_changes(app) == [("fact_ended", wrong)]


def test_summaries_alone_are_made_of_no_facts(app: ProjectApp, facts: Facts) -> None:
    say_move(facts)
    assert app.do("synthesize", query="Where does Ann live?", mode="summaries")["cited_memory_ids"] == []


def list_changes(app: ProjectApp, **more: Any) -> list[tuple[str, str]]:
    return [(one["what"], one["id"]) for one in app.do("get_snapshot", **more).get("changed", ())]


def test_a_first_snapshot_tells_of_no_changes_and_leaves_a_mark(app: ProjectApp, facts: Facts) -> None:
    say_move(facts)
    first = app.do("get_snapshot")
    assert "changed" not in first
    assert "changed_since" not in first
    app.wait(minutes=1)
    assert app.do("get_snapshot")["changed_since"] == app.now - 60_000


def test_a_snapshot_tells_what_changed_since_the_last_one(app: ProjectApp, facts: Facts) -> None:
    oslo = facts.say("Ann", "lives_in", "Oslo", day(2019))
    job = facts.say("Ann", "works_at", "Acme", day(2019))
    pinned = app.do("pin_memory", content="Deploys happen on Tuesdays.")["memory"]["id"]
    app.wait(minutes=1)
    app.do("get_snapshot")
    app.wait(minutes=1)
    lima = facts.say("Ann", "lives_in", "Lima", day(2024, 3))
    app.wait(minutes=1)
    facts.end("Ann", job, day(2025))
    app.wait(minutes=1)
    app.do("forget_memory", memory_id=pinned)
    app.wait(minutes=1)
    new = app.do("pin_memory", content="Deploys happen on Mondays.")["memory"]["id"]
    app.wait(minutes=1)
    answer = app.do("get_snapshot")
    rows = {row["id"]: row for row in answer["changed"]}
    assert {name: row["what"] for name, row in rows.items()} == {
        oslo: "fact_superseded",
        lima: "fact_recorded",
        job: "fact_ended",
        pinned: "memory_forgotten",
        new: "memory_pinned",
    }
    assert rows[oslo]["text"] == "Ann lives in Oslo, from January 2019 until March 2024"
    assert rows[job]["text"] == "Ann works at Acme, from January 2019 until January 2025"
    assert "text" not in rows[pinned]
    assert [row["at"] for row in answer["changed"]] == sorted((row["at"] for row in answer["changed"]), reverse=True)
    app.wait(minutes=1)
    assert list_changes(app) == []


def test_an_end_that_is_taken_back_is_a_change(app: ProjectApp, facts: Facts) -> None:
    job = facts.say("Ann", "works_at", "Acme", day(2019))
    facts.end("Ann", job, day(2025))
    app.wait(minutes=1)
    app.do("get_snapshot")
    app.wait(minutes=1)
    facts.end("Ann", job, None)
    assert list_changes(app) == [("fact_restored", job)]


def test_each_caller_has_a_mark_of_his_own(app: ProjectApp, facts: Facts) -> None:
    bob = Caller(app.caller.scope, actor="bob", key_id="bob", default_timezone=ZONE)
    app.do("get_snapshot")
    app.wait(minutes=1)
    oslo = facts.say("Ann", "lives_in", "Oslo", day(2019))
    assert list_changes(app, caller=bob) == []
    assert list_changes(app) == [("fact_recorded", oslo)]


def test_since_is_taken_at_its_word_and_as_of_moves_no_mark(app: ProjectApp, facts: Facts) -> None:
    moment = app.now
    oslo = facts.say("Ann", "lives_in", "Oslo", day(2019))
    app.wait(minutes=1)
    assert list_changes(app, since=moment) == [("fact_recorded", oslo)]
    marked = app.now
    app.wait(minutes=1)
    assert "changed_since" not in app.do("get_snapshot", as_of=app.now)
    assert app.do("get_snapshot")["changed_since"] == marked
    assert "since does not go with as_of" in app.refusal("get_snapshot", since=moment, as_of=app.now)


def test_many_changes_are_counted_in_the_tokens_and_cut(app: ProjectApp, facts: Facts) -> None:
    app.do("get_snapshot")
    app.wait(minutes=1)
    facts.state("note", "many")
    for number in range(120):
        facts.say("Ann", "note", f"note {number} " + "word " * 30, day(2019))
    answer = app.do("get_snapshot", max_tokens=600)
    assert 0 < len(answer["changed"]) < 50
    assert answer["left_out"]["changed"] == 50 - len(answer["changed"])
    assert "There are more changes." in answer["notes"]
    assert answer["tokens"] <= 600


def test_without_anybody_who_keeps_facts_memory_answers_without_them(app: ProjectApp, facts: Facts) -> None:
    say_move(facts)
    app.do("get_snapshot")
    with_facts = app.services
    without: Services = Services(
        {
            Store: lambda: app.store,
            Clock: lambda: app.clock,
            IndexParts: lambda: with_facts.get(IndexParts),
            Search: lambda: with_facts.get(Search),
            ChosenModel: ChosenModel,
            Providers: Providers,
            ProvidersIfAllowed: Providers,
        }
    )
    app.open_with(without)
    app.wait(minutes=1)
    assert find_facts(app, "Ann lives") == []
    assert app.do("synthesize", query="Where does Ann live?")["cited_memory_ids"] == []
    assert "changed" not in app.do("get_snapshot")


def test_what_a_caller_of_another_project_asks_finds_nothing(app: ProjectApp, facts: Facts) -> None:
    say_move(facts)
    other = Caller(Scope("acme", "other"), actor="ann", key_id="key")
    assert find_facts(app, "Ann lives", caller=other) == []


def test_changes_of_memories_are_pins_that_stay_and_what_was_forgotten_but_turns(app: ProjectApp) -> None:
    turn = app.do("record_turn", content="The build is green.")["turn_id"]
    app.do("get_snapshot")
    app.wait(minutes=1)
    app.do("extract_semantic", content="Ann prefers short answers.")
    brief = app.do("pin_memory", content="Deploys happen on Tuesdays.")["memory"]["id"]
    app.do("forget_memory", memory_id=brief)
    app.do("forget_memory", memory_id=turn)
    assert list_changes(app) == [("memory_forgotten", brief)]


def test_since_alone_shows_nothing_that_is_still_to_come(app: ProjectApp, facts: Facts) -> None:
    facts.say("Ann", "lives_in", "Oslo", day(2030))
    assert find_facts(app, "Ann lives", since="2020-01-01") == []


def test_an_answer_finds_what_holds_behind_many_facts_that_ended(app: ProjectApp, facts: Facts) -> None:
    facts.state("room", "many")
    for number in range(40):
        facts.say("Ann", "room", f"Oslo {number}", day(2019), day(2020))
    last = facts.say("Ann", "room", "the long corridor of Oslo", day(2019))
    assert app.do("synthesize", query="Which Oslo room has Ann?", k=1)["cited_memory_ids"] == [last]
