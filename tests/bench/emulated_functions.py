"""What is run under the emulator: every function of the template as it was built, and the same tools behind others."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from emulated_cloud import SESSION
from fresh_process import HERE, ROOT
from lambda_emulator import Function, emulator
from messages import HANDSHAKE, call, list_request, tool_call
from servers.api_gateway import event

from tests.contract.template import FUNCTIONS, TEMPLATE
from tools.documents.event_samples import samples

PEERS = ROOT / ".tools/bench/lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
EMPTY, TIME = "an empty handler", "**time**"
SDK, AWSLABS = "official SDK behind Mangum", "awslabs.mcp-lambda-handler"
QUEUES = {
    "feed": "feed_stream",
    "reactions": "reactions_queue",
    "rules": "rules_queue",
    "feed_push": "feed_push_queue",
}
"""Functions that answer events, and the event of each."""
UNTIMED = frozenset({"enriching", "sweep"})
"""Functions without a row: nobody waits for them, and they need a model or a bucket."""
PAGES = {"signin": "/.well-known/oauth-protected-resource/mcp", "dashboard": "/ui"}
"""Functions at the public URL, and what is opened there first: only later requests read the store."""
SIGN_IN = "**signin**"
PUBLIC_URL = "https://mcp.example.com"
SESSIONS = "the same, its sessions in DynamoDB"
_NAMES = ("Anna", "Ben", "Carla", "Dora")
_SAID = (
    "mends the hull of the wooden yacht every spring.",
    "wrote the invoice for the harbour last week.",
    "takes the train to the office on Mondays.",
    "asked whether the meeting can be moved to noon.",
)
STORING = ("**calendar**", "**planner**", "**memory**", "**team**")
SEARCHING = "**memory**, by meaning"

Event = Mapping[str, Any]


@dataclass(frozen=True)
class Subject:
    """A function, the events that call it and, where it speaks MCP, list its tools, and whether an answer is right."""

    function: Function
    calling: Event
    is_right: Callable[[Any], bool]
    listing: Event | None = None


def subjects(build: Path, environment: Mapping[str, str]) -> list[Subject]:
    """`build` is what `sam build` made for this machine; `environment` where the functions find the store."""
    nothing = Function(EMPTY, "handle_nothing.handler", (HERE / "empty_function",))
    timed = [name for name in FUNCTIONS if _service(FUNCTIONS[name]["Properties"]) not in UNTIMED]
    ours = [_subject(function_as_built(build, name, environment), FUNCTIONS[name]["Properties"]) for name in timed]
    return [
        Subject(nothing, _convert("/"), bool),
        *ours,
        _search_subject(build, environment),
        *_peers(build, environment),
    ]


def function_as_built(build: Path, name: str, environment: Mapping[str, str]) -> Function:
    """The function of that name, as it was built; its limits are the template's."""
    properties: dict[str, Any] = TEMPLATE["Globals"]["Function"] | FUNCTIONS[name]["Properties"]
    # Those of a nested stack lie in its folder.
    [code] = [*build.glob(name), *build.glob(f"*/{name}")]
    return Function(
        f"**{_service(properties)}**",
        properties["Handler"],
        (code, *(build / layer / "python" for layer in _layers(properties["Layers"]))),
        {**_fixed_variables(), **environment},
        properties["Timeout"],
        properties["MemorySize"],
    )


def _fixed_variables() -> dict[str, str]:
    """Variables of every function whose values the template states."""
    variables = TEMPLATE["Globals"]["Function"]["Environment"]["Variables"]
    return {name: value for name, value in variables.items() if isinstance(value, str)}


def _layers(declared: Any) -> list[str]:
    """Their names, with those of every function first, without those that a parameter adds. A nested stack is given
    them joined to one text."""
    own: list[dict[str, str]] = declared["Join"][1] if "Join" in declared else declared
    return list(dict.fromkeys(["AppLayer", "VendorLayer", *(each["Ref"] for each in own if "Ref" in each)]))


def sample(name: str) -> dict[str, Any]:
    """The event in events/ of that name."""
    return json.loads(dict(samples())[f"events/{name}.json"])


