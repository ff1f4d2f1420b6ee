"""Rules that pin memories."""

from typing import Any

import pytest

from almanac.families.memory.core.event_kinds import MEMORY_PINNED
from almanac.families.memory.core.records import MEMORIES
from almanac.families.memory.memories.pin_action import pin_memory
from almanac.families.team.rules.defaults import DEFAULT_RULES
from almanac.kernel.errors import InvalidInput
from almanac.platform.declaration.rule_actions import Cause, Firing
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.remembered import OTHER_PROJECT, all_of, record_turn, search_ids


def fire(app: ProjectApp) -> Firing:
    return Firing(
        store=app.store,
        scope=app.caller.scope,
        actor="rule:keep",
        at=app.now,
        random_bytes=lambda count: b"\x07" * count,
        cause=Cause("keep", "01KB0Z8T4Q6M3H8E2V5N7R9YXA", 1),
    )


def install(app: ProjectApp, name: str, on_kind: str, **args: Any) -> None:
    actions = [{"tool": "pin_memory", "args": args}]
    app.do("install_rule", name=name, on_kind=on_kind, actions=actions)


def activity(app: ProjectApp, name: str) -> Json:
    return next(rule for rule in app.do("list_rules")["rules"] if rule["name"] == name)


def test_error_pin_pins_what_was_recorded_as_an_error(app: ProjectApp):
    error_pin = next(rule for rule in DEFAULT_RULES if rule["name"] == "error-pin")
    app.do("install_rule", **{name: value for name, value in error_pin.items() if value is not None})
    turn = record_turn(app, "TS2345 in auth.ts", metadata={"kind": "error"}, session="s1")
    record_turn(app, "All is well", metadata={"kind": "note"})
    record_turn(app, "TS1 elsewhere", caller=OTHER_PROJECT, metadata={"kind": "error"})

    app.react()

    (pinned,) = all_of(app, MEMORIES)
    read = app.do("get_memory", memory_id=pinned.id)["memory"]
    assert read["content"] == "Error recorded by ann: TS2345 in auth.ts"
    assert (read["kind"], read["actor"], read["tags"]) == ("pinned", "rule:error-pin", ["error"])
    assert (read["derived_from"], read["session_id"]) == ([turn.id], "s1")
    (event,) = app.events(MEMORY_PINNED)
    assert event.payload["caused_by"]["rule"] == "error-pin"
    assert event.payload["caused_by"]["depth"] == 1
    assert search_ids(app, "TS2345")[0] in (turn.id, pinned.id)
    assert all_of(app, MEMORIES, OTHER_PROJECT) == []


def test_a_rule_that_pins_what_is_pinned_does_not_go_round_in_circles(app: ProjectApp):
    install(app, "echo", MEMORY_PINNED, content="Pinned: ${payload.content_preview}")
    app.do("pin_memory", content="One")

    app.react()

    assert sorted(memory.content for memory in all_of(app, MEMORIES)) == ["One", "Pinned: One"]


def test_the_same_again_is_pinned_once(app: ProjectApp):
    install(app, "once", "turn_recorded", content="There are turns.")
    for number in range(3):
        record_turn(app, f"Turn {number}")

    app.react()

    assert len(all_of(app, MEMORIES)) == 1
    assert len(app.events(MEMORY_PINNED)) == 1


def test_secrets_are_taken_out_of_what_a_rule_pins(app: ProjectApp):
    secret = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5"
    install(app, "keep", "broadcast_set", content="Now ${payload.value}")
    app.do("set_broadcast", key="token", value=f"it is {secret}")

    app.react()

    (pinned,) = all_of(app, MEMORIES)
    assert secret not in str(pinned)


def test_what_the_tool_would_refuse_is_told_by_the_activity_of_the_rule(app: ProjectApp):
    install(app, "blank", "turn_recorded", content="${payload.no_such_field}")
    record_turn(app, "A turn")

    app.react()

    assert all_of(app, MEMORIES) == []
    assert "content is blank" in str(activity(app, "blank"))


def test_a_firing_that_is_repeated_makes_the_same_memory(app: ProjectApp):
    first, again = (pin_memory({"content": "Deploys happen on Tuesdays."}, fire(app)) for _ in range(2))

    assert [change.key for change in first] == [change.key for change in again]
    app.store.write(first)
    assert pin_memory({"content": "Deploys happen on Tuesdays."}, fire(app)) == ()


def test_what_templates_filled_in_is_taken_as_it_reads(app: ProjectApp):
    given = {"content": 42, "tags": ["", "a", "a"], "derived_from_turn_ids": ["", "gone"], "ttl_ms": 1000}

    app.store.write(pin_memory(given, fire(app)))

    (pinned,) = all_of(app, MEMORIES)
    assert (pinned.content, pinned.tags, pinned.derived_from) == ("42", ("a",), ())
    assert pinned.lapses_at == app.now + 1000


@pytest.mark.parametrize(
    "args",
    [
        {"content": None},
        {"content": ["a"]},
        {"content": "x" * 8193},
        {"content": "x", "tags": "a"},
        {"content": "x", "tags": ["a"] * 21},
        {"content": "x", "ttl_ms": 1},
        {"content": "x", "ttl_ms": "soon"},
        {"content": "x", "metadata": "a"},
        {"content": "x", "metadata": {"a": "x" * 16_384}},
        {"content": "x", "derived_from_turn_ids": "id"},
        {"content": "x", "derived_from_turn_ids": [1]},
    ],
)
def test_arguments_of_another_form_are_refused(app: ProjectApp, args: Json):
    with pytest.raises(InvalidInput):
        pin_memory(args, fire(app))
