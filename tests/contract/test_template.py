"""Test the permissions, data and addresses that a deployment of template.yaml would have."""

import json
import re
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml

from almanac.composition.families import families_for_docs
from almanac.gateway.http.authorizer import authorizer_handler
from almanac.gateway.http.responses import CHALLENGE, challenge
from almanac.gateway.observability.console import ConsoleTelemetry
from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.refusals import NO_KEY
from almanac.identity.api_key import ApiKey, new_api_key
from almanac.identity.oauth.resources import check_public_url
from almanac.identity.records import Grant, KeyRecord
from almanac.kernel.clock import FixedClock
from almanac.platform.bus.sinks import RULES_SOURCE
from almanac.platform.due.records import EVERY_SHARD
from almanac.platform.embedder.titan import TITAN
from almanac.platform.store.dynamodb.items import expiry_attributes, put_image
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import OutboxPut, Put
from tests.contract.template import (
    ALARMS,
    CONFIGURATION,
    FUNCTIONS,
    GATEWAY,
    GIVEN,
    NESTED,
    PAGE,
    RESOURCES,
    ROOT,
    TEMPLATE,
)
from tests.doubles.forgetful_store import ForgetfulStore
from tests.dynamodb_table import table_definition
from tests.e2e.emulator_gaps import resolve_header

DOORS = sorted(path.parent for path in (ROOT / "functions").glob("*/handle_*.py"))
STATEFUL = {"AWS::DynamoDB::Table", "AWS::S3::Bucket", "AWS::OpenSearchService::Domain", "AWS::KMS::Key"}

every_function = pytest.mark.parametrize("properties", [f["Properties"] for f in FUNCTIONS.values()], ids=FUNCTIONS)


@every_function
def test_a_handler_is_a_file_that_defines_the_name_it_is_called_by(properties: dict[str, Any]) -> None:
    module, _, name = properties["Handler"].rpartition(".")
    door = ROOT / properties["CodeUri"] / f"{module}.py"
    assert re.search(rf"^(def {name}\b|{name}\s*[:=]|from .* import .*\b{name}\b)", door.read_text(), re.MULTILINE)


@pytest.mark.parametrize("folder", DOORS, ids=[path.name for path in DOORS])
def test_a_door_is_deployed(folder: Path) -> None:
    handlers = {(f["Properties"]["CodeUri"], f["Properties"]["Handler"]) for f in FUNCTIONS.values()}
    for door in folder.glob("handle_*.py"):
        assert (f"functions/{folder.name}", f"{door.stem}.handler") in handlers


def test_every_folder_of_functions_has_a_door() -> None:
    folders = {path for path in (ROOT / "functions").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(DOORS)


@every_function
def test_logs_go_to_a_group_of_its_own_that_forgets(properties: dict[str, Any]) -> None:
    assert properties["LoggingConfig"]["LogFormat"] == "JSON"
    (group,) = [of["Properties"] for name, of in LOG_GROUPS.items() if _is_told(properties, name)]
    assert group["LogGroupName"] == {"Sub": f"/aws/lambda/{properties['FunctionName']['Sub']}"}
    assert group["RetentionInDays"]
    sharing = [f for f in FUNCTIONS.values() if f["Properties"]["LoggingConfig"] == properties["LoggingConfig"]]
    assert len(sharing) == 1


LOG_GROUPS = {name: of for name, of in RESOURCES.items() if of["Type"] == "AWS::Logs::LogGroup"}


def _is_told(properties: dict[str, Any], group: str) -> bool:
    return properties["LoggingConfig"]["LogGroup"] in ({"Ref": group}, LOG_GROUPS[group]["Properties"]["LogGroupName"])


@pytest.mark.parametrize("stack", ["Bus", "Feed"])
def test_log_groups_are_there_before_the_functions_that_would_make_them(stack: str) -> None:
    of_stack = [of["Properties"] for of in NESTED[stack]["Resources"].values() if "LoggingConfig" in of["Properties"]]
    names = {
        properties["LoggingConfig"]["LogGroup"]["Sub"].replace("${System}", "${AWS::StackName}")
        for properties in of_stack
    }
    awaited = {PAGE[group]["Properties"]["LogGroupName"]["Sub"] for group in PAGE[stack]["DependsOn"]}
    assert names == awaited


def test_every_python_that_may_be_chosen_has_the_libraries_that_the_layers_are_built_against() -> None:
    chosen = TEMPLATE["Parameters"]["Runtime"]
    versions = [tuple(map(int, each.removeprefix("python").split("."))) for each in chosen["AllowedValues"]]
    # Lambda's Python 3.12 and later have glibc 2.34, those before 2.26.
    assert min(versions) >= (3, 12)
    assert "manylinux_2_28" in (ROOT / "layers/vendor/Makefile").read_text()
    assert chosen["Default"] in chosen["AllowedValues"]
    assert RESOURCES["AppLayer"]["Properties"]["CompatibleRuntimes"] == chosen["AllowedValues"]


def test_state_outlives_the_stack_and_a_first_deployment_that_failed_leaves_none() -> None:
    kept = {name: of for name, of in RESOURCES.items() if of["Type"] in STATEFUL}
    assert kept
    for name, resource in kept.items():
        assert resource.get("DeletionPolicy") == "RetainExceptOnCreate", name
        assert resource.get("UpdateReplacePolicy") == "Retain", name


# What a deployed system is known by, as it was deployed first. CloudFormation replaces what changes its stack or id,
# and cannot make what has a name of ours before it has taken away what had it.
KEPT = {
    "AWS::DynamoDB::Table": {"Table"},
    "AWS::S3::Bucket": {"LargeValues"},
    "AWS::KMS::Key": {"CredentialsKey"},
    "AWS::Serverless::Api": {"Api"},
    "AWS::ApiGatewayV2::Api": {"SocketApi"},
    "AWS::ApiGatewayV2::Stage": {"SocketStage"},
    "AWS::ApiGatewayV2::Route": {"SocketConnect", "SocketDefault", "SocketDisconnect"},
    "AWS::Events::EventBus": {"EventBus"},
    "AWS::SQS::Queue": {
        "EventQueue",
        "EventDeadLetterQueue",
        "RulesQueue",
        "RulesDeadLetterQueue",
        "FeedDeadLetterQueue",
        "SocketQueue",
        "SocketDeadLetterQueue",
        "EnrichingQueue",
        "EnrichingDeadLetterQueue",
    },
    "AWS::Logs::LogGroup": {
        "AccessLogGroup",
        *(f"{name.removesuffix('Function')}Logs" for name in FUNCTIONS),
    },
}


@pytest.mark.parametrize("kind", KEPT)
def test_what_an_upgrade_must_not_replace_is_in_the_outermost_stack_under_the_name_that_it_always_had(
    kind: str,
) -> None:
    assert {name for name, of in PAGE.items() if of["Type"] == kind} == KEPT[kind]
    assert {name for name, of in RESOURCES.items() if of["Type"] == kind} == KEPT[kind]


NAMED = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SQS::Queue": "QueueName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::Events::EventBus": "Name",
    "AWS::ApiGatewayV2::Api": "Name",
    "AWS::ApiGatewayV2::Stage": "StageName",
    "AWS::Serverless::Api": "StageName",
}


