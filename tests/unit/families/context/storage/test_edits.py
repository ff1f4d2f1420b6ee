"""context_update of a memory in its layer."""

from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.storage.edits import Edit, edit
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.records import Memory
from almanac.families.memory.memories.digests import digest_of_memory
from almanac.families.memory.memories.records import DIGESTS
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import (
    caller_without_sharing,
    context_of,
    read,
    rows_of,
    search_kinds,
    store_memory,
)
from tests.unit.families.memory.memory_builder import MemoryBuilder


def update(app: ProjectApp, memory_id: str, **changes: Any) -> dict[str, Any]:
    return app.do("context_update", memoryId=memory_id, **changes)


def row_of(app: ProjectApp, memory_id: str) -> Memory:
    return next(row for row in rows_of(app) if row.id == memory_id)


def test_the_example_of_the_contract_changes_text_and_tags(app: ProjectApp):
    memory_id = store_memory(app, metadata={"tags": ["validation", "zod"], "confidence": 0.95})
    app.wait(hours=1)

    result = update(app, memory_id, content="Use Zod for all API validation.", tags=["validation", "zod", "api"])

    shown = result["memory"]
    assert (result["success"], result["layer"], result["memoryId"]) == (True, 2, memory_id)
    assert "newLayer" not in result
    assert (shown["content"], shown["tags"]) == ("Use Zod for all API validation.", ["validation", "zod", "api"])
    assert shown["metadata"]["tags"] == ["validation", "zod", "api"]
    assert (shown["createdAt"], shown["updatedAt"]) == (app.now - 3_600_000, app.now)
    assert read(app, memory_id)["memory"] == shown
    assert [step.what for step in row_of(app, memory_id).history] == ["recorded", "rewritten"]


def test_metadata_are_merged_and_what_they_say_is_taken_over(app: ProjectApp):
    memory_id = store_memory(app, metadata={"tags": ["a"], "title": "One", "x": {"y": 1}, "projectPath": "/home/ann"})

    given = {"tags": ["b"], "weight": 5, "x": {"z": 2}, "projectPath": "/home/ben/", "more": None}
    shown = update(app, memory_id, metadata=given)["memory"]

    assert shown["metadata"] == {
        **given,
        "title": "One",
        "confidence": 0.8,
        "source": "ai_inferred",
        "cliType": "generic",
    }
    row = row_of(app, memory_id)
    assert (row.tags, row.weight, row.place) == (("b",), 5, "/home/ben")
    assert [step.what for step in row.history] == ["recorded", "edited"]


def test_weight_and_tags_say_the_same_as_metadata(app: ProjectApp):
    memory_id = store_memory(app)

    shown = update(app, memory_id, weight=4.5, tags=["x"], metadata={"weight": 2, "tags": ["y"]})["memory"]

    assert (shown["weight"], shown["tags"]) == (4.5, ["x"])
    assert (shown["metadata"]["weight"], shown["metadata"]["tags"]) == (4.5, ["x"])


def test_metadata_of_other_tools_stay_as_they_are(app: ProjectApp):
    pinned = app.do("pin_memory", content="Deploys on Tuesdays", metadata={"source": "wiki", "weight": "heavy"})
    memory_id = pinned["memory"]["id"]

    shown = update(app, memory_id, tags=["deploy"], weight=2)["memory"]

    assert (shown["type"], shown["tags"], shown["weight"]) == ("observation", ["deploy"], 2)
    assert shown["metadata"] == {"source": "wiki", "weight": "heavy"}


def test_what_is_pinned_stays_and_what_is_unpinned_begins_to_fade_now(app: ProjectApp):
    memory_id = store_memory(app, "Zebra")
    app.follow()
    assert update(app, memory_id, pinned=True)["memory"]["pinned"]
    assert row_of(app, memory_id).kind == "pinned"
    assert search_kinds(app, "zebra") == {memory_id: "pinned"}
    app.follow()
    assert search_kinds(app, "zebra") == {memory_id: "pinned"}
    assert [each.payload["kind"] for each in app.events(MEMORY_PINNED)] == ["semantic", "pinned"]
    app.wait(days=60)

    assert not update(app, memory_id, pinned=False)["memory"]["pinned"]

    row = row_of(app, memory_id)
    assert (row.kind, row.used_at) == ("semantic", app.now)
    assert search_kinds(app, "zebra") == {memory_id: "semantic"}
    app.follow()
    assert search_kinds(app, "zebra") == {memory_id: "semantic"}
    assert [each.payload["kind"] for each in app.events(MEMORY_PINNED)] == ["semantic", "pinned"]


def test_that_it_was_pinned_is_told_once(app: ProjectApp):
    memory_id = store_memory(app, pinned=True)

    update(app, memory_id, content="Other words", pinned=True)

    assert len(app.events(MEMORY_PINNED)) == 1


def test_long_texts_are_found_under_their_new_kind_too(app: ProjectApp):
    text = "zebra " * 500
    memory_id = store_memory(app, text)
    update(app, memory_id, pinned=True)

    assert search_kinds(app, "zebra") == {memory_id: "pinned"}
    app.follow()
    assert search_kinds(app, "zebra") == {memory_id: "pinned"}


def test_search_finds_what_it_says_now(app: ProjectApp):
    memory_id = store_memory(app, "Zebra")
    app.follow()

    update(app, memory_id, content="Giraffe")

    for _ in range(2):
        assert memory_id not in search_kinds(app, "zebra")
        assert memory_id in search_kinds(app, "giraffe")
        app.follow()


