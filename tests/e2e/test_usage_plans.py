"""Test each tier's usage plan, and that the deployed authorizer counts a tenant's requests on the right one."""

import json
from contextlib import ExitStack
from secrets import token_bytes, token_hex
from typing import Any

import httpx2
import pytest

from almanac.identity.access.call_leases import CallLeases
from almanac.identity.records import TIERS
from almanac.kernel.clock import SystemClock
from tests.e2e.local_stack import SYSTEM, Stack
from tests.e2e.target import Target


@pytest.fixture
def stack(at: Target) -> Stack:
    if at.stack is None:
        pytest.skip("usage plans are AWS's, and cannot be looked into from here")
    return at.stack


def _usage_key(stack: Stack, key: str) -> str:
    """The value of the API Gateway key that the authorizer names."""
    asked = {
        "type": "REQUEST",
        "methodArn": "arn:aws:execute-api:us-east-1:000000000000:a/v1/POST/mcp",
        "path": "/mcp",
        "httpMethod": "POST",
        "headers": {"x-api-key": key},
    }
    functions = stack.client("lambda")
    answer = functions.invoke(FunctionName=f"{SYSTEM}-authorizer", Payload=json.dumps(asked))
    return json.loads(answer["Payload"].read())["usageIdentifierKey"]


def _plans(stack: Stack) -> dict[str, dict[str, Any]]:
    """Return this API's usage plans by the value of their keys."""
    gateway = stack.client("apigateway")
    values = {key["id"]: key["value"] for key in gateway.get_api_keys(includeValues=True)["items"] if key["enabled"]}
    found: dict[str, dict[str, Any]] = {}
    for plan in gateway.get_usage_plans()["items"]:
        if any(f"/{each['apiId']}/{each['stage']}/" in stack.url for each in plan["apiStages"]):
            (key,) = gateway.get_usage_plan_keys(usagePlanId=plan["id"])["items"]
            found[values[key["id"]]] = plan
    return found


def test_requests_count_to_the_plan_of_their_tenants_tier(stack: Stack):
    plans = _plans(stack)
    assert len(plans) == len(TIERS)
    for tier in TIERS:
        tenant = f"{tier}-{token_hex(4)}"
        stack.almanac("tenants", "create", tenant, "--tier", tier)
        key = stack.almanac("keys", "issue", "--tenant", tenant).strip()
        assert f"tier {tier}," in plans[_usage_key(stack, key)]["description"]


def test_a_tenant_that_was_moved_to_another_tier_counts_there(stack: Stack):
    tenant = f"moved-{token_hex(4)}"
    stack.almanac("tenants", "create", tenant)
    stack.almanac("tenants", "tier", tenant, "premium")
    key = stack.almanac("keys", "issue", "--tenant", tenant).strip()
    assert "tier premium," in _plans(stack)[_usage_key(stack, key)]["description"]


def test_a_tenant_with_all_of_its_expensive_calls_running_is_told_to_wait_and_others_are_not(at: Target, stack: Stack):
    tenant, other = f"busy-{token_hex(4)}", f"quiet-{token_hex(4)}"
    keys: dict[str, str] = {}
    for each in (tenant, other):
        stack.almanac("tenants", "create", each)
        stack.almanac("tenants", "edit", each, "--calls-at-once", "3")
        keys[each] = stack.almanac("keys", "issue", "--tenant", each).strip()

    def call_tool(who: str, tool: str, path: str = "") -> httpx2.Response:
        return at.post("tools/call", path, keys[who], params={"name": tool, "arguments": {}})

    assert at.open_store is not None
    clock = SystemClock()
    with ExitStack() as running:
        leases = CallLeases(at.open_store(), clock, token_bytes)
        assert [running.enter_context(leases.hold(tenant, 3)) for _ in range(3)] == [None] * 3
        for path in ("", "/memory"):
            refused = call_tool(tenant, "list_candidates", path)
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
            assert refused.json()["error"]["data"]["code"] == "limit_exceeded"
            assert call_tool(other, "list_candidates", path).status_code == 200
            assert call_tool(tenant, "list_claims", path.replace("memory", "team")).status_code == 200
    assert call_tool(tenant, "list_candidates").status_code == 200
