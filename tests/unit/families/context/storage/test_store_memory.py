"""Test context_store: stored contents and refusals."""

from typing import Any

import pytest

from almanac.families.context.storage.metadata import DEFAULTS
from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import (
    caller_without_sharing,
    neighbour,
    read,
    rows_of,
    search_kinds,
    store_memory,
)

METADATA: dict[str, Any] = {
    "tags": ["validation", "api"],
    "title": "Validation",
    "confidence": 0.95,
    "source": "user_explicit",
    "projectPath": "/home/user/myapp/",
    "cliType": "claude-code",
    "fileContext": {"path": "src/a.ts", "lineStart": 3, "language": "TypeScript", "branch": "main"},
    "codeBlock": {"code": "const a = z.object({})\n", "language": "typescript"},
    "weight": 5,
    "other": {"none": None, "list": [], "nested": [{"a": 1.5, "b": True}], "text": "naïve ✓", "large": 2**40},
}


def test_the_example_of_the_contract_is_stored_as_it_says(app: ProjectApp):
    metadata = {
        "tags": ["validation", "api", "zod"],
        "confidence": 0.95,
        "source": "user_explicit",
        "projectPath": "/home/user/myapp",
        "weight": 5,
    }

    result = app.do("context_store", type="decision", content="Use Zod for all API input.", metadata=metadata)

    assert result == {
        "id": result["id"],
        "success": True,
        "layer": 2,
        "reason": "type decision belongs in layer 2",
        "confidence": 0.85,
        "deduped": False,
    }


def test_metadata_come_back_whole_and_with_what_they_are_by_default(app: ProjectApp):
    memory_id = store_memory(app, metadata=METADATA)

    assert read(app, memory_id)["memory"]["metadata"] == METADATA
    assert app.do("context_list")["memories"][0]["metadata"] == METADATA
    bare = store_memory(app, "Something else.", metadata={"zz": None})
    assert read(app, bare)["memory"]["metadata"] == {"zz": None, **DEFAULTS}


def test_metadata_may_be_left_out(app: ProjectApp):
    shown = read(app, store_memory(app))["memory"]

    assert (shown["metadata"], shown["tags"], shown["weight"]) == (dict(DEFAULTS), [], 3)
    assert rows_of(app)[0].tool is None


def test_a_memory_shows_what_the_contract_says(app: ProjectApp):
    memory_id = store_memory(app, metadata=METADATA, pinned=True)

    result = read(app, memory_id)

    assert result["layer"] == 2
    assert result["memory"] == {
        "id": memory_id,
        "type": "decision",
        "content": "Use Zod for all input.",
        "metadata": METADATA,
        "tags": ["validation", "api"],
        "pinned": True,
        "weight": 5,
        "createdAt": app.now,
        "updatedAt": app.now,
        "accessCount": 0,
    }
    (row,) = rows_of(app)
    assert (row.kind, row.type, row.place, row.tool) == ("pinned", "decision", "/home/user/myapp", "claude-code")


def test_reading_counts_as_recalling_in_the_scope_where_it_is(app: ProjectApp):
    for memory_id in (
        store_memory(app),
        store_memory(app, "Name hooks useX.", "convention"),
        store_memory(app, "Now", "scratchpad"),
    ):
        read(app, memory_id)
        app.react()

        assert read(app, memory_id)["memory"]["accessCount"] == 1


def test_layer_3_is_read_by_other_projects_of_the_tenant_and_layer_2_is_not(app: ProjectApp):
    shared, own = store_memory(app, "Name hooks useX.", "convention"), store_memory(app)

    assert read(app, shared, caller=neighbour(app))["layer"] == 3
    assert "No memory has the id" in app.refusal("context_get", caller=neighbour(app), memoryId=own)


def test_a_project_that_is_closed_off_keeps_all_to_itself(app: ProjectApp):
    shared = store_memory(app, "Name hooks useX.", "convention")

    result = app.do("context_store", caller=caller_without_sharing(app), type="convention", content="Ours.")

    assert result["layer"] == 2
    assert "does not take part" in result["reason"]
    refusal = app.refusal(
        "context_store", caller=caller_without_sharing(app), type="convention", content="Ours.", layer=3
    )
    assert "does not take part" in refusal
    assert "shared-memory on" in refusal
    assert "No memory has the id" in app.refusal("context_get", caller=caller_without_sharing(app), memoryId=shared)


def test_the_same_is_stored_once_in_each_layer(app: ProjectApp):
    for layer in (1, 2, 3):
        first = app.do("context_store", type="decision", content="Same", layer=layer)
        again = app.do("context_store", type="decision", content="Same", layer=layer)

        assert (first["deduped"], again["deduped"]) == (False, True)
        assert again["id"] == first["id"]
    assert len(rows_of(app)) == 2


@pytest.mark.parametrize(
    "other", [{"type": "bug_fix"}, {"metadata": {"projectPath": "/b"}}, {"metadata": {"weight": 4}}, {"pinned": True}]
)
def test_what_differs_in_anything_is_another_memory(app: ProjectApp, other: dict[str, Any]):
    one = store_memory(app, "Same", layer=2)

    arguments: dict[str, Any] = {"content": "Same", "type": "decision", "layer": 2, **other}

    assert store_memory(app, **arguments) != one


