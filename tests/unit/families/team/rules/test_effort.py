"""Test the limits on the work of rules. Work is counted per event, and the rest is done later."""

import json
from typing import Any

import pytest

from almanac.families.team.rules.effort import EFFORT_OF_A_ROUND, Effort, Exhausted, charge_to
from almanac.families.team.rules.event_filter import MATCHING_CONTINUED
from almanac.families.team.rules.paths import document
from almanac.families.team.rules.predicates import compile_predicate
from almanac.families.team.rules.reactions import match_rules
from almanac.families.team.rules.records import ACTIVITY, RULES, RuleActivity, RuleRecord
from almanac.families.team.tools import rules
from almanac.kernel.clock import Clock
from almanac.platform.bus.outbox import messages_in
from almanac.platform.services import Services
from almanac.platform.store.port import Put, Store
from tests.unit.families.team.rule_world import SCOPE, RuleWorld, broadcast, install, only

SLOW = {"payload.text": {"$matches": "(a|b)*a(a|b){100}c"}}
TEXT = "ab" * 3900


def effort_of(where: dict[str, Any], world: RuleWorld, **payload: Any) -> int:
    effort = Effort(10**9)
    with charge_to(effort):
        compile_predicate(where)(document(world.event(**payload)))
    return effort.total - effort.left


def test_a_pattern_costs_its_size_times_the_bytes_that_it_looks_at(world: RuleWorld):
    short, double, whole = (effort_of(SLOW, world, text="b" * size) for size in (1000, 2000, 4096))
    assert 1.9 * short < double < 2.1 * short
    assert effort_of(SLOW, world, text="b" * 16_000) == whole < EFFORT_OF_A_ROUND
    assert effort_of(SLOW, world, text=["b" * 3000] * 5) < 1.1 * whole
    assert effort_of(SLOW, world, text="é" * 4096) < 1.1 * whole


def test_patterns_see_the_first_four_kilobytes_and_no_end_of_what_was_cut(world: RuleWorld):
    def holds(pattern: str, text: Any) -> bool:
        return compile_predicate({"payload.text": {"$matches": pattern}})(document(world.event(text=text)))

    assert holds("b", "a" * 4095 + "b")
    assert not holds("b", "a" * 4096 + "b")
    assert not holds("a$", "a" * 5000)
    assert holds("é{1000}", "é" * 5000)
    assert holds("b$", ["a" * 4000, "b"])


def test_comparing_long_lists_costs_their_lengths_multiplied(world: RuleWorld):
    one = effort_of({"payload.n": {"$in": [1, 2.5]}}, world, n=[0] * 100)
    assert effort_of({"payload.n": {"$in": [*range(1, 100), 0.5]}}, world, n=[0] * 1000) > 300 * one


def test_slow_rules_have_their_turn_one_round_after_the_other(world: RuleWorld):
    for number in range(6):
        install(world, f"slow-{number}", broadcast(f"seen-{number}", 1), where={"$or": [SLOW, {"event.actor": "bob"}]})
    install(world, "zebra", broadcast("zebra", 1))
    world.write(text=TEXT)
    rounds = 0
    while world.step():
        rounds += 1
        assert rounds < 20
    assert world.broadcasts() == {f"seen-{number}": 1 for number in range(6)} | {"zebra": 1}
    assert rounds > 3
    assert all(rule.fired == 1 and rule.failures == 0 for rule in rules.list_rules(project=world.project).rules)


@pytest.mark.parametrize("count", [20, 80])
def test_one_round_costs_no_more_however_many_rules_there_are(world: RuleWorld, count: int):
    for number in range(count):
        install(world, f"slow-{number}", where=SLOW)
    services = Services({Store: lambda: world.store, Clock: lambda: world.clock})
    changes = match_rules(world.event(text=TEXT), services)
    told = [
        message.event for change in changes if isinstance(change, Put) for message in messages_in(change.attributes)
    ]
    assert [event.kind for event in told] == [MATCHING_CONTINUED]
    assert 0 <= int(str(told[0].payload["after"]).removeprefix("slow-")) < count


def test_a_rule_that_is_too_slow_by_itself_says_so_and_holds_up_no_other(world: RuleWorld):
    install(world, "note")
    where = json.dumps({"payload.text": {"$matches": "(a?){500}c"}})
    stored = RuleRecord(
        name="huge",
        description=None,
        on_kind="turn_recorded",
        where=where,
        actions=[{"tool": "set_broadcast", "args": {"key": "huge", "value": 1}}],
        enabled=True,
        installed_by="ann",
        installed_at=1,
    )
    activity = ACTIVITY.within(world.store, SCOPE).insert(RuleActivity(name="huge"))
    world.store.write([RULES.within(world.store, SCOPE).insert(stored), activity])
    rules.remove_rule("note", project=world.project)
    install(world, "tail")
    world.happen(text=TEXT)

    assert list(world.broadcasts()) == ["last"]
    huge, tail = rules.list_rules(project=world.project).rules
    assert (huge.fired, tail.fired) == (0, 1)
    world.happen(text="c")
    assert world.broadcasts()["huge"] == 1


def test_a_rule_that_was_too_slow_tells_of_it_in_its_activity(world: RuleWorld):
    install(world)
    world.happen(n=[0] * 7000, text="x")
    assert only(world).failures == 0
    install(world, where={"payload.n": {"$in": [*range(1, 100), 0.5]}})
    world.happen(n=[0] * 7000)
    assert only(world).failures == 1
    assert "too many steps" in only(world).last_error
    assert "turn_recorded" in only(world).last_error


def test_nobody_looks_at_the_rules_for_events_that_none_is_for(world: RuleWorld):
    install(world, on_kind="claim_expired")
    services = Services({Store: lambda: world.store, Clock: lambda: world.clock})
    assert match_rules(world.event("presence_updated", key="ann#1"), services) == ()
    assert match_rules(world.event("claim_expired", key="file:a"), services)


def test_what_is_spent_ends_with_what_it_was_given_for(world: RuleWorld):
    with pytest.raises(Exhausted), charge_to(Effort(1)):
        compile_predicate({"payload.x": 1})(document(world.event(x=1)))
    assert compile_predicate({"payload.x": 1})(document(world.event(x=1)))