def test_what_is_kept_has_the_names_that_it_always_had() -> None:
    """A name that changes replaces what has it."""
    names = {
        name: of["Properties"].get(NAMED[of["Type"]])
        for name, of in PAGE.items()
        if of["Type"] in NAMED.keys() & KEPT.keys()
    }
    system = "${AWS::StackName}"
    assert names.pop("Table") is names.pop("LargeValues") is None
    assert names.pop("Api") == "v1"
    assert names.pop("SocketStage") == "feed"
    logs = {f"/aws/lambda/{of['Properties']['FunctionName']['Sub']}" for of in FUNCTIONS.values()}
    queues = {
        f"{system}-{name}"
        for name in (
            *("events.fifo", "events-dead.fifo", "feed-dead", "sockets.fifo", "sockets-dead.fifo"),
            *("enriching.fifo", "enriching-dead.fifo", "rules", "rules-dead"),
        )
    }
    others = {f"/aws/apigateway/{system}", f"{system}-events", f"{system}-feed"}
    assert {name["Sub"] for name in names.values()} == logs | queues | others


def test_the_operators_page_describes_every_parameter_and_the_template_uses_it() -> None:
    table = (ROOT / "docs/operating.md").read_text().partition("| parameter | default | |")[2].partition("\n\n")[0]
    rows = dict(re.findall(r"^\| (`.+?) \| (.*?) \|", table, re.MULTILINE))
    described = {name: cell for names, cell in rows.items() for name in re.findall(r"`(\w+)`", names)}
    assert described.keys() == TEMPLATE["Parameters"].keys()
    used = json.dumps([TEMPLATE["Conditions"], TEMPLATE["Globals"], TEMPLATE["Resources"]], default=str)
    for name, of in TEMPLATE["Parameters"].items():
        assert f'{{"Ref": "{name}"}}' in used, name
        assert str(of["Default"]) in described[name], name


SPOKEN = {
    "ApiGateway": "API Gateway",
    "ApiGatewayV2": "API Gateway",
    "Events": "EventBridge",
    "OpenSearchService": "OpenSearch",
    "WAFv2": "WAF",
}
"""Names on the operator's page for services whose resource types are named differently."""


def test_the_operators_page_names_every_service_in_which_a_deployment_makes_something() -> None:
    needed = (ROOT / "docs/operating.md").read_text().partition("## What you need")[2].partition("\n## ")[0]
    templates = [ROOT / "template.yaml", *(ROOT / "infra").glob("*.yaml")]
    made = {each for path in templates for each in re.findall(r"\bAWS::(\w+)::", path.read_text())}
    by_sam = {"Serverless", "Scheduler", "CodeDeploy"}
    assert {each for each in made | by_sam if SPOKEN.get(each, each) not in needed} == {"Serverless"}


def test_tearing_down_deletes_every_queue_that_the_stack_leaves() -> None:
    """Each has the stack's name, so that a new stack of that name cannot be made beside it."""
    left = {
        of["Properties"]["QueueName"]["Sub"].removeprefix("${AWS::StackName}-")
        for of in PAGE.values()
        if of["Type"] == "AWS::SQS::Queue" and "DeletionPolicy" in of
    }
    section = (ROOT / "docs/operating.md").read_text().partition("## Tear down")[2]
    (deleted,) = re.findall(r"for queue in (.*); do", section)

    assert set(deleted.split()) == left


