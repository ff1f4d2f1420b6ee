"""Test that a server's offers follow from its families, its caller and the protocol revision."""

import json
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import FixedClock
from almanac.protocol.content import ResourceContents
from almanac.protocol.family import Family, Icon, Resource
from almanac.protocol.invoke import Host
from almanac.protocol.tool import Effect, Tool, tool
from almanac.protocol.toolset import Toolset
from almanac.protocol.views import EXTENSION as VIEWS
from almanac.protocol.views import ChatView
from almanac.protocol.wire import lists
from almanac.protocol.wire.engine import Wire
from almanac.protocol.wire.server_info import ServerInfo
from tests.conformance.corpus import as_sent
from tests.conformance.everything.family import Defects


class DoneResult(msgspec.Struct):
    done: bool


@tool(title="Read it", effect=Effect.READS)
def read_it() -> DoneResult:
    """Read it."""
    return DoneResult(True)


@tool(title="Write it", effect=Effect.ADDS)
def write_it() -> DoneResult:
    """Write it."""
    return DoneResult(True)


def _unreadable() -> ResourceContents:
    raise RuntimeError("disk /dev/sda1 is on fire")


def _family(name: str, *tools: Tool, resources: tuple[Resource, ...] = ()) -> Family:
    icon = Icon("https://example.com/i.png", "image/png")
    return Family(name=name, title=name, instructions="", icon=icon, tools=tools, resources=resources)


_ICON = Icon("https://example.com/i.png", "image/png")
_INFO = ServerInfo(name="s", title="S", version="1", icons=(_ICON,))


def _ask(
    families: list[Family],
    method: str,
    params: dict[str, Any] | None = None,
    *,
    revision: str = "2025-11-25",
    caller: Caller | None = None,
    defects: Defects | None = None,
) -> tuple[int, dict[str, Any]]:
    host = Host(
        clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)),
        collaborators={},
        new_reference=lambda: "REF-9",
        report_defect=(defects or Defects()).report,
    )
    message, headers = as_sent(method, params, revision)
    who = caller or Caller(Scope("t", "p"), actor="a", key_id="k")
    reply = Wire(Toolset(families), host, _INFO).answer(json.dumps(message).encode(), headers, who)
    return reply.status, json.loads(reply.body)


_PLAIN = _family("plain", read_it)
_PAGED = _family("paged", write_it, resources=(Resource("x://page", "Page", "Page", "A page.", _unreadable),))


@pytest.mark.parametrize("method", ["resources/list", "prompts/list", "completion/complete", "logging/setLevel"])
def test_a_feature_that_no_family_has_does_not_exist(method: str) -> None:
    assert _ask([_PLAIN], method, {})[1]["error"]["code"] == -32601
    assert _ask([_PLAIN], method, {}, revision="2026-07-28")[0] == 404


def test_only_what_is_there_is_advertised_and_nothing_is_said_to_change() -> None:
    assert _ask([_PLAIN], "server/discover", {}, revision="2026-07-28")[1]["result"]["capabilities"] == {"tools": {}}
    both = _ask([_PLAIN, _PAGED], "server/discover", {}, revision="2026-07-28")[1]["result"]["capabilities"]
    assert both == {"tools": {}, "resources": {}}


def test_a_key_sees_the_families_of_its_scope_only() -> None:
    caller = Caller(Scope("t", "p"), actor="a", key_id="k", families=frozenset({"plain"}))
    listed = _ask([_PLAIN, _PAGED], "tools/list", caller=caller)[1]["result"]["tools"]
    assert [one["name"] for one in listed] == ["read_it"]
    assert _ask([_PLAIN, _PAGED], "tools/call", {"name": "write_it"}, caller=caller)[1]["error"]["code"] == -32602
    assert _ask([_PLAIN, _PAGED], "resources/list", caller=caller)[1]["error"]["code"] == -32601


def test_a_readonly_key_sees_tools_that_read_only() -> None:
    caller = Caller(Scope("t", "p"), actor="a", key_id="k", readonly=True)
    listed = _ask([_PLAIN, _PAGED], "tools/list", caller=caller)[1]["result"]["tools"]
    assert [one["name"] for one in listed] == ["read_it"]


@pytest.mark.parametrize("revision", ["2025-11-25", "2026-07-28"])
def test_a_defect_outside_a_tool_is_reported_and_leaks_nothing(revision: str) -> None:
    defects = Defects()
    status, body = _ask([_PAGED], "resources/read", {"uri": "x://page"}, revision=revision, defects=defects)
    assert (status, body["error"]["code"]) == (200, -32603)
    assert body["error"]["message"] == "Internal error, reference REF-9."
    ((reference, where, cause),) = defects.reported
    assert (reference, where, str(cause)) == ("REF-9", "resources/read", "disk /dev/sda1 is on fire")


@pytest.mark.parametrize(("revision", "code"), [("2025-11-25", -32002), ("2026-07-28", -32602)])
def test_a_missing_page_has_the_code_of_its_era(revision: str, code: int) -> None:
    error = _ask([_PAGED], "resources/read", {"uri": "x://other"}, revision=revision)[1]["error"]
    assert (error["code"], error["data"]) == (code, {"uri": "x://other"})


def test_a_subscription_is_accepted_for_pages_of_a_fixed_address_only() -> None:
    assert _ask([_PAGED], "resources/subscribe", {"uri": "x://page"})[1]["result"] == {}
    assert _ask([_PAGED], "resources/subscribe", {"uri": "x://other"})[1]["error"]["code"] == -32002
    assert _ask([_PAGED], "resources/subscribe", {"uri": "x://page"}, revision="2026-07-28")[0] == 404


