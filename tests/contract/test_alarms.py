"""Test that background failures raise alarms: the handlers' log lines have the metrics that the template's alarms
watch."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from tests.contract.template import ALARMS, FUNCTIONS, NESTED, RESOURCES

NAME = "almanac-test"
PARKED = [(each, "ParkedEvents") for each in ("reactions", "rules", "feed_push")]
WORKERS = ("enriching", "feed", "feed_push", "feed_socket", "jobs", "reactions", "rules", "sweep", "team")
TRIED_AGAIN = ("enriching", "feed_push", "feed_socket", "reactions", "rules")
"""What fails there is tried again until it succeeds or is parked."""


class Metric(NamedTuple):
    namespace: str
    name: str
    dimensions: frozenset[tuple[str, str]]


@pytest.mark.parametrize(
    ("service", "name"), [*((each, "BackgroundDefects") for each in WORKERS), *PARKED, ("jobs", "IndexDrift")]
)
def test_a_failure_behind_a_call_sets_off_an_alarm(service: str, name: str) -> None:
    counted = {metric: count for metric, count in _failure_metrics(service).items() if metric.name == name}
    assert counted
    for metric, count in counted.items():
        (alarm,) = [each for each in ALARMS.values() if _watches(each) == metric]
        assert alarm["Statistic"] == "Sum"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
        assert count > alarm["Threshold"]
        assert alarm["Period"] * alarm.get("DatapointsToAlarm", alarm["EvaluationPeriods"]) <= 600
        if name != "BackgroundDefects" or service not in TRIED_AGAIN:
            assert alarm["EvaluationPeriods"] == 1, "it does not come again"


def test_every_failure_counts_once_and_a_lost_document_each() -> None:
    jobs = {metric.name: count for metric, count in _failure_metrics("jobs").items()}
    # Two jobs in the tenant's project and in what its projects share.
    assert jobs == {"BackgroundDefects": 4, "IndexDrift": 6}
    # Two events of the sample were parked, each at its sixth failure.
    reactions = {metric.name: count for metric, count in _failure_metrics("reactions").items()}
    assert reactions["ParkedEvents"] == 2
    assert reactions["BackgroundDefects"] >= 12


@pytest.mark.parametrize("function", sorted(FUNCTIONS.keys() - {"AuthorizerFunction"}))
def test_every_function_has_an_alarm_for_what_fails_behind_its_calls(function: str) -> None:
    environment = _environment(FUNCTIONS[function])
    expected = Metric(
        environment["POWERTOOLS_METRICS_NAMESPACE"],
        "BackgroundDefects",
        frozenset([("service", environment["POWERTOOLS_SERVICE_NAME"])]),
    )
    assert [name for name, alarm in ALARMS.items() if _watches(alarm) == expected]


def test_jobs_that_no_longer_run_set_off_an_alarm() -> None:
    alarm = ALARMS["JobsSilent"]
    assert alarm["TreatMissingData"] == "breaching"
    assert _watches(alarm) == Metric("AWS/Lambda", "Invocations", frozenset([("FunctionName", f"{NAME}-jobs")]))


def test_events_that_wait_long_set_off_an_alarm_at_every_queue_and_at_the_stream() -> None:
    watched = {(metric.name, *value) for metric in map(_watches, ALARMS.values()) for value in metric.dimensions}
    read = [of for of in RESOURCES.values() if of["Type"] == "AWS::SQS::Queue" and "RedrivePolicy" in of["Properties"]]
    assert len(read) == 4
    for queue in read:
        name = _fill_in(queue["Properties"]["QueueName"])
        assert ("ApproximateAgeOfOldestMessage", "QueueName", name) in watched
    assert ("IteratorAge", "FunctionName", f"{NAME}-feed") in watched


def test_the_domain_of_search_is_watched_where_the_stack_has_one() -> None:
    resources = NESTED["Observability"]["Resources"]
    watched = {of["MetricName"]: of for of in ALARMS.values() if of["Namespace"] == "AWS/ES"}
    for name, alarm in ALARMS.items():
        is_conditional = name in resources and resources[name].get("Condition") == "HasSearchDomain"
        assert (alarm in watched.values()) == is_conditional
    assert set(watched) == {
        "ClusterStatus.red",
        "ClusterStatus.yellow",
        "FreeStorageSpace",
        "ClusterIndexWritesBlocked",
        "JVMMemoryPressure",
        "CPUUtilization",
        "CPUCreditBalance",
    }
    for of in watched.values():
        assert {each["Name"] for each in of["Dimensions"]} == {"DomainName", "ClientId"}
    assert watched["ClusterStatus.yellow"]["Period"] * watched["ClusterStatus.yellow"]["EvaluationPeriods"] == 3600


def test_a_quarter_of_the_disk_is_where_the_alarm_about_it_begins() -> None:
    gigabytes = NESTED["SearchDomain"]["Parameters"]["DiskGigabytes"]["Default"]
    given = RESOURCES["Observability"]["Properties"]["Parameters"]["LowStorage"]
    assert given * 4 == gigabytes * 1024


def test_alarms_are_encrypted_by_a_key_that_cloudwatch_may_use() -> None:
    """SNS's own key could not be used by CloudWatch, and no alarm would arrive."""
    resources = NESTED["Observability"]["Resources"]
    chosen = {"If": ["MakesKey", {"Ref": "AlarmsKey"}, {"Ref": "AWS::NoValue"}]}
    assert resources["Alarms"]["Properties"]["KmsMasterKeyId"] == chosen
    used = resources["AlarmsKey"]["Properties"]["KeyPolicy"]["Statement"][1]
    published, over_tls = resources["AlarmsPolicy"]["Properties"]["PolicyDocument"]["Statement"]
    for allowed in (used, published):
        assert (allowed["Effect"], allowed["Principal"]) == ("Allow", {"Service": "cloudwatch.amazonaws.com"})
        assert allowed["Condition"] == {"StringEquals": {"aws:SourceAccount": {"Ref": "AWS::AccountId"}}}
    assert used["Action"] == ["kms:Decrypt", "kms:GenerateDataKey*"]
    assert (over_tls["Effect"], over_tls["Condition"]) == ("Deny", {"Bool": {"aws:SecureTransport": "false"}})