def test_the_longest_name_of_a_function_or_queue_fits_whatever_the_stack_is_called() -> None:
    said = re.search(r"A stack's name has at most ([0-9]+) characters", (ROOT / "docs/operating.md").read_text())
    assert said
    name = "s" * int(said[1])
    functions = [of["Properties"]["FunctionName"]["Sub"] for of in FUNCTIONS.values()]
    queues = [of["Properties"]["QueueName"]["Sub"] for of in PAGE.values() if of["Type"] == "AWS::SQS::Queue"]
    for names, most in ((functions, 64), (queues, 80)):
        assert max(len(each.replace("${AWS::StackName}", name)) for each in names) <= most
    assert len(name) == 64 - len("-feed-socket")


def test_the_place_in_the_stream_is_kept_whatever_function_reads_it() -> None:
    told = PAGE["HubFunction"]["Properties"]["Environment"]["Variables"]["ALMANAC_FEED_URL"]
    assert told == TEMPLATE["Outputs"]["FeedUrl"]["Value"]
    assert PAGE["FeedMapping"]["Properties"]["FunctionName"] == {"GetAtt": "Bus.Outputs.FeedFunction"}


def test_a_nested_stack_is_given_every_parameter_that_it_needs_and_no_other() -> None:
    for name, template in NESTED.items():
        needed = {each for each, of in template["Parameters"].items() if "Default" not in of}
        assert needed <= set(GIVEN[name]) <= set(template["Parameters"]), name


def test_deleted_large_values_are_kept_as_long_as_the_recovery_of_the_table_reaches() -> None:
    bucket = RESOURCES["LargeValues"]["Properties"]
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    (expiry_attributes,) = [
        rule for rule in bucket["LifecycleConfiguration"]["Rules"] if "NoncurrentVersionExpiration" in rule
    ]
    assert expiry_attributes["NoncurrentVersionExpiration"] == {"NoncurrentDays": 35}
    # What nothing is left of but the mark that it was deleted.
    assert expiry_attributes["ExpiredObjectDeleteMarker"]
    assert "Prefix" not in expiry_attributes


def test_large_values_that_no_item_names_are_swept_once_a_day() -> None:
    sweep = FUNCTIONS["SweepFunction"]["Properties"]
    assert [each["Properties"]["ScheduleExpression"] for each in sweep["Events"].values()] == ["rate(1 day)"]


def test_jobs_are_run_once_a_minute_whatever_is_switched_off() -> None:
    events = [each["Properties"] for each in FUNCTIONS["JobsFunction"]["Properties"]["Events"].values()]
    assert {event["ScheduleExpression"] for event in events} == {"rate(1 minute)"}
    alone = [event for event in events if event["State"] == {"If": ["SplitsJobs", "DISABLED", "ENABLED"]}]
    shared = [event for event in events if event["State"] == {"If": ["SplitsJobs", "ENABLED", "DISABLED"]}]
    assert (len(alone), len(alone) + len(shared)) == (1, len(events))
    assert "Input" not in alone[0]
    assert sorted(shard for event in shared for shard in json.loads(event["Input"])["shards"]) == list(EVERY_SHARD)


def test_the_table_is_the_one_the_store_expects() -> None:
    table = RESOURCES["Table"]["Properties"]
    expected = table_definition("almanac")
    for part in ("AttributeDefinitions", "KeySchema", "GlobalSecondaryIndexes", "BillingMode"):
        assert table[part] == expected[part]
    assert table["TimeToLiveSpecification"] == {"AttributeName": "TTL", "Enabled": True}
    assert set(expiry_attributes(1_000)) == {"EXPIRES", "TTL"}


def test_the_table_can_be_restored_and_its_changes_followed() -> None:
    table = RESOURCES["Table"]["Properties"]
    assert table["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"] is True
    assert table["DeletionProtectionEnabled"] == {"If": ["IsProtected", True, False]}
    assert TEMPLATE["Parameters"]["DeletionProtection"]["Default"] == "on"


def test_the_stream_carries_no_more_than_its_reader_reads() -> None:
    assert RESOURCES["Table"]["Properties"]["StreamSpecification"]["StreamViewType"] == "NEW_IMAGE"
    assert "OldImage" not in (ROOT / "layers/app/almanac/gateway/events/stream_door.py").read_text()


def test_a_key_of_ones_own_seals_the_table_and_the_large_values() -> None:
    sealed = RESOURCES["Table"]["Properties"]["SSESpecification"]["If"]
    assert sealed[:2] == ["HasDataKey", {"SSEEnabled": True, "SSEType": "KMS", "KMSMasterKeyId": {"Ref": "DataKeyArn"}}]
    (rule,) = RESOURCES["LargeValues"]["Properties"]["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["If"][0] == "HasDataKey"
    assert TEMPLATE["Parameters"]["DataKeyArn"]["Default"] == ""


def test_every_function_knows_where_large_values_are() -> None:
    assert TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]["ALMANAC_BUCKET"] == {"Ref": "LargeValues"}


def test_functions_compute_on_the_one_core_that_they_have() -> None:
    """A thread that has no core of its own makes the import of numpy take twice as long."""
    assert all(of["Properties"].get("MemorySize", 0) <= 1769 for of in FUNCTIONS.values())
    for template in (TEMPLATE, NESTED["Bus"]):
        assert template["Globals"]["Function"]["Environment"]["Variables"]["OPENBLAS_NUM_THREADS"] == "1"


RESERVING = {name: of for name, of in TEMPLATE["Parameters"].items() if name.endswith("Concurrency")}
LAMBDA_QUOTA, LEFT_UNRESERVED = 1000, 100


