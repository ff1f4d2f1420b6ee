"""Rules that time sets off."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from almanac.families.team.rules.records import SCHEDULES
from almanac.families.team.rules.results import InstallRuleResult, Rule
from almanac.families.team.rules.schedules import trigger_due
from almanac.families.team.tools import rules
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at
from tests.unit.families.team.rule_world import SCOPE, RuleWorld, broadcast

WEEKDAYS_AT_NINE = "0 9 * * MON-FRI"
SAID = broadcast("last", "${payload.rule} ${payload.local}")


def install_schedule(
    world: RuleWorld, name: str = "standup", on_schedule: str = WEEKDAYS_AT_NINE, **more: Any
) -> InstallRuleResult:
    wanted: dict[str, Any] = {"on_kind": "schedule_due", "actions": [SAID]} | more
    return rules.install_rule(name, on_schedule=on_schedule, **wanted, project=world.project)


def at(world: RuleWorld, day: int, hour: int, minute: int = 0, month: int = 2) -> int:
    """Let the jobs run at this instant (UTC); the number of rules that were due."""
    world.clock.instant = datetime(2026, month, day, hour, minute, tzinfo=UTC)
    count = trigger_due(world.services, SCOPE)
    world.settle()
    return count


def rules_by_name(world: RuleWorld) -> Mapping[str, Rule]:
    return {rule.name: rule for rule in rules.list_rules(project=world.project).rules}


def test_a_rule_is_set_off_once_when_its_time_has_come_by_the_clock_of_its_zone(world: RuleWorld):
    rule = install_schedule(world).rule
    assert (rule.on_schedule, rule.timezone) == (WEEKDAYS_AT_NINE, "Europe/Berlin")
    assert instant_at(rule.next_at or 0) == datetime(2026, 2, 19, 8, tzinfo=UTC)

    assert at(world, 19, 7, 59) == 0
    assert world.broadcasts() == {}
    assert at(world, 19, 8) == 1
    assert at(world, 19, 8) == 0

    assert world.broadcasts() == {"last": "standup 2026-02-19T09:00:00+01:00"}
    rule = rules_by_name(world)["standup"]
    assert (rule.fired, rule.failures) == (1, 0)
    assert instant_at(rule.next_at or 0) == datetime(2026, 2, 20, 8, tzinfo=UTC)


def test_the_hour_stays_when_the_clocks_change(world: RuleWorld):
    install_schedule(world, on_schedule="0 9 * * *")

    assert at(world, 28, 8, month=3) == 1
    assert at(world, 29, 7, month=3) == 1
    assert at(world, 30, 7, month=3) == 1
    assert world.broadcasts() == {"last": "standup 2026-03-30T09:00:00+02:00"}


def test_two_zones_have_their_own_nine_o_clock(world: RuleWorld):
    install_schedule(world, "here")
    install_schedule(world, "there", timezone="america/new_york")

    assert at(world, 19, 8) == 1
    assert world.broadcasts() == {"last": "here 2026-02-19T09:00:00+01:00"}
    assert at(world, 19, 14) == 1
    assert world.broadcasts() == {"last": "there 2026-02-19T09:00:00-05:00"}


def test_after_an_outage_one_event_stands_for_all_that_were_missed(world: RuleWorld):
    install_schedule(world, on_schedule="*/10 * * * *")
    install_schedule(world, "beat", on_schedule="rate(7 minutes)", actions=[broadcast("beat", "${payload.due_at}")])

    assert at(world, 20, 12, 34) == 2

    assert {name: rule.fired for name, rule in rules_by_name(world).items()} == {"standup": 1, "beat": 1}
    assert instant_at(rules_by_name(world)["standup"].next_at or 0) == datetime(2026, 2, 20, 12, 40, tzinfo=UTC)
    following = instant_at(rules_by_name(world)["beat"].next_at or 0)
    assert timedelta() < following - world.clock.instant <= timedelta(minutes=7)
    assert (following - datetime(2026, 2, 18, 14, 30, tzinfo=UTC)) % timedelta(minutes=7) == timedelta()


def test_the_schedule_of_one_rule_sets_off_no_other(world: RuleWorld):
    install_schedule(world, "here")
    install_schedule(world, "later", on_schedule="0 10 * * *", actions=[broadcast("later", 1)])

    assert at(world, 19, 8) == 1
    assert world.broadcasts() == {"last": "here 2026-02-19T09:00:00+01:00"}


def test_where_narrows_what_time_sets_off(world: RuleWorld):
    install_schedule(world, where={"payload.local": {"$matches": "2026-02-20"}})

    assert (at(world, 19, 8), world.broadcasts()) == (1, {})
    assert (at(world, 20, 8), len(world.broadcasts())) == (1, 1)


@pytest.mark.parametrize("how", ["off", "removed", "of another kind"])
def test_a_rule_without_a_schedule_any_more_is_not_set_off(world: RuleWorld, how: str):
    install_schedule(world)
    if how == "removed":
        rules.remove_rule("standup", project=world.project)
    elif how == "off":
        assert install_schedule(world, enabled=False).rule.next_at is None
    else:
        rules.install_rule("standup", on_kind="claim_expired", actions=[SAID], project=world.project)

    assert at(world, 19, 8) == 0
    assert SCHEDULES.within(world.store, SCOPE).query().records == ()
    assert world.broadcasts() == {}


def test_a_new_schedule_takes_the_place_of_the_one_before(world: RuleWorld):
    install_schedule(world)
    install_schedule(world, on_schedule="30 9 * * *")

    assert at(world, 19, 8) == 0
    assert at(world, 19, 8, 30) == 1


def test_of_two_processes_one_sets_it_off(world: RuleWorld, monkeypatch: pytest.MonkeyPatch):
    install_schedule(world)
    world.clock.instant = datetime(2026, 2, 19, 8, tzinfo=UTC)
    write, others = world.store.write, list[int]()

    def first_the_other(*arguments: Any, **more: Any) -> Any:
        monkeypatch.setattr(world.store, "write", write)
        others.append(trigger_due(world.services, SCOPE))
        return write(*arguments, **more)

    monkeypatch.setattr(world.store, "write", first_the_other)

    assert trigger_due(world.services, SCOPE) == 0
    assert others == [1]
    world.settle()
    assert rules_by_name(world)["standup"].fired == 1


def test_another_project_has_schedules_of_its_own(world: RuleWorld):
    install_schedule(world)

    world.clock.instant = datetime(2026, 2, 19, 8, tzinfo=UTC)
    assert trigger_due(world.services, Scope("acme", "other")) == 0
    assert trigger_due(world.services, Scope("rival", "main")) == 0


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ({"on_schedule": "0 9 * *"}, "neither a cron expression nor a rate"),
        ({"on_kind": "claim_expired"}, "go together"),
        ({"on_schedule": None}, "go together"),
        ({"timezone": "Mars/Base"}, "Mars/Base"),
    ],
)
def test_what_could_never_be_set_off_is_refused(world: RuleWorld, wanted: dict[str, Any], says: str):
    with pytest.raises(InvalidInput) as refused:
        install_schedule(world, **wanted)

    assert says in refused.value.message
    assert rules.list_rules(project=world.project).rules == []


def test_a_dry_run_sees_the_times_of_the_rule_itself(world: RuleWorld):
    install_schedule(world, "here")
    install_schedule(world, "often", on_schedule="0 * * * *")
    at(world, 18, 15)
    at(world, 18, 16)
    at(world, 19, 8)

    assert rules.test_rule("here", project=world.project).tested == 1
    assert rules.test_rule("often", project=world.project).matched == 3


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    every=st.integers(1, 90), rounds=st.lists(st.integers(0, 400), min_size=1, max_size=6), start=st.integers(0, 100)
)
def test_a_rate_keeps_its_beat_however_late_the_rounds_are(world: RuleWorld, every: int, rounds: list[int], start: int):
    begin = datetime(2026, 2, 18, 14, 30, tzinfo=UTC) + timedelta(minutes=start)
    world.clock.instant = begin
    install_schedule(world, "beat", on_schedule=f"rate({every} minutes)")
    elapsed = beats = 0
    for wait in rounds:
        elapsed += wait
        world.clock.instant = begin + timedelta(minutes=elapsed)
        is_due, beats = elapsed // every > beats, elapsed // every
        assert trigger_due(world.services, SCOPE) == is_due
        following = instant_at(rules_by_name(world)["beat"].next_at or 0)
        assert following == begin + timedelta(minutes=every * (beats + 1))
