"""Who is told when something is wrong, what the firewall lets through, and how environments differ."""

import json
import re

import pytest

from tests.contract.template import ALARMS, CONFIGURATION, FIREWALL, OBSERVABILITY, RESOURCES, TEMPLATE


def test_alarms_are_sent_somewhere_and_stay_silent_while_nothing_happens() -> None:
    assert len(ALARMS) > 10
    for alarm in ALARMS.values():
        assert alarm["AlarmActions"] == [{"Ref": "Alarms"}]
        assert alarm["TreatMissingData"] == "notBreaching"


def test_every_queue_of_what_was_given_up_has_an_alarm() -> None:
    queues = {name for name, of in RESOURCES.items() if of["Type"] == "AWS::SQS::Queue" and "DeadLetter" in name}
    watched = {
        d["Value"]["Ref"] for alarm in ALARMS.values() for d in alarm.get("Dimensions", ()) if d["Name"] == "QueueName"
    }
    assert queues <= watched


def test_the_observability_stack_is_given_every_parameter_and_no_other() -> None:
    assert set(RESOURCES["Observability"]["Properties"]["Parameters"]) == set(OBSERVABILITY["Parameters"])


def test_the_dashboard_is_json_that_looks_at_this_stack() -> None:
    body = OBSERVABILITY["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Sub"]
    widgets = json.loads(body)["widgets"]
    assert all(widget["x"] + widget["width"] <= 24 for widget in widgets)
    placeholders = set(re.findall(r"\$\{([^}]+)\}", body))
    assert placeholders <= set(OBSERVABILITY["Parameters"]) | {"AWS::Region"}


def test_the_firewall_costs_nothing_until_it_is_asked_for() -> None:
    assert TEMPLATE["Parameters"]["Firewall"]["Default"] == "off"
    assert RESOURCES["WebFirewall"]["Condition"] == "HasFirewall"


def test_the_firewall_does_not_judge_what_people_write() -> None:
    rules = FIREWALL["Resources"]["Rules"]["Properties"]["Rules"]
    (common,) = [rule for rule in rules if rule["Name"] == "CommonAttacks"]
    overridden = common["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    assert all(override["ActionToUse"] == {"Count": {}} for override in overridden)
    assert "SizeRestrictions_BODY" in {override["Name"] for override in overridden}


def test_a_blocked_address_reads_a_json_rpc_error() -> None:
    content = FIREWALL["Resources"]["Rules"]["Properties"]["CustomResponseBodies"]["TooMany"]["Content"]
    assert json.loads(content)["error"]["code"] == 429


@pytest.mark.parametrize("environment", ["dev", "prod", "local"])
def test_environments_have_stacks_and_tags_of_their_own_and_know_their_parameters(environment: str) -> None:
    deploy = CONFIGURATION[environment]["deploy"]["parameters"]
    others = [
        of["deploy"]["parameters"]["stack_name"]
        for name, of in CONFIGURATION.items()
        if name not in (environment, "default")
    ]
    assert deploy["stack_name"] not in others
    assert f"environment={environment}" in deploy["tags"]
    overridden = [pair.partition("=")[0] for pair in deploy.get("parameter_overrides", "").split()]
    assert set(overridden) <= set(TEMPLATE["Parameters"])