def _in_production() -> dict[str, str]:
    given: str = CONFIGURATION["prod"]["deploy"]["parameters"]["parameter_overrides"]
    return dict(each.split("=", 1) for each in given.split())


def test_the_defaults_reserve_no_places_of_a_small_account_and_production_does() -> None:
    assert {int(of["Default"]) for of in RESERVING.values()} == {0}
    assert RESERVING.keys() <= _in_production().keys()


def test_what_production_reserves_fits_into_the_usual_quota_of_an_account() -> None:
    places = {name: int(_in_production()[name]) for name in RESERVING}
    jobs = 5
    reserved = sum(places[_concurrency_parameter(name)] for name in RESERVED_FOR) + jobs
    assert reserved <= LAMBDA_QUOTA - LEFT_UNRESERVED


RESERVED_FOR = {name for name, of in FUNCTIONS.items() if "ReservedConcurrentExecutions" in of["Properties"]} - {
    "JobsFunction"
}


def _concurrency_parameter(function: str) -> str:
    """Return the name of the parameter with a function's reserved concurrency. Its value 0 means none."""
    condition, places, otherwise = FUNCTIONS[function]["Properties"]["ReservedConcurrentExecutions"]["If"]
    assert otherwise == {"Ref": "AWS::NoValue"}
    assert f"'{places['Ref']}'}}, 0]" in str(
        TEMPLATE["Conditions"].get(condition, NESTED["Bus"]["Conditions"].get(condition))
    )
    return places["Ref"]


@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        ("Authorizer", "AuthorizerConcurrency"),
        *((name, "ExpensiveConcurrency") for name in ("Context", "Memory", "Code")),
    ],
)
def test_the_authorizer_and_each_expensive_family_have_places_of_their_own(name: str, parameter: str) -> None:
    assert _concurrency_parameter(f"{name}Function") == parameter


def test_nobody_else_can_read_the_large_values() -> None:
    blocked = RESOURCES["LargeValues"]["Properties"]["PublicAccessBlockConfiguration"]
    assert len(blocked) == 4
    assert all(blocked.values())


def test_the_large_values_are_read_and_written_over_recent_tls_only() -> None:
    policy = RESOURCES["LargeValuesOverTls"]
    assert policy["DeletionPolicy"] == "RetainExceptOnCreate"
    assert policy["Properties"]["Bucket"] == {"Ref": "LargeValues"}
    statements = policy["Properties"]["PolicyDocument"]["Statement"]
    assert [each["Condition"] for each in statements] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": "1.2"}},
    ]
    for each in statements:
        assert (each["Effect"], each["Principal"], each["Action"]) == ("Deny", "*", "s3:*")
        assert each["Resource"] == [{"GetAtt": "LargeValues.Arn"}, {"Sub": "${LargeValues.Arn}/*"}]


def test_everything_that_waits_in_a_queue_is_encrypted() -> None:
    queues = [of["Properties"] for of in RESOURCES.values() if of["Type"] == "AWS::SQS::Queue"]
    assert queues
    assert all(queue["SqsManagedSseEnabled"] is True for queue in queues)


def test_every_log_forgets() -> None:
    stacks = [PAGE, *(template["Resources"] for template in NESTED.values())]
    groups = [
        of["Properties"]
        for stack in stacks
        for name, of in stack.items()
        if not name.startswith("Fn::ForEach") and of["Type"] == "AWS::Logs::LogGroup"
    ]
    assert len(groups) == len(FUNCTIONS) + 1 + 3
    assert all(group["RetentionInDays"] == {"Ref": "LogRetentionDays"} for group in groups)


def test_opensearch_logs_what_is_slow_and_what_fails_where_that_is_asked_for() -> None:
    assert TEMPLATE["Parameters"]["SearchLogs"]["Default"] == "off"
    search = NESTED["SearchDomain"]["Resources"]
    condition, published, otherwise = search["Domain"]["Properties"]["LogPublishingOptions"]["If"]
    assert (condition, otherwise) == ("KeepsLogs", {"Ref": "AWS::NoValue"})
    assert set(published) == {"ES_APPLICATION_LOGS", "SEARCH_SLOW_LOGS", "INDEX_SLOW_LOGS"}
    for option in published.values():
        group = search[re.findall(r"\$\{(\w+)\}$", option["CloudWatchLogsLogGroupArn"]["Sub"])[0]]
        (statement,) = json.loads(search["LogRights"]["Properties"]["PolicyDocument"]["Sub"])["Statement"]
        allowed = statement["Resource"].partition(":log-group:")[2].removesuffix("*")
        assert group["Properties"]["LogGroupName"]["Sub"].startswith(allowed)
        assert statement["Condition"]["StringEquals"] == {"aws:SourceAccount": "${AWS::AccountId}"}
    # A reference to the rights makes them before the domain.
    assert {"Ref": "LogRights"} in [of["If"][1]["Value"] for of in search["Domain"]["Properties"]["Tags"] if "If" in of]


@pytest.mark.parametrize("name", ["HubFunction", "CalendarFunction", "JobsFunction"])
def test_what_waits_for_providers_has_places_of_its_own_where_calendars_are_connected(name: str) -> None:
    condition, places, otherwise = FUNCTIONS[name]["Properties"]["ReservedConcurrentExecutions"]["If"]
    if name == "JobsFunction":  # told by a number, 0 where there is no bound
        assert NESTED["Bus"]["Conditions"][condition] == {"Not": [{"Equals": [{"Ref": "JobsConcurrency"}, 0]}]}
        assert places == {"If": ["BoundsProviders", 5, 0]}
    else:
        assert (condition, places) == ("BoundsProviders", {"Ref": "ProvidersConcurrency"})
    assert otherwise == {"Ref": "AWS::NoValue"}


