"""Test that malformed requests get readable refusals, never a server error or internals."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.protocol.message.revisions import SUPPORTED
from almanac.protocol.skills import DamagedContent
from almanac.protocol.wire.http import MAX_BODY_BYTES, Request, Response
from tests.conformance.corpus import MESSAGES, as_sent
from tests.conformance.everything.family import CALLER, Defects, endpoint
from tests.conformance.everything.skills import SECRET

_INSIDES = ("Traceback", "msgspec", "almanac.", ".py", "Expected `", "object at 0x", "RecursionError")
_SETTINGS = settings(max_examples=300, deadline=None)


def _answer(method: str, headers: dict[str, str], body: bytes, query: dict[str, str]) -> Response:
    defects = Defects()
    response = endpoint(defects).answer(Request(method, headers, body, query), CALLER)
    _check(response, defects)
    return response


def _check(response: Response, defects: Defects) -> None:
    assert response.status < 500, response
    assert not any(inside in response.body for inside in _INSIDES), response.body
    assert SECRET not in response.body
    assert [where for _, where, cause in defects.reported if where != "fall_over" and not _is_planned(cause)] == []
    if response.headers.get("content-type") == "application/json":
        assert json.loads(response.body)["jsonrpc"] == "2.0"


def _is_planned(cause: BaseException) -> bool:
    """What the skills of the fixture family raise at some addresses."""
    return isinstance(cause, DamagedContent) or str(cause) == SECRET


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_HEADERS = st.dictionaries(
    st.sampled_from(
        [
            "MCP-Protocol-Version",
            "mcp-method",
            "Mcp-Name",
            "Accept",
            "Content-Type",
            "Origin",
            "Host",
            "X-Almanac-Tools",
        ]
    )
    | st.text(max_size=10),
    st.sampled_from([*SUPPORTED, "tools/call", "application/json", "text/event-stream", "=?base64?w6k=?=", "null"])
    | st.text(max_size=20),
    max_size=6,
)
_QUERY = st.dictionaries(st.sampled_from(["families", "tools", "readonly", "names", "x"]), st.text(max_size=12))


@pytest.mark.slow
@_SETTINGS
@given(st.sampled_from(["POST", "GET", "PUT", ""]), _HEADERS, st.binary(max_size=200), _QUERY)
def test_random_bytes_are_refused(method: str, headers: dict[str, str], body: bytes, query: dict[str, str]) -> None:
    assert _answer(method, headers, body, query).status in {202, 400, 403, 405, 413, 415}


@pytest.mark.slow
@_SETTINGS
@given(_JSON, _HEADERS)
def test_random_json_is_answered(value: Any, headers: dict[str, str]) -> None:
    _answer("POST", headers, json.dumps(value).encode(), {})


@_SETTINGS
@given(
    st.sampled_from(MESSAGES), st.sampled_from(SUPPORTED), st.sampled_from(["params", "id", "jsonrpc", "method"]), _JSON
)
def test_a_message_with_one_field_at_random_is_answered(
    known: tuple[str, dict[str, Any] | None], revision: str, field: str, value: Any
) -> None:
    message, headers = as_sent(*known, revision)
    message[field] = value
    _answer("POST", headers, json.dumps(message).encode(), {})


@pytest.mark.slow
@_SETTINGS
@given(st.sampled_from(MESSAGES), st.sampled_from(SUPPORTED), st.data())
def test_a_message_with_one_parameter_at_random_is_answered(
    known: tuple[str, dict[str, Any] | None], revision: str, data: st.DataObject
) -> None:
    message, headers = as_sent(*known, revision)
    params: dict[str, Any] = message.setdefault("params", {})
    field = data.draw(st.sampled_from([*params, "_meta", "arguments", "requestState", "inputResponses"]))
    params[field] = data.draw(_JSON)
    _answer("POST", headers, json.dumps(message).encode(), {})


def _message(method: str = "ping", **fields: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, **fields}).encode()


_DEEP = 100_000
_ODD: list[tuple[str, bytes, int, int]] = [
    ("a batch", b"[" + _message() + b"]", 400, -32600),
    ("an empty batch", b"[]", 400, -32600),
    ("nothing", b"", 400, -32700),
    ("half a message", b'{"jsonrpc":"2.0"', 400, -32700),
    ("two messages", _message() + _message(), 400, -32700),
    ("a byte order mark", b"\xef\xbb\xbf" + _message(), 400, -32700),
    ("UTF-16", _message().decode().encode("utf-16"), 400, -32700),
    ("bytes that are no UTF-8", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xff"}}', 400, -32700),
    ("half a surrogate pair", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\\ud800"}}', 400, -32700),
    ("NaN", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}', 400, -32700),
    ("a number beyond all", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":1e400}}', 400, -32700),
    ("ten thousand digits", b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"ping"}', 400, -32700),
    ("deep lists", b"[" * _DEEP + b"]" * _DEEP, 400, -32700),
    ("deep objects", b'{"params":' * _DEEP + b"1" + b"}" * _DEEP, 400, -32700),
    ("a fraction as id", b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', 400, -32600),
    ("null as id", b'{"jsonrpc":"2.0","id":null,"method":"ping"}', 400, -32600),
    ("true as id", b'{"jsonrpc":"2.0","id":true,"method":"ping"}', 400, -32600),
    ("another version of JSON-RPC", b'{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600),
    ("no version of JSON-RPC", b'{"id":1,"method":"ping"}', 400, -32600),
    ("a list as params", b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', 400, -32600),
    ("no method", b'{"jsonrpc":"2.0","id":1}', 400, -32600),
    ("a number as method", b'{"jsonrpc":"2.0","id":1,"method":5}', 400, -32600),
]


@pytest.mark.parametrize(("body", "status", "code"), [odd[1:] for odd in _ODD], ids=[odd[0] for odd in _ODD])
def test_odd_bodies_are_named_for_what_they_are(body: bytes, status: int, code: int) -> None:
    response = _answer("POST", {}, body, {})
    assert (response.status, json.loads(response.body)["error"]["code"]) == (status, code)
    assert json.loads(response.body)["id"] is None


def test_of_two_equal_names_in_an_object_the_last_one_counts() -> None:
    body = b'{"jsonrpc":"2.0","id":1,"id":2,"method":"nothing","method":"ping"}'
    assert json.loads(_answer("POST", {}, body, {}).body) == {"jsonrpc": "2.0", "id": 2, "result": {}}


def test_a_whole_number_of_any_size_comes_back_as_id() -> None:
    body = b'{"jsonrpc":"2.0","id":' + b"9" * 60 + b',"method":"ping"}'
    assert json.loads(_answer("POST", {}, body, {}).body)["id"] == int("9" * 60)


def test_a_body_over_the_cap_is_not_read() -> None:
    answer = _answer("POST", {}, b" " * (MAX_BODY_BYTES + 1), {})
    assert answer.status == 413
    assert "Send less at a time" in json.loads(answer.body)["error"]["message"]


def _cut(body: bytes, at: random.Random) -> bytes:
    return body[: at.randrange(len(body))]


def _flip_bytes(body: bytes, at: random.Random) -> bytes:
    changed = bytearray(body)
    for _ in range(at.randint(1, 6)):
        changed[at.randrange(len(changed))] = at.randrange(256)
    return bytes(changed)


def _repeat_part(body: bytes, at: random.Random) -> bytes:
    start = at.randrange(len(body))
    return body[:start] + body[start : start + at.randint(1, 40)] * at.randint(2, 400) + body[start:]


def _swap_value(body: bytes, at: random.Random) -> bytes:
    odd = [b"null", b"[]", b"{}", b"-1", b"1e999", b'"\\u0000"', b"true", b"[[[[[[[[", b'"' + b"x" * 5000 + b'"']
    return body.replace(at.choice([b'"2.0"', b"1", b'"name"', b"{}", b'"arguments"', b":"]), at.choice(odd), 1)


_HARM: list[Callable[[bytes, random.Random], bytes]] = [_cut, _flip_bytes, _repeat_part, _swap_value]


def test_ten_thousand_damaged_requests_leave_the_server_whole() -> None:
    dice = random.Random(20260728)
    defects = Defects()
    served = endpoint(defects)
    for number in range(10_000):
        method, params = dice.choice(MESSAGES)
        message, headers = as_sent(method, params, dice.choice(SUPPORTED), number)
        body = dice.choice(_HARM)(json.dumps(message).encode(), dice)
        if dice.random() < 0.3:
            headers[dice.choice(["mcp-protocol-version", "mcp-method", "mcp-name", "accept"])] = dice.randbytes(9).hex()
        _check(served.answer(Request("POST", headers, body), CALLER), defects)
    alive = served.answer(Request("POST", {}, _message()), CALLER)
    assert json.loads(alive.body) == {"jsonrpc": "2.0", "id": 1, "result": {}}
