"""API Gateway's two event formats, in and out."""

import base64
from typing import Any

import pytest

from almanac.gateway.http.event import answer_event, read_event
from almanac.gateway.http.facts import read_address, read_headers, read_hub_url, read_path
from almanac.identity.access.principal import Principal
from almanac.identity.access.principal_fields import from_context
from almanac.kernel.caller import Caller
from almanac.kernel.errors import InvalidInput
from almanac.protocol.wire.http import Response
from tests.unit.gateway.events import http_event, rest_event


@pytest.mark.parametrize("made", [rest_event, http_event])
def test_both_formats_say_the_same(made: Any, caller: Caller) -> None:
    event = made('{"é": 1}', Principal(caller), "/mcp/time")
    incoming = read_event(event)
    assert incoming.request.method == "POST"
    assert incoming.request.body == '{"é": 1}'.encode()
    assert incoming.request.headers["content-type"].startswith("application/json")
    assert incoming.path == "/mcp/time"
    assert read_address(event) == "203.0.113.7"
    assert from_context(incoming.context) == Principal(caller)


@pytest.mark.parametrize(
    ("path", "stage", "expected"),
    [
        ("/v1/mcp/time", "v1", "/mcp/time"),
        ("/v1", "v1", "/"),
        ("/v1x/mcp", "v1", "/v1x/mcp"),
        ("/mcp", "v1", "/mcp"),
        ("/mcp", "$default", "/mcp"),
        ("/prod/mcp", "prod", "/mcp"),
    ],
)
def test_the_stage_is_taken_off_the_path(path: str, stage: str, expected: str) -> None:
    assert read_path({"rawPath": path, "requestContext": {"stage": stage}}) == expected
    assert read_path({"path": path, "requestContext": {"stage": stage}}) == expected


@pytest.mark.parametrize("path", ["/mcp", "/mcp/", "/mcp/context"])
def test_the_hub_is_where_the_gateway_accepted_the_request(path: str, caller: Caller) -> None:
    name = "x1.execute-api.eu-central-1.amazonaws.com"
    rest, http = (make("{}", Principal(caller), path) for make in (rest_event, http_event))
    for event in (rest, http):
        assert event["headers"].keys() & {"Host", "host"}
        assert read_hub_url(event) is None
        event["requestContext"]["domainName"] = name
    assert read_hub_url(rest) == f"https://{name}/v1/mcp"
    assert read_hub_url(http) == f"https://{name}/mcp"
    http["requestContext"]["stage"], http["rawPath"] = "prod", f"/prod{path}"
    assert read_hub_url(http) == f"https://{name}/prod/mcp"
    rest["requestContext"]["path"] = path
    assert read_hub_url(rest) == f"https://{name}/mcp"


@pytest.mark.parametrize("forwarded", ["Host", "X-Forwarded-Host", "Forwarded", "X-Original-Host"])
def test_no_header_says_where_the_hub_is(forwarded: str, caller: Caller) -> None:
    event = rest_event("{}", Principal(caller))
    event["requestContext"]["domainName"] = "api.example.com"
    event["headers"][forwarded] = "evil.example"
    event["multiValueHeaders"][forwarded] = ["evil.example"]
    assert read_event(event).request.hub_url == "https://api.example.com/v1/mcp"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("api.example.com/x?", "/v1/mcp"),
        ("api.example.com:1", "/v1/mcp"),
        ("ann@api.example.com", "/v1/mcp"),
        ('a"b.com', "/v1/mcp"),
        ("api.example.com\n", "/v1/mcp"),
        ("localhost", "/v1/mcp"),
        ("", "/v1/mcp"),
        ("api.example.com", "/v1?x/mcp"),
        ("api.example.com", "/v1/elsewhere"),
        ("api.example.com", ""),
    ],
)
def test_what_is_no_address_is_no_hub(name: str, path: str, caller: Caller) -> None:
    event = rest_event("{}", Principal(caller))
    event["requestContext"] |= {"domainName": name, "path": path}
    assert read_hub_url(event) is None


def test_headers_are_lower_case_stripped_and_joined() -> None:
    event = {
        "headers": {"X-Api-Key": " k ", "Accept": "b", "Gone": None},
        "multiValueHeaders": {"Accept": ["a", "b"]},
    }
    assert read_headers(event) == {"x-api-key": "k", "accept": "a,b"}


def test_an_event_without_headers_has_none() -> None:
    assert read_headers({"headers": None, "multiValueHeaders": None}) == {}


def test_an_address_that_is_not_told_is_unknown() -> None:
    assert read_address({}) == "unknown"


def test_repeated_query_parameters_are_joined(caller: Caller) -> None:
    event = rest_event(
        "{}",
        Principal(caller),
        queryStringParameters={"families": "b", "readonly": "1"},
        multiValueQueryStringParameters={"families": ["a", "b"], "readonly": ["1"]},
    )
    assert read_event(event).request.query == {"families": "a,b", "readonly": "1"}


def test_a_body_that_is_not_there_is_empty(caller: Caller) -> None:
    assert read_event(rest_event(None, Principal(caller))).request.body == b""


def test_a_base64_body_is_decoded_to_its_bytes(caller: Caller) -> None:
    raw = bytes(range(256))
    event = rest_event(base64.b64encode(raw).decode(), Principal(caller), isBase64Encoded=True)
    assert read_event(event).request.body == raw


def test_a_body_that_is_wrongly_marked_as_base64_is_the_callers_mistake(caller: Caller) -> None:
    with pytest.raises(InvalidInput):
        read_event(rest_event("{}", Principal(caller), isBase64Encoded=True))


@pytest.mark.parametrize("is_rest", [True, False])
def test_a_response_goes_out_as_text(is_rest: bool) -> None:
    answer = answer_event(Response(200, {"content-type": "application/json"}, '"é"'), is_rest=is_rest)
    assert answer["statusCode"] == 200
    assert answer["headers"] == {"content-type": "application/json"}
    assert answer["body"] == '"é"'
    assert answer["isBase64Encoded"] is False