def test_the_same_again_writes_nothing(app: ProjectApp):
    memory_id = store_memory(app, "Same", metadata={"tags": ["a"]}, pinned=True)
    before = row_of(app, memory_id)
    app.wait(hours=1)

    result = update(app, memory_id, content="Same", tags=["a"], weight=3, pinned=True, metadata={"confidence": 0.8})

    assert row_of(app, memory_id) == before
    assert result["memory"]["updatedAt"] == before.at


def test_secrets_in_a_new_text_are_taken_out(app: ProjectApp):
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    memory_id = store_memory(app)

    metadata = {"note": token, "projectPath": f"/home/{token}"}
    shown = update(app, memory_id, content=f"Token {token}", metadata=metadata, tags=[token])["memory"]

    assert shown["redacted"]
    assert token not in str([shown, *rows_of(app)])
    assert [each["item_id"] for each in app.do("list_redactions")["redactions"]] == [memory_id]
    again = update(app, memory_id, weight=5)["memory"]
    assert again["content"] == shown["content"]
    assert len(app.do("list_redactions")["redactions"]) == 1


def test_no_digest_leads_to_what_says_something_else_now(app: ProjectApp):
    memory_id = store_memory(app, "One")

    update(app, memory_id, content="Two")

    (left,) = context_of(app).memory.rows(DIGESTS).every()
    assert (left.digest, left.memory) == (digest_of_memory(row_of(app, memory_id)), memory_id)


def test_what_was_said_before_may_be_stored_again_and_what_is_said_now_is_known(app: ProjectApp):
    memory_id = store_memory(app, "One")
    update(app, memory_id, content="Two")

    assert store_memory(app, "Two") == memory_id
    assert store_memory(app, "One") != memory_id
    digests = {row.digest: row.memory for row in context_of(app).memory.rows(DIGESTS).every()}
    assert digests == {digest_of_memory(row): row.id for row in rows_of(app)}


def test_what_comes_to_say_the_same_as_another_leaves_that_one_known(app: ProjectApp):
    first, second = store_memory(app, "One"), store_memory(app, "Two")

    update(app, second, content="One")

    assert store_memory(app, "One") == first
    app.do("context_delete", memoryId=second)
    assert store_memory(app, "One") == first


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "There is nothing to change. Give content"),
        ({"content": "é" * 8193}, "over 16384"),
        ({"content": "\u200b"}, "content is blank"),
        ({"content": "\ud800"}, "incomplete surrogate pair"),
        ({"tags": ["\ud800"]}, "incomplete surrogate pair"),
        ({"metadata": {"a": "\ud800"}}, "incomplete surrogate pair"),
        ({"weight": 0}, '"weight" must be from 1 to 5'),
        ({"metadata": {"weight": 6}}, '"metadata.weight" must be from 1 to 5'),
        ({"metadata": {"x": "y" * 16_300}}, "metadata has"),
        ({"metadata": {"projectPath": "../x"}}, "leaves its own folder"),
        ({"targetLayer": 1}, "is in layer 2 already: targetLayer can only raise a memory"),
        ({"targetLayer": 4}, '"targetLayer" must be one of'),
        ({"projectPath": "../x", "weight": 5}, "leaves its own folder"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_changes(app: ProjectApp, changes: dict[str, Any], said: str):
    memory_id = store_memory(app)
    before = rows_of(app)

    assert said in app.refusal("context_update", memoryId=memory_id, **changes)
    assert rows_of(app) == before


def test_a_working_memory_is_not_changed(app: ProjectApp):
    memory_id = store_memory(app, "Now", "scratchpad")

    refused: list[dict[str, Any]] = [{"content": "Then"}, {"tags": ["a"]}, {"pinned": True}, {"targetLayer": 1}]
    for changes in refused:
        refusal = app.refusal("context_update", memoryId=memory_id, **changes)
        assert (
            "cannot be updated. Store a new one with context_store, or promote this one: give targetLayer=2" in refusal
        )


def test_what_was_superseded_leads_to_what_holds_now(app: ProjectApp):
    old, new = store_memory(app, "One"), store_memory(app, "Two")
    app.do("create_edge", src_id=new, dst_id=old, kind="supersedes")

    assert read(app, old)["supersededBy"] == new
    assert f"{old} was replaced by {new}" in app.refusal("context_update", memoryId=old, weight=5)


def test_what_nobody_may_see_is_not_found(app: ProjectApp):
    forgotten, turn = store_memory(app), MemoryBuilder(app).turn("Hello")
    summary = MemoryBuilder(app).memory("What was said", "consolidated")
    app.do("context_delete", memoryId=forgotten)
    shared = store_memory(app, "Name hooks useX.", "convention")

    for memory_id in (forgotten, turn, summary, "nope", "é"):
        for tool in ("context_get", "context_update", "context_delete"):
            arguments: dict[str, Any] = {"weight": 5} if tool == "context_update" else {}
            assert "No memory has the id" in app.refusal(tool, memoryId=memory_id, **arguments)
    refusal = app.refusal("context_update", caller=caller_without_sharing(app), memoryId=shared, weight=5)
    assert "No memory has the id" in refusal


def test_who_was_outrun_changes_what_the_other_left(app: ProjectApp):
    memory_id = store_memory(app)
    left = [lambda: update(app, memory_id, tags=["theirs"])]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    context = context_of(app)
    outrun = altered(context, memory=altered(context.memory, store=ObservedStore(app.store, observe)))
    edit(outrun, memory_id, Edit(content="Ours"))

    row = row_of(app, memory_id)
    assert (row.content, row.tags, row.version) == ("Ours", ("theirs",), 3)
