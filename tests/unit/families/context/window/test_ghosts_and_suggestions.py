"""Ghost messages by their triggers, and suggestions: made by rules, the same each time."""

from typing import Any

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import store_memory
from tests.unit.families.context.window.shown import ghosts, pattern, store_note, window

FILE = {"fileContext": {"path": "src/api/users.ts"}}


def test_each_trigger_brings_what_it_is_for(app: ProjectApp):
    choice = store_memory(app, "Tokens last 15 minutes", metadata=FILE)
    fix = store_memory(app, "Null check for e-mail", type="bug_fix", metadata=FILE)
    about = store_memory(app, "Ann owns this file", type="relationship", metadata=FILE, layer=2)
    command = store_memory(app, "npm test hangs while postgres runs", type="relationship", layer=2)
    working = store_note(app, "Rewriting the users API", "mine")

    shown = ghosts(app, sessionId="mine", currentFile="src/api/users.ts", currentCommand="npm test")

    sources = {trigger: each["sourceMemoryIds"] for trigger, each in shown.items()}
    assert sources == {
        "session_context": [working],
        "relevant_decision": [choice],
        "bug_fix_context": [fix],
        "active_code_context": [about],
        "command_context": [command],
    }
    for each in shown.values():
        assert (each["role"], each["isVisible"], each["timestamp"]) == ("system", False, "2026-02-18T14:30:00.000Z")
    assert '"Tokens last 15 minutes"' in shown["relevant_decision"]["content"]


def test_a_decision_of_other_projects_is_a_message_where_it_is_alike(app: ProjectApp):
    shared = store_memory(app, "npm test writes junit reports in every project", type="convention")

    assert ghosts(app, currentCommand="npm test")["related_decision"]["sourceMemoryIds"] == [shared]
    assert ghosts(app, currentCommand="cargo build") == {}


def test_without_anything_to_say_there_are_no_messages(app: ProjectApp):
    store_memory(app, "Ann owns it", type="relationship", layer=2)
    assert ghosts(app) == {}


def test_the_same_source_has_the_same_id_throughout_a_session(app: ProjectApp):
    store_memory(app, "Tokens last 15 minutes", metadata=FILE)
    first = ghosts(app, sessionId="mine", currentFile="src/api/users.ts")["relevant_decision"]["id"]
    app.wait(hours=1)
    store_note(app, "Rewriting the users API", "mine")

    assert ghosts(app, sessionId="mine")["relevant_decision"]["id"] == first
    assert ghosts(app, sessionId="yours")["relevant_decision"]["id"] != first


def suggestions_of(app: ProjectApp, **more: Any) -> list[Json]:
    return window(app, **more)["suggestions"]


def test_fixes_and_decisions_about_the_open_file_are_suggested_the_surest_first(app: ProjectApp):
    fix = store_memory(app, "Null check for e-mail", type="bug_fix", metadata={**FILE, "confidence": 1})
    choice = store_memory(app, "Tokens last 15 minutes", metadata={**FILE, "confidence": 0.5})
    store_memory(app, "Ann owns this file", type="relationship", metadata=FILE, layer=2)

    first, second = suggestions_of(app, currentFile="src/api/users.ts")

    assert (first["type"], first["sourceMemoryIds"], first["confidence"]) == ("memory", [fix], 0.9)
    assert (second["type"], second["sourceMemoryIds"], second["confidence"]) == ("memory", [choice], 0.45)
    assert '"Null check for e-mail"' in first["content"]
    assert suggestions_of(app, currentFile="src/web/page.ts") == []
    assert suggestions_of(app, currentFile="src/api/users.ts")[0]["id"] == first["id"]


def test_a_fix_that_is_like_what_runs_is_suggested(app: ProjectApp):
    fix = store_memory(app, "npm test hangs while postgres runs: stop it", type="bug_fix")
    [one] = suggestions_of(app, currentCommand="npm test hangs")
    assert one["sourceMemoryIds"] == [fix]


def test_a_pattern_of_the_open_file_is_suggested(app: ProjectApp):
    one = pattern(app, "Schema first", "typescript", "src/api/users.ts")
    pattern(app, "Guards first", "typescript", "src/api/orders.ts")
    [shown] = suggestions_of(app, currentFile="src/api/users.ts")
    assert (shown["type"], shown["sourceMemoryIds"]) == ("pattern", [one])


def test_a_note_that_ends_soon_is_suggested_to_be_kept_but_not_what_a_program_reported(app: ProjectApp):
    soon = store_note(app, "Half of the fix is done", "mine", ttl_seconds=300, metadata={"source": "user_explicit"})
    store_note(app, "Opened src/a.ts", "mine", ttl_seconds=300, metadata={"source": "system_auto"})
    store_note(app, "Later", "mine", ttl_seconds=3600)
    [shown] = suggestions_of(app, sessionId="mine")
    assert (shown["type"], shown["sourceMemoryIds"]) == ("action", [soon])
    assert f"memoryId {soon}" in shown["content"]
    app.do("context_update", memoryId=soon, targetLayer=2)
    assert suggestions_of(app, sessionId="mine") == []