@pytest.mark.parametrize("name", ["Reactions", "Rules", "FeedPush"])
def test_what_works_through_a_queue_takes_no_more_messages_at_once_than_it_has_places(name: str) -> None:
    places = {"If": ["BoundsReactions", {"Ref": "ReactionsConcurrency"}, {"Ref": "AWS::NoValue"}]}
    assert FUNCTIONS[f"{name}Function"]["Properties"]["ReservedConcurrentExecutions"] == places
    scaling = RESOURCES[f"{name}Mapping"]["Properties"]["ScalingConfig"]["If"]
    assert scaling[:2] == ["BoundsReactions", {"MaximumConcurrency": {"Ref": "ReactionsConcurrency"}}]
    # Lambda takes 2 to 1000, and is asked only when the deployment is nearly done.
    taken = re.compile(TEMPLATE["Parameters"]["ReactionsConcurrency"]["AllowedPattern"])
    assert [number for number in range(1100) if taken.fullmatch(str(number))] == [0, *range(2, 1001)]


def test_a_new_version_of_opensearch_does_not_replace_the_domain() -> None:
    assert NESTED["SearchDomain"]["Resources"]["Domain"]["UpdatePolicy"] == {"EnableVersionUpgrade": True}


def test_who_reserves_places_is_the_authorizer_what_is_expensive_calls_providers_or_reads_a_queue() -> None:
    reserving = {name for name, of in FUNCTIONS.items() if "ReservedConcurrentExecutions" in of["Properties"]}
    queues = {
        of["Properties"]["FunctionName"]["Ref"]
        for of in RESOURCES.values()
        if of["Type"] == "AWS::Lambda::EventSourceMapping" and "Queue" in str(of["Properties"]["EventSourceArn"])
    }
    opening = {
        name for name, of in FUNCTIONS.items() if "{'Ref': 'OpenCredentials'}" in str(of["Properties"]["Policies"])
    }
    expensive = {f"{name}Function" for name in ("Context", "Memory", "Code")}
    # What the model reads later nobody waits for: it has a bound, and no places that others would lack.
    assert RESOURCES["EnrichingMapping"]["Properties"]["ScalingConfig"] == {"MaximumConcurrency": 2}
    queues.remove("EnrichingFunction")
    assert reserving == queues | opening | expensive | {"AuthorizerFunction"}


def test_both_apis_log_where_requests_come_from_and_no_header() -> None:
    rest = RESOURCES["Api"]["Properties"]["AccessLogSetting"]
    sockets = RESOURCES["SocketStage"]["Properties"]["AccessLogSettings"]
    for condition, setting, _ in (rest["If"], sockets["If"]):
        assert condition == "LogsAccess"
        line = json.loads(setting["Format"])
        assert line["address"] == "$context.identity.sourceIp"
        assert not re.search(r"header|authorization|body|apiKey", setting["Format"], re.IGNORECASE)
    assert RESOURCES["AccessLogGroup"]["DependsOn"] == "AccessLogAccount"


def test_the_account_is_told_how_apis_log_once_it_has_an_api() -> None:
    """API Gateway has no settings of an account in which none was ever made: a first deployment would fail."""
    assert RESOURCES["AccessLogAccount"]["DependsOn"] == "SocketApi"


@pytest.mark.parametrize(("name", "oldest"), [("JobsFunction", 60), ("SweepFunction", None)])
def test_what_a_schedule_calls_is_not_repeated_by_lambda(name: str, oldest: int | None) -> None:
    """Schedules call without waiting, and Lambda repeats such a call twice by itself. One that finds no place waits for
    six hours: after an hour without places, sixty rounds of a minute would run at once."""
    events = FUNCTIONS[name]["Properties"]["Events"].values()
    assert {(event["Type"], event["Properties"]["RetryPolicy"]["MaximumRetryAttempts"]) for event in events} == {
        ("ScheduleV2", 0)
    }
    invoked = FUNCTIONS[name]["Properties"]["EventInvokeConfig"]
    assert invoked["MaximumRetryAttempts"] == 0
    assert invoked.get("MaximumEventAgeInSeconds") == oldest


def test_the_stream_brings_what_the_store_marks_for_the_feed() -> None:
    (only,) = RESOURCES["FeedMapping"]["Properties"]["FilterCriteria"]["Filters"]
    key = Key(Partition.system("outbox"), "1")
    image = put_image(OutboxPut(key, {}), {})
    ((mark, value),) = json.loads(only["Pattern"])["dynamodb"]["NewImage"].items()
    assert {mark: {kind: [image[mark][kind]] for kind in value}} == {mark: value}
    assert mark not in put_image(Put(key, {}), {})


def test_what_reads_a_stream_or_a_queue_reports_failures_one_by_one() -> None:
    sources = [of["Properties"] for of in RESOURCES.values() if of["Type"] == "AWS::Lambda::EventSourceMapping"]
    assert sources
    assert all(source["FunctionResponseTypes"] == ["ReportBatchItemFailures"] for source in sources)


READ_BY = {
    "Event": "ReactionsFunction",
    "Rules": "RulesFunction",
    "Enriching": "EnrichingFunction",
    "Socket": "FeedPushFunction",
}


