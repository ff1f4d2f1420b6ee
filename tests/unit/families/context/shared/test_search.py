"""Test search_memory and synthesize over a tenant's shared memory and over working memories."""

from typing import Any

import pytest

from almanac.families.memory.core.records import MEMORIES
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.projects import Projects
from tests.unit.families.memory.memory_builder import MemoryBuilder

RULE = "Every service of the company logs in UTC."
QUESTION = "In which zone do services log?"


def search_ids(app: ProjectApp, query: str = QUESTION, **arguments: Any) -> list[str]:
    return [hit["id"] for hit in app.do("search_memory", query=query, **arguments)["hits"]]


def test_what_one_project_shares_the_other_finds_and_is_told_so(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    (hit,) = app.do("search_memory", query=QUESTION, caller=projects.api)["hits"]
    assert (hit["id"], hit["shared"], hit["kind"]) == (shared, True, "semantic")


@pytest.mark.parametrize("who", ["ledger", "foreign"])
def test_nobody_else_finds_it(app: ProjectApp, projects: Projects, who: str) -> None:
    projects.share(RULE)
    answer = app.do("search_memory", query=QUESTION, caller=getattr(projects, who))
    assert answer["hits"] == []
    assert "Nothing has been recorded" in answer["empty_because"]


def test_it_is_found_from_the_index_as_well_as_right_after_it_was_written(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    app.follow()
    assert search_ids(app) == [shared]


def test_the_most_alike_comes_first_wherever_it_is(app: ProjectApp, projects: Projects) -> None:
    near, far = "The deploy key of the shop is kept in the vault.", "Keys of the piano are cleaned in May."
    one, other = projects.share(near), projects.keep(far)
    assert search_ids(app, "Where is the deploy key of the shop?")[0] == one
    app.do("forget_memory", memory_id=one)
    app.do("forget_memory", memory_id=other)
    here, there = projects.keep(near + " Always."), projects.share(far + " Always.")
    assert search_ids(app, "Where is the deploy key of the shop?")[0] == here
    assert there not in search_ids(app, "Where is the deploy key of the shop?")[:1]


def test_scores_of_an_answer_never_rise(app: ProjectApp, projects: Projects) -> None:
    for number in range(4):
        projects.share(f"The log of service {number} rotates daily.")
        projects.keep(f"The log of host {number} rotates weekly.")
    hits = app.do("search_memory", query="How often does a log rotate?")["hits"]
    scores = [hit["score"] for hit in hits]
    assert len(hits) == 8
    assert scores == sorted(scores, reverse=True)
    assert {hit.get("shared", False) for hit in hits} == {True, False}


def test_filters_hold_there_too(app: ProjectApp, projects: Projects) -> None:
    tagged = projects.share(RULE, tags=("ops",), metadata={"team": "platform"})
    other = projects.share("Services log in JSON, in the zone UTC.", kind="pinned", caller=projects.api)
    assert search_ids(app, filters={"tags": ["ops"]}) == [tagged]
    assert search_ids(app, filters={"team": "platform"}) == [tagged]
    assert search_ids(app, filters={"kind": "pinned"}) == [other]
    assert search_ids(app, actor="bob") == [other]
    assert search_ids(app, role="user") == []
    assert search_ids(app, filters={"kind": "turn"}) == []


def test_times_hold_there_too(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    then = app.now + 1
    app.wait(days=2)
    projects.share("Services of the bank log in UTC too.")
    assert search_ids(app, until=then) == [shared]
    assert shared not in search_ids(app, since="yesterday")
    assert search_ids(app, as_of=then) == [shared]


def test_a_mode_without_memories_has_none_that_are_shared(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    assert search_ids(app, mode="summaries") == []
    assert search_ids(app, mode="chunks") == [shared]


def test_a_threshold_names_the_nearest_miss_of_both(app: ProjectApp, projects: Projects) -> None:
    projects.share(RULE)
    projects.keep("The cat sleeps on the printer.")
    answer = app.do("search_memory", query=QUESTION, threshold=1.0)
    (best,) = app.do("search_memory", query=QUESTION, k=1)["hits"]
    assert best["shared"]
    assert f"similarity of {best['similarity']:.2f}" in answer["empty_because"]


def test_how_far_it_reaches_is_of_both(app: ProjectApp, projects: Projects) -> None:
    asked = "Does every service of the company log in UTC?"
    app.do("record_turn", content="The cat sleeps on the printer.")
    assert app.do("search_memory", query=asked)["coverage"]["verdict"] == "not_covered"
    projects.share(RULE)
    assert app.do("search_memory", query=asked)["coverage"]["verdict"] == "covered"


def test_a_recalled_one_counts_a_use_where_it_is(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    app.do("search_memory", query=QUESTION, caller=projects.api)
    app.react()
    assert projects.record(shared).uses == 1


def test_as_long_as_nothing_is_shared_search_asks_for_nothing_more(app: ProjectApp, projects: Projects) -> None:
    app.do("record_turn", content="Services log in UTC.")
    alone = len(projects.own().searched_projects)
    projects.share(RULE)
    assert (alone, len(projects.own().searched_projects)) == (1, 2)
    assert len(projects.own(projects.ledger).searched_projects) == 1


def test_a_working_memory_is_found_while_it_lives(app: ProjectApp, projects: Projects) -> None:
    working = projects.keep("I am refactoring the parser of dates.", "working", ttl_ms=3_600_000)
    kept = projects.keep("The parser of dates was rewritten in May.")
    asked = "What about the parser of dates?"
    assert set(search_ids(app, asked)) == {working, kept}
    assert search_ids(app, asked, filters={"kind": "working"}) == [working]
    assert search_ids(app, asked, mode="summaries") == []
    app.wait(hours=2)
    assert search_ids(app, asked) == [kept]
    app.run_jobs()
    assert projects.own().rows(MEMORIES).get(working) is None


def test_a_working_memory_of_one_project_is_none_of_another(app: ProjectApp, projects: Projects) -> None:
    projects.keep("I am refactoring the parser of dates.", "working", ttl_ms=3_600_000)
    assert search_ids(app, "the parser of dates", caller=projects.api) == []


def test_an_answer_cites_what_is_shared(app: ProjectApp, projects: Projects) -> None:
    shared = projects.share(RULE)
    own = MemoryBuilder(app).turn("The web service logs to a file.")
    answer = app.do("synthesize", query=QUESTION)
    assert shared in answer["cited_memory_ids"]
    assert app.do("synthesize", query=QUESTION, mode="summaries")["cited_memory_ids"] == []
    assert own not in answer["cited_memory_ids"] or len(answer["cited_memory_ids"]) == 2


@pytest.mark.parametrize("who", ["ledger", "foreign"])
def test_nobody_else_has_it_cited(app: ProjectApp, projects: Projects, who: str) -> None:
    projects.share(RULE)
    answer: Json = app.do("synthesize", query=QUESTION, caller=getattr(projects, who))
    assert answer["cited_memory_ids"] == []
    assert "UTC" not in answer["answer"]