def _subject(function: Function, properties: Mapping[str, Any]) -> Subject:
    match _service(properties):
        case "time" as family:
            return Subject(function, _convert(f"/mcp/{family}"), _has_result, _list(f"/mcp/{family}"))
        case "hub":
            return Subject(function, _convert("/mcp"), _has_result, _list("/mcp"))
        case "authorizer":
            return Subject(function, sample("authorizer_request"), _is_allowed)
        case queue if queue in QUEUES:
            return Subject(function, sample(QUEUES[queue]), _took_all)
        case "feed_socket":
            return Subject(function, _disconnect_event(), lambda answer: answer == {"statusCode": 200})
        case "jobs":
            return Subject(function, sample("jobs_schedule"), lambda answer: answer is None)
        case page if page in PAGES:
            return Subject(_public(function), _keyless_request(PAGES[page]), _is_found)
        case family:
            return Subject(function, sample(f"{family}_rest"), _has_result, _list(f"/mcp/{family}"))


def _search_subject(build: Path, environment: Mapping[str, str]) -> Subject:
    """What a function costs that ranks: numpy, the table of vectors and the stemmer. It finds turns recorded before."""
    memory = function_as_built(build, "MemoryFunction", environment)
    layer = {"EMBEDDER_LAYER": str(build / "EmbedderLayer/embedder")}
    function = replace(
        memory,
        title=SEARCHING,
        handler="servers.memory_function.handler",
        paths=(*memory.paths, HERE),
        environment={**memory.environment, **layer},
    )
    turns = [{"role": "user", "content": f"{each} {said}"} for each in _NAMES for said in _SAID]
    recorded = tool_call(HANDSHAKE, "record_turns", {"turns": turns, "session_id": "boats"})
    with emulator(function) as one:
        answer, _ = one.invoke(event("/mcp/memory", *recorded))
    if not _has_result(json.loads(answer)):
        raise SystemExit(f"{SEARCHING} could not record turns: {answer[:400]}")
    asked = tool_call(HANDSHAKE, "search_memory", {"query": "Who repairs the old sailing boat?"})
    return Subject(function, event("/mcp/memory", *asked), _has_hits)


def _peers(build: Path, environment: Mapping[str, str]) -> list[Subject]:
    paths = (HERE, build / "AppLayer/python", PEERS)
    asked = _convert("/mcp/time"), _has_result, _list("/mcp/time")
    in_session = _in_session(asked[0]), _has_result, _in_session(asked[2])
    return [
        Subject(Function(SDK, "servers.mangum_sdk.handler", paths), *asked),
        Subject(Function(AWSLABS, "servers.awslabs.handler", paths), *asked),
        Subject(Function(SESSIONS, "servers.awslabs_sessions.handler", paths, environment), *in_session),
    ]


def _service(properties: Mapping[str, Any]) -> str:
    return properties["Environment"]["Variables"]["POWERTOOLS_SERVICE_NAME"]


def _public(function: Function) -> Function:
    """The function where people and programs sign in."""
    return replace(function, environment={**function.environment, "ALMANAC_PUBLIC_URL": PUBLIC_URL})


def _keyless_request(path: str) -> Event:
    """A request of somebody without a key, at the public URL."""
    asked = event(path, "", {})
    return {**asked, "httpMethod": "GET", "headers": {"Host": PUBLIC_URL.removeprefix("https://")}, "body": None}


def _is_found(answer: Any) -> bool:
    return answer["statusCode"] == 200


def _disconnect_event() -> Event:
    """A key may open only so many sockets, and close any."""
    connecting = sample("feed_socket_connect")
    return connecting | {"requestContext": connecting["requestContext"] | {"routeKey": "$disconnect"}}


def _convert(path: str) -> Event:
    return event(path, *call(HANDSHAKE))


def _list(path: str) -> Event:
    return event(path, *list_request(HANDSHAKE))


def _in_session(event: Event) -> Event:
    return {**event, "headers": {**event["headers"], "mcp-session-id": SESSION}}


def _has_result(answer: Any) -> bool:
    return not json.loads(answer["body"])["result"].get("isError")


def _has_hits(answer: Any) -> bool:
    return bool(json.loads(answer["body"])["result"]["structuredContent"]["hits"])


def _is_allowed(answer: Any) -> bool:
    return answer["policyDocument"]["Statement"][0]["Effect"] == "Allow"


def _took_all(answer: Any) -> bool:
    return answer == {"batchItemFailures": []}
