"""Test rules that fire on events."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from almanac.families.team.rules.records import REMOVED
from almanac.families.team.rules.results import RuleAction
from almanac.families.team.tools import rules
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.bus.dead_letters import dead_letters, retry
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.feed.log import Log
from almanac.platform.store.port import Change
from tests.unit.families.team.rule_world import SCOPE, RuleWorld, broadcast, install, only


def test_an_event_that_fits_has_the_actions_done_with_its_values(world: RuleWorld):
    install(world, where={"payload.metadata.kind": "error"})
    world.happen(text="ignored", metadata={"kind": "fine"})
    assert world.broadcasts() == {}
    world.happen(text="boom", metadata={"kind": "error"})
    assert world.broadcasts() == {"last": "boom"}
    assert (only(world).fired, only(world).failures, only(world).last_error) == (1, 0, None)


def test_actions_are_done_in_order_and_the_last_to_set_a_key_wins(world: RuleWorld):
    install(
        world,
        "note",
        broadcast("a", 1),
        broadcast("b", ["${payload.text}", 2]),
        broadcast("a", {"n": "${event.actor}"}),
    )
    world.happen(text="x")
    assert world.broadcasts() == {"a": {"n": "bob"}, "b": ["x", 2]}


def test_several_rules_fire_on_one_event_and_only_those_of_its_kind(world: RuleWorld):
    for number in range(20):
        install(world, f"rule-{number}", broadcast(f"key-{number}", number))
    install(world, "other", broadcast("other", 1), on_kind="claim_expired")
    world.happen(text="x")
    assert world.broadcasts() == {f"key-{number}": number for number in range(20)}
    assert [rule.fired for rule in rules.list_rules(project=world.project).rules] == [0] + [1] * 20


def test_what_a_rule_causes_says_so_and_sets_off_no_rule(world: RuleWorld):
    install(world, "first")
    install(world, "echo", broadcast("echo", "${payload.key}"), on_kind="broadcast_set")
    event = world.happen(text="x")
    assert world.broadcasts() == {"last": "x"}
    told = [entry.event for entry in Log(world.store).last(SCOPE, 10)]
    assert [(each.kind, each.actor) for each in told] == [("broadcast_set", "rule:first"), ("turn_recorded", "bob")]
    assert told[0].payload["caused_by"] == {"rule": "first", "event_id": event.id, "depth": 1}
    world.happen("broadcast_set", key="by-hand")
    assert world.broadcasts()["echo"] == ""


def test_a_rule_that_is_switched_off_or_removed_fires_no_more(world: RuleWorld):
    install(world)
    assert install(world, enabled=False).replaced
    world.happen(text="x")
    install(world)
    removed = rules.remove_rule("note", project=world.project)
    assert removed.ok
    world.happen(text="x")
    assert world.broadcasts() == {}
    assert rules.list_rules(project=world.project).rules == []
    assert [each.name for each in REMOVED.within(world.store, SCOPE).query().records] == ["note"]
    again = rules.remove_rule("note", project=world.project)
    assert (again.ok, again.reason) == (False, "not_found")


def test_a_rule_removed_between_match_and_firing_does_not_fire(world: RuleWorld):
    install(world)
    world.write(text="x")
    assert world.step()
    rules.remove_rule("note", project=world.project)
    world.settle()
    assert world.broadcasts() == {}


def test_a_rule_replaced_between_match_and_firing_fires_as_it_stands(world: RuleWorld):
    install(world)
    world.write(text="x")
    assert world.step()
    install(world, "note", broadcast("new", "${payload.text}"))
    world.settle()
    assert world.broadcasts() == {"new": "x"}


def test_an_action_that_nothing_does_yet_parks_its_firing_with_the_reason_and_holds_up_nothing_else(world: RuleWorld):
    install(world, "pin", RuleAction(tool="pin_memory", args={"content": "${payload.text}"}))
    install(world, "note")
    world.happen(text="x")
    assert world.broadcasts() == {"last": "x"}
    (parked,) = dead_letters(world.store, "acme").events
    assert parked.record.reaction == "team.fire_rule"
    assert parked.message.event.payload["rule"] == "pin"
    assert "has no pin_memory yet" in parked.record.error
    pin = next(rule for rule in rules.list_rules(project=world.project).rules if rule.name == "pin")
    assert (pin.fired, pin.failures) == (0, 1)
    assert "has no pin_memory yet" in pin.last_error


def test_a_parked_firing_is_done_once_the_action_exists_and_is_retried(tmp_path: Path, clock: FixedClock):
    pinned: list[tuple[Mapping[str, Any], Firing]] = []

    def pin(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
        pinned.append((args, firing))
        return ()

    performers: dict[str, Any] = {}
    world = RuleWorld(tmp_path, clock, performers)
    install(world, "pin", RuleAction(tool="pin_memory", args={"content": "${payload.text}"}))
    event = world.happen(text="x")
    performers["pin_memory"] = pin
    (parked,) = dead_letters(world.store, "acme").events
    assert retry(world.store, clock, parked)
    world.settle()
    ((args, firing),) = pinned
    assert args == {"content": "x"}
    assert (firing.actor, firing.cause.event_id, firing.cause.depth) == ("rule:pin", event.id, 1)
    assert only(world).fired == 1
    assert dead_letters(world.store, "acme").events == ()
    world.close()


def test_what_an_action_refuses_is_told_as_the_rules_last_error_and_parked_at_once(world: RuleWorld):
    install(world, "note", broadcast("${payload.none}", 1))
    world.happen(text="x")
    assert "key of the broadcast is empty" in only(world).last_error
    assert only(world).failures == 1
    (parked,) = dead_letters(world.store, "acme").events
    assert "the rule note" in parked.record.error
    install(world, "note", broadcast("mended", 1))
    assert retry(world.store, world.clock, parked)
    world.settle()
    assert world.broadcasts() == {"mended": 1}


def test_events_of_another_project_set_off_nothing_here(world: RuleWorld):
    install(world)
    other = Scope("acme", "other")
    world.happen(scope=other, text="x")
    assert (world.broadcasts(), world.broadcasts(other)) == ({}, {})


def test_a_large_event_with_strange_numbers_is_matched_and_fired_all_the_same(world: RuleWorld):
    install(world, where={"payload.size": {"$gt": 1e200}})
    world.happen(
        text="x" * 15_000, size=1e300, deep=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]
    )
    value: str = world.broadcasts()["last"]
    assert value.startswith("xxx")
    assert value.endswith("…")