def test_icons_are_shown_to_those_who_know_them() -> None:
    def server_info(revision: str) -> dict[str, Any]:
        given = {"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}
        return _ask([_PLAIN], "initialize", given)[1]["result"]["serverInfo"]

    assert server_info("2025-11-25")["icons"] == [
        {"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["any"]}
    ]
    assert "icons" not in server_info("2025-06-18")


def test_lists_are_made_once() -> None:
    view = Toolset([_PLAIN]).view(Caller(Scope("t", "p"), actor="a", key_id="k"))
    assert lists.fields(view, "tools/list", "2025-11-25") is lists.fields(view, "tools/list", "2025-11-25")


def test_answering_http_loads_nothing_heavy() -> None:
    heavy = [
        "almanac.protocol.wire.reference",
        "almanac.protocol.wire.seal",
        "mcp",
        "mcp_types",
        "pydantic",
        "asyncio",
        "hmac",
    ]
    program = f"import sys, almanac.protocol.wire.http; print([name for name in {heavy!r} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_request_without_a_version_header_speaks_the_revision_of_that_time() -> None:
    host = Host(
        clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)),
        collaborators={},
        new_reference=lambda: "",
        report_defect=Defects().report,
    )
    body = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    reply = Wire(Toolset([_PLAIN]), host, _INFO).answer(body, {}, Caller(Scope("t", "p"), actor="a", key_id="k"))
    (listed,) = json.loads(reply.body)["result"]["tools"]
    assert set(listed) == {"name", "description", "inputSchema", "annotations"}


def test_an_envelope_without_its_header_is_a_mismatch_not_an_older_revision() -> None:
    message, _ = as_sent("tools/list", {}, "2026-07-28")
    host = Host(
        clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)),
        collaborators={},
        new_reference=lambda: "",
        report_defect=Defects().report,
    )
    who = Caller(Scope("t", "p"), actor="a", key_id="k")
    reply = Wire(Toolset([_PLAIN]), host, _INFO).answer(json.dumps(message).encode(), {}, who)
    assert (reply.status, json.loads(reply.body)["error"]["code"]) == (400, -32020)


_VIEW = ChatView("ui://s/v.html", "v", "V", "Draws it.", frozenset({"read_it"}), lambda: "<!doctype html>")
_DRAWS = {"extensions": {VIEWS: {"mimeTypes": ["text/html;profile=mcp-app"]}}}


def _with_view(
    method: str, params: dict[str, Any], revision: str, declared: dict[str, Any], family: Family = _PLAIN
) -> dict[str, Any]:
    message, headers = as_sent(method, params, revision)
    if revision == "2026-07-28":
        message["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = declared
    toolset = Toolset([family], [_VIEW])
    who = Caller(Scope("t", "p"), actor="a", key_id="k")
    host = Host(
        clock=FixedClock(datetime(2026, 1, 1, tzinfo=UTC)),
        collaborators={},
        new_reference=lambda: "REF-9",
        report_defect=Defects().report,
    )
    return json.loads(Wire(toolset, host, _INFO).answer(json.dumps(message).encode(), headers, who).body)


@pytest.mark.parametrize(
    ("revision", "declared", "is_told"),
    [
        ("2024-11-05", _DRAWS, False),
        ("2025-03-26", _DRAWS, False),
        ("2025-06-18", {}, True),
        ("2025-11-25", _DRAWS, True),
        ("2026-07-28", _DRAWS, True),
        ("2026-07-28", {}, False),
        ("2026-07-28", {"extensions": []}, False),
        ("2026-07-28", {"extensions": {VIEWS: {}}}, False),
        ("2026-07-28", {"extensions": {VIEWS: {"mimeTypes": ["text/plain"]}}}, False),
    ],
)
def test_lists_name_chat_views_to_clients_that_draw_them(
    revision: str, declared: dict[str, Any], is_told: bool
) -> None:
    tools = _with_view("tools/list", {}, revision, declared)["result"]["tools"]
    named = {"ui": {"resourceUri": _VIEW.uri, "visibility": ["model", "app"]}, "ui/resourceUri": _VIEW.uri}
    assert [one.get("_meta") for one in tools] == [named if is_told else None]
    listed = _with_view("resources/list", {}, revision, declared)["result"]["resources"]
    assert [one["uri"] for one in listed] == ([_VIEW.uri] if is_told else [])
    page = _with_view("resources/read", {"uri": _VIEW.uri}, revision, declared)["result"]["contents"][0]
    assert (page["mimeType"], page["text"]) == ("text/html;profile=mcp-app", "<!doctype html>")


def test_a_chat_view_whose_tools_are_not_there_does_not_exist() -> None:
    answer = _with_view("resources/read", {"uri": _VIEW.uri}, "2025-11-25", {}, _family("other", write_it))
    assert answer["error"]["code"] == -32601


@pytest.mark.parametrize("declared", [{}, _DRAWS])
def test_a_handshake_answers_the_extension_to_clients_that_declare_it(declared: dict[str, Any]) -> None:
    given = {"protocolVersion": "2025-11-25", "capabilities": declared, "clientInfo": {"name": "c", "version": "1"}}
    offered = _with_view("initialize", given, "2025-11-25", {})["result"]["capabilities"]
    assert offered.get("extensions") == declared.get("extensions")
    offered = _with_view("server/discover", {}, "2026-07-28", {})["result"]["capabilities"]
    assert offered["extensions"] == _DRAWS["extensions"]
