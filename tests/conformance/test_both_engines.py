"""The wire answers as the official SDK does, message by message and revision by revision."""

import json
from typing import Any

import pytest

from almanac.protocol.message.revisions import HANDSHAKE, STATELESS_SINCE, SUPPORTED
from almanac.protocol.toolset import EVERYTHING, Toolset
from almanac.protocol.wire.engine import Wire
from almanac.protocol.wire.reference import sdk_server
from tests.conformance import oracle
from tests.conformance.corpus import ENVELOPE, MESSAGES, as_sent
from tests.conformance.everything.family import CALLER, SERVER, family, host

Json = dict[str, Any]

_TOOLSET = Toolset([family()])


def _ours(message: Json, headers: dict[str, str]) -> oracle.Answer:
    reply = Wire(_TOOLSET, host(), SERVER).answer(json.dumps(message).encode(), headers, CALLER, EVERYTHING)
    return oracle.Answer(reply.status, json.loads(reply.body), [json.loads(one) for one in reply.notices])


def _theirs(message: Json, headers: dict[str, str], revision: str) -> oracle.Answer:
    server = sdk_server(_TOOLSET, host(), CALLER, SERVER, revision=revision)
    return oracle.answer(server, message, headers)


def _comparable(answer: oracle.Answer) -> tuple[int, Json, list[Json]]:
    """Everything but the wording of an error, which the protocol leaves to each server, and the SDK's empty `data`."""
    error = answer.body.get("error")
    if error is None:
        return answer.status, answer.body, answer.notices
    assert error["message"]
    kept = {key: value for key, value in error.items() if key != "message" and value != ""}
    return answer.status, {**answer.body, "error": kept}, answer.notices


@pytest.mark.parametrize("revision", SUPPORTED)
@pytest.mark.parametrize(("method", "params"), MESSAGES, ids=[f"{i}-{m}" for i, (m, _) in enumerate(MESSAGES)])
def test_both_engines_answer_alike(method: str, params: Json | None, revision: str) -> None:
    message, headers = as_sent(method, params, revision)
    spoken = params.get("protocolVersion") if method == "initialize" and params else revision
    negotiated = spoken if spoken in SUPPORTED[:-1] or method != "initialize" else HANDSHAKE[-1]
    assert _comparable(_ours(message, headers)) == _comparable(_theirs(message, headers, str(negotiated)))


_LADDER: list[tuple[Any, dict[str, str]]] = [
    (None, {"mcp-method": "tools/list"}),
    ({}, {"mcp-method": "tools/list"}),
    ({k: v for k, v in ENVELOPE.items() if "Version" not in k}, {"mcp-method": "tools/list"}),
    ({k: v for k, v in ENVELOPE.items() if "Capabilities" not in k}, {"mcp-method": "tools/list"}),
    ({k: v for k, v in ENVELOPE.items() if "Info" not in k}, {"mcp-method": "tools/list"}),
    (ENVELOPE | {"io.modelcontextprotocol/clientCapabilities": []}, {"mcp-method": "tools/list"}),
    (ENVELOPE | {"io.modelcontextprotocol/clientInfo": {"name": "x"}}, {"mcp-method": "tools/list"}),
    (ENVELOPE | {"io.modelcontextprotocol/protocolVersion": 5}, {"mcp-method": "tools/list"}),
    (ENVELOPE, {}),
    (ENVELOPE, {"mcp-method": "TOOLS/LIST"}),
    (ENVELOPE, {"mcp-method": "prompts/list"}),
    (ENVELOPE, {"mcp-method": "tools/list", "mcp-name": "ignored here"}),
    (ENVELOPE, {"mcp-method": "tools/list", "mcp-protocol-version": "2027-01-01"}),
    (
        ENVELOPE | {"io.modelcontextprotocol/protocolVersion": "2027-01-01"},
        {"mcp-method": "tools/list", "mcp-protocol-version": "2027-01-01"},
    ),
]


@pytest.mark.parametrize(("meta", "headers"), _LADDER)
def test_both_engines_climb_the_same_ladder(meta: Any, headers: dict[str, str]) -> None:
    message: Json = {
        "jsonrpc": "2.0",
        "id": "a",
        "method": "tools/list",
        "params": {} if meta is None else {"_meta": meta},
    }
    sent = {"mcp-protocol-version": STATELESS_SINCE, **headers}
    assert _comparable(_ours(message, sent)) == _comparable(_theirs(message, sent, STATELESS_SINCE))


_PARAMETER_HEADERS: list[tuple[Json, dict[str, str]]] = [
    ({"region": "west"}, {}),
    ({"region": "west"}, {"mcp-param-region": "east"}),
    ({"region": "west"}, {"mcp-param-region": "=?base64?d2VzdA==?="}),
    ({"region": "west"}, {"mcp-param-region": "=?base64?d2VzdA?="}),
    ({"region": "west"}, {"mcp-param-region": "=?base64?!!!!?="}),
    ({"region": "west"}, {"mcp-param-region": "=?base64?/w==?="}),
    ({"region": "=?base64?x"}, {"mcp-param-region": "=?base64?x"}),
    ({"region": "Zürich"}, {"mcp-param-region": "=?base64?WsO8cmljaA==?="}),
    ({"region": "west", "priority": 3}, {"mcp-param-region": "west", "mcp-param-priority": "3"}),
    ({"region": "west", "priority": 3.0}, {"mcp-param-region": "west", "mcp-param-priority": "3"}),
    ({"region": "west", "priority": 3}, {"mcp-param-region": "west", "mcp-param-priority": "3.0"}),
    ({"region": "west", "priority": 3}, {"mcp-param-region": "west", "mcp-param-priority": "3e0"}),
    ({"region": "west", "priority": 3}, {"mcp-param-region": "west", "mcp-param-priority": "4"}),
    ({"region": "west", "priority": True}, {"mcp-param-region": "west", "mcp-param-priority": "true"}),
    ({"region": "west", "priority": None}, {"mcp-param-region": "west"}),
    ({"region": "west", "priority": None}, {"mcp-param-region": "west", "mcp-param-priority": "1"}),
    ({"region": "west", "priority": [1]}, {"mcp-param-region": "west"}),
    ({"region": "west", "priority": [1]}, {"mcp-param-region": "west", "mcp-param-priority": "1"}),
    ({"region": "west"}, {"mcp-param-region": "west", "mcp-param-priority": "1"}),
    ({}, {"mcp-param-region": "west"}),
    ({}, {}),
]


@pytest.mark.parametrize(("arguments", "headers"), _PARAMETER_HEADERS)
def test_both_engines_compare_headers_with_arguments_alike(arguments: Json, headers: dict[str, str]) -> None:
    message, sent = as_sent("tools/call", {"name": "test_x_mcp_header", "arguments": {"region": "x"}}, STATELESS_SINCE)
    message["params"]["arguments"] = arguments
    del sent["mcp-param-region"]
    sent |= headers
    assert _comparable(_ours(message, sent)) == _comparable(_theirs(message, sent, STATELESS_SINCE))


@pytest.mark.parametrize(
    "name", ["add", "=?base64?YWRk?=", "=?base64?YWRk", "=?base64?bm9wZQ==?=", "=?base64?YWRk=?=", ""]
)
def test_both_engines_read_the_name_header_alike(name: str) -> None:
    message, sent = as_sent("tools/call", {"name": "add", "arguments": {"left": 1}}, STATELESS_SINCE)
    sent["mcp-name"] = name
    assert _comparable(_ours(message, sent)) == _comparable(_theirs(message, sent, STATELESS_SINCE))
