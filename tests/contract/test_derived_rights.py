"""Test each function's permissions against its code. None is missing, and none is left over."""

import inspect
import re
from collections.abc import Callable, Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from almanac.composition import aws, aws_events, aws_feed, aws_pages
from almanac.composition.families import FAMILIES, declaration
from almanac.platform.declaration.family import Later
from tests.contract.grants import BUS, EMBEDDING, MANAGED, MODEL, PROFILE, Grant, first, grants, grants_of, on_table
from tests.contract.requests_by_function import Requests, requests_by_function
from tests.contract.template import FUNCTIONS, RESOURCES, ROOT, TEMPLATE

every_function = pytest.mark.parametrize("name", FUNCTIONS)


@pytest.fixture(scope="module")
def requests(tmp_path_factory: pytest.TempPathFactory) -> Requests:
    return requests_by_function(tmp_path_factory.mktemp("table"))


def _folder(function: str) -> str:
    return Path(FUNCTIONS[function]["Properties"]["CodeUri"]).name


def _allows(grant: Grant, action: str, index: str, key: str) -> bool:
    resource = f"${{Table.Arn}}/index/{index}" if index else "Table.Arn"
    return grant[:2] == (f"dynamodb:{action}", resource) and fnmatchcase(key, grant[2])


@pytest.mark.slow
@every_function
def test_a_function_may_do_what_it_asks_of_the_table(requests: Requests, name: str) -> None:
    rights = grants_of(name)
    refused = {asked for asked in requests[_folder(name)] if not any(_allows(grant, *asked) for grant in rights)}
    assert not refused


def _policies() -> Iterator[tuple[set[str], set[Grant]]]:
    """Yield the functions that have each of our policies, and its permissions on the table."""
    for name, of in RESOURCES.items():
        if of["Type"] == "AWS::IAM::ManagedPolicy":
            users = {
                each for each in FUNCTIONS if f"{{'Ref': '{name}'}}" in str(FUNCTIONS[each]["Properties"]["Policies"])
            }
            yield users, grants(map(first, of["Properties"]["PolicyDocument"]["Statement"]))
    for name in FUNCTIONS:
        stated = [policy for policy in FUNCTIONS[name]["Properties"]["Policies"] if "Statement" in policy]
        yield {name}, grants(statement for policy in stated for statement in policy["Statement"])


# What is asked only where something fails again and again, where a tenant has a limit or many calls at once, or where a
# connection is gone.
SELDOM = (
    on_table("GetItem PutItem UpdateItem DeleteItem ConditionCheckItem", "T#*#parked_events")
    | on_table("PutItem UpdateItem", "S#tenant_uses#*")
    | on_table("Query DeleteItem", "S#call_leases#*")
)
SELDOM_TOLD = {
    # Whoever is the first whose tenant is counted registers that there are due items; counts of a full tenant wait.
    "SweepFunction": on_table("PutItem", "S#partitions") | on_table("Query", "P#*#due"),
    # The tier of a tenant is remembered as long as the project that it was read with, but for a moment.
    "AuthorizerFunction": on_table("GetItem", "S#tenants"),
    # Whoever is the first to write an entry of an audit trail registers that there are such.
    "SignInFunction": on_table("PutItem", "S#partitions"),
    "FeedPushFunction": on_table("GetItem DeleteItem", "S#sockets") | on_table("DeleteItem", "T#*#feed_places"),
    # Whoever needs the secret of cursors first makes it.
    "FeedSocketFunction": on_table("PutItem", "S#secrets"),
}


@pytest.mark.slow
def test_what_a_policy_grants_on_the_table_is_asked_by_a_function_that_has_it(requests: Requests) -> None:
    for users, rights in _policies():
        asked = set[tuple[str, str, str]]().union(*(requests[_folder(user)] for user in users))
        seldom = SELDOM.union(*(SELDOM_TOLD.get(user, set()) for user in users))
        on_table = {grant for grant in rights - seldom if _is_of_table(grant[1])}
        assert users
        assert not {grant for grant in on_table if not any(_allows(grant, *each) for each in asked)}, users


