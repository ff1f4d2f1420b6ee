"""Test the alarms, the firewall's exceptions and the differences between environments."""

import json
import re
import time
from typing import Any

import pytest

from almanac.gateway.observability.powertools import BACKGROUND_DEFECTS, PowertoolsTelemetry
from almanac.gateway.observability.request_report import RequestReport
from almanac.platform.bus.port import EventParked
from almanac.search.engine.consistency_check import Drift
from tests.contract.template import ALARMS, CONFIGURATION, FIREWALL, FUNCTIONS, OBSERVABILITY, RESOURCES, TEMPLATE

OURS = "Almanac/${System}"
STACK, SYSTEM = "${AWS::StackName}", "${System}"
OUTCOMES = ("ok", "error", "refused", "failed")
DASHBOARD: str = OBSERVABILITY["Resources"]["Dashboard"]["Properties"]["DashboardBody"]["Sub"]
SEARCHED = re.compile(r"SEARCH\('\{([^,]+),(\w+)\} MetricName=\"(\w+)\"', '(?:Sum|p\d\d)'\)")


def test_alarms_are_sent_somewhere_and_stay_silent_while_nothing_happens() -> None:
    assert len(ALARMS) > 10
    for name, alarm in ALARMS.items():
        assert alarm["AlarmActions"] == [{"If": ["MakesTopic", {"Ref": "Alarms"}, {"Ref": "AlarmTopicArn"}]}]
        # Jobs run every minute: of them alone silence is a failure.
        assert alarm["TreatMissingData"] == ("breaching" if name == "JobsSilent" else "notBreaching")


def test_every_queue_of_what_was_given_up_has_an_alarm() -> None:
    dead = [of for name, of in RESOURCES.items() if of["Type"] == "AWS::SQS::Queue" and "DeadLetter" in name]
    queues = {of["Properties"]["QueueName"]["Sub"].replace(STACK, SYSTEM) for of in dead}
    assert len(queues) == 5
    assert queues <= _watched_values("QueueName", "AWS/SQS", "ApproximateNumberOfMessagesVisible")
    assert {f'"QueueName", "{name}"' for name in queues} <= set(re.findall(r'"QueueName", "[^"]+"', DASHBOARD))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_function_has_an_alarm_for_its_errors(function: str) -> None:
    name = FUNCTIONS[function]["Properties"]["FunctionName"]["Sub"].replace(STACK, SYSTEM)
    assert name in _watched_values("FunctionName", "AWS/Lambda", "Errors")


def _watched_values(dimension: str, namespace: str, metric: str) -> set[str]:
    return {
        each["Value"]["Sub"]
        for alarm in ALARMS.values()
        if (alarm["Namespace"], alarm["MetricName"]) == (namespace, metric)
        for each in alarm["Dimensions"]
        if each["Name"] == dimension
    }


@pytest.fixture
def lines(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, Any]]:
    """Log lines of the functions for a request of each outcome."""
    names = {"POWERTOOLS_SERVICE_NAME": "time", "POWERTOOLS_METRICS_NAMESPACE": OURS}
    telemetry = PowertoolsTelemetry(names)
    for outcome in OUTCOMES:
        telemetry.record_request(
            RequestReport(path="/mcp", method="POST", status=200, outcome=outcome, milliseconds=1.5)
        )
    return dict(zip(OUTCOMES, map(json.loads, capsys.readouterr().out.splitlines()), strict=True))


@pytest.fixture
def emitted_metrics(lines: dict[str, dict[str, Any]]) -> set[str]:
    """The names of the metrics that CloudWatch takes from these lines, and from those of failures behind calls, which
    test_alarms.py reads."""
    declared = [metric for line in lines.values() for metric in directive(line)["Metrics"]]
    return {metric["Name"] for metric in declared} | {BACKGROUND_DEFECTS, EventParked.metric, Drift.metric}


