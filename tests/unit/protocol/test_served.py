"""Test the facts about a request that an answer gives to the log."""

import json
from typing import Any, cast

import msgspec
import pytest

from almanac.protocol.message.revisions import SUPPORTED
from almanac.protocol.tool import Effect, tool
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request, ServedRequest
from almanac.protocol.wire.lists import fields
from tests.conformance.corpus import as_sent
from tests.conformance.everything.family import CALLER, SERVER, family, host


class SizeResult(msgspec.Struct):
    size: int


NEW, OLD = "2026-07-28", "2025-11-25"


def serve_request(
    method: str, params: dict[str, Any] | None = None, revision: str = OLD, *, most: int = 10**6, **headers: str
) -> ServedRequest | None:
    body, sent = as_sent(method, params, revision)
    carried = HttpEndpoint(Toolset([family()]), host(), server=SERVER, carries=lambda text: len(text) <= most)
    return carried.answer(Request("POST", dict(sent) | headers, json.dumps(body).encode()), CALLER).served


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"name": tool, "arguments": arguments}


@pytest.mark.parametrize("revision", [OLD, NEW])
@pytest.mark.parametrize(
    ("method", "params", "outcome", "called", "error"),
    [
        ("tools/list", {}, "ok", "", ""),
        ("tools/call", call("add", left=1), "ok", "add", ""),
        ("tools/call", call("math.add", left=1), "ok", "math.add", ""),
        ("tools/call", call("add", left="many"), "error", "add", "invalid_input"),
        ("tools/call", call("nobody"), "error", "nobody", "-32602"),
        ("tools/call", call("fall_over"), "failed", "fall_over", "internal_error"),
        ("tools/none", {}, "error", "", "-32601"),
    ],
)
def test_it_names_method_tool_and_outcome(
    method: str, params: dict[str, Any], outcome: str, called: str, error: str, revision: str
) -> None:
    said = serve_request(method, params, revision)
    assert said == ServedRequest(cast("Any", outcome), method, called, revision, error)


def test_it_never_repeats_what_was_said_or_answered() -> None:
    for params in (call("add", left=40961), call("store", value="hunter2"), call("add", left="hunter2")):
        text = msgspec.json.encode(serve_request("tools/call", params)).decode()
        assert "hunter2" not in text
        assert "4096" not in text


def test_a_result_in_an_event_stream_is_told_like_any_other() -> None:
    params = {"name": "test_tool_with_progress", "_meta": {"progressToken": "t"}}
    said = serve_request("tools/call", params, accept="text/event-stream")
    assert said == ServedRequest("ok", "tools/call", "test_tool_with_progress", OLD)


def test_the_revision_of_a_handshake_is_the_one_that_was_agreed_on() -> None:
    params = {"protocolVersion": OLD, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}
    endpoint = HttpEndpoint(Toolset([family()]), host(), server=SERVER)
    said = endpoint.answer(Request("POST", {}, json.dumps(body).encode()), CALLER).served
    assert said == ServedRequest("ok", "initialize", "", OLD)


def test_a_notification_is_told_by_its_method() -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    endpoint = HttpEndpoint(Toolset([family()]), host(), server=SERVER)
    said = endpoint.answer(Request("POST", {"mcp-protocol-version": OLD}, body), CALLER).served
    assert said == ServedRequest("ok", "notifications/initialized", "", OLD)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'{"method":5}', b"[" * 100_000, b'{"jsonrpc":"2.0","id":1}'])
def test_what_is_no_message_has_no_method(body: bytes) -> None:
    said = HttpEndpoint(Toolset([family()]), host(), server=SERVER).answer(Request("POST", {}, body), CALLER).served
    assert said is not None
    assert (said.method, said.outcome) == ("", "error")


@pytest.mark.parametrize("request_", [Request("GET", {}, b""), Request("POST", {"content-type": "text/plain"}, b"{}")])
def test_of_a_request_that_is_refused_for_its_form_nothing_is_told(request_: Request) -> None:
    assert HttpEndpoint(Toolset([family()]), host(), server=SERVER).answer(request_, CALLER).served is None


def test_an_answer_too_long_to_carry_is_an_error_of_the_tool_that_was_called() -> None:
    said = serve_request("tools/call", call("store", value="long"), most=10)
    assert said == ServedRequest("error", "tools/call", "store", OLD, "-32602")


@tool(title="Größe", effect=Effect.READS)
def measure() -> SizeResult:
    """Tell the size of 時 and 🕐, and so on …"""
    return SizeResult(1)


@pytest.mark.parametrize("revision", SUPPORTED)
def test_a_list_is_made_once_in_ascii_and_says_what_its_tools_say(revision: str) -> None:
    view = Toolset([msgspec.structs.replace(family(), tools=(measure,))]).view(CALLER)
    text = fields(view, "tools/list", revision)
    assert text.isascii()
    (listed,) = json.loads(f"{{{text}}}")["tools"]
    assert listed["description"] == measure.description
    assert fields(view, "tools/list", revision) is text