def test_memories_with_nearly_the_same_words_are_named(app: ProjectApp):
    words = "All handlers validate their input with Zod before they touch the database of the tenant"
    first = store_memory(app, words)

    result = app.do("context_store", type="decision", content=f"{words}.", metadata={"tags": ["zod"]})

    assert [each["id"] for each in result["similar"]] == [first]
    assert "similar" not in app.do("context_store", type="decision", content=f"{words}!", layer=1)


def test_a_ttl_in_a_higher_layer_ends_the_memory_there(app: ProjectApp):
    result = app.do("context_store", type="decision", content="Freeze until the release.", layer=2, ttl=90_000)
    assert result["expiresAt"] == app.now + 90_000_000
    app.wait(hours=25)

    assert "No memory has the id" in app.refusal("context_get", memoryId=result["id"])
    assert app.do("context_list")["total"] == 0


def test_secrets_are_taken_out_before_anything_is_stored(app: ProjectApp):
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    for layer in (1, 2, 3):
        metadata = {
            "tags": [token],
            "codeBlock": {"code": f"auth({token!r})", "language": "ts"},
            "projectPath": f"/home/{token}",
            "cliType": token,
        }
        result = app.do(
            "context_store", type="decision", content=f"The token is {token}", layer=layer, metadata=metadata
        )

        assert result["redacted"]
        assert token not in str(read(app, result["id"]))
    assert token not in str([*rows_of(app), *rows_of(app, app.caller.scope.shared)])
    rows = app.do("list_redactions")["redactions"]
    assert [row.get("shared", False) for row in rows] == [False, False, True]


def test_rules_and_feeds_hear_of_what_is_kept_and_not_of_what_is_only_worked_with(app: ProjectApp):
    store_memory(app, "Now", "scratchpad")
    kept = [store_memory(app), store_memory(app, "Name hooks useX.", "convention")]

    told = app.events(MEMORY_PINNED)

    assert [(each.payload["memory_id"], each.scope) for each in told] == [
        (kept[0], app.caller.scope),
        (kept[1], app.caller.scope.shared),
        (kept[1], app.caller.scope),
    ]


def test_a_working_memory_tells_its_session_and_when_it_ends(app: ProjectApp):
    shown = read(app, store_memory(app, "Now", "scratchpad", sessionId="s", ttl=60))

    assert (shown["layer"], shown["sessionId"], shown["memory"]["expiresAt"]) == (1, "s", app.now + 60_000)


def test_search_finds_it_by_the_next_call_and_once_it_is_indexed(app: ProjectApp):
    kinds = {store_memory(app, "Zebra now", "scratchpad"): "working", store_memory(app, "Zebra", pinned=True): "pinned"}

    assert search_kinds(app, "zebra") == kinds
    app.follow()
    assert search_kinds(app, "zebra") == kinds


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"content": " \u200b"}, "content is blank"),
        ({"content": "é" * 8193}, "16386 bytes, over 16384. Shorten it, or keep the whole text in a file"),
        ({"metadata": {"weight": 6}}, '"metadata.weight" must be from 1 to 5'),
        ({"metadata": {"confidence": -1}}, '"metadata.confidence" must be from 0 to 1'),
        ({"metadata": {"source": "me"}}, '"metadata.source" must be one of "ai_inferred"'),
        ({"metadata": {"tags": "auth"}}, '"metadata.tags" must be a list'),
        ({"metadata": {"fileContext": {"lineStart": 1}}}, '"metadata.fileContext.path" is required'),
        ({"metadata": {"codeBlock": {"language": "ts"}}}, '"metadata.codeBlock.code" is required'),
        ({"metadata": {"projectPath": "../other"}}, "metadata.projectPath leaves its own folder"),
        ({"metadata": {"x": "y" * 17_000}}, "metadata has"),
        (
            {"layer": 1, "ttl": 90_000},
            "ttl is 90000 seconds; in layer 1 it is 1 to 86400. To keep it for more than a day",
        ),
        ({"sessionId": "ghp_" + "a1B2c3D4" * 4 + "e5F6"}, "sessionId contains a secret"),
        ({"content": "\ud800"}, "incomplete surrogate pair"),
        ({"metadata": {"a": ["\ud800"]}}, "metadata.a[0] has an incomplete surrogate pair"),
        ({"layer": 4}, '"layer" must be one of 1, 2, 3'),
        ({"ttl": 0}, '"ttl" must be from 1'),
        ({"layer": 1, "pinned": True}, "A working memory cannot be pinned"),
        ({"type": "summary"}, '"type" must be one of'),
    ],
)
def test_what_cannot_be_stored_is_refused_with_what_to_do(app: ProjectApp, arguments: dict[str, Any], said: str):
    sent: dict[str, Any] = {"type": "decision", "content": "x", **arguments}

    refusal = app.refusal("context_store", **sent)

    assert said in refusal
    assert rows_of(app) == []


def test_numbers_and_objects_that_come_as_text_are_read(app: ProjectApp):
    metadata = '{"tags": ["a"], "weight": "4"}'

    result = app.do("context_store", type="decision", content="x", metadata=metadata, layer="2", ttl="60")

    assert (result["layer"], result["expiresAt"]) == (2, app.now + 60_000)
    assert read(app, result["id"])["memory"]["weight"] == 4


def test_the_largest_memory_is_stored(app: ProjectApp):
    for layer in (1, 2, 3):
        metadata = {"codeBlock": {"code": "x" * 15_000, "language": "ts"}}

        memory_id = store_memory(app, "é" * 8192, layer=layer, metadata=metadata)

        assert read(app, memory_id)["memory"]["content"] == "é" * 8192
