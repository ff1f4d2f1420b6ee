"""Rules from installing to firing."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from almanac.families.team.rules.actions import Firing
from almanac.families.team.rules.records import REMOVED
from almanac.families.team.rules.results import RuleAction
from almanac.families.team.tools import rules
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput, LimitExceeded, NotFound
from almanac.platform.bus.parking import parked_events, retry
from almanac.platform.feed.log import Log
from almanac.platform.store.port import Change
from almanac.protocol.arguments import convert
from tests.unit.families.team.rule_world import SCOPE, RuleWorld


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterable[RuleWorld]:
    made = RuleWorld(tmp_path, clock)
    yield made
    made.close()


def broadcast(key: str, value: Any) -> Any:
    return RuleAction(tool="set_broadcast", args={"key": key, "value": value})


def install(world: RuleWorld, name: str = "note", *actions: Any, **more: Any) -> Any:
    wanted = {"on_kind": "turn_recorded", "actions": list(actions) or [broadcast("last", "${payload.text}")]} | more
    return rules.install_rule(name, **wanted, project=world.project)


def only(world: RuleWorld) -> Any:
    (rule,) = rules.list_rules(project=world.project).rules
    return rule


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
    (parked,) = parked_events(world.store, "acme").events
    assert parked.parked.reaction == "team.fire_rule"
    assert parked.message.event.payload["rule"] == "pin"
    assert "has no pin_memory yet" in parked.parked.error
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
    (parked,) = parked_events(world.store, "acme").events
    assert retry(world.store, clock, parked)
    world.settle()
    ((args, firing),) = pinned
    assert args == {"content": "x"}
    assert (firing.actor, firing.cause.event_id, firing.cause.depth) == ("rule:pin", event.id, 1)
    assert only(world).fired == 1
    assert parked_events(world.store, "acme").events == ()
    world.close()


def test_an_empty_broadcast_key_is_told_as_the_rules_last_error(world: RuleWorld):
    install(world, "note", broadcast("${payload.none}", 1))
    world.happen(text="x")
    assert "broadcast's key is empty" in only(world).last_error
    assert len(parked_events(world.store, "acme").events) == 1


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


@pytest.mark.parametrize(
    ("actions", "path"),
    [
        ([RuleAction(tool="set_broadcast", args={"key": "k"})], "actions[0].args.value"),
        ([RuleAction(tool="pin_memory", args={"content": "x", "colour": 1})], "actions[0].args"),
        ([broadcast("k", "${env.HOME}")], "actions[0].args.value"),
        ([broadcast("k", "x" * 17_000)], "actions"),
    ],
)
def test_actions_that_cannot_be_done_are_refused_at_install(world: RuleWorld, actions: list[Any], path: str):
    with pytest.raises(InvalidInput) as refused:
        install(world, "note", *actions)
    assert refused.value.path == path
    assert rules.list_rules(project=world.project).rules == []


def test_unknown_operators_are_refused_at_install(world: RuleWorld):
    with pytest.raises(InvalidInput, match=r"\$regex"):
        install(world, where={"payload.text": {"$regex": "x"}})


def test_a_project_has_so_many_rules_and_replacing_one_is_always_possible(world: RuleWorld):
    for number in range(80):
        install(world, f"rule-{number}")
    with pytest.raises(LimitExceeded, match="80 rules"):
        install(world, "one-more")
    assert install(world, "rule-7", description="again").replaced
    world.happen(text="x")
    assert sum(rule.fired for rule in rules.list_rules(project=world.project).rules) == 80


def _called(world: RuleWorld, arguments: dict[str, Any]) -> Any:
    """install_rule as a client calls it, with arguments as they come over the wire."""
    tool = rules.install_rule
    given = convert(arguments, tool.signature.arguments, tool.input_schema)
    named = {name: getattr(given, name) for name in tool.signature.arguments.__struct_fields__}
    return tool(**named, project=world.project)


WRONG: list[dict[str, Any]] = [
    {"name": "Upper"},
    {"on_kind": "presence_updated"},
    {"on_kind": "rule_matched"},
    {"actions": []},
    {"actions": [{"tool": "install_rule", "args": {}}]},
    {"actions": [{"tool": "set_broadcast", "args": {"key": "k", "value": 1}}] * 11},
    {"description": "x" * 2001},
]


@pytest.mark.parametrize("wrong", WRONG)
def test_what_the_contract_does_not_allow_is_refused(world: RuleWorld, wrong: dict[str, Any]):
    action = {"tool": "set_broadcast", "args": {"key": "k", "value": 1}}
    right = {"name": "a-1", "on_kind": "claim_expired", "actions": [action]}
    assert _called(world, right).ok
    with pytest.raises(InvalidInput):
        _called(world, right | wrong)


def test_the_default_rules_install_as_they_stand_and_do_what_they_say(world: RuleWorld):
    defaults = msgspec.to_builtins(rules.list_default_rules())["defaults"]
    assert [each["name"] for each in defaults] == ["error-pin", "claim-watchdog", "review-router"]
    for each in defaults:
        _called(world, each)
    world.happen("claim_expired", key="file:a", holder="x@y#1", expires_at=7)
    world.happen(content_preview="please look", turn_id="01T", metadata={"tag": "needs_review"})
    found = world.broadcasts()
    assert found["last_abandoned_claim"]["holder"] == "x@y#1"
    assert found["review_queue:latest"] == {"actor": "bob", "turn_id": "01T", "preview": "please look"}


def test_a_dry_run_on_a_sample_tells_what_would_be_done_and_does_nothing(world: RuleWorld):
    install(world, where={"event.actor": "eve"})
    tested = rules.test_rule(
        "note", sample={"payload": {"text": "hi"}, "event": {"actor": "eve"}}, project=world.project
    )
    (trial,) = tested.trials
    assert (tested.source, tested.matched, trial.matches) == ("sample", 1, True)
    assert trial.actions == [broadcast("last", "hi")]
    assert not rules.test_rule("note", sample={}, project=world.project).matched
    assert world.broadcasts() == {}


def test_a_dry_run_on_the_last_events_looks_at_those_of_its_kind(world: RuleWorld):
    for number in range(5):
        world.happen(text=f"t{number}", n=number)
    world.happen("claim_expired", key="file:a")
    tested = rules.test_rule(
        on_kind="turn_recorded",
        where={"payload.n": {"$gte": 3}},
        actions=[broadcast("k", "${payload.text}")],
        limit=4,
        project=world.project,
    )
    assert (tested.source, tested.tested, tested.matched) == ("last_events", 4, 2)
    assert [trial.matches for trial in tested.trials] == [True, True, False, False]
    assert tested.trials[0].actions == [broadcast("k", "t4")]


def test_a_dry_run_of_no_rule_is_refused(world: RuleWorld):
    with pytest.raises(NotFound, match="no rule"):
        rules.test_rule("nothing", project=world.project)
    with pytest.raises(InvalidInput):
        rules.test_rule(project=world.project)
    with pytest.raises(InvalidInput, match=r"\$regex"):
        rules.test_rule(on_kind="turn_recorded", where={"payload.x": {"$regex": "a"}}, project=world.project)
    with pytest.raises(InvalidInput) as refused:
        rules.test_rule(on_kind="turn_recorded", sample={"payload": 3}, project=world.project)
    assert refused.value.path == "sample.payload"
