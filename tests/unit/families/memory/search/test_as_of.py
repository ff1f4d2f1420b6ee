"""Searches and snapshots as of an earlier instant."""

from typing import Any

import pytest
from msgspec.structs import replace

from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.records import CHANGES
from almanac.families.memory.redactions.redactable import REDACTABLE
from almanac.platform.redactions.scan import scan
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.projects import Projects
from tests.unit.families.context.storage.store_app import neighbour, store_memory
from tests.unit.families.memory.memory_builder import MemoryBuilder

FIRST, SECOND, THIRD = "Deploys happen on Tuesdays.", "Deploys wait for Thursdays.", "Releases are cut by robots."


@pytest.fixture
def projects(app: ProjectApp) -> Projects:
    return Projects(app)


def later(app: ProjectApp) -> int:
    """Return the present instant, ten minutes from now and ten minutes before the clock's new time."""
    app.wait(minutes=10)
    then = app.now
    app.wait(minutes=10)
    return then


def search(app: ProjectApp, as_of: int | None, query: str = "When do deploys happen?", **more: Any) -> Json:
    return app.do("search_memory", query=query, **({} if as_of is None else {"as_of": as_of}), **more)


def texts(app: ProjectApp, as_of: int | None, query: str = "When do deploys happen?", **more: Any) -> dict[str, str]:
    return {hit["id"]: hit["content"] for hit in search(app, as_of, query, **more)["hits"]}


def rewrite(app: ProjectApp, memory_id: str, content: str, **more: Any) -> None:
    app.do("context_update", memoryId=memory_id, content=content, **more)


@pytest.mark.parametrize("follows", [False, True], ids=["fresh", "from the index"])
def test_a_memory_says_what_it_said_then(app: ProjectApp, follows: bool) -> None:
    memory = store_memory(app, FIRST, layer=2)
    one = later(app)
    rewrite(app, memory, SECOND)
    other = later(app)
    rewrite(app, memory, THIRD)
    last = later(app)
    if follows:
        app.follow()

    assert texts(app, one) == {memory: FIRST}
    assert texts(app, other) == {memory: SECOND}
    assert texts(app, last, "Who cuts releases?") == {memory: THIRD}
    assert texts(app, one, "Who cuts releases by robots?", threshold=0.5) == {}
    assert search(app, one)["coverage"]["verdict"] == "covered"
    assert search(app, one, "Which robots cut releases?")["coverage"]["verdict"] != "covered"
    assert texts(app, app.now - 3_600_000 * 24) == {}


def test_tags_metadata_and_pins_are_those_of_then(app: ProjectApp) -> None:
    memory = store_memory(app, FIRST, layer=2, metadata={"tags": ["ops"], "team": "web"})
    then = later(app)
    app.do("context_update", memoryId=memory, tags=["dev"], metadata={"team": "api"}, pinned=True)
    (hit,) = search(app, then)["hits"]
    assert (hit["tags"], hit["metadata"]["team"], hit["kind"]) == (["ops"], "web", "semantic")
    assert texts(app, then, filters={"team": "web"}) == {memory: FIRST}
    assert texts(app, then, filters={"team": "api"}) == {}
    assert texts(app, None, filters={"kind": "pinned"}) == {memory: FIRST}
    assert texts(app, then, filters={"kind": "pinned"}) == {}


@pytest.mark.parametrize("follows", [False, True], ids=["fresh", "from the index"])
def test_one_that_was_superseded_later_is_there_and_what_superseded_it_is_not(app: ProjectApp, follows: bool) -> None:
    older = store_memory(app, FIRST, layer=2)
    then = later(app)
    newer = store_memory(app, SECOND, layer=2)
    between = later(app)
    app.do("create_edge", src_id=newer, dst_id=older, kind="supersedes")
    after = later(app)
    if follows:
        app.follow()
    assert texts(app, then) == {older: FIRST}
    assert search(app, then)["coverage"]["verdict"] == "covered"
    assert texts(app, between) == {older: FIRST, newer: SECOND}
    assert texts(app, after) == texts(app, None) == {newer: SECOND}
    app.do("forget_memory", memory_id=older, restore=True)
    assert texts(app, after) == {newer: SECOND}
    assert texts(app, None) == {older: FIRST, newer: SECOND}


def test_one_that_was_superseded_before_changes_were_noted_is_there_too(app: ProjectApp) -> None:
    older = store_memory(app, FIRST, layer=2)
    then = later(app)
    newer = store_memory(app, SECOND, layer=2)
    app.do("create_edge", src_id=newer, dst_id=older, kind="supersedes")
    rows = CHANGES.within(app.store, app.caller.scope)
    app.store.write([rows.delete(each.until, each.memory) for each in rows.every()])
    assert texts(app, then) == {older: FIRST}
    assert texts(app, app.now) == {newer: SECOND}