def test_a_queue_that_is_read_waits_longer_than_its_function_and_keeps_what_cannot_be_delivered() -> None:
    redriven = {name for name, of in RESOURCES.items() if "RedrivePolicy" in of["Properties"]}
    assert {f"{name}Queue" for name in READ_BY} == redriven
    for name, function in READ_BY.items():
        queue = RESOURCES[f"{name}Queue"]["Properties"]
        timeout = FUNCTIONS[function]["Properties"].get("Timeout", NESTED["Bus"]["Globals"]["Function"]["Timeout"])
        assert queue["VisibilityTimeout"] >= 6 * timeout
        assert queue["RedrivePolicy"]["deadLetterTargetArn"] == {"GetAtt": f"{name}DeadLetterQueue.Arn"}
        dead = RESOURCES[f"{name}DeadLetterQueue"]["Properties"]
        assert dead.get("FifoQueue") == queue.get("FifoQueue")


def test_what_rules_listen_to_comes_from_the_bus_and_nothing_is_sent_there_before_it_leads_to_them() -> None:
    (listening,) = [of["Properties"] for of in RESOURCES.values() if of["Type"] == "AWS::Events::Rule"]
    assert listening["EventPattern"] == {"source": [RULES_SOURCE]}
    assert listening["EventBusName"] == {"Ref": "EventBus"}
    (target,) = listening["Targets"]
    # A message is what the function reads; the envelope around it is EventBridge's.
    assert (target["Arn"], target["InputPath"]) == ({"GetAtt": "RulesQueue.Arn"}, "$.detail")
    assert target["DeadLetterConfig"]["Arn"] == {"GetAtt": "RulesDeadLetterQueue.Arn"}
    assert set(NESTED["Bus"]["Resources"]["FeedFunction"]["DependsOn"]) == {
        "Listening",
        "ListeningMaySend",
        "RulesMapping",
    }


