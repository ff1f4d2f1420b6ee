"""A storage limit on the deployed stack: the stream is added up, a job counts, and calls are refused."""

import json
from secrets import token_hex
from typing import Any

import httpx2
import pytest

from tests.e2e.local_stack import SYSTEM, Stack
from tests.e2e.target import Target
from tests.until import wait_until

GUARD_SECONDS = 600


@pytest.fixture
def stack(at: Target) -> Stack:
    if at.stack is None:
        pytest.skip("on a laptop a call itself is judged by what is stored")
    return at.stack


def test_a_tenant_that_stores_all_it_may_is_refused_until_it_may_store_more(at: Target, stack: Stack):
    tenant = f"full-{token_hex(4)}"
    stack.almanac("tenants", "create", tenant)
    stack.almanac("tenants", "edit", tenant, "--max-documents", "3")
    key = stack.almanac("keys", "issue", "--tenant", tenant).strip()

    def call_tool(tool: str, **arguments: Any) -> httpx2.Response:
        return at.post("tools/call", "", key, params={"name": tool, "arguments": arguments})

    def is_counted() -> bool:
        stack.client("lambda").invoke(FunctionName=f"{SYSTEM}-jobs", Payload=b"{}")
        (row,) = [each for each in json.loads(stack.almanac("tenants", "list", "--json")) if each["tenant"] == tenant]
        return row.get("document_count") == 3

    for number in range(3):
        assert call_tool("notes_create", title=f"note {number}").json()["result"]["structuredContent"]["ok"]
    wait_until(is_counted, GUARD_SECONDS)

    wait_until(
        lambda: "This tenant may store 3 documents" in call_tool("notes_create", title="more").text, GUARD_SECONDS
    )
    assert call_tool("notes_search", q="note").json()["result"]["structuredContent"]["ok"]
    stack.almanac("tenants", "edit", tenant, "--max-documents", "none")
    wait_until(
        lambda: call_tool("notes_create", title="again").json()["result"]["structuredContent"]["ok"], GUARD_SECONDS
    )
