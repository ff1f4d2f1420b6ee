"""What each function may do: exactly what its code needs, on the keys that the code builds."""

import inspect
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from almanac.composition import aws, aws_events, aws_feed
from almanac.identity.records import TENANTS, key_key, projects_of
from tests.contract.requests_by_function import Requests, requests_by_function
from tests.contract.template import FUNCTIONS, NESTED, RESOURCES, ROOT, TEMPLATE

Grant = tuple[str, str, str]
"""An action, what it is allowed on, and a pattern of leading keys, * where there are none."""

every_function = pytest.mark.parametrize("name", FUNCTIONS)


def _first(policy: Any) -> Any:
    """What holds with every switch on."""
    return _first(policy["If"][1]) if "If" in policy else policy


def _statements(function: str) -> Iterator[dict[str, Any]]:
    """What a function is granted, by its own policies and by those of ours that it shares."""
    for stated in FUNCTIONS[function]["Properties"]["Policies"]:
        policy = _first(stated)
        if "Ref" in policy:
            shared = RESOURCES[policy["Ref"]]
            assert shared["Type"] == "AWS::IAM::ManagedPolicy"
            policy = shared["Properties"]["PolicyDocument"]
        yield from map(_first, policy["Statement"])


TABLE_ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Table}"


def _granted(function: str) -> set[Grant]:
    found: set[Grant] = set()
    for statement in _statements(function):
        conditions = statement.get("Condition", {})
        leading = [keys for each in conditions.values() for keys in each.get("dynamodb:LeadingKeys", ())] or ["*"]
        resources = [str(next(iter(resource.values()))) for resource in _listed(statement["Resource"])]
        resources = ["Table.Arn" if resource == TABLE_ARN else resource for resource in resources]
        found |= {(a, r, k) for a in _listed(statement["Action"]) for r in resources for k in leading}
    return found


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType]


@every_function
def test_a_function_states_its_own_policies_and_none_is_a_managed_one(name: str) -> None:
    properties = FUNCTIONS[name]["Properties"]
    assert "Role" not in properties
    assert all(isinstance(policy, dict) for policy in properties["Policies"])


@every_function
def test_no_policy_allows_any_action_or_any_resource(name: str) -> None:
    for statement in _statements(name):
        assert not any("*" in action for action in _listed(statement["Action"])), statement
        assert "NotAction" not in statement
        assert "NotResource" not in statement
        # Connections of the live feed and large values have no names before they are made.
        if not NAMED_LATER & set(_listed(statement["Action"])):
            assert not any("*" in str(resource) for resource in _listed(statement["Resource"])), statement


NAMED_LATER = {"execute-api:ManageConnections", "s3:GetObject"}


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Requests:
    return requests_by_function(tmp_path_factory.mktemp("table"))


def _folder(function: str) -> str:
    return Path(FUNCTIONS[function]["Properties"]["CodeUri"]).name


def _allows(grant: Grant, action: str, index: str, key: str) -> bool:
    resource = f"${{Table.Arn}}/index/{index}" if index else "Table.Arn"
    return grant[:2] == (f"dynamodb:{action}", resource) and fnmatchcase(key, grant[2])


@every_function
def test_a_function_may_do_what_it_asks_of_the_table(requests: Requests, name: str) -> None:
    granted = _granted(name)
    refused = {asked for asked in requests[_folder(name)] if not any(_allows(grant, *asked) for grant in granted)}
    assert not refused


@every_function
def test_a_function_asks_of_the_table_what_it_may(requests: Requests, name: str) -> None:
    on_table = {grant for grant in _granted(name) if grant[1] == "Table.Arn" or grant[1].startswith("${Table.Arn}")}
    asked = requests[_folder(name)]
    idle = {grant for grant in on_table if not any(_allows(grant, *each) for each in asked)}
    assert idle == UNSEEN.get(name, set())


UNSEEN: dict[str, set[Grant]] = {}


def _others(function: str) -> set[tuple[str, str]]:
    """What is granted on anything but the table."""
    return {(action, resource) for action, resource, _ in _granted(function) if "Table." not in resource}


