"""Test that each function has exactly the permissions listed here, on the keys that the code builds."""

from collections.abc import Iterator
from typing import Any

import pytest

from almanac.identity.records import TENANTS, key_key, project_key, projects_of, window_key
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Partition
from tests.contract.grants import (
    BUS,
    EMBEDDING,
    MANAGED,
    MODEL,
    PROFILE,
    as_list,
    grants_of,
    matches,
    on_table,
    statements,
)
from tests.contract.template import CONFIGURATION, FUNCTIONS, GIVEN, NESTED, PAGE, TEMPLATE

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@every_function
def test_a_function_states_its_own_policies_and_none_is_a_managed_one(name: str) -> None:
    properties = FUNCTIONS[name]["Properties"]
    assert "Role" not in properties
    assert all(isinstance(policy, dict) for policy in properties["Policies"])


@every_function
def test_no_policy_allows_any_action_or_any_resource(name: str) -> None:
    for statement in statements(name):
        assert not any("*" in action for action in as_list(statement["Action"])), statement
        assert "NotAction" not in statement
        assert "NotResource" not in statement
        # Connections of the live feed, large values and indices of search have no names before they are made.
        if not NAMED_LATER & set(as_list(statement["Action"])):
            assert not any("*" in str(resource) for resource in as_list(statement["Resource"])), statement


NAMED_LATER = {"execute-api:ManageConnections", "s3:GetObject", "s3:DeleteObject", "es:ESHttpGet"}


BOUNDED = {"If": ["HasBoundary", {"Ref": "PermissionsBoundary"}, {"Ref": "AWS::NoValue"}]}
STACKS = {"": TEMPLATE, **NESTED}


def _makers_of_roles() -> Iterator[tuple[str, str, Any]]:
    """Yield everything that is a role or that SAM makes one for: the stack, its name, and the boundary that it has."""
    for stack, template in STACKS.items():
        resources = PAGE if stack == "" else template["Resources"]
        for name, of in resources.items():
            # What Fn::ForEach repeats is a list.
            if isinstance(of, list):
                continue
            properties: dict[str, Any] = of.get("Properties", {})
            if of["Type"] in ("AWS::Serverless::Function", "AWS::IAM::Role"):
                yield stack, name, properties.get("PermissionsBoundary")
            for event, given in properties.get("Events", {}).items():
                if given["Type"] in ("ScheduleV2", "Schedule"):
                    yield stack, f"{name}.{event}", given["Properties"].get("PermissionsBoundary")


@pytest.mark.parametrize(("stack", "name", "boundary"), list(_makers_of_roles()))
def test_every_role_has_the_boundary_that_the_operator_names(stack: str, name: str, boundary: Any) -> None:
    assert boundary == BOUNDED, name
    assert STACKS[stack]["Conditions"]["HasBoundary"] == {"Not": [{"Equals": [{"Ref": "PermissionsBoundary"}, ""]}]}
    assert stack == "" or GIVEN[stack]["PermissionsBoundary"] == {"Ref": "PermissionsBoundary"}


def test_two_stacks_of_an_account_may_have_the_same_schedules() -> None:
    """SAM calls a schedule by its function and event, unless it is told not to, and names of schedules are unique."""
    resources = [each for template in STACKS.values() for each in template["Resources"].values() if "Type" in each]
    events = [event for each in resources for event in each.get("Properties", {}).get("Events", {}).values()]
    schedules = [event["Properties"] for event in events if event["Type"] == "ScheduleV2"]

    assert schedules
    assert {(each.get("OmitName"), each.get("Name")) for each in schedules} == {(True, None)}


def test_nothing_else_makes_a_role() -> None:
    kinds = {str(of["Type"]) for template in STACKS.values() for of in template["Resources"].values() if "Type" in of}
    others = {kind for kind in kinds if kind.startswith("AWS::Serverless::")} - {"AWS::Serverless::Function"}
    assert others <= {"AWS::Serverless::Api", "AWS::Serverless::LayerVersion"}


@pytest.mark.parametrize("environment", CONFIGURATION)
def test_every_environment_is_deployed_with_tags(environment: str) -> None:
    deployed = CONFIGURATION[environment].get("deploy")
    assert deployed is None or "project=almanac" in deployed["parameters"]["tags"]


