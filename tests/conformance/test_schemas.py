"""Every list and introduction is valid by the SDK's own schemas, and nothing in it is unknown to its revision."""

import json
from typing import Any

import msgspec
import pytest
from mcp_types.methods import serialize_server_result

from almanac.protocol.message.revisions import SUPPORTED
from almanac.protocol.toolset import EVERYTHING, Selection, Toolset
from almanac.protocol.wire.engine import Wire
from tests.conformance.corpus import CLIENT, as_sent
from tests.conformance.everything.family import CALLER, SERVER, family, host

LISTS = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]


def _result(method: str, params: dict[str, Any], revision: str, selection: Selection = EVERYTHING) -> dict[str, Any]:
    message, headers = as_sent(method, params, revision)
    reply = Wire(Toolset([family()]), host(), SERVER).answer(json.dumps(message).encode(), headers, CALLER, selection)
    return json.loads(reply.body)["result"]


@pytest.mark.parametrize("revision", SUPPORTED)
@pytest.mark.parametrize("method", LISTS)
@pytest.mark.parametrize("outputs", [False, True])
def test_the_sdk_takes_every_list_and_has_nothing_to_drop(method: str, revision: str, outputs: bool) -> None:
    result = _result(method, {}, revision, Selection(outputs=outputs))
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


@pytest.mark.parametrize("outputs", [False, True])
@pytest.mark.parametrize("revision", SUPPORTED)
def test_a_tool_is_listed_with_what_the_revision_knows_and_the_request_asks_for(revision: str, outputs: bool) -> None:
    tools = _result("tools/list", {}, revision, Selection(outputs=outputs))["tools"]
    (listed,) = [tool for tool in tools if tool["name"] == "add"]
    assert set(listed) == {"name", "description", "inputSchema"} | {
        k for k, since in _SINCE.items() if revision >= since and (outputs or k != "outputSchema")
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
    kept = 0 if method == "resources/list" else 300_000  # skills, which it lists too, come and go
    assert (result["resultType"], result["cacheScope"], result["ttlMs"]) == ("complete", "private", kept)
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "everything"


def test_only_the_stateless_revision_is_told_of_skills() -> None:
    for revision in SUPPORTED[:-1]:
        given = {"protocolVersion": revision, "capabilities": {}, "clientInfo": CLIENT}
        assert "extensions" not in _result("initialize", given, revision)["capabilities"]
    told = _result("server/discover", {}, SUPPORTED[-1])["capabilities"]
    assert told["extensions"] == {"io.modelcontextprotocol/skills": {"directoryRead": True}}
    assert "resources" in told


def test_a_page_of_skills_has_all_that_the_extension_asks_for() -> None:
    first = _result("skills/list", {}, SUPPORTED[-1])
    assert (first["resultType"], first["cacheScope"], first["ttlMs"]) == ("complete", "private", 0)
    assert [set(skill) for skill in first["skills"]] == [{"uri", "frontmatter", "resources", "_meta"}] * 2
    assert first["skills"][0]["frontmatter"] == {"name": "alpha", "description": "The first skill.", "version": 1.5}
    second = _result("skills/list", {"cursor": first["nextCursor"]}, SUPPORTED[-1])
    assert "nextCursor" not in second
    assert second["_meta"]["io.modelcontextprotocol.skills/asked"] == "tester"


def test_folders_are_told_from_files_by_their_type_and_have_no_size() -> None:
    result = _result("resources/directory/read", {"uri": "skill://alpha"}, SUPPORTED[-1])
    assert {key: result[key] for key in ("resultType", "resources")} == {
        "resultType": "complete",
        "resources": [
            {"uri": "skill://alpha/SKILL.md", "name": "SKILL.md", "mimeType": "text/markdown", "size": 10},
            {"uri": "skill://alpha/references", "name": "references", "mimeType": "inode/directory"},
        ],
    }


@pytest.mark.parametrize("revision", SUPPORTED)
def test_notes_on_a_file_are_sent_where_the_revision_knows_them(revision: str) -> None:
    (file,) = _result("resources/read", {"uri": "skill://alpha/SKILL.md"}, revision)["contents"]
    assert ("_meta" in file) is (revision >= "2025-06-18")


def test_what_is_damaged_is_our_failure_and_never_sent() -> None:
    for method in ("skills/get", "resources/read"):
        message, headers = as_sent(method, {"uri": "skill://damaged/SKILL.md"}, SUPPORTED[-1])
        reply = Wire(Toolset([family()]), host(), SERVER).answer(json.dumps(message).encode(), headers, CALLER)
        assert (reply.served.outcome, json.loads(reply.body)["error"]["code"]) == ("failed", -32603)


def test_two_families_cannot_both_serve_skills() -> None:
    other = msgspec.structs.replace(family(), name="other", tools=())
    with pytest.raises(ValueError, match="two families serve skills"):
        Toolset([family(), other])
