"""Messages that both engines must answer alike, in every revision."""

from typing import Any

from almanac.protocol.message.revisions import HANDSHAKE, STATELESS_SINCE

Json = dict[str, Any]

CLIENT: Json = {"name": "corpus", "version": "1"}
_FORM = {"action": "accept", "content": {"name": "Ada"}}


def _call(name: str, arguments: Any = None, **more: Any) -> tuple[str, Json]:
    return "tools/call", {"name": name, **({} if arguments is None else {"arguments": arguments}), **more}


def _complete(argument: str, typed: str, **ref: str) -> tuple[str, Json]:
    return "completion/complete", {"ref": ref, "argument": {"name": argument, "value": typed}}


MESSAGES: list[tuple[str, Json | None]] = [
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": CLIENT}),
    ("initialize", {"protocolVersion": "1999-01-01", "capabilities": {}, "clientInfo": CLIENT}),
    ("initialize", {"protocolVersion": STATELESS_SINCE, "capabilities": {}, "clientInfo": CLIENT}),
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}}),
    ("initialize", {"protocolVersion": 1, "capabilities": {}, "clientInfo": CLIENT}),
    ("initialize", {"protocolVersion": "2025-06-18", "capabilities": [], "clientInfo": CLIENT}),
    ("initialize", None),
    ("ping", None),
    ("ping", {}),
    ("server/discover", {}),
    ("tools/list", None),
    ("tools/list", {}),
    ("tools/list", {"cursor": "abc"}),
    ("tools/list", {"cursor": 5}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    _call("add", {"left": 1, "right": 2}),
    _call("math.add", {"left": 1}),
    _call("add", {"left": "12"}),
    _call("add", {"left": 1, "wrong": 2}),
    _call("add", {}),
    _call("add"),
    _call("add", []),
    _call("nobody", {}),
    _call("nulls", {}),
    _call("fall_over", {}),
    ("tools/call", {}),
    ("tools/call", {"name": 5}),
    ("tools/call", None),
    _call("test_simple_text", {}),
    _call("test_image_content", {}),
    _call("test_audio_content", {}),
    _call("test_embedded_resource", {}),
    _call("test_multiple_content_types", {}),
    _call("test_error_handling", {}),
    _call("test_tool_with_logging", {}),
    _call("test_tool_with_progress", {}),
    _call("test_tool_with_progress", {}, _meta={"progressToken": "t"}),
    _call("test_tool_with_progress", {}, _meta={"progressToken": 7}),
    _call("test_x_mcp_header", {"region": "west"}),
    _call("test_input_required_result_elicitation", {}),
    _call("test_input_required_result_elicitation", {}, inputResponses={"user_name": _FORM}),
    _call("test_input_required_result_elicitation", {}, inputResponses={"user_name": 5}),
    _call("test_input_required_result_request_state", {}),
    _call("test_input_required_result_request_state", {}, requestState="forged"),
    _call("test_input_required_result_multiple_inputs", {}),
    _call("test_missing_capability", {}),
    ("resources/read", {"uri": "test://static-text"}),
    ("resources/read", {"uri": "test://static-binary"}),
    ("resources/read", {"uri": "test://template/a%20b/data"}),
    ("resources/read", {"uri": "test://nowhere"}),
    ("resources/read", {}),
    ("resources/subscribe", {"uri": "test://static-text"}),
    ("resources/unsubscribe", {"uri": "test://static-text"}),
    ("prompts/get", {"name": "test_simple_prompt"}),
    ("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a", "arg2": "b"}}),
    ("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": "a"}}),
    ("prompts/get", {"name": "test_prompt_with_arguments", "arguments": {"arg1": 5}}),
    ("prompts/get", {"name": "test_prompt_with_embedded_resource", "arguments": {"resourceUri": "x://y"}}),
    ("prompts/get", {"name": "test_prompt_with_image"}),
    ("prompts/get", {"name": "test_input_required_result_prompt"}),
    ("prompts/get", {"name": "nobody"}),
    ("prompts/get", {}),
    _complete("arg1", "pa", type="ref/prompt", name="test_prompt_with_arguments"),
    _complete("id", "", type="ref/resource", uri="test://template/{id}/data"),
    _complete("id", "", type="ref/resource", uri="test://nowhere/{id}"),
    _complete("nothing", "", type="ref/prompt", name="test_prompt_with_arguments"),
    _complete("a", "", type="ref/prompt", name="nobody"),
    _complete("a", "", type="ref/other", name="x"),
    ("completion/complete", {}),
    ("logging/setLevel", {"level": "info"}),
    ("logging/setLevel", {"level": "loud"}),
    ("resources/list", {"cursor": "2"}),
    ("resources/list", {"cursor": "of another"}),
    ("resources/list", {"cursor": 2}),
    ("resources/read", {"uri": "skill://alpha/SKILL.md"}),
    ("resources/read", {"uri": "skill://alpha/references/logo.png"}),
    ("resources/read", {"uri": "skill://alpha/nothing"}),
    ("resources/read", {"uri": "skill://damaged/SKILL.md"}),
    ("resources/read", {"uri": "skill://alpha/broken"}),
    ("skills/list", {}),
    ("skills/list", None),
    ("skills/list", {"cursor": "2"}),
    ("skills/list", {"cursor": "of another"}),
    ("skills/list", {"cursor": ["2"]}),
    ("skills/get", {"uri": "skill://alpha/SKILL.md"}),
    ("skills/get", {"uri": "skill://alpha"}),
    ("skills/get", {"uri": "skill://damaged/SKILL.md"}),
    ("skills/get", {"uri": {}}),
    ("skills/get", {}),
    ("resources/directory/read", {"uri": "skill://alpha"}),
    ("resources/directory/read", {"uri": "skill://alpha/SKILL.md"}),
    ("resources/directory/read", {"uri": "skill://alpha", "cursor": "2"}),
    ("resources/directory/read", {}),
    _complete("name", "a", type="ref/resource", uri="skill://{name}/{+path}"),
    _complete("nothing", "a", type="ref/resource", uri="skill://{name}/{+path}"),
    ("no/such/method", {}),
    ("notifications/initialized", {}),
]

ENVELOPE: Json = {
    "io.modelcontextprotocol/protocolVersion": STATELESS_SINCE,
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
    "io.modelcontextprotocol/clientInfo": CLIENT,
}

_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


def as_sent(method: str, params: Json | None, revision: str, request_id: int | str = 1) -> tuple[Json, dict[str, str]]:
    """The message and the headers that a client of `revision` sends."""
    message: Json = {"jsonrpc": "2.0", "id": request_id, "method": method}
    if revision in HANDSHAKE:
        if params is not None:
            message["params"] = dict(params)
        return message, {} if method == "initialize" else {"mcp-protocol-version": revision}
    given = params or {}
    message["params"] = {**given, "_meta": {**ENVELOPE, **given.get("_meta", {})}}
    headers = {"mcp-protocol-version": revision, "mcp-method": method}
    named = given.get(_NAMED.get(method, ""))
    if isinstance(named, str):
        headers["mcp-name"] = named
    if given.get("name") == "test_x_mcp_header":
        headers["mcp-param-region"] = given["arguments"]["region"]
    return message, headers
