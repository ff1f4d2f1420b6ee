"""The rules of HTTP that clients rely on."""

import json

import pytest

from tests.e2e.target import Target


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_there_is_no_stream_and_no_session_to_end(at: Target, verb: str):
    answer = at.request(verb)
    assert answer.status_code == 405
    assert answer.headers["allow"] == "POST"


@pytest.mark.parametrize("path", ["/no-such-family", "/time/deeper"])
def test_what_is_not_there_is_a_404_in_json(at: Target, path: str):
    answer = at.post(path=path)
    assert answer.status_code == 404
    assert answer.json()["error"]["data"]["code"] == "not_found"


def test_clients_that_look_for_a_sign_in_read_where_it_is(at: Target):
    answer = at.request("GET", "/../.well-known/oauth-protected-resource", key="")
    assert answer.status_code == 200
    assert answer.json()["authorization_servers"] == [at.origin]


def test_clients_that_look_for_other_metadata_read_that_there_is_none(at: Target):
    answer = at.request("GET", "/../.well-known/openid-configuration", key="")
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == 404


def test_a_notification_is_taken_without_an_answer(at: Target):
    message = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})
    answer = at.request("POST", content=message)
    assert answer.status_code == 202
    assert answer.content == b""


def test_a_page_of_another_origin_is_refused(at: Target):
    assert at.post(headers={"origin": "https://evil.example"}).status_code == 403


def test_what_is_not_json_is_a_parse_error(at: Target):
    answer = at.request("POST", content="{")
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == -32700


def test_text_of_every_script_comes_back_as_it_was_sent(at: Target):
    arguments = {"datetime": "2026-07-01T12:00:00Z", "target_timezone": "Zürich/東京/🕰"}
    answer = at.post("tools/call", params={"name": "convert_timezone", "arguments": arguments}).json()
    assert "Zürich/東京/🕰" in answer["result"]["content"][0]["text"]