def _others(function: str) -> set[tuple[str, str]]:
    """Return permissions on anything but the table."""
    return {(action, resource) for action, resource, _ in grants_of(function) if not _is_of_table(resource)}


def _is_of_table(resource: str) -> bool:
    return resource in ("Table.Arn", "${Table.Arn}/index/gsi1", "${Table.Arn}/index/gsi2")


LARGE_VALUES = {("s3:GetObject", "${LargeValues.Arn}/*"), ("s3:PutObject", "${LargeValues.Arn}/*")} | {
    ("kms:Decrypt", "DataKeyArn"),
    ("kms:GenerateDataKey", "DataKeyArn"),
}
BUCKET = "arn:${AWS::Partition}:s3:::${LargeValues}"
OPENING = {("kms:Decrypt", "CredentialsKey.Arn")}
ASKING = {("bedrock:InvokeModel", resource) for resource in (MODEL, PROFILE, "LanguageModelArn")}
SEARCHING = {(f"es:ESHttp{verb}", "${SearchDomain}/*") for verb in ("Get", "Post", "Put")}


@pytest.mark.slow
@every_function
def test_a_function_may_use_of_other_services_what_its_code_opens_and_no_more(requests: Requests, name: str) -> None:
    """Who keeps items in projects keeps large values, and who asks for providers opens their secrets. Who searches, or
    follows what is searched, uses its index; who reads texts for it may ask a model to. A queue is read by the function
    that a mapping feeds from it. Clients are found in what the door opens."""
    needs = _rights_of_event_source(name)
    if _opens(name, "open_whole_store") and any(key.startswith("P#") for *_, key in requests[_folder(name)]):
        needs |= LARGE_VALUES
    if _asks_for_providers(FUNCTIONS[name]["Properties"]):
        needs |= OPENING
    if _asks_for_search(name):
        needs |= SEARCHING
    if _reads_texts(name):
        needs.add(("bedrock:InvokeModel", EMBEDDING))
    if _asks_for(FUNCTIONS[name]["Properties"], ".get(ChosenModel)"):
        needs |= ASKING
    if _opens(name, "sweep_handler("):
        needs |= {("s3:ListBucket", BUCKET), ("s3:DeleteObject", f"{BUCKET}/*")}
    if _opens(name, 'client("sqs")'):
        needs |= {("sqs:SendMessage", f"{queue}.Arn") for queue in _queues_of(name)}
    if _opens(name, 'client("events")'):
        needs.add(("events:PutEvents", BUS))
    if _opens(name, 'client("apigatewaymanagementapi"'):
        needs.add(("execute-api:ManageConnections", MANAGED))
    assert _others(name) == needs


