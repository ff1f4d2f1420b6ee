"""Events as API Gateway makes them, for the tests of the doors."""

import base64
import json
from typing import Any

from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import to_context

HEADERS = {
    "Content-Type": "application/json; charset=utf-8",
    "Host": "api.example.com",
    "MCP-Protocol-Version": "2025-11-25",
}


def message(method: str, params: dict[str, Any] | None = None, number: int = 1) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})


def call_message(tool: str, **arguments: Any) -> str:
    return message("tools/call", {"name": tool, "arguments": arguments})


def rest_event(
    body: str | None, allowed: Principal | None, path: str = "/mcp", method: str = "POST", **more: Any
) -> dict[str, Any]:
    """A REST API's proxy event."""
    return {
        "resource": "/{proxy+}",
        "path": path,
        "httpMethod": method,
        "headers": dict(HEADERS),
        "multiValueHeaders": {name: [value] for name, value in HEADERS.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "requestContext": {
            "stage": "v1",
            "path": "/v1" + path,
            "identity": {"sourceIp": "203.0.113.7"},
            "authorizer": {"principalId": "k", "integrationLatency": 3, **to_context(allowed)} if allowed else None,
        },
        "body": body,
        "isBase64Encoded": False,
        **more,
    }


def http_event(
    body: str, allowed: Principal | None, path: str = "/mcp", method: str = "POST", **more: Any
) -> dict[str, Any]:
    """An HTTP API's or function URL's event, payload format 2.0; such events carry JSON as base64 as they please."""
    return {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {name.lower(): value for name, value in HEADERS.items()},
        "requestContext": {
            "stage": "$default",
            "http": {"method": method, "path": path, "sourceIp": "203.0.113.7"},
            "authorizer": {"lambda": to_context(allowed)} if allowed else {},
        },
        "body": base64.b64encode(body.encode()).decode(),
        "isBase64Encoded": True,
        **more,
    }
