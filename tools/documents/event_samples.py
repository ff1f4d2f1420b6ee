"""Samples of the events that invoke the functions, for `sam local invoke` and the tests: `events/*.json`.

They are made by the code that reads and writes such events, so the handlers accept them.
"""

import base64
import json
from collections.abc import Iterator
from typing import Any

from almanac.composition.families import families_for_docs
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import to_context
from almanac.kernel.caller import Caller
from almanac.protocol.family import Family
from almanac.protocol.message.revisions import HANDSHAKE
from almanac.protocol.tool import Effect, Tool
from tools.documents.trigger_samples import (
    ACCOUNT,
    AT,
    REGION,
    SCOPE,
    connect_event,
    push_event,
    queue_event,
    rules_event,
    schedule_event,
    stream_event,
)

Json = dict[str, Any]

KEY_ID = "aaaaaaaaaaaaaaaa"
KEY = f"alm_{KEY_ID}_{'a' * 52}"
"""A well-formed key that is not valid anywhere."""

_API = "a1b2c3d4e5"
_HOST = f"{_API}.execute-api.{REGION}.amazonaws.com"
_ADDRESS = "203.0.113.7"


def samples() -> Iterator[tuple[str, str]]:
    """Yield the path below the repository and the text of every sample."""
    listing: Json = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    yield _file("hub_rest", rest_event("/mcp", listing))
    yield _file("hub_http", http_event("/mcp", listing))
    for family in families_for_docs():
        call = sample_call(sampled_tool(family))
        yield _file(f"{family.name}_rest", rest_event(f"/mcp/{family.name}", call))
        yield _file(f"{family.name}_http", http_event(f"/mcp/{family.name}", call))
    yield _file("authorizer_request", authorizer_event("/mcp/time"))
    yield _file("feed_stream", stream_event())
    yield _file("reactions_queue", queue_event())
    yield _file("rules_queue", rules_event())
    yield _file("jobs_schedule", schedule_event())
    yield _file("feed_socket_connect", connect_event(KEY))
    yield _file("feed_push_queue", push_event())


def sampled_tool(family: Family) -> Tool:
    """Return the first tool whose required arguments all have examples.

    Tools that only read are preferred, and among them those without required arguments, because an argument may name a
    thing that does not exist."""
    whole = [tool for tool in family.tools if None not in _required_arguments(tool).values()]
    reading = [tool for tool in whole if tool.effect is Effect.READS]
    return ([tool for tool in reading if not _required_arguments(tool)] or reading or whole)[0]


def sample_call(tool: Tool) -> Json:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool.name, "arguments": _required_arguments(tool)},
    }


def _required_arguments(tool: Tool) -> Json:
    """Return the required arguments with their first example, or None for an argument without one."""
    properties: Json = tool.input_schema["properties"]
    return {
        name: next(iter(properties[name].get("examples", ())), None) for name in tool.input_schema.get("required", ())
    }


def rest_event(path: str, message: Json) -> Json:
    """Return a REST API's proxy event (payload 1.0), which contains the authorizer's answer."""
    headers = {"Host": _HOST, "User-Agent": "sample", **_headers()}
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            **_rest_facts(path),
            "authorizer": {"principalId": KEY_ID, "integrationLatency": 12, **to_context(_PASS)},
        },
        "body": json.dumps(message),
        "isBase64Encoded": False,
    }


def http_event(path: str, message: Json) -> Json:
    """Return an HTTP API's event (payload 2.0) with its body in base64."""
    return {
        "version": "2.0",
        "routeKey": f"POST {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {"host": _HOST, "user-agent": "sample", **{n.lower(): v for n, v in _headers().items()}},
        "requestContext": {
            "accountId": ACCOUNT,
            "apiId": _API,
            "authorizer": {"lambda": to_context(_PASS)},
            "domainName": _HOST,
            "http": {
                "method": "POST",
                "path": path,
                "protocol": "HTTP/1.1",
                "sourceIp": _ADDRESS,
                "userAgent": "sample",
            },
            "requestId": "JKJaXmPLvHcESHA=",
            "routeKey": f"POST {path}",
            "stage": "$default",
            "timeEpoch": AT,
        },
        "body": base64.b64encode(json.dumps(message).encode()).decode(),
        "isBase64Encoded": True,
    }


def authorizer_event(path: str) -> Json:
    """Return the event that a REST API sends to its REQUEST authorizer."""
    headers = {"Host": _HOST, **_headers()}
    return {
        "type": "REQUEST",
        "methodArn": f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{_API}/v1/POST{path}",
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": {},
        "multiValueQueryStringParameters": {},
        "pathParameters": {},
        "stageVariables": {},
        "requestContext": _rest_facts(path),
    }


_PASS = Principal(Caller(SCOPE, actor="ada", key_id=KEY_ID, default_timezone="Europe/Berlin"))


def _file(name: str, event: Json) -> tuple[str, str]:
    return f"events/{name}.json", json.dumps(event, indent=2, ensure_ascii=False) + "\n"


def _headers() -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": HANDSHAKE[-1],
        "x-api-key": KEY,
    }


def _rest_facts(path: str) -> Json:
    return {
        "accountId": ACCOUNT,
        "apiId": _API,
        "domainName": _HOST,
        "httpMethod": "POST",
        "identity": {"sourceIp": _ADDRESS, "userAgent": "sample"},
        "path": f"/v1{path}",
        "protocol": "HTTP/1.1",
        "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
        "requestTimeEpoch": AT,
        "resourcePath": path,
        "stage": "v1",
    }
