"""What is read off a request and its answer for the log."""

import json

import pytest

from almanac.gateway.observability.reports import how_it_went, what_was_asked
from almanac.protocol.wire.http import Request, Response

JSON = {"content-type": "application/json"}
EVENTS = {"content-type": "text/event-stream"}


def asked(body: bytes) -> tuple[str, str]:
    return what_was_asked(Request("POST", {}, body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"method":"tools/call","params":{"name":"add","arguments":{"a":1}}}', ("tools/call", "add")),
        (b'{"method":"tools/list"}', ("tools/list", "")),
        (b'{"method":"tools/call"}', ("POST", "")),
        (b'{"method":5}', ("POST", "")),
        (b"", ("POST", "")),
        (b"[" * 100_000, ("POST", "")),
        (b'{"result":{}}', ("POST", "")),
    ],
)
def test_method_and_tool_are_read_where_the_body_has_them(body: bytes, expected: tuple[str, str]) -> None:
    assert asked(body) == expected


def test_names_that_callers_choose_cannot_forge_log_lines() -> None:
    method, _ = asked(json.dumps({"method": "x\n12:00:00 /mcp ok" + "y" * 500}).encode())
    assert "\n" not in method
    assert len(method) <= 80


@pytest.mark.parametrize(
    ("method", "response", "outcome"),
    [
        ("tools/call", Response(200, JSON, b'{"jsonrpc":"2.0","id":1,"result":{"content":[]}}'), "ok"),
        ("tools/call", Response(200, JSON, b'{"jsonrpc":"2.0","id":1,"result":{"isError":true}}'), "error"),
        ("tools/call", Response(200, JSON, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32602}}'), "error"),
        ("tools/list", Response(200, JSON, b'{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}'), "failed"),
        ("tools/list", Response(200, JSON, b'{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}'), "ok"),
        (
            "tools/call",
            Response(
                200,
                EVENTS,
                b'event: message\ndata: {"method":"x"}\n\nevent: message\ndata: {"result":{"isError":true}}\n\n',
            ),
            "error",
        ),
        ("ping", Response(202, {}, b""), "ok"),
        ("ping", Response(404, JSON, b"{}"), "error"),
        ("ping", Response(401, JSON, b"{}"), "refused"),
        ("ping", Response(403, JSON, b"{}"), "refused"),
        ("ping", Response(429, JSON, b"{}"), "refused"),
        ("ping", Response(503, JSON, b"{}"), "failed"),
    ],
)
def test_the_outcome_is_read_off_the_answer(method: str, response: Response, outcome: str) -> None:
    assert how_it_went(method, response) == outcome
