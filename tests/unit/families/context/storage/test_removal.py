"""Test context_delete in every layer. Permanent memories can be restored."""

from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.storage.removal import remove
from almanac.families.context.storage.working_sets import newest
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN
from almanac.families.memory.core.records import KEPT_FORGOTTEN_MS
from almanac.families.memory.memories.records import PURGES
from almanac.families.memory.memories.supersession import supersede
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import context_of, read, rows_of, search_kinds, store_memory
from tests.unit.families.memory.memory_builder import MemoryBuilder


def delete(app: ProjectApp, memory_id: str, **more: Any) -> dict[str, Any]:
    return app.do("context_delete", memoryId=memory_id, **more)


def test_what_was_kept_can_be_restored_for_30_days(app: ProjectApp):
    memory_id = store_memory(app, "Zebra")

    result = delete(app, memory_id)

    assert result == {
        "success": True,
        "deletedFrom": 2,
        "memoryId": memory_id,
        "restorableUntil": app.now + KEPT_FORGOTTEN_MS,
        "restoreWith": "forget_memory with restore=true",
    }
    assert (app.do("context_list")["total"], search_kinds(app, "zebra")) == (0, {})
    assert "forget_memory with restore=true" in app.refusal("context_get", memoryId=memory_id)
    app.do("forget_memory", memory_id=memory_id, restore=True)
    assert read(app, memory_id)["memory"]["content"] == "Zebra"


def test_who_may_not_use_memory_is_not_told_of_its_tools(app: ProjectApp):
    caller = replace(app.caller, families=frozenset({"context"}))

    assert "restoreWith" not in delete(app, store_memory(app), caller=caller)


def test_layer_3_is_told_and_kept_where_it_is(app: ProjectApp):
    memory_id = store_memory(app, layer=3)

    assert delete(app, memory_id)["deletedFrom"] == 3

    (row,) = rows_of(app, app.caller.scope.shared)
    assert row.forgotten_at == app.now
    assert [each.scope for each in app.events(MEMORY_FORGOTTEN)] == [app.caller.scope.shared, app.caller.scope]


def test_a_working_memory_is_gone(app: ProjectApp):
    memory_id = store_memory(app, "Zebra now", "scratchpad", sessionId="s")
    app.follow()

    assert delete(app, memory_id) == {"success": True, "deletedFrom": 1, "memoryId": memory_id}

    own = context_of(app).memory
    assert (rows_of(app), list(own.rows(PURGES).every()), newest(own, "s", 10)) == ([], [], [])
    assert (search_kinds(app, "zebra"), app.events(MEMORY_FORGOTTEN)) == ({}, [])
    app.follow()
    assert search_kinds(app, "zebra") == {}


def test_what_is_not_there_is_an_error(app: ProjectApp):
    memory_id = store_memory(app)
    delete(app, memory_id)

    assert "No memory has the id" in app.refusal("context_delete", memoryId=memory_id)
    assert "No memory has the id" in app.refusal("context_delete", memoryId="mem-042")


def test_a_deleted_summary_brings_back_what_it_stood_for(app: ProjectApp):
    builder, own = MemoryBuilder(app), context_of(app).memory
    originals = [store_memory(app, f"Zebra {number}") for number in range(90)]
    forgotten, elsewhere = store_memory(app, "Zebra forgotten"), store_memory(app, "Zebra elsewhere")
    named: list[Any] = [*originals[45:], forgotten, elsewhere, "gone", 7, {}]
    summary = builder.memory(
        "All about zebras", "semantic", type="summary", derived_from=(*originals[:45],), metadata={"originalIds": named}
    )
    rows = {row.id: row for row in rows_of(app)}
    for memory_id in (*originals, forgotten):
        own.store.write(supersede(own, rows[memory_id], summary, None))
    own.store.write(supersede(own, rows[elsewhere], "another", None))
    app.do("forget_memory", memory_id=forgotten)

    result = delete(app, summary)

    assert result["originalsRestored"] == 91
    assert app.do("context_list", limit=100)["total"] == 90
    assert read(app, elsewhere)["supersededBy"] == "another"
    after = {row.id: row for row in rows_of(app)}
    assert (after[forgotten].forgotten_at, after[forgotten].superseded_by) == (app.now, None)
    assert set(search_kinds(app, "zebra")) <= set(originals)


def test_only_a_summary_takes_its_word_back(app: ProjectApp):
    old = store_memory(app, "One")
    new = app.do("extract_semantic", content="Two", derived_from_turn_ids=[old])["memory"]["id"]
    app.do("create_edge", src_id=new, dst_id=old, kind="supersedes")

    assert "originalsRestored" not in delete(app, new)
    assert read(app, old)["supersededBy"] == new


def test_what_was_promoted_meanwhile_is_deleted_where_it_is(app: ProjectApp):
    memory_id = store_memory(app)
    reads: list[Request] = []

    def observe(request: Request) -> None:
        reads.append(request)
        if len(reads) == 2:
            app.do("context_update", memoryId=memory_id, targetLayer=3)

    context = context_of(app)
    removed = remove(
        altered(context, memory=altered(context.memory, store=ObservedStore(app.store, observe))), memory_id
    )

    assert removed.layer == 3
    assert "No memory has the id" in app.refusal("context_get", memoryId=memory_id)


def test_a_summary_that_only_its_metadata_tell_of_is_followed_however_it_is_forgotten(app: ProjectApp):
    own, originals = context_of(app).memory, [store_memory(app, f"Zebra {number}") for number in range(30)]
    more: dict[str, Any] = {"type": "summary", "derived_from": (originals[0],)}
    summary = MemoryBuilder(app).memory("All of it", "semantic", metadata={"originalIds": originals[1:]}, **more)
    for row in rows_of(app):
        if row.id in originals:
            own.store.write(supersede(own, row, summary, None))

    app.do("forget_memory", memory_id=summary)
    app.react()

    assert {row.superseded_by for row in rows_of(app) if row.id in originals} == {None}


def test_who_dies_after_a_summary_is_forgotten_leaves_its_originals_to_the_event(app: ProjectApp):
    own, originals = context_of(app).memory, [store_memory(app, f"Zebra {number}") for number in range(3)]
    summary = MemoryBuilder(app).memory("All of it", "semantic", type="summary", derived_from=tuple(originals))
    for row in rows_of(app):
        if row.id in originals:
            own.store.write(supersede(own, row, summary, None))
    forgotten: list[int] = []

    def observe(request: Request) -> None:
        if forgotten and request[0] == "write":
            raise KeyboardInterrupt
        (row,) = [each for each in rows_of(app) if each.id == summary]
        forgotten.extend([1] if row.forgotten_at is not None else [])

    context = context_of(app)
    with pytest.raises(KeyboardInterrupt):
        remove(altered(context, memory=altered(context.memory, store=ObservedStore(app.store, observe))), summary)

    rows = {row.id: row for row in rows_of(app)}
    assert rows[summary].forgotten_at is not None
    assert {rows[one].superseded_by for one in originals} == {summary}
    app.react()
    assert {row.superseded_by for row in rows_of(app) if row.id in originals} == {None}
