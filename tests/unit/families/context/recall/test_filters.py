"""Test that filters of context_recall apply inside the search, and that an empty answer names the filter to blame."""

from typing import Any

import pytest

from almanac.families.context.storage.store_memory import StoreRequest, store
from almanac.search.questions.port import MAX_LIMIT
from tests.project_app import ProjectApp
from tests.unit.families.context.recall.recalled import cause, recall_ids
from tests.unit.families.context.storage.store_app import caller_without_sharing, context_of, store_memory


def test_any_type_of_a_list_and_any_tag_of_a_list_is_enough(app: ProjectApp):
    fix = store_memory(app, "Deploy fix one", type="bug_fix", metadata={"tags": ["a"]})
    choice = store_memory(app, "Deploy decision two", type="decision", metadata={"tags": ["a", "b"]})
    store_memory(app, "Deploy relationship", type="relationship", metadata={"tags": ["c"]}, layer=2)

    assert set(recall_ids(app, "deploy", filter={"types": ["bug_fix", "decision"]})) == {fix, choice}
    assert set(recall_ids(app, "deploy", filter={"tags": ["a", "zz"]})) == {fix, choice}
    assert recall_ids(app, "deploy", filter={"tags": ["b", "zz"]}) == [choice]
    assert recall_ids(app, "deploy", filter={"types": ["bug_fix"], "tags": ["b"]}) == []


def test_memories_that_other_tools_pinned_are_observations(app: ProjectApp):
    pinned = app.do("pin_memory", content="Deploys happen on Fridays")["memory"]["id"]
    fact = app.do("extract_semantic", content="Deploys need an approval")["memory"]["id"]
    choice = store_memory(app, "Deploy by hand")

    assert set(recall_ids(app, "deploys", filter={"types": ["observation"]})) == {pinned, fact}
    assert set(recall_ids(app, "deploys", filter={"types": ["observation", "decision"]})) == {pinned, fact, choice}
    assert recall_ids(app, "deploys", filter={"types": ["decision"]}) == [choice]
    result = app.do("context_recall", query="deploys", threshold=0, filter={"types": ["observation"]})["results"]
    assert {each["memory"]["type"] for each in result} == {"observation"}


def test_a_path_is_of_a_folder_and_of_what_lies_in_it(app: ProjectApp):
    top = store_memory(app, "Deploy of the app", metadata={"projectPath": "/home/user/app"})
    below = store_memory(app, "Deploy of the api", metadata={"projectPath": "/home/user/app/packages/api"})
    store_memory(app, "Deploy of the other", metadata={"projectPath": "/home/user/application"})
    store_memory(app, "Deploy of nothing in particular")

    assert set(recall_ids(app, "deploy", filter={"projectPath": "/home/user/./app/"})) == {top, below}
    assert recall_ids(app, "deploy", filter={"projectPath": "/home/user/app/packages"}) == [below]
    assert "filter.projectPath" in app.refusal("context_recall", query="deploy", filter={"projectPath": "../x"})


def test_what_a_filter_leaves_out_takes_nobodys_place(app: ProjectApp):
    for number in range(MAX_LIMIT + 20):
        store_memory(app, f"deploy deploy deploy {number}", metadata={"tags": ["loud"]})
    wanted = store_memory(
        app, "A deploy that is told of at some length, with many words around it", metadata={"tags": ["x"]}
    )
    app.follow()

    assert recall_ids(app, "deploy", filter={"tags": ["x"]}) == [wanted]


@pytest.mark.parametrize(
    ("filters", "names"),
    [
        ({"types": ["bug_fix"]}, "filter.types"),
        ({"tags": ["none"]}, "filter.tags"),
        ({"projectPath": "/elsewhere"}, "filter.projectPath"),
        ({"layers": [1]}, "filter.layers"),
        ({"types": ["bug_fix"], "tags": ["none"]}, "filters together"),
    ],
)
def test_an_empty_answer_names_the_filter_that_leaves_nothing(app: ProjectApp, filters: dict[str, Any], names: str):
    store_memory(app, "Deploy by hand", metadata={"tags": ["a"]})

    assert names in cause(app, "deploy", filter=filters)


def test_an_empty_answer_says_where_nothing_is_stored_and_where_nothing_is_alike(app: ProjectApp):
    assert "context_store" in cause(app, "deploy")
    store_memory(app, "Deploy by hand")
    assert "other words" in cause(app, "zebra")
    app.do("record_turn", role="user", content="zebras are striped")
    assert "search_memory" in cause(app, "zebra")


def test_unknown_types_layers_and_filters_are_refused(app: ProjectApp):
    assert "bug_fix" in app.refusal("context_recall", query="a", filter={"types": ["bugfix"]})
    assert app.refusal("context_recall", query="a", filter={"layers": [4]})
    assert app.refusal("context_recall", query="a", filter={"tag": ["a"]})
    assert app.refusal("context_recall", query="a", mode="fuzzy")
    assert app.refusal("context_recall", query="a", threshold=1.1)
    assert app.refusal("context_recall", query="a", limit=101)


def test_working_memories_of_other_sessions_are_left_out_where_a_session_is_named(app: ProjectApp):
    def store_note(session: str | None) -> str:
        content = f"Rewriting the deploy script for {session}"
        return store(context_of(app), StoreRequest(type="scratchpad", content=content, session=session)).memory.id

    mine, yours, nobodys = store_note("mine"), store_note("yours"), store_note(None)
    kept = store_memory(app, "The deploy script needs two approvals")

    assert set(recall_ids(app, "deploy script", sessionId="mine")) == {mine, nobodys, kept}
    assert set(recall_ids(app, "deploy script")) == {mine, yours, nobodys, kept}


def test_a_crowd_of_notes_of_other_sessions_hides_nothing(app: ProjectApp):
    for session in range(3):
        for number in range(60):
            asked = StoreRequest(type="scratchpad", content=f"deploy script {number}", session=f"other {session}")
            store(context_of(app), asked)
    kept = store_memory(app, "What the script of a deploy asks for: two approvals and a change ticket, in writing")

    assert recall_ids(app, "deploy script", sessionId="mine") == [kept]


def test_a_project_that_is_closed_off_neither_finds_nor_names_what_is_shared(app: ProjectApp):
    store_memory(app, "Deploy scripts print what they do", type="convention")
    own = store_memory(app, "Deploy by hand")

    assert recall_ids(app, "deploy", caller=caller_without_sharing(app)) == [own]
    refused = app.refusal("context_recall", caller=caller_without_sharing(app), query="deploy", filter={"layers": [3]})
    assert "--shared-memory on" in refused
    result = app.do(
        "context_recall", caller=caller_without_sharing(app), query="deploy", filter={"layers": [2, 3]}, threshold=0
    )
    assert [each["memory"]["id"] for each in result["results"]] == [own]
    assert any("does not take part" in note for note in result["notes"])
