"""context_update with targetLayer: the same memory, in a higher layer."""

from typing import Any

import pytest
from msgspec.structs import replace as altered

from almanac.families.context.storage.edits import Edit, edit
from almanac.families.memory.core.event_kinds import MEMORY_FORGOTTEN, MEMORY_PINNED
from almanac.families.memory.core.memory import MemoryProject
from almanac.families.memory.edges.records import SOURCES
from almanac.families.memory.memories.digests import digest_of_memory
from almanac.families.memory.memories.records import DIGESTS, PURGES
from almanac.platform.redactions.records import REDACTIONS
from tests.doubles.observed_store import ObservedStore, Request
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import (
    caller_without_sharing,
    context_of,
    neighbour,
    read,
    rows_of,
    search_kinds,
    store_memory,
)
from tests.unit.families.memory.memory_builder import MemoryBuilder

WAYS = [(1, 2), (1, 3), (2, 3)]


def promote(app: ProjectApp, memory_id: str, layer: int, **changes: Any) -> dict[str, Any]:
    return app.do("context_update", memoryId=memory_id, targetLayer=layer, **changes)


@pytest.mark.parametrize(("former", "layer"), WAYS)
def test_a_memory_rises_under_its_id(app: ProjectApp, former: int, layer: int):
    metadata = {"tags": ["zod"], "projectPath": "/home/ann", "x": [1]}
    memory_id = store_memory(app, "Zebra", layer=former, metadata=metadata)
    before = read(app, memory_id)["memory"]
    app.follow()
    app.wait(minutes=10)

    result = promote(app, memory_id, layer)

    shown = read(app, memory_id)
    assert (result["success"], result["memoryId"], result["newLayer"]) == (True, memory_id, layer)
    assert (shown["layer"], shown["memory"]) == (layer, result["memory"])
    after = {**before, "updatedAt": app.now}
    after.pop("expiresAt", None)
    assert shown["memory"] == after
    scope, other = app.caller.scope, app.caller.scope.shared
    homes = (scope, other) if layer == 2 else (other, scope)
    assert [row.id for row in rows_of(app, homes[0])] == [memory_id]
    assert rows_of(app, homes[1]) == []
    for _ in range(2):
        assert search_kinds(app, "zebra", homes[0]) == {memory_id: "semantic"}
        assert search_kinds(app, "zebra", homes[1]) == {}
        app.follow()
    (row,) = rows_of(app, homes[0])
    assert [step.what for step in row.history] == ["recorded", "promoted"]


@pytest.mark.parametrize(("former", "layer"), WAYS)
def test_it_is_one_write_so_that_no_process_can_die_in_between(app: ProjectApp, former: int, layer: int):
    memory_id = store_memory(app, layer=former)
    writes: list[Request] = []
    observed = ObservedStore(app.store, lambda request: writes.append(request) if request[0] == "write" else None)
    context = context_of(app)
    edited = Edit(layer=2 if layer == 2 else 3, content="New")

    edit(altered(context, memory=altered(context.memory, store=observed)), memory_id, edited)

    assert len(writes) == 1


@pytest.mark.parametrize(("former", "layer"), WAYS)
def test_what_is_changed_in_the_same_call_rises_with_it(app: ProjectApp, former: int, layer: int):
    memory_id = store_memory(app, "One", layer=former)

    result = promote(app, memory_id, layer, content="Two", tags=["b"], weight=5, pinned=True)

    shown = read(app, memory_id)
    assert shown["layer"] == layer
    assert shown["memory"] == result["memory"]
    assert (shown["memory"]["content"], shown["memory"]["tags"]) == ("Two", ["b"])
    assert (shown["memory"]["weight"], shown["memory"]["pinned"]) == (5, True)


@pytest.mark.parametrize(("former", "layer"), WAYS)
def test_secrets_in_what_is_changed_on_the_way_are_taken_out(app: ProjectApp, former: int, layer: int):
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    memory_id = store_memory(app, layer=former)

    assert promote(app, memory_id, layer, content=f"Token {token}")["memory"]["redacted"]

    scope = app.caller.scope if layer == 2 else app.caller.scope.shared
    assert token not in str(rows_of(app, scope))
    found = REDACTIONS.within(app.store, scope).every()
    assert [(each.item, each.count) for each in found] == [(memory_id, 1)]


def test_what_was_worked_with_no_longer_ends_and_matters_as_what_is_new(app: ProjectApp):
    memory_id = store_memory(app, "Now", "scratchpad")
    app.wait(minutes=50)
    promote(app, memory_id, 2)
    app.wait(days=2)
    app.run_jobs()

    (row,) = rows_of(app)
    assert (row.kind, row.lapses_at, row.salience, row.used_at - row.at) == ("semantic", None, 0.7, 50 * 60_000)
    assert read(app, memory_id)["memory"]["type"] == "scratchpad"