@pytest.mark.parametrize("family", ["hub", *(family.name for family in families_for_docs())])
def test_every_family_has_a_function_with_its_routes_and_an_alarm(family: str) -> None:
    properties = FUNCTIONS[f"{family.capitalize()}Function"]["Properties"]
    routes = {(e["Properties"]["Path"], e["Properties"]["Method"]) for e in properties["Events"].values()}
    path = "/mcp" if family == "hub" else f"/mcp/{family}"
    hooks = {("/hooks/{client}", "POST")} if family == "hub" else set[tuple[str, str]]()
    assert routes == hooks | {(path, method) for method in ("POST", "GET", "DELETE")}
    service = properties["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]
    assert {"Name": "service", "Value": service} in ALARMS[f"Defects{family}"]["Dimensions"]


OPEN = {
    "SignInFunction": {
        "/.well-known/oauth-protected-resource": {"GET", "OPTIONS"},
        "/.well-known/oauth-protected-resource/{proxy+}": {"GET", "OPTIONS"},
        "/.well-known/oauth-authorization-server": {"GET", "OPTIONS"},
        "/.well-known/mcp/{proxy+}": {"GET", "OPTIONS"},
        "/mcp/server-card": {"GET", "OPTIONS"},
        "/authorize": {"GET", "POST"},
        "/token": {"POST", "OPTIONS"},
        "/register": {"POST", "OPTIONS"},
        "/revoke": {"POST", "OPTIONS"},
    },
    "DashboardFunction": {"/ui": {"GET"}, "/ui/{proxy+}": {"GET", "POST"}},
}
"""Routes of those who have no key to show in a header; the function judges what they show instead."""


def test_every_route_asks_the_authorizer_but_those_where_people_sign_in() -> None:
    auth = RESOURCES["Api"]["Properties"]["Auth"]
    authorizer = auth["Authorizers"][auth["DefaultAuthorizer"]]
    assert authorizer["FunctionArn"] == {"GetAtt": "AuthorizerFunction.Arn"}
    for name, function in FUNCTIONS.items():
        events = [event["Properties"] for event in function["Properties"].get("Events", {}).values()]
        without = {"Authorizer": "NONE", "ApiKeyRequired": False} if name in OPEN else None
        assert all(event.get("Auth") == without for event in events), name
        if name in OPEN:
            routes = {(path, method) for path, methods in OPEN[name].items() for method in methods}
            assert {(event["Path"], event["Method"]) for event in events} == routes


@pytest.mark.parametrize("name", OPEN)
def test_without_a_public_url_nobody_signs_in(name: str) -> None:
    assert TEMPLATE["Parameters"]["PublicUrl"]["Default"] == ""
    assert TEMPLATE["Conditions"]["SignsIn"] == {"Not": [{"Equals": [{"Ref": "PublicUrl"}, ""]}]}
    assert PAGE[name]["Condition"] == "SignsIn"
    for told in (name, "AuthorizerFunction"):
        assert FUNCTIONS[told]["Properties"]["Environment"]["Variables"]["ALMANAC_PUBLIC_URL"] == {"Ref": "PublicUrl"}


@pytest.mark.parametrize("url", ["https://mcp.example.com", "https://a.b"])
def test_a_public_url_that_the_template_takes_is_one_that_functions_take(url: str) -> None:
    pattern = TEMPLATE["Parameters"]["PublicUrl"]["AllowedPattern"]
    assert re.fullmatch(pattern, url)
    assert check_public_url(url) == url
    assert not any(
        re.fullmatch(pattern, wrong) for wrong in (f"{url}/", f"{url}/v1", url.replace("s", "", 1), url + '"')
    )


def test_the_dashboard_calls_tools_with_what_the_hub_calls_them_with() -> None:
    hub, dashboard = (FUNCTIONS[name]["Properties"] for name in ("HubFunction", "DashboardFunction"))
    assert dashboard["Layers"] == hub["Layers"]
    assert [policy for policy in hub["Policies"] if policy not in dashboard["Policies"]] == []
    told = dashboard["Environment"]["Variables"]
    differing = [name for name, value in hub["Environment"]["Variables"].items() if told.get(name) != value]
    assert differing == ["POWERTOOLS_SERVICE_NAME"]
    authorizer = FUNCTIONS["AuthorizerFunction"]["Properties"]["Environment"]["Variables"]
    for name in ("TIMEZONE", "ALMANAC_TIER_RATES", "ALMANAC_TIER_CALLS"):
        assert told[name] == authorizer[name]
    # A role takes ten managed policies; SAM adds one for logs and one for traces.
    assert len(dashboard["Policies"]) <= 8


def test_a_missing_key_is_told_where_to_sign_in_if_that_is_possible() -> None:
    """As the laptop says it; API Gateway passes no other header WWW-Authenticate on."""
    stated = GATEWAY["UNAUTHORIZED"]["ResponseParameters"]["Headers"]["WWW-Authenticate"]
    condition, _, otherwise = stated["If"]
    assert (condition, otherwise) == ("SignsIn", f"'{CHALLENGE}'")
    public = "https://mcp.example.com"
    assert resolve_header(stated, public) == f"'{challenge(NO_KEY, public, '/mcp')}'"


def test_a_change_of_parameters_reaches_the_routes_and_answers_that_depend_on_them() -> None:
    assert RESOURCES["Api"]["Properties"]["AlwaysDeploy"] is True


def test_the_domain_is_made_where_a_certificate_is_given_and_leads_to_the_root_of_the_stage() -> None:
    assert TEMPLATE["Parameters"]["CertificateArn"]["Default"] == ""
    domain, mapping = PAGE["Domain"], PAGE["DomainMapping"]
    assert domain["Condition"] == mapping["Condition"] == "MakesDomain"
    assert domain["Properties"]["DomainName"] == {"Select": [2, {"Split": ["/", {"Ref": "PublicUrl"}]}]}
    assert mapping["Properties"] == {
        "DomainName": {"Ref": "Domain"},
        "RestApiId": {"Ref": "Api"},
        "Stage": {"Ref": "Api.Stage"},
    }


def test_a_key_may_come_in_either_header() -> None:
    # With caching, API Gateway refuses a request that lacks any one of the headers it caches by.
    auth = RESOURCES["Api"]["Properties"]["Auth"]
    identity = auth["Authorizers"][auth["DefaultAuthorizer"]]["Identity"]
    assert identity["ReauthorizeEvery"] == 0 or len(identity["Headers"]) == 1


@pytest.mark.parametrize("response", ["UNAUTHORIZED", "ACCESS_DENIED"])
def test_who_is_not_let_in_is_challenged(response: str) -> None:
    assert "WWW-Authenticate" in GATEWAY[response]["ResponseParameters"]["Headers"]


def test_a_denial_challenges_as_the_authorizer_says() -> None:
    """Which scope is missing depends on the request, and API Gateway renames the header of a function."""
    stated = GATEWAY["ACCESS_DENIED"]["ResponseParameters"]["Headers"]["WWW-Authenticate"]
    assert stated == "context.authorizer.challenge"
    assert _denial()["context"]["challenge"] == f'{CHALLENGE}, error="insufficient_scope"'


def test_a_throttled_caller_is_told_when_to_come_back() -> None:
    assert GATEWAY["THROTTLED"]["ResponseParameters"]["Headers"]["Retry-After"] == "'1'"


@pytest.mark.parametrize("response", GATEWAY)
def test_every_answer_of_the_gateway_is_a_json_rpc_error(response: str) -> None:
    template = GATEWAY[response]["ResponseTemplates"]["application/json"]
    for name, value in _denial()["context"].items():
        template = template.replace(f'"$context.authorizer.{name}"', f'"{value}"')
    # AWS says of this one alone that it comes with quotes.
    answer = json.loads(template.replace("$context.error.messageString", '"Forbidden"'))
    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] is None
    family = {"DEFAULT_4XX": 400}.get(response, 500)
    assert answer["error"]["code"] == GATEWAY[response].get("StatusCode", family)
    assert answer["error"]["data"]["code"]
    assert "$context.authorizer" not in json.dumps(answer)


def test_an_answer_that_quotes_the_authorizer_is_json_even_where_it_said_nothing() -> None:
    template = GATEWAY["ACCESS_DENIED"]["ResponseTemplates"]["application/json"]
    for said in (template, re.sub(r"\$context\.authorizer\.\w+", "", template)):
        assert json.loads(said)["error"]["code"] == 403


class _OneKey:
    """A directory that knows one key, which may use the calendar only."""

    def __init__(self, key: ApiKey) -> None:
        grant = Grant(tenant="acme", project="main", actor="ann", families=("calendar",))
        self._record = KeyRecord(id=key.id, digest=key.digest, grant=grant, created_at=0)

    def key(self, key_id: str) -> KeyRecord | None:
        return self._record if key_id == self._record.id else None

    def settings(self, tenant: str, project: str) -> EffectiveSettings:
        return EffectiveSettings()


