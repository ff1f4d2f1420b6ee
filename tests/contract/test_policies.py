"""What each function may do: exactly what is listed here, on the keys that the code builds."""

import json
import re
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from almanac.identity.records import TENANTS, key_key, project_key, projects_of, window_key
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Partition
from tests.contract.template import FUNCTIONS, RESOURCES, ROOT, TEMPLATE

every_function = pytest.mark.parametrize("properties", [f["Properties"] for f in FUNCTIONS.values()], ids=FUNCTIONS)


def _statements(properties: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What a function is granted, by its own policies and by those of ours that it shares."""
    for stated in properties["Policies"]:
        policy = stated["If"][1] if "If" in stated else stated
        if "Ref" in policy:
            shared = RESOURCES[policy["Ref"]]
            assert shared["Type"] == "AWS::IAM::ManagedPolicy"
            policy = shared["Properties"]["PolicyDocument"]
        for statement in policy["Statement"]:
            yield statement["If"][1] if "If" in statement else statement


def _granted(function: str) -> set[tuple[str, str, str]]:
    """(action, resource, leading key); leading keys are * where the resource has none."""
    found: set[tuple[str, str, str]] = set()
    for statement in _statements(FUNCTIONS[function]["Properties"]):
        conditions = statement.get("Condition", {})
        leading = [keys for each in conditions.values() for keys in each.get("dynamodb:LeadingKeys", ())] or ["*"]
        resources = [str(next(iter(resource.values()))) for resource in _listed(statement["Resource"])]
        found |= {(a, r, k) for a in _listed(statement["Action"]) for r in resources for k in leading}
    return found


def _on_table(actions: str, *keys: str, resource: str = "Table.Arn") -> set[tuple[str, str, str]]:
    return {(f"dynamodb:{action}", resource, key) for action in actions.split() for key in keys}


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType]


@every_function
def test_a_function_states_its_own_policies_and_none_is_a_managed_one(properties: dict[str, Any]) -> None:
    assert "Role" not in properties
    assert all(isinstance(policy, dict) for policy in properties["Policies"])


@every_function
def test_no_policy_allows_any_action_or_any_resource(properties: dict[str, Any]) -> None:
    for statement in _statements(properties):
        assert not any("*" in action for action in _listed(statement["Action"])), statement
        assert "NotAction" not in statement
        assert "NotResource" not in statement
        # Connections of the live feed and large values have no names before they are made.
        if not NAMED_LATER & set(_listed(statement["Action"])):
            assert not any("*" in json.dumps(resource) for resource in _listed(statement["Resource"])), statement


NAMED_LATER = {"execute-api:ManageConnections", "s3:GetObject"}
COUNTING = _on_table("PutItem UpdateItem", "S#key_uses#*", "S#tenant_uses#*")
KEEPING = (
    _on_table("GetItem BatchGetItem Query PutItem UpdateItem DeleteItem ConditionCheckItem", "P#*")
    | _on_table("Query", "P#*", resource="${Table.Arn}/index/gsi1")
    | _on_table("Query", "P#*", resource="${Table.Arn}/index/gsi2")
    | _on_table("PutItem", "T#*#audit")
    | _on_table("GetItem PutItem", "S#secrets")
    | {(f"s3:{verb}", "${LargeValues.Arn}/*", "*") for verb in ("GetObject", "PutObject")}
    | {(f"kms:{verb}", "DataKeyArn", "*") for verb in ("Decrypt", "GenerateDataKey")}
)
SOCKETS = {
    (
        "execute-api:ManageConnections",
        "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${SocketApi}/feed/*",
        "*",
    )
}
OPENING = {("kms:Decrypt", "CredentialsKey.Arn", "*")}
JUDGING = _on_table("GetItem BatchGetItem", "S#keys#*", "S#tenants", "T#*#projects") | _on_table(
    "GetItem PutItem UpdateItem", "S#guesses#*"
)
GRANTS = {
    "TimeFunction": COUNTING,
    "HubFunction": COUNTING | KEEPING | OPENING,
    "CalendarFunction": COUNTING | KEEPING | OPENING,
    "PlannerFunction": COUNTING | KEEPING,
    "TeamFunction": COUNTING | KEEPING,
    "AuthorizerFunction": JUDGING,
    "ChoresFunction": KEEPING
    | OPENING
    | _on_table("Query", "S#tenants", "T#*#projects")
    | _on_table("GetItem PutItem", "S#rounds"),
    "ReactionsFunction": KEEPING
    | _on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | {(f"sqs:{verb}", "EventQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")},
    "FeedFunction": {
        ("events:PutEvents", "EventBus.Arn", "*"),
        ("sqs:SendMessage", "EventQueue.Arn", "*"),
        ("sqs:SendMessage", "FeedDeadLetterQueue.Arn", "*"),
        ("sqs:SendMessage", "SocketQueue.Arn", "*"),
        *(
            (f"dynamodb:{verb}", "Table.StreamArn", "*")
            for verb in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
        ),
    },
    "FeedSocketFunction": JUDGING
    | _on_table(
        "GetItem PutItem DeleteItem",
        "S#sockets",
        "S#secrets",
        "P#*#feed_head",
        "P#*#feed_listeners",
        "P#*#outbox#*",
        "T#*#feed_places",
    )
    | _on_table("Query", "T#*#feed_places")
    | SOCKETS,
    "FeedPushFunction": KEEPING
    | _on_table("GetItem", "S#keys#*")
    | _on_table("GetItem DeleteItem", "S#sockets", "T#*#feed_places")
    | _on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | {(f"sqs:{verb}", "SocketQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")}
    | SOCKETS,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_exactly_what_it_is_listed_with_here(function: str) -> None:
    assert _granted(function) == GRANTS[function]


def _matches(key: str, patterns: set[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


def test_the_keys_that_policies_name_are_those_that_the_code_builds() -> None:
    scope = Scope("acme", "main")
    reads = {key for action, _, key in _granted("AuthorizerFunction") if action == "dynamodb:GetItem"}
    assert _matches(key_key("abc").partition.text, reads)
    assert _matches(TENANTS.text, reads)
    assert _matches(project_key("acme", "main").partition.text, reads)
    lists = {key for action, _, key in _granted("ChoresFunction") if action == "dynamodb:Query"}
    assert _matches(TENANTS.text, lists)
    assert _matches(projects_of("acme").text, lists)
    counts = {key for action, _, key in _granted("TimeFunction") if action == "dynamodb:UpdateItem"}
    assert _matches(window_key("abc", "minute", 0).partition.text, counts)
    puts = {key for action, _, key in _granted("CalendarFunction") if action == "dynamodb:PutItem"}
    assert _matches(Partition.in_project(scope, "calendars").text, puts)
    assert _matches(Partition.in_tenant(scope, "audit").text, puts)
    assert _matches(Partition.system("secrets").text, puts)
    parks = {key for action, _, key in _granted("ReactionsFunction") if action == "dynamodb:PutItem"}
    assert _matches(Partition.in_tenant(scope, "parked_events").text, parks)


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
    assert "Policies" not in TEMPLATE["Globals"]["Function"]
    assert "Role" not in TEMPLATE["Globals"]["Function"]


def test_who_opens_the_secrets_of_connected_calendars_may_and_nobody_else() -> None:
    """Derived from the code: a door whose modules reach the one that asks for the providers."""
    needs = {name for name, of in FUNCTIONS.items() if _asks_for_providers(of["Properties"])}
    may = {name for name in FUNCTIONS if _granted(name) >= OPENING}
    assert needs == may == {"HubFunction", "CalendarFunction", "ChoresFunction"}


def _asks_for_providers(properties: dict[str, Any]) -> bool:
    module = properties["Handler"].rpartition(".")[0]
    waiting, seen = [ROOT / properties["CodeUri"] / f"{module}.py"], set[Path]()
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