def test_a_memory_that_ends_ends_in_layer_3_too(app: ProjectApp):
    memory_id = store_memory(app, layer=2, ttl=90_000)

    assert promote(app, memory_id, 3)["memory"]["expiresAt"] == app.now + 90_000_000


def test_a_promotion_that_is_repeated_changes_nothing_more(app: ProjectApp):
    memory_id = store_memory(app, layer=2)
    promote(app, memory_id, 3)
    before = rows_of(app, app.caller.scope.shared)

    result = promote(app, memory_id, 3)

    assert (result["success"], result["newLayer"], result["layer"]) == (True, 3, 3)
    assert rows_of(app, app.caller.scope.shared) == before


def test_layer_3_of_a_project_that_is_closed_off_is_refused(app: ProjectApp):
    memory_id = store_memory(app, layer=2)

    refusal = app.refusal("context_update", caller=caller_without_sharing(app), memoryId=memory_id, targetLayer=3)

    assert "does not take part" in refusal
    assert read(app, memory_id)["layer"] == 2


@pytest.mark.parametrize(("former", "layer"), WAYS)
def test_where_the_layer_says_exactly_this_that_one_stays_alone(app: ProjectApp, former: int, layer: int):
    same = store_memory(app, "Same", layer=layer, ttl=90_000)
    other = store_memory(app, "Same", layer=former)

    result = promote(app, other, layer)

    assert (result["memoryId"], result["merged"], result["newLayer"]) == (same, True, layer)
    assert "expiresAt" not in result["memory"], "whoever wants it for longer gets it"
    assert [row.id for row in [*rows_of(app), *rows_of(app, app.caller.scope.shared)]] == [same]
    assert "No memory has the id" in app.refusal("context_get", memoryId=other)


def test_traces_lead_to_where_it_is(app: ProjectApp):
    turn = MemoryBuilder(app).turn("We use Zod.")
    made = app.do("extract_semantic", content="They use Zod.", derived_from_turn_ids=[turn])["memory"]["id"]
    promote(app, made, 3)
    own, shared = context_of(app).projects

    assert [digests(each) for each in (own, shared)] == [[], [made]]
    assert own.rows(SOURCES).query(turn).records == ()
    assert list(own.rows(PURGES).every()) == []
    assert app.events(MEMORY_FORGOTTEN) == []
    (row,) = rows_of(app, shared.scope)
    assert row.derived_from == (turn,)
    assert [each.scope for each in app.events(MEMORY_PINNED)] == [own.scope, shared.scope, own.scope]


def test_what_is_kept_of_layer_1_is_found_from_its_sources_and_known(app: ProjectApp):
    turn = MemoryBuilder(app).turn("We use Zod.")
    working = MemoryBuilder(app).memory("They use Zod.", "working", derived_from=(turn,), lapses_at=app.now + 1000)

    promote(app, working, 2)

    own = context_of(app).memory
    assert [each.memory for each in own.rows(SOURCES).query(turn).records] == [working]
    (row,) = rows_of(app)
    assert [each.digest for each in own.rows(DIGESTS).every()] == [digest_of_memory(row)]
    assert [each.payload["memory_id"] for each in app.events(MEMORY_PINNED)] == [working]


def test_other_projects_edit_and_delete_what_all_share(app: ProjectApp):
    memory_id = store_memory(app, layer=2)
    promote(app, memory_id, 3)

    app.do("context_update", caller=neighbour(app), memoryId=memory_id, content="Theirs now")

    assert read(app, memory_id)["memory"]["content"] == "Theirs now"
    assert app.do("context_delete", caller=neighbour(app), memoryId=memory_id)["deletedFrom"] == 3
    assert "No memory has the id" in app.refusal("context_get", memoryId=memory_id)


def test_of_two_who_promote_at_once_the_second_finds_it_there(app: ProjectApp):
    memory_id = store_memory(app, layer=2)
    left = [lambda: promote(app, memory_id, 3)]

    def observe(request: Request) -> None:
        if request[0] == "write" and left:
            left.pop()()

    context = context_of(app)
    moved = edit(
        altered(context, memory=altered(context.memory, store=ObservedStore(app.store, observe))),
        memory_id,
        Edit(layer=3, content="Ours"),
    )

    assert (moved.layer, moved.memory.content) == (3, "Ours")
    assert [row.content for row in rows_of(app, app.caller.scope.shared)] == ["Ours"]
    assert rows_of(app) == []


def digests(project: MemoryProject) -> list[str]:
    return [each.memory for each in project.rows(DIGESTS).every()]