def test_what_was_forgotten_later_is_gone_from_then_and_what_was_restored_is_hidden_only_in_between(
    app: ProjectApp,
) -> None:
    memory = store_memory(app, FIRST, layer=2)
    turn = MemoryBuilder(app).turn("Deploys happen on Mondays, says Ann.")
    then = later(app)
    rewrite(app, memory, SECOND)
    for one in (memory, turn):
        app.do("forget_memory", memory_id=one)
    between = later(app)
    assert texts(app, then) == {}
    assert search(app, then).get("coverage", {}).get("verdict") != "covered"
    for one in (memory, turn):
        app.do("forget_memory", memory_id=one, restore=True)
    assert texts(app, between) == {}
    assert set(texts(app, then)) == {memory, turn}
    assert texts(app, then)[memory] == FIRST


def test_a_promoted_memory_was_known_where_it_was(app: ProjectApp) -> None:
    memory = store_memory(app, FIRST, layer=2)
    then = later(app)
    rewrite(app, memory, SECOND, targetLayer=3)
    after = later(app)
    api = neighbour(app)
    assert texts(app, then) == {memory: FIRST}
    assert texts(app, then, caller=api) == {}
    assert texts(app, after) == texts(app, after, caller=api) == {memory: SECOND}
    rewrite(app, memory, THIRD)
    assert texts(app, after, caller=api) == {memory: SECOND}
    app.do("forget_memory", memory_id=memory, caller=api)
    assert texts(app, then) == texts(app, after) == {}


def test_only_what_is_kept_is_told_and_the_answer_says_what_is_left_out(app: ProjectApp, projects: Projects) -> None:
    memory = store_memory(app, "Deploys happen, version 0.", layer=2)
    first = later(app)
    for number in range(1, 13):
        rewrite(app, memory, f"Deploys happen, version {number}.")
        app.wait(minutes=1)
    answer = search(app, first)
    assert answer["hits"] == []
    assert memory in str(answer["notes"])
    assert answer["coverage"]["verdict"] != "covered"
    assert texts(app, app.now - 60_000 * 5) == {memory: "Deploys happen, version 8."}
    kept = projects.record(memory, projects.own()).earlier
    assert len(kept) == 10
    assert [one.until for one in kept[:-1]] == [one.since for one in kept[1:]]
    for letter in "xyz":
        rewrite(app, memory, letter * 16_000)
        app.wait(minutes=1)
    assert len(projects.record(memory, projects.own()).earlier) == 3


def test_a_snapshot_is_of_then(app: ProjectApp) -> None:
    memory = store_memory(app, FIRST, layer=2, pinned=True)
    older = app.do("pin_memory", content="Ask Ben before you deploy.")["memory"]["id"]
    gone = app.do("pin_memory", content="The staging host is called Bert.")["memory"]["id"]
    then = later(app)
    rewrite(app, memory, SECOND, pinned=False)
    newer = app.do("pin_memory", content="Ask Cid before you deploy.")["memory"]["id"]
    app.do("create_edge", src_id=newer, dst_id=older, kind="supersedes")
    app.do("forget_memory", memory_id=gone)
    app.do("context_update", memoryId=newer, targetLayer=3)

    shown = app.do("get_snapshot", as_of=then)

    assert {one["id"]: one["content"] for one in shown["pinned"]} == {
        memory: FIRST,
        older: "Ask Ben before you deploy.",
    }
    assert "semantic" not in shown
    now = app.do("get_snapshot")
    assert [one["id"] for one in now["pinned"]] == [newer]


def test_secrets_that_are_found_later_leave_earlier_texts_too(app: ProjectApp, projects: Projects) -> None:
    secret = "AKIAZ7Q3MNPLX4RW2TUV"
    memory = store_memory(app, FIRST, layer=2)
    then = later(app)
    rewrite(app, memory, SECOND)
    rows, record = projects.own().rows(MEMORIES), projects.record(memory, projects.own())
    former = replace(record.earlier[0], content=f"Deploys happen with {secret}.", metadata={"k": [secret]})
    app.store.write([rows.put(replace(record, earlier=(former,)))])
    scan(app.services, app.caller, REDACTABLE, rewrite=True)
    kept = projects.record(memory, projects.own())
    assert secret not in str(kept)
    assert "Deploys happen with" in texts(app, then)[memory]


def test_what_was_summarised_later_is_there_by_itself(app: ProjectApp) -> None:
    memories = {store_memory(app, text, layer=2): text for text in (FIRST, SECOND)}
    app.wait(days=40)
    then = later(app)
    done = app.do("context_summarize", options={"targetTokens": 500})
    assert done["summarizedCount"] == 2
    app.react()
    after = later(app)
    assert texts(app, then) == memories
    assert list(texts(app, after)) == [done["summaryId"]]
    app.do("context_delete", memoryId=done["summaryId"])
    app.react()
    assert texts(app, then) == texts(app, None) == memories
    assert texts(app, after) == {}