LARGE_VALUES = {("s3:GetObject", "${LargeValues.Arn}/*"), ("s3:PutObject", "${LargeValues.Arn}/*")} | {
    ("kms:Decrypt", "DataKeyArn"),
    ("kms:GenerateDataKey", "DataKeyArn"),
}
OPENING = {("kms:Decrypt", "CredentialsKey.Arn")}
SOCKETS = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${SocketApi}/feed/*"
BUS = "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/${EventBus}"


@every_function
def test_a_function_may_use_of_other_services_what_its_code_opens_and_no_more(requests: Requests, name: str) -> None:
    """Who keeps items in projects keeps large values, and who asks for providers opens their secrets; a queue is read by
    whom a mapping feeds from it, and clients are found in what the door opens."""
    needs = _of_its_mapping(name)
    if any(key.startswith("P#") and action == "PutItem" for action, _, key in requests[_folder(name)]):
        needs |= LARGE_VALUES if _opens(name, "open_whole_store") else set()
    if _asks_for_providers(FUNCTIONS[name]["Properties"]):
        needs |= OPENING
    if _opens(name, 'client("sqs")'):
        needs |= {("sqs:SendMessage", f"{queue}.Arn") for queue in _queues_of(name)}
    if _opens(name, 'client("events")'):
        needs.add(("events:PutEvents", BUS))
    if _opens(name, 'client("apigatewaymanagementapi"'):
        needs.add(("execute-api:ManageConnections", SOCKETS))
    assert _others(name) == needs


def _of_its_mapping(function: str) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for mapping in (of["Properties"] for of in RESOURCES.values() if of["Type"] == "AWS::Lambda::EventSourceMapping"):
        if function not in (mapping["FunctionName"].get("Ref"), str(mapping["FunctionName"].get("GetAtt")).split(".")[0]):
            continue
        source = mapping["EventSourceArn"]["GetAtt"]
        verbs = READ_STREAM if source == "Table.StreamArn" else TAKE_MESSAGES
        found |= {(verb, source) for verb in verbs}
        if "DestinationConfig" in mapping:
            found.add(("sqs:SendMessage", mapping["DestinationConfig"]["OnFailure"]["Destination"]["GetAtt"]))
    return found


READ_STREAM = {f"dynamodb:{verb}" for verb in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")}
TAKE_MESSAGES = {f"sqs:{verb}" for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")}


def _queues_of(function: str) -> set[str]:
    """Those whose addresses it is told."""
    variables = FUNCTIONS[function]["Properties"]["Environment"]["Variables"]
    return {of["Ref"] for name, of in variables.items() if name.endswith("_QUEUE")}


def _opens(function: str, what: str) -> bool:
    """Whether `what` stands in the function's door, or in what it names of the composition, or that does in turn."""
    properties = FUNCTIONS[function]["Properties"]
    handler = properties.get("Handler", TEMPLATE["Globals"]["Function"]["Handler"])
    door = ROOT / "functions" / _folder(function) / f"{handler.rpartition('.')[0]}.py"
    waiting, seen = [door.read_text()], set[str]()
    while waiting:
        text = waiting.pop()
        if what in text:
            return True
        for name, source in OPENERS.items():
            if name not in seen and re.search(rf"\b{name}\b", text):
                seen.add(name)
                waiting.append(source)
    return False


def _openers() -> dict[str, str]:
    """The functions of the composition on AWS, each with its source."""
    modules = (aws, aws_events, aws_feed)
    found = [each for module in modules for each in inspect.getmembers(module, inspect.isfunction)]
    return {name: inspect.getsource(function) for name, function in found if function.__module__.startswith(COMPOSITION)}


COMPOSITION = "almanac.composition.aws"
OPENERS = _openers()


def _matches(key: str, patterns: set[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


# The live feed lets people in by a frame, since browsers cannot set headers, and stops for a key that was revoked.
READS_KEYS = {"AuthorizerFunction", "FeedSocketFunction", "FeedPushFunction"}
READING = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
WRITING = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - READS_KEYS))
def test_only_who_judges_keys_reads_them(function: str) -> None:
    reading = {key for action, resource, key in _granted(function) if action in READING and "Table." in resource}
    assert not _matches(key_key("abc").partition.text, reading)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_writes_keys_tenants_or_projects(function: str) -> None:
    writing = {key for action, resource, key in _granted(function) if action in WRITING and "Table." in resource}
    for partition in (key_key("abc").partition, TENANTS, projects_of("acme")):
        assert not _matches(partition.text, writing)


def test_policies_are_not_shared_through_globals() -> None:
    for template in (TEMPLATE, *NESTED.values()):
        shared = template.get("Globals", {}).get("Function", {})
        assert not {"Policies", "Role"} & set(shared)


def test_who_opens_the_secrets_of_connected_calendars_may_and_nobody_else() -> None:
    """Derived from the code: a door whose modules reach the one that asks for the providers."""
    needs = {name for name, of in FUNCTIONS.items() if _asks_for_providers(of["Properties"])}
    may = {name for name in FUNCTIONS if _others(name) >= OPENING}
    assert needs == may == {"HubFunction", "CalendarFunction", "ChoresFunction"}


def _asks_for_providers(properties: dict[str, Any]) -> bool:
    (door,) = (ROOT / "functions" / Path(properties["CodeUri"]).name).glob("handle_*.py")
    waiting, seen = [door], set[Path]()
    while waiting:
        file = waiting.pop()
        if file in seen or not file.is_file():
            continue
        seen.add(file)
        text = file.read_text()
        # What the providers are opened with is handed to everybody; who asks for it, uses them.
        if ".get(Providers)" in text:
            return True
        waiting += [LAYER / f"{name.replace('.', '/')}.py" for name in IMPORTED.findall(text)]
    return False


LAYER = ROOT / "layers/app"
IMPORTED = re.compile(r"^\s*from (almanac[\w.]*) import", re.MULTILINE)