def directive(line: dict[str, Any]) -> dict[str, Any]:
    (one,) = line["_aws"]["CloudWatchMetrics"]
    return one


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_requests_line_is_embedded_metric_format(outcome: str, lines: dict[str, dict[str, Any]]) -> None:
    """https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html"""
    line = lines[outcome]
    assert 0 <= time.time() * 1000 - line["_aws"]["Timestamp"] < 60_000
    assert (directive(line)["Namespace"], directive(line)["Dimensions"]) == (OURS, [["service"]])
    assert line["service"] == "time"
    for metric in directive(line)["Metrics"]:
        assert isinstance(line[metric["Name"]], int | float)
    of_its_own = [] if outcome == "ok" else [{"Name": outcome.capitalize(), "Unit": "Count"}]
    assert directive(line)["Metrics"] == [
        {"Name": "Requests", "Unit": "Count"},
        {"Name": "Duration", "Unit": "Milliseconds"},
        *of_its_own,
    ]


def test_the_dashboard_shows_every_metric_of_ours_and_none_that_nobody_emits(
    lines: dict[str, dict[str, Any]], emitted_metrics: set[str]
) -> None:
    ((dimension,),) = directive(lines["ok"])["Dimensions"]
    behind_calls = {"BackgroundDefects", "ParkedEvents", "IndexDrift"}
    assert emitted_metrics == {
        "Requests",
        "Duration",
        *behind_calls,
        *(each.capitalize() for each in OUTCOMES if each != "ok"),
    }
    found = SEARCHED.findall(json.dumps(json.loads(DASHBOARD)).replace('\\"', '"'))
    assert len(found) == DASHBOARD.count("SEARCH(")
    assert {(namespace, by) for namespace, by, _ in found} == {(OURS, dimension)}
    assert {name for _, _, name in found} == emitted_metrics


def test_an_alarm_about_a_metric_of_ours_is_about_one_that_a_function_emits(
    lines: dict[str, dict[str, Any]], emitted_metrics: set[str]
) -> None:
    services = {f["Properties"]["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"] for f in FUNCTIONS.values()}
    ours = [alarm for alarm in ALARMS.values() if alarm["Namespace"] == {"Sub": OURS}]
    assert ours
    for alarm in ours:
        ((dimension, value),) = [(each["Name"], each["Value"]) for each in alarm["Dimensions"]]
        assert alarm["MetricName"] in emitted_metrics
        assert [dimension] in directive(lines["failed"])["Dimensions"]
        assert value in services


def test_the_observability_stack_is_given_every_parameter_and_no_other() -> None:
    assert set(RESOURCES["Observability"]["Properties"]["Parameters"]) == set(OBSERVABILITY["Parameters"])


@pytest.mark.parametrize("name", ["Dashboard", "SearchDashboard"])
def test_a_dashboard_is_json_that_looks_at_this_stack(name: str) -> None:
    body: str = OBSERVABILITY["Resources"][name]["Properties"]["DashboardBody"]["Sub"]
    widgets = json.loads(body)["widgets"]
    assert all(widget["x"] + widget["width"] <= 24 for widget in widgets)
    for widget in widgets:
        shown = [metric[-1]["id"] for metric in widget["properties"]["metrics"] if "expression" in metric[-1]]
        assert len(set(shown)) == len(shown)
    placeholders = set(re.findall(r"\$\{([^}]+)\}", body))
    assert placeholders <= set(OBSERVABILITY["Parameters"]) | {"AWS::Region", "AWS::AccountId"}


def test_the_firewall_costs_nothing_until_it_is_asked_for() -> None:
    assert TEMPLATE["Parameters"]["Firewall"]["Default"] == "off"
    assert RESOURCES["WebFirewall"]["Condition"] == "HasFirewall"


def test_the_firewall_does_not_judge_what_people_write() -> None:
    rules = FIREWALL["Resources"]["Rules"]["Properties"]["Rules"]
    (common,) = [rule for rule in rules if rule["Name"] == "CommonAttacks"]
    overridden = common["Statement"]["ManagedRuleGroupStatement"]["RuleActionOverrides"]
    assert all(override["ActionToUse"] == {"Count": {}} for override in overridden)
    names = {override["Name"] for override in overridden}
    assert {"SizeRestrictions_BODY", "GenericRFI_BODY", "CrossSiteScripting_BODY"} <= names
    # A program on the user's own machine is answered at http://127.0.0.1, which is in its query, beside a long state.
    assert {"GenericRFI_QUERYARGUMENTS", "SizeRestrictions_QUERYSTRING", "CrossSiteScripting_QUERYARGUMENTS"} <= names


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
