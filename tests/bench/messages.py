"""The requests that every server is asked to answer: one tool call and one listing, in the two eras of MCP."""

import json
from typing import Any

HANDSHAKE = "2025-11-25"
STATELESS = "2026-07-28"
TOOL = "convert_timezone"
ARGUMENTS = {"datetime": "2026-03-15T14:00:00Z", "target_timezone": "America/New_York"}

Request = tuple[str, dict[str, str]]


def call(revision: str) -> Request:
    return tool_call(revision, TOOL, ARGUMENTS)


def tool_call(revision: str, name: str, arguments: dict[str, Any]) -> Request:
    return _request("tools/call", {"name": name, "arguments": arguments}, revision)


def list_request(revision: str) -> Request:
    return _request("tools/list", {}, revision)


def _request(method: str, params: dict[str, Any], revision: str) -> Request:
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": revision,
    }
    if revision == STATELESS:
        meta = {
            "io.modelcontextprotocol/protocolVersion": revision,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = params | {"_meta": meta}
        headers["mcp-method"] = method
        if "name" in params:
            headers["mcp-name"] = params["name"]
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), headers


def refuse_an_error(answer: str, server: str) -> None:
    """A benchmark of refusals would be a fast one: only an answer with a result counts."""
    response = json.loads(answer)
    if "result" not in response or response["result"].get("isError"):
        raise SystemExit(f"{server} did not answer: {answer[:400]}")