def _denial() -> dict[str, Any]:
    """Return the authorizer's answer for a key that may not use the family of the path."""
    key = new_api_key(bytes)
    clock = FixedClock(datetime(2026, 4, 16, tzinfo=UTC))
    authorize = authorizer_handler(
        lambda: Gatekeeper(_OneKey(key), ForgetfulStore(), clock), ConsoleTelemetry(StringIO())
    )
    arn = "arn:aws:execute-api:us-east-1:123456789012:a/v1/POST/mcp/time"
    return authorize({"path": "/mcp/time", "headers": {"x-api-key": key.text}, "methodArn": arn}, None)


def test_the_lock_pins_everything_with_hashes_and_names_no_index() -> None:
    lock = (ROOT / "layers/vendor/requirements.lock").read_text()
    pins = re.findall(r"^([a-z0-9-]+)==\S+", lock, re.MULTILINE)
    # The X-Ray SDK is Powertools' optional part: without it, every sampled request would fail.
    assert {"aws-xray-sdk", "msgspec", "python-dateutil", "tzdata"} <= set(pins)
    assert "://" not in lock
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:])


def test_every_finding_that_an_audit_passes_over_is_answered() -> None:
    passed_over = yaml.safe_load((ROOT / ".checkov.yaml").read_text())["skip-check"]
    section = (ROOT / "docs/operating.md").read_text().partition("## What an audit finds")[2].partition("\n## ")[0]
    findings = " ".join(re.findall(r"^\| (CKV.+?) \|", section, re.MULTILINE))
    assert sorted(re.findall(r"CKV_AWS_\d+", findings)) == sorted(passed_over)


def test_the_weights_are_with_who_searches_where_the_model_is_on_and_else_nothing_is_sent_to_it() -> None:
    weights = {"If": ["LoadsModel", {"Ref": "ModelLayer"}, {"Ref": "AWS::NoValue"}]}
    embedding = {
        name: of["Properties"]["Layers"]
        for name, of in FUNCTIONS.items()
        if isinstance(of["Properties"]["Layers"], list) and {"Ref": "EmbedderLayer"} in of["Properties"]["Layers"]
    }
    assert "MemoryFunction" in embedding
    assert "HubFunction" in embedding
    assert all(weights in layers for layers in embedding.values())
    assert TEMPLATE["Parameters"]["SearchModel"]["Default"] == "off"
    is_on = {"If": ["ReadsTexts", "on", "off"]}
    assert NESTED["Bus"]["Conditions"]["ReadsTexts"] == {"Equals": [{"Ref": "Enriches"}, "on"]}
    assert PAGE["Bus"]["Properties"]["Parameters"]["Enriches"] == is_on
    assert RESOURCES["EnrichingMapping"]["Properties"]["Enabled"] == {"If": ["ReadsTexts", True, False]}
    sent = FUNCTIONS["FeedFunction"]["Properties"]["Environment"]["Variables"]["ALMANAC_ENRICHING_QUEUE"]
    assert sent == {"If": ["ReadsTexts", {"Ref": "EnrichingQueue"}, ""]}


def test_a_model_of_bedrock_reads_in_place_of_the_weights_into_an_index_of_its_own() -> None:
    assert TEMPLATE["Parameters"]["EmbeddingModel"] | {"Description": ""} == {
        "Type": "String",
        "Default": "",
        "AllowedValues": ["", TITAN],
        "Description": "",
    }
    reads, may, named = TEMPLATE["Conditions"]["Embeds"]["And"]
    assert (reads, may) == ({"Condition": "ReadsTexts"}, {"Condition": "MaySearch"})
    assert named == {"Not": [{"Equals": [{"Ref": "EmbeddingModel"}, ""]}]}
    assert TEMPLATE["Conditions"]["LoadsModel"] == {"And": [reads, {"Not": [{"Condition": "Embeds"}]}]}
    embeds, with_titan, with_weights = FUNCTIONS["EnrichingFunction"]["Properties"]["Layers"]["If"]
    assert (embeds, "ModelLayer" in str(with_titan), "ModelLayer" in str(with_weights)) == ("Embeds", False, True)
    own = {"If": ["Embeds", {"Sub": "${AWS::StackName}-titan"}, {"Ref": "AWS::StackName"}]}
    variables = {name: of["Properties"]["Environment"]["Variables"] for name, of in FUNCTIONS.items()}
    names = [of["ALMANAC_SEARCH_NAME"] for of in variables.values() if "ALMANAC_SEARCH_NAME" in of]
    assert len(names) == 11
    assert all(each in (own, {"Ref": "SearchName"}) for each in names)
    assert PAGE["Bus"]["Properties"]["Parameters"]["SearchName"] == own


def test_whoever_may_search_has_the_layer_that_search_computes_with() -> None:
    """The adapter of OpenSearch imports numpy, which is in the layers of search alone."""
    searching = [
        name
        for name, of in FUNCTIONS.items()
        if re.search("SearchIndex|SearchTexts", str(of["Properties"].get("Policies")))
    ]
    layers = {name: str(FUNCTIONS[name]["Properties"].get("Layers")) for name in searching}
    assert {"JobsFunction", "PlannerFunction", "ReactionsFunction"} <= set(searching)
    assert [name for name in searching if not re.search("EmbedderLayer|SearchLayers|ModelLayers", layers[name])] == []
