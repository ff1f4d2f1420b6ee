"""Test rules that act on events. On a stack the events go through its stream, its bus and a queue."""

import json
from collections.abc import Generator
from datetime import datetime
from secrets import token_hex
from typing import Any

import pytest

from tests.e2e.target import Target, eventually, result_text

PATH = "/team"
SECOND, MINUTE = 1000, 60_000
LATE = 15_000
"""What a busy machine adds to the time of a schedule."""
"""How late a schedule may ring, and what the function takes."""


@pytest.fixture
def name() -> str:
    return f"e2e-{token_hex(6)}"


@pytest.fixture
def rules(team: Target) -> Generator[list[str]]:
    """Names of rules that are gone when the test is over."""
    installed: list[str] = []
    yield installed
    for rule in installed:
        team.ask("remove_rule", PATH, name=rule)


def _install(team: Target, rules: list[str], **rule: Any) -> None:
    assert team.ask("install_rule", PATH, **rule)["ok"]
    rules.append(rule["name"])


def _broadcast_action(key: str, value: Any) -> list[dict[str, Any]]:
    return [{"tool": "set_broadcast", "args": {"key": key, "value": value}}]


def _activity(team: Target, rule: str) -> dict[str, Any]:
    (found,) = [each for each in team.ask("list_rules", PATH)["rules"] if each["name"] == rule]
    return found


def _value(team: Target, key: str) -> Any:
    return team.ask("get_broadcast", PATH, key=key)["value"]


def test_the_default_rules_install_as_they_stand_and_the_watchdog_tells_of_a_claim_that_ran_out(
    team: Target, rules: list[str], name: str
):
    for rule in team.ask("list_default_rules", PATH)["defaults"]:
        if rule.get("available", True):
            _install(team, rules, **rule)
    minutely = {"on_kind": "schedule_due", "on_schedule": "* * * * *", "timezone": "Europe/Berlin"}
    _install(team, rules, name=name, **minutely, actions=_broadcast_action(f"{name}:minute", "${payload.local}"))
    key = f"story:{name}"
    claim = team.ask("claim", PATH, key=key, holder="cursor@ann#1", ttl_ms=5000)["claim"]

    # Nobody touches the claim any more: time alone is to announce its end.
    abandoned = {"key": key, "holder": "cursor@ann#1", "expired_at": claim["expires_at"]}
    eventually(lambda: _value(team, "last_abandoned_claim") == abandoned)
    assert _activity(team, "claim-watchdog")["fired"] >= 1
    # And a rule that time itself sets off.
    told_at = datetime.fromisoformat(eventually(lambda: _value(team, f"{name}:minute")))
    assert told_at.second == 0
    assert abs(_activity(team, name)["last_fired_at"] / 1000 - told_at.timestamp()) <= 2 * MINUTE / SECOND

    tried = eventually(lambda: team.ask("test_rule", PATH, on_kind="claim_expired", limit=100)["trials"])
    (told,) = [trial for trial in tried if trial["key"] == key]
    waited = told["at"] - claim["expires_at"]
    print(f"announced {waited} ms after the deadline")
    on_laptop = team.command_line is not None and team.stack is None
    assert 0 <= waited <= (SECOND if on_laptop else MINUTE) + LATE


def test_a_rule_does_what_it_says_once_for_each_event_and_its_own_doing_sets_off_nothing(
    team: Target, rules: list[str], name: str
):
    seen = f"{name}:seen"
    where = {"payload.key": {"$matches": f"^{name}"}, "payload.value": {"$gte": 3}}
    text = "${payload.value} by ${event.actor}"
    _install(team, rules, name=name, on_kind="broadcast_set", where=where, actions=_broadcast_action(seen, text))
    # It would match what the first one does, if that were not a rule's doing.
    again = f"{name}-again"
    where = {"payload.key": seen}
    _install(
        team, rules, name=again, on_kind="broadcast_set", where=where, actions=_broadcast_action(f"{seen}:again", "no")
    )

    for value in (1, 5, 2):
        team.ask("set_broadcast", PATH, key=name, value=value)
    # On AWS rules fire in no promised order.
    eventually(lambda: (value := _value(team, seen)) and value.startswith("5 by "))
    team.ask("set_broadcast", PATH, key=name, value=7)

    assert eventually(lambda: (value := _value(team, seen)) and value.startswith("7 by ") and value)
    activity = eventually(lambda: (rule := _activity(team, name))["fired"] == 2 and rule)
    assert (activity["failures"], activity["last_error"]) == (0, None)
    assert activity["last_fired_at"] >= activity["installed_at"]
    assert _activity(team, again)["fired"] == 0
    assert _value(team, f"{seen}:again") is None