def _rights_of_event_source(function: str) -> set[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for mapping in (of["Properties"] for of in RESOURCES.values() if of["Type"] == "AWS::Lambda::EventSourceMapping"):
        if function not in (
            mapping["FunctionName"].get("Ref"),
            str(mapping["FunctionName"].get("GetAtt")).split(".")[0],
        ):
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
    """Return the queues whose addresses the function gets."""
    variables = FUNCTIONS[function]["Properties"]["Environment"]["Variables"]
    told = {name: of for name, of in variables.items() if name.endswith("_QUEUE")}
    # One that a parameter switches on has a condition around it.
    return {(of["If"][1] if "If" in of else of)["Ref"] for of in told.values()}


def _opens(function: str, what: str) -> bool:
    """Return whether the function's handler mentions `what`, directly or through the functions of composition that it
    calls."""
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
    modules = (aws, aws_events, aws_feed, aws_pages)
    found = [each for module in modules for each in inspect.getmembers(module, inspect.isfunction)]
    return {
        name: inspect.getsource(function) for name, function in found if function.__module__.startswith(COMPOSITION)
    }


COMPOSITION = "almanac.composition.aws"
OPENERS = _openers()


def test_who_opens_the_secrets_of_connected_calendars_may_and_nobody_else() -> None:
    """Derived from the code: a door whose modules reach the one that asks for the providers."""
    needs = {name for name, of in FUNCTIONS.items() if _asks_for_providers(of["Properties"])}
    may = {name for name in FUNCTIONS if _others(name) >= OPENING}
    assert needs == may == {"HubFunction", "DashboardFunction", "CalendarFunction", "JobsFunction"}


def test_who_uses_the_index_of_search_is_told_where_it_is_and_nobody_else() -> None:
    told = {
        name
        for name, of in FUNCTIONS.items()
        if "ALMANAC_SEARCH_ENDPOINT" in of["Properties"]["Environment"]["Variables"]
    }
    named = {
        name for name, of in FUNCTIONS.items() if "ALMANAC_SEARCH_NAME" in of["Properties"]["Environment"]["Variables"]
    }
    may = {name for name in FUNCTIONS if _others(name) >= SEARCHING}
    assert told == named == may
    assert may == {
        "HubFunction",
        "DashboardFunction",
        "PlannerFunction",
        "TeamFunction",
        "ContextFunction",
        "MemoryFunction",
        "KnowledgeFunction",
        "CodeFunction",
        "ReactionsFunction",
        "EnrichingFunction",
        "JobsFunction",
    }


def test_who_asks_the_language_model_is_told_which_and_nobody_else() -> None:
    told = {
        name
        for name, of in FUNCTIONS.items()
        if "ALMANAC_LANGUAGE_MODEL" in of["Properties"]["Environment"]["Variables"]
    }
    may = {name for name in FUNCTIONS if _others(name) >= ASKING}
    assert told == may == {"HubFunction", "DashboardFunction", "MemoryFunction", "KnowledgeFunction"}


def test_who_reads_with_a_model_of_bedrock_is_told_which_and_nobody_else() -> None:
    told = {
        name
        for name, of in FUNCTIONS.items()
        if "ALMANAC_EMBEDDING_MODEL" in of["Properties"]["Environment"]["Variables"]
    }
    may = {name for name in FUNCTIONS if ("bedrock:InvokeModel", EMBEDDING) in _others(name)}
    reading = {name for name, of in FUNCTIONS.items() if "ModelLayer" in str(of["Properties"].get("Layers"))}
    assert told == may == reading


def _asks_for_search(function: str) -> bool:
    """It serves a family whose tools search, or all that follows events or time, by which an index is kept."""
    follows = any(_opens(function, each) for each in ("every_reaction()", "every_job()", "enrichment_handler("))
    return follows or _asks_for(FUNCTIONS[function]["Properties"], ".get(Search)")


def _reads_texts(function: str) -> bool:
    """Return whether the function embeds questions or texts, and does not only maintain the index."""
    return _opens(function, "enrichment_handler(") or _asks_for(FUNCTIONS[function]["Properties"], ".get(Search)")


def _asks_for_providers(properties: dict[str, Any]) -> bool:
    return _asks_for(properties, ".get(Providers)")


def _asks_for(properties: dict[str, Any], what: str) -> bool:
    (door,) = (ROOT / "functions" / Path(properties["CodeUri"]).name).glob("handle_*.py")
    waiting, seen = [_source(each) for each in _families_parts(door.read_text())], set[Path]()
    while waiting:
        text = waiting.pop()
        # What it is opened with is handed to everybody; who asks for it, uses it.
        if what in text:
            return True
        files = {LAYER / f"{name.replace('.', '/')}.py" for name in IMPORTED.findall(text)} - seen
        seen |= files
        waiting += [file.read_text() for file in files if file.is_file()]
    return False


def _source(part: Callable[..., object]) -> str:
    return f"from {part.module} import {part.name}" if isinstance(part, Later) else inspect.getsource(part)


def _families_parts(door: str) -> list[Callable[..., object]]:
    """Return the parts of families that a handler serves: tools of one or all families, jobs or reactions."""
    every = [declaration(name) for name in FAMILIES]
    if served := re.search(r'aws_handler\("(\w+)"\)', door):
        return [declaration(served[1]).open]
    if "aws_hub()" in door or "aws_dashboard()" in door:
        return [family.open for family in every]
    if "aws_schedule()" in door:
        return [family.jobs for family in every]
    return [family.reactions for family in every] if "aws_reactions()" in door else []


LAYER = ROOT / "layers/app"
IMPORTED = re.compile(r"^\s*from (almanac[\w.]*) import", re.MULTILINE)
