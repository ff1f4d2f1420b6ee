"""Streamable HTTP, one request at a time."""

import json
from typing import Any

import pytest

from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request, Response
from tests.conformance.everything.family import CALLER, SERVER, endpoint, family, host

_PING: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
_PROGRESS: dict[str, Any] = {"name": "test_tool_with_progress", "_meta": {"progressToken": "t"}}


def _post(message: Any, query: dict[str, str] | None = None, **headers: str) -> Response:
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    return endpoint().answer(Request("POST", sent, json.dumps(message).encode(), query or {}), CALLER)


def _call(method: str, params: dict[str, Any], **headers: str) -> Response:
    return _post({**_PING, "method": method, "params": params}, None, **headers)


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "OPTIONS", "HEAD"])
def test_only_post_is_taken(method: str) -> None:
    response = endpoint().answer(Request(method, {}, b""), CALLER)
    assert (response.status, response.headers["allow"]) == (405, "POST")


def test_a_request_is_answered_as_json() -> None:
    response = _post(_PING)
    assert (response.status, response.headers) == (200, {"content-type": "application/json"})
    assert json.loads(response.body) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_notification_is_accepted_without_a_body() -> None:
    response = _post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (response.status, response.body, response.headers) == (202, "", {})


def test_a_response_is_accepted_without_a_body_in_the_handshake_era_only() -> None:
    reply: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert _post(reply).status == 202
    assert _post(reply, mcp_protocol_version="2026-07-28").status == 400


def test_a_notification_of_an_unknown_revision_is_told_what_is_served() -> None:
    response = _post({"jsonrpc": "2.0", "method": "notifications/x"}, mcp_protocol_version="2099-01-01")
    error = json.loads(response.body)["error"]
    assert (response.status, error["code"]) == (400, -32022)
    assert error["data"] == {"supported": ["2026-07-28"], "requested": "2099-01-01"}


@pytest.mark.parametrize("media_type", ["application/json", "Application/JSON; charset=utf-8", "application/json;x=y"])
def test_a_media_type_may_have_parameters(media_type: str) -> None:
    assert _post(_PING, content_type=media_type).status == 200


def test_another_media_type_is_refused() -> None:
    assert _post(_PING, content_type="text/plain").status == 415


def test_header_values_are_stripped_and_their_names_have_any_case() -> None:
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    sent = {"MCP-PROTOCOL-VERSION": " 2026-07-28\t", "Mcp-Method": "  tools/list "}
    body = json.dumps({**_PING, "method": "tools/list", "params": {"_meta": meta}}).encode()
    assert endpoint().answer(Request("POST", sent, body), CALLER).status == 200


def test_progress_travels_ahead_of_the_result_where_it_was_asked_for() -> None:
    response = _call("tools/call", _PROGRESS, accept="application/json, text/event-stream")
    assert response.headers["content-type"] == "text/event-stream"
    events = [json.loads(line[6:]) for line in response.body.splitlines() if line.startswith("data: ")]
    assert [event.get("method") for event in events] == ["notifications/progress"] * 3 + [None]
    assert [event["params"]["progress"] for event in events[:3]] == [0, 50, 100]
    assert events[3]["result"]["content"][0]["text"] == "Done."


@pytest.mark.parametrize(
    ("params", "accept"),
    [(_PROGRESS, "application/json"), ({"name": "test_tool_with_progress"}, "application/json, text/event-stream")],
)
def test_a_result_is_json_where_no_stream_was_asked_for(params: dict[str, Any], accept: str) -> None:
    assert _call("tools/call", params, accept=accept).headers["content-type"] == "application/json"


def test_logs_reach_a_client_of_the_handshake_era() -> None:
    response = _call("tools/call", {"name": "test_tool_with_logging"}, accept="text/event-stream")
    assert response.body.count("notifications/message") == 3


def test_a_page_of_another_origin_is_refused_before_anything_is_read() -> None:
    assert _post(_PING, origin="https://evil.example.com", host="127.0.0.1:8787").status == 403


@pytest.mark.parametrize(("revision", "status"), [("2025-11-25", 200), ("2026-07-28", 400)])
def test_an_answer_too_long_to_carry_is_an_error_under_its_id(revision: str, status: int) -> None:
    served = HttpEndpoint(Toolset([family()]), host(), server=SERVER, carries=lambda body: len(body) < 1000)
    meta: dict[str, Any] = {
        "io.modelcontextprotocol/protocolVersion": revision,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"_meta": meta} if revision == "2026-07-28" else {}
    body = json.dumps({**_PING, "id": 0, "method": "tools/list", "params": params}).encode()
    sent = {"mcp-protocol-version": revision, "mcp-method": "tools/list"}
    response = served.answer(Request("POST", sent, body), CALLER)
    answer = json.loads(response.body)
    assert (response.status, answer["id"], answer["error"]["code"]) == (status, 0, -32602)
    assert "Ask for less" in answer["error"]["message"]


def test_a_page_of_an_allowed_origin_is_served() -> None:
    served = HttpEndpoint(
        Toolset([family()]), host(), server=SERVER, allowed_origins=frozenset({"https://App.Example.com/"})
    )
    body = json.dumps(_PING).encode()
    sent = {"Origin": "https://app.example.com", "Host": "api.example.com"}
    assert served.answer(Request("POST", sent, body), CALLER).status == 200


def test_a_filter_that_means_nothing_is_a_bad_request() -> None:
    response = _post({**_PING, "method": "tools/list"}, {"families": "everithing"})
    assert response.status == 400
    assert "everything" in json.loads(response.body)["error"]["message"]


def test_a_filter_narrows_what_is_listed_and_what_can_be_called() -> None:
    query = {"tools": "add,test_simple*"}
    listed = json.loads(_post({**_PING, "method": "tools/list"}, query).body)["result"]["tools"]
    assert [tool["name"] for tool in listed] == ["add", "test_simple_text"]
    call = {**_PING, "method": "tools/call", "params": {"name": "store", "arguments": {"value": "x"}}}
    assert json.loads(_post(call, query).body)["error"]["code"] == -32602


def test_readonly_hides_what_changes_anything() -> None:
    listed = json.loads(_post({**_PING, "method": "tools/list"}, x_almanac_readonly="1").body)["result"]["tools"]
    names = {tool["name"] for tool in listed}
    assert "add" in names
    assert not names & {"store", "fall_over"}


def test_dotted_names_are_listed_on_request_and_accepted_always() -> None:
    listed = json.loads(_post({**_PING, "method": "tools/list"}, {"names": "dotted"}).body)["result"]["tools"]
    assert "math.add" in {tool["name"] for tool in listed}
    call = {"name": "math.add", "arguments": {"left": 1}}
    assert (
        json.loads(_call("tools/call", call, mcp_protocol_version="2025-06-18").body)["result"]["structuredContent"][
            "total"
        ]
        == 2
    )