COUNTING = on_table("PutItem UpdateItem", "S#key_uses#*", "S#tenant_uses#*")
LEASING = on_table("Query PutItem DeleteItem", "S#call_leases#*")
REGISTERING = on_table("BatchGetItem PutItem", "S#partitions", "S#partitions#*")
KEEPING = (
    on_table("GetItem BatchGetItem Query PutItem UpdateItem DeleteItem ConditionCheckItem", "P#*")
    | on_table("Query", "P#*", resource="${Table.Arn}/index/gsi1")
    | on_table("Query", "P#*", resource="${Table.Arn}/index/gsi2")
    | on_table("PutItem", "T#*#audit")
    | on_table("GetItem PutItem", "S#secrets")
    | REGISTERING
    | {(f"s3:{verb}", "${LargeValues.Arn}/*", "*") for verb in ("GetObject", "PutObject")}
    | {(f"kms:{verb}", "DataKeyArn", "*") for verb in ("Decrypt", "GenerateDataKey")}
)
READING_STREAM = {
    (f"dynamodb:{verb}", "Table.StreamArn", "*")
    for verb in ("DescribeStream", "GetRecords", "GetShardIterator", "ListStreams")
}
TOTALLING = on_table("GetItem PutItem UpdateItem", "S#storage#*")
SOCKETS = {("execute-api:ManageConnections", MANAGED, "*")}
OPENS = {("kms:Decrypt", "CredentialsKey.Arn", "*")}
SEARCHING = {(f"es:ESHttp{verb}", "${SearchDomain}/*", "*") for verb in ("Get", "Post", "Put")}
EMBEDDING_TEXTS = {("bedrock:InvokeModel", EMBEDDING, "*")}
ASKING = {("bedrock:InvokeModel", resource, "*") for resource in (MODEL, PROFILE, "LanguageModelArn")}
JUDGING = (
    on_table("GetItem", "S#keys#*", "S#tenants", "S#oauth_grants#*")
    | on_table("BatchGetItem", "S#tenants", "T#*#projects", "S#storage#*")
    | on_table("GetItem PutItem UpdateItem", "S#guesses#*")
    | on_table("PutItem", "S#oauth_attempts")
)
BUCKET = "arn:${AWS::Partition}:s3:::${LargeValues}"
GRANTS = {
    "TimeFunction": COUNTING,
    "HubFunction": COUNTING | LEASING | KEEPING | OPENS | SEARCHING | EMBEDDING_TEXTS | ASKING,
    "MemoryFunction": COUNTING | LEASING | KEEPING | SEARCHING | EMBEDDING_TEXTS | ASKING,
    "ContextFunction": COUNTING | LEASING | KEEPING | SEARCHING | EMBEDDING_TEXTS,
    "KnowledgeFunction": COUNTING | KEEPING | SEARCHING | EMBEDDING_TEXTS | ASKING,
    "CodeFunction": COUNTING | LEASING | KEEPING | SEARCHING | EMBEDDING_TEXTS,
    "SkillsFunction": COUNTING | KEEPING,
    "CalendarFunction": COUNTING | KEEPING | OPENS,
    "PlannerFunction": COUNTING | KEEPING | SEARCHING | EMBEDDING_TEXTS,
    "TeamFunction": COUNTING | KEEPING | SEARCHING | EMBEDDING_TEXTS,
    "AuthorizerFunction": JUDGING,
    "DashboardFunction": COUNTING
    | LEASING
    | KEEPING
    | JUDGING
    | OPENS
    | SEARCHING
    | EMBEDDING_TEXTS
    | ASKING
    | on_table("BatchGetItem", "S#browser_sessions#*", "S#keys#*")
    | on_table("Query PutItem DeleteItem", "S#browser_sessions#*")
    | on_table("Query", "T#*#keys", "T#*#oauth_grants", "T#*#oauth_attempts", resource="${Table.Arn}/index/gsi1")
    | on_table("Query", "T#*#audit")
    | on_table("DeleteItem", "S#oauth_grants#*")
    | on_table("Query DeleteItem", "S#oauth_used#*")
    | on_table("ConditionCheckItem", "S#keys#*")
    | on_table("GetItem DeleteItem", "S#sign_in_codes#*")
    | on_table("PutItem", "S#page_tickets#*"),
    "SignInFunction": JUDGING
    | on_table("GetItem PutItem", "S#oauth_clients#*", "S#oauth_documents#*", "S#secrets")
    | on_table("GetItem PutItem UpdateItem", "S#oauth_codes#*", "S#oauth_rates#*")
    | on_table("PutItem DeleteItem", "S#oauth_grants#*")
    | on_table("GetItem Query PutItem DeleteItem", "S#oauth_used#*")
    | on_table("PutItem", "S#oauth_attempts", "T#*#audit")
    | on_table("BatchGetItem", "S#browser_sessions#*", "S#keys#*")
    | on_table("PutItem", "S#browser_sessions#*")
    | on_table("Query", "T#*#projects")
    | on_table("ConditionCheckItem", "S#tenants")
    | on_table("BatchGetItem PutItem", "S#partitions"),
    "JobsFunction": KEEPING
    | OPENS
    | SEARCHING
    | on_table("GetItem", "S#tenants")
    | on_table("Query", "S#tenants", "T#*#projects")
    | {("dynamodb:Query", "${Table.Arn}/index/gsi1", "S#due#*")}
    | on_table("GetItem PutItem", "S#rounds")
    | on_table("Query", "T#*", "S#partitions", "S#partitions#*")
    | TOTALLING,
    "ReactionsFunction": KEEPING
    | SEARCHING
    | on_table("GetItem", "T#*#projects")
    | on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | {(f"sqs:{verb}", "EventQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")},
    "RulesFunction": KEEPING
    | on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | {(f"sqs:{verb}", "RulesQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")},
    "EnrichingFunction": KEEPING
    | SEARCHING
    | EMBEDDING_TEXTS
    | {
        (f"sqs:{verb}", "EnrichingQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
    },
    "SweepFunction": on_table("BatchGetItem", "P#*", "T#*")
    | on_table("GetItem PutItem", "S#rounds")
    | on_table("GetItem", "S#tenants")
    | on_table("Query PutItem", "P#*#due")
    | READING_STREAM
    | REGISTERING
    | TOTALLING
    | {("s3:ListBucket", BUCKET, "*"), ("s3:DeleteObject", f"{BUCKET}/*", "*")},
    "FeedFunction": {
        ("events:PutEvents", BUS, "*"),
        *on_table("GetItem", "P#*#rule_kinds"),
        *on_table("Query", "P#*#rules"),
        ("sqs:SendMessage", "EventQueue.Arn", "*"),
        ("sqs:SendMessage", "FeedDeadLetterQueue.Arn", "*"),
        ("sqs:SendMessage", "SocketQueue.Arn", "*"),
        ("sqs:SendMessage", "EnrichingQueue.Arn", "*"),
        *READING_STREAM,
    },
    "FeedSocketFunction": JUDGING
    | on_table("GetItem", "S#sockets", "S#secrets", "P#*#feed_head")
    | on_table("PutItem", "S#sockets", "S#secrets", "P#*#feed_listeners", "P#*#outbox", "T#*#feed_places")
    | on_table("DeleteItem", "S#sockets", "P#*#feed_listeners", "T#*#feed_places")
    | on_table("Query", "T#*#feed_places")
    | on_table("GetItem DeleteItem", "S#page_tickets#*")
    | on_table("BatchGetItem", "S#browser_sessions#*", "S#keys#*")
    | REGISTERING
    | SOCKETS,
    "FeedPushFunction": KEEPING
    | on_table("GetItem", "S#keys#*", "S#browser_sessions#*")
    | on_table("GetItem", "S#sockets")
    | on_table("DeleteItem", "S#sockets", "T#*#feed_places")
    | on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | {(f"sqs:{verb}", "SocketQueue.Arn", "*") for verb in ("ReceiveMessage", "DeleteMessage", "GetQueueAttributes")}
    | SOCKETS,
}


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_may_do_exactly_what_it_is_listed_with_here(function: str) -> None:
    assert grants_of(function) == GRANTS[function]


def test_the_keys_that_policies_name_are_those_that_the_code_builds() -> None:
    scope = Scope("acme", "main")
    reads = {key for action, _, key in grants_of("AuthorizerFunction") if action == "dynamodb:GetItem"}
    assert matches(key_key("abc").partition.text, reads)
    assert matches(TENANTS.text, reads)
    batches = {key for action, _, key in grants_of("AuthorizerFunction") if action == "dynamodb:BatchGetItem"}
    assert matches(project_key("acme", "main").partition.text, batches)
    lists = {key for action, _, key in grants_of("JobsFunction") if action == "dynamodb:Query"}
    assert matches(TENANTS.text, lists)
    assert matches(projects_of("acme").text, lists)
    counts = {key for action, _, key in grants_of("TimeFunction") if action == "dynamodb:UpdateItem"}
    assert matches(window_key("abc", "minute", 0).partition.text, counts)
    puts = {key for action, _, key in grants_of("CalendarFunction") if action == "dynamodb:PutItem"}
    assert matches(Partition.in_project(scope, "calendars").text, puts)
    assert matches(Partition.in_tenant(scope, "audit").text, puts)
    assert matches(Partition.system("secrets").text, puts)
    parks = {key for action, _, key in grants_of("ReactionsFunction") if action == "dynamodb:PutItem"}
    assert matches(Partition.in_tenant(scope, "parked_events").text, parks)


# The live feed lets people in by a frame, since browsers cannot set headers, and stops for a key that was revoked.
# People who sign in show one in a form.
READS_KEYS = {
    "AuthorizerFunction",
    "SignInFunction",
    "DashboardFunction",
    "FeedSocketFunction",
    "FeedPushFunction",
}
READING = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
WRITING = {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"}


@pytest.mark.parametrize("function", sorted(set(FUNCTIONS) - READS_KEYS))
def test_only_who_judges_keys_reads_them(function: str) -> None:
    reading = {key for action, resource, key in grants_of(function) if action in READING and "Table." in resource}
    assert not matches(key_key("abc").partition.text, reading)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_no_function_writes_keys_tenants_or_projects(function: str) -> None:
    writing = {key for action, resource, key in grants_of(function) if action in WRITING and "Table." in resource}
    for partition in (key_key("abc").partition, TENANTS, projects_of("acme")):
        assert not matches(partition.text, writing)


def test_policies_are_not_shared_through_globals() -> None:
    for template in (TEMPLATE, *NESTED.values()):
        shared = template.get("Globals", {}).get("Function", {})
        assert not {"Policies", "Role"} & set(shared)
