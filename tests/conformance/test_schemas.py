"""Every list and introduction is valid by the SDK's own schemas, and nothing in it is unknown to its revision."""

import json
from typing import Any

import pytest
from mcp_types.methods import serialize_server_result

from almanac.protocol.message.revisions import SUPPORTED
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.engine import Wire
from tests.conformance.corpus import CLIENT, as_sent
from tests.conformance.everything.family import CALLER, SERVER, family, host

LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]


def _result(method: str, params: dict[str, Any], revision: str) -> dict[str, Any]:
    message, headers = as_sent(method, params, revision)
    reply = Wire(Toolset([family()]), host(), SERVER).answer(json.dumps(message).encode(), headers, CALLER)
    return json.loads(reply.body)["result"]


@pytest.mark.parametrize("revision", SUPPORTED)
@pytest.mark.parametrize("method", LISTS)
def test_the_sdk_takes_every_list_and_has_nothing_to_drop(method: str, revision: str) -> None:
    result = _result(method, {}, revision)
    assert serialize_server_result(method, revision, result) == result


@pytest.mark.parametrize("revision", SUPPORTED[:-1])
def test_the_sdk_takes_every_introduction(revision: str) -> None:
    given = {"protocolVersion": revision, "capabilities": {}, "clientInfo": CLIENT}
    result = _result("initialize", given, revision)
    assert serialize_server_result("initialize", revision, result) == result


def test_the_sdk_takes_the_discovery() -> None:
    result = _result("server/discover", {}, SUPPORTED[-1])
    assert serialize_server_result("server/discover", SUPPORTED[-1], result) == result
    assert result["supportedVersions"] == list(SUPPORTED)


_SINCE = {"annotations": "2025-03-26", "title": "2025-06-18", "outputSchema": "2025-06-18"}


@pytest.mark.parametrize("revision", SUPPORTED)
def test_a_tool_is_listed_with_what_the_revision_knows(revision: str) -> None:
    (listed,) = [tool for tool in _result("tools/list", {}, revision)["tools"] if tool["name"] == "add"]
    assert set(listed) == {"name", "description", "inputSchema"} | {
        k for k, since in _SINCE.items() if revision >= since
    }


@pytest.mark.parametrize("revision", SUPPORTED)
def test_structured_content_is_sent_where_the_revision_knows_it(revision: str) -> None:
    result = _result("tools/call", {"name": "add", "arguments": {"left": 1}}, revision)
    assert ("structuredContent" in result) is (revision >= "2025-06-18")


def test_the_oldest_revision_is_told_no_title_no_icon_and_no_completions() -> None:
    given = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": CLIENT}
    result = _result("initialize", given, "2024-11-05")
    assert set(result["serverInfo"]) == {"name", "version"}
    assert "completions" not in result["capabilities"]


@pytest.mark.parametrize("method", [*LISTS, "server/discover"])
def test_a_stateless_list_may_be_kept_by_its_own_client_only(method: str) -> None:
    result = _result(method, {}, SUPPORTED[-1])
    assert (result["resultType"], result["cacheScope"], result["ttlMs"]) == ("complete", "private", 300_000)
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "everything"