@cache
def _failure_metrics(service: str) -> Counter[Metric]:
    """Return the metrics that the function of `service` emits when its work fails."""
    (function,) = [of for of in FUNCTIONS.values() if _environment(of)["POWERTOOLS_SERVICE_NAME"] == service]
    environment = os.environ | _environment(function) | {"AWS_LAMBDA_FUNCTION_NAME": f"{NAME}-{service}"}
    command = [sys.executable, "-m", "tests.contract.broken_workers", service]
    with TemporaryDirectory() as folder:
        done = subprocess.run(
            [*command, folder],
            env=environment,
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    counted: Counter[Metric] = Counter()
    for line in map(json.loads, done.stdout.splitlines()):
        for declared in line.get("_aws", {}).get("CloudWatchMetrics", ()):
            for names in declared["Dimensions"]:
                dimensions = frozenset((name, line[name]) for name in names)
                for metric in declared["Metrics"]:
                    counted[Metric(declared["Namespace"], metric["Name"], dimensions)] += line[metric["Name"]]
    return counted


def _environment(function: dict[str, Any]) -> dict[str, str]:
    """Return the variables that configure a function's telemetry."""
    variables = function["Properties"]["Environment"]["Variables"]
    return {name: _fill_in(variables[name]) for name in ("POWERTOOLS_METRICS_NAMESPACE", "POWERTOOLS_SERVICE_NAME")}


def _watches(alarm: dict[str, Any]) -> Metric:
    dimensions = frozenset((each["Name"], _fill_in(each["Value"])) for each in alarm.get("Dimensions", ()))
    return Metric(_fill_in(alarm["Namespace"]), alarm["MetricName"], dimensions)


def _fill_in(value: Any) -> str:
    """Return a value of the template for a stack called NAME."""
    match value:
        case {"Sub": text}:
            return str(text).replace("${AWS::StackName}", NAME).replace("${System}", NAME)
        case {"Ref": name}:
            return f"<{name}>"
        case _:
            return str(value)


@pytest.mark.parametrize("name", ALARMS)
def test_the_operators_page_says_of_every_alarm_what_to_do(name: str, repository: Path) -> None:
    page = (repository / "docs/operating.md").read_text().partition("## When an alarm rings")[2].partition("\n## ")[0]
    named = re.findall(r"`(\w+)(?:<\w+>)?`", "\n".join(re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)))
    assert any(name == each or (name.startswith(each) and f"`{each}<" in page) for each in named)
