"""Test the answers and refusals of the planner over HTTP."""

import json
import os
from typing import Any

from almanac.protocol.invoke import Host
from almanac.protocol.toolset import Toolset
from almanac.protocol.wire.http import HttpEndpoint, Request
from almanac.protocol.wire.server_info import ServerInfo
from tests.project_app import ProjectApp


def post(app: ProjectApp, method: str, params: dict[str, Any]) -> dict[str, Any]:
    planner = [family for family in app.families if family.name == "planner"]
    host = Host(
        clock=app.clock,
        collaborators={kind: one for family in planner for kind, one in family.collaborators.items()},
        new_reference=lambda: os.urandom(4).hex(),
        report_defect=lambda _reference, _where, cause: app.defects.append(cause),
    )
    endpoint = HttpEndpoint(Toolset(planner), host, server=ServerInfo(name="almanac", title="Almanac", version="0"))
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-11-25",
    }
    return json.loads(endpoint.answer(Request("POST", headers, body, {"output_schemas": "1"}), app.caller).body)[
        "result"
    ]


def test_the_family_lists_its_tools_with_schemas_a_client_can_take(app: ProjectApp) -> None:
    listed = {one["name"]: one for one in post(app, "tools/list", {})["tools"]}
    assert len(listed) == 32
    for one in listed.values():
        assert one["outputSchema"]["properties"].keys() == {"ok", "data", "error"}
        assert one["inputSchema"]["type"] == "object"
        assert len(one["description"]) > 30
    due = listed["kanban_update_card"]["inputSchema"]["properties"]["dueDate"]
    assert {branch["type"] for branch in due["anyOf"]} == {"string", "null"}


def test_an_answer_is_structured_and_mirrored_as_text(app: ProjectApp) -> None:
    params = {"name": "calendar_create_event", "arguments": {"title": "Plan", "date": "today"}}
    result = post(app, "tools/call", params)
    assert result["structuredContent"]["ok"] is True
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert not result.get("isError")


def test_a_refusal_is_the_same_envelope_and_an_error(app: ProjectApp) -> None:
    for arguments, said in (
        ({"eventId": "nothing", "title": "x"}, "Event not found"),
        ({"eventId": 7}, '"eventId" must be a string'),
        ({"eventsId": "x"}, 'Did you mean "eventId"?'),
    ):
        result = post(app, "tools/call", {"name": "calendar_update_event", "arguments": arguments})
        assert result["isError"] is True
        assert result["structuredContent"]["ok"] is False
        assert result["structuredContent"]["data"] is None
        assert said in result["structuredContent"]["error"]
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


def test_stringified_arguments_are_understood(app: ProjectApp) -> None:
    recurrence = '{"frequency": "daily", "count": "2"}'
    arguments = {"title": "Run", "date": "today", "recurrence": recurrence}
    assert post(app, "tools/call", {"name": "calendar_create_event", "arguments": arguments})["structuredContent"]["ok"]
    listed = post(app, "tools/call", {"name": "calendar_list_events", "arguments": {"limit": "5"}})
    assert listed["structuredContent"]["data"]["count"] == 2
