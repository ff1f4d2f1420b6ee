"""Test forgetting a memory that superseded others. The answer says what stays hidden, and its next calls work."""

import pytest

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import neighbour, store_memory
from tests.unit.families.knowledge.stored_graph import connect, extract_memory, fact, fact_of, knowledge_of

OLD, NEW = "Deploys happen on Tuesdays.", "Deploys happen on Thursdays."


def forget(app: ProjectApp, memory_id: str, tool: str) -> Json:
    if tool == "forget_memory":
        return app.do(tool, memory_id=memory_id)
    answer = app.do(tool, memoryId=memory_id)
    return {**answer, "still_hidden": answer["stillHidden"]}


def search_ids(app: ProjectApp) -> set[str]:
    return {hit["id"] for hit in app.do("search_memory", query="deploys happen")["hits"]}


@pytest.mark.parametrize("tool", ["forget_memory", "context_delete"])
@pytest.mark.parametrize("layer", [2, 3])
def test_what_it_had_superseded_is_named_and_can_be_restored(app: ProjectApp, tool: str, layer: int) -> None:
    newer, older = store_memory(app, NEW, layer=layer), store_memory(app, OLD, layer=layer)
    connect(app, newer, "supersedes", older)

    answer = forget(app, newer, tool)

    assert answer["still_hidden"] == [older]
    assert "forget_memory with restore=true" in answer["notes"][0]
    assert older in answer["notes"][0]
    assert search_ids(app) == set()
    app.do("forget_memory", memory_id=older, restore=True)
    assert search_ids(app) == {older}


def test_one_that_was_promoted_since_says_so_too(app: ProjectApp) -> None:
    newer, older = store_memory(app, NEW, layer=2), store_memory(app, OLD, layer=2)
    connect(app, newer, "supersedes", older)
    app.do("context_update", memoryId=newer, targetLayer=3)
    assert "still_hidden" not in app.do("forget_memory", memory_id=newer, caller=neighbour(app))
    assert app.do("forget_memory", memory_id=newer)["still_hidden"] == [older]


def test_several_are_counted_and_what_is_not_hidden_by_it_is_left_out(app: ProjectApp) -> None:
    newer = extract_memory(app, NEW)
    older = [extract_memory(app, f"Deploys happen in week {number}.") for number in range(5)]
    for one in older:
        connect(app, newer, "supersedes", one)
    app.do("forget_memory", memory_id=older[0], restore=True)
    app.do("forget_memory", memory_id=older[1])
    answer = app.do("forget_memory", memory_id=newer)
    assert sorted(answer["still_hidden"]) == sorted(older[2:])
    assert app.do("forget_memory", memory_id=newer)["already"]


def test_a_fact_that_it_had_ended_is_named_and_taken_back(app: ProjectApp) -> None:
    memory, knowledge = extract_memory(app, NEW), knowledge_of(app)
    ended = fact(knowledge, "deploys", "Tuesday", "happen_on")
    app.wait(seconds=1)
    connect(app, memory, "supersedes", ended)
    answer = app.do("forget_memory", memory_id=memory)
    assert answer["still_ended"] == [ended]
    assert "remove=true" in answer["notes"][0]
    connect(app, memory, "supersedes", ended, remove=True)
    assert fact_of(knowledge, ended).endings[-1].at is None


def test_nothing_is_said_where_nothing_stays_hidden(app: ProjectApp) -> None:
    answer = app.do("forget_memory", memory_id=extract_memory(app, NEW))
    assert not {"still_hidden", "still_ended", "notes"} & answer.keys()


def test_a_fact_that_is_ended_names_those_that_stay_ended(app: ProjectApp) -> None:
    first = app.do("record_fact", subject="Ann", predicate="lives_in", object="Oslo", valid_from="2020-01-01")
    second = app.do("record_fact", subject="Ann", predicate="lives_in", object="Rome", valid_from="2022-01-01")
    older, newer = (each["fact"]["fact_id"] for each in (first, second))
    ended = app.do("invalidate_fact", fact_id=newer)
    assert (ended["stays_ended"], ended["holds_again"]) == ([older], [])
    app.do("invalidate_fact", fact_id=newer, undo=True)
    never = app.do("invalidate_fact", fact_id=newer, at="2022-01-01")
    assert (never["stays_ended"], never["holds_again"]) == ([], [older])