def test_a_rule_that_was_switched_off_or_removed_does_nothing(team: Target, rules: list[str], name: str):
    rule: dict[str, Any] = {"name": name, "on_kind": "broadcast_set", "where": {"payload.key": name}}
    _install(team, rules, **rule, actions=_broadcast_action(f"{name}:off", "no"), enabled=False)
    team.ask("set_broadcast", PATH, key=name, value=1)
    team.ask("install_rule", PATH, **rule, actions=_broadcast_action(f"{name}:on", "${payload.value}"))
    team.ask("set_broadcast", PATH, key=name, value=2)

    eventually(lambda: _value(team, f"{name}:on") == 2)
    assert _value(team, f"{name}:off") is None


def test_what_nothing_here_can_do_is_refused_with_what_can_be_done(team: Target, name: str):
    if "memory" in team.families:
        pytest.skip("the memory family does pin_memory here")
    pin = [{"tool": "pin_memory", "args": {"content": "${payload.value}"}}]
    for wanted, told in (
        ({"on_kind": "broadcast_set", "actions": pin}, "set_broadcast"),
        ({"on_kind": "turn_recorded", "actions": _broadcast_action(name, 1)}, "slot_booked"),
    ):
        result = team.call("install_rule", {"name": name, **wanted}, PATH)
        assert result.is_error
        assert told in result_text(result)


def test_a_rule_fires_on_a_decided_review(team: Target, rules: list[str], name: str):
    kinds = [each["on_kind"] for each in team.ask("list_event_kinds", PATH)["kinds"]]
    assert {"slot_booked", "item_moved", "review_completed", "claim_taken"} <= set(kinds)
    text = {"decision": "${payload.decision}", "own": "${payload.self_reviewed}"}
    where = {"payload.subject": name}
    _install(team, rules, name=name, on_kind="review_completed", where=where, actions=_broadcast_action(name, text))
    review = team.ask("request_review", PATH, subject=name)["review"]
    team.ask("mark_reviewed", PATH, review_id=review["id"], decision="approved")
    assert eventually(lambda: _value(team, name)) == {"decision": "approved", "own": True}


def test_a_rule_is_tried_on_what_happened_without_doing_anything(team: Target, name: str):
    for value in range(3):
        team.ask("set_broadcast", PATH, key=name, value=value)
    where = {"payload.key": name, "payload.value": {"$in": [1, 2]}}
    actions = _broadcast_action(f"{name}:tried", "${payload.value}!")

    def try_rule() -> dict[str, Any] | None:
        answer = team.ask("test_rule", PATH, on_kind="broadcast_set", where=where, actions=actions, limit=100)
        return answer if answer["matched"] == 2 else None

    matching = [trial for trial in eventually(try_rule)["trials"] if trial["matches"]]
    assert [trial["actions"][0]["args"]["value"] for trial in matching] == ["2!", "1!"]
    assert _value(team, f"{name}:tried") is None


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("an unknown operator", {"where": {"payload.value": {"$near": 3}}}, "$near"),
    ("no path", {"where": {"value": 3}}, "payload."),
    ("a pattern that could take for ever elsewhere", {"where": {"payload.a": {"$matches": "(a+)\\1$"}}}, "RE2"),
    ("too many patterns", {"where": {f"payload.{n}": {"$matches": "a"} for n in range(11)}}, "patterns"),
    ("an action of no rule", {"actions": [{"tool": "claim", "args": {}}]}, "set_broadcast"),
    ("an action without its arguments", {"actions": [{"tool": "set_broadcast", "args": {"key": "k"}}]}, "value"),
    ("no action", {"actions": []}, "actions"),
    ("a kind that rules do not hear", {"on_kind": "subscribed"}, "on_kind"),
    ("a name with capitals", {"name": "Loud"}, "name"),
    ("too many places to fill", {"actions": _broadcast_action("k", "${payload.a}" * 33)}, "32"),
]


@pytest.mark.parametrize(
    ("change", "told"), [(change, told) for _, change, told in REFUSED], ids=[r[0] for r in REFUSED]
)
def test_what_could_not_run_is_refused_when_it_is_installed(team: Target, change: dict[str, Any], told: str):
    rule = {"name": "refused", "on_kind": "broadcast_set", "actions": _broadcast_action("k", "v")} | change
    result = team.call("install_rule", rule, PATH)
    assert result.is_error
    assert told in result_text(result)
    assert "refused" not in [each["name"] for each in team.ask("list_rules", PATH)["rules"]]


def test_a_rule_cannot_fill_more_than_a_broadcast_holds(team: Target, rules: list[str], name: str):
    actions = _broadcast_action(f"{name}:bomb", "${payload.value}" * 32)
    _install(team, rules, name=name, on_kind="broadcast_set", where={"payload.key": name}, actions=actions)
    team.ask("set_broadcast", PATH, key=name, value="x" * 7000)
    value = eventually(lambda: _value(team, f"{name}:bomb"))
    assert 6000 < len(json.dumps(value)) <= 8192
    assert value.endswith("…")
