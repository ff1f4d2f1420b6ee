"""Test recall across projects, tenants, restarts and other families' tools."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from almanac.composition.search import index_parts
from almanac.families.context.recall.layer_search import recall
from almanac.families.context.recall.recall_query import RecallFilter, read_recall_query
from almanac.kernel.caller import Scope
from almanac.search.questions.port import Answer, Search, SearchRequest
from almanac.search.sqlite.index import SqliteIndex
from tests.project_app import ProjectApp
from tests.unit.families.context.recall.recalled import recall_ids
from tests.unit.families.context.storage.store_app import caller_without_sharing, context_of, neighbour, store_memory


class Meanwhile:
    """A search after whose first answer something happens."""

    def __init__(self, search: Search, happens: Callable[[], object]) -> None:
        self._search = search
        self._left = [happens]

    def search(self, scope: Scope, request: SearchRequest) -> Answer:
        answer = self._search.search(scope, request)
        while self._left:
            self._left.pop()()
        return answer

    def once(self) -> Search:
        return self


def test_projects_of_a_tenant_recall_the_same_third_layer_and_only_their_own_second(app: ProjectApp):
    shared = store_memory(app, "Deploy scripts print what they do", type="convention")
    mine = store_memory(app, "Deploy by hand")
    theirs = store_memory(app, "Deploy at noon", caller=neighbour(app))

    assert set(recall_ids(app, "deploy")) == {shared, mine}
    assert set(recall_ids(app, "deploy", caller=neighbour(app))) == {shared, theirs}


def test_another_tenant_recalls_nothing_of_it(app: ProjectApp):
    store_memory(app, "Deploy scripts print what they do", type="convention")
    store_memory(app, "Deploy by hand")
    stranger = replace(app.caller, scope=Scope("globex", "web"))

    result = app.do("context_recall", caller=stranger, query="deploy", threshold=0)

    assert result["results"] == []
    assert "Nothing is stored" in result["emptyBecause"]


def test_what_a_closed_project_stores_stays_in_it(app: ProjectApp):
    inside = caller_without_sharing(app)
    store_memory(app, "Deploy by hand", caller=inside)

    assert len(recall_ids(app, "deploy", caller=inside)) == 1
    assert recall_ids(app, "deploy", caller=neighbour(app)) == []


def test_what_was_forgotten_between_the_search_and_the_reading_is_not_recalled(app: ProjectApp):
    gone = store_memory(app, "Deploy by hand")
    kept = store_memory(app, "Deploy by pipeline")
    app.follow()
    search = Meanwhile(app.services.get(Search), lambda: app.do("context_delete", memoryId=gone))
    asked = read_recall_query(
        context_of(app), "deploy", mode="hybrid", limit=1, threshold=0, session=None, narrowed=RecallFilter()
    )

    result = recall(context_of(app), search, asked)

    assert [each.memory.id for each in result.results] == [kept]
    assert result.total == 1


def test_an_index_that_is_behind_shows_nobody_what_was_forgotten_or_has_lapsed(app: ProjectApp):
    noted = store_memory(app, "Rewriting the deploy script", type="scratchpad", ttl=60)
    stays = store_memory(app, "The deploy script needs approval")
    app.follow()
    assert set(recall_ids(app, "deploy script")) == {noted, stays}
    app.wait(seconds=61)
    # The job that deletes lapsed ones has not run, and the index still has it.
    assert recall_ids(app, "deploy script") == [stays]


def test_a_memory_that_was_edited_or_moved_is_recalled_as_it_is_now(app: ProjectApp):
    memory = store_memory(app, "Deploy by hand", metadata={"tags": ["old"]})
    app.follow()
    app.do("context_update", memoryId=memory, content="Deploy by pipeline", tags=["new"])
    assert recall_ids(app, "pipeline", filter={"tags": ["new"]}) == [memory]
    assert recall_ids(app, "pipeline", filter={"tags": ["old"]}) == []
    moved = app.do("context_update", memoryId=memory, targetLayer=3)["memoryId"]
    result = app.do("context_recall", query="pipeline", threshold=0)["results"]
    assert [(each["memory"]["id"], each["layer"]) for each in result] == [(moved, 3)]


def test_what_just_was_stored_is_recalled_by_the_next_call_and_after_a_restart(tmp_path: Path):
    app = ProjectApp(tmp_path)
    one = store_memory(app, "Deploy by hand")
    shared = store_memory(app, "Deploy scripts print what they do", type="convention")
    assert set(recall_ids(app, "deploy")) == {one, shared}
    app.follow()

    again = ProjectApp(tmp_path)
    indexing = index_parts(app.index, None)
    again.open_again(indexing=indexing)
    assert set(recall_ids(again, "deploy")) == {one, shared}


def test_the_index_of_a_laptop_narrows_in_the_same_way(tmp_path: Path):
    app = ProjectApp(tmp_path)
    indexing = index_parts(SqliteIndex(tmp_path / "index"), None)
    app.open_again(indexing=indexing)
    choice = store_memory(app, "Deploy by hand", metadata={"tags": ["a"], "projectPath": "/home/app"})
    pinned = app.do("pin_memory", content="Deploys happen on Fridays")["memory"]["id"]
    shared = store_memory(app, "Deploys of all projects are announced", type="convention", metadata={"tags": ["b"]})
    for _ in range(2):
        assert set(recall_ids(app, "deploy")) == {choice, pinned, shared}
        assert recall_ids(app, "deploy", filter={"types": ["observation"]}) == [pinned]
        assert set(recall_ids(app, "deploy", filter={"tags": ["a", "b"]})) == {choice, shared}
        assert recall_ids(app, "deploy", filter={"projectPath": "/home"}) == [choice]
        app.follow()
