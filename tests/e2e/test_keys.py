"""Test the access of keys."""

import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from tests.e2e.target import MODES, Target, eventually

# A revoked key works on for at most this long on AWS, where the authorizer remembers keys.
REMEMBERED = 30
CHALLENGE = 'Bearer realm="almanac"'


def _is_refusal(answer: httpx2.Response, status: int) -> bool:
    body = answer.json()
    return answer.status_code == status == body["error"]["code"] and body["jsonrpc"] == "2.0"


@pytest.mark.parametrize(
    "key", ["", "nonsense", "alm_aaaaaaaaaaaaaaaa_" + "a" * 52], ids=["none", "malformed", "unknown"]
)
def test_who_has_no_key_is_challenged(at: Target, key: str):
    answer = at.post(key=key)
    assert _is_refusal(answer, 401)
    challenge = answer.headers["www-authenticate"]
    assert challenge.startswith(CHALLENGE)
    metadata = f"{at.origin}/.well-known/oauth-protected-resource/mcp"
    assert f'resource_metadata="{metadata}", scope="almanac"' in challenge


def test_a_key_may_come_as_a_bearer_token(at: Target):
    answer = at.post(key="", headers={"authorization": f"Bearer {at.key}"})
    assert answer.json()["result"]["tools"]


@pytest.mark.parametrize("mode", MODES)
def test_a_key_of_one_family_sees_and_calls_that_one_only(issuing_target: Target, mode: str):
    others = [name for name in issuing_target.families if name != "time"]
    key = issuing_target.issue("--family", "time")
    assert issuing_target.list_tools(mode=mode, key=key) == issuing_target.families["time"]
    for other in others:
        answer = issuing_target.post(path=f"/{other}", key=key)
        assert answer.status_code == 403
        assert _is_refusal(answer, 403)
        # The emulator's gateway cannot send on what the authorizer said: tests/contract/test_template.py looks at that.
        assert issuing_target.stack or 'error="insufficient_scope"' in answer.headers["www-authenticate"]
        assert issuing_target.stack or f"family:{other}" in answer.text
        with pytest.raises(MCPError):
            issuing_target.call(issuing_target.families[other][0], {}, mode=mode, key=key)


@pytest.mark.parametrize("mode", MODES)
def test_a_key_that_only_reads_neither_sees_nor_calls_what_changes(issuing_target: Target, mode: str):
    if "calendar" not in issuing_target.families:
        pytest.skip("no family with tools that change something is served there")
    key = issuing_target.issue("--readonly")
    listed = issuing_target.list_tools("/calendar", mode=mode, key=key)
    assert "list_events" in listed
    assert "book_slot" not in listed
    with pytest.raises(MCPError):
        issuing_target.call("book_slot", {"calendar_id": "primary"}, "/calendar", mode=mode, key=key)


def test_requests_over_the_limit_are_told_when_to_come_back(issuing_target: Target):
    key = issuing_target.issue("--per-day", "2")
    statuses = [issuing_target.post(path="/time", key=key).status_code for _ in range(2)]
    refused = issuing_target.post(path="/time", key=key)
    assert statuses == [200, 200]
    assert _is_refusal(refused, 429)
    assert int(refused.headers["retry-after"]) == refused.json()["retry_after_seconds"] > 0


def test_a_revoked_key_stops_working(issuing_target: Target):
    key = issuing_target.issue()
    assert issuing_target.post(path="/time", key=key).status_code == 200
    assert issuing_target.command_line is not None
    issuing_target.command_line("keys", "revoke", key.split("_")[1])
    eventually(lambda: issuing_target.post(path="/time", key=key).status_code == 401, seconds=REMEMBERED + 60, every=2)


def test_a_rotated_key_and_its_successor_both_work_for_a_while(issuing_target: Target):
    old = issuing_target.issue("--family", "time")
    assert issuing_target.command_line is not None
    new = issuing_target.command_line("keys", "rotate", old.split("_")[1], "--overlap", "1h").strip()
    assert issuing_target.list_tools(key=old) == issuing_target.list_tools(key=new) == issuing_target.families["time"]
